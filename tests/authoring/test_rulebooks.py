"""Sections out of rulebooks: headings are found, sentences, lists and measures are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.authoring.rulebook_text import RulebookError, headings, read_rulebook

BOOK = """
RIDGE: THE RULES

Contents
1. INTRODUCTION ........ 2
2. Components .......... 3
7.1 Fire ............... 11

1. INTRODUCTION
The game covers the battle. It takes 2 players.

1.1 Scale. Each hex is 150 metres, each turn 10 minutes of
7 Points are scored for each hill, and
12 hexes at most.

2. Components
A box holds:
1. One map
2. Two sheets of counters
2.1.1 Counters: every counter has two sides

# 7 FIRE
**7.1** Fire
7.2 A unit may fire at any enemy unit that it sees, that is in range and that has not yet been fired at in this phase
[7.3] Return fire
A.2 Smoke
"""


def test_headings() -> None:
    found = [(heading.id, heading.title) for heading in headings(BOOK)]
    assert found == [
        ("1", "Introduction"), ("2", "Components"), ("7.1", "Fire"), ("1.1", "Scale"), ("2.1.1", "Counters"),
        ("7", "Fire"), ("7.3", "Return fire"), ("A.2", "Smoke"),
    ]  # fmt: skip


def test_short_headings_and_one_that_is_missed() -> None:
    """Headings that begin with an article count; after one that cannot be recognised the next chapters do, lists do not."""
    book = """
1 Introduction
2 The Map
2.1 The Ridge
4 In the Woods
4.1 A Stand
  1. Roll two dice
5 End
"""
    found = [(heading.id, heading.title) for heading in headings(book)]
    assert found == [
        ("1", "Introduction"), ("2", "The Map"), ("2.1", "The Ridge"), ("4", "In the Woods"), ("4.1", "A Stand"),
        ("5", "End"),
    ]  # fmt: skip


def test_a_pdf_says_the_same_as_its_text(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    figure = pytest.importorskip("matplotlib.figure")
    import matplotlib

    lines = [
        "1. INTRODUCTION",
        *["A sentence of a rulebook that says nothing much."] * 5,
        "1.1 Scale",
        "1.2 Terms",
    ]
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        page = figure.Figure(figsize=(8, 11))
        for number, line in enumerate(lines):
            page.text(0.1, 0.9 - 0.05 * number, line)
        page.savefig(tmp_path / "book.pdf")
    (tmp_path / "book.txt").write_text("\n".join(lines), encoding="utf-8")
    found = [(h.id, h.title) for h in read_rulebook(tmp_path / "book.pdf")]
    assert found == [(h.id, h.title) for h in read_rulebook(tmp_path / "book.txt")]
    assert found == [("1", "Introduction"), ("1.1", "Scale"), ("1.2", "Terms")]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"nothing here", "no numbered headings"),
        (b"\x00\x01\x02\xff", "no text"),
        (b"%PDF-1.4 broken", "PDF"),
    ],
)
def test_what_is_no_rulebook(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "book"
    path.write_bytes(data)
    with pytest.raises(RulebookError, match=told):
        read_rulebook(path)
    with pytest.raises(RulebookError, match="cannot be read"):
        read_rulebook(tmp_path / "nowhere")
