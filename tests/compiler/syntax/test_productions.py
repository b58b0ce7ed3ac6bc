"""Every production and word of the language is used by a shipped title, or a decision says why it is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from productions import CountingParser, Uses

ROOT = Path(__file__).parents[3]
RECORD = next((ROOT / "docs" / "decisions").glob("*-constructs-that-no-shipped-title-uses.md"))


@cache
def counted() -> tuple[CountingParser, Uses]:
    parser = CountingParser()
    return parser, parser.count(ROOT / "rulesdef")


def recorded(heading: str) -> set[str]:
    """The names in the first column of the table below a heading of the record."""
    table = RECORD.read_text(encoding="utf-8").partition(f"| {heading} |")[2].partition("\n\n")[0]
    return {
        name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`([^`]+)`", row)
    }


def test_what_no_shipped_title_uses_has_a_reason() -> None:
    parser, uses = counted()
    assert parser.productions - set(uses.productions) == recorded("production")


def test_so_have_words() -> None:
    parser, uses = counted()
    assert parser.words - set(uses.words) == recorded("word")
