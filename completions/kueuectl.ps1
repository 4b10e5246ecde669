# PowerShell completion for kueuectl: kueuectl completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName kueuectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $program = $words[0]
    $rest = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq "") { $rest += "" }
    $prefix = ""
    if ($wordToComplete -match '^(-[^=]*=)') { $prefix = $Matches[1] }
    & $program __complete @rest 2>$null |
        Where-Object { $_ -notmatch '^:\d+$' } |
        ForEach-Object {
            $word, $about = $_ -split "`t", 2
            if (-not $about) { $about = $word }
            [System.Management.Automation.CompletionResult]::new("$prefix$word", $word, "ParameterValue", $about)
        }
}
