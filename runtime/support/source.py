"""Source files and places in them.

Rulesets come from strangers: reading one must neither leave its folder, nor block, nor take unbounded time or
memory, nor raise. Everything that is wrong with a file becomes a diagnostic.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from grognard.support.pickling import add_fast_pickling
from grognard.support.suggest import did_you_mean

if TYPE_CHECKING:
    from grognard.support.diagnostics import Sink

MAX_RULES_BYTES = 4 * 1024 * 1024
MAX_YAML_BYTES = 32 * 1024 * 1024
MAX_LINES = 1_000_000
MAX_LINE_LENGTH = 100_000
MAX_BRACKETS = 100
MAX_INDENTS = 60
MAX_OPERATORS = 250

# Enough neighbours for a good guess at a misspelt name, few enough for a folder of any size.
_MAX_NEIGHBOURS = 10_000


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a source file, as shown to the user.

    Lines and columns count from 1, columns in characters; `end_column` is the column after the last character,
    so a span with equal ends is the point before its first character. Spans order by file, then by place.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @staticmethod
    def merge(a: Span, b: Span) -> Span:
        """The smallest span that covers both; `a` alone if they lie in different files."""
        if a.file != b.file:
            return a
        start = min((a.line, a.column), (b.line, b.column))
        end = max((a.end_line, a.end_column), (b.end_line, b.end_column))
        return Span(a.file, *start, *end)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class SourceFile:
    """The text of one file: without a byte order mark, every line ended by a bare newline."""

    path: str
    """The path as shown to the user."""
    absolute: Path
    text: str = field(repr=False)
    sha256: str
    """Of the bytes on disk, in hexadecimal."""
    _starts: array[int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", _line_starts(self.text))

    @classmethod
    def from_text(cls, path: str, text: str, absolute: Path | None = None) -> SourceFile:
        """A source that does not come from a file: tests, editors' buffers, the command line."""
        raw = text.encode("utf-8", "surrogatepass")
        return cls(path, absolute or Path(path), _plain_newlines(text), hashlib.sha256(raw).hexdigest())

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its newline; empty outside the file."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end]

    def position(self, index: int) -> tuple[int, int]:
        """Line and column of the character at `index` (from 0) of the text; the end is a place too."""
        index = min(max(index, 0), len(self.text))
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span of `text[start:end]`."""
        return Span(self.path, *self.position(start), *self.position(max(start, end)))


def load_source(
    path: str | os.PathLike[str],
    root: str | os.PathLike[str],
    sink: Sink,
    *,
    shown: str | None = None,
    at: Span | None = None,
) -> SourceFile | None:
    """Read the file `path`, relative to `root`, or say in `sink` why not and return None.

    `shown` is the path to display instead of the one relative to the root; `at` is the place that named the
    file, where complaints about its absence belong. Whatever could be read is entered into `sink.sources`,
    broken or not, so that diagnostics can show an excerpt.
    """
    found = _locate(os.fspath(path), os.path.realpath(root), sink, shown, at)
    if found is None:
        return None
    name, absolute = found
    data = _read(name, absolute, sink, at)
    if data is None:
        return None
    return _decode(name, absolute, data, sink)


def source_of_text(name: str, absolute: Path, text: str, sink: Sink) -> SourceFile | None:
    """A text that stands in for a file, such as an editor's buffer, within the limits of files."""
    data = text.encode("utf-8", "surrogatepass")
    most = MAX_YAML_BYTES if name.endswith((".yaml", ".yml")) else MAX_RULES_BYTES
    if len(data) > most:
        sink.error("GR0006", None, f"`{name}` has more than {most:,} bytes")
        return None
    return _decode(name, absolute, data, sink)


