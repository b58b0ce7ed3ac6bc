"""The declarations that cite a section, as their author wrote them, with the remark above each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grognard.contract.charts import Excerpt
from grognard.support.source import SourceFile, Span

#: An excerpt is cut off behind so many lines, and around the lines that cite the section.
LONGEST = 60
_ERRATA = re.compile(r'errata\s+"([^"]*)"')
_HEAD = re.compile(
    r'(?:(?:add to|replace|amend|required|each|exception)\s+)*([a-z_]+)\b\s*("[^"]*"|[\w.]+)?(?:\s+to\s+(\w+))?'
)


class Excerpts:
    """Cuts sources into declarations, each file once."""

    def __init__(self, sources: Mapping[str, SourceFile], title_folder: str) -> None:
        self.sources = sources
        #: the folder of the title within its series, as paths are shown; empty for a title that stands alone
        self.title_folder = title_folder
        self._blocks: dict[str, list[tuple[int, int, str]]] = {}

    def of(self, spans: Sequence[Span]) -> tuple[Excerpt, ...]:
        """The declarations around these places, each once, with the lines that were asked for."""
        found: dict[tuple[str, int], tuple[int, str, list[int]]] = {}
        for span in spans:
            block = self._around(span)
            if block is not None:
                first, last, erratum = block
                found.setdefault((span.file, first), (last, erratum, []))[2].append(span.line)
        return tuple(
            self._excerpt(file, first, last, erratum, sorted(set(lines)))
            for (file, first), (last, erratum, lines) in found.items()
        )

    def _around(self, span: Span) -> tuple[int, int, str] | None:
        if span.file not in self.sources or not span.file.endswith(".grog"):
            return None
        if span.file not in self._blocks:
            self._blocks[span.file] = _blocks(self.sources[span.file])
        return next((b for b in self._blocks[span.file] if b[0] <= span.line <= b[1]), None)

    def _excerpt(self, file: str, first: int, last: int, erratum: str, cited: list[int]) -> Excerpt:
        source = self.sources[file]
        shown = [*range(first, last + 1)]
        if len(shown) > LONGEST:
            near = {n for line in cited for n in range(line - 3, line + 4)}
            shown = [n for n in shown if n < first + 4 or n in near]
        start = _remark(source, first)
        lines = [source.line(n) for n in range(start, first)]
        marks = []
        before = first - 1
        for number in shown:
            if number != before + 1:
                lines.append("  ...")
            if number in cited:
                marks.append(len(lines) + 1)
            lines.append(source.line(number))
            before = number
        if before != last:
            lines.append("  ...")
        head = source.line(first).strip()
        sort, name = _named(head)
        return Excerpt(file, start, "\n".join(lines), sort, name, erratum or self._layer(file), tuple(marks))

    def _layer(self, file: str) -> str:
        return "title" if not self.title_folder or file.startswith(f"{self.title_folder}/") else "series"


def _blocks(source: SourceFile) -> list[tuple[int, int, str]]:
    """First and last line of each declaration, with the erratum that it stands in."""
    heads: list[tuple[int, str]] = []
    erratum, indent = "", 0
    for number in range(1, source.line_count + 1):
        line = source.line(number)
        text = line.lstrip()
        if not text or text.startswith("#"):
            continue
        width = len(line) - len(text)
        if width == 0:
            opened = _ERRATA.match(text)
            erratum, indent = (opened[1], 0) if opened else ("", 0)
            heads.append((number, erratum))
        elif erratum and (indent == 0 or width == indent) and not text.startswith(("|", "+", "=")):
            indent = width
            heads.append((number, erratum))
    ends = [
        _trimmed(source, heads[n + 1][0] - 1) if n + 1 < len(heads) else _trimmed(source, source.line_count)
        for n in range(len(heads))
    ]
    return [(first, max(first, last), name) for (first, name), last in zip(heads, ends)]


def _trimmed(source: SourceFile, last: int) -> int:
    """The last line before this one, itself included, that is neither empty nor a remark on what follows."""
    while last > 1 and (not source.line(last).strip() or source.line(last).lstrip().startswith("#")):
        last -= 1
    return last


def _remark(source: SourceFile, first: int) -> int:
    """The first line of the remark right above a declaration; rulers are none."""
    start = first
    while (
        start > 1 and source.line(start - 1).lstrip().startswith("#") and "----" not in source.line(start - 1)
    ):
        start -= 1
    return start


def _named(head: str) -> tuple[str, str]:
    if head.startswith("exception"):
        return "exception", head.partition(" to ")[2].split()[0] if " to " in head else ""
    found = _HEAD.match(head)
    if found is None:
        return "", ""
    return found[1], (found[2] or "").strip('"')
