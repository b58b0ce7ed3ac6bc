"""The terminal: colours where they are seen, plain text where a program reads, ASCII where nothing else can be shown.

Everything that the commands print passes through here.  The rich library draws tables and progress in terminals;
without it, with --plain and in pipes the same content comes as plain lines.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

STYLES = {
    "bold": "1",
    "dim": "2",
    "title": "1",
    "cite": "36",
    "good": "32",
    "bad": "1;31",
    "warn": "33",
    "number": "1;36",
    "hint": "32",
    "frame": "34",
    "error": "1;31",
}
#: Counters of the sides, in order: white or black letters on the side's colour.
SIDE_STYLES = ("1;97;41", "1;30;43", "1;97;44", "1;30;42", "1;97;45", "1;30;46", "1;30;47")
#: Colours that a title may give its sides by name.
COLOURS = {
    "red": "1;97;41",
    "yellow": "1;30;43",
    "blue": "1;97;44",
    "green": "1;30;42",
    "magenta": "1;97;45",
    "purple": "1;97;45",
    "cyan": "1;30;46",
    "white": "1;30;107",
    "black": "1;97;100",
    "grey": "1;30;47",
    "gray": "1;30;47",
    "brown": "1;97;48;5;94",
    "orange": "1;30;48;5;208",
}
#: Colours of terrain, as foregrounds.
INKS = {
    "green": "32",
    "darkgreen": "32",
    "blue": "34",
    "yellow": "33",
    "brown": "33",
    "red": "31",
    "magenta": "35",
    "purple": "35",
    "cyan": "36",
    "grey": "90",
    "gray": "90",
    "black": "90",
    "white": "97",
    "orange": "33",
}

#: What ASCII has instead.
ASCII = {
    "…": "...",
    "—": "-",
    "–": "-",
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "↗": "/",
    "↘": "\\",
    "↙": "/",
    "↖": "\\",
    "│": "|",
    "─": "-",
    "├": "+",
    "└": "`",
    "┌": "+",
    "┐": "+",
    "┘": "+",
    "·": ".",
    "×": "x",
    "●": "*",
    "○": "o",
    "✓": "ok",
    "✗": "x",
    "“": '"',
    "”": '"',
    "’": "'",
    "‘": "'",
    "≤": "<=",
    "≥": ">=",
}


def can_show(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def to_ascii(text: str, encoding: str) -> str:
    """The text in this encoding: what it lacks as the nearest ASCII, letters without their accents."""
    out = []
    for char in text:
        try:
            char.encode(encoding)
            out.append(char)
            continue
        except (UnicodeError, LookupError):
            pass
        plain = ASCII.get(char)
        if plain is None:
            plain = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii()) or "?"
        out.append(plain)
    return "".join(out)


def wide(text: str) -> int:
    """Columns that a terminal gives to a text."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def fit(text: str, width: int) -> str:
    """The text in exactly so many columns: cut, or filled up."""
    kept = ""
    for char in text:
        if wide(kept) + wide(char) > width:
            break
        kept += char
    return kept + " " * (width - wide(kept))


class Progress(Protocol):
    """Told of progress in units out of a total, or in words."""

    def advance(self, done: int) -> None: ...

    def say(self, text: str) -> None: ...


