"""Values of another time or position: `as of` a mark, `latest`, `ever since`, `at best`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside
from grognard.compiler.sema.typed.rules import check_arguments
from grognard.compiler.sema.types import FLAG, UNKNOWN, FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_as_of(check: Checker, expr: syn.AsOf, scope: Scope, want: Type | None) -> t.Typed:
    if expr.mark not in check.symbols.marks:
        return t.Broken(UNKNOWN)
    before, check.mark = check.mark, expr.mark
    try:
        made = check.value(expr.value, scope, want)
    finally:
        check.mark = before
    return t.AsOf(made.type, expr.mark, made)


def check_latest(check: Checker, expr: syn.Latest, scope: Scope) -> t.Typed:
    """The pending value of a field with a deferred write, else its value."""
    made = check.value(expr.value, scope)
    info = field_read(made)
    if info is None or info.type.sort == "set":
        if made.type.sort != "unknown":
            check.sink.error("GR0208", expr.span, "only a field has a latest value")
        return t.Broken(UNKNOWN)
    if check.mark is not None or info.field not in check.symbols.fields_by_id:
        check.sink.error("GR0208", expr.span, "this field is never written later")
        return t.Broken(UNKNOWN)
    return t.Latest(made.type, made, info)


def field_read(made: t.Typed) -> FieldInfo | None:
    """The field of which a value is read as it is, be it a number or a set."""
    match made:
        case t.Read(info=info) if info.field is not None and not info.follows:
            return info if info.type.sort != "list" else None
        case t.Part(owner=t.Read(info=whole), name=name) if whole.parts is not None:
            part = whole.parts.get(name)
            return part if part is not None and part.type.sort != "list" else None
        case t.Relation(info=info, left=left, right=right):
            return None if left.type.optional or right.type.optional else info
        case t.Given(variable=variable):
            return variable.reads
    return None


def check_at_best(check: Checker, expr: syn.AtBest, scope: Scope) -> t.Typed:
    entry = check.around.callable(expr.use.name)
    if entry is None or entry.sort != "procedure":
        known = [c.name for c in check.symbols.callables.values() if c.sort == "procedure"]
        check.sink.error(
            "GR0207",
            expr.use.span,
            f"there is no procedure `{expr.use.name}`",
            hint=hint_for(expr.use.name, known),
        )
        return t.Broken(UNKNOWN)
    check.around.findings.use(entry)
    if entry.result is None or entry.result.sort not in ("int", "flag"):
        check.sink.error("GR0309", expr.span, f"`{entry.name}` gives no number to be the best")
        return t.Broken(UNKNOWN)
    made = check_arguments(check, entry, expr.use.args, expr.use.span, scope)
    if made is None or any(arg.type.sort == "unknown" for arg in made):
        return t.Broken(UNKNOWN)
    if any(arg.type.sort in ("set", "list") for arg in made):
        check.sink.error("GR0208", expr.use.span, "sets and lists cannot be given to a hypothetical")
        return t.Broken(UNKNOWN)
    if entry.uses_me:
        check.me(expr.span, entry)
    flag = entry.result.sort == "flag"
    return t.AtBest(
        FLAG if flag else entry.result.maybe(), entry, tuple(made), 1 if flag else expr.enough, expr.span
    )


def check_ever_since(check: Checker, expr: syn.EverSince, scope: Scope) -> t.Typed:
    """`held(t) ever since turn_end of p`: a flag that is updated after every write it depends on."""
    from grognard.compiler.sema.typed.checker import Checker

    if expr.mark not in check.symbols.marks:
        return t.Broken(UNKNOWN)
    read = dict.fromkeys(node.id for node in walk(expr.condition) if isinstance(node, syn.Name))
    if expr.of is not None:
        read.setdefault(expr.of)
    given = [(name, bound) for name in read if (bound := scope.find(name)) is not None]
    for name, bound in given:
        if bound.type.sort != "dom" or bound.type.optional:
            check.sink.error(
                "GR0301",
                expr.span,
                f"`{name}` is {bound.type.words}: what has held can only depend on members, places and counters",
            )
            return t.Broken(UNKNOWN)
    if expr.of is not None and scope.find(expr.of) is None:
        check.sink.error("GR0201", expr.span, f"there is no `{expr.of}` here")
        return t.Broken(UNKNOWN)
    of = scope.find(expr.of) if expr.of is not None else None
    if of is not None and of.type.dom is not None:
        check.around.held_since(expr, of.type.dom)
    inner = Scope()
    for name, bound in given:
        inner.names[name] = Binding(Variable(name, bound.type), False, expr.span)
    condition = Checker(check.around, Inside(), check.sink).condition(expr.condition, inner)
    params = tuple(found.variable for found in inner.names.values())
    return t.EverSince(FLAG, expr, tuple((name, bound.variable) for name, bound in given), params, condition)
