"""YAML with positions, for data from strangers.

The parser's events are put together here, without PyYAML's composer and constructors: those recurse with the
depth of the data, and can build objects. The tree is plain, frozen, and every node knows its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import yaml
from grognard.support.diagnostics import Label, Sink
from grognard.support.source import (
    CONTROL,
    DIRECTION,
    SourceFile,
    Span,
)
from grognard.support.suggest import as_hint, did_you_mean

MAX_NODES = 2_000_000
MAX_DEPTH = 60
MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class YScalar:
    """A single value. `text` is what the author wrote, for data in which `1010` or `no` is a name."""

    value: int | str | bool | None
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class YList:
    items: tuple[YNode, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class YEntry:
    key_span: Span
    value: YNode


@dataclass(frozen=True, slots=True)
class YMap:
    """Entries in the order of the file. Keys are always text, as written: `0101` stays `0101`."""

    entries: dict[str, YEntry]
    span: Span

    def get(self, key: str) -> YNode | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.value


YNode: TypeAlias = YScalar | YList | YMap


def load_yaml(source: SourceFile, sink: Sink, *, pure: bool = False) -> YNode | None:
    """The data of a file; None, with a diagnostic, if it cannot be understood at all.

    Lesser faults (a key given twice, a tag) are reported too, but leave a tree to go on checking. An empty file
    is a scalar without a value. `pure` avoids the C parser: it gives the same data more slowly, and may notice
    the faults of a broken file in another order.
    """
    bad = _UNPRINTABLE.search(source.text)
    if bad is not None:
        place = source.span(bad.start(), bad.end())
        sink.error("GR0601", place, f"YAML does not allow the character U+{ord(bad[0]):04X} here")
        return None
    # The parsers disagree on where a tab may stand, so that in data it counts as a space.
    text = source.text.replace("\t", " ")
    loader: Any = yaml.SafeLoader if pure else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(source, sink)
    try:
        for event in yaml.parse(text, Loader=loader):
            composer.take(event)
    except _GiveUp:
        return None
    except yaml.MarkedYAMLError as problem:
        _report_syntax(problem, source, sink)
        return None
    except (yaml.YAMLError, ValueError, OverflowError):
        # A strange escape or version number makes the pure parser stumble over Python's own limits.
        place = source.span(composer.reached, composer.reached + 1)
        sink.error("GR0601", place, "this is not valid YAML")
        return None
    return composer.root if composer.root is not None else YScalar(None, source.span(0, 0), "")


# ------------------------------------------------------------------------------------------ from events to nodes


class _GiveUp(Exception):
    """The rest of the file makes no sense or is too much; the diagnostic has been made."""


@dataclass(slots=True)
class _Frame:
    """A list or map that is still open."""

    is_map: bool
    flow: bool
    start: int
    end: int
    anchor: str | None
    size: int = 1
    height: int = 1
    items: list[YNode] = field(default_factory=list)
    entries: dict[str, YEntry] = field(default_factory=dict)
    key: str | None = None
    key_span: Span | None = None


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias brings: its node, how many nodes that is written out, and how deep they go."""

    node: YNode
    size: int
    height: int


