"""The text of a file cut into its declarations: each begins in the first column."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.support.source import SourceFile


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of a declaration, and the number of its first line."""

    line: int
    text: str


def pieces_of(source: SourceFile) -> list[Piece]:
    """The declarations of a file, cut at lines that start in the first column."""
    return cut(source.text)


def begins_with_a_piece(source: SourceFile, pieces: list[Piece]) -> bool:
    """Whether nothing but comments stands before the first declaration."""
    before = range(1, pieces[0].line) if pieces else range(1, source.line_count + 1)
    return all((line := source.line(number).strip()) == "" or line.startswith("#") for number in before)


def cut(text: str) -> list[Piece]:
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line and line[0] not in " \t#|\r)}"]
    ends = [*starts[1:], len(lines)] if starts else []
    made: list[Piece] = []
    for start, end in zip(starts, ends, strict=True):
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        made.append(Piece(start + 1, "\n".join(lines[start:end]) + "\n"))
    return made
