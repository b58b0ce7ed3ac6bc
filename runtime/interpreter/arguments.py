"""Arguments of a caller as interpreted and translated code have them: numbers, sets as bit masks, lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import Argument
from grognard.contract.layout import Layout
from grognard.interpreter.frames import bit_of


def imported(args: Sequence[Argument], params: Sequence[ir.LocalDecl], layout: Layout) -> list[Any]:
    """ValueError if they are not what the parameters want."""
    if len(args) != len(params):
        raise ValueError(f"{len(args)} arguments for {len(params)} parameters")
    values: list[Any] = []
    for arg, param in zip(args, params):
        match param.type:
            case ir.IntType():
                if not isinstance(arg, int):
                    raise ValueError(f"{param.name} is an integer, not {arg!r}")
                values.append(arg)
            case ir.SetType(domain=domain):
                if isinstance(arg, int):
                    raise ValueError(f"{param.name} is a set, not {arg!r}")
                mask = 0
                for element in arg:
                    mask |= bit_of(element, layout.base[domain], layout.count[domain], -1)
                values.append(mask)
            case ir.ListType(capacity=capacity):
                if isinstance(arg, int) or len(arg) > capacity:
                    raise ValueError(f"{param.name} is a list of up to {capacity}, not {arg!r}")
                values.append(list(arg))
    return values
