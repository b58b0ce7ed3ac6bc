"""Parsers that keep every token with its place: of the language as it was, and as it is."""

from __future__ import annotations

from functools import lru_cache

from grognard.compiler.syntax.from_text.parser_tables import cached_parser
from grognard.grammar import FIRST_VERSION, LATEST, grammar_text
from lark import Lark, Tree
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError

__all__ = ["FIRST_VERSION", "LATEST", "Unreadable", "tree_of_declaration"]


class Unreadable(Exception):
    """A declaration that is of neither version."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}")
        self.line, self.column = line, column


@lru_cache(maxsize=2)
def _parser(version: int) -> Lark:
    return cached_parser(grammar_text(version), all_tokens=True)


def tree_of_declaration(text: str, version: int) -> Tree:
    """The parse tree of one declaration; Unreadable if it is none of this version."""
    try:
        return _parser(version).parse(text)
    except UnexpectedInput as error:
        raise Unreadable(max(1, error.line), max(1, error.column)) from error
    except DedentError as error:
        raise Unreadable(1, 1) from error