class _NoProgress:
    def advance(self, done: int) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class _PlainProgress:
    """One line on a terminal's stderr, rewritten in place."""

    def __init__(self, stream: TextIO, what: str, total: int | None) -> None:
        self.stream = stream
        self.what = what
        self.total = total

    def _show(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self.stream.write("\r" + fit(text, width))
        self.stream.flush()

    def advance(self, done: int) -> None:
        self._show(f"{self.what}: {done:,}" + (f" of {self.total:,}" if self.total else ""))

    def say(self, text: str) -> None:
        self._show(text)

    def clear(self) -> None:
        self._show("")
        self.stream.write("\r")
        self.stream.flush()


class _RichProgress:
    def __init__(self, progress: Any, task: Any) -> None:
        self.progress = progress
        self.task = task

    def advance(self, done: int) -> None:
        self.progress.update(self.task, completed=done)

    def say(self, text: str) -> None:
        self.progress.update(self.task, description=text.replace("[", r"\["))


class Console:
    """Where the output goes and what it may contain."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        plain: bool = False,
        color: bool | None = None,
    ) -> None:
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self.terminal = _is_terminal(self.out)
        self.plain = plain
        wanted = self.terminal and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
        self.color = (wanted if color is None else color) and not plain
        self.unicode = can_show(self.out, "↗│…●") and not plain
        self.err_color = (
            _is_terminal(self.err)
            and not plain
            and color is not False
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    @property
    def width(self) -> int:
        """Columns of the terminal; a fixed width in pipes, so that output does not depend on who reads it."""
        return shutil.get_terminal_size().columns if self.terminal else 100

    @property
    def height(self) -> int:
        """Lines of the terminal; no limit in pipes."""
        return shutil.get_terminal_size().lines if self.terminal else 1_000_000

    # ---- text

    def style(self, name: str, text: str) -> str:
        """The text in a named style, or as a raw colour code."""
        code = STYLES.get(name, name)
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text

    def print(self, text: str = "") -> None:
        self._write(self.out, text + "\n")

    def json(self, value: object) -> None:
        """A value for programs: ASCII only, so that no encoding can spoil it."""
        self._write(self.out, json.dumps(value, indent=2) + "\n")

    def note(self, text: str) -> None:
        """For the person in front: on stderr, out of the way of pipes."""
        self._write(self.err, text + "\n")

    def error(self, message: str, hint: str | None = None) -> None:
        word = "\x1b[1;31mgrognard:\x1b[0m" if self.err_color else "grognard:"
        self._write(self.err, f"{word} {message}\n")
        if hint:
            word = "\x1b[32mhint:\x1b[0m" if self.err_color else "hint:"
            self._write(self.err, f"  {word} {hint}\n")

    def _write(self, stream: TextIO, text: str) -> None:
        if not text.isascii() and not can_show(stream, text):
            text = to_ascii(text, getattr(stream, "encoding", None) or "ascii")
        stream.write(text)

    # ---- tables

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
    ) -> None:
        """Rows under their heads; `right` are the columns of figures."""
        if self.color and self._rich_table(heads, rows, right):
            return
        columns = len(heads)
        widths = [max([wide(heads[n]), *(wide(row[n]) for row in rows)]) for n in range(columns)]
        for number, row in enumerate((heads, *rows)):
            parts = []
            for n in range(columns):
                room = " " * (widths[n] - wide(row[n]))
                parts.append(room + row[n] if n in right else row[n] + room)
            self.print("  ".join(parts).rstrip())
            if number == 0:
                self.print("  ".join("-" * width for width in widths))

    def _rich_table(self, heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> bool:
        try:
            from rich.box import SIMPLE_HEAD
            from rich.console import Console as RichConsole
            from rich.table import Table
            from rich.text import Text
        except ImportError:
            return False
        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for n, head in enumerate(heads):
            table.add_column(Text(head), justify="right" if n in right else "left", overflow="fold")
        for row in rows:
            # Cells may be styled already.
            table.add_row(*(Text.from_ansi(cell) for cell in row))
        RichConsole(file=self.out, highlight=False, width=self.width).print(table)
        return True

    # ---- progress

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Progress]:
        """Shows that something is going on, on stderr and only in terminals."""
        if not _is_terminal(self.err):
            yield _NoProgress()
            return
        if self.plain or not self.err_color:
            line = _PlainProgress(self.err, what, total)
            try:
                yield line
            finally:
                line.clear()
            return
        try:
            from rich.console import Console as RichConsole
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
            )
            from rich.progress import Progress as RichBar
        except ImportError:
            line = _PlainProgress(self.err, what, total)
            try:
                yield line
            finally:
                line.clear()
            return
        columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}")]
        if total is not None:
            columns += [BarColumn(), MofNCompleteColumn()]
        columns.append(TimeElapsedColumn())
        with RichBar(*columns, console=RichConsole(file=self.err), transient=True) as bar:
            yield _RichProgress(bar, bar.add_task(what, total=total))


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def seconds(time: float) -> str:
    """A length of time for people."""
    if time < 0.0995:
        return f"{time * 1000:.0f} ms"
    if time < 100:
        return f"{time:.1f} s"
    return f"{int(time) // 60} min {int(time) % 60} s"


def length_in_words(actions: float, answers: float) -> str:
    """How long games are; titles whose orders are forms complete no actions."""
    return (f"{actions:.1f} plies and " if actions else "") + f"{answers:.1f} answers"


def plural(number: int, word: str, many: str | None = None) -> str:
    return f"{number:,} {word if number == 1 else many or word + 's'}"
