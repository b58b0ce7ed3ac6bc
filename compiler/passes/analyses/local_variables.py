"""Which locals code reads and assigns.  The answers err on the safe side."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes


def assigned(code: Any) -> set[int]:
    """The integer locals that code may assign, loop variables included."""
    found: set[int | None] = set()
    for node in nodes(code):
        match node:
            case ir.Assign(local=local) | ir.Do(local=local) | ir.Create(local=local):
                found.add(local)
            case ir.Roll(total=total):
                found.add(total)
            case ir.For(var=var) | ir.Aggregate(var=var) | ir.SetBuild(var=var):
                found.add(var)
            case ir.ForLine(kind_var=a, first_var=b, second_var=c):
                found |= {a, b, c}
            case ir.Coverable(left_var=a, right_var=b) | ir.Meeting(left_var=a, right_var=b):
                found |= {a, b}
    return {local for local in found if local is not None}


def changes_buffers(code: Any) -> bool:
    """Whether code may change a set local or list local."""
    return any(
        isinstance(node, ir.AssignSet | ir.AssignList | ir.ListAppend | ir.ListClear | ir.SetChange)
        or (isinstance(node, ir.Roll) and node.pool is not None)
        for node in nodes(code)
    )


def read_locals(code: Any) -> set[int]:
    return {node.index for node in nodes(code) if isinstance(node, ir.Local)}
