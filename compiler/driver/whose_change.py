"""Which sheet of errata makes a change, and what its patch cites."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from grognard.compiler.driver.errata_sheets import cites_in
from grognard.compiler.layers.merge import declared_name
from grognard.compiler.layers.project import read_layers
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract.differences import Change
from grognard.support.diagnostics import Sink
from grognard.support.source import Span

#: The dots of rows without an end: `(..8, 12..)`.
_ENDLESS = re.compile(r"(?<=[( ])\.\.|\.\.(?=[,)])")

if TYPE_CHECKING:
    from grognard.compiler.data.values import Values
    from grognard.compiler.layers.merge import Merged
    from grognard.compiler.layers.project import Project
    from grognard.compiler.sema.symbols import Symbols


class Declarations(Protocol):
    """What is compared of a title: nothing of it need be compiled."""

    @property
    def project(self) -> Project: ...
    @property
    def merged(self) -> Merged: ...
    @property
    def symbols(self) -> Symbols: ...
    @property
    def values(self) -> Values: ...


#: (kind of declaration, name, place inside) -> the sheets that change it, each with what its patch cites
Patches = dict[tuple[str, str, str], list[tuple[str, tuple[str, ...], Span]]]
_AMENDED = {"entry": "modifiers", "drop": "modifiers", "rename": "kind"}


def patches_of(ruleset: Declarations, sheets: set[str]) -> Patches:
    """What the patches of these sheets touch; the place is empty where a patch touches the declaration as a whole."""
    found: Patches = {}
    for tree in _trees(ruleset) if sheets else ():
        for decl in tree.decls:
            if not isinstance(decl, syn.ErrataDecl) or decl.name not in sheets:
                continue
            for patch in decl.patches:
                for key in _touched(patch):
                    found.setdefault(key, []).append((decl.name, cites_in(patch), patch.span))
    return found


def _trees(ruleset: Declarations) -> Iterator[syn.FileTree]:
    for layer in read_layers(ruleset.project, Sink()):
        yield from layer.trees


def _touched(patch: Any) -> Iterator[tuple[str, str, str]]:
    match patch:
        case syn.Amend(sort="table"):
            yield "table", patch.target, f"({', '.join(unparse(k) for k in patch.key)})"
        case syn.Amend(sort="entry" | "drop"):
            yield "modifiers", patch.target, patch.label
        case syn.Amend(sort="kind"):
            yield "kind", patch.target, ".".join(unparse(k) for k in patch.key[:2])
        case syn.Amend():
            yield _AMENDED.get(patch.sort, patch.sort), patch.target, ""
        case syn.AddTo():
            yield "kind" if patch.sort == "rows" else patch.sort, patch.target, ""
        case syn.Replace():
            yield called(patch.decl)[0], patch.decl.name, ""
        case syn.ExceptionDecl():
            yield "exception", patch.target, ""
        case syn.ExampleDecl():
            yield "example", patch.title, ""
        case _:
            yield *called(patch), ""


def attributed(change: Change, by_sheet: Sequence[Patches]) -> Change:
    """A change with the sheet that makes it, and all sections that it is about."""
    name = change.name.split(" ")[0] if change.what == "exception" else change.name
    for patches in by_sheet:
        # A patch names a row without an end by its last number, as it is kept.
        for within in (change.where, _ENDLESS.sub("", change.where), change.where.partition("(")[0], ""):
            made = patches.get((change.what, name, within))
            if made:
                ids = [i for _sheet, cites, _span in made for i in cites]
                # Of several patches to one declaration a change may be any: all that they cite is named.
                known = dict.fromkeys([*change.cites, *ids])
                sheets = ", ".join(dict.fromkeys(sheet for sheet, _, _ in made))
                place = made[0][2]
                file, line = (change.file, change.line) if change.file else (place.file, place.line)
                return dataclasses.replace(change, cites=tuple(known), sheet=sheets, file=file, line=line)
    return change


def called(decl: Any) -> tuple[str, str]:
    """What an author calls a declaration: its keyword and its name, if it has one."""
    key = declared_name(decl)
    match decl:
        case syn.SidesDecl() | syn.VictoryDecl():
            return type(decl).__name__.removesuffix("Decl").lower(), ""
        case syn.RuleDecl(name="evaluation"):
            return "evaluation", ""
        case syn.OwnerDecl():
            return decl.sort if decl.sort == "game" else f"each {decl.sort}", ""
        case syn.PieceDecl(record=True):
            return "record", decl.name
        case syn.StatesDecl():
            return "states", f"{decl.piece}.{decl.owned}"
        case syn.OnChangeDecl(owner=owner):
            return "on", f"{owner.name}.{decl.name} changes" if owner is not None else f"{decl.name} changes"
    name = key[1] if key is not None else getattr(decl, "event", "")
    return type(decl).__name__.removesuffix("Decl").lower(), name
