"""What a diagnostic code is, and the list that the families of codes fill."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Code:
    """A kind of diagnostic: its number, a short title, and what `grognard explain` says about it."""

    code: str
    title: str
    explanation: str


CODES: dict[str, Code] = {}


def register(code: str, title: str, explanation: str) -> None:
    assert code not in CODES, f"{code} is defined twice"
    CODES[code] = Code(code, title, dedent(explanation).strip())
