"""Kinds drawn as tables: their rows, and columns whose types are inferred from the cells."""

from __future__ import annotations

import re

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Dom,
    FieldInfo,
    Type,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span

#: Beyond this no number is one of a game.
MAX_NUMBER = 999_999_999


def declare_rows(symbols: Declaring) -> None:
    """Kinds drawn as tables: infer the types of their columns from the cells."""
    for dom in list(symbols.types.values()):
        decl = dom.decl
        if isinstance(decl, syn.KindDecl) and decl.rows:
            heading, *rows = decl.rows
            dom.members = []
            for row in rows:
                name, span = row.cells[0]
                for key in (part.strip() for part in name.split("/")):
                    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", key):
                        symbols.sink.error(
                            "GR0110",
                            span,
                            f"`{name}` cannot be the name of a row",
                            hint="a name has no spaces: stone_house",
                        )
                    elif key in dom.members:
                        symbols.sink.error("GR0205", span, f"row `{key}` stands twice in {dom.name}")
                    else:
                        dom.members.append(key)
                        dom.titles.append(key.replace("_", " "))
            for row in rows:
                if len(row.cells) != len(heading.cells):
                    symbols.sink.error(
                        "GR0404",
                        row.span,
                        f"{len(row.cells)} cells in this row, {len(heading.cells)} in the heading",
                        labels=(Label(heading.span, "the heading"),),
                    )


def drawn_columns(symbols: Declaring, merged: Merged, dom: Dom, decl: syn.KindDecl) -> None:
    heading, *rows = decl.rows
    groups: dict[str, list[tuple[int, str]]] = {}
    for place, (text, span) in enumerate(heading.cells[1:], start=1):
        match = re.fullmatch(r"([A-Za-z_]\w*)(?:\((\w+)\))?", text)
        if match is None:
            symbols.sink.error("GR0411", span, f"`{text}` cannot be the heading of a column")
            continue
        group = groups.setdefault(match.group(1), [])
        if any(key == (match.group(2) or "") for _, key in group):
            symbols.sink.error("GR0414", span, f"column `{text}` stands twice")
        group.append((place, match.group(2) or ""))
    declared = {field.name for field in decl.fields} if decl.typed else set()
    for name, columns in groups.items():
        if name in declared:
            continue
        cells = [row.cells[place] for place, _ in columns for row in rows if place < len(row.cells)]
        type_ = _infer(symbols, cells + _amended(merged, dom, name))
        axes: tuple[Dom, ...] = ()
        if columns[0][1]:
            axis = _axis_of(symbols, [key for _, key in columns])
            if axis is None:
                symbols.sink.error(
                    "GR0411", heading.span, f"the columns `{name}(...)` are not the members of one enum"
                )
                continue
            axes = (axis,)
        column = symbols.new_column(f"{dom.name}.{name}", (dom, *axes), type_)
        dom.fields[name] = FieldInfo(name, type_, axes, None, dom, column=column)


def _amended(merged: Merged, dom: Dom, column: str) -> list[tuple[str, Span]]:
    """What errata write into a drawn column: its type must hold that too."""
    found: list[tuple[str, Span]] = []
    for amend in merged.data_amends:
        if amend.sort != "kind" or amend.target != dom.name or amend.new is None:
            continue
        if len(amend.key) < 2 or not isinstance(amend.key[1], syn.Name) or amend.key[1].id != column:
            continue
        match amend.new:
            case syn.Number(text=text) | syn.Name(id=text):
                found.append((text, amend.new.span))
            case syn.UnaryExpr(op="neg", value=syn.Number(text=text)):
                found.append((f"-{text}", amend.new.span))
            case syn.FlagLit(value=value):
                found.append(("yes" if value else "no", amend.new.span))
            case syn.NoneLit():
                found.append(("-", amend.new.span))
    return found


def _axis_of(symbols: Declaring, keys: list[str]) -> Dom | None:
    for dom in symbols.types.values():
        if dom.sort in ("enum", "side") and set(keys) == set(dom.members):
            return dom
    return None


def _infer(symbols: Declaring, cells: list[tuple[str, Span]]) -> Type:
    if not cells:
        return UNKNOWN  # rows that are too short, or none at all: reported elsewhere
    texts = [text for text, _ in cells]
    optional = any(text in ("-", "NA", "") for text in texts)
    real = [text for text in texts if text not in ("-", "NA", "", "?")]
    if real and all(re.fullmatch(r"[+-]?\d+", text) for text in real):
        values = [int(text[:12]) for text in real]
        # A number out of bounds is reported when its cell is read.  It fits no other type either.
        lo, hi = max(min(values), -MAX_NUMBER), min(max(values), MAX_NUMBER)
        return Type("int", min(lo, hi), max(lo, hi), optional=optional)
    if real and all(text in ("yes", "no") for text in real):
        return FLAG
    for dom in symbols.types.values():
        if dom.sort in ("enum", "kind", "side") and real and all(text in dom.members for text in real):
            return dom_type(dom, optional)
    for dom in symbols.types.values():
        if dom.sort in ("enum", "kind") and real:
            words = [word.strip() for text in real for word in re.sub(r"^any but ", "", text).split(",")]
            if all(word in dom.members or word == "any" for word in words):
                return set_type(dom)
    bad = next(
        ((t, s) for t, s in cells if not re.fullmatch(r"[+-]?\d+|yes|no|-", t)),
        cells[0] if cells else ("", Span("", 0, 0, 0, 0)),
    )
    symbols.sink.error("GR0409", bad[1], f"`{bad[0]}` does not fit with the other cells of its column")
    return UNKNOWN
