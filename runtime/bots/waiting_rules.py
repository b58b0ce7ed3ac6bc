"""What the rules that wait for an answer keep in their locals, and which of it may come from a secret.

Locals lie on the stack of the position.  Imagined positions take over the stack, so that a local that was worked out from a
secret (`let g = t.guard`, then a question) would carry the truth into them.  Here is found, from the program alone:

- which local of which machine depends on which secret fields, also through rules, procedures and arguments;
- which of these have, where the machine waits, a definition that still holds: nothing has been written since that it
  reads.  It can be worked out again in an imagined position (`redone`);
- the others are *doubtful* where one of those fields is hidden: nobody knows what they would be.

Answers of other seats are not looked at: a choice is as public as the log tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes, successors
from grognard.odds.liveness import assigned_locals, live_locals, read_locals

Fields = frozenset[int]
NOTHING: Fields = frozenset()


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement of a block that gives a local its value, and all that the value depends on."""

    local: int
    statement: ir.Assign | ir.AssignSet
    locals: frozenset[int]
    fields: Fields


@dataclass(frozen=True, slots=True)
class Kept:
    """What a machine that waits keeps of secrets."""

    #: definitions that still hold, in the order in which they can be worked out again
    again: tuple[Definition, ...]
    #: other locals that are still needed, with the secret fields that they may depend on
    doubtful: tuple[tuple[int, Fields], ...]


