"""What each word of a rules file is, for editors that colour by meaning."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from grognard.compiler.driver.reference import keywords
from grognard.compiler.editor.names import Names
from grognard.compiler.editor.text import Word, rules_text
from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS

#: In the order of the protocol's legend.
LEGEND = (
    "keyword",
    "type",
    "function",
    "variable",
    "property",
    "enumMember",
    "string",
    "number",
    "comment",
    "decorator",
    "operator",
)
_KINDS = {"text": "string", "number": "number", "dice": "number", "comment": "comment", "cite": "decorator"}


@lru_cache(maxsize=1)
def _keywords() -> frozenset[str]:
    return frozenset((*keywords(), "me", "my", "none", "yes", "no"))


def colours(names: Names | None, text: str) -> Iterator[tuple[int, int, int, str]]:
    """Line, column, length and sort of each word that has a colour; in order."""
    rules = rules_text(text)
    covered = {number for chunk in rules.chunks for number in range(chunk.first, chunk.last)}
    found: list[tuple[int, int, int, str]] = []
    for number, line in enumerate(rules.lines):
        if number not in covered and line.lstrip().startswith("#"):
            start = len(line) - len(line.lstrip())
            found.append((number, start, len(line) - start, "comment"))
    for chunk in rules.chunks:
        before: Word | None = None
        for place, word in enumerate(chunk.words):
            after = chunk.words[place + 1] if place + 1 < len(chunk.words) else None
            sort = _sort(names, word, before, after)
            if sort is not None:
                found.append((word.line, word.start, len(word.text), sort))
            before = word
    yield from sorted(found)


def _sort(names: Names | None, word: Word, before: Word | None, after: Word | None) -> str | None:
    if word.kind in _KINDS:
        return _KINDS[word.kind]
    name = word.text
    if word.kind == "cell":
        known = names is not None and name in names.members
        return "enumMember" if known else "number" if name.lstrip("+-").isdigit() else None
    if word.kind != "name":
        return None
    if before is not None and before.text == ".":
        base = names is not None and name in names.members and name not in names.fields
        return "enumMember" if base else "property"
    called = after is not None and after.text == "(" and after.start == word.end
    if names is not None:
        world = names.world
        if name in world.types or name in world.records or name in world.forms or name in ("flag", "int"):
            return "type"
        if name in world.callables and (called or name not in _keywords()):
            return "function"
    if called and (name in VERBS or name in SOURCES or name in BUILTINS):
        return "function"
    if name in _keywords():
        return "keyword"
    if names is not None and name in names.members:
        return "enumMember"
    return "property" if names is not None and name in names.fields else "variable"
