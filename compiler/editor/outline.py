"""The outline of a rules file, what can be folded, and what later layers change, at the end of a heading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grognard.compiler.editor.names import Names, Place, Symbol
from grognard.compiler.editor.text import Chunk, rules_text

#: Words after which the name of a declaration stands.
_SORTS = {
    "add": "change",
    "replace": "change",
    "amend": "change",
    "required": "change",
    "exception": "change",
    "errata": "errata",
    "example": "example",
    "rule": "function",
    "modifiers": "function",
    "table": "table",
    "procedure": "function",
    "action": "function",
    "menu": "function",
    "movement": "function",
    "sight": "function",
    "arc": "function",
    "event": "event",
    "on": "event",
    "enum": "enum",
    "sequence": "sequence",
    "option": "option",
}


@dataclass(slots=True)
class Entry:
    """A line of the outline; lines count from 0, the end is inclusive."""

    name: str
    detail: str
    sort: str
    first: int
    last: int
    start: int
    end: int
    children: list[Entry] = field(default_factory=list)


def outline(text: str) -> list[Entry]:
    """The declarations of a file, with their fields, phases and steps."""
    rules = rules_text(text)
    return [_entry(rules.lines, chunk) for chunk in rules.chunks if chunk.words]


def _entry(lines: list[str], chunk: Chunk) -> Entry:
    heading = [w for w in chunk.code if w.line == chunk.first]
    sort = _SORTS.get(chunk.heading, "type")
    named = (
        next((w for w in heading[1:] if w.kind == "text"), None) if sort in ("example", "errata") else None
    )
    if sort == "change":
        names = [w.text for w in heading[1:] if w.kind == "name" and w.text not in ("to", "when")]
        shown = " ".join([chunk.heading, *names[:2]])
        named = heading[0]
    else:
        named = named or next((w for w in heading[1:] if w.kind == "name"), heading[0])
        shown = named.text.strip('"')
    cites = " ".join(w.text for w in heading if w.kind == "cite")
    made = Entry(
        shown, f"{chunk.heading} {cites}".strip(), sort, chunk.first, chunk.last - 1, named.start, named.end
    )
    made.children = list(_children(lines, chunk, sort))
    return made


def _children(lines: list[str], chunk: Chunk, sort: str) -> Iterator[Entry]:
    inside = [w for w in chunk.code if w.line > chunk.first]
    starts = {w.line: w for w in reversed(inside)}
    for number, word in enumerate(inside):
        after = inside[number + 1] if number + 1 < len(inside) else None
        if word.text in ("phase", "step") and starts[word.line] is word and after is not None:
            yield Entry(after.text, word.text, "phase", word.line, word.line, after.start, after.end)
        elif sort == "type" and word.kind == "name" and after is not None and after.text == ":":
            line = [w for w in inside if w.line == word.line and w.start < word.start]
            if not any(w.text in (":", "=") for w in line):
                detail = lines[word.line][after.end :].split("[")[0].split("#")[0].strip()
                yield Entry(word.text, detail, "field", word.line, word.line, word.start, word.end)


def folds(text: str) -> Iterator[tuple[int, int, str]]:
    """What can be folded: first and last line, and its sort (region or comment)."""
    lines = text.split("\n")
    opened: list[tuple[int, int]] = []
    last = -1
    comment = -1
    for number, line in enumerate([*lines, ""]):
        stripped = line.strip()
        if stripped.startswith("#"):
            comment = number if comment < 0 else comment
            continue
        if comment >= 0:
            if number - comment > 1:
                yield comment, number - 1, "comment"
            comment = -1
        if not stripped and number < len(lines):
            continue
        indent = len(line) - len(line.lstrip()) if stripped else -1
        while opened and opened[-1][0] >= indent:
            _, first = opened.pop()
            if last > first:
                yield first, last, "region"
        opened.append((indent, number))
        last = number if stripped else last


def inlays(names: Names, file: str, text: str) -> Iterator[tuple[int, int, str, str]]:
    """At the end of the heading of what later layers change: line, column, label, and all changes."""
    rules = rules_text(text)
    for chunk in rules.chunks:
        heading = [w for w in chunk.code if w.line == chunk.first]
        if len(heading) < 2 or chunk.heading in ("exception", "add", "amend", "replace", "errata", "example"):
            continue
        name = next((w.text for w in heading[1:] if w.kind == "name"), "")
        touches = [
            t
            for t in names.touched.get(name, ())
            if not (t.span.file == file and t.span.line == chunk.first + 1)
        ]
        if not touches or not _declares(names, name, Place(file, chunk.first, 0, 0)):
            continue
        words = [touch.words for touch in touches]
        label = words[0] if len(words) == 1 else f"{words[0]} and {len(words) - 1} more"
        listed = "\n".join(f"{t.words} [{', '.join(t.cites)}] {t.span.file}:{t.span.line}" for t in touches)
        yield chunk.first, len(rules.lines[chunk.first].rstrip()), f"  ← {label}", listed


def _declares(names: Names, name: str, place: Place) -> bool:
    for sort in ("callable", "type", "record"):
        found = names.declared(Symbol(sort, "", name))
        if found is not None:
            return (found.file, found.line) == (place.file, place.line)
    return False
