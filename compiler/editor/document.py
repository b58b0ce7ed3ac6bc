"""A place in a file of a title: its word, and what that means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grognard.compiler.editor.meaning import Meaning, Reader
from grognard.compiler.editor.names import Names, Place, Symbol, words_named
from grognard.compiler.editor.text import Word, rules_text
from grognard.compiler.editor.yaml_names import names_in
from grognard.support.source import SourceFile


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place."""

    text: str
    place: Place
    meanings: list[Meaning]


def at(names: Names, source: SourceFile, line: int, column: int) -> Found | None:
    """The word at a place of a file, counted from 0, with its meanings."""
    if source.path.endswith(".grog"):
        return _in_rules(names, source, line, column)
    for named in names_in(names, source):
        span = named.span
        if span.line - 1 == line and span.column - 1 <= column <= span.end_column - 1:
            place = names.word_at(span, named.symbol.name)
            return Found(named.symbol.name, place, [Meaning(named.symbol, named.type)])
    return None


def _in_rules(names: Names, source: SourceFile, line: int, column: int) -> Found | None:
    text = rules_text(source.text)
    chunk, word = text.chunk_at(line), text.word_at(line, column)
    if chunk is None or word is None:
        return None
    if word.kind == "cite":
        return _citation(word, source.path, column)
    reader = Reader(names, source.path, chunk)
    number = reader.index(word)
    meanings = reader.meanings(number) if number is not None else []
    return Found(word.text, Place(source.path, line, word.start, word.end), meanings)


def _citation(word: Word, file: str, column: int) -> Found | None:
    start = word.start + 1
    for part in word.text[1:].rstrip("]").split(","):
        end = start + len(part)
        if start <= column <= end:
            name = part.strip()
            first = start + len(part) - len(part.lstrip())
            place = Place(file, word.line, first, first + len(name))
            return Found(name, place, [Meaning(Symbol("section", "", name))])
        start = end + 1
    return None


def references(names: Names, symbol: Symbol) -> Iterator[Place]:
    """Every place of a title that names a symbol, its declaration among them."""
    for path, source in sorted(names.sources.items()):
        if symbol.name not in source.text:
            continue
        if symbol.sort == "section":
            if path.endswith(".grog"):
                yield from _cited(source, symbol.name)
            continue
        if path.endswith(".grog"):
            if symbol.sort == "local" and not symbol.owner.startswith(f"{path}:"):
                continue
            yield from _in_file(names, source, symbol)
        elif symbol.sort != "local":
            for named in names_in(names, source):
                if named.symbol == symbol:
                    yield names.word_at(named.span, symbol.name)


def _in_file(names: Names, source: SourceFile, symbol: Symbol) -> Iterator[Place]:
    text = rules_text(source.text)
    for word in words_named(source, symbol.name):
        chunk = text.chunk_at(word.line)
        if chunk is None:
            continue
        reader = Reader(names, source.path, chunk)
        number = reader.index(word)
        if number is None:
            continue
        # A cell of a drawn table may hold more than the word.
        found = (
            reader.cell_meanings(number, symbol.name)
            if reader.words[number].kind == "cell"
            else reader.meanings(number)
        )
        if any(meaning.symbol == symbol for meaning in found):
            yield Place(source.path, word.line, word.start, word.start + len(symbol.name))


def _cited(source: SourceFile, name: str) -> Iterator[Place]:
    for chunk in rules_text(source.text).chunks:
        for word in chunk.words:
            if word.kind == "cite" and name in word.text:
                start = word.start + 1
                for part in word.text[1:].rstrip("]").split(","):
                    if part.strip() == name:
                        first = start + len(part) - len(part.lstrip())
                        yield Place(source.path, word.line, first, first + len(name))
                    start += len(part) + 1
