"""Which statements can stop for a decision, handlers of what they cause included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grognard.compiler.sema.callable_types import targets
from grognard.compiler.sema.effects import stops_directly
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk

HandlersOf = Callable[[str], Sequence[Callable_]]


def is_machine(entry: Callable_) -> bool:
    """Whether it may stop for a decision."""
    return entry.sort == "action" or entry.asks


def asks(symbols: Symbols, node: Any, handlers_of: HandlersOf) -> bool:
    """Whether this very node can stop for a decision."""
    if stops_directly(symbols, node):
        return True
    events: Sequence[str] = ()
    match node:
        case syn.DoStmt():
            return any(map(is_machine, targets(symbols, node.use.name)))
        case syn.PhaseStmt():
            return True
        case syn.EmitStmt():
            events = (node.event,)
        case syn.RollStmt(event=syn.Use(name=name)):
            events = (f"rolling {name}", f"rolled {name}")
        case syn.SimultaneousStmt():
            events = symbols.events_in(node)
    return any(is_machine(handler) for event in events for handler in handlers_of(event))


def asks_anywhere(symbols: Symbols, node: Any, handlers_of: HandlersOf) -> bool:
    return any(asks(symbols, part, handlers_of) for part in walk(node))
