"""The end of lowering: the functions, machines and fields of the world become an IR program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grognard.compiler.lower.situations.chance_program import forbid_dice_in_trials
from grognard.compiler.sema.types import Dom
from grognard.compiler.sema.world import World
from grognard.contract import ir


def freeze_program(world: World, name: str, main: int, view: int | None) -> ir.Program:
    """The program as lowered so far.  Functions and machines that are missing after errors become empty ones."""
    empty = ir.Function(0, "(nothing)", 0, (), None, (), 0, True)
    nothing = ir.Machine(0, "(nothing)", 0, (), False, (ir.Block((), ir.ReturnMachine(None)),), 0)
    functions = [f if f is not None else _numbered(empty, n) for n, f in enumerate(world.functions)]
    machines = [m if m is not None else _numbered(nothing, n) for n, m in enumerate(world.machines)]
    if world.chance:
        machines = forbid_dice_in_trials(machines, world.asks)
    entries = [(m.name, m.id) for m in machines]
    assert world.seats and world.sides
    return ir.Program(
        name=name,
        domains=tuple(
            ir.Domain(
                d.id, d.name, d.sort, _zero_based(world, d), d.alive, d.interchangeable, _remembered(world, d)
            )
            for d in world.doms
        ),
        fields=tuple(world.fields),
        columns=tuple(world.columns),
        tables=tuple(world.tables),
        symbols=tuple(world.symbols),
        sites=tuple(world.sites),
        functions=tuple(functions),
        machines=tuple(machines),
        asks=tuple(world.asks),
        actions=tuple(world.actions),
        movements=tuple(m for m in world.movements if m is not None),
        main=main,
        entry_points=tuple(entries),
        view=view,
        seats=world.seats.id,
        sides=world.sides.id,
        journal=world.journal,
        created_in_branches=tuple(
            d.id
            for d in world.doms
            if world.journal and d.sort == "piece" and d.name in world.created_in_branches
        ),
        spaces=tuple(d.id for d in world.spaces),
    )


def _numbered(node: Any, number: int) -> Any:
    return replace(node, id=number)


def _remembered(world: World, dom: Dom) -> tuple[int, ...]:
    """The copies of the domain's `alive` that marks make."""
    if dom.alive is None:
        return ()
    return tuple(sorted(kept for (field, _), kept in world.snapshots.items() if field == dom.alive))


def _zero_based(world: World, dom: Any) -> bool:
    """Whether the domain's values start at 0 with any data.  Only the first space, the first pieces and most ranges do."""
    if dom.sort == "range":
        return bool(dom.range_lo == 0)
    if dom.sort == "place":
        return bool(world.spaces and dom is world.spaces[0])
    if dom.sort in ("piece", "record"):
        first = next((d for d in world.doms if d.sort in ("piece", "record")), None)
        return dom is first
    if dom.sort == "edge":
        return bool(world.spaces and world.spaces[0].edges is dom)
    return True
