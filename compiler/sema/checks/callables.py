"""What can be said of a callable by what it declares, before anything in it has a type."""

from __future__ import annotations

from grognard.compiler.sema.checks.exceptions import check_exceptions
from grognard.compiler.sema.checks.lines import check_arc, check_sight
from grognard.compiler.sema.checks.modifiers import check_modifiers
from grognard.compiler.sema.checks.movements import check_movement
from grognard.compiler.sema.checks.names import check_names
from grognard.compiler.sema.checks.placement import check_placement
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink


def check_callable(symbols: Symbols, sink: Sink, entry: Callable_) -> None:
    """Report what is wrong with it."""
    if entry.exceptions:
        check_exceptions(entry, sink)
    match entry.sort:
        case "modifiers":
            check_modifiers(entry, sink)
        case "movement":
            check_movement(symbols, entry, sink)
        case "sight":
            check_sight(symbols, entry, sink)
        case "arc":
            check_arc(symbols, entry, sink)
        case "procedure" | "action":
            check_placement(symbols, entry.decl.body, sink)
            for _, exception in entry.exceptions:
                check_placement(symbols, exception.body, sink)
    check_names(symbols, entry.decl, sink)
    for _, exception in entry.exceptions:
        check_names(symbols, exception, sink)


def check_sequence(symbols: Symbols, sink: Sink, decl: syn.SequenceDecl) -> None:
    """The same for a sequence of play."""
    check_placement(symbols, decl.body, sink)
    check_names(symbols, decl, sink)
