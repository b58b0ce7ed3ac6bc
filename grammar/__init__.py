"""The grammar of the Grognard language (grognard.lark), for lark's LALR parser with the contextual lexer."""

from __future__ import annotations

from importlib import resources


def grammar_text() -> str:
    """The text of the grammar, as shipped."""
    return resources.files(__name__).joinpath("grognard.lark").read_text(encoding="utf-8")