class _Composer:
    """Takes parser events one by one; the open collections are a stack on the heap."""

    def __init__(self, source: SourceFile, sink: Sink) -> None:
        self.source = source
        self.sink = sink
        self.root: YNode | None = None
        self.reached = 0
        self._stack: list[_Frame] = []
        # None stands for an anchor whose node is still open.
        self._anchors: dict[str, _Anchored | None] = {}
        self._total = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        kind = type(event)
        self.reached = event.start_mark.index
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._open(event, kind is yaml.MappingStartEvent)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._close(event.end_mark.index)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                self._fail("GR0601", event, "a second document begins here", "delete the line with `---`")

    def _fail(self, code: str, event: Any, message: str, hint: str | None = None) -> NoReturn:
        start, end = event.start_mark.index, event.end_mark.index
        self.sink.error(code, self.source.span(start, max(end, start + 1)), message, hint=hint)
        raise _GiveUp

    def _count(self, nodes: int, event: Any) -> None:
        self._total += nodes
        if self._total > MAX_NODES:
            message = f"the data has more than {MAX_NODES:,} values, with its aliases written out"
            self._fail("GR0607", event, message)

    def _place(self, event: Any) -> tuple[Span, int]:
        """Where a scalar lies, and the index of its end.

        Parsers differ in where an empty value lies and count a block's last newline; both is settled by going
        back over white space. Apart from that their own lines and columns serve, which is faster than searching.
        """
        first, last, text = event.start_mark, event.end_mark, self.source.text
        start: int = first.index
        end: int = last.index
        if start < end and text[end - 1] not in " \t\n":
            return Span(
                self.source.path, first.line + 1, first.column + 1, last.line + 1, last.column + 1
            ), end
        while end > 0 and text[end - 1] in " \t\n":
            end -= 1
        return self.source.span(min(start, end), end), end

    def _wants_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_map and self._stack[-1].key is None

    def _scalar(self, event: Any) -> None:
        span, end = self._place(event)
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        plain = not event.style
        text: str = event.value
        if not plain and _HIDDEN.search(text):
            text = self._refuse_hidden(text, span)
        if self._wants_key():
            self._key(text, span, plain)
            return
        self._count(1, event)
        value = self._resolve(text, span) if plain else text
        self._add(YScalar(value, span, text), end, event.anchor, 1, 1)

    def _refuse_tag(self, tag: str, span: Span) -> None:
        hint = "delete it; the type comes from the declarations"
        self.sink.error("GR0601", span, f"tags such as `{tag}` are not supported", hint=hint)

    def _refuse_hidden(self, text: str, span: Span) -> str:
        for char in _HIDDEN.findall(text):
            if DIRECTION.match(char):
                code, what = "GR0009", "changes the direction of the text"
            else:
                code, what = "GR0012", "is a control character"
            self.sink.error(code, span, f"U+{ord(char):04X} in this text {what}", hint="delete it")
        return _HIDDEN.sub("\ufffd", text)

    def _key(self, text: str, span: Span, plain: bool) -> None:
        frame = self._stack[-1]
        if plain and text == "<<":
            hint = "write the entries out, or give them a name of their own"
            self.sink.error("GR0601", span, "merging maps with `<<` is not supported", hint=hint)
        elif plain and not text:
            self.sink.error("GR0601", span, "there is no key before this `:`")
        elif text in frame.entries:
            labels = [Label(frame.entries[text].key_span, "first given here")]
            self.sink.error("GR0606", span, f"the key `{text}` is given twice", labels=labels)
        frame.key, frame.key_span = text, span

    def _resolve(self, text: str, span: Span) -> int | str | bool | None:
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text) is None:
            return text
        if len(text) > MAX_DIGITS:
            self.sink.error("GR0605", span, f"this number has more than {MAX_DIGITS} digits")
            self.sink.spoilt.add(span)
            return 0
        return int(text)

    def _alias(self, event: Any) -> None:
        name: str = event.anchor
        if self._wants_key():
            self._fail("GR0601", event, "an alias cannot be a key", "write the key out")
        if name not in self._anchors:
            hint = as_hint(did_you_mean(name, self._anchors))
            self._fail("GR0601", event, f"there is no anchor `&{name}` before this place", hint)
        anchored = self._anchors[name]
        if anchored is None:
            self._fail("GR0607", event, f"`&{name}` contains itself")
        self._count(anchored.size, event)
        if len(self._stack) + anchored.height > MAX_DEPTH + 1:
            self._fail("GR0607", event, f"with its aliases the data nests more than {MAX_DEPTH} deep")
        self._add(anchored.node, event.end_mark.index, None, anchored.size, anchored.height)

    def _open(self, event: Any, is_map: bool) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if self._wants_key():
            self._fail("GR0601", event, "a key must be a single text", "put a text with brackets in quotes")
        if event.tag is not None:
            self._refuse_tag(event.tag, self.source.span(start, end))
        if len(self._stack) >= MAX_DEPTH:
            self._fail("GR0607", event, f"the data is nested more than {MAX_DEPTH} deep")
        self._count(1, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Frame(is_map, bool(event.flow_style), start, end, event.anchor))

    def _close(self, end: int) -> None:
        frame = self._stack.pop()
        # The end of a block is only noticed at the next token, lines later; its last value is the true end.
        end = end if frame.flow else frame.end
        span = self.source.span(frame.start, end)
        node: YNode = YMap(frame.entries, span) if frame.is_map else YList(tuple(frame.items), span)
        self._add(node, end, frame.anchor, frame.size, frame.height)

    def _add(self, node: YNode, end: int, anchor: str | None, size: int, height: int) -> None:
        """Put a finished node where it belongs; `size` and `height` are measured with all aliases written out."""
        if anchor is not None:
            self._anchors[anchor] = _Anchored(node, size, height)
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        frame.end = end
        frame.size += size
        frame.height = max(frame.height, height + 1)
        if not frame.is_map:
            frame.items.append(node)
        elif frame.key is not None and frame.key_span is not None:
            frame.entries.setdefault(frame.key, YEntry(frame.key_span, node))
            frame.key = frame.key_span = None


