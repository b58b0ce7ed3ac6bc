"""The C-level tree of a routine: statements between the IR and the text.

Printers (print/) make trees, passes (optimise/, and `mapped` here) change them, `rendered` makes lines of text of them.  Expressions
are texts from the start.  Nodes that only a pass can finish, because they depend on what other routines do, are replaced by lines
and blocks before anything is rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from grognard.contract import ir

INDENT = "    "

#: A board that several routines can share: the domain of the places, and what is asked of each.
BitboardKey: TypeAlias = tuple[int, tuple[ir.Expr, ...]]


@dataclass(frozen=True, slots=True)
class Line:
    """A statement on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """For people who read the source; the compiler is given none of it."""

    text: str


@dataclass(slots=True)
class Block:
    """Statements below a head such as `if x:`."""

    head: str
    body: list[Node]


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a routine.  What must be released first is known when the whole routine has been printed."""

    result: str
    #: whether the caller is given nothing
    plain: bool = False


@dataclass(slots=True)
class MakeBoard:
    """Lines that leave a board in a variable, for whoever does not find it made by another routine."""

    key: BitboardKey
    #: the function or machine that asks
    who: tuple[str, int]
    result: str
    body: list[Node]


@dataclass(frozen=True, slots=True)
class HeldBoard:
    """`result` becomes the board of the places whose cell of a field holds a constant."""

    field: int
    value: int
    result: str
    #: the kernel's functions that make it, or find the maintained one
    made: str
    maintained: str
    cells: str


@dataclass(frozen=True, slots=True)
class AnyHolds:
    """`result` becomes whether any cell of a field holds (or does not hold) a constant."""

    field: int
    value: int
    result: str
    cells: str


@dataclass(frozen=True, slots=True)
class Write:
    """A call that changes fields and says whether it did: what was kept of them is then invalid.

    `cell` is the start of the field and the place of the cell, where boards of a single field are maintained."""

    text: str
    fields: tuple[int, ...]
    cell: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Invalidate:
    """What was kept of these fields is invalid from here on."""

    fields: tuple[int, ...]


#: Nodes that a pass finishes.
Pending: TypeAlias = Exit | MakeBoard | HeldBoard | AnyHolds | Write | Invalidate
Node: TypeAlias = Line | Comment | Block | Pending


def lines(*texts: str) -> list[Node]:
    """Statements of a line each."""
    return [Line(text) for text in texts]


def mapped(nodes: Iterable[Node], finish: Callable[[Pending], Sequence[Node] | None]) -> list[Node]:
    """The tree with pending nodes replaced by what `finish` makes of them; None: it stays.  What is made is not looked at again, but what
    stands below a node is, first."""
    made: list[Node] = []
    for node in nodes:
        match node:
            case Line() | Comment():
                made.append(node)
            case Block(head=head, body=body):
                made.append(Block(head, mapped(body, finish)))
            case _:
                if isinstance(node, MakeBoard):
                    node = replace(node, body=mapped(node.body, finish))
                found = finish(node)
                made += [node] if found is None else found
    return made


def walked(nodes: Iterable[Node]) -> Iterator[Node]:
    """All nodes of a tree, from the top."""
    for node in nodes:
        yield node
        if isinstance(node, Block | MakeBoard):
            yield from walked(node.body)


def substituted(nodes: Iterable[Node], old: str, new: str) -> list[Node]:
    """The tree with one text in place of another, wherever it stands in a statement."""
    made: list[Node] = []
    for node in nodes:
        match node:
            case Line(text=text):
                made.append(Line(text.replace(old, new)))
            case Block(head=head, body=body):
                made.append(Block(head.replace(old, new), substituted(body, old, new)))
            case HeldBoard():
                changed = {
                    name: getattr(node, name).replace(old, new)
                    for name in ("result", "made", "maintained", "cells")
                }
                made.append(replace(node, **changed))
            case AnyHolds(result=result, cells=cells):
                made.append(replace(node, result=result.replace(old, new), cells=cells.replace(old, new)))
            case Comment():
                made.append(node)
            case _:
                raise AssertionError(f"no part of a template: {node!r}")
    return made


def without_comments(nodes: Iterable[Node]) -> list[Node]:
    """The tree that the compiler is given."""
    return [
        Block(node.head, without_comments(node.body)) if isinstance(node, Block) else node
        for node in nodes
        if not isinstance(node, Comment)
    ]


def line_count(nodes: Iterable[Node]) -> int:
    """Lines of a finished tree, without comments."""
    count = 0
    for node in nodes:
        if isinstance(node, Block):
            count += 1 + (line_count(node.body) or 1)
        elif not isinstance(node, Comment):
            count += 1
    return count


def rendered(nodes: Iterable[Node], depth: int = 1) -> Iterator[str]:
    """The lines of a finished tree.  A block that does nothing gets a `pass`."""
    for node in nodes:
        match node:
            case Line(text=text):
                yield INDENT * depth + text
            case Comment(text=text):
                yield f"{INDENT * depth}# {text}"
            case Block(head=head, body=body):
                yield INDENT * depth + head
                yield from rendered(body, depth + 1)
                if all(isinstance(part, Comment) for part in body):
                    yield f"{INDENT * (depth + 1)}pass"
            case _:
                raise AssertionError(f"not finished: {node!r}")
