"""Texts that printers put together: numbers, pointers that a body begins with, sites in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from grognard.compiler.cython.print.lines import Value
from grognard.contract import ir
from grognard.contract.header import NONE

#: Prints an expression when its turn comes.
Maker: TypeAlias = Callable[[], Value]
#: Pointers that a body keeps in C variables: name, declaration.  The order is that of the declarations.
HOISTED = ("s", "off", "cnt", "base", "words", "sym", "col", "tab", "fo")


def hoisted(program: ir.Program, name: str) -> str:
    """The declaration of a pointer that a body begins with; what is fixed lies behind the context (grog_ctx in context.h)."""
    domains, columns = len(program.domains), 3 * len(program.domains) + len(program.fields)
    fixed = {
        "base": 0,
        "cnt": domains,
        "words": 2 * domains,
        "off": 3 * domains,
        "col": columns,
        "tab": columns + len(program.columns),
    }
    match name:
        case "base" | "cnt" | "words" | "off":
            return f"const int64_t *{name} = ctx.fixed + {fixed[name]}"
        case "col" | "tab":
            return f"grog_array *{name} = <grog_array *>(ctx.fixed + {fixed[name]})"
        case "s":
            return "int32_t *s = ctx.s"
        case "sym":
            return "const int32_t *sym = ctx.sym"
    return "const int64_t *fo = ctx.frame_off"


def fixed_at(program: ir.Program, name: str, number: int) -> str:
    """One of these numbers, where none of the pointers is declared."""
    place = {"base": 0, "cnt": 1, "words": 2}[name] * len(program.domains) + number
    return f"ctx.fixed[{place}]"


def literal(value: int) -> str:
    """A number as the C compiler reads it."""
    if value == NONE:
        return "GROG_NONE"
    return f"({value})" if value < 0 else str(value)


def cited(program: ir.Program, site: int) -> str:
    """What a site is, in its own words, and the sections that it cites."""
    if not 0 <= site < len(program.sites):
        return f"site {site}"
    entry = program.sites[site]
    cites = f" [{', '.join(entry.cites)}]" if entry.cites else ""
    return f"{entry.kind} {entry.text!r}{cites}"
