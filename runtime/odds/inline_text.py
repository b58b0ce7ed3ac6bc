"""Inline text of callers, and the origin of each of its lines: diagnostics show the text as the caller wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grognard.contract.situations import TEXT_NAME
from grognard.errors import RulesetError
from grognard.support.diagnostics import (
    Diagnostic,
    Label,
    Sink,
)
from grognard.support.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Line:
    """A generated line and its origin: line `number` of the text `written`, which begins at column `at` of this line."""

    text: str
    name: str
    written: str
    number: int = 1
    at: int = 1

    def place(self, span: Span) -> Span:
        """The span in the original text that corresponds to a span of this line."""
        length = len(self.written.splitlines()[self.number - 1])
        columns = [min(max(column - self.at + 1, 1), length + 1) for column in (span.column, span.end_column)]
        return Span(self.name, self.number, columns[0], self.number, columns[1])


def lines_of(text: str, name: str = TEXT_NAME) -> list[Line]:
    """The non-blank lines of a text."""
    return [
        Line(line, name, text, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]


#: The indentation of a declaration's body.
INDENT = "  "


def body(lines: Sequence[Line]) -> str:
    return "".join(f"{INDENT}{line.text}\n" for line in lines)


def inline_error(sink: Sink, sources: dict[str, SourceFile], lines: Sequence[Line]) -> RulesetError:
    """The error of a declaration whose head is one line and whose body are these lines."""
    shown = {**sources, **sink.sources}
    shown.update({line.name: SourceFile.from_text(line.name, line.written) for line in lines})

    def transfer_cells(span: Span) -> Span:
        number = span.line - 2
        if span.file != TEXT_NAME or not 0 <= number < len(lines):
            return span
        within = replace(span, column=span.column - len(INDENT), end_column=span.end_column - len(INDENT))
        if span.end_line != span.line:
            within = replace(within, end_column=len(lines[number].text) + 1)
        return lines[number].place(within)

    def relocated(diagnostic: Diagnostic) -> Diagnostic:
        labels = tuple(Label(transfer_cells(label.span), label.text) for label in diagnostic.labels)
        span = None if diagnostic.span is None else transfer_cells(diagnostic.span)
        return replace(diagnostic, span=span, labels=labels)

    return RulesetError([relocated(diagnostic) for diagnostic in sink.sorted()], shown)
