"""Rows of tables drawn in rules: the grammar takes a row as one token, and its cells are split here."""

from __future__ import annotations

from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span


def read_row(path: str, line: int, body: str) -> syn.Row:
    """The row in a line of a file, without its line break."""
    quoted = False
    cells: list[tuple[str, Span]] = []
    start = 0
    text = body
    for place, char in enumerate(body + "|"):
        if char == '"':
            quoted = not quoted
        if char == "#" and not quoted and place < len(body):
            text = body[:place]
            break
    quoted = False
    for place, char in enumerate(text + "|"):
        if char == '"':
            quoted = not quoted
        elif char == "|" and not quoted:
            cell = text[start:place]
            lead = len(cell) - len(cell.lstrip())
            column = start + lead + 1
            stripped = cell.strip()
            cells.append((stripped, Span(path, line, column, line, column + max(1, len(stripped)))))
            start = place + 1
    indent = len(body) - len(body.lstrip()) + 1
    return syn.Row(tuple(cells), Span(path, line, indent, line, len(text.rstrip()) + 1))
