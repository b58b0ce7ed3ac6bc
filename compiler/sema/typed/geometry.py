"""Verbs of the map: distances, directions, neighbours; what can be reached and at what cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.builtins import VERBS
from grognard.compiler.sema.routes import route_type
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.rules import check_movement, how_many
from grognard.compiler.sema.types import FLAG, INT, UNKNOWN, Dom, Type, dom_type, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_verb(check: Checker, name: str, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    known = VERBS[name]
    made = check_verb_arguments(check, name, known.takes, expr, scope)
    if made is None:
        return t.Broken(UNKNOWN)
    optional = any(value.type.optional for value in made)
    space = space_meant(check, made)
    match known.answers:
        case "int":
            type_ = Type("int", 0, 9999, optional=optional)
        case "flag":
            type_ = FLAG
        case "turns":
            type_ = Type("int", 0, 4, optional=optional)
        case "arc":
            type_ = Type("int", 0, 2, optional=optional)
        case "place?":
            type_ = dom_type(space, True) if space else UNKNOWN
        case "edge?":
            type_ = dom_type(space.edges, True) if space and space.edges else UNKNOWN
        case _:
            assert check.symbols.direction
            type_ = dom_type(check.symbols.direction, optional or known.answers.endswith("?"))
    return t.MapVerb(type_, name, known.ir, tuple(made), expr.span)


def check_verb_arguments(
    check: Checker, name: str, sorts: tuple[str, ...], expr: syn.CallExpr, scope: Scope
) -> list[t.Typed] | None:
    if len(expr.args) != len(sorts):
        check.sink.error(
            "GR0302", expr.span, f"`{name}` takes {how_many(len(sorts))}, {len(expr.args)} given"
        )
        return None
    made: list[t.Typed] = []
    for sort, arg in zip(sorts, expr.args, strict=True):
        want: Type | None = None
        if sort == "dir" and check.symbols.direction:
            want = dom_type(check.symbols.direction, True)
        elif sort == "int":
            want = INT
        elif sort == "place" and len(check.symbols.spaces) == 1:
            want = dom_type(check.symbols.spaces[0], True)
        value = check.value(arg, scope, want)
        good = {
            "place": value.type.sort == "dom"
            and value.type.dom is not None
            and value.type.dom.sort == "place",
            "dir": value.type.sort == "dom" and value.type.dom is check.symbols.direction,
            "edge": value.type.sort == "dom" and value.type.dom is not None and value.type.dom.sort == "edge",
            "int": value.type.sort == "int",
        }[sort]
        if not good and value.type.sort not in ("unknown", "none"):
            wanted = {"place": "a place", "dir": "a direction", "int": "a number", "edge": "a hexside"}[sort]
            check.sink.error("GR0301", arg.span, f"`{name}` needs {wanted} here, this is {value.type}")
            return None
        if value.type.sort == "unknown":
            return None
        made.append(value)
    return made


def space_meant(check: Checker, made: list[t.Typed]) -> Dom | None:
    for value in made:
        if value.type.dom is not None and value.type.dom.sort == "place":
            dom = value.type.dom
            return dom.parent or dom
    return check.symbols.spaces[0] if check.symbols.spaces else None


def check_reach(check: Checker, name: str, args: tuple[syn.Expr, ...], scope: Scope, span: Span) -> t.Typed:
    wanted = 1 if name == "reach" else 2
    if (
        len(args) != wanted
        or not isinstance(args[0], syn.CallExpr)
        or not isinstance(args[0].callee, syn.Name)
    ):
        given = "" if wanted == 1 else ", place"
        check.sink.error("GR0302", span, f"write {name}(movement(...){given})")
        return t.Broken(UNKNOWN)
    found = check_movement(check, args[0].callee.id, args[0].args, args[0].span, scope)
    if found is None:
        return t.Broken(UNKNOWN)
    use, space = found
    if name == "reach":
        return t.Reach(set_type(space), use)
    goal = check.checked(args[1], scope, dom_type(space))
    if name == "path":
        return t.Path(route_type(space, use.entry.decl.room), use, goal)
    return t.CostTo(Type("int", 0, 9999, optional=True), use, goal, span)
