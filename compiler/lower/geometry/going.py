"""A movement as it is lowered, and the same from a place on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, read_local
from grognard.compiler.sema.types import FLAG, INT, Dom, Type
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


@dataclass(slots=True)
class Going:
    """A movement as it is lowered: a search for each gait, how many legs a route can have, and how far one goes."""

    gaits: list[int]
    space: Dom
    room: int
    leap: int


def resumed(lowerer: Lowerer, number: int) -> int:
    """The movement from a place on the way, with what was spent so far: (arguments, place, spent)."""
    known = lowerer.resumed_movements
    if number in known:
        return known[number]
    how = lowerer.builder.movements[number]
    more = how.params
    nowhere = lowerer.nowhere
    place, spent = ir.Local(more), ir.Local(more + 1)

    def wrapped(what: str, extra: int, body: Any, result: Type) -> int:
        code = Code(f"{how.name} {what} on the way", how.name, pure=True, machine=False)
        for index in range(how.params):
            code.local(f"argument {index}", INT)
        for name in ("here", "gone", "from", "to", "cost so far")[: 2 + extra]:
            code.local(name, INT)
        code.emit(ir.Return(body))
        return lowerer.new_function(code, how.params + 2 + extra, result, nowhere)

    args = tuple(ir.Local(n) for n in range(how.params))
    a, b, so_far = (read_local(more + 2 + n, INT) for n in range(3))
    left = ir.Binary("sub", ir.Call(how.allowance, args), spent, nowhere)
    gone = ir.Binary("add", so_far, spent, nowhere)
    made = replace(
        how,
        id=len(lowerer.builder.movements),
        name=f"{how.name} (on the way)",
        params=how.params + 2,
        start=wrapped("start", 0, place, Type("int", optional=True)),
        allowance=wrapped("allowance", 0, left, INT),
        cost=wrapped("cost", 3, ir.Call(how.cost, (*args, a, b, gone)), Type("int", optional=True)),
        stop=None if how.stop is None else wrapped("stops", 2, ir.Call(how.stop, (*args, a, b)), FLAG),
        ends=None if how.ends is None else wrapped("ends", 1, ir.Call(how.ends, (*args, a)), FLAG),
        may_stay=True,
        minimum=False,
    )
    lowerer.builder.movements.append(made)
    known[number] = made.id
    return made.id
