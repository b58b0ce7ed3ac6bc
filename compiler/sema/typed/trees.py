"""The typed trees of a title, each made when it is first asked for.  `check` ends with them, lowering begins with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grognard.compiler.sema.asking import asks, asks_anywhere
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.mark_owners import MarkOwners
from grognard.compiler.sema.narrowing import NarrowingMemo
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.kept_actions import KeptAction, keep_action, keep_name, offered
from grognard.compiler.sema.typed.modifiers import TypedModifiers, check_modifiers
from grognard.compiler.sema.typed.movements import TypedMovement, check_movement_clauses
from grognard.compiler.sema.typed.sights import TypedArc, TypedSight, check_arc, check_sight
from grognard.compiler.sema.typed.statements import check_body
from grognard.compiler.sema.types import (
    INT,
    Dom,
    Type,
    known_range,
    range_members,
    union_of,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span

#: For each table and axis: lo, hi, whether it clamps below and above.
Bounds = dict[int, list[tuple[int, int, bool, bool]]]


class Trees:
    """What the bodies of a title mean.  Mistakes in a body are told when its tree is made."""

    def __init__(self, symbols: Symbols, bounds: Bounds, places_known: bool, sink: Sink) -> None:
        self.symbols = symbols
        self.sink = sink
        #: places have the names that the map of the default scenario gives them
        self.places_known = places_known
        self.findings = Findings()
        self.narrowing = NarrowingMemo()
        #: what marks belong to, for those who ask what has held since
        self.mark_owners = MarkOwners()
        #: domains that bodies bring with them, numbered after those that are declared
        self.more_doms: list[Dom] = []
        self._unions: dict[str, Dom] = {}
        self._bounds = bounds
        self._bodies: dict[tuple[str, Span | None], t.Body] = {}
        self._lists: dict[str, TypedModifiers] = {}
        self._clauses: dict[str, TypedMovement] = {}
        self._sights: dict[str, TypedSight] = {}
        self._arcs: dict[str, TypedArc] = {}
        #: lists that are being checked
        self._in_check: set[str] = set()
        #: actions as they are offered under `keep`, by the name that they have there
        self._kept: dict[str, KeptAction] = {}
        self._offered_kept: list[t.Repeats] = []
        #: callables that nobody has written: kept actions and the trials of them
        self.made_up: dict[str, Callable_] = {}

    @property
    def makes(self) -> Trees:
        return self

    # ---------------------------------------------------------------------------------------------------- domains

    def range_dom(self, lo: int, hi: int) -> Dom:
        """The domain of the numbers lo..hi."""
        known = known_range((*self.symbols.doms, *self.more_doms), lo, hi)
        if known is None:
            known = self._new_dom(f"{lo}..{hi}", "range", None)
            known.range_lo, known.members = lo, range_members(lo, hi)
        return known

    def callable_dom(self, name: str, span: Span) -> Dom:
        """The domain of the names of callables of one type."""
        known = self.symbols.callable_types.get(name)
        return self._new_dom(name, "enum", span) if known is None else known

    def union_dom(self, name: str, parts: tuple[Dom, ...], span: Span) -> Dom:
        """Counters of several types, or places of several spaces."""
        known = self.symbols.unions.get(name) or self._unions.get(name)
        if known is None:
            known = self._unions[name] = union_of(name, parts, span)
        return known

    def _new_dom(self, name: str, sort: Any, span: Span | None) -> Dom:
        made = Dom(len(self.symbols.doms) + len(self.more_doms), name, sort, span)
        self.more_doms.append(made)
        return made

    # -------------------------------------------------------------------------------------------------- callables

    def callable(self, name: str) -> Callable_ | None:
        """A callable that is declared, or made up."""
        return self.symbols.callables.get(name) or self.made_up.get(name)

    def handlers_of(self, event: str) -> Sequence[Callable_]:
        return self.symbols.handlers_of.get(event, ())

    def asks(self, node: Any) -> bool:
        """Whether this very node can stop for a decision."""
        return asks(self.symbols, node, self.handlers_of)

    def asks_anywhere(self, node: Any) -> bool:
        return asks_anywhere(self.symbols, node, self.handlers_of)

    def table_bounds(self, table: int, axis: int) -> tuple[int, int, bool, bool] | None:
        axes = self._bounds.get(table)
        return axes[axis] if axes is not None and axis < len(axes) else None

    def result_type(self, entry: Callable_) -> Type:
        """The result's type; a modifiers list declared `int` has the interval that its entries span."""
        result = entry.result or INT
        if entry.sort == "modifiers" and result.sort == "int" and result == INT:
            # A list that needs its own value is reported elsewhere.
            return INT if entry.name in self._in_check else self.list_for(entry).interval
        return result

    def held_since(self, wish: syn.EverSince, of: Dom) -> None:
        """Something has held since a mark that belongs to such a one."""
        self.mark_owners.claim(wish, of)

    def mark_owner(self, mark: str, of: Type) -> Type:
        """What a mark belongs to; the first that it is made for says it."""
        return self.mark_owners.owner(mark, of)

    # ------------------------------------------------------------------------------------------------------ trees

    def body_for(self, entry: Callable_, exception: syn.ExceptionDecl | None) -> t.Body:
        """What a callable or an exception to it does."""
        key = entry.name, None if exception is None else exception.span
        if key not in self._bodies:
            self._bodies[key] = check_body(self, entry, exception, self.sink)
            self.check_kept()
        return self._bodies[key]

    def list_for(self, entry: Callable_) -> TypedModifiers:
        if entry.name not in self._lists:
            self._lists[entry.name] = self.new_list(entry, self.sink)
        return self._lists[entry.name]

    def new_list(self, entry: Callable_, sink: Sink) -> TypedModifiers:
        self._in_check.add(entry.name)
        made = check_modifiers(self, entry, sink)
        self._in_check.discard(entry.name)
        return made

    def clauses_for(self, entry: Callable_) -> TypedMovement:
        if entry.name not in self._clauses:
            self._clauses[entry.name] = check_movement_clauses(self, entry, self.sink)
        return self._clauses[entry.name]

    def sight_for(self, entry: Callable_) -> TypedSight:
        if entry.name not in self._sights:
            self._sights[entry.name] = check_sight(self, entry, self.sink)
        return self._sights[entry.name]

    def arc_for(self, entry: Callable_) -> TypedArc:
        if entry.name not in self._arcs:
            self._arcs[entry.name] = check_arc(self, entry, self.sink)
        return self._arcs[entry.name]

    # ----------------------------------------------------------------------------------------------- under `keep`

    def offers_kept(self, node: t.Repeats) -> None:
        """Actions are offered that must leave a condition true: checked when the body that offers them has been."""
        self._offered_kept.append(node)

    def check_kept(self) -> None:
        while self._offered_kept:
            node = self._offered_kept.pop()
            for entry in offered(node.menu):
                self.kept_action(node, entry)

    def kept_action(self, node: t.Repeats, entry: Callable_) -> KeptAction:
        """The action as it is offered there, with the trials of it."""
        known = self._kept.get(keep_name(node, entry))
        if known is None:
            known = keep_action(self, node, entry)
            self._kept[known.action.name] = known
            for made in (known.action, *known.trials):
                self.made_up[made.name] = made
            for made in (known.action, *known.trials):
                self.body_for(made, None)
        return known

    def is_kept(self, name: str) -> bool:
        """Whether the action is offered under `keep`, so that a trial has shown that it can be completed."""
        return name in self._kept

    def made_up_bodies(self) -> list[t.Body]:
        return [self.body_for(entry, None) for entry in self.made_up.values()]
