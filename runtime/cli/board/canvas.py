"""A sheet of character cells to draw on, each with a style; printed line by line."""

from __future__ import annotations

from grognard.cli.console import Console, wide


class Canvas:
    """Grows as it is drawn on; columns and lines count from 0."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], tuple[str, str]] = {}
        self._columns = 0
        self._lines = 0

    def put(self, column: int, line: int, text: str, style: str = "") -> None:
        """Write a text; each character of double width takes the next column too."""
        for char in text:
            width = wide(char)
            if width == 0:
                continue
            self._cells[column, line] = char, style
            if width == 2:
                self._cells[column + 1, line] = "", style
            column += width
        self._columns = max(self._columns, column)
        self._lines = max(self._lines, line + 1)

    def lines(self, console: Console) -> list[str]:
        """The drawing as lines of text, without blanks at their ends."""
        made = []
        for line in range(self._lines):
            last = max((c for c in range(self._columns) if self._solid(c, line)), default=-1)
            parts: list[str] = []
            run, style = "", ""
            for column in range(last + 1):
                char, own = self._cells.get((column, line), (" ", ""))
                if own != style:
                    parts.append(console.style(style, run))
                    run, style = "", own
                run += char
            parts.append(console.style(style, run))
            made.append("".join(parts))
        return made

    def _solid(self, column: int, line: int) -> bool:
        char, style = self._cells.get((column, line), (" ", ""))
        # A styled blank is part of a coloured counter.
        return char != " " or bool(style)
