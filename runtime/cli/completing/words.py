"""Words that only this machine knows: titles, scenarios and errata of a title, codes of messages."""

from __future__ import annotations

import os
from collections.abc import Sequence

from grognard.cli.completing.tree import Command, arguments_typed
from grognard.errors import GrognardError


def known_words(sort: str, command: Command | None, words: Sequence[str]) -> list[str]:
    """The words of a sort; `words` are those typed behind the command.  What cannot be had is left out: somebody is typing."""
    title = _title(command, words)
    try:
        match sort:
            case "codes":
                from grognard.support.codes import CODES

                return sorted(CODES)
            case "titles":
                return _titles()
            case "scenarios":
                return _scenarios(title) if title is not None else []
            case "errata":
                return ["none", "all", *(_errata(title) if title is not None else [])]
    except (GrognardError, OSError):
        pass
    return []


def _title(command: Command | None, words: Sequence[str]) -> str | None:
    typed = arguments_typed(command, words) if command is not None else ()
    found = next((text for argument, text in typed if argument and argument.sort.name == "titles"), None)
    return None if found is None else os.path.expanduser(found)


def _titles() -> list[str]:
    from grognard.compiler_access import compiler_installed, library_titles
    from grognard.play.built_titles import installed_titles

    return sorted({*(library_titles() if compiler_installed() else ()), *installed_titles()})


def _scenarios(title: str) -> list[str]:
    from grognard.play.catalogue import scenarios_of

    return [scenario.id for scenario in scenarios_of(title) or []]


def _errata(title: str) -> list[str]:
    from grognard.compiler_access import errata_sheets
    from grognard.support.diagnostics import Sink

    sheets = errata_sheets(title, Sink())
    return [] if sheets is None else [sheet.name for sheet in sheets.sheets]
