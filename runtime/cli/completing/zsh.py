"""Completion for zsh."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.cli.completing.tree import Argument, Command, Option, Sort

SCRIPT = r"""#compdef grognard
# Completion of `grognard` for zsh.  Made by `grognard completion zsh`, for
# a file _grognard in a folder of $fpath, named before compinit runs.

_grognard_known() { # words that the program knows: the sort is the last argument, those before it are for compadd
    local -a found
    found=("${(@f)$(_call_program words grognard completion --words ${@[-1]} ${(q)grognard_words} 2> /dev/null)}")
    found=(${found:#})
    (( $#found )) && compadd "${@[1,-2]}" -a found
    [[ ${@[-1]} == titles ]] && _files -/
}

_grognard_commands() {
    local -a commands
    commands=(
@COMMANDS@
    )
    _describe -t commands command commands
}

_grognard() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C \
@PROGRAM@
        '1: :_grognard_commands' \
        '*:: :->rest' && return
    [[ $state == rest ]] || return 1
    # The words up to the one that is typed, from the command on.
    local -a grognard_words
    grognard_words=("${(@Q)words[1,CURRENT-1]}")
    case $words[1] in
@CASES@
    esac
}

if [[ $funcstack[1] == _grognard ]]; then
    _grognard "$@"
else
    compdef _grognard grognard
fi
"""


def zsh_script(program: Command, commands: Sequence[Command]) -> str:
    described = "\n".join(f"        {_quoted(f'{c.name}:{c.help}')}" for c in commands)
    script = SCRIPT.replace("@COMMANDS@", described)
    script = script.replace(
        "@PROGRAM@", "\n".join(f"        {spec} \\" for option in program.options for spec in _specs(option))
    )
    return script.replace("@CASES@", "\n".join(map(_case, commands)))


def _case(command: Command) -> str:
    specs = [spec for option in command.options for spec in _specs(option)]
    specs += [_argument(number, argument) for number, argument in enumerate(command.arguments, 1)]
    lines = " \\\n".join(f"                {spec}" for spec in specs)
    return f"        {command.name})\n            _arguments \\\n{lines}\n            ;;"


def _specs(option: Option) -> list[str]:
    """One specification for each name; names of one option exclude each other."""
    value = "" if option.value is None else f":{_plain(option.names[-1].lstrip('-'))}:{_action(option.value)}"
    others = "*" if option.repeated else f"({' '.join(option.names)})"
    end = {True: "=", False: ""}
    return [
        _quoted(
            f"{others}{name}{end[option.value is not None and name.startswith('--')]}[{_plain(option.help)}]{value}"
        )
        for name in option.names
    ]


def _argument(number: int, argument: Argument) -> str:
    return _quoted(f"{'*' if argument.many else number}:{_plain(argument.name)}:{_action(argument.sort)}")


def _action(sort: Sort) -> str:
    if sort.words:
        return f"({' '.join(sort.words)})"
    return {"files": "_files", "folders": "_files -/", "text": " "}.get(
        sort.name, f"_grognard_known {sort.name}"
    )


def _plain(text: str) -> str:
    """Text within a specification, where brackets and colons mean something."""
    return "".join(f"\\{char}" if char in "[]:\\" else char for char in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
