"""Records and forms written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.forms import blank_form, blank_parts
from grognard.compiler.sema.scope import Value
from grognard.compiler.sema.typed import nodes as t

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


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