def nesting_ok(source: SourceFile, sink: Sink) -> bool:
    """Reject rules nested so deeply that the passes over their tree would run out of stack.

    One linear scan that knows strings, comments and table rows. It bounds brackets, indentation and the
    operators of one expression, since `not not not ...` and `a + a + ...` make deep trees without a bracket.
    """
    operators = [0]  # on the way to the current place, for each bracket that is open
    total = 0
    in_row = False
    indents = [0]
    for token in _NESTING.finditer(source.text):
        kind = token.lastgroup
        if kind == "open":
            operators.append(0)
            if len(operators) - 1 > MAX_BRACKETS:
                return _too_deep(source, sink, token, f"brackets are nested more than {MAX_BRACKETS} deep")
        elif kind == "operator":
            operators[-1] += 1
            total += 1
            if total > MAX_OPERATORS:
                return _too_deep(
                    source, sink, token, f"an expression has more than {MAX_OPERATORS} operators"
                )
        elif kind == "comma":
            total -= operators[-1]
            operators[-1] = 0
        elif kind == "close":
            if len(operators) > 1:
                total -= operators.pop()
        elif kind == "bar":
            # Cells are parsed one by one, and a bracket in a cell of plain text need not be closed.
            in_row, operators, total = True, [0], 0
        elif kind == "newline":
            if in_row:
                in_row, operators = False, [0]
            if len(operators) > 1:
                continue
            operators, total = [0], 0
            width = len(token["indent"])
            while indents[-1] > width:
                indents.pop()
            if width > indents[-1]:
                indents.append(width)
            if len(indents) - 1 > MAX_INDENTS:
                return _too_deep(source, sink, token, f"blocks are nested more than {MAX_INDENTS} deep")
    return True


_NESTING = re.compile(
    r"""
      (?P<skip>    "[^"\n]*"? | \#[^\n]* )
    | (?P<newline> \n (?P<indent>\ *) (?=[^\s#]) )
    | (?P<open>    [(\[{] )
    | (?P<close>   [)\]}] )
    | (?P<comma>   [,;] )
    | (?P<bar>     \| )
    | (?P<word>    (?!(?:and|or|not|if|else)\b) [^\W\d]\w* )
    | (?P<operator> and\b | or\b | not\b | if\b | else\b | [-+*/] | \.(?=[^\W\d]) )
    """,
    re.VERBOSE,
)


def _too_deep(source: SourceFile, sink: Sink, token: re.Match[str], message: str) -> bool:
    place = token.end() if token.lastgroup == "newline" else token.start()
    sink.error(
        "GR0010",
        source.span(place, place + 1),
        message,
        hint="name a part of it in a rule or procedure of its own",
    )
    return False


# ---------------------------------------------------------------------------------------------- finding a file


def _locate(path: str, root: str, sink: Sink, shown: str | None, at: Span | None) -> tuple[str, Path] | None:
    """The path to show and the real path of a file beneath the root."""
    given = path.replace(os.sep, "/")
    windows = PureWindowsPath(given)
    if given.startswith("/") or windows.drive or windows.root:
        sink.error(
            "GR0003",
            at,
            f"`{path}` is an absolute path",
            hint="write the path as seen from the folder of the ruleset",
        )
        return None
    parts: list[str] = []
    for part in PurePosixPath(given).parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            sink.error("GR0003", at, f"`{path}` leads out of the folder of the ruleset")
            return None
    name = shown if shown is not None else "/".join(parts) or "."
    try:
        real = os.path.realpath(os.path.join(root, *parts))
    except (OSError, ValueError, RuntimeError) as problem:
        sink.error("GR0002", at, f"cannot open `{name}`: {_reason(problem)}")
        return None
    if real != root and not real.startswith(root.rstrip(os.sep) + os.sep):
        sink.error(
            "GR0003",
            at,
            f"`{name}` is a link that leads out of the folder of the ruleset",
            hint="put a copy of the file into the ruleset",
        )
        return None
    return name, Path(real)


