# bash completion for kueuectl: source <(kueuectl completion bash)

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
