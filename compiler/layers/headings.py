"""Declarations in a few words, for messages."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse


def heading_of(what: str, decl: Any) -> str:
    """The first line of a declaration as an author writes it."""
    given = [
        *(unparse(p) for p in getattr(decl, "params", ())),
        *(_axis(a) for a in getattr(decl, "axes", ())),
    ]
    result = getattr(decl, "result", None)
    return (
        f"{what} {decl.name}"
        + (f"({', '.join(given)})" if given else "")
        + (f" -> {unparse(result)}" if result is not None else "")
    )


def _axis(axis: syn.Axis) -> str:
    return f"{axis.name}: {unparse(axis.type)}" if axis.name else unparse(axis.type)
