"""The parse tree with every token in it, for tools that keep what an author wrote: `fmt`, colours in editors."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from grognard.compiler.syntax.from_text.parser_tables import cached_parser
from grognard.grammar import grammar_text
from lark import Lark, Token, Tree

#: lark stores the indentation in the parser, which all threads share.
_ONE_AT_A_TIME = Lock()


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return cached_parser(grammar_text(), all_tokens=True)


def parse_tokens(text: str) -> Tree[Token]:
    """The tree of a text that ends with a line break; UnexpectedInput or DedentError if it is broken."""
    with _ONE_AT_A_TIME:
        return _parser().parse(text)