# What YAML 1.1 does not allow in a stream; besides, what the parsers treat differently: the line ends that only
# YAML knows, and a byte order mark in the middle.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]",
)
# Escapes in double quotes can bring in what a source may not contain; surrogates could not even be printed.
_HIDDEN = re.compile(f"{DIRECTION.pattern}|{CONTROL.pattern}|[\0\ud800-\udfff]")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_WORDS: dict[str, bool | None] = {"": None, "~": None}
for _value, _names in ((True, "true yes on"), (False, "false no off"), (None, "null")):
    for _name in _names.split():
        _WORDS |= {_name: _value, _name.capitalize(): _value, _name.upper(): _value}


# ------------------------------------------------------------------------------------------------ syntax errors

# What either parser may say, in context and problem; what it means to an author; what to do. First match wins.
_SYNTAX: tuple[tuple[str, str, str | None], ...] = (
    (
        "mapping values are not allowed",
        "a `:` where no key can be",
        "put a text that contains `: ` in quotes, and check the indentation",
    ),
    ("',' or ']'", "this list is not closed", "expected `,` or `]`"),
    ("',' or '}'", "this map is not closed", "expected `,` or `}`"),
    ("quoted scalar.*(end of stream|document separator)", "this quote is never closed", None),
    ("escape", "this escape is not known", "write `\\\\` for a backslash, or use single quotes"),
    ("could not find expected ':'", "this key has no `:` after it", "write `key: value`, all in one line"),
    ("entries are not allowed", "a `-` where no list can begin", "begin the list on a line of its own"),
    ("unexpected ':'", "a `:` without a space after it", "write `key: value`, or put the text in quotes"),
    ("node content", "a value is missing here", None),
    (
        "block collection",
        "this line does not continue the list",
        "begin it with `- `, or check the indentation",
    ),
    ("block mapping", "this line does not continue the map", "write `key: value`, or check the indentation"),
    (
        "anchor|alias",
        "this anchor or alias has no proper name",
        "put a text that begins with `&` or `*` in quotes",
    ),
    ("directive|incompatible|%", "this directive is not supported", "delete the line"),
    (
        "<document start>",
        "the data has ended before this line",
        "check the indentation and the lines with `...`",
    ),
)


