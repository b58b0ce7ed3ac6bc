"""The grammar of the Grognard language (grognard.lark), for lark's LALR parser with the contextual lexer.

`grognard_1.lark` is the language before `x else y`.  It is frozen: `grognard upgrade` reads rules with it.
"""

from __future__ import annotations

from importlib import resources

#: The versions of the language.
FIRST_VERSION, LATEST = 1, 2
_FILES = {FIRST_VERSION: "grognard_1.lark", LATEST: "grognard.lark"}


def grammar_text(version: int = LATEST) -> str:
    """The text of the grammar, as shipped."""
    return resources.files(__name__).joinpath(_FILES[version]).read_text(encoding="utf-8")
