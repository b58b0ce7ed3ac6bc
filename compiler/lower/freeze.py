"""The end of lowering: what was built becomes an IR program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grognard.compiler.lower.program_builder import ProgramBuilder
from grognard.compiler.lower.situations.chance_program import forbid_dice_in_trials
from grognard.compiler.sema.declared_program import domains_of
from grognard.contract import ir


def freeze_program(builder: ProgramBuilder, name: str, main: int, view: int | None) -> ir.Program:
    """The program as lowered so far.  Functions and machines that are missing after errors become empty ones."""
    symbols = builder.declared
    empty = ir.Function(0, "(nothing)", 0, (), None, (), 0, True)
    nothing = ir.Machine(0, "(nothing)", 0, (), False, (ir.Block((), ir.ReturnMachine(None)),), 0)
    functions = [f if f is not None else _numbered(empty, n) for n, f in enumerate(builder.functions)]
    machines = [m if m is not None else _numbered(nothing, n) for n, m in enumerate(builder.machines)]
    if symbols.chance:
        machines = forbid_dice_in_trials(machines, builder.asks)
    entries = [(m.name, m.id) for m in machines]
    assert symbols.seats and symbols.sides
    return ir.Program(
        name=name,
        domains=domains_of(symbols, builder.doms, builder.snapshots),
        fields=tuple(builder.fields),
        columns=tuple(symbols.columns),
        tables=tuple(symbols.tables),
        symbols=tuple(builder.symbols),
        sites=tuple(builder.sites),
        functions=tuple(functions),
        machines=tuple(machines),
        asks=tuple(builder.asks),
        actions=tuple(builder.actions),
        movements=tuple(m for m in builder.movements if m is not None),
        main=main,
        entry_points=tuple(entries),
        view=view,
        seats=symbols.seats.id,
        sides=symbols.sides.id,
        journal=builder.journal,
        created_in_branches=tuple(
            d.id
            for d in symbols.doms
            if builder.journal and d.sort == "piece" and d.name in symbols.created_in_branches
        ),
        spaces=tuple(d.id for d in symbols.spaces),
    )


def _numbered(node: Any, number: int) -> Any:
    return replace(node, id=number)
