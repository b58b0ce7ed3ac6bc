"""Lines of a broken file: their brackets, and their text without comments."""

from __future__ import annotations

import re

from grognard.support.diagnostics import Label, Sink
from grognard.support.source import SourceFile, Span


def report_brackets(source: SourceFile, start: int, chunk: str, sink: Sink) -> bool:
    """Report a bracket that is not closed, or closed by the wrong one; whether there is one.  lark would stop much later."""
    stack: list[tuple[str, int, int]] = []
    pairs = {")": "(", "}": "{"}
    for number, line in enumerate(chunk.split("\n"), start):
        plain = blanked(line)
        if re.match(r'[^|"#]*\|', plain) and not stack:
            continue  # a table row: its cells are texts
        for column, char in enumerate(plain, 1):
            if char in "({":
                stack.append((char, number, column))
            elif char in ")}":
                if not stack:
                    sink.error(
                        "GR0104",
                        span_at(source, number, column, 1),
                        f"`{char}` closes nothing",
                        hint="one too many?",
                    )
                    return True
                opened, at_line, at_column = stack.pop()
                if pairs[char] != opened:
                    closes = ")" if opened == "(" else "}"
                    sink.error(
                        "GR0104",
                        span_at(source, number, column, 1),
                        f"`{opened}` is closed by `{char}`",
                        labels=(Label(span_at(source, at_line, at_column, 1), "opened here"),),
                        hint=f"write `{closes}`",
                    )
                    return True
    if stack:
        opened, line_number, column = stack[-1]
        closes = ")" if opened == "(" else "}"
        sink.error(
            "GR0104",
            span_at(source, line_number, column, 1),
            f"this `{opened}` is never closed",
            hint=f"a `{closes}` is missing after it",
        )
        return True
    return False


def open_brackets(text: str) -> int:
    """How many brackets a text opens and does not close."""
    plain = "\n".join(blanked(line) for line in text.split("\n") if "|" not in line)
    return sum(plain.count(c) for c in "({") - sum(plain.count(c) for c in ")}")


def blanked(line: str) -> str:
    """The line with texts, citations and comments replaced by blanks.  Columns stay."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match.group())

    return re.sub(r'"[^"]*"?|#.*|\[[^\]]*\]?', blank, line)


def rest_of_line(source: SourceFile, line: int) -> Span:
    """The line without its indentation and comment."""
    text = blanked(source.line(line)).rstrip() or source.line(line)
    start = len(text) - len(text.lstrip()) + 1
    return Span(source.path, line, start, line, max(start + 1, len(text) + 1))


def span_at(source: SourceFile, line: int, column: int, length: int) -> Span:
    return Span(source.path, line, column, line, column + length)
