"""The ways that dice or a draw can fall where a chance program stops, with exact weights, equal ways merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from grognard.contract import ir
from grognard.contract.bitsets import (
    elements,
    load_set,
    store_set,
)
from grognard.contract.header import (
    FAIL_LIST,
    H_FP,
    NONE,
)
from grognard.contract.ir.walk import nodes, successors
from grognard.contract.layout import Layout
from grognard.odds.canonical import Alike
from grognard.odds.dice import binomial, chance_at_most, multisets, totals
from grognard.odds.errors import OddsError
from grognard.odds.liveness import assigned_locals

#: Dice of a pool whose order rules look at: more ways than this are not enumerated.
ORDERED_WAYS = 50_000


@dataclass(slots=True)
class Stop:
    """A place where dice fall: the Ask, what it stands for, its frame in the cells."""

    ask: ir.Ask
    chance: ir.Chance
    machine: ir.Machine
    offsets: tuple[int, ...]
    place: int


class Falls:
    """All ways that dice can fall at the stops of one program."""

    def __init__(self, program: ir.Program, layout: Layout, alike: Alike) -> None:
        self.program, self.layout, self.alike = program, layout, alike
        self._classes: dict[int, list[tuple[Any, Any]] | None] = {}

    def stop(self, c: memoryview) -> Stop | None:
        """The stop that the position stands at; None if it is a choice."""
        place = self.layout.stack_offset + c[H_FP]
        machine = self.program.machines[c[place]]
        end = machine.blocks[c[place + 1]].end
        assert isinstance(end, ir.Ask)
        chance = self.program.asks[end.ask].chance
        if chance is None:
            return None
        return Stop(end, chance, machine, self.layout.frames[machine.id].offsets, place)

    def ways(self, c: memoryview, stop: Stop) -> tuple[int, list[tuple[int, Any]]]:
        """(all ways, [(ways, what falls)]); what falls is handed to `put`."""
        match stop.chance.sort:
            case "total":
                chance = stop.chance
                found = totals(chance.dice, chance.lo, chance.hi)
                return (chance.hi - chance.lo + 1) ** chance.dice, [(w, total) for total, w in found]
            case "draw":
                return self._draw(c, stop)
            case "pool":
                return self._pool(c, stop)
            case "each":
                whole = 1
                parts = []
                for group, ways, all_ways in self.groups(c, stop):
                    whole *= all_ways ** len(group)
                    parts.append(
                        [(w, group[:k]) for k, w in enumerate(binomial(len(group), ways, all_ways)) if w]
                    )
                return whole, list(_joined(parts))
        raise AssertionError(stop.chance.sort)

    def put(self, c: memoryview, stop: Stop, fallen: Any) -> None:
        """Write what fell into the frame."""
        at = stop.place
        chance = stop.chance
        if chance.sort in ("total", "draw"):
            c[at + stop.offsets[stop.ask.local]] = fallen
        elif chance.sort == "pool":
            kind = stop.machine.locals[chance.result].type
            assert isinstance(kind, ir.ListType)
            cell = at + stop.offsets[chance.result]
            c[cell] = len(fallen)
            for number in range(kind.capacity):
                c[cell + 1 + number] = fallen[number] if number < len(fallen) else 0
        else:
            domain = self._domain(stop, chance.result)
            base, count = self.layout.base[domain], self.layout.count[domain]
            mask = 0
            for value in fallen:
                mask |= 1 << (value - base)
            store_set(c, at + stop.offsets[chance.result], max(1, (count + 31) // 32), mask)

    def _domain(self, stop: Stop, local: int) -> int:
        kind = stop.machine.locals[local].type
        assert isinstance(kind, ir.SetType)
        return kind.domain

    def _draw(self, c: memoryview, stop: Stop) -> tuple[int, list[tuple[int, Any]]]:
        bag = stop.chance.bag
        domain = self.program.fields[bag].dims[0]
        start, base = self.layout.field_offset[bag], self.layout.base[domain]
        counts = c[start : start + self.layout.field_cells[bag]]
        return sum(counts), [(count, base + row) for row, count in enumerate(counts) if count]

    # ---- a die for each

    def by_limit(self, c: memoryview, stop: Stop) -> dict[tuple[int, int], list[int]]:
        """Elements by their chance: {(ways of a success, all ways): elements}."""
        chance = stop.chance
        domain = self._domain(stop, chance.elements)
        words = max(1, (self.layout.count[domain] + 31) // 32)
        cell = stop.place + stop.offsets[chance.elements]
        limits = stop.place + stop.offsets[chance.limits] + 1
        found: dict[tuple[int, int], list[int]] = {}
        for number, element in enumerate(elements(load_set(c, cell, words), self.layout.base[domain])):
            limit = c[limits + number]
            # An empty limit is never reached; so is one that is lower than every face.
            ways = (0, 1) if limit == NONE else chance_at_most(chance.dice, chance.lo, chance.hi, limit)
            found.setdefault(ways, []).append(element)
        return found

    def groups(self, c: memoryview, stop: Stop) -> list[tuple[list[int], int, int]]:
        """Elements that fare alike: (elements, ways of a success, all ways)."""
        domain = self._domain(stop, stop.chance.elements)
        return [
            (group, *ways)
            for ways, found in self.by_limit(c, stop).items()
            for group in self.alike.groups(c, domain, found)
        ]

    # ---- pools

    def _pool(self, c: memoryview, stop: Stop) -> tuple[int, list[tuple[int, Any]]]:
        number, groups = self.faces(c, stop)
        if not number:
            return 1, [(1, ())]
        faces = range(stop.chance.lo, stop.chance.hi + 1)
        whole = len(faces) ** number
        if groups is None:
            if whole > ORDERED_WAYS:
                raise OddsError(
                    f"rules look at the order of {number} dice, which can fall in {whole:,} ways: too many to enumerate"
                )
            return whole, [(1, dice) for dice in product(faces, repeat=number)]
        found = []
        for counts, weight in multisets(number, [len(group) for group in groups]):
            dice = [group[0] for group, count in zip(groups, counts) for _ in range(count)]
            found.append((weight, tuple(sorted(dice))))
        return whole, found

    def faces(self, c: memoryview, stop: Stop) -> tuple[int, list[list[int]] | None]:
        """The number of a pool's dice, and faces in classes that rules cannot tell apart; None: their order matters."""
        chance = stop.chance
        number = max(0, c[stop.place + stop.offsets[chance.number]])
        kind = stop.machine.locals[chance.result].type
        assert isinstance(kind, ir.ListType)
        if number > kind.capacity:
            from grognard.contract.backend import RuleFailure

            raise RuleFailure(FAIL_LIST, stop.ask.site, (number,))
        uses = self._uses(stop)
        if not number:
            return 0, [list(range(chance.lo, chance.hi + 1))]
        if uses is None:
            return number, None
        classes: dict[Any, list[int]] = {}
        for face in range(chance.lo, chance.hi + 1):
            look = tuple(_value_of(use, var, face, c, stop) for use, var in uses)
            classes.setdefault(face if None in look else look, []).append(face)
        return number, list(classes.values())

    def _uses(self, stop: Stop) -> list[tuple[Any, int]] | None:
        """What rules look at in a pool: (expression, variable); None if its order can matter."""
        key = stop.ask.ask
        if key not in self._classes:
            self._classes[key] = _uses_of(stop.machine, stop.chance.result, stop.ask.block)
        return self._classes[key]


