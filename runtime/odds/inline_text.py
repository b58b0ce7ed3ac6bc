"""Text that callers give, and where each of its lines came from: messages show what was written, not what was made of it."""

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
    """A line of what is made, and what was written for it: a line of `written`, from the column `at` of ours on."""

    text: str
    name: str
    written: str
    number: int = 1
    at: int = 1

    def place(self, span: Span) -> Span:
        """A stretch of this line where it was written."""
        length = len(self.written.splitlines()[self.number - 1])
        columns = [min(max(column - self.at + 1, 1), length + 1) for column in (span.column, span.end_column)]
        return Span(self.name, self.number, columns[0], self.number, columns[1])


def lines_of(text: str, name: str = TEXT_NAME) -> list[Line]:
    """The lines of a text that are not blank."""
    return [
        Line(line, name, text, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]


#: What a line of a declaration's body is indented by.
INDENT = "  "


def body(lines: Sequence[Line]) -> str:
    return "".join(f"{INDENT}{line.text}\n" for line in lines)


def refusal(sink: Sink, sources: dict[str, SourceFile], lines: Sequence[Line]) -> RulesetError:
    """The error for a declaration of one line whose body are these lines."""
    shown = {**sources, **sink.sources}
    shown.update({line.name: SourceFile.from_text(line.name, line.written) for line in lines})

    def moved(span: Span) -> Span:
        number = span.line - 2
        if span.file != TEXT_NAME or not 0 <= number < len(lines):
            return span
        within = replace(span, column=span.column - len(INDENT), end_column=span.end_column - len(INDENT))
        if span.end_line != span.line:
            within = replace(within, end_column=len(lines[number].text) + 1)
        return lines[number].place(within)

    def told(diagnostic: Diagnostic) -> Diagnostic:
        labels = tuple(Label(moved(label.span), label.text) for label in diagnostic.labels)
        span = None if diagnostic.span is None else moved(diagnostic.span)
        return replace(diagnostic, span=span, labels=labels)

    return RulesetError([told(diagnostic) for diagnostic in sink.sorted()], shown)
