"""Parameters that no code reads.

A procedure often hands all it knows of a matter on to each rule that has a say in it, and most of them look at little of
it.  In C such parameters are left out, so that a call does not cost more than the rule.
"""

from __future__ import annotations

from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: a parameter that is handed on: the function that gets it, and which of its parameters it becomes
Handed = tuple[int, int]


def unread_parameters(program: ir.Program) -> list[frozenset[int]]:
    """For each function its integer parameters that it neither reads nor hands on to one that does."""
    read: list[set[int]] = []
    handed: list[dict[int, set[Handed]]] = []
    for function in program.functions:
        mine, on = _uses(function)
        read.append(mine)
        handed.append(on)
    waiting = [(number, param) for number, mine in enumerate(read) for param in mine]
    # who hands what to whom, the other way round
    givers: dict[Handed, list[Handed]] = {}
    for number, on in enumerate(handed):
        for param, takers in on.items():
            for taker in takers:
                givers.setdefault(taker, []).append((number, param))
    while waiting:
        for number, param in givers.get(waiting.pop(), ()):
            if param not in read[number]:
                read[number].add(param)
                waiting.append((number, param))
    return [
        frozenset(
            param
            for param in range(function.params)
            if param not in read[function.id] and isinstance(function.locals[param].type, ir.IntType)
        )
        for function in program.functions
    ]


def _uses(function: ir.Function) -> tuple[set[int], dict[int, set[Handed]]]:
    """The parameters that code reads by itself or changes, and those that it hands on as they are."""
    own = range(function.params)
    handed: dict[int, set[Handed]] = {}
    times: dict[int, int] = {}
    for node in nodes(function.body):
        match node:
            case ir.Local(index=index) if index in own:
                times[index] = times.get(index, 0) + 1
            case (
                ir.Call(function=callee, args=args)
                | ir.SetCall(function=callee, args=args)
                | ir.Do(function=callee, args=args)
            ):
                for place, arg in enumerate(args):
                    if isinstance(arg, ir.Local) and arg.index in own:
                        handed.setdefault(arg.index, set()).add((callee, place))
                        times[arg.index] = times.get(arg.index, 0) - 1
    read = {index for index, count in times.items() if count}
    return read | (assigned(function.body) & set(own)), handed
