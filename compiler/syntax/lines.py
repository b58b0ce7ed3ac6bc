"""Lines that go on below: which lines of a text belong together, and where a long one can be broken."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: A line that begins like this goes on from the one before it (the terminal BEFORE_WORD of the grammar).
GOES_ON = re.compile(
    r"(?:and|or|where|when)\b(?!\s*(?:->|[:,.=]))"
    r"|(?:by|to|with|keeping|preferring|such|joined|room|first|then)\b(?!\s*(?:->|[:,.=(]))"
    r"|->|\["
)
_PART = re.compile(r'"[^"\n]*"?|\[[^\]\n]*\]?|#.*|[(){}]')
_ROW = re.compile(r'[^|"#]*\|')


def is_row(line: str) -> bool:
    """Whether a line is a row of a table."""
    return _ROW.match(line) is not None


def code_of(line: str) -> str:
    """The line without its comment and the blanks before it."""
    for found in _PART.finditer(line):
        if found.group().startswith("#"):
            return line[: found.start()].rstrip()
    return line.rstrip()


def brackets(line: str, depth: int = 0) -> Iterator[tuple[int, int]]:
    """Places of a line where the depth of brackets changes, and the depth behind them."""
    for found in _PART.finditer(line):
        sign = found.group()
        if sign in "({":
            depth += 1
        elif sign in ")}":
            depth = max(0, depth - 1)
        else:
            continue
        yield found.start(), depth


def depth_after(line: str, depth: int) -> int:
    return max(brackets(line, depth), default=(0, depth))[1]


def joined_lines(lines: list[str]) -> list[int]:
    """For each line the number of the one that it goes on from, which is itself where none does."""
    heads: list[int] = []
    depth, head, comma = 0, 0, False
    pending: list[int] = []
    for number, line in enumerate(lines):
        code = code_of(line)
        if not code.strip():
            # Comments and empty lines belong to what goes on around them.
            pending.append(number)
            heads.append(number)
            continue
        indented = line[:1] in " \t"
        row = is_row(line) and depth == 0
        goes_on = depth > 0 or (not row and indented and (comma or GOES_ON.match(code.lstrip()) is not None))
        if goes_on:
            for between in pending:
                heads[between] = head
        else:
            head = number
        pending = []
        heads.append(head)
        if not row:
            depth = depth_after(code, depth)
            comma = code.endswith(",")
        else:
            comma = False
    return heads
