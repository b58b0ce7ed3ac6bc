"""`grognard completion bash|zsh|fish`: completes commands, options, titles and scenarios."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from grognard.cli.completing.tree import KNOWN, Command, command_of
from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, nargs="?", help="bash, zsh or fish")
    # The scripts ask with this: `grognard completion --words scenarios play connect_four --scenario`.
    parser.add_argument("--words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(args: argparse.Namespace, console: Console) -> int:
    if args.words is not None:
        return _show_words(args.words, console)
    if args.shell is None:
        raise UserError("for which shell?", "write `grognard completion bash`, zsh or fish")
    program, commands = tree()
    if args.shell == "bash":
        from grognard.cli.completing.bash import bash_script

        script = bash_script(program, commands, KNOWN)
    elif args.shell == "zsh":
        from grognard.cli.completing.zsh import zsh_script

        script = zsh_script(program, commands)
    else:
        from grognard.cli.completing.fish import fish_script

        script = fish_script(program, commands)
    console.print(script.rstrip("\n"))
    return OK


def tree() -> tuple[Command, list[Command]]:
    """The program and its commands."""
    from grognard.cli.main import COMMANDS, build_parser

    return command_of("", "", build_parser(None)), list(_commands(COMMANDS))


def _commands(wanted: dict[str, str]) -> Iterator[Command]:
    from grognard.cli.main import command_parser

    for name, text in wanted.items():
        yield command_of(name, text, command_parser(name))


def _show_words(given: Sequence[str], console: Console) -> int:
    """Those of a sort; what was typed so far stands behind it, from the command on."""
    from grognard.cli.completing.words import known_words
    from grognard.cli.main import COMMANDS

    sort, typed = given[0] if given else "", given[1:]
    if sort not in KNOWN:
        raise UserError(f"--words needs one of {', '.join(KNOWN)}")
    command = next(_commands({typed[0]: ""}), None) if typed and typed[0] in COMMANDS else None
    for word in known_words(sort, command, typed[1:]):
        console.print(word)
    return OK
