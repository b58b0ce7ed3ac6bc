"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grognard.cli.completing.tree import Command, Option, Sort

SCRIPT = r"""# Completion of `grognard` for fish.  Made by `grognard completion fish`, for
# ~/.config/fish/completions/grognard.fish.

function __grognard_takes # the options of a command that a value follows
    switch "$argv[1]"
@TAKES@
    end
end

# The command that is typed, and the number of the argument that comes next, 0 where the value of an option does.
function __grognard_place
    set -l words (commandline -opc)
    set -l command ''
    set -l number 1
    set -l taking (__grognard_takes '')
    set -l value 0
    for word in $words[2..-1]
        if test $value = 1
            set value 0
        else if string match -q -- '-?*' $word
            contains -- $word $taking; and set value 1
        else if test -z "$command"
            set command $word
            set taking (__grognard_takes $word)
        else
            set number (math $number + 1)
        end
    end
    test $value = 1; and set number 0
    printf '%s\n' "$command" $number
end

function __grognard_in
    set -l place (__grognard_place)
    test "$place[1]" = "$argv[1]"
end

function __grognard_at
    set -l place (__grognard_place)
    test "$place[1]" = "$argv[1]"; and test $place[2] -ge $argv[2]; and test $place[2] -le $argv[3]
end

function __grognard_known # words that the program knows
    set -l words (commandline -opc)
    set -l command (__grognard_place)[1]
    set -l first (contains -i -- "$command" $words)
    test -n "$first"; or set first 1
    grognard completion --words $argv[1] $words[$first..-1] 2>/dev/null
    test $argv[1] = titles; and __fish_complete_directories (commandline -ct)
end

complete -c grognard -e
complete -c grognard -f
"""
MANY = 1_000_000


def fish_script(program: Command, commands: Sequence[Command]) -> str:
    takes = "\n".join(
        f"        case '{command.name}'\n            printf '%s\\n' {' '.join(command.taking)}"
        for command in (program, *commands)
        if command.taking
    )
    lines = [line for option in program.options for line in _option("", option)]
    for command in commands:
        lines.append(
            f"complete -c grognard -n '__grognard_at \"\" 1 1' -a {command.name} -d {_quoted(command.help)}"
        )
    for command in commands:
        lines += [line for option in command.options for line in _option(command.name, option)]
        for number, argument in enumerate(command.arguments, 1):
            last = MANY if argument.many else number
            condition = f"-n '__grognard_at {command.name} {number} {last}'"
            offered = _offered(argument.sort)
            if offered:
                lines.append(f"complete -c grognard {condition} {offered}")
    return SCRIPT.replace("@TAKES@", takes) + "\n".join(lines) + "\n"


def _option(command: str, option: Option) -> Iterator[str]:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    condition = f"-n '__grognard_in {command}'" if command else "-n '__grognard_in \"\"'"
    value = ""
    if option.value is not None:
        value = f" -r {_offered(option.value) or '-f'}"
    yield f"complete -c grognard {condition} {names}{value} -d {_quoted(option.help)}"


def _offered(sort: Sort) -> str:
    if sort.words:
        return f"-f -a {_quoted(' '.join(sort.words))}"
    return {
        "files": "-F",
        "folders": "-f -a '(__fish_complete_directories (commandline -ct))'",
        "text": "",
    }.get(sort.name, f"-f -a '(__grognard_known {sort.name})'")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
