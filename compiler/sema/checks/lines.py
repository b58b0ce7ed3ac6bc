"""Sights, arcs and movements: their space, and the places that they are about."""

from __future__ import annotations

from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for


def check_space(symbols: Symbols, decl: syn.SightDecl | syn.ArcDecl | syn.MovementDecl, sink: Sink) -> bool:
    """Whether the space that is named is one."""
    dom = symbols.types.get(decl.space)
    if dom is not None and dom.sort == "place":
        return True
    known = [name for name, found in symbols.types.items() if found.sort == "place"]
    sink.error("GR0202", decl.span, f"there is no space `{decl.space}`", hint=hint_for(decl.space, known))
    return False


def check_sight(symbols: Symbols, entry: Callable_, sink: Sink) -> None:
    decl: syn.SightDecl = entry.decl
    known = check_space(symbols, decl, sink)
    ends = sum(_is_place(type_) for _, type_ in entry.params)
    if ends < 2:
        if not any(type_.sort == "unknown" for _, type_ in entry.params):
            sink.error(
                "GR0301",
                decl.span,
                "a sight needs two places as its ends",
                hint="sight los(a: Hex, b: Hex) on Board",
            )
    elif known and not any(clause.sort == "along" for clause in decl.clauses):
        sink.error(
            "GR0603",
            decl.span,
            "say what happens along a hexside",
            hint="along a hexside: blocked if both block   (or: blocked if either blocks)",
        )


def check_arc(symbols: Symbols, entry: Callable_, sink: Sink) -> None:
    known = check_space(symbols, entry.decl, sink)
    if not known or not entry.params or not _is_place(entry.params[-1][1]):
        sink.error(
            "GR0301", entry.decl.span, "the last parameter of an arc is the place that lies in it or not"
        )


def _is_place(type_: Type) -> bool:
    return type_.dom is not None and type_.dom.sort == "place"
