"""The commands with their options and arguments, as their parsers declare them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: Sorts of words: what the machine knows, places on the disk, given words; `text` is anything.
KNOWN = ("titles", "scenarios", "errata", "codes")
PLACES = {"FILE": "files", "DIR": "folders", "FOLDER": "folders", "FOLDER|FILE": "files"}
BY_METAVAR = {
    **PLACES,
    "TITLE": "titles",
    "TITLE|FILE|FOLDER": "titles",
    "OTHER": "titles",
    "SERIES": "titles",
    "CODE": "codes",
    "none|all|NAME": "errata",
}
BY_NAME = {"title": "titles", "scenario": "scenarios"}


@dataclass(frozen=True, slots=True)
class Sort:
    """What fits in a place: a sort of words, and the words themselves where they are known."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    names: tuple[str, ...]
    help: str
    #: None for a switch
    value: Sort | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    sort: Sort
    many: bool


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]

    @property
    def taking(self) -> list[str]:
        """Options that a value follows."""
        return [name for option in self.options if option.value is not None for name in option.names]

    def argument(self, number: int) -> Argument | None:
        """The number-th argument, from 1."""
        if number <= len(self.arguments):
            return self.arguments[number - 1]
        return self.arguments[-1] if self.arguments and self.arguments[-1].many else None


def command_of(name: str, help: str, parser: argparse.ArgumentParser) -> Command:
    """A command by its parser, "" for the program itself."""
    options, arguments = [], []
    for action in parser._actions:
        if action.dest == "command" or action.help == argparse.SUPPRESS:
            continue
        if action.option_strings:
            value = _sort(action) if action.nargs != 0 else None
            repeated = type(action).__name__ == "_AppendAction"
            options.append(Option(tuple(action.option_strings), _one_line(action), value, repeated))
        else:
            shown = str(action.metavar or action.dest).lower()
            arguments.append(Argument(shown, _sort(action), action.nargs in ("+", "*")))
    return Command(name, help, tuple(options), tuple(arguments))


def _sort(action: argparse.Action) -> Sort:
    if action.choices:
        return Sort("words", tuple(map(str, action.choices)))
    if action.metavar == "BOT":
        from grognard.bots import BOTS

        return Sort("words", tuple(BOTS))
    return Sort(BY_METAVAR.get(str(action.metavar)) or BY_NAME.get(action.dest) or "text")


def _one_line(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def arguments_typed(command: Command, words: Sequence[str]) -> Iterator[tuple[Argument | None, str]]:
    """The arguments among the words behind a command: what each is, and its text."""
    taking = command.taking
    number, value = 0, False
    for word in words:
        if value:
            # Some shells split `--option=value` into three words.
            value = word == "="
        elif word.startswith("-") and word != "-":
            value = word in taking
        else:
            number += 1
            yield command.argument(number), word
