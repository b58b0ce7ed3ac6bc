"""Writes of fields: numbers, sets, lists, forms, steps of a life cycle, and writes that wait for an instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.targets import check_target
from grognard.compiler.sema.types import INT, FieldInfo, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.symbols import Symbols
    from grognard.compiler.sema.typed.statements import BodyChecker

S = TypeVar("S", bound=syn.Stmt)
#: `from end of step`: the end of the innermost phase or step that runs, unless a phase is called so.
STEP_END = ("end", "step")


def check_assign(check: BodyChecker, statement: syn.AssignStmt, scope: Scope) -> t.Statement | None:
    written = statement.target.callee if isinstance(statement.target, syn.CallExpr) else statement.target
    if isinstance(written, syn.Dot):
        whole = for_each_part(check, written.object, statement, scope, check_assign)
        if whole is not None:
            return whole
    if isinstance(statement.target, syn.Name) and scope.find(statement.target.id) is not None:
        return check.write(statement, scope)
    target = check_target(check, statement.target, scope)
    if target is None:
        check.value(statement.value, scope)
        return None
    if isinstance(target, t.LocalTarget):
        value = check.written_value(statement, target.value.type, scope)
        made: t.Assign | None = t.Assign(statement, target, value)
    else:
        made = _write_field(check, target, statement, scope)
    check.written(statement, scope)
    return made


def for_each_part(
    check: BodyChecker,
    owner: syn.Expr,
    statement: S,
    scope: Scope,
    one: Callable[[BodyChecker, S, Scope], t.Statement | None],
) -> t.ForEachPart | None:
    """A statement about a counter of a union, for each of its types; None if it has a single type."""
    path, type_ = path_of(owner), check.type_of(owner, scope)
    if path is None or type_ is None or type_.dom is None or not type_.dom.parts or type_.optional:
        return None
    value = check.value(owner, scope)
    parts = tuple(
        (part, one(check, statement, scope.with_narrowed({path: dom_type(part)}).child()))
        for part in reversed(type_.dom.parts)
    )
    return t.ForEachPart(statement, value, parts)


def _write_field(
    check: BodyChecker, target: t.FieldTarget, statement: syn.AssignStmt, scope: Scope
) -> t.Assign | None:
    info, op = target.info, statement.op
    if info.parts is not None:
        if op != "set" or statement.point is not None:
            check.sink.error("GR0301", statement.span, f"{info.type} can only be written whole, and at once")
            return None
        return t.Assign(statement, target, check.checked(statement.value, scope, info.type))
    if info.type.sort == "set":
        made = check.set_operand(statement, info.type, scope)
        if op == "set":
            check.demand(made.type, info.type, statement.value.span)
        elif made.type.sort not in ("dom", "set", "unknown"):
            check.sink.error(
                "GR0313", statement.value.span, f"a set or a member is needed, this is {made.type}"
            )
            return None
        return t.Assign(statement, target, made)
    if info.type.sort == "list":
        return _write_list(check, target, statement, scope)
    if statement.point is not None:
        return _defer(check, target, statement.point, statement, scope)
    if op == "set":
        made = check.checked(statement.value, scope, info.type)
        if info.steps is not None and made.type.sort != "unknown" and not check.in_example:
            return _step(check, target, info, made, statement)
        return t.Assign(statement, target, made)
    if info.type.sort == "unknown":
        return None
    if info.type.sort != "int":
        check.sink.error(
            "GR0301",
            statement.target.span,
            f"only numbers and sets are added to, this is {info.type}",
        )
        return None
    return t.Assign(statement, target, check.checked(statement.value, scope, INT))


def _step(
    check: BodyChecker, target: t.FieldTarget, info: FieldInfo, made: t.Typed, statement: syn.AssignStmt
) -> t.Assign:
    """A field with a life cycle takes only the steps that its `states` name."""
    assert info.steps is not None and info.type.dom
    now: int | None = None
    match made:
        case t.Member(dom=dom, place=place) if dom.from_code:
            now = place + dom.range_lo
        case t.Constant(value=value):
            now = value
    check.around.findings.make(info, now)
    steps = tuple(sorted((a, b) for a, b in info.steps if now is None or b == now))
    if now is not None and not steps:
        name = info.type.dom.members[now]
        check.sink.error(
            "GR0715",
            statement.value.span,
            f"no step of `states` leads to `{name}`",
            hint=f"name the step: ... -> {name}",
        )
        return t.Assign(statement, target, made)
    return t.Assign(statement, target, made, steps, now)


def _write_list(
    check: BodyChecker, target: t.FieldTarget, statement: syn.AssignStmt, scope: Scope
) -> t.Assign | None:
    type_ = target.info.type
    if statement.op == "sub":
        check.sink.error(
            "GR0313", statement.span, "nothing is taken out of a list", hint="a set can lose members"
        )
        return None
    want = (type_.element or INT) if statement.op == "add" else type_
    return t.Assign(statement, target, check.checked(statement.value, scope, want))


def _defer(
    check: BodyChecker,
    target: t.FieldTarget,
    point: tuple[str, str],
    statement: syn.AssignStmt,
    scope: Scope,
) -> t.Assign | None:
    """A deferred write at the start or end of a phase.  A second one before that replaces it."""
    made = check.checked(statement.value, scope, target.info.type)
    if len(target.axes) + (target.owner is not None) > 1:
        check.sink.error("GR0208", statement.span, "a field with axes cannot be written later")
        return None
    if not is_step_end(check.symbols, point) and point[1] not in phase_names(check.symbols):
        check.sink.error(
            "GR0201",
            statement.span,
            f"there is no phase `{point[1]}`",
            hint=hint_for(point[1], phase_names(check.symbols)),
        )
        return None
    return t.Assign(statement, target, made)


def phase_names(symbols: Symbols) -> list[str]:
    return symbols.phases.members if symbols.phases else []


def is_step_end(symbols: Symbols, point: tuple[str, str]) -> bool:
    """`from end of step`: the end of the innermost phase or step that runs."""
    return point == STEP_END and STEP_END[1] not in phase_names(symbols)
