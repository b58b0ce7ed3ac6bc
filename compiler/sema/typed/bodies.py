"""What a body stands in: its parameters as variables, and whether a seat acts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import INT, Type, dom_type
from grognard.support.source import Span


@dataclass(slots=True)
class Inside:
    """A body that is checked as a whole."""

    owner: str = ""
    me_type: Type | None = None
    base_type: Type | None = None
    result: Type | None = None
    pure: bool = True
    machine: bool = False
    #: `do base` may stand in it
    below: bool = False
    #: it may be read as of any mark: lowering knows
    mark: str | None = None


def inside(symbols: Symbols, entry: Callable_, machine: bool = False, *, within: bool = False) -> Inside:
    """The body of a callable, or with `within` of an exception to it."""
    me = dom_type(symbols.seats) if entry.uses_me and symbols.seats is not None else None
    # What a machine gives is no value.
    base = (entry.result or INT) if within and not machine else None
    does = entry.sort in ("procedure", "action", "form")
    return Inside(entry.name, me, base, entry.result, not does, machine, below=within and does)


def bind_variables(
    scope: Scope, params: Iterable[tuple[str, Type]], span: Span, changeable: frozenset[str] = frozenset()
) -> tuple[Variable, ...]:
    """Give the parameters' names their meaning; the variables that they are."""
    made = tuple(Variable(name, type_) for name, type_ in params)
    for variable in made:
        scope.names[variable.name] = Binding(variable, variable.name in changeable, span)
    return made
