"""Diagnostics: values that the passes collect, and the one place that turns them into text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from grognard.support.source import SourceFile, Span
from grognard.support.withheld import QUOTED, Withheld

MAX_SHOWN = 200
# Limit of the memory for duplicates.  Beyond it they are counted again, among diagnostics that are not shown.
_MAX_SEEN = 100_000
_EXCERPT_WIDTH = 100
_MAX_TEXT = 2_000
# Fewer equal messages are shown one by one, each with its excerpt.
_MIN_GROUPED = 4
_PLACES_LISTED = 8


class Severity(Enum):
    """How bad it is: an error stops the build, a warning does not, a note only informs."""

    error = "error"
    warning = "warning"
    note = "note"


@dataclass(frozen=True)
class Label:
    """A second place that matters, with a few words on why."""

    span: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """A message to the author.  `span` is None for what has no place, such as a missing file."""

    code: str
    severity: Severity
    message: str
    span: Span | None
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    notes: tuple[str, ...] = ()


class Sink(Withheld):
    """Collects diagnostics, without exact duplicates and never more than `MAX_SHOWN` of them.

    `sources` holds the files read so far by their shown path, for the excerpts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, SourceFile] = {}
        self._shown: list[Diagnostic] = []
        self._seen: set[int] = set()
        self._blamed: set[int] = set()
        self._dropped = 0
        self._has_errors = False
        self._only_errors = False

    def share(self, other: Sink) -> None:
        """Know the sources of another sink, and what it withholds."""
        self.sources, self.muted = other.sources, other.muted
        self.spoilt, self.unread = other.spoilt, other.unread

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        hint: str | None = None,
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
    ) -> None:
        self.add(Diagnostic(code, Severity.error, message, span, tuple(labels), hint, tuple(notes)))

    def warning(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        hint: str | None = None,
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
    ) -> None:
        self.add(Diagnostic(code, Severity.warning, message, span, tuple(labels), hint, tuple(notes)))

    def note(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        hint: str | None = None,
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
    ) -> None:
        self.add(Diagnostic(code, Severity.note, message, span, tuple(labels), hint, tuple(notes)))

    def add(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic made elsewhere, for instance one from a cache."""
        # Imported here: a run without diagnostics does not need the texts of the codes.
        from grognard.support.codes import CODES

        assert diagnostic.code in CODES, f"unregistered code {diagnostic.code}"
        is_error = diagnostic.severity is Severity.error
        if self.withholds(diagnostic):
            return
        self._has_errors |= is_error
        diagnostic = self._narrowed(diagnostic)
        key = hash(diagnostic)  # the hash alone, to save memory
        if key in self._seen or (is_error and self._follows(diagnostic)):
            return
        if len(self._seen) < _MAX_SEEN:
            self._seen.add(key)
        if self.full:
            self._dropped += 1
            if not is_error or not self._drop_lesser():
                return
        self._shown.append(diagnostic)

    def _follows(self, diagnostic: Diagnostic) -> bool:
        """Whether another error is reported for the same word at the same place."""
        word = next((name or text for name, text in QUOTED.findall(diagnostic.message)), "")
        if diagnostic.span is None or not word or not diagnostic.span.file.endswith(".grog"):
            return False
        key = hash((diagnostic.span, word))
        if key in self._blamed:
            return True
        if len(self._blamed) < _MAX_SEEN:
            self._blamed.add(key)
        return False

    def _narrowed(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with its spans narrowed to the first word that the message quotes.

        A declaration spans its heading and a statement its line; the error is usually in one word of it, which the caret
        should show.
        """
        words = [name or text for name, text in QUOTED.findall(diagnostic.message)]
        if not words or diagnostic.code.startswith("GR01"):
            return diagnostic
        if diagnostic.span is not None and not diagnostic.span.file.endswith(".grog"):
            return diagnostic  # in YAML each value has its own span
        if " has no " in diagnostic.message:
            words.reverse()  # "`weather` has no value `snow`": the last is the one that is wrong
        span, labels = diagnostic.span, diagnostic.labels
        if span is not None:
            span = next((at for word in words if (at := self.at(span, word)) != span), span)
        labels = tuple(
            replace(
                label,
                span=next((at for w in words if (at := self.at(label.span, w)) != label.span), label.span),
            )
            for label in labels
        )
        return replace(diagnostic, span=span, labels=labels)

    def at(self, span: Span, word: str) -> Span:
        """The place of a word or a quoted text within a span of one line; the span itself if it is not there."""
        source = self.sources.get(span.file)
        if source is None or not word or span.end_line != span.line:
            return span
        text = source.line(span.line)[span.column - 1 : span.end_column - 1]
        found = re.search(rf'"{re.escape(word)}"|(?<!\w){re.escape(word)}(?!\w)', text)
        if found is None:
            return span
        column = span.column + found.start()
        return Span(span.file, span.line, column, span.line, column + len(found.group()))

    def _drop_lesser(self) -> bool:
        """Drop the latest warning or note, so that an error is shown instead."""
        if not self._only_errors:
            for index in range(len(self._shown) - 1, -1, -1):
                if self._shown[index].severity is not Severity.error:
                    del self._shown[index]
                    return True
            self._only_errors = True
        return False

    def withdraw(self, unwanted: Callable[[Diagnostic], bool]) -> None:
        """Remove diagnostics that only follow from others.  `has_errors` does not change."""
        self._shown = [diagnostic for diagnostic in self._shown if not unwanted(diagnostic)]

    @property
    def has_errors(self) -> bool:
        return self._has_errors

    @property
    def full(self) -> bool:
        """Nothing more will be shown but errors in place of lesser messages; costly checks may stop."""
        return len(self._shown) >= MAX_SHOWN

    @property
    def total(self) -> int:
        """How many were reported, shown or not."""
        return len(self._shown) + self._dropped

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.sorted())

    def sorted(self) -> list[Diagnostic]:
        """What has no place; what cannot be read, since others may follow from it; the rest by file, line and column;
        at the end, how many are not shown."""
        result = sorted(self._shown, key=_order)
        if self._dropped:
            result.append(Diagnostic("GR0000", Severity.note, f"{self._dropped:,} more not shown", None))
        return result


