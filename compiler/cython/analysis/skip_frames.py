"""Machines that others call and that may end without a frame: these are tried before one is made (print/frameless.py)."""

from __future__ import annotations

from grognard.compiler.passes.analyses.frameless_machines import frameless_blocks
from grognard.contract import ir


def frameless_machines(program: ir.Program) -> frozenset[int]:
    called = {
        block.end.machine
        for machine in program.machines
        for block in machine.blocks
        if isinstance(block.end, ir.CallMachine)
    }
    return frozenset(number for number in called if frameless_blocks(program.machines[number]))
