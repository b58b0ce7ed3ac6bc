"""Who decides, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Holder(Typed):
    """The seat that something belongs to."""

    value: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Jointly:
    """Several seats that decide together, and the one that does where they disagree."""

    seats: Typed
    otherwise: Typed


Decider: TypeAlias = Typed | Jointly


@dataclass(slots=True, eq=False)
class Question:
    """What is asked: the name of the choice, its text, and the names that are shown in it."""

    name: str
    label: str
    shown: tuple[tuple[str, Typed], ...]
