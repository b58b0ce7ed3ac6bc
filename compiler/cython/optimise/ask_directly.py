"""Candidates are collected in the machine that asks, without a frame that the collecting code reads."""

from __future__ import annotations

from grognard.contract import ir


def asks_directly(program: ir.Program, ask: ir.Ask) -> bool:
    """Whether that can be: candidates are found with nothing but integers, and nothing is hidden from who chooses."""
    callee = program.functions[ask.candidates]
    hidden = program.asks[ask.ask].on_view and program.view is not None
    return (
        not hidden
        and ask.extra is None
        and ask.distinct is None
        and callee.result is None
        and all(isinstance(local.type, ir.IntType) for local in callee.locals[: callee.params])
    )