def _read(name: str, absolute: Path, sink: Sink, at: Span | None) -> bytes | None:
    """The bytes of a regular file, never more than its kind may have."""
    yaml = name.lower().endswith((".yaml", ".yml"))
    limit = MAX_YAML_BYTES if yaml else MAX_RULES_BYTES
    try:
        if stat.S_ISDIR(os.stat(absolute).st_mode):
            sink.error("GR0002", at, f"`{name}` is a folder, not a file")
            return None
        # Without O_NONBLOCK, opening a pipe would wait for ever.
        handle = os.open(absolute, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                sink.error("GR0002", at, f"`{name}` is not a regular file")
                return None
            # The size may be a lie (a file that grows, a virtual one), so the read is bounded as well.
            data = b"" if status.st_size > limit else file.read(limit + 1)
            if status.st_size > limit or len(data) > limit:
                sink.error(
                    "GR0006",
                    at,
                    f"`{name}` is larger than {limit // (1024 * 1024)} MiB",
                    hint="split it into several files",
                )
                return None
            return data
    except FileNotFoundError:
        _not_found(name, absolute, sink, at)
    except (OSError, ValueError) as problem:
        if getattr(problem, "errno", None) == errno.ENOTDIR:
            _not_found(name, absolute, sink, at)
        else:
            sink.error("GR0002", at, f"cannot read `{name}`: {_reason(problem)}")
    return None


def _not_found(name: str, absolute: Path, sink: Sink, at: Span | None) -> None:
    folder, _, last = name.rpartition("/")
    try:
        with os.scandir(absolute.parent) as entries:
            neighbours = [entry.name for entry in islice(entries, _MAX_NEIGHBOURS) if entry.is_file()]
    except (OSError, ValueError):
        sink.error("GR0001", at, f"there is no file `{name}`", hint=f"there is no folder `{folder}` either")
        return
    sink.error("GR0001", at, f"there is no file `{name}`", hint=_near_name(folder, last, neighbours))


def _near_name(folder: str, name: str, neighbours: list[str]) -> str | None:
    """Guess a file by its stem: most files of a folder share their extension, which says nothing."""
    stem = PurePosixPath(name).stem
    stems = {PurePosixPath(other).stem: other for other in sorted(neighbours, reverse=True)}
    guess = stem if stem in stems else did_you_mean(stem, stems)
    if guess is None:
        return None
    same_kind = guess + PurePosixPath(name).suffix
    found = same_kind if same_kind in neighbours else stems[guess]
    return f"did you mean `{folder}/{found}`?" if folder else f"did you mean `{found}`?"


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()


# ------------------------------------------------------------------------------------------ from bytes to text

# Directions, embeddings, overrides, isolates and marks: they make a line read differently from what it says.
DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Everything else that a terminal obeys instead of showing, and what only some programs take for a line's end.
CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
# A line of nothing but white space has no indentation to speak of.
_TABBED = re.compile(r"^ *\t(?=[ \t]*[^ \t\n])", re.MULTILINE)
_FORBIDDEN = (
    ("GR0009", DIRECTION, "an invisible character that changes the direction of the text", "delete it"),
    ("GR0012", CONTROL, "a control character", "delete it"),
    ("GR0008", _TABBED, "a tab in the indentation", "indent with spaces; most editors can convert tabs"),
)


def _decode(name: str, absolute: Path, data: bytes, sink: Sink) -> SourceFile | None:
    digest = hashlib.sha256(data).hexdigest()
    bad: int | None = None
    body = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as problem:
        # The good part before the bad byte decodes alike, so the place found in it holds in the excerpt too.
        bad = len(_plain_newlines(body[: problem.start].decode("utf-8")))
        text = body.decode("utf-8", "replace")
    text = _plain_newlines(text)
    if text.count("\n") >= MAX_LINES:
        sink.error("GR0006", None, f"`{name}` has more than {MAX_LINES:,} lines")
        return None
    source = SourceFile(name, absolute, text, digest)
    sink.sources[name] = source
    if bad is not None:
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        sink.error(
            "GR0004",
            source.span(bad, bad + 1),
            "this file is UTF-16, not UTF-8" if utf16 else "this byte is not valid UTF-8",
            hint="save the file with the encoding UTF-8",
        )
        return None
    return source if _text_ok(source, sink) else None


def _text_ok(source: SourceFile, sink: Sink) -> bool:
    """Report what no rules or data may contain: the first of each kind, with the number of the others."""
    text = source.text
    nul = text.find("\0")
    if nul >= 0:
        sink.error("GR0005", source.span(nul, nul + 1), "a NUL byte; this is not a text file")
        return False
    starts = source._starts
    for start, following in zip(starts, [*starts[1:], len(text) + 1]):
        if following - 1 - start > MAX_LINE_LENGTH:
            place = source.span(start + MAX_LINE_LENGTH, start + MAX_LINE_LENGTH + 1)
            message = f"this line has more than {MAX_LINE_LENGTH:,} characters"
            sink.error("GR0007", place, message, hint="break it into several lines")
            return False
    good = True
    for code, pattern, message, hint in _FORBIDDEN:
        first = pattern.search(text)
        if first is None:
            continue
        good = False
        index = first.end() - 1
        if code != "GR0008":
            message = f"{message} (U+{ord(text[index]):04X})"
        others = sum(1 for _ in pattern.finditer(text, first.end()))
        notes = (f"{others:,} more in this file",) if others else ()
        sink.error(code, source.span(index, index + 1), message, hint=hint, notes=notes)
    return good


def _plain_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _line_starts(text: str) -> array[int]:
    starts = array("L", [0])
    starts.extend(match.end() for match in re.finditer("\n", text))
    return starts


add_fast_pickling(Span, Span.__match_args__)