def _joined(parts: list[list[tuple[int, list[int]]]]) -> Iterator[tuple[int, list[int]]]:
    for combination in product(*parts):
        weight = 1
        fallen: list[int] = []
        for w, group in combination:
            weight *= w
            fallen += group
        yield weight, fallen


def _uses_of(machine: ir.Machine, pool: int, start: int) -> list[tuple[Any, int]] | None:
    uses: list[tuple[Any, int]] = []
    allowed = 0
    mentions = 0
    for part in nodes(machine.blocks):
        match part:
            case ir.ListLocal(index=index) if index == pool:
                mentions += 1
            case ir.Aggregate(op="count" | "sum" | "any" | "all" | "min" | "max", over=ir.OverList(list=ir.ListLocal(index=i))) if i == pool:  # fmt: skip
                allowed += 1
                uses += [(expr, part.var) for expr in (part.where, part.value) if expr is not None]
            case ir.ListLength(list=ir.ListLocal(index=i)) if i == pool:
                allowed += 1
    if allowed != mentions:
        return None
    changing = _changed_from(machine, start)
    return [(expr if _plain(expr, var, changing) else None, var) for expr, var in uses]


def _changed_from(machine: ir.Machine, start: int) -> frozenset[int]:
    """Locals that can be written in the blocks that follow."""
    seen: set[int] = set()
    waiting = [start]
    found: frozenset[int] = frozenset()
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            found |= assigned_locals(machine.blocks[number])
            waiting += successors(machine.blocks[number].end)
    return found


def _plain(expr: Any, var: int, changing: frozenset[int]) -> bool:
    """Whether the expression depends on the die and on what cannot change any more alone."""
    for part in nodes(expr):
        match part:
            case ir.Const() | ir.Unary() | ir.If():
                continue
            case ir.Binary(op=op) if op not in ("div_down", "div_up", "div_near", "mod"):
                continue
            case ir.Local(index=index) if index == var or index not in changing:
                continue
        return False
    return True


def _value_of(expr: Any, var: int, face: int, c: memoryview, stop: Stop) -> int | None:
    """The value of a plain expression for a face; None: faces cannot be told to be equal by it."""
    if expr is None:
        return None

    def value(node: Any) -> int:
        match node:
            case ir.Const(value=number):
                return number
            case ir.Local(index=index):
                return face if index == var else c[stop.place + stop.offsets[index]]
            case ir.Unary(op=op, value=inner):
                found = value(inner)
                return {"neg": -found, "not": int(not found), "abs": abs(found)}[op]
            case ir.If():
                return value(node.then if value(node.condition) else node.otherwise)
        a, b = value(node.left), value(node.right)
        known = NONE not in (a, b)
        return int(
            {
                "add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b), "eq": a == b,
                "ne": a != b, "lt": known and a < b, "le": known and a <= b, "gt": known and a > b,
                "ge": known and a >= b, "and": bool(a and b), "or": bool(a or b),
            }[node.op]
        )  # fmt: skip

    return value(expr)