_RANK = {Severity.error: 0, Severity.warning: 1, Severity.note: 2}


#: The code of what is no YAML: nothing of such a file is known.
NO_YAML = "GR0601"
#: Codes of what is not the language: nothing is known of a declaration that cannot be read.
UNREAD = "GR01"


def _order(diagnostic: Diagnostic) -> tuple[bool, str, int, int, int, str, str]:
    span = diagnostic.span
    file, line, column = (span.file, span.line, span.column) if span else ("", 0, 0)
    later = span is not None and diagnostic.code != NO_YAML and not diagnostic.code.startswith(UNREAD)
    return later, file, line, column, _RANK[diagnostic.severity], diagnostic.code, diagnostic.message


def summary(diags: Iterable[Diagnostic]) -> str:
    """The count by severity: "3 errors, 1 warning"."""
    severities = [diagnostic.severity for diagnostic in diags if diagnostic.code != "GR0000"]
    counts = [(severities.count(severity), severity.value) for severity in Severity]
    return ", ".join(f"{n:,} {word}{'s' * (n != 1)}" for n, word in counts if n) or "no problems"


# ------------------------------------------------------------------------------------------------------- JSON


def format_json(diags: Iterable[Diagnostic]) -> str:
    """A JSON list for editors and scripts; the keys and their order are part of the interface."""
    return json.dumps([_as_object(diagnostic) for diagnostic in diags], indent=2)


def _as_object(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "hint": diagnostic.hint,
        "labels": [{**_place(label.span), "text": label.text} for label in diagnostic.labels],
        "notes": list(diagnostic.notes),
    }


def _place(span: Span | None) -> dict[str, object]:
    return {
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
    }


# ------------------------------------------------------------------------------------------------------- text


@dataclass(frozen=True)
class _Mark:
    """A stretch of one line to underline: columns from 1, the end exclusive."""

    line: int
    start: int
    end: int
    primary: bool
    text: str


