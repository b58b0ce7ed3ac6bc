"""Changes of the source text, to show what a mutant would look like if somebody had written it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grognard.compiler.syntax.lines import joined_lines
from grognard.contract.mutants import CUT
from grognard.support.source import SourceFile, Span

#: Lines of a longer statement that are shown.
MOST_LINES = 6


class Texts:
    """The files of a title, as the edits need them."""

    def __init__(self, sources: dict[str, SourceFile]) -> None:
        self._sources = sources
        self._starts: dict[str, list[int]] = {}
        self._heads: dict[str, list[int]] = {}

    def source(self, file: str) -> SourceFile | None:
        return self._sources.get(file)

    def at(self, file: str, line: int, column: int) -> int:
        """The index of a place in the text of its file."""
        starts = self._starts.get(file)
        if starts is None:
            starts = [0]
            for text in self._sources[file].text.split("\n"):
                starts.append(starts[-1] + len(text) + 1)
            self._starts[file] = starts
        return starts[min(line, len(starts)) - 1] + column - 1

    def ends(self, span: Span) -> tuple[int, int]:
        return self.at(span.file, span.line, span.column), self.at(span.file, span.end_line, span.end_column)

    def of(self, span: Span) -> str:
        start, end = self.ends(span)
        return self._sources[span.file].text[start:end]

    def replaced(
        self, file: str, start: int, end: int, new: str, brackets: Sequence[Span] = ()
    ) -> tuple[int, str, str]:
        """The line number, the lines around an edit before it, and after it, with brackets around some parts."""
        text = self._sources[file].text
        edits = [(start, end, new)]
        for span in brackets:
            opened, closed = self.ends(span)
            edits += [(opened, opened, "("), (closed, closed, ")")]
        edits.sort()
        line = text.count("\n", 0, edits[0][0]) + 1
        first, last = self._logical(file, line, text.count("\n", 0, max(edit[1] for edit in edits)) + 1)
        made, at = "", first
        for begin, stop, instead in edits:
            made += text[at:begin] + instead
            at = stop
        return line, text[first:last], made + text[at:last]

    def _logical(self, file: str, line: int, end: int) -> tuple[int, int]:
        """The ends of the text of these lines, with those that they go on from, and that go on from them."""
        heads = self._heads.get(file)
        if heads is None:
            heads = self._heads[file] = joined_lines(self._sources[file].text.split("\n"))
        while end < len(heads) and heads[end] == heads[end - 1]:
            end += 1
        stop = self.at(file, end + 1, 1) - 1
        return self.at(file, heads[line - 1] + 1, 1), stop

    def instead(self, span: Span, new: str) -> tuple[int, str, str]:
        start, end = self.ends(span)
        return self.replaced(span.file, start, end, new)

    def operator(
        self, left: Span, right: Span, words: str, new: str, brackets: Sequence[Span] = ()
    ) -> tuple[int, str, str] | None:
        """An edit of the operator between two operands; None if it is not found there."""
        if left.file != right.file:
            return None
        start, end = self.ends(left)[1], self.ends(right)[0]
        found = re.search(words, self._sources[left.file].text[start:end]) if start < end else None
        if found is None:
            return None
        return self.replaced(left.file, start + found.start(), start + found.end(), new, brackets)

    def behind(self, span: Span, words: str, new: str) -> tuple[int, str, str] | None:
        """An edit of a word that follows an operand on its line; None if it is not found there."""
        start, text = self.ends(span)[1], self._sources[span.file].text
        end = text.find("\n", start)
        found = re.search(words, text[start : end if end >= 0 else len(text)])
        if found is None:
            return None
        return self.replaced(span.file, start + found.start(), start + found.end(), new)

    def without(self, span: Span) -> tuple[int, str, str]:
        """The lines of a statement, and nothing."""
        lines = self._sources[span.file].text.split("\n")[span.line - 1 : span.end_line]
        shown = lines[:MOST_LINES] + ([CUT] if len(lines) > MOST_LINES else [])
        return span.line, "\n".join(shown), ""
