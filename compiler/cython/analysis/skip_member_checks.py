"""Sets that can have no members but those of their domain, so that a loop over them need not look.

Cells of a position may say anything; what rules put together themselves is checked member by member when it is made.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes


def is_in_domain(node: Any, functions: Collection[int], locals_: Collection[int]) -> bool:
    """Whether a set has only members of its domain, given the functions and the set locals of which that is known."""
    match node:
        case ir.SetBuild() | ir.SetOf():
            return True
        case ir.Alike(within=within):
            return is_in_domain(within, functions, locals_)
        case ir.SetCall(function=function):
            return function in functions
        case ir.SetLocal(index=index):
            return index in locals_
        case ir.SetIf(then=left, otherwise=right) | ir.SetBinary(op="union", left=left, right=right):
            return is_in_domain(left, functions, locals_) and is_in_domain(right, functions, locals_)
        case ir.SetBinary(op="inter", left=left, right=right):
            return is_in_domain(left, functions, locals_) or is_in_domain(right, functions, locals_)
        case ir.SetBinary(op="minus", left=left):
            return is_in_domain(left, functions, locals_)
    return False


def in_domain_locals(function: ir.Function, functions: Collection[int]) -> frozenset[int]:
    """The set locals of a function that have only members of their domain wherever they are read.  They begin empty; of
    parameters nothing is known."""
    given = [(node.local, node.value) for node in nodes(function.body) if isinstance(node, ir.AssignSet)]
    found = {
        index
        for index, local in enumerate(function.locals)
        if index >= function.params and isinstance(local.type, ir.SetType)
    }
    while wrong := {
        local for local, value in given if local in found and not is_in_domain(value, functions, found)
    }:
        found -= wrong
    return frozenset(found)


def in_domain_functions(program: ir.Program) -> frozenset[int]:
    """The functions whose sets have only members of their domain."""
    found = {function.id for function in program.functions if isinstance(function.result, ir.SetType)}
    returned = {
        number: [node.value for node in nodes(program.functions[number].body) if isinstance(node, ir.Return)]
        for number in found
    }
    while True:
        wrong = set()
        for number in found:
            locals_ = in_domain_locals(program.functions[number], found)
            if not all(value is None or is_in_domain(value, found, locals_) for value in returned[number]):
                wrong.add(number)
        if not wrong:
            return frozenset(found)
        found -= wrong