def _report_syntax(problem: yaml.MarkedYAMLError, source: SourceFile, sink: Sink) -> None:
    """The parser's complaint in words that both parsers share, at the place that it names."""
    words = f"{problem.context or ''} {problem.problem or ''}"
    begins = problem.context_mark.index if problem.context_mark is not None else None
    place = problem.problem_mark.index if problem.problem_mark is not None else begins or 0
    text, hint = f"this is not valid YAML: {problem.problem or 'unknown problem'}", None
    if "cannot start any token" in words:
        text, hint = f"a value cannot begin with `{source.text[place : place + 1]}`", "put it in quotes"
    else:
        for pattern, message, advice in _SYNTAX:
            if re.search(pattern, words):
                text, hint = message, advice
                break
    labels = []
    if begins is not None and source.position(begins) < source.position(place):
        labels = [Label(source.span(begins, begins + 1), "it begins here")]
    sink.error("GR0601", source.span(place, place + 1), text, hint=hint, labels=labels)


# ------------------------------------------------------------------------------------------------------ helpers


def describe(node: YNode) -> str:
    """What a node is, for messages: "a list", "`yes`", "the number 7", "nothing"."""
    if isinstance(node, YMap):
        return "a map"
    if isinstance(node, YList):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return f"the number {node.value}"
    shown = node.text if len(node.text) <= 40 else node.text[:39] + "…"
    return f"`{shown}`"


def expect_map(node: YNode, sink: Sink, what: str) -> YMap | None:
    """The node as a map, or a GR0604 that `what` must be one. The same goes for the other `expect_...`."""
    if isinstance(node, YMap):
        return node
    _wrong_type(node, sink, what, "a map (`key: value`)")
    return None


def expect_list(node: YNode, sink: Sink, what: str) -> YList | None:
    if isinstance(node, YList):
        return node
    _wrong_type(node, sink, what, "a list (`[a, b]`, or lines with `- `)")
    return None


def expect_text(node: YNode, sink: Sink, what: str) -> str | None:
    """A single value as the author wrote it: names such as `88`, `0101` or `no` need no quotes."""
    if isinstance(node, YScalar) and node.value is not None:
        return node.text
    _wrong_type(node, sink, what, "a text")
    return None


def expect_int(
    node: YNode, sink: Sink, what: str, low: int | None = None, high: int | None = None
) -> int | None:
    """A whole number; outside `low..high` it is a GR0605."""
    if not isinstance(node, YScalar) or not isinstance(node.value, int) or isinstance(node.value, bool):
        _wrong_type(node, sink, what, "a whole number")
        return None
    value = node.value
    if (low is not None and value < low) or (high is not None and value > high):
        allowed = f"{'' if low is None else low}..{'' if high is None else high}"
        sink.error("GR0605", node.span, f"{what} must lie in {allowed}, not {value}")
        return None
    return value


def expect_flag(node: YNode, sink: Sink, what: str) -> bool | None:
    if isinstance(node, YScalar) and isinstance(node.value, bool):
        return node.value
    _wrong_type(node, sink, what, "`yes` or `no`")
    return None


def guess_key(key: str, known: Iterable[str], node: YMap, sink: Sink) -> str | None:
    """Which of the keys that are not given an unknown one stands for."""
    # Guessing is slow beside the rest, and not worth it for what will not be shown.
    return None if sink.full else did_you_mean(key, [name for name in known if name not in node.entries])


def check_keys(
    node: YMap, sink: Sink, what: str, *, required: Iterable[str] = (), optional: Iterable[str] = ()
) -> bool:
    """Whether a map has all the required keys and no unknown one; a GR0603 or GR0602 for each that is not so."""
    needed = list(required)
    known = [*needed, *optional]
    good = True
    meant: set[str | None] = set()
    for key, entry in node.entries.items():
        if key not in known:
            good = False
            guess = guess_key(key, known, node, sink)
            meant.add(guess)
            sink.error("GR0602", entry.key_span, f"{what} has no `{key}`", hint=as_hint(guess))
    for key in needed:
        if key not in node.entries:
            good = False
            # What is there under a misspelt name is not missing too.
            if key not in meant:
                sink.error("GR0603", node.span, f"{what} lacks `{key}`")
    return good


def _wrong_type(node: YNode, sink: Sink, what: str, wanted: str) -> None:
    sink.error("GR0604", node.span, f"{what} must be {wanted}, not {describe(node)}")
