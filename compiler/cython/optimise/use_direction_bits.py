"""Direction bits: conditions on directions of a place, for all directions at once, one bit for each.

`any(d in {n, e} where toward(q, d, 2).field is v)` becomes a few operations on a word: in which directions there is a place
so many steps away that holds the value, the same seen from the opposite direction, and so on.  Small numbers are kept as one
word for each value that they can have.  Maps that do not fit on a bitboard are asked direction by direction.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from dataclasses import dataclass

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.use_bitboards import (
    MOST_CALLS,
    MOST_NODES,
    Facts,
    NoBitboard,
    known_places,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.tree import Node
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.contract import ir
from grognard.contract.header import NONE

#: How far rays reach, and how many there are; kernels/context.h has the same.
FAR = 3
RAYS = 8
#: Values that a number may have, and pairs of values of two numbers.
MOST_VALUES = 8
RAYS_POINTER = "const grog_rays *{}"
BITS = "grog_direction_bits {}"

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "min": min,
    "max": max,
}
_ORDER: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}

#: For each value that a number can have, the directions in which it has it.
Spread = dict[int, str]


@dataclass(slots=True)
class _Work:
    """A question under construction."""

    var: int
    #: locals that are not the same for all directions
    changed: set[int]
    rays: str
    #: the place from which directions are counted, and the domain of the places that are looked at
    centre: ir.Expr | None = None
    domain: int | None = None
    held: dict[tuple[str, ...], str] = dataclasses.field(default_factory=dict)


@dataclass(slots=True)
class DirectionFilter:
    """A condition for all directions: the lines that leave it in `result`, and the place that they begin at."""

    rays: str
    centre: ir.Expr
    domain: int
    lines: list[Node]
    result: str


class DirectionBits(Printer):
    """Conditions for all directions at once."""

    def direction_filter(self, node: ir.Aggregate) -> tuple[DirectionFilter, str] | None:
        """An aggregate over directions that asks nothing but whether there are some, or how many; and the word of the
        directions that it is about."""
        if (
            not self.body.plan.uses("use_direction_bits")
            or node.op not in ("any", "count")
            or node.where is None
        ):
            return None
        match node.over:
            case ir.OverItems(items=items):
                numbers = [item.value for item in items if isinstance(item, ir.Const)]
                if len(numbers) < len(items) or len(set(numbers)) < len(items):
                    return None
                if not all(0 <= number < RAYS for number in numbers):
                    return None
                asked = str(sum(1 << number for number in numbers))
            case ir.OverDomain(domain=domain) if self.body.program.domains[domain].sort == "direction":
                if not self.body.program.domains[domain].zero_based:
                    return None
                asked = f"((1 << {self.body.count(domain)}) - 1)"
            case _:
                return None
        before, known = len(self.body.out.variables), len(self.body.locals)
        made = self._direction_filter(node.var, node.where)
        if made is None:
            del self.body.out.variables[before:]
            del self.body.locals[known:]
            return None
        return made, asked

    def _direction_filter(self, var: int, where: ir.Expr) -> DirectionFilter | None:
        whole = self.body.bitboards.expanded(where, MOST_CALLS)
        if sum(1 for _ in nodes(whole)) > MOST_NODES:
            return None
        work = _Work(var, assigned(whole) | {var}, self.body.out.variable("rays", RAYS_POINTER))
        try:
            with self.body.out.buffered() as lines:
                result = self._word(work, whole, frozenset())
        except NoBitboard:
            return None
        if work.centre is None or work.domain is None:
            return None
        return DirectionFilter(work.rays, work.centre, work.domain, lines, result)

    def open_directions(self, made: DirectionFilter) -> str:
        """The head of a block that runs if the question can be asked for all directions at once."""
        bounds = f"{self.body.first(made.domain)}, {self.body.count(made.domain)}"
        self.body.out.add(
            f"{made.rays} = grog_rays_of(ctx, {self.body.expressions.value(made.centre)}, {bounds})"
        )
        return f"if grog_has_rays({made.rays}):"

    def direction_result(
        self, node: ir.Aggregate, made: DirectionFilter, asked: str, count: str, result: str
    ) -> None:
        """The lines of that block."""
        self.body.out.nodes += made.lines
        found = f"{made.result} & {asked}"
        self.body.out.add(f"{result} = {f'grog_ones({found})' if node.op == 'count' else f'({found}) != 0'}")
        with self.body.out.block(f"if not {count}:"):
            self.body.out.add(f"{result} = 0")

    # -- conditions

    def _word(self, work: _Work, node: ir.Expr, facts: Facts) -> str:
        """The variable that holds the directions for which the node is true."""
        if self._same_for_all(work, node):
            return self._let(f"grog_directions_all({self.body.expressions.condition(node)})")
        match node:
            case ir.Unary(op="not", value=value):
                return self._let(f"~{self._word(work, value, facts)}")
            case ir.Binary(
                op="and",
                left=ir.Binary(op="ne", left=ir.Verb() as place, right=ir.Const(value=none)),
                right=ir.Binary(op="eq", left=ir.Load(index=(index,)) as cell, right=fixed),
            ) if none == NONE and index == place and self._same_for_all(work, fixed):
                # What holds something is there.
                return self._ray_cell(work, cell, fixed, facts | {place})
            case ir.Binary(op="and" | "or" as op, left=left, right=right):
                first = self._word(work, left, facts)
                second = self._word(work, right, facts | known_places(left, op == "and"))
                return self._let(f"{first} {'&' if op == 'and' else '|'} {second}")
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                asked = self._word(work, condition, facts)
                yes = self._word(work, then, facts | known_places(condition, True))
                no = self._word(work, otherwise, facts | known_places(condition, False))
                return self._let(f"({asked} & {yes}) | ({no} & ~{asked})")
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right) if self._ray_fixed(
                work, left, right
            ):
                word = self._ray_equal(work, left, right, facts)
                return word if op == "eq" else self._let(f"~{word}")
            case ir.Binary(op=op, left=left, right=right) if op in _ORDER:
                return self._compared(work, op, left, right, facts)
            case ir.Load() | ir.Data():
                return self._let(f"~{self._ray_cell(work, node, ir.Const(0), facts)}")
        raise NoBitboard

    def _same_for_all(self, work: _Work, node: ir.Expr) -> bool:
        """Whether the node has one value for all directions, and is side-effect free."""
        known = {local: domain for local, domain in self.body.bounded.items() if local not in work.changed}
        return side_effect_free(self.body.plan, node, known) and not read_locals(node) & work.changed

    def _ray_fixed(self, work: _Work, left: ir.Expr, right: ir.Expr) -> bool:
        """Whether a place or a cell is compared with something that is the same for all directions."""
        looked_at = (ir.Verb, ir.Load, ir.Data)
        return any(
            isinstance(a, looked_at) and self._same_for_all(work, b)
            for a, b in ((left, right), (right, left))
        )

    def _ray_equal(self, work: _Work, left: ir.Expr, right: ir.Expr, facts: Facts) -> str:
        for cell, fixed in ((left, right), (right, left)):
            if not self._same_for_all(work, fixed):
                continue
            if isinstance(cell, ir.Verb) and fixed == ir.Const(NONE):
                steps, turn = self._ray(work, cell)
                return self._let(
                    f"~{self._ray_turned(work, turn, f'grog_directions_present({work.rays}, {steps})')}"
                )
            if isinstance(cell, ir.Load | ir.Data):
                return self._ray_cell(work, cell, fixed, facts)
        raise NoBitboard

    def _ray_cell(self, work: _Work, node: ir.Load | ir.Data, fixed: ir.Expr, facts: Facts) -> str:
        """The directions in which the cell of a place holds a value; only where there is a place."""
        entry, array = self.body.bitboards.cells_of(node)
        if len(entry.dims) != 1 or not isinstance(entry.type, ir.IntType):
            raise NoBitboard
        (domain,) = entry.dims
        if self.body.program.domains[domain].sort != "place" or work.domain not in (None, domain):
            raise NoBitboard
        (place,) = node.index
        if not isinstance(place, ir.Verb) or place not in facts:
            raise NoBitboard
        work.domain = domain
        steps, turn = self._ray(work, place)
        value = self.body.expressions.value(fixed).text
        return self._ray_turned(
            work, turn, f"grog_directions_holding({work.rays}, {steps}, {array}, {value})"
        )

    def _ray(self, work: _Work, node: ir.Verb) -> tuple[int, str]:
        """How far away the place is, and how its direction is found from the one that is asked about."""
        match node:
            case ir.Verb(name="neighbour", args=(centre, direction)):
                steps = 1
            case ir.Verb(name="toward", args=(centre, direction, ir.Const(value=steps))) if 1 <= steps <= FAR:
                pass
            case _:
                raise NoBitboard
        if not self._same_for_all(work, centre) or work.centre not in (None, centre):
            raise NoBitboard
        work.centre = centre
        match direction:
            case ir.Local(index=index) if index == work.var:
                return steps, ""
            case ir.Verb(name="opposite", args=(ir.Local(index=index),)) if index == work.var:
                return steps, "grog_directions_opposite(ctx, {})"
            case ir.Verb(name="turned", args=(ir.Local(index=index), by)) if index == work.var:
                if self._same_for_all(work, by):
                    return steps, f"grog_directions_turned(ctx, {{}}, {self.body.expressions.value(by)})"
        raise NoBitboard

    def _ray_turned(self, work: _Work, turn: str, text: str) -> str:
        """The variable of what is found in each direction, seen as the turn says; each is worked out once."""
        for key, made in (((text,), text), ((text, turn), turn)):
            if made and key not in work.held:
                work.held[key] = self._let(made.format(work.held.get((text,))) if made is turn else made)
        return work.held[(text, turn) if turn else (text,)]

    # -- small numbers

    def _spread(self, work: _Work, node: ir.Expr, facts: Facts) -> Spread:
        """For each value of a number the directions in which it has it."""
        match node:
            case ir.Const(value=value) if value != NONE:
                return {value: self._let("grog_directions_all(1)")}
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                asked = self._word(work, condition, facts)
                made: Spread = {}
                for part, where, true in ((then, asked, True), (otherwise, f"~{asked}", False)):
                    more = self._spread(work, part, facts | known_places(condition, true))
                    for value, word in more.items():
                        also = f" | {made[value]}" if value in made else ""
                        made[value] = self._let(f"({word} & {where}){also}")
                return self._few_values(made)
            case ir.Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
                first, second = self._spread(work, left, facts), self._spread(work, right, facts)
                made = {}
                for a, word in first.items():
                    for b, other in second.items():
                        value = _ARITHMETIC[op](a, b)
                        also = f" | {made[value]}" if value in made else ""
                        made[value] = self._let(f"({word} & {other}){also}")
                return self._few_values(made)
        raise NoBitboard

    @staticmethod
    def _few_values(made: Spread) -> Spread:
        if len(made) > MOST_VALUES:
            raise NoBitboard
        return made

    def _compared(self, work: _Work, op: str, left: ir.Expr, right: ir.Expr, facts: Facts) -> str:
        """The directions in which two small numbers, or the sum of two and a third, compare as asked."""
        match left, right:
            case ir.Binary(op=inner, left=first, right=second), ir.Const(value=limit) if (
                inner in _ARITHMETIC and limit != NONE
            ):
                one, other = self._spread(work, first, facts), self._spread(work, second, facts)

                def fits(a: int, b: int) -> bool:
                    return _ORDER[op](_ARITHMETIC[inner](a, b), limit)

            case _:
                one, other = self._spread(work, left, facts), self._spread(work, right, facts)

                def fits(a: int, b: int) -> bool:
                    return _ORDER[op](a, b)

        parts: dict[tuple[int, ...], str] = {}
        found: list[str] = []
        for a, word in one.items():
            values = tuple(b for b in other if fits(a, b))
            if len(values) == len(other):
                found.append(word)
            elif values:
                if values not in parts:
                    parts[values] = self._let(" | ".join(other[b] for b in values))
                found.append(f"({word} & {parts[values]})")
        return self._let(" | ".join(found) or "grog_directions_all(0)")

    def _let(self, text: str) -> str:
        name = self.body.out.variable("bits", BITS)
        self.body.out.add(f"{name} = {text}")
        return name


def direction_count(node: ir.Aggregate, count: Callable[[int], str]) -> str:
    """The passes that a loop over the directions would take."""
    match node.over:
        case ir.OverItems(items=items):
            return str(len(items))
        case ir.OverDomain(domain=domain):
            return count(domain)
    raise AssertionError(node.over)
