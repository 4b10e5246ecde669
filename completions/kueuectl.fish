# fish completion for kueuectl: kueuectl completion fish > ~/.config/fish/completions/kueuectl.fish

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
