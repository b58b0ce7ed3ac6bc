"""Completion for bash, from version 3.2 on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grognard.cli.completing.tree import Command, Sort

SCRIPT = r"""# Completion of `grognard` for bash.  Made by `grognard completion bash`, for
# ~/.local/share/bash-completion/completions/grognard.

_grognard_takes() { # what follows an option of a command
    kind=
    case "$1 $2" in
@TAKES@
    esac
}

_grognard_argument() { # what the n-th argument of a command is
    kind=
    case "$1 $2" in
@ARGUMENTS@
    esac
}

_grognard_options() {
    case "$1" in
@OPTIONS@
    esac
}

_grognard_offer() { # those of these lines that go on as the word begins
    local line
    while IFS= read -r line; do
        [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$line")")
    done <<< "$1"
}

_grognard_places() {
    local line
    compopt -o filenames 2> /dev/null
    while IFS= read -r line; do
        [[ -n $line ]] && COMPREPLY+=("$line")
    done < <(compgen "$1" -- "$cur")
}

_grognard() {
    local cur=${COMP_WORDS[COMP_CWORD]} command= option= kind= words= number=0 place=0 i word
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $option ]]; then
            [[ $word == "=" ]] || option=
        elif [[ $word == -?* ]]; then
            _grognard_takes "$command" "$word"
            [[ -n $kind ]] && option=$word
        elif [[ -z $command ]]; then
            command=$word place=$i
        else
            number=$((number + 1))
        fi
    done
    if [[ -n $option ]]; then
        [[ $cur == "=" ]] && cur=
        _grognard_takes "$command" "$option"
    elif [[ $cur == -* ]]; then
        _grognard_options "$command"
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        return
    elif [[ -z $command ]]; then
        COMPREPLY=($(compgen -W "@COMMANDS@" -- "$cur"))
        return
    else
        _grognard_argument "$command" $((number + 1))
    fi
    case "$kind" in
        "words "*) COMPREPLY=($(compgen -W "${kind#words }" -- "$cur")) ;;
        files) _grognard_places -f ;;
        folders) _grognard_places -d ;;
        @KNOWN@)
            _grognard_offer "$("$1" completion --words "$kind" "${COMP_WORDS[@]:place:COMP_CWORD-place}" 2> /dev/null)"
            [[ $kind == titles ]] && _grognard_places -d
            ;;
    esac
    return 0
}

complete -F _grognard grognard
"""


def bash_script(program: Command, commands: Sequence[Command], known: Sequence[str]) -> str:
    parts = {
        "TAKES": [
            f'"{command.name} {name}") kind="{_kind(option.value)}" ;;'
            for command in (program, *commands)
            for option in command.options
            if option.value is not None
            for name in option.names
        ],
        "ARGUMENTS": [line for command in commands for line in _arguments(command)],
        "OPTIONS": [
            f'"{command.name}") words="{" ".join(name for option in command.options for name in option.names)}" ;;'
            for command in (program, *commands)
        ],
    }
    script = SCRIPT
    for name, lines in parts.items():
        script = script.replace(f"@{name}@", "\n".join(f"        {line}" for line in lines))
    script = script.replace("@KNOWN@", " | ".join(known))
    return script.replace("@COMMANDS@", " ".join(command.name for command in commands))


def _arguments(command: Command) -> Iterator[str]:
    for number, argument in enumerate(command.arguments, 1):
        # The star is outside of the quotes: any number from here on.
        place = f'"{command.name} "*' if argument.many else f'"{command.name} {number}"'
        yield f'{place}) kind="{_kind(argument.sort)}" ;;'


def _kind(sort: Sort) -> str:
    return " ".join((sort.name, *sort.words))
