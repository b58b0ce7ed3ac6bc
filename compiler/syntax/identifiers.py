"""The name that an entry of a list has without being given one: its text as an identifier."""

from __future__ import annotations

import re
import unicodedata


def identifier(text: str) -> str:
    """`smoke_between` for "smoke between": small letters and digits, joined by `_`.  Empty for an empty text."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in plain if not unicodedata.combining(c)).lower()
    made = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if text and not made:
        return "entry"
    return f"n_{made}" if made[:1].isdigit() else made
