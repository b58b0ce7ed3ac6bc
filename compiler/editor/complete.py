"""What can be written at a place: fields after a dot, members after `is`, sections in a citation, columns in YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grognard.compiler.driver.reference import keywords
from grognard.compiler.editor.hover import signature
from grognard.compiler.editor.meaning import Reader
from grognard.compiler.editor.names import Names
from grognard.compiler.editor.text import Chunk, rules_text
from grognard.compiler.editor.yaml_names import inside, path_at, start_of
from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS
from grognard.compiler.sema.types import Dom, Type
from grognard.compiler.syntax.from_text.error_words import DECLARATION_WORDS, STATEMENT_WORDS

#: More members of one domain than these are not listed before two letters are typed.
_MANY = 400


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to write; `rank` orders choices, the least first."""

    text: str
    kind: str  # field member function type variable keyword section value
    detail: str = ""
    rank: int = 5


def complete(names: Names | None, file: str, text: str, line: int, column: int) -> list[Choice]:
    """The choices at a place (counted from 0) of a text that need not be finished."""
    if not file.endswith(".grog"):
        return _unique(_yaml(names, file, text, line, column)) if names is not None else []
    return _unique(_rules(names, file, text, line, column))


def _unique(choices: Iterator[Choice]) -> list[Choice]:
    found: dict[str, Choice] = {}
    for choice in choices:
        if choice.text not in found or choice.rank < found[choice.text].rank:
            found[choice.text] = choice
    return sorted(found.values(), key=lambda choice: (choice.rank, choice.text))


def _rules(names: Names | None, file: str, text: str, line: int, column: int) -> Iterator[Choice]:
    rules = rules_text(text)
    here = rules.lines[line][:column] if line < len(rules.lines) else ""
    typed = re.search(r"[^\W\d]?\w*$", here)
    before = here[: typed.start()] if typed is not None else here
    if not before.strip() and not before:
        for word in DECLARATION_WORDS:
            yield Choice(word, "keyword", rank=2)
        return
    chunk = rules.chunk_at(line)
    if names is None or chunk is None:
        for word in keywords():
            yield Choice(word, "keyword")
        return
    if before.count("#") and '"' not in before:
        return
    if before.rfind("[") > before.rfind("]") and before.count('"') % 2 == 0:
        yield from _sections(names)
        return
    if before.count('"') % 2:
        return
    words = tuple(w for w in chunk.code if (w.line, w.end) <= (line, len(before)))
    reader = Reader(names, file, Chunk(chunk.first, line + 1, words))
    last = words[-1].text if words else ""
    if last == "." and before.endswith("."):
        yield from _after_dot(names, reader, len(words) - 2)
        return
    if last == "do" or (last == "offer" and before.rstrip().endswith(":")):
        yield from _callables(names, ("procedure",), 1)
        return
    offers = re.match(r"\s*(?:may\s+)?(?:offer\b.*:|\w+\s+(?:may|repeats)\b)", before)
    if offers or (chunk.heading == "menu" and line > chunk.first):
        yield from _callables(names, ("action", "menu"), 1)
        return
    if last in (":", "->", "of") and not _is_value(chunk, before):
        yield from _types(names, 2)
        return
    wanted = reader.wanted_at(len(words))
    if wanted is not None:
        yield from _members(wanted, 1, typed.group() if typed is not None else "")
        yield Choice("none", "value", rank=2)
    for name, meaning in reader.locals_at(len(words)).items():
        yield Choice(name, "variable", str(meaning.type), 2 if wanted is None else 3)
    if not before.strip():
        for word in STATEMENT_WORDS:
            yield Choice(word, "keyword", rank=3)
    yield from _callables(names, ("rule", "table", "modifiers", "sight", "arc", "movement"), 4)
    for name, info in names.world.globals.items():
        yield Choice(name, "field", str(info.type), 4)
    for name in names.world.options:
        yield Choice(name, "variable", "option", 4)
    for name, verb in VERBS.items():
        yield Choice(name, "function", verb.says, 6)
    for name, source in SOURCES.items():
        yield Choice(name, "function", source.says, 6)
    for name, builtin in BUILTINS.items():
        yield Choice(name, "function", builtin.says, 6)
    yield from _types(names, 6)
    for dom in names.world.doms:
        if dom.sort in ("enum", "side", "power", "kind", "direction") and len(dom.members) <= _MANY:
            yield from _members(dom, 7, "")
    for word in keywords():
        yield Choice(word, "keyword", rank=8)


