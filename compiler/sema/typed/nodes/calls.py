"""Rules, tables, movements and verbs of the map, and values of other times."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.types import FieldInfo
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class RuleCall(Typed):
    entry: Callable_
    args: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class NamedRule(Typed):
    """The rule that data names: the field, and the call of each rule it may be, the last first."""

    tag: Typed
    calls: tuple[tuple[int, Typed], ...]


@dataclass(slots=True, eq=False)
class TableCell(Typed):
    entry: Callable_
    args: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class MovementUse:
    """A movement with its arguments."""

    entry: Callable_
    args: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class Reach(Typed):
    use: MovementUse


@dataclass(slots=True, eq=False)
class CostTo(Typed):
    use: MovementUse
    goal: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Path(Typed):
    use: MovementUse
    goal: Typed


@dataclass(slots=True, eq=False)
class MapVerb(Typed):
    """A verb of the map: by its name in the language, and in the IR."""

    name: str
    verb: str
    args: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class AsOf(Typed):
    mark: str
    value: Typed


@dataclass(slots=True, eq=False)
class Latest(Typed):
    value: Typed
    info: FieldInfo


@dataclass(slots=True, eq=False)
class AtBest(Typed):
    entry: Callable_
    args: tuple[Typed, ...]
    enough: int | None
    span: Span


@dataclass(slots=True, eq=False)
class EverSince(Typed):
    """A condition that has held since a mark: with the names that it depends on."""

    wish: syn.EverSince
    given: tuple[tuple[str, Variable], ...]
    #: the names in the condition itself, and what it is for these
    params: tuple[Variable, ...]
    condition: Typed