class _Style:
    """Wraps text in terminal colours, or leaves it alone."""

    _CODES = {  # noqa: RUF012 (a constant table)
        "error": "1;31",
        "warning": "1;33",
        "note": "1;36",
        "frame": "34",
        "label": "36",
        "hint": "32",
        "bold": "1",
    }

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{self._CODES[style]}m{text}\x1b[0m" if self.color and text else text


def format_text(diags: Iterable[Diagnostic], sources: Mapping[str, SourceFile], color: bool) -> str:
    """Diagnostics for a person: message, place, excerpt with carets, labels, hint. Ends with a newline."""
    style = _Style(color)
    return "\n".join(_format_one(diagnostic, sources, style) for diagnostic in _grouped(diags))


def _grouped(diags: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Group equal messages into one that lists the other places: a misspelt declaration is reported at each use."""
    groups: dict[Hashable, list[Diagnostic]] = {}
    for diagnostic in (diags := list(diags)):
        groups.setdefault(_group_key(diagnostic), []).append(diagnostic)
    result: list[Diagnostic] = []
    for diagnostic in diags:
        first, *others = groups[_group_key(diagnostic)]
        if len(others) + 1 < _MIN_GROUPED:
            result.append(diagnostic)
        elif diagnostic is first:
            listed = ", ".join(str(other.span) for other in others[:_PLACES_LISTED])
            if len(others) > _PLACES_LISTED:
                listed += f" and {len(others) - _PLACES_LISTED:,} more"
            note = f"the same at {len(others):,} other places: {listed}"
            result.append(replace(first, notes=(*first.notes, note)))
    return result


def _group_key(diagnostic: Diagnostic) -> Hashable:
    """Equal for equal messages at different places.  A message without a place or with labels stays alone."""
    if diagnostic.span is None or diagnostic.labels:
        return diagnostic
    return diagnostic.code, diagnostic.message, diagnostic.hint


def _format_one(diagnostic: Diagnostic, sources: Mapping[str, SourceFile], style: _Style) -> str:
    kind = diagnostic.severity.value
    lines = [style(kind, f"{kind}[{diagnostic.code}]") + style("bold", f": {_clean(diagnostic.message)}")]
    files = _marks_by_file(diagnostic, sources)
    widest = max((mark.line for marks in files.values() for mark in marks), default=1)
    if diagnostic.span is not None:
        widest = max(widest, diagnostic.span.line)
    gutter = " " * len(str(widest))

    places = {label.span.file: label.span for label in reversed(diagnostic.labels)}
    if diagnostic.span is not None:
        places[diagnostic.span.file] = diagnostic.span
    for file, marks in files.items():
        first = diagnostic.span is not None and file == diagnostic.span.file
        arrow = "-->" if first else ":::"
        lines.append(f"{gutter}{style('frame', arrow)} {_clean(str(places[file]))}")
        if marks:
            lines.append(style("frame", f"{gutter} |"))
            lines.extend(_excerpt(sources[file], marks, gutter, kind, style))
    extras = [("note", note) for note in diagnostic.notes]
    if diagnostic.hint is not None:
        extras.append(("hint", diagnostic.hint))
    if extras and any(files.values()):
        lines.append(style("frame", f"{gutter} |"))
    for word, text in extras:
        lines.append(f"{gutter} {style('frame', '=')} {style('hint', word + ':')} {_clean(text)}")
    return "\n".join(lines) + "\n"


def _marks_by_file(diagnostic: Diagnostic, sources: Mapping[str, SourceFile]) -> dict[str, list[_Mark]]:
    """What to underline in which file, the diagnostic's own file first."""
    files: dict[str, list[_Mark]] = {}
    primary = diagnostic.span
    own = [label.text for label in diagnostic.labels if label.span == primary]
    if primary is not None:
        files[primary.file] = list(_marks(primary, sources, True, "; ".join(own)))
    for label in diagnostic.labels:
        if label.span != primary:
            files.setdefault(label.span.file, []).extend(_marks(label.span, sources, False, label.text))
    return files


def _marks(span: Span, sources: Mapping[str, SourceFile], primary: bool, text: str) -> Iterator[_Mark]:
    """The first and the last line of a span; what lies between them explains itself."""
    source = sources.get(span.file)
    if source is None or not 1 <= span.line <= source.line_count:
        return
    last, end = span.end_line, span.end_column
    if last > source.line_count:
        last, end = source.line_count, len(source.line(source.line_count)) + 1
    # A block's span often runs up to the next token; the blank stretch at its end is not worth showing.
    while last > span.line and not source.line(last)[: end - 1].strip():
        last -= 1
        end = len(source.line(last)) + 1
    if last <= span.line:
        yield _Mark(span.line, span.column, max(end, span.column + 1), primary, text)
        return
    content = source.line(span.line)
    yield _Mark(span.line, span.column, max(len(content), span.column) + 1, primary, "")
    content = source.line(last)
    indent = len(content) - len(content.lstrip()) + 1
    yield _Mark(last, indent, end, primary, text)


def _excerpt(source: SourceFile, marks: list[_Mark], gutter: str, kind: str, style: _Style) -> Iterator[str]:
    """The marked lines with their numbers, each mark underlined on a line of its own."""
    by_line: dict[int, list[_Mark]] = {}
    for mark in sorted(marks, key=lambda m: (m.line, not m.primary, m.start, m.end)):
        by_line.setdefault(mark.line, []).append(mark)
    previous: int | None = None
    for number, here in by_line.items():
        if previous is not None and number > previous + 1:
            yield style("frame", "...")
        previous = number
        window: _Window | None = None
        for mark in here:
            if window is None or not window.shows(mark):
                window = _Window(source.line(number), mark)
                shown = f"{number:>{len(gutter)}} |"
                yield f"{style('frame', shown)} {window.text}".rstrip()
            underline = style(kind if mark.primary else "label", window.underline(mark))
            yield f"{style('frame', gutter + ' |')} {underline}"


class _Window:
    """The part of a line that fits the screen, chosen around a mark."""

    def __init__(self, line: str, mark: _Mark) -> None:
        self.first, self.last = 0, len(line)
        # Characters without width could make a narrow line endless, so their number is bounded too.
        if len(line) > 2 * _EXCERPT_WIDTH or _width(line) > _EXCERPT_WIDTH:
            self._fit(line, mark)
        self.cut_left = self.first > 0
        self.cut_right = self.last < len(line)
        self.cells = [_visible(c) for c in line[self.first : self.last]]
        self.text = "…" * self.cut_left + "".join(self.cells) + "…" * self.cut_right

    def _fit(self, line: str, mark: _Mark) -> None:
        """Half of the room that the mark leaves goes to its left, the rest to its right, then what is left over."""
        room = _EXCERPT_WIDTH - 2  # for the dots on either side
        start = min(max(mark.start - 1, 0), len(line))
        marked = _width(line[start : max(mark.end - 1, start)][:_EXCERPT_WIDTH])
        left = max(room - marked, room // 4) // 2
        self.first = self._leftward(line, start, left)
        used = _width(line[self.first : start])
        self.last = start
        most = min(len(line), self.first + 2 * _EXCERPT_WIDTH)
        while self.last < most and used + _width(line[self.last]) <= room:
            used += _width(line[self.last])
            self.last += 1
        if self.last == len(line):
            self.first = self._leftward(line, self.first, room - used)

    @staticmethod
    def _leftward(line: str, index: int, room: int) -> int:
        lowest = max(0, index - _EXCERPT_WIDTH)
        while index > lowest and _width(line[index - 1]) <= room:
            index -= 1
            room -= _width(line[index])
        return index

    def shows(self, mark: _Mark) -> bool:
        """Whether the mark begins in the window, or after a line that is wholly in it."""
        start = mark.start - 1
        return self.first <= start and (start < self.last or not self.cut_right)

    def underline(self, mark: _Mark) -> str:
        start = min(max(mark.start - 1, self.first), self.last) - self.first
        end = min(mark.end - 1, self.last) - self.first
        before = self.cut_left + _width("".join(self.cells[:start]))
        length = max(1, _width("".join(self.cells[start:end])))
        text = _clean(mark.text)
        return (" " * before + ("^" if mark.primary else "-") * length + " " + text).rstrip()


def _width(text: str) -> int:
    """Columns that a terminal gives to a text."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def _visible(char: str) -> str:
    """A character as it may be shown: nothing that moves the cursor, hides or reorders the text."""
    if char == "\t":
        return " "
    if char.isprintable():
        return char
    return "�"


def _clean(text: str) -> str:
    """A message in one line: names in it come from the ruleset and may contain anything."""
    if len(text) > _MAX_TEXT:
        text = text[:_MAX_TEXT] + "…"
    return "".join(_visible(" " if c == "\n" else c) for c in text)
