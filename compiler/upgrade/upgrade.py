"""Rules and examples in the language as it was, rewritten to the language as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.syntax.from_text.pieces import cut
from grognard.compiler.upgrade.break_lines import broken
from grognard.compiler.upgrade.parsers import FIRST_VERSION, LATEST, Unreadable, tree_of_declaration
from grognard.compiler.upgrade.rewrite import rewritten
from grognard.contract.upgrades import Problem
from lark import Tree

_NEITHER = "this can be read neither as it was written before nor as it is written now"
_CHANGED = "rewritten, this could not be read any more; it is left as it is"


@dataclass(slots=True)
class Upgraded:
    text: str
    problems: list[Problem] = field(default_factory=list)


def upgrade_text(text: str, file: str, own: frozenset[str], width: int | None) -> Upgraded:
    """The text of a file with each of its declarations rewritten; what stands between them stays as it is."""
    made = Upgraded("")
    parts: list[str] = []
    for line, chunk, is_code in _parts(text):
        if not is_code:
            parts.append(broken(chunk, width) if width else chunk)
            continue
        try:
            parts.append(_declaration(chunk, own, width))
        except Unreadable as error:
            parts.append(chunk)
            message = _NEITHER if error.line else _CHANGED
            made.problems.append(Problem(file, line + max(1, error.line) - 1, error.column, message))
    made.text = "".join(parts)
    return made


def _parts(text: str) -> Iterator[tuple[int, str, bool]]:
    """The declarations of a text and what is between them: (number of the first line, text, whether it is one)."""
    lines = text.split("\n")
    done = 0
    for start, chunk in ((piece.line, piece.text) for piece in cut(text)):
        count = chunk.count("\n")
        if start - 1 > done:
            yield done + 1, "\n".join(lines[done : start - 1]) + "\n", False
        done = start - 1 + count
        # The last line of a file may lack its line break.
        yield start, chunk if done < len(lines) else chunk[:-1], True
    if done < len(lines):
        yield done + 1, "\n".join(lines[done:]), False


def _declaration(chunk: str, own: frozenset[str], width: int | None) -> str:
    text = chunk if chunk.endswith("\n") else chunk + "\n"
    try:
        new = rewritten(text, tree_of_declaration(text, FIRST_VERSION), own)
    except Unreadable as error:
        try:
            new = rewritten(text, tree_of_declaration(text, LATEST), own)
        except Unreadable as other:
            raise max(error, other, key=lambda e: (e.line, e.column)) from None
    if new != text:
        _readable(new)
    if width is not None:
        shorter = broken(new, width)
        if shorter != new and _same(shorter, new):
            new = shorter
    return new if chunk.endswith("\n") else new[:-1]


def _readable(text: str) -> None:
    try:
        tree_of_declaration(text, LATEST)
    except Unreadable as error:
        raise Unreadable(0, 1) from error


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same, wherever their lines end."""
    try:
        return _shape(tree_of_declaration(one, LATEST)) == _shape(tree_of_declaration(other, LATEST))
    except Unreadable:
        return False


def _shape(tree: Tree) -> list[Any]:
    made: list[Any] = [tree.data]
    for child in tree.children:
        if isinstance(child, Tree):
            made.append(_shape(child))
        elif child.type not in ("_NL", "_INDENT", "_DEDENT"):
            made.append("," if child.type == "_COMMA" else str(child))
    return made
