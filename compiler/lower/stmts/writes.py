"""Writes of locals and fields: `let`, assignments, steps of a life cycle, deferred writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.exprs.fields import belongs
from grognard.compiler.lower.exprs.operators import negated
from grognard.compiler.lower.stmts import simple
from grognard.compiler.lower.stmts.targets import lvalue
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    path_of,
)
from grognard.compiler.sema.types import (
    INT,
    FieldInfo,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts

#: Above this, an instant that writes wait for is the end of the phase or step that many levels deep.
STEP_POINTS = 1000


def lower_let(stmts: Stmts, statement: syn.Let, scope: Scope) -> None:
    simple.lower_let(stmts, stmts.check.let(statement, scope))


def lower_assign(stmts: Stmts, statement: syn.AssignStmt, scope: Scope) -> None:
    written = statement.target.callee if isinstance(statement.target, syn.CallExpr) else statement.target
    if isinstance(written, syn.Dot) and for_each_part(stmts, written.object, statement, scope):
        return
    if isinstance(statement.target, syn.Name) and scope.find(statement.target.id) is not None:
        made = stmts.check.write(statement, scope)
        if made is not None:
            simple.lower_write(stmts, made)
        return
    target = lvalue(stmts, statement.target, scope)
    if target is None:
        stmts.value(statement.value, scope)
        return
    if isinstance(target, Value):
        value = stmts.check.written_value(statement, target.type, scope)
        simple.write_local(stmts, statement, target, value)
    else:
        _write_field(stmts, target[0], target[1], statement, scope)
    stmts.check.written(statement, scope)


def for_each_part(stmts: Stmts, owner: syn.Expr, statement: syn.Stmt, scope: Scope) -> bool:
    """Dispatch a statement about a counter of a union over its types; False if it has a single type."""
    path, type_ = path_of(owner), stmts.type_of(owner, scope)
    if path is None or type_ is None or type_.dom is None or not type_.dom.parts or type_.optional:
        return False
    value = stmts.value(owner, scope)
    tail: tuple[ir.Stmt, ...] = ()
    for part in reversed(type_.dom.parts):
        with captured(stmts.code) as made:
            stmts.statement(statement, scope.with_narrowed({path: dom_type(part)}).child())
        tail = (ir.IfStmt(belongs(stmts, value.expr, part), tuple(made), tail),)
    for item in tail:
        stmts.code.emit(item)
    return True


def _write_field(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope
) -> None:
    if info.parts is not None:
        _write_form(stmts, info, index, statement, scope)
        return
    assert info.field is not None
    site = stmts.lowerer.site(
        "write",
        f"{stmts.world.fields[info.field].name} {{0}}",
        statement.span,
        statement.cites.ids,
        (info.type.show,),
        stmts.code.owner,
    )
    if info.type.sort == "set":
        _write_set(stmts, info, index, statement, scope, site)
        return
    if info.type.sort == "list":
        _write_list(stmts, info, index, statement, scope, site)
        return
    if statement.point is not None:
        _defer(stmts, info, index, statement, scope, site)
        return
    if statement.op == "set":
        made = stmts.checked(statement.value, scope, info.type)
        value, op = made.expr, "set"
    else:
        if info.type.sort == "unknown":
            return
        if info.type.sort != "int":
            stmts.sink.error(
                "GR0301",
                statement.target.span,
                f"only numbers and sets are added to, this is {info.type}",
            )
            return
        made = stmts.checked(statement.value, scope, INT)
        value, op = (made.expr if statement.op == "add" else negated(made.expr)), "add"
    if made.type.sort == "unknown":
        return
    if info.steps is not None and op == "set" and not stmts.in_example:
        value = _check_step(stmts, info, index, made, statement)
    if stmts.changed is not None:
        old = ir.Load(info.field, index, site)
        differs = ir.Binary("ne", value, old if op == "set" else ir.Const(0), site)
        stmts.code.emit(ir.IfStmt(differs, (ir.Assign(stmts.changed, ir.Const(1)),)))
    stmts.code.emit(ir.Store(info.field, index, value, op, info.clamped, site))  # type: ignore[arg-type]
    if info.follows == "mutual" and len(index) == 2:
        stmts.code.emit(ir.Store(info.field, (index[1], index[0]), value, op, info.clamped, site))  # type: ignore[arg-type]
    if info.known is not None:
        stmts.code.emit(ir.Store(info.known, index, ir.Const(0), "set", False, site))


def _check_step(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], made: Value, statement: syn.AssignStmt
) -> Any:
    """A field with a life cycle takes only the steps that its `states` name; gives the new state."""
    assert info.steps is not None and info.made is not None and info.type.dom and info.field is not None
    now = made.expr.value if isinstance(made.expr, ir.Const) else None
    info.made.add(now)
    steps = {(a, b) for a, b in info.steps if now is None or b == now}
    name = info.type.dom.members[now] if now is not None else ""
    if now is not None and not steps:
        stmts.sink.error(
            "GR0715",
            statement.value.span,
            f"no step of `states` leads to `{name}`",
            hint=f"name the step: ... -> {name}",
        )
        return made.expr
    owner = info.owner.name if info.owner is not None else ""
    site = stmts.lowerer.site(
        "fail",
        f"{owner}.{info.name} cannot become {name or 'that'} from what it is: its states name no such step",
        statement.span,
        statement.cites.ids,
        owner=stmts.code.owner,
    )
    nowhere = stmts.lowerer.nowhere
    old = ir.Load(info.field, index, site)
    new = stmts.store_argument(made)
    good: Any = ir.Binary("eq", old, new.expr, nowhere)
    for a, b in sorted(steps):
        one: Any = ir.Binary("eq", old, ir.Const(a), nowhere)
        if now is None:
            one = ir.Binary("and", one, ir.Binary("eq", new.expr, ir.Const(b), nowhere), nowhere)
        good = ir.Binary("or", good, one, nowhere)
    stmts.code.emit(ir.IfStmt(ir.Unary("not", good), (ir.Fail(FAIL_RANGE, site),)))
    return new.expr


def _defer(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
) -> None:
    """A deferred write at the start or end of a phase.  A second one before that replaces it."""
    assert statement.point is not None
    made = stmts.checked(statement.value, scope, info.type)
    if len(index) > 1:
        stmts.sink.error("GR0208", statement.span, "a field with axes cannot be written later")
        return
    innermost = stmts.lowerer.timing.is_step_end(statement.point)
    if not innermost and not stmts.lowerer.timing.phase_known(statement.point[1]):
        stmts.sink.error(
            "GR0201",
            statement.span,
            f"there is no phase `{statement.point[1]}`",
            hint=hint_for(statement.point[1], stmts.lowerer.timing.phase_names()),
        )
        return
    if made.type.sort == "unknown":
        return
    value, due = stmts.lowerer.timing.pending(info)
    if innermost:
        # Without a running phase the write takes effect now.
        depth = stmts.lowerer.timing.depth_load()
        number: Any = ir.Binary("add", depth, ir.Const(STEP_POINTS), site)
        later = (
            ir.Store(value, index, made.expr, "set", False, site),
            ir.Store(due, index, number, "set", False, site),
        )
        now = ir.Store(info.field or 0, index, made.expr, "set", info.clamped, site)
        stmts.code.emit(ir.IfStmt(depth, later, (now,)))
        return
    stmts.code.emit(ir.Store(value, index, made.expr, "set", False, site))
    stmts.code.emit(
        ir.Store(due, index, ir.Const(stmts.lowerer.timing.point_id(statement.point)), "set", False, site)
    )


def _write_list(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
) -> None:
    assert info.field is not None
    if statement.op == "sub":
        stmts.sink.error(
            "GR0313", statement.span, "nothing is taken out of a list", hint="a set can lose members"
        )
        return
    if statement.op == "add":
        item = stmts.checked(statement.value, scope, info.type.element or INT)
        if item.type.sort == "unknown":
            return
        longer = stmts.store_in_local(Value(info.type, ir.ListLoad(info.field, index, site)))
        stmts.code.emit(ir.ListAppend(longer.expr.index, item.expr, site))
        stmts.code.emit(ir.StoreList(info.field, index, longer.expr, site))
    else:
        made = stmts.checked(statement.value, scope, info.type)
        if made.type.sort == "unknown":
            return
        stmts.code.emit(ir.StoreList(info.field, index, made.expr, site))
    if info.known is not None:
        stmts.code.emit(ir.Store(info.known, index, ir.Const(0), "set", False, site))


def _write_set(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
) -> None:
    assert info.field is not None and info.type.dom
    made = _set_operand(stmts, statement, info.type, scope)
    if statement.op == "set":
        stmts.demand(made, info.type, statement.value.span)
        if made.type.sort == "set":
            stmts.code.emit(ir.StoreSet(info.field, index, made.expr, site))
    elif made.type.sort == "dom":
        stmts.code.emit(ir.StoreSetChange(info.field, index, made.expr, statement.op == "add", site))
    elif made.type.sort == "set":
        before = Value(info.type, ir.SetLoad(info.field, index, site))
        stmts.code.emit(
            ir.StoreSet(info.field, index, simple.changed_set(stmts, statement.op, before, made), site)
        )
    elif made.type.sort != "unknown":
        stmts.sink.error("GR0313", statement.value.span, f"a set or a member is needed, this is {made.type}")


def _set_operand(stmts: Stmts, statement: syn.AssignStmt, kept: Type, scope: Scope) -> Value:
    """What a set is made, gets or loses; what can never be in it is reported."""
    return stmts.lower(stmts.check.set_operand(statement, kept, scope))


def _write_form(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope
) -> None:
    if statement.op != "set" or statement.point is not None:
        stmts.sink.error("GR0301", statement.span, f"{info.type} can only be written whole, and at once")
        return
    made = stmts.checked(statement.value, scope, info.type)
    if made.record is not None:
        # The old form may be read in the new one.
        site = stmts.lowerer.site("write", info.name, statement.span, statement.cites.ids)
        store_form(stmts, info, index, stmts.store_in_local(Value(info.type, None, made.record)), site)


def store_form(stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], value: Value, site: int) -> None:
    assert info.parts is not None and value.record is not None
    for key, part in info.parts.items():
        assert part.field is not None
        found = value.record[key].expr
        if part.type.sort == "set":
            stmts.code.emit(ir.StoreSet(part.field, index, found, site))
        elif part.type.sort == "list":
            stmts.code.emit(ir.StoreList(part.field, index, found, site))
        else:
            stmts.code.emit(ir.Store(part.field, index, found, "set", False, site))
        if part.known is not None:
            stmts.code.emit(ir.Store(part.known, index, ir.Const(0), "set", False, site))
