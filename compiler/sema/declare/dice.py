"""Dice with faces of their own."""

from __future__ import annotations

import re

from grognard.compiler.sema.declare.domains import plain_number
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.types import dom_type, int_range
from grognard.compiler.syntax import nodes as syn


def declare_die(symbols: Declaring, decl: syn.DieDecl) -> None:
    """A range renumbers a die; a list of numbers or of members gives it faces of its own."""
    symbols.cite(decl.cites)
    if isinstance(decl.faces, syn.RangeExpr) and re.fullmatch(r"d\d+", decl.name):
        symbols.dice[decl.name] = (plain_number(symbols, decl.faces.lo), plain_number(symbols, decl.faces.hi))
        return
    faces: tuple[syn.Expr, ...] = decl.faces.items if isinstance(decl.faces, syn.Items) else (decl.faces,)
    if isinstance(decl.faces, syn.RangeExpr):
        lo, hi = plain_number(symbols, decl.faces.lo), plain_number(symbols, decl.faces.hi)
        faces = tuple(syn.Number(str(n), decl.faces.span) for n in range(lo, min(hi, lo + 999) + 1) if n >= 0)
    if re.fullmatch(r"\d*d\d+", decl.name):
        symbols.sink.error("GR0301", decl.faces.span, "the faces of a die are a range, such as 0..9")
        return
    names = [face.id for face in faces if isinstance(face, syn.Name)]
    if len(faces) < 2:
        symbols.sink.error("GR0308", decl.span, f"die `{decl.name}` has no two faces")
    elif len(names) == len(faces):
        found = [
            dom
            for dom in symbols.types.values()
            if dom.sort in ("enum", "kind", "direction", "side") and set(names) <= set(dom.members)
        ]
        if found:
            symbols.faces[decl.name] = (faces, dom_type(found[0]))
        else:
            symbols.sink.error(
                "GR0204", decl.faces.span, f"the faces of `{decl.name}` are not members of one enum"
            )
    elif names:
        symbols.sink.error(
            "GR0301", decl.faces.span, "the faces of a die are all numbers, or all members of one enum"
        )
    else:
        values = [plain_number(symbols, face) for face in faces]
        symbols.faces[decl.name] = (faces, int_range(min(values), max(values)))
