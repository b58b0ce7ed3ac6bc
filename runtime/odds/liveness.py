"""Liveness of locals: dead ones are cleared, so that positions that differ only in them are one state."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes, successors

#: Statements that write whole locals, with the attributes that name them (None: it keeps nothing).
_WRITES: dict[type, tuple[str, ...]] = {
    ir.Assign: ("local",),
    ir.AssignSet: ("local",),
    ir.AssignList: ("local",),
    ir.ListClear: ("local",),
    ir.Do: ("local",),
    ir.Create: ("local",),
    ir.Roll: ("total", "pool"),
}


def live_locals(program: ir.Program, machine: ir.Machine) -> list[frozenset[int]]:
    """For each block, the locals that may be read from its beginning on before they are written."""
    blocks = machine.blocks
    use: list[frozenset[int]] = []
    kill: list[frozenset[int]] = []
    for block in blocks:
        used: set[int] = set()
        killed: set[int] = set()
        for statement in block.body:
            _statement(statement, used, killed)
        used |= read_locals(block.end) - killed
        use.append(frozenset(used))
        kill.append(frozenset(killed))
    live: list[frozenset[int]] = [frozenset()] * len(blocks)
    changed = True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            after: set[int] = set()
            end = blocks[number].end
            for following in successors(end):
                after |= live[following]
            chance = program.asks[end.ask].chance if isinstance(end, ir.Ask) else None
            if chance is not None:
                # The chance node reads its parameters and writes the outcome.
                after.discard(chance.result)
                after |= {chance.elements, chance.limits, chance.number} - {-1}
            if isinstance(end, ir.Ask | ir.CallMachine) and end.local is not None:
                # The answer is written before the successor runs (the branch without an answer keeps the local).
                if not (isinstance(end, ir.Ask) and end.empty is not None):
                    after.discard(end.local)
            found = use[number] | (frozenset(after) - kill[number])
            if found != live[number]:
                live[number] = found
                changed = True
    return live


def _statement(statement: Any, used: set[int], killed: set[int]) -> None:
    """Add the locals that a statement reads before they are written, and those that it certainly writes."""
    used |= read_locals(statement) - killed
    for name in _WRITES.get(type(statement), ()):
        local = getattr(statement, name)
        if local is not None:
            killed.add(local)


def read_locals(node: Any) -> frozenset[int]:
    """Every local that is read inside a node.  A loop writes its variables before its parts read them."""
    kind = type(node)
    if kind is tuple:
        return frozenset().union(*map(read_locals, node)) if node else frozenset()
    names = getattr(kind, "__match_args__", None)
    if names is None:
        return frozenset()
    found = frozenset().union(
        *(read_locals(getattr(node, name)) for name in names if name not in ("over", "extra"))
    )
    match node:
        case ir.Local(index=index) | ir.SetLocal(index=index) | ir.ListLocal(index=index):
            return frozenset((index,))
        case ir.For(var=var) | ir.Aggregate(var=var) | ir.SetBuild(var=var):
            return (found - {var}) | read_locals(node.over)
        case ir.ForLine():
            ends = read_locals(node.a) | read_locals(node.b)
            return (found - {node.kind_var, node.first_var, node.second_var}) | ends
        case ir.Coverable():
            return (
                (found - {node.left_var, node.right_var})
                | {node.chosen}
                | read_locals(node.extra)
                | read_locals(node.left)
            )
        case ir.Meeting():
            return (
                (found - {node.left_var, node.right_var}) | read_locals(node.left) | read_locals(node.right)
            )
        case ir.ListAppend(local=local) | ir.SetChange(local=local):
            return found | {local}
    return found


#: Attributes that number a local which is written.
_TARGETS = frozenset(
    ("local", "var", "total", "pool", "kind_var", "first_var", "second_var", "left_var", "right_var")
)


def assigned_locals(node: Any) -> frozenset[int]:
    """Every local that a node can write."""
    found: set[int] = set()
    for part in nodes(node):
        for name in _TARGETS.intersection(type(part).__match_args__):
            value = getattr(part, name)
            if isinstance(value, int):
                found.add(value)
    return frozenset(found)
