"""The text of questions, in which names stand in braces: `choose f: Direction "facing of {u}"`."""

from __future__ import annotations

import re


def without_names(text: str) -> str:
    """The text without its names in braces, for where their values are unknown or were shown before."""
    return " ".join(re.sub(r"(\b(of|for|by)\s+)?\{[^}]*\}", " ", text).split())
