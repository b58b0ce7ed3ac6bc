"""The outcomes of a chance node with exact integer weights; outcomes that the rules cannot distinguish are merged."""

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
from grognard.odds.canonical import Canonicaliser
from grognard.odds.dice import binomial, chance_at_most, multisets, totals
from grognard.odds.errors import OddsError
from grognard.odds.liveness import assigned_locals

#: Outcomes of a pool whose order matters: more than this are not enumerated.
MAX_ORDERED_OUTCOMES = 50_000


@dataclass(slots=True)
class ChanceNode:
    """A chance node: the Ask, the dice or draw that it stands for, its frame in the cells."""

    ask: ir.Ask
    chance: ir.Chance
    machine: ir.Machine
    offsets: tuple[int, ...]
    place: int


class ChanceOutcomes:
    """The outcomes of all chance nodes of one program."""

    def __init__(self, program: ir.Program, layout: Layout, canonical: Canonicaliser) -> None:
        self.program, self.layout, self.canonical = program, layout, canonical
        self._classes: dict[int, list[tuple[Any, Any]] | None] = {}

    def node_at(self, c: memoryview) -> ChanceNode | None:
        """The chance node of a position; None if a choice is pending."""
        place = self.layout.stack_offset + c[H_FP]
        machine = self.program.machines[c[place]]
        end = machine.blocks[c[place + 1]].end
        assert isinstance(end, ir.Ask)
        chance = self.program.asks[end.ask].chance
        if chance is None:
            return None
        return ChanceNode(end, chance, machine, self.layout.frames[machine.id].offsets, place)

    def outcomes_at(self, c: memoryview, stop: ChanceNode) -> tuple[int, list[tuple[int, Any]]]:
        """(total weight, [(weight, outcome)]); `apply` takes the outcome."""
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
                for group, ways, all_ways in self.element_groups(c, stop):
                    whole *= all_ways ** len(group)
                    parts.append(
                        [(w, group[:k]) for k, w in enumerate(binomial(len(group), ways, all_ways)) if w]
                    )
                return whole, list(_joint_outcomes(parts))
        raise AssertionError(stop.chance.sort)

    def apply(self, c: memoryview, stop: ChanceNode, outcome: Any) -> None:
        """Write an outcome into the frame."""
        at = stop.place
        chance = stop.chance
        if chance.sort in ("total", "draw"):
            c[at + stop.offsets[stop.ask.local]] = outcome
        elif chance.sort == "pool":
            kind = stop.machine.locals[chance.result].type
            assert isinstance(kind, ir.ListType)
            cell = at + stop.offsets[chance.result]
            c[cell] = len(outcome)
            for number in range(kind.capacity):
                c[cell + 1 + number] = outcome[number] if number < len(outcome) else 0
        else:
            domain = self._domain(stop, chance.result)
            base, count = self.layout.base[domain], self.layout.count[domain]
            mask = 0
            for value in outcome:
                mask |= 1 << (value - base)
            store_set(c, at + stop.offsets[chance.result], max(1, (count + 31) // 32), mask)

    def _domain(self, stop: ChanceNode, local: int) -> int:
        kind = stop.machine.locals[local].type
        assert isinstance(kind, ir.SetType)
        return kind.domain

    def _draw(self, c: memoryview, stop: ChanceNode) -> tuple[int, list[tuple[int, Any]]]:
        bag = stop.chance.bag
        domain = self.program.fields[bag].dims[0]
        start, base = self.layout.field_offset[bag], self.layout.base[domain]
        counts = c[start : start + self.layout.field_cells[bag]]
        return sum(counts), [(count, base + row) for row, count in enumerate(counts) if count]

    # ---- a die for each element

    def elements_by_chance(self, c: memoryview, stop: ChanceNode) -> dict[tuple[int, int], list[int]]:
        """Elements by their probability: {(weight of a success, total weight): elements}."""
        chance = stop.chance
        domain = self._domain(stop, chance.elements)
        words = max(1, (self.layout.count[domain] + 31) // 32)
        cell = stop.place + stop.offsets[chance.elements]
        limits = stop.place + stop.offsets[chance.limits] + 1
        found: dict[tuple[int, int], list[int]] = {}
        for number, element in enumerate(elements(load_set(c, cell, words), self.layout.base[domain])):
            limit = c[limits + number]
            # An empty limit never succeeds, like one below every face.
            ways = (0, 1) if limit == NONE else chance_at_most(chance.dice, chance.lo, chance.hi, limit)
            found.setdefault(ways, []).append(element)
        return found

    def element_groups(self, c: memoryview, stop: ChanceNode) -> list[tuple[list[int], int, int]]:
        """Groups of interchangeable elements: (elements, weight of a success, total weight)."""
        domain = self._domain(stop, stop.chance.elements)
        return [
            (group, *ways)
            for ways, found in self.elements_by_chance(c, stop).items()
            for group in self.canonical.interchangeable_groups(c, domain, found)
        ]

    # ---- pools

    def _pool(self, c: memoryview, stop: ChanceNode) -> tuple[int, list[tuple[int, Any]]]:
        number, groups = self.face_classes(c, stop)
        if not number:
            return 1, [(1, ())]
        faces = range(stop.chance.lo, stop.chance.hi + 1)
        whole = len(faces) ** number
        if groups is None:
            if whole > MAX_ORDERED_OUTCOMES:
                raise OddsError(
                    f"rules look at the order of {number} dice, which can fall in {whole:,} ways: too many to enumerate"
                )
            return whole, [(1, dice) for dice in product(faces, repeat=number)]
        found = []
        for counts, weight in multisets(number, [len(group) for group in groups]):
            dice = [group[0] for group, count in zip(groups, counts) for _ in range(count)]
            found.append((weight, tuple(sorted(dice))))
        return whole, found

    def face_classes(self, c: memoryview, stop: ChanceNode) -> tuple[int, list[list[int]] | None]:
        """The number of dice of a pool, and its faces in classes that the rules cannot distinguish; None: order matters."""
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

    def _uses(self, stop: ChanceNode) -> list[tuple[Any, int]] | None:
        """What the rules read of a pool: (expression, variable); None if its order may matter."""
        key = stop.ask.ask
        if key not in self._classes:
            self._classes[key] = _uses_of(stop.machine, stop.chance.result, stop.ask.block)
        return self._classes[key]


def _joint_outcomes(parts: list[list[tuple[int, list[int]]]]) -> Iterator[tuple[int, list[int]]]:
    for combination in product(*parts):
        weight = 1
        outcome: list[int] = []
        for w, group in combination:
            weight *= w
            outcome += group
        yield weight, outcome


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
    return [(expr if _is_evaluable(expr, var, changing) else None, var) for expr, var in uses]


def _changed_from(machine: ir.Machine, start: int) -> frozenset[int]:
    """Locals that can be written in reachable blocks."""
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


def _is_evaluable(expr: Any, var: int, changing: frozenset[int]) -> bool:
    """Whether the expression depends only on the die and on values that cannot change any more."""
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


def _value_of(expr: Any, var: int, face: int, c: memoryview, stop: ChanceNode) -> int | None:
    """The value of an evaluable expression for a face; None: it cannot merge faces."""
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