def _is_value(chunk: Chunk, before: str) -> bool:
    """Whether a value stands behind the colon, and no type: in aggregates, policies, one-line bodies."""
    inner = before.rstrip()
    if inner.endswith(":"):
        opened = max(inner.rfind(f"{word}(") for word in ("set", "sum", "min", "max", "best"))
        return opened > inner.rfind(")") or bool(re.match(r"\s*(if|elif|else|for|while|repeat)\b", before))
    return inner.endswith("of") and bool(re.search(r"\b(half|as|odds)\s+of$", inner))


def _after_dot(names: Names, reader: Reader, end: int) -> Iterator[Choice]:
    base = reader.words[end].text if end >= 0 else ""
    if base in ("game", "scenario"):
        for name, known in names.world.globals.items():
            yield Choice(name, "field", str(known.type), 1)
        return
    dom = names.dom(base)
    if dom is not None and reader.local(base, end) is None:
        yield from _members(dom, 1, "")
        return
    for name, type_, info in names.fields_of(reader.postfix_type(end)):
        axes = f"({', '.join(axis.name for axis in info.axes)})" if info is not None and info.axes else ""
        yield Choice(name, "field", f"{axes}{': ' if axes else ''}{type_}", 1)


def _members(dom: Dom, rank: int, typed: str) -> Iterator[Choice]:
    if len(dom.members) > _MANY and len(typed) < 2:
        return
    for place, name in enumerate(dom.members):
        title = dom.titles[place] if place < len(dom.titles) else ""
        yield Choice(name, "member", title if title and title != name else dom.name, rank)
    for inner in dom.classes:
        yield from _members(inner, rank, typed)


def _callables(names: Names, sorts: tuple[str, ...], rank: int) -> Iterator[Choice]:
    for name, entry in names.world.callables.items():
        if entry.sort in sorts and name.isidentifier():
            yield Choice(name, "function", signature(entry), rank)


def _types(names: Names, rank: int) -> Iterator[Choice]:
    for name, dom in names.world.types.items():
        yield Choice(name, "type", dom.sort, rank)
    for name in [*names.world.records, *names.world.forms]:
        yield Choice(name, "type", "record", rank)
    for name in ("flag", "int", "set of"):
        yield Choice(name, "type", "", rank)


def _sections(names: Names) -> Iterator[Choice]:
    if names.rulebook is not None:
        for name, section in names.rulebook.sections.items():
            yield Choice(name, "section", section.title, 1)


# ------------------------------------------------------------------------------------------------------- YAML


def _yaml(names: Names, file: str, text: str, line: int, column: int) -> Iterator[Choice]:
    path, is_value = path_at(text.split("\n"), line, column)
    at = start_of(names, file)
    for key in path:
        at = inside(names, at, key)
    if is_value:
        yield from _values(at.value)
        return
    dom: Dom | None = at.row
    while dom is not None:
        for name, info in dom.fields.items():
            if name != "type":
                yield Choice(name, "field", str(info.type), 1)
        dom = dom.parent
    if at.axes:
        yield from _members(at.axes[0], 1, "")
    if at.rows is not None:
        yield from _members(at.rows, 3, "")
    if not path:
        for dom in names.world.doms:
            if dom.sort in ("kind", "power"):
                yield Choice(dom.name, "type", dom.sort, 2)
    if at.row is not None or at.rows is not None:
        yield Choice("name", "field", "what people read", 4)


def _values(type_: Type) -> Iterator[Choice]:
    if type_.sort == "flag":
        yield Choice("yes", "value", "", 1)
        yield Choice("no", "value", "", 1)
    if type_.dom is not None:
        yield from _members(type_.dom, 1, "")
    if type_.optional:
        yield Choice("NA", "value", "none", 2)
