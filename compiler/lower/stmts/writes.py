"""Writes of fields that were checked: numbers, sets, lists, forms, steps of a life cycle, deferred writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.operators import negated, set_minus
from grognard.compiler.lower.stmts.targets import lower_target
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.assignments import is_step_end
from grognard.compiler.sema.types import FieldInfo
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering

#: Above this, an instant that writes wait for is the end of the phase or step that many levels deep.
STEP_POINTS = 1000


def lower_field_write(low: Lowering, node: t.Assign) -> None:
    assert isinstance(node.target, t.FieldTarget)
    info, statement, op = node.target.info, node.written, node.written.op
    index = lower_target(low, node.target)
    if info.parts is not None:
        _write_form(low, info, index, node)
        return
    assert info.field is not None
    site = low.lowerer.site(
        "write",
        f"{low.builder.fields[info.field].name} {{0}}",
        statement.span,
        statement.cites.ids,
        (info.type.show,),
        low.code.owner,
    )
    made = low.lower(node.value)
    if node.value.type.sort == "unknown":
        return
    if info.type.sort == "set":
        _write_set(low, info, index, op, made, site)
        return
    if info.type.sort == "list":
        _write_list(low, info, index, op, made, site)
        return
    if statement.point is not None:
        _defer(low, info, index, made, statement.point, site)
        return
    value, how = (
        (made.expr, "set") if op == "set" else (made.expr if op == "add" else negated(made.expr), "add")
    )
    if node.steps is not None:
        value = _step(low, info, index, made, node, node.steps)
    if low.changed is not None:
        old = ir.Load(info.field, index, site)
        differs = ir.Binary("ne", value, old if how == "set" else ir.Const(0), site)
        low.code.emit(ir.IfStmt(differs, (ir.Assign(low.changed, ir.Const(1)),)))
    low.code.emit(ir.Store(info.field, index, value, how, info.clamped, site))  # type: ignore[arg-type]
    if info.follows == "mutual" and len(index) == 2:
        low.code.emit(ir.Store(info.field, (index[1], index[0]), value, how, info.clamped, site))  # type: ignore[arg-type]
    _hidden_again(low, info, index, site)


def _hidden_again(low: Lowering, info: FieldInfo, index: tuple[Any, ...], site: int) -> None:
    """What is written to a secret field is not known any more."""
    if info.known is not None:
        low.code.emit(ir.Store(info.known, index, ir.Const(0), "set", False, site))


def _step(
    low: Lowering,
    info: FieldInfo,
    index: tuple[Any, ...],
    made: Value,
    node: t.Assign,
    steps: tuple[tuple[int, int], ...],
) -> Any:
    """A field with a life cycle takes only the steps that its `states` name; gives the new state."""
    assert info.type.dom and info.field is not None
    statement = node.written
    name = info.type.dom.members[node.becomes] if node.becomes is not None else ""
    owner = info.owner.name if info.owner is not None else ""
    site = low.lowerer.site(
        "fail",
        f"{owner}.{info.name} cannot become {name or 'that'} from what it is: its states name no such step",
        statement.span,
        statement.cites.ids,
        owner=low.code.owner,
    )
    nowhere = low.lowerer.nowhere
    old = ir.Load(info.field, index, site)
    new = low.store_argument(made)
    good: Any = ir.Binary("eq", old, new.expr, nowhere)
    for a, b in steps:
        one: Any = ir.Binary("eq", old, ir.Const(a), nowhere)
        if node.becomes is None:
            one = ir.Binary("and", one, ir.Binary("eq", new.expr, ir.Const(b), nowhere), nowhere)
        good = ir.Binary("or", good, one, nowhere)
    low.code.emit(ir.IfStmt(ir.Unary("not", good), (ir.Fail(FAIL_RANGE, site),)))
    return new.expr


def _defer(
    low: Lowering, info: FieldInfo, index: tuple[Any, ...], made: Value, point: tuple[str, str], site: int
) -> None:
    """A deferred write at the start or end of a phase."""
    timing, code = low.lowerer.timing, low.code
    value, due = timing.pending(info)
    if is_step_end(low.symbols, point):
        # Without a running phase the write takes effect now.
        depth = timing.depth_load()
        number: Any = ir.Binary("add", depth, ir.Const(STEP_POINTS), site)
        later = (
            ir.Store(value, index, made.expr, "set", False, site),
            ir.Store(due, index, number, "set", False, site),
        )
        now = ir.Store(info.field or 0, index, made.expr, "set", info.clamped, site)
        code.emit(ir.IfStmt(depth, later, (now,)))
        return
    code.emit(ir.Store(value, index, made.expr, "set", False, site))
    code.emit(ir.Store(due, index, ir.Const(timing.point_id(point)), "set", False, site))


def _write_list(
    low: Lowering, info: FieldInfo, index: tuple[Any, ...], op: str, made: Value, site: int
) -> None:
    assert info.field is not None
    if op == "add":
        longer = low.store_in_local(Value(info.type, ir.ListLoad(info.field, index, site)))
        low.code.emit(ir.ListAppend(longer.expr.index, made.expr, site))
        low.code.emit(ir.StoreList(info.field, index, longer.expr, site))
    else:
        low.code.emit(ir.StoreList(info.field, index, made.expr, site))
    _hidden_again(low, info, index, site)


def _write_set(
    low: Lowering, info: FieldInfo, index: tuple[Any, ...], op: str, made: Value, site: int
) -> None:
    assert info.field is not None
    if op != "set" and made.type.sort == "dom":
        low.code.emit(ir.StoreSetChange(info.field, index, made.expr, op == "add", site))
        return
    value: ir.SetExpr = made.expr
    if op != "set":
        value = changed_set(low, op, Value(info.type, ir.SetLoad(info.field, index, site)), made)
    low.code.emit(ir.StoreSet(info.field, index, value, site))


def changed_set(low: Lowering, op: str, before: Value, made: Value) -> ir.SetExpr:
    if op == "add":
        return ir.SetBinary("union", before.expr, made.expr)
    return set_minus(low, before, made)


def _write_form(low: Lowering, info: FieldInfo, index: tuple[Any, ...], node: t.Assign) -> None:
    made = low.lower(node.value)
    if made.record is not None:
        # The old form may be read in the new one.
        site = low.lowerer.site("write", info.name, node.written.span, node.written.cites.ids)
        store_form(low, info, index, low.store_in_local(Value(info.type, None, made.record)), site)


def store_form(low: Lowering, info: FieldInfo, index: tuple[Any, ...], value: Value, site: int) -> None:
    assert info.parts is not None and value.record is not None
    for key, part in info.parts.items():
        assert part.field is not None
        found = value.record[key].expr
        if part.type.sort == "set":
            low.code.emit(ir.StoreSet(part.field, index, found, site))
        elif part.type.sort == "list":
            low.code.emit(ir.StoreList(part.field, index, found, site))
        else:
            low.code.emit(ir.Store(part.field, index, found, "set", False, site))
        if part.known is not None:
            low.code.emit(ir.Store(part.known, index, ir.Const(0), "set", False, site))
