"""The parse tree with every token in it, for tools that keep what an author wrote: `fmt`, colours in editors."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from threading import Lock

import lark
from grognard.compiler.support.disk_cache import content_key, read_entry, write_entry
from grognard.compiler.syntax.from_text.indenter import LineIndenter
from grognard.grammar import grammar_text
from lark import Lark, Token, Tree

#: lark stores the indentation in the parser, which all threads share.
_ONE_AT_A_TIME = Lock()


@lru_cache(maxsize=1)
def _parser() -> Lark:
    """The parser of parse.py, which here throws no token away.  Its tables are cached on disk."""
    text = grammar_text()
    name = "grammar-tokens-" + content_key([text, lark.__version__])
    found = read_entry(name)
    if found is not None:
        try:
            return Lark.load(BytesIO(found))
        except Exception:
            # Truncated, or from another version: build it again.
            pass
    made = Lark(
        text,
        parser="lalr",
        postlex=LineIndenter(),
        propagate_positions=True,
        maybe_placeholders=False,
        keep_all_tokens=True,
    )
    out = BytesIO()
    made.save(out)
    write_entry(name, out.getvalue())
    return made


def parse_tokens(text: str) -> Tree[Token]:
    """The tree of a text that ends with a line break; UnexpectedInput or DedentError if it is broken."""
    with _ONE_AT_A_TIME:
        return _parser().parse(text)
