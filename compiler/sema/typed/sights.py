"""Sights and arcs checked."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import bind_variables, inside
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.types import INT, Dom, Type, dom_type, int_range
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink


@dataclass(frozen=True, slots=True)
class TypedArc:
    params: tuple[Variable, ...]
    degrees: t.Typed
    facing: t.Typed
    origin: t.Typed
    #: the place that is asked about; nothing where the declaration is in error
    target: Variable | None


@dataclass(frozen=True, slots=True)
class TypedSightClause:
    written: syn.SightClause
    #: what the clause gives a name: a value, the hex or the hexside in question
    variable: Variable | None
    condition: t.Typed | None
    value: t.Typed | None


@dataclass(frozen=True, slots=True)
class TypedSight:
    params: tuple[Variable, ...]
    #: the two ends of the line; nothing where the declaration is in error
    ends: tuple[Variable, Variable] | None
    clauses: tuple[TypedSightClause, ...]


def space_of(symbols: Symbols, name: str) -> Dom | None:
    """The space of that name; None if there is none, which is reported before (sema/checks)."""
    dom = symbols.types.get(name)
    return dom if dom is not None and dom.sort == "place" else None


def check_arc(around: Surroundings, entry: Callable_, sink: Sink) -> TypedArc:
    decl: syn.ArcDecl = entry.decl
    check, scope = Checker(around, inside(around.symbols, entry), sink), Scope()
    params = bind_variables(scope, entry.params, entry.span)
    degrees = check.checked(decl.degrees, scope, int_range(60, 360))
    facing = check.value(decl.facing, scope)
    origin = check.value(decl.origin, scope)
    for value, sort, expr in ((facing, "direction", decl.facing), (origin, "place", decl.origin)):
        if value.type.sort != "unknown" and (value.type.dom is None or value.type.dom.sort != sort):
            sink.error("GR0301", expr.span, f"a {sort} is needed here, this is {value.type}")
    target = params[-1] if params else None
    place = target.type.dom if target is not None else None
    known = space_of(around.symbols, decl.space) is not None and place is not None and place.sort == "place"
    return TypedArc(params, degrees, facing, origin, target if known else None)


def check_sight(around: Surroundings, entry: Callable_, sink: Sink) -> TypedSight:
    """The first two place parameters are the ends of the line."""
    decl: syn.SightDecl = entry.decl
    check, scope = Checker(around, inside(around.symbols, entry), sink), Scope()
    params = bind_variables(scope, entry.params, entry.span)
    ends = [v for v in params if v.type.dom is not None and v.type.dom.sort == "place"][:2]
    space = space_of(around.symbols, decl.space)
    if space is None or len(ends) < 2:
        return TypedSight(params, None, ())
    made: dict[int, TypedSightClause] = {}
    # What has a name is known to all tests of hexes and hexsides.
    order = sorted(range(len(decl.clauses)), key=lambda n: decl.clauses[n].sort in _TESTS)
    for place in order:
        made[place] = _clause(check, decl.clauses[place], scope, ends[0].type.required(), space)
    clauses = tuple(made[place] for place in range(len(decl.clauses)))
    return TypedSight(params, (ends[0], ends[1]), clauses)


_TESTS = ("hex", "hinder", "hexside")


def _clause(
    check: Checker, clause: syn.SightClause, scope: Scope, hex_type: Type, space: Dom
) -> TypedSightClause:
    variable: Variable | None = None
    condition: t.Typed | None = None
    value: t.Typed | None = None
    inner = scope
    if clause.sort in _TESTS:
        assert clause.condition is not None
        edges = space.edges
        if clause.sort == "hexside":
            assert edges
            hex_type = dom_type(edges)
        variable = Variable(clause.name, hex_type)
        inner = scope.child()
        inner.names[clause.name] = Binding(variable, False, clause.span)
    match clause.sort:
        case "let":
            assert clause.value is not None
            value = check.value(clause.value, scope)
            variable = Variable(clause.name, value.type)
            scope.names[clause.name] = Binding(variable, False, clause.span)
        case "limit":
            assert clause.value is not None
            value = check.checked(clause.value, scope, INT)
        case "hinder":
            assert clause.value is not None
            value = check.checked(clause.value, inner, INT)
    if clause.sort in (*_TESTS, "ends"):
        assert clause.condition is not None
        condition = check.condition(clause.condition, inner)
    return TypedSightClause(clause, variable, condition, value)
