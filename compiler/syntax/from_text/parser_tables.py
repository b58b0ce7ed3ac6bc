"""Parsers of a grammar, with their tables cached on disk: building them takes longer than reading a title."""

from __future__ import annotations

from io import BytesIO

import lark
from grognard.compiler.support.disk_cache import content_key, read_entry, write_entry
from grognard.compiler.syntax.from_text.indenter import LineIndenter
from lark import Lark


def cached_parser(grammar: str, *, all_tokens: bool = False) -> Lark:
    """The parser of a grammar; with `all_tokens` its trees hold every token, for tools that keep what an author wrote."""
    name = "grammar-" + content_key([grammar, lark.__version__, "all tokens" if all_tokens else "trees"])
    found = read_entry(name)
    if found is not None:
        try:
            return Lark.load(BytesIO(found))
        except Exception:
            # Truncated, or from another version: build it again.
            pass
    made = Lark(
        grammar,
        parser="lalr",
        postlex=LineIndenter(),
        propagate_positions=True,
        maybe_placeholders=not all_tokens,
        keep_all_tokens=all_tokens,
    )
    out = BytesIO()
    made.save(out)
    write_entry(name, out.getvalue())
    return made
