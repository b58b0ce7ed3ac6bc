"""Rules as words with their places.

An editor asks in the middle of a line that is not finished, where no parser gets to.  So whatever is answered about a place in a
file is answered from its words, which are always there; what they mean comes from the last state of the title that could be read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<text>"[^"\n]*"?)|(?P<cite>\[[^\]\n]*\]?)'
    r"|(?P<dice>\d*d\d+(?![A-Za-z_0-9]))|(?P<number>\d+)|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>->|:=|\+=|-=|<=|>=|\.\.|[^\s\w])"
)
_ROW = re.compile(r'[^\n|"#]*\|')


@dataclass(frozen=True, slots=True)
class Word:
    """A token: where it is counts from 0."""

    kind: str  # name number dice text cite comment sign cell
    text: str
    line: int
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A declaration: its lines, from the one at the margin to the one before the next (end exclusive)."""

    first: int
    last: int
    words: tuple[Word, ...]

    @property
    def code(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.kind != "comment")

    @property
    def heading(self) -> str:
        """The word that it begins with."""
        return self.words[0].text if self.words else ""

    def __hash__(self) -> int:
        return id(self)


class RulesText:
    """A rules file as an editor has it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.chunks = list(_chunks(self.lines))
        self._starts = [chunk.first for chunk in self.chunks]

    def chunk_at(self, line: int) -> Chunk | None:
        place = bisect_right(self._starts, line) - 1
        return self.chunks[place] if place >= 0 else None

    def word_at(self, line: int, column: int) -> Word | None:
        """The word at a place, or the one that ends there."""
        chunk = self.chunk_at(line)
        if chunk is None:
            return None
        here = [w for w in chunk.words if w.line == line and w.start <= column <= w.end]
        names = [w for w in here if w.kind in ("name", "cell", "number")]
        found = names or here
        return found[-1] if found else None


@lru_cache(maxsize=400)
def rules_text(text: str) -> RulesText:
    return RulesText(text)


def words_of_line(line: str, number: int) -> Iterator[Word]:
    if _ROW.match(line):
        yield from _cells(line, number)
        return
    for found in _TOKEN.finditer(line):
        yield Word(found.lastgroup or "sign", found.group(), number, found.start())


def _cells(line: str, number: int) -> Iterator[Word]:
    """The cells of a row, and the bars between them."""
    for found in re.finditer(r'#[^\n]*|\||"[^"\n]*"?|[^\s|"#]+(?:[ \t]+[^\s|"#]+)*', line):
        text = found.group()
        kind = (
            "comment" if text[0] == "#" else "sign" if text == "|" else "text" if text[0] == '"' else "cell"
        )
        yield Word(kind, text, number, found.start())


def _chunks(lines: list[str]) -> Iterator[Chunk]:
    starts = [n for n, line in enumerate(lines) if line and line[0] not in " \t#\r)}|"]
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(lines)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        words = [word for n in range(start, end) for word in words_of_line(lines[n], n)]
        yield Chunk(start, end, tuple(words))
