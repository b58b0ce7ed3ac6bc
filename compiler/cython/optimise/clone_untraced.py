"""Functions that exist twice in C, the second time without trace records: a run without a trace does not ask at each note whether there is one."""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.ir.walk import nodes


def cloned_functions(program: ir.Program, is_small: bool) -> frozenset[int]:
    """Those that follow lines, which are called more often than anything else, and in a small program all that loop."""
    wanted = (ir.ForLine, ir.For, ir.Aggregate) if is_small else ir.ForLine
    return frozenset(
        function.id
        for function in program.functions
        if isinstance(function.result, ir.IntType)
        and any(isinstance(node, wanted) for node in nodes(function.body))
    )
