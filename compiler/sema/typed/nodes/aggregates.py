"""Aggregates, and what they run over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.types import Dom, Type
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class OverDomain:
    dom: Dom
    span: Span


@dataclass(slots=True, eq=False)
class OverNumbers:
    low: Typed
    high: Typed


@dataclass(slots=True, eq=False)
class OverItems:
    items: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class OverVerb:
    name: str
    verb: str
    args: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class OverGroup:
    """The members of a set, or the entries of a list."""

    group: Typed


Source: TypeAlias = OverDomain | OverNumbers | OverItems | OverVerb | OverGroup


@dataclass(slots=True, eq=False)
class Aggregate(Typed):
    """`value` is what is summed, made, tested or ranked by."""

    op: str
    source: Source
    variable: Variable
    where: Typed | None
    value: Typed | None
    span: Span
    #: the operation of the IR, where it is another
    does: str = ""


@dataclass(slots=True, eq=False)
class Asked:
    """One side of `matched`: what it runs over, and where each of them can be."""

    source: Source
    variable: Variable
    places: Typed


@dataclass(slots=True, eq=False)
class Matched(Typed):
    guests: Asked
    hosts: Asked
    room: Typed | None
    span: Span


@dataclass(slots=True, eq=False)
class AsSet(Typed):
    """All that a verb of the map runs over, as a set."""

    source: Source
    element: Type
