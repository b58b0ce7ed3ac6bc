"""Operators and comparisons."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.types import Dom
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Not(Typed):
    value: Typed


@dataclass(slots=True, eq=False)
class Negative(Typed):
    value: Typed


@dataclass(slots=True, eq=False)
class Both(Typed):
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class Either(Typed):
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class Arithmetic(Typed):
    op: str
    left: Typed
    right: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Union(Typed):
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class Minus(Typed):
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class Widened(Typed):
    """A set of a class of places as a set of places of its space."""

    value: Typed


@dataclass(slots=True, eq=False)
class Picked(Typed):
    """One of two values, by a condition."""

    condition: Typed
    then: Typed
    otherwise: Typed


@dataclass(slots=True, eq=False)
class OrElse(Typed):
    value: Typed
    otherwise: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Empty(Typed):
    value: Typed
    negate: bool


@dataclass(slots=True, eq=False)
class Same(Typed):
    left: Typed
    right: Typed
    negate: bool


@dataclass(slots=True, eq=False)
class SameForm(Typed):
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class OfForm(Typed):
    """Whether a form is of a member, or none."""

    form: Typed
    member: Typed | None


@dataclass(slots=True, eq=False)
class Belongs(Typed):
    """Whether a value is of a type."""

    value: Typed
    dom: Dom


@dataclass(slots=True, eq=False)
class Compared(Typed):
    op: str
    left: Typed
    right: Typed


@dataclass(slots=True, eq=False)
class Within(Typed):
    value: Typed
    low: Typed
    high: Typed


@dataclass(slots=True, eq=False)
class OneOf(Typed):
    value: Typed
    items: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class InGroup(Typed):
    """Whether a value is in a set or list."""

    value: Typed
    group: Typed
