"""Renaming: every place that names a symbol, tried on the title before it is proposed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from grognard.compiler.driver.workspace import Workspace
from grognard.compiler.editor.document import Found, references
from grognard.compiler.editor.names import Names, Place, Symbol


class CannotRename(Exception):
    """Why a name cannot be changed, for people."""


def renamable(found: Found | None) -> Symbol:
    """The one symbol that is named at a place."""
    symbols = {meaning.symbol for meaning in found.meanings} if found is not None else set()
    if not symbols:
        raise CannotRename("nothing that has a name stands here")
    if len(symbols) > 1:
        raise CannotRename(
            "it cannot be told which of several things is meant here: rename it where it is declared"
        )
    symbol = symbols.pop()
    if symbol.sort == "section":
        raise CannotRename("sections have the names that the rulebook gives them")
    return symbol


def rename(names: Names, workspace: Workspace, symbol: Symbol, new: str) -> dict[str, list[Place]]:
    """File -> the places to change; CannotRename if the title would not be the same afterwards."""
    if not re.fullmatch(r"[A-Za-z_]\w*", new) and not (symbol.sort == "member" and re.fullmatch(r"\w+", new)):
        raise CannotRename(f"`{new}` is no name: letters, digits and _, a letter first")
    if new in ("me", "my", "none", "yes", "no"):
        raise CannotRename(f"`{new}` is a word of the language")
    places: dict[str, list[Place]] = {}
    for place in dict.fromkeys(references(names, symbol)):
        places.setdefault(place.file, []).append(place)
    if not places:
        raise CannotRename(f"`{symbol.name}` is not found in the rules")
    before = _said(workspace, symbol.name, new)
    kept = workspace.buffers
    try:
        for file, found in places.items():
            workspace.set_text(file, edited(names.sources[file].text, found, new))
        after = _said(workspace, symbol.name, new)
    finally:
        for file in places:
            if file in kept:
                workspace.set_text(file, kept[file])
            else:
                workspace.drop_text(file)
    worse = after - before
    if worse:
        raise CannotRename(
            f"with `{new}` for `{symbol.name}` the title would not be right: {next(iter(worse))}"
        )
    return places


def _said(workspace: Workspace, old: str, new: str) -> Counter[str]:
    """What is said of the title, with either name for the other."""
    return Counter(
        f"{d.code} {re.sub(rf'`{re.escape(old)}`', f'`{new}`', d.message)}" for d in workspace.diagnostics()
    )


def edited(text: str, places: Sequence[Place], new: str) -> str:
    """The text with a word put into each place."""
    lines = text.split("\n")
    for place in sorted(places, key=lambda p: (p.line, p.start), reverse=True):
        line = lines[place.line]
        lines[place.line] = line[: place.start] + new + line[place.end :]
    return "\n".join(lines)