class WaitingRules:
    """The analysis of a program; `secret` are its secret fields."""

    def __init__(self, program: ir.Program, secret: Fields) -> None:
        self.program = program
        self.secret = secret
        self._kept: dict[tuple[int, int, int | None], Kept] = {}
        self._holding: dict[int, list[frozenset[Definition]]] = {}
        self._live: dict[int, list[frozenset[int]]] = {}

    def kept(self, machine: int, block: int, callee: int | None) -> Kept:
        """What the machine keeps where it waits: asked in this block (`callee` None), or for a machine that it has
        called and after which it goes on with this block."""
        key = machine, block, callee
        if key not in self._kept:
            self._kept[key] = self._find(*key)
        return self._kept[key]

    def passed(self, caller: int, block: int, callee: int) -> tuple[tuple[int, ir.AnyExpr], ...]:
        """Parameters of a machine that was called, each with what the caller gave for it, as far as both still hold."""
        ends = {
            one.end
            for one in self.program.machines[caller].blocks
            if isinstance(one.end, ir.CallMachine) and one.end.machine == callee and one.end.block == block
        }
        if len(ends) != 1:
            return ()
        machine = self.program.machines[callee]
        changed: set[int] = set()
        for one in machine.blocks:
            changed |= set().union(*(assigned_locals(statement) for statement in one.body))
            if isinstance(one.end, ir.Ask | ir.CallMachine) and one.end.local is not None:
                changed.add(one.end.local)
        (end,) = ends
        return tuple(
            (place, arg)
            for place, arg in enumerate(end.args)
            if place in self._sources[callee]
            and place not in changed
            and not self._reads(arg) & self._machine_writes[callee]
        )

    # -------------------------------------------------------------------------------------------- fields and locals

    @cached_property
    def _function_reads(self) -> list[Fields]:
        return self._closed([self._reads_directly(f.body) for f in self.program.functions])

    @cached_property
    def _function_writes(self) -> list[Fields]:
        return self._closed([self._writes_directly(f.body) for f in self.program.functions])

    def _closed(self, found: list[Fields]) -> list[Fields]:
        """With what the functions that are called have."""
        calls = [frozenset(self._callees(f.body)) for f in self.program.functions]
        changed = True
        while changed:
            changed = False
            for number, called in enumerate(calls):
                more = found[number].union(*(found[c] for c in called)) if called else found[number]
                if more != found[number]:
                    found[number], changed = more, True
        return found

    def _callees(self, code: Any) -> Iterator[int]:
        for node in nodes(code):
            match node:
                case ir.Call(function=function) | ir.SetCall(function=function) | ir.Do(function=function):
                    yield function
                case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                    going = self.program.movements[number]
                    parts = (going.start, going.allowance, going.cost, going.stop, going.ends)
                    yield from (part for part in parts if part is not None)

    def _reads_directly(self, code: Any) -> Fields:
        found: set[int] = set()
        for node in nodes(code):
            match node:
                case ir.Load(field=number) | ir.SetLoad(field=number) | ir.ListLoad(field=number):
                    found.add(number)
                case ir.OverDomain(domain=number):
                    alive = self.program.domains[number].alive
                    if alive is not None:
                        found.add(alive)
        return frozenset(found)

    def _writes_directly(self, code: Any) -> Fields:
        found: set[int] = set()
        for node in nodes(code):
            match node:
                case (
                    ir.Store()
                    | ir.StoreSet()
                    | ir.StoreSetChange()
                    | ir.StoreList()
                    | ir.Enqueue()
                    | ir.Reset()
                ):
                    found.add(node.field)
                case ir.CopyField(target=number):
                    found.add(number)
                case ir.Create(domain=number):
                    found |= self._of_domain[number]
                case ir.Destroy(domain=number):
                    # Its other fields keep their values.
                    alive = self.program.domains[number].alive
                    found |= set() if alive is None else {alive}
                case ir.BranchBegin() | ir.BranchNext() | ir.BranchEnd():
                    # The writes of a branch are taken back and merged: nothing holds any more.
                    found |= set(range(len(self.program.fields)))
        return frozenset(found)

    @cached_property
    def _of_domain(self) -> dict[int, Fields]:
        """The fields of the elements of a domain."""
        found: dict[int, set[int]] = defaultdict(set)
        for number, entry in enumerate(self.program.fields):
            if entry.dims:
                found[entry.dims[0]].add(number)
        return defaultdict(frozenset, {domain: frozenset(fields) for domain, fields in found.items()})

    def _reads(self, code: Any) -> Fields:
        """Fields that an expression or a statement reads, also in the rules that it asks."""
        return self._reads_directly(code).union(*(self._function_reads[c] for c in self._callees(code)))

    def _writes(self, code: Any) -> Fields:
        return self._writes_directly(code).union(*(self._function_writes[c] for c in self._callees(code)))

    @cached_property
    def _machine_writes(self) -> list[Fields]:
        """Fields that a machine can write until it returns, with the machines that it calls."""
        found = [self._writes(machine.blocks) for machine in self.program.machines]
        calls = [
            {block.end.machine for block in machine.blocks if isinstance(block.end, ir.CallMachine)}
            for machine in self.program.machines
        ]
        changed = True
        while changed:
            changed = False
            for number, called in enumerate(calls):
                more = found[number].union(*(found[c] for c in called)) if called else found[number]
                if more != found[number]:
                    found[number], changed = more, True
        return found

    @cached_property
    def _sources(self) -> list[dict[int, Fields]]:
        """For each machine, its locals that may depend on secrets, and on which fields."""
        machines = self.program.machines
        found: list[dict[int, Fields]] = [{} for _ in machines]
        results: list[Fields] = [NOTHING for _ in machines]
        changed = True

        def put(number: int, local: int, fields: Fields) -> None:
            nonlocal changed
            before = found[number].get(local, NOTHING)
            if fields and not fields <= before:
                found[number][local] = before | fields
                changed = True

        while changed:
            changed = False
            for number, machine in enumerate(machines):
                known = found[number]

                def depends(code: Any, known: dict[int, Fields] = known) -> Fields:
                    if code is None:
                        return NOTHING
                    fields = self._reads(code) & self.secret
                    return fields.union(*(known.get(local, NOTHING) for local in read_locals(code)))

                for block in machine.blocks:
                    for local, fields in self._flows(block.body, NOTHING, depends):
                        put(number, local, fields)
                    match block.end:
                        case ir.CallMachine(machine=called, args=args, local=target):
                            for place, arg in enumerate(args):
                                put(called, place, depends(arg))
                            if target is not None:
                                put(number, target, results[called])
                        case ir.ReturnMachine(value=value) if value is not None:
                            more = results[number] | depends(value)
                            if more != results[number]:
                                results[number], changed = more, True
        return found

    def _flows(
        self, body: tuple[ir.Stmt, ...], under: Fields, depends: Callable[[Any], Fields]
    ) -> Iterator[tuple[int, Fields]]:
        """Locals that statements write, with the secret fields that decide what is written; `under` decide whether."""
        for statement in body:
            match statement:
                case ir.IfStmt(condition=condition, then=then, otherwise=otherwise):
                    inside = under | depends(condition)
                    yield from self._flows(then, inside, depends)
                    yield from self._flows(otherwise, inside, depends)
                case ir.While(condition=condition, body=inner):
                    yield from self._flows(inner, under | depends(condition), depends)
                case ir.For(var=var, over=over, where=where, key=key, body=inner):
                    inside = under | depends(over) | depends(where) | depends(key)
                    yield var, inside
                    yield from self._flows(inner, inside, depends)
                case ir.ForLine(body=inner):
                    inside = under | depends(statement.a) | depends(statement.b)
                    for var in (statement.kind_var, statement.first_var, statement.second_var):
                        yield var, inside
                    yield from self._flows(inner, inside, depends)
                case ir.Roll(total=total, pool=pool):
                    # Dice are seen by all; how many there are may not be.
                    fields = under | depends(statement.count)
                    yield from ((local, fields) for local in (total, pool) if local is not None)
                case _:
                    fields = under | depends(statement)
                    yield from ((local, fields) for local in (assigned_locals(statement) if fields else ()))

    # ------------------------------------------------------------------------------------------ what still holds

    def _definition(self, statement: Any) -> Definition | None:
        """The definition that a statement is, if it can be worked out again."""
        if not isinstance(statement, ir.Assign | ir.AssignSet):
            return None
        read = read_locals(statement.value)
        if statement.local in read:
            return None
        return Definition(statement.local, statement, read, self._reads(statement.value))

    def _after(self, holding: frozenset[Definition], block: ir.Block) -> frozenset[Definition]:
        """What holds at the end of a block, before it ends."""
        now = set(holding)
        for statement in block.body:
            written, locals_ = self._writes(statement), assigned_locals(statement)
            now = {
                d for d in now if d.local not in locals_ and not d.locals & locals_ and not d.fields & written
            }
            made = self._definition(statement)
            if made is not None:
                now.add(made)
        return frozenset(now)

    def _over(self, holding: frozenset[Definition], end: ir.Terminator) -> frozenset[Definition]:
        """What of it holds when the next block begins."""
        local = end.local if isinstance(end, ir.Ask | ir.CallMachine) else None
        written = self._machine_writes[end.machine] if isinstance(end, ir.CallMachine) else NOTHING
        return frozenset(d for d in holding if local not in (d.local, *d.locals) and not d.fields & written)

    def _holding_at(self, number: int) -> list[frozenset[Definition]]:
        """For each block of a machine, the definitions that hold where it begins, whichever way led there."""
        if number in self._holding:
            return self._holding[number]
        blocks = self.program.machines[number].blocks
        found: list[frozenset[Definition] | None] = [None] * len(blocks)
        found[0] = frozenset()
        waiting = [0]
        while waiting:
            here = waiting.pop()
            before = found[here]
            assert before is not None
            after = self._over(self._after(before, blocks[here]), blocks[here].end)
            for following in successors(blocks[here].end):
                known = found[following]
                now = after if known is None else known & after
                if now != known:
                    found[following] = now
                    waiting.append(following)
        self._holding[number] = [one or frozenset() for one in found]
        return self._holding[number]

    def _live_at(self, number: int) -> list[frozenset[int]]:
        if number not in self._live:
            self._live[number] = live_locals(self.program, self.program.machines[number])
        return self._live[number]

    def _find(self, number: int, block: int, callee: int | None) -> Kept:
        sources = self._sources[number]
        if not sources:
            return Kept((), ())
        machine = self.program.machines[number]
        entered = self._holding_at(number)
        live = self._live_at(number)
        holding: frozenset[Definition] | None = None
        needed: set[int] = set()
        for place, one in enumerate(machine.blocks):
            end = one.end
            if callee is None:
                if place != block:
                    continue
                needed |= read_locals(end)
                for following in successors(end):
                    needed |= live[following]
                now = self._after(entered[place], one)
            elif isinstance(end, ir.CallMachine) and end.machine == callee and end.block == block:
                needed |= live[block] - {end.local}
                now = self._over(self._after(entered[place], one), end)
            else:
                continue
            holding = now if holding is None else holding & now
        held = {d.local: d for d in holding or ()}
        again: list[Definition] = []
        wanted = [local for local in sorted(needed) if local in sources]
        done: set[int] = set()

        def work_out(local: int) -> None:
            """A definition after those that it needs."""
            if local in done or local not in held:
                return
            done.add(local)
            for other in sorted(held[local].locals):
                work_out(other)
            if local in sources:
                again.append(held[local])

        for local in wanted:
            work_out(local)
        redone = {d.local for d in again}
        # What is worked out again from a doubtful local is as doubtful.
        rest = {local for local in wanted if local not in redone}
        rest |= {local for d in again for local in d.locals if local in sources and local not in redone}
        return Kept(tuple(again), tuple((local, sources[local]) for local in sorted(rest)))
