"""Movements checked: where they start, what a step costs, where they stop and may not end, for each gait."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.checks.movements import MAX_LEAP, begins_at_counter, grown, ways_of
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import bind_variables, inside
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.types import INT, Dom, Type, dom_type, int_range
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span

Clauses = dict[str, list[syn.MoveClause]]


@dataclass(frozen=True, slots=True)
class TypedClause:
    written: syn.MoveClause
    condition: t.Typed | None
    value: t.Typed | None


@dataclass(frozen=True, slots=True)
class TypedWay:
    """A search: of a gait, or of the movement if it has none."""

    name: str
    clauses: tuple[syn.MoveClause, ...]
    #: nothing where there is no such clause
    start: t.Typed | None
    allowance: t.Typed | None
    #: a step: from where to where, and what was spent before
    origin: Variable
    onward: Variable
    spent: Variable
    never: tuple[TypedClause, ...]
    costs: tuple[TypedClause, ...]
    minimum: tuple[TypedClause, ...]
    stops: tuple[TypedClause, ...]
    never_ends: tuple[TypedClause, ...]

    @property
    def trees(self) -> tuple[t.Typed | None, ...]:
        """All that was checked."""
        clauses = (*self.never, *self.costs, *self.minimum, *self.stops, *self.never_ends)
        parts = [part for clause in clauses for part in (clause.condition, clause.value)]
        return (self.start, self.allowance, *parts)

    def has(self, sort: str) -> bool:
        return any(clause.sort == sort for clause in self.clauses)


@dataclass(frozen=True, slots=True)
class TypedMovement:
    params: tuple[Variable, ...]
    ways: tuple[TypedWay, ...]


def declared_movement(symbols: Symbols, entry: Callable_) -> tuple[syn.MovementDecl, Dom, int] | None:
    """The whole declaration, its space, and how far a leg goes; None where it is in error."""
    decl = grown(symbols, entry.decl)
    space = symbols.types.get(decl.space) if decl is not None else None
    if decl is None or space is None or space.sort != "place":
        return None
    leap = 1
    for clause in decl.clauses:
        if clause.sort == "step" and isinstance(clause.value, syn.Number):
            leap = clause.value.value if 1 <= clause.value.value <= MAX_LEAP else 1
    return decl, space, leap


def check_movement_clauses(around: Surroundings, entry: Callable_, sink: Sink) -> TypedMovement:
    check = Checker(around, inside(around.symbols, entry), sink)
    scope = Scope()
    params = bind_variables(scope, entry.params, entry.span)
    found = declared_movement(around.symbols, entry)
    if found is None:
        return TypedMovement(params, ())
    decl, space, _ = found
    ways = tuple(_way(check, entry, name, clauses, space, scope) for name, clauses in ways_of(entry, decl))
    return TypedMovement(params, ways)


def _way(
    check: Checker,
    entry: Callable_,
    name: str,
    clauses: tuple[syn.MoveClause, ...],
    space: Dom,
    scope: Scope,
) -> TypedWay:
    steps = [c for c in clauses if c.sort == "step"]
    names = steps[-1].names if steps else ("from", "to")
    by_sort: Clauses = {}
    for clause in clauses:
        by_sort.setdefault(clause.sort, []).append(clause)
    start = _simple(check, entry, "start", by_sort, dom_type(space, True), scope)
    allowance = _simple(check, entry, "allowance", by_sort, INT, scope)
    origin, onward = (Variable(each, dom_type(space)) for each in names)
    spent = Variable("spent", int_range(0, 100_000))
    step = _with(scope, (origin, onward, spent), entry.span)
    never: list[TypedClause] = []
    for clause in by_sort.get("never", ()):
        never.append(_clause(check, clause, step))
        assert clause.condition is not None
        step.narrowed.update(check.narrow(clause.condition, step, False))
    costs = tuple(_clause(check, clause, step) for clause in by_sort.get("costs", ()))
    minimum = tuple(_clause(check, clause, step) for clause in by_sort.get("minimum", ()))
    crossed = _with(scope, (origin, onward), entry.span)
    stops = tuple(_clause(check, clause, crossed) for clause in by_sort.get("stops", ()))
    there = _with(scope, (onward,), entry.span)
    ends = tuple(_clause(check, clause, there) for clause in by_sort.get("never_ends", ()))
    return TypedWay(
        name, clauses, start, allowance, origin, onward, spent, tuple(never), costs, minimum, stops, ends
    )


def _with(scope: Scope, variables: tuple[Variable, ...], span: Span) -> Scope:
    inner = scope.child()
    for variable in variables:
        inner.names[variable.name] = Binding(variable, False, span)
    return inner


def _clause(check: Checker, clause: syn.MoveClause, scope: Scope) -> TypedClause:
    condition: t.Typed | None = None
    inner = scope
    if clause.condition is not None:
        condition = check.condition(clause.condition, scope)
        if clause.sort == "costs":
            inner = scope.with_narrowed(check.narrow(clause.condition, scope, True))
    value: t.Typed | None = None
    if clause.sort == "costs":
        assert clause.value is not None
        value = check.checked(clause.value, inner, Type("int", optional=True))
    return TypedClause(clause, condition, value)


def _simple(
    check: Checker, entry: Callable_, sort: str, by_sort: Clauses, want: Type, scope: Scope
) -> t.Typed | None:
    clause = by_sort[sort][-1] if sort in by_sort else None
    if clause is not None and clause.value is not None:
        return check.checked(clause.value, scope, want)
    if sort == "start" and begins_at_counter(entry):
        # The default start is the place of the first parameter, a counter.
        path = syn.Dot(syn.Name(entry.params[0][0], entry.span), "at", entry.span, entry.span)
        return check.checked(path, scope, want)
    return None
