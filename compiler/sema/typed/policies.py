"""Values in lines of policies checked: of a candidate and the parameters of whoever asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside, bind_variables
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.types import FLAG, INT, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def check_policy_value(
    around: Surroundings,
    name: str,
    params: Iterable[tuple[str, Type]],
    candidate: tuple[str, Type],
    expr: syn.Expr,
    want: Type,
    span: Span,
    sink: Sink,
) -> tuple[tuple[Variable, ...], Variable, t.Typed]:
    """The parameters, the candidate, and the condition, key or answer."""
    assert around.world.seats
    check = Checker(around, Inside(name, dom_type(around.world.seats)), sink)
    scope = Scope()
    given = bind_variables(scope, params, span)
    offered = Variable(*candidate)
    scope.names[offered.name] = Binding(offered, False, span)
    if want is FLAG:
        return given, offered, check.condition(expr, scope)
    node = check.value(expr, scope, None if want is INT else want)
    # A key is a number, a member or a flag.
    ranked = want is INT and node.type.sort not in ("int", "unknown")
    check.demand(node.type, node.type if ranked else want, expr.span)
    return given, offered, node


def check_choice_named(choices: Mapping[str, Type], line: syn.PolicyLine, sink: Sink) -> Type | None:
    """The type of what is chosen where a line of a policy answers."""
    name = f"{line.owner}.{line.name}"
    if name not in choices:
        sink.error(
            "GR0720",
            line.span,
            f"there is no choice `{name}`",
            hint=hint_for(name, list(choices))
            or "a choice is called by its procedure or action and its variable: `fire.target`",
        )
    return choices.get(name)
