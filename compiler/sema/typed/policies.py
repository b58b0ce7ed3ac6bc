"""Values in lines of policies checked: of a candidate and the parameters of whoever asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside, bind_variables
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.types import FLAG, INT, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def _check_value(
    around: Surroundings,
    name: str,
    params: Iterable[tuple[str, Type]],
    candidate: Variable,
    expr: syn.Expr,
    want: Type,
    span: Span,
) -> TypedValue:
    assert around.symbols.seats
    check = Checker(around, Inside(name, dom_type(around.symbols.seats)), around.sink)
    scope = Scope()
    given = bind_variables(scope, params, span)
    scope.names[candidate.name] = Binding(candidate, False, span)
    if want is FLAG:
        return TypedValue(given, candidate, check.condition(expr, scope))
    node = check.value(expr, scope, None if want is INT else want)
    # A key is a number, a member or a flag.
    ranked = want is INT and node.type.sort not in ("int", "unknown")
    check.demand(node.type, node.type if ranked else want, expr.span)
    return TypedValue(given, candidate, node)


def _choice_named(choices: Mapping[str, Type], line: syn.PolicyLine, sink: Sink) -> Type | None:
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


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A condition, a key or an answer: of the parameters of whoever asks, and the candidate."""

    params: tuple[Variable, ...]
    candidate: Variable
    value: t.Typed


@dataclass(frozen=True, slots=True)
class TypedLine:
    written: syn.PolicyLine
    #: whose choice it is; None for those of the sequence of play
    asker: Callable_ | None
    when: TypedValue | None
    #: highest or lowest, by which key
    ranks: tuple[tuple[bool, TypedValue], ...]
    answer: TypedValue | None

    @property
    def values(self) -> tuple[TypedValue, ...]:
        parts = (self.when, *(key for _, key in self.ranks), self.answer)
        return tuple(part for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class TypedPolicy:
    written: syn.PolicyDecl
    lines: tuple[TypedLine, ...]


def check_policy(around: Surroundings, decl: syn.PolicyDecl, choices: Mapping[str, Type]) -> TypedPolicy:
    lines = (_check_line(around, decl, line, choices) for line in decl.lines)
    return TypedPolicy(decl, tuple(line for line in lines if line is not None))


def _check_line(
    around: Surroundings, decl: syn.PolicyDecl, line: syn.PolicyLine, choices: Mapping[str, Type]
) -> TypedLine | None:
    element = _choice_named(choices, line, around.sink)
    if element is None:
        return None
    asker = around.symbols.callables.get(line.owner)
    name = f"policy {decl.name}: {line.owner}.{line.name}"
    params = [] if asker is None else asker.params

    def value(expr: syn.Expr, want: Type) -> TypedValue:
        return _check_value(around, name, params, Variable(line.name, element), expr, want, line.span)

    return TypedLine(
        line,
        asker,
        None if line.condition is None else value(line.condition, FLAG),
        tuple((highest, value(key, INT)) for highest, key in line.ranks),
        None if line.value is None else value(line.value, element.maybe()),
    )
