"""Choices of forms: a question for the member, then the questions of that member's sheet (sema/declare/forms.py).

The questions before the first route or set belong to the declaration part: they are offered only if the rest can be
filled in, as with actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import asking_of, end_with_ask
from grognard.compiler.lower.code import Code, Value, assign_local, flatten
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.exprs.forms import blank_form
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.declaration_parts import given_names
from grognard.compiler.sema.types import FormInfo, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import DONE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


def choose_form(low: Statements, node: t.ChooseForm, done: int | None = None, done_when: Any = None) -> None:
    """Ask for a member, then for its fields.  The answer is a record of locals."""
    m, lowerer, statement, form = low.m, low.lowerer, node.written, node.form
    given = [low.lower(value) for value in node.given]
    given = [
        low.store_in_local(Value(type_, value.expr, value.record))
        for value, (_, type_) in zip(given, form.params, strict=True)
    ]
    seat = low.store_in_local(low.lower(node.seat))
    before, m.me = m.me, seat
    function, args = _candidates(low, node, seat, given)
    names = dom_type(form.names)
    tag = m.variable(statement.name, dom_type(form.names, statement.may))
    following, declined = m.new_block(), m.new_block()
    empty: int | None = done
    otherwise: int | None = None
    if node.otherwise is not None:
        empty = otherwise = m.new_block()
    elif statement.may and done is None:
        empty = declined
    extra = NONE if statement.may else (DONE if done is not None else None)
    question = asking_of(low, node.question, statement, quiet=statement.quiet)
    end_with_ask(low, question, function, args, seat, tag, following, empty, names, extra, done_when)
    type_ = node.variable.type
    result = m.values[node.variable] = m.variable(statement.name, type_)
    if otherwise is not None:
        m.switch(otherwise)
        low.statements(node.otherwise or ())
    end = m.new_block()
    m.switch(declined)
    assign_local(m, result, blank_form(m, type_, ir.Const(NONE)))
    m.jump(end)
    m.switch(following)
    nowhere = lowerer.nowhere
    if done is not None:
        go_on = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", tag.expr, ir.Const(DONE), nowhere), done, go_on))
        m.switch(go_on)
    assign_local(m, result, blank_form(m, type_, tag.expr))
    for member, value in node.members:
        inside, otherwise_block = m.new_block(), m.new_block()
        m.end(ir.Branch(ir.Binary("eq", tag.expr, low.lower(value).expr, nowhere), inside, otherwise_block))
        m.switch(inside)
        _fill_in(low, form, member, given, result)
        m.jump(end)
        m.switch(otherwise_block)
    m.go_to(end)
    m.me = before


def _candidates(
    low: Statements, node: t.ChooseForm, seat: Value, given: list[Value]
) -> tuple[int, tuple[Any, ...]]:
    """Function(me, given, captured locals): the members that can be filled in."""
    lowerer, form, outer = low.lowerer, node.form, low.code
    assert lowerer.symbols.seats
    code = Code(f"members of {form.name}", outer.owner, pure=True, machine=False)
    code.me = code.variable("me", dom_type(lowerer.symbols.seats))
    args: list[Any] = [seat.expr]
    values = [code.variable(name, type_) for name, type_ in form.params]
    args += [part for value in given for part in flatten(value)]
    for variable in node.captured:
        code.values[variable] = code.variable(variable.name, variable.type)
        args += flatten(low.value_of(variable))
    params = len(code.locals)
    sub = Lowering(lowerer, code)
    for member, tag in node.members:
        value = code.values[node.tag] = sub.lower(tag)
        flat = [code.me.expr, *(part for value in values for part in flatten(value))]
        sheet = lowerer.symbols.callables[form.sheets[member.name]]
        able: Any = ir.Call(lowerer.actions.can_begin(sheet), tuple(flat))
        if node.where is not None:
            able = ir.Binary("and", sub.test(node.where), able, lowerer.nowhere)
        code.emit(ir.IfStmt(able, (ir.Yield(value.expr),)))
    site = lowerer.site("loop", "candidates", node.written.span, owner=outer.owner)
    return lowerer.new_function(code, params, None, site), tuple(args)


def _fill_in(
    low: Statements, form: FormInfo, member: syn.FormMember, given: list[Value], result: Value
) -> None:
    """The questions of a sheet, and what was answered."""
    entry = low.symbols.callables[form.sheets[member.name]]
    body = low.lowerer.trees.body_for(entry, None)
    low.code.values.update(zip(body.params, given, strict=True))
    low.lowerer.actions.lower_body(entry, low, body)
    assert result.record is not None
    fields = {i.name for i in (*member.body, *form.decl.body) if isinstance(i, syn.FormField)}
    answered = {variable.name: variable for variable in given_names(body.statements)}
    for name, part in result.record.items():
        variable = answered.get(name) if name in fields else None
        if variable is not None and variable in low.code.values:
            assign_local(low.code, part, low.code.values[variable])
