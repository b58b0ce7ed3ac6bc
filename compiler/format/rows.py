"""Rows of drawn tables, aligned: numbers to the right, words to the left."""

from __future__ import annotations

import re

from grognard.compiler.syntax.from_text.rows import read_row

_NUMBER = re.compile(r"[-+]?\d+|-|")
_HEADING = re.compile(r"[-+]?\d+(?: *\.\. *[-+]?\d+)?")


def read_cells(row: str) -> tuple[list[str], str]:
    """The cells of a row token, and its comment."""
    body = row.lstrip("\r\n").rstrip()
    made = read_row("", 1, body)
    cells = [text for text, _ in made.cells]
    comment = body[made.span.end_column - 1 :].strip()
    return cells, comment


def layout_rows(rows: list[str], indent: str) -> list[str]:
    """The rows of one table."""
    read = [read_cells(row) for row in rows]
    width = max(len(cells) for cells, _ in read)
    columns = [[cells[n] for cells, _ in read if n < len(cells)] for n in range(width)]
    widths = [max(map(len, column)) for column in columns]
    # The first row is the heading, if there is one.
    right = [all(_NUMBER.fullmatch(cell) for cell in column[1:] or column) for column in columns]
    texts = []
    for number, (cells, _) in enumerate(read):
        padded = [
            cell.rjust(widths[n])
            if right[n] or (not number and _HEADING.fullmatch(cell))
            else cell.ljust(widths[n])
            for n, cell in enumerate(cells)
        ]
        texts.append((indent + " | ".join(padded)).rstrip())
    column = max((len(text) for text, (_, comment) in zip(texts, read, strict=True) if comment), default=0)
    return [
        f"{text.ljust(column)}   {comment}" if comment else text
        for text, (_, comment) in zip(texts, read, strict=True)
    ]
