"""What can be said of a callable by what it declares, before anything in it has a type."""

from __future__ import annotations

from grognard.compiler.sema.checks.exceptions import check_exceptions
from grognard.compiler.sema.checks.lines import check_arc, check_sight
from grognard.compiler.sema.checks.modifiers import check_modifiers
from grognard.compiler.sema.checks.movements import check_movement
from grognard.compiler.sema.checks.names import check_names
from grognard.compiler.sema.checks.placement import check_placement
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn


def check_callable(world: World, entry: Callable_) -> None:
    """Report what is wrong with it."""
    sink = world.sink
    if entry.exceptions:
        check_exceptions(entry, sink)
    match entry.sort:
        case "modifiers":
            check_modifiers(entry, sink)
        case "movement":
            check_movement(world, entry, sink)
        case "sight":
            check_sight(world, entry, sink)
        case "arc":
            check_arc(world, entry, sink)
        case "procedure" | "action":
            check_placement(world, entry.decl.body, sink)
            for _, exception in entry.exceptions:
                check_placement(world, exception.body, sink)
    check_names(world, entry.decl, sink)
    for _, exception in entry.exceptions:
        check_names(world, exception, sink)


def check_sequence(world: World, decl: syn.SequenceDecl) -> None:
    """The same for a sequence of play."""
    check_placement(world, decl.body, world.sink)
    check_names(world, decl, world.sink)
