"""Which tokens stand apart on a line.  Only brackets and signs ask what production they are in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from grognard.compiler.format.lines import Piece
from grognard.compiler.syntax.from_text.parse import parser

_TIGHT_BEFORE = frozenset({")", "}", ",", ";", ":", "?", ".", ".."})
_TIGHT_AFTER = frozenset({"(", "{", ".", ".."})
_SIGNS = frozenset({"-", "+"})


def spaced(before: Piece, piece: Piece) -> bool:
    """Whether a space stands between two tokens of a line."""
    if before.text in _TIGHT_AFTER or piece.text in _TIGHT_BEFORE:
        return False
    if before.text in _SIGNS and before.leads:
        return False
    if (before.text == "/" and before.between) or (piece.text == "/" and piece.between):
        return False
    if piece.text == "(":
        # What is called stands close; a bracket around an expression, or one that begins a list, does not.
        called = before.text[-1].isalnum() or before.text[-1] in "_)"
        if called and before.kind == "NAME" and _means_more_before_bracket(before.text):
            return True
        return not called or (piece.leads and piece.owner != "params")
    return True


def joined(pieces: Sequence[Piece]) -> str:
    """The tokens on one line."""
    parts: list[str] = []
    for number, piece in enumerate(pieces):
        if number and spaced(pieces[number - 1], piece):
            parts.append(" ")
        parts.append(piece.text)
    return "".join(parts)


@lru_cache(maxsize=1000)
def _means_more_before_bracket(word: str) -> bool:
    """Whether a name would be a word of the language if a bracket stood close to it: `count (x)` is none, `count(x)` is."""
    patterns = (terminal.pattern.to_regexp() for terminal in parser().terminals)
    return any("(?=" in pattern and re.match(pattern, word + "(") for pattern in patterns)
