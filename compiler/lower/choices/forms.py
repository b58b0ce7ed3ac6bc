"""Choices of forms: a question for the member, then the questions of that member's sheet (sema/declare/forms.py).

The questions before the first route or set belong to the declaration part: they are offered only if the rest can be
filled in, as with actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import (
    asking,
    deciding_seat,
    end_with_ask,
    lower_instead,
)
from grognard.compiler.lower.choices.subsets import lower_choose_some
from grognard.compiler.lower.geometry.routes import choose_route
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
    assign_local,
    flatten,
)
from grognard.compiler.sema.types import (
    UNKNOWN,
    FormInfo,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import DONE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts


def choose_form(
    stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope, done: int | None, done_when: Any
) -> None:
    """Ask for a member, then for its fields.  The answer is a record of locals."""
    m, lowerer = stmts.m, stmts.lowerer
    type_ = Type("record", record=form.record, optional=statement.may)
    given = _given(stmts, statement, form, scope)
    if given is None:
        stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.name_span)
        return
    seat = stmts.store_in_local(deciding_seat(stmts, statement.by, scope, statement.span))
    before, m.me = m.me, seat
    function, args = _candidates(stmts, statement, form, scope, seat, given)
    tag = m.variable(statement.name, dom_type(form.names, statement.may))
    following, declined = m.new_block(), m.new_block()
    empty: int | None = done
    otherwise: int | None = None
    if statement.otherwise is not None:
        empty = otherwise = m.new_block()
    elif statement.may and done is None:
        empty = declined
    elif done is None and not _always(lowerer, form, statement):
        stmts.sink.error(
            "GR0703",
            statement.span,
            f"there may be nothing to choose for `{statement.name}`",
            hint="add `, else return`, make it `may choose`, or give the form a member without requirements",
        )
    extra = NONE if statement.may else (DONE if done is not None else None)
    names = dom_type(form.names)
    question = asking(stmts, statement, scope)
    end_with_ask(stmts, question, function, args, seat, tag, following, empty, names, extra, done_when)
    result = stmts.declare_local(scope, statement.name, type_, False, statement.name_span)
    if otherwise is not None:
        m.switch(otherwise)
        assert statement.otherwise is not None
        lower_instead(stmts, statement.otherwise, scope)
    end = m.new_block()
    m.switch(declined)
    assign_local(m, result, blank_form(stmts.code, type_, ir.Const(NONE)))
    m.jump(end)
    m.switch(following)
    nowhere = lowerer.nowhere
    if done is not None:
        go_on = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", tag.expr, ir.Const(DONE), nowhere), done, go_on))
        m.switch(go_on)
    assign_local(m, result, blank_form(stmts.code, type_, tag.expr))
    for member in form.decl.members:
        inside, otherwise_block = m.new_block(), m.new_block()
        value = stmts.member(member.name, form.names)
        if value is None:
            continue
        m.end(ir.Branch(ir.Binary("eq", tag.expr, value.expr, nowhere), inside, otherwise_block))
        m.switch(inside)
        _fill_in(stmts, form, member, given, result)
        m.jump(end)
        m.switch(otherwise_block)
    m.go_to(end)
    m.me = before


def _given(stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope) -> list[Value] | None:
    if len(statement.given) != len(form.params):
        wanted = ", ".join(f"{name}: {type_}" for name, type_ in form.params)
        stmts.sink.error(
            "GR0302",
            statement.span,
            f"form {form.name} is filled in for {len(form.params) or 'no'} value{'s'[: len(form.params) != 1]}, "
            f"{len(statement.given)} given",
            hint=f"choose {statement.name}: {form.name} for {wanted}" if wanted else None,
        )
        return None
    made = [
        stmts.checked(expr, scope, type_, f"`{name}`")
        for expr, (name, type_) in zip(statement.given, form.params, strict=True)
    ]
    if any(kind.sort == "unknown" for kind in (*(v.type for v in made), *(t for _, t in form.params))):
        return None
    return [
        stmts.store_in_local(Value(type_, value.expr, value.record))
        for value, (_, type_) in zip(made, form.params, strict=True)
    ]


def _always(lowerer: Any, form: FormInfo, statement: syn.ChooseStmt) -> bool:
    """Whether some member can be filled in in every state."""
    if statement.where is not None:
        return False
    return any(
        not any(isinstance(s, syn.RequireStmt) or (isinstance(s, syn.ChooseStmt) and not s.may) for s in body)
        for name in form.sheets.values()
        for body in [lowerer.world.callables[name].decl.body]
    )


def _candidates(
    stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope, seat: Value, given: list[Value]
) -> tuple[int, tuple[Any, ...]]:
    """Function(me, given, captured locals): the members that can be filled in."""
    lowerer = stmts.lowerer
    assert lowerer.world.seats
    code = Code(f"members of {form.name}", stmts.code.owner, pure=True, machine=False)
    code.me = code.variable("me", dom_type(lowerer.world.seats))
    args: list[Any] = [seat.expr]
    values = [code.variable(name, type_) for name, type_ in form.params]
    args += [part for value in given for part in flatten(value)]
    inner = Scope()
    if statement.where is not None:
        for name in lowerer.candidates.captures(statement, scope, None):
            bound = scope.find(name)
            if bound is not None and bound.type.sort != "unknown":
                code.bind(inner, name, code.variable(name, bound.type), bound.span)
                args += flatten(stmts.code.value_of(bound))
    params = len(code.locals)
    from grognard.compiler.lower.stmts.seam import Stmts

    sub = Stmts(lowerer, code)
    for member in form.decl.members:
        tag = sub.member(member.name, form.names)
        if tag is None:
            continue
        flat = [code.me.expr, *(part for value in values for part in flatten(value))]
        able: Any = ir.Call(
            lowerer.actions.can_begin(lowerer.world.callables[form.sheets[member.name]]), tuple(flat)
        )
        if statement.where is not None:
            choice = inner.child()
            code.bind(choice, statement.name, tag, statement.span)
            able = ir.Binary("and", sub.condition(statement.where, choice), able, lowerer.nowhere)
        code.emit(ir.IfStmt(able, (ir.Yield(tag.expr),)))
    site = lowerer.site("loop", "candidates", statement.span, owner=stmts.code.owner)
    return lowerer.new_function(code, params, None, site), tuple(args)


def _fill_in(stmts: Stmts, form: FormInfo, member: syn.FormMember, given: list[Value], result: Value) -> None:
    entry = stmts.world.callables[form.sheets[member.name]]
    sheet = Scope()
    for (name, _), value in zip(form.params, given, strict=True):
        stmts.code.bind(sheet, name, value, member.span)
    declared = len(stmts.lowerer.actions.declaration(entry))
    routes = {s.name for s in entry.decl.body if isinstance(s, syn.ChooseRouteStmt)}
    for place, statement in enumerate(entry.decl.body):
        match statement:
            case syn.ChooseStmt():
                stmts.world.cite(statement.cites)
                rest = (entry, place + 1) if place < declared else None
                # A route has at least one place, so there is always one to choose.
                source = statement.source.id if isinstance(statement.source, syn.Name) else ""
                proven = statement.where is None and source in routes
                stmts.choose(statement, sheet, rest=rest, proven=proven)
            case syn.ChooseSomeStmt():
                stmts.world.cite(statement.cites)
                rest = (entry, place + 1) if place < declared else None
                lower_choose_some(stmts, statement, sheet, rest=rest)
            case syn.ChooseRouteStmt():
                choose_route(stmts, statement, sheet, proven=True)
            case syn.RequireStmt():
                sheet.narrowed.update(stmts.narrow(statement.condition, sheet, True))
                stmts.check.standing.demanded.append(statement.condition)
            case _:
                stmts.statement(statement, sheet)
    assert result.record is not None
    fields = {i.name for i in (*member.body, *form.decl.body) if isinstance(i, syn.FormField)}
    for name, part in result.record.items():
        bound = sheet.find(name) if name in fields else None
        if bound is not None and bound.type.sort != "unknown":
            assign_local(stmts.code, part, stmts.code.value_of(bound))


def blank_parts(code: Code, form: FormInfo, name: Any, optional: bool) -> dict[str, Value]:
    """The parts of a form with only its name filled in."""
    parts: dict[str, Value] = {}
    for key, type_ in form.record.fields.items():
        if key == "name":
            parts[key] = Value(dom_type(form.names, optional), name)
        elif type_.sort == "set":
            assert type_.dom
            parts[key] = Value(type_, ir.SetOf(type_.dom.id, ()))
        elif type_.sort == "list":
            # A local that is never written is an empty list.
            parts[key] = code.variable("(nothing)", type_)
        else:
            parts[key] = Value(type_, ir.Const(0 if type_.sort == "flag" else NONE))
    return parts


def blank_form(code: Code, type_: Type, name: Any) -> Value:
    """A form with only its name filled in."""
    assert type_.form
    return Value(type_, None, blank_parts(code, type_.form, name, type_.optional))
