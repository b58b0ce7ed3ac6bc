"""Records and forms written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FormInfo, Type, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


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


def _record(low: Lowering, node: t.Record) -> Value:
    assert node.type.record is not None
    fields = node.type.record.fields
    made = {key: low.lower(part) for key, part in node.parts.items()}
    return Value(
        node.type, None, {key: Value(fields[key], part.expr, part.record) for key, part in made.items()}
    )


def _filled(low: Lowering, node: t.FilledForm) -> Value:
    fields = node.form.record.fields
    parts = blank_parts(low.code, node.form, low.lower(node.member).expr, False)
    for key, value in node.given.items():
        parts[key] = Value(fields[key], low.lower(value).expr)
    return Value(node.type, None, parts)


def _blank(low: Lowering, node: t.BlankForm) -> Value:
    return blank_form(low.code, node.type, low.lower(node.name).expr)


FORMS: dict[type, Any] = {t.Record: _record, t.FilledForm: _filled, t.BlankForm: _blank}
