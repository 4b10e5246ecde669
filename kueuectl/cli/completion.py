"""`kueuectl completion SHELL`: scripts that hand the words of a command line to `kueuectl __complete`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.cli.frame.flags import CHOICES
from kueuectl.errors import UsageError

# Names under which package managers expect the scripts.
FILES = {"bash": "kueuectl.bash", "zsh": "_kueuectl", "fish": "kueuectl.fish", "powershell": "kueuectl.ps1"}

_BASH = r"""# bash completion for kueuectl: source <(kueuectl completion bash)

_kueuectl() {
    local cur prev words cword line candidate directive=0
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur prev words cword
    else
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${COMP_WORDS[COMP_CWORD]}
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :[0-9]* ]]; then
            directive=${line#:}
        else
            candidate=${line%%$'\t'*}
            # A value behind --flag= is one word with its flag here.
            [[ $cur == -*=* ]] && candidate=${cur%%=*}=$candidate
            COMPREPLY+=("$candidate")
        fi
    done < <("${words[0]}" __complete "${words[@]:1:cword}" 2>/dev/null)
    if ((directive & 2)); then
        compopt -o nospace 2>/dev/null
    fi
    if ((${#COMPREPLY[@]} == 0 && (directive & 4) == 0)); then
        compopt -o default 2>/dev/null
    fi
    if declare -F __ltrim_colon_completions >/dev/null; then
        __ltrim_colon_completions "$cur"
    fi
}

complete -F _kueuectl kueuectl
"""

_ZSH = r"""#compdef kueuectl
# zsh completion for kueuectl: kueuectl completion zsh > "${fpath[1]}/_kueuectl"

_kueuectl() {
    local line directive=0 prefix=""
    local -a lines candidates options
    local tab=$'\t'
    [[ ${words[CURRENT]} == -*=* ]] && prefix="${words[CURRENT]%%=*}="
    lines=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${lines[@]}"; do
        if [[ $line == :[0-9]* ]]; then
            directive=${line#:}
        elif [[ -n $line ]]; then
            local word=${line%%$tab*} about=""
            [[ $line == *$tab* ]] && about=${line#*$tab}
            word=${prefix}${word}
            candidates+=("${word//:/\\:}${about:+:$about}")
        fi
    done
    ((directive & 2)) && options+=(-S "")
    if ((${#candidates} == 0)); then
        ((directive & 4)) || _files
        return
    fi
    _describe -t kueuectl "kueuectl" candidates "${options[@]}"
}

if [[ $funcstack[1] == _kueuectl ]]; then
    _kueuectl "$@"
else
    compdef _kueuectl kueuectl
fi
"""

_FISH = r"""# fish completion for kueuectl: kueuectl completion fish > ~/.config/fish/completions/kueuectl.fish

function __kueuectl_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l prefix ""
    if string match -q -r -- '^-[^=]*=' "$last"
        set prefix (string replace -r -- '=.*' '=' "$last")
    end
    set -l lines ($words[1] __complete $words[2..-1] "$last" 2>/dev/null)
    set -l directive 0
    if set -q lines[-1]; and string match -q -r '^:\d+$' -- $lines[-1]
        set directive (string sub -s 2 -- $lines[-1])
        set -e lines[-1]
    end
    if test (count $lines) -eq 0; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$last"
        return
    end
    for line in $lines
        echo -- "$prefix$line"
    end
end

complete -c kueuectl -f -a '(__kueuectl_complete)'
"""

_POWERSHELL = r"""# PowerShell completion for kueuectl: kueuectl completion powershell | Out-String | Invoke-Expression

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
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}


def script(shell: str) -> str:
    """The completion script of a shell; raises UsageError for one that isn't supported."""
    found = _SCRIPTS.get(shell)
    if found is None:
        raise UsageError(f"unknown shell {shell!r}", hint=f"use one of: {', '.join(CHOICES['SHELL'])}")
    return found


def command(
    ctx: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="The shell: bash, zsh, fish or powershell.")],
) -> None:
    """Print the completion script of a shell.

    The script asks this program for candidates, so names of queues, workloads and namespaces are completed too.
    For "kubectl kueue", kubectl finds the executable kubectl_complete-kueue by itself.

    \b
    Examples:
      source <(kueuectl completion bash)
      kueuectl completion zsh > "${fpath[1]}/_kueuectl"
    """
    ctx.obj.write([script(shell)])
