"""Conditions under which a field or counter is secret."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.typed.fields import check_holder
from grognard.compiler.sema.types import Dom, FieldInfo, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span


@dataclass(frozen=True, slots=True)
class TypedSecrecy:
    """Of which counter, with its fields by their bare names; who sees it; while what holds."""

    item: Variable
    fields: tuple[tuple[Variable, FieldInfo], ...]
    holder: t.Typed
    condition: t.Typed | None
    span: Span


def check_secrecy(
    around: Surroundings, dom: Dom, condition: syn.Expr | None, span: Span, sink: Sink
) -> TypedSecrecy:
    check, scope = Checker(around, Inside("view"), sink), Scope()
    item = Variable("self", dom_type(dom))
    scope.names["self"] = Binding(item, False, None)
    fields: list[tuple[Variable, FieldInfo]] = []
    for name, info in dom.fields.items():
        plain = info.field is not None and info.type.sort not in ("set", "list")
        if not info.axes and (plain or info.parts is not None):
            variable = Variable(name, info.type, info)
            scope.names[name] = Binding(variable, False, None)
            fields.append((variable, info))
    held = check_holder(check, item.type, span)
    holder: t.Typed = t.Holder(held, t.Given(item.type, item), span)
    if held.sort == "unknown":
        holder = t.Broken(held)
    test = None if condition is None else check.condition(condition, scope)
    return TypedSecrecy(item, tuple(fields), holder, test, span)


def may_be_secret(info: FieldInfo, sink: Sink) -> bool:
    """Whether such a field can be secret; one that cannot is reported."""
    if info.axes and info.decl is not None:
        sink.error(
            "GR0208",
            info.decl.span,
            "a secret field with axes is not available",
            hint="declare one field for each",
        )
    return not info.axes
