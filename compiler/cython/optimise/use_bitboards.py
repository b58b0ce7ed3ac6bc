"""Bitboards: filters over the places of a grid, for all places at once, one bit for each.

A filter that compares fields of a place, or of the place beside it in some direction, becomes a few operations on words:
the cells that hold a value are a board, and what lies in a direction is the same board shifted.  Code is written for two
widths, one word and six; a map that has more places, or whose places are not numbered row by row, is asked place by place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline_functions import (
    joined,
    renamed,
    single_value,
)
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.tree import BitboardKey, HeldBoard, MakeBoard, Node, substituted
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import conjuncts

#: Words of the boards that code is printed for; kernels/context.h has the types.
WIDTHS = (1, 6)
#: What stands for the width in lines that are written for each.
WIDTH = "\1"
#: Nodes that a filter may have when all calls are written out.
MOST_NODES = 400
MOST_CALLS = 6

Facts = frozenset[ir.Expr]


class NoBitboard(Exception):
    """The expression cannot be evaluated for all places at once."""


@dataclass(slots=True)
class BitboardFilter:
    """A filter in two parts: `asked` as lines that leave its board in `result`, and what is left of it."""

    domain: int
    lines: list[Node]
    variables: list[str]
    result: str
    asked: ir.Expr
    rest: ir.Expr | None
    #: what is asked of a place, with all calls written out, where nothing but the place makes a difference
    key: BitboardKey | None = None


@dataclass(slots=True)
class _Work:
    """A board under construction."""

    domain: int
    var: int
    #: locals that are not the same for all places
    changed: set[int]
    #: lines that come first: which cells hold a value
    first: list[Node] = dataclasses.field(default_factory=list)
    held: dict[tuple[str, ir.Expr], str] = dataclasses.field(default_factory=dict)
    #: the neighbour that a loop over directions stands at, and the text of the direction
    beside: tuple[int, str] | None = None
    #: whether there is more to it than cells of the place itself, which need no board
    looks_around: bool = False

    @property
    def direction(self) -> ir.Expr | None:
        """The question that the loop over directions answers."""
        if self.beside is None:
            return None
        return ir.Verb("direction", (ir.Local(self.var), ir.Local(self.beside[0])), 0)


class Bitboards(Printer):
    """Filters as bitboards."""

    def bitboard_filter(
        self, domain: int, var: int, where: ir.Expr | None, below: Any
    ) -> BitboardFilter | None:
        """The filter of a loop over a domain of places, as far as it can be evaluated for all at once."""
        entry = self.body.program.domains[domain]
        if not self.body.plan.uses("use_bitboards"):
            return None
        if where is None or entry.sort != "place" or entry.alive is not None:
            return None
        before, known = len(self.body.out.variables), len(self.body.locals)
        made = self._bitboard_filter(_Work(domain, var, assigned(below) | {var}), where)
        added = self.body.out.variables[before:]
        self.body.out.variables[before:] = [line for line in added if made is not None and WIDTH not in line]
        if made is None:
            del self.body.locals[known:]
            return None
        made.variables = [line for line in added if WIDTH in line]
        return made

    def _bitboard_filter(self, work: _Work, where: ir.Expr) -> BitboardFilter | None:
        lines: list[Node] = []
        boards: list[str] = []
        asked: list[ir.Expr] = []
        wholes: list[ir.Expr] = []
        rest: list[ir.Expr] = []
        facts: Facts = frozenset()
        ahead = True
        for part in conjuncts(where):
            made = self._conjunct(work, part, facts) if ahead else None
            if made is None:
                rest.append(part)
                ahead = ahead and side_effect_free(
                    self.body.plan, part, {**self.body.bounded, work.var: work.domain}
                )
                continue
            more, board, whole = made
            asked.append(part)
            if whole == ir.Const(1):
                # It is true of every place.
                continue
            lines += more
            boards.append(board)
            wholes.append(whole)
            facts |= known_places(whole, True)
        whole_asked = joined(asked)
        if whole_asked is None or not boards or not work.looks_around:
            return None
        with self.body.out.buffered() as ends:
            result = reduce(lambda a, b: self._op("and", a, b), boards)
        key = bitboard_key(work, wholes)
        return BitboardFilter(
            work.domain, [*work.first, *lines, *ends], [], result, whole_asked, joined(rest), key
        )

    def _conjunct(self, work: _Work, part: ir.Expr, facts: Facts) -> tuple[list[Node], str, ir.Expr] | None:
        """Lines that make the board of one part of a filter, the board, and the part with its calls written out."""
        whole = self.expanded(part, MOST_CALLS)
        if sum(1 for _ in nodes(whole)) > MOST_NODES:
            return None
        changed, beside = set(work.changed), dict(self.body.beside)
        first, held, around = len(work.first), dict(work.held), work.looks_around
        work.changed |= assigned(whole)
        try:
            with self.body.out.buffered() as lines:
                board = self._board(work, whole, facts)
            return lines, board, whole
        except NoBitboard:
            del work.first[first:]
            work.held, work.looks_around = held, around
            return None
        finally:
            work.changed, work.beside = changed, None
            self.body.beside = beside

    def give_bitboard(self, board_filter: BitboardFilter, scan: str, count: str) -> str:
        """The lines that give a scan its board; the variable that says whether it has one."""
        out = self.body.out
        for width in WIDTHS:
            out.variables += [line.replace(WIDTH, str(width)) for line in board_filter.variables]
        wide = out.variable("wide", INT64)
        out.add(f"{wide} = grog_board_width(ctx, {self.body.first(board_filter.domain)}, {count})")
        for number, width in enumerate(WIDTHS):
            with out.block(f"{'elif' if number else 'if'} {wide} == {width}:"):
                out.nodes += substituted(board_filter.lines, WIDTH, str(width))
                result = board_filter.result.replace(WIDTH, str(width))
                out.add(f"grog_scan_board{width}(&{scan}, {'&' if width > 1 else ''}{result})")
        return wide

    def with_bitboard(self, board_filter: BitboardFilter, site: int, use: str) -> None:
        """The lines that make a board and use it: `use`, by its width, its name and the number of places.
        Where there can be none, an `else` must follow."""
        out = self.body.out
        self.body.touch(Rank.FAIL)
        for width in WIDTHS:
            out.variables += [line.replace(WIDTH, str(width)) for line in board_filter.variables]
        wide, count = out.variable("wide", INT64), out.variable("n", INT64)
        places = self.body.count(board_filter.domain)
        out.add(f"{wide} = grog_board_width(ctx, {self.body.first(board_filter.domain)}, {places})")
        for number, width in enumerate(WIDTHS):
            with out.block(f"{'elif' if number else 'if'} grog_is_width({wide}, {width}):"):
                out.add(f"{count} = grog_spend(ctx, {places}, {self.body.at(site)})")
                lines = substituted(board_filter.lines, WIDTH, str(width))
                result = board_filter.result.replace(WIDTH, str(width))
                if width == 1 and board_filter.key is not None:
                    # Other routines may ask the same, and the board be valid still.
                    out.nodes.append(MakeBoard(board_filter.key, self.body.who, result, lines))
                else:
                    out.nodes += lines
                board = f"{'&' if width > 1 else ''}{result}"
                out.add(use.format(width=width, board=board, count=count))

    # -- calls, written out

    def expanded(self, node: Any, calls: int) -> Any:
        """The expression with calls replaced by their value in an untraced run."""
        match node:
            case ir.Call(function=number, args=args):
                callee = self.body.program.functions[number]
                value = single_value(callee.body)
                notes = [part for part in nodes(callee.body) if isinstance(part, ir.Note)]
                if calls == 0 or value is None or any(note.level < 2 for note in notes):
                    return node
                kinds = [local.type for local in callee.locals]
                if not all(isinstance(kind, ir.IntType) for kind in kinds):
                    return node
                given = {index: self.expanded(arg, calls - 1) for index, arg in enumerate(args)}
                if assigned(value) & set(given) or not all(
                    side_effect_free(self.body.plan, arg, {}) for arg in given.values()
                ):
                    return node
                own = {
                    index: self.body.new_local(callee.locals[index].name)
                    for index in (assigned(value) | read_locals(value)) - set(given)
                }
                return self.expanded(renamed(value, given, own), calls - 1)
            case ir.Unary(op="neg", value=ir.Const(value=value)) if value != NONE:
                return ir.Const(-value)
        if type(node) is tuple:
            return tuple(self.expanded(part, calls) for part in node)
        names = getattr(type(node), "__match_args__", None)
        if not names:
            return node
        changes = {}
        for name in names:
            part = getattr(node, name)
            made = self.expanded(part, calls)
            if made is not part:
                changes[name] = made
        return dataclasses.replace(node, **changes) if changes else node

    # -- boards

    def _board(self, work: _Work, node: ir.Expr, facts: Facts) -> str:
        """The variable that holds the board of the places for which the node is true."""
        if self._uniform(work, node):
            name = self._name()
            self.body.out.add(f"{name} = grog_board{WIDTH}_all({self.body.expressions.condition(node)})")
            return name
        match node:
            case ir.Unary(op="not", value=value):
                return self._op("not", self._board(work, value, facts))
            case ir.Binary(op="and", left=left, right=right):
                if self._uniform(work, left):
                    return self._either(work, left, right, ir.Const(0), facts)
                first = self._board(work, left, facts)
                return self._op("and", first, self._board(work, right, facts | known_places(left, True)))
            case ir.Binary(op="or", left=left, right=right):
                if self._uniform(work, left):
                    return self._either(work, left, ir.Const(1), right, facts)
                first = self._board(work, left, facts)
                return self._op("or", first, self._board(work, right, facts | known_places(left, False)))
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                if self._uniform(work, condition):
                    return self._either(work, condition, then, otherwise, facts)
                asked = self._board(work, condition, facts)
                yes = self._op("and", asked, self._board(work, then, facts | known_places(condition, True)))
                no = self._op(
                    "but", self._board(work, otherwise, facts | known_places(condition, False)), asked
                )
                return self._op("or", yes, no)
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right):
                board = self._equal(work, left, right, facts)
                return board if op == "eq" else self._op("not", board)
            case ir.Load() | ir.Data():
                return self._op("not", self._cell(work, node, ir.Const(0), facts))
            case ir.Aggregate(op="any", over=ir.OverVerb(name="neighbours", args=(ir.Local(index=index),))):
                if index == work.var and work.beside is None:
                    return self._any_beside(work, node, facts)
        raise NoBitboard

    def _uniform(self, work: _Work, node: ir.Expr) -> bool:
        """Whether the node has one value for all places, and is side-effect free."""
        known = {local: domain for local, domain in self.body.bounded.items() if local not in work.changed}
        if not side_effect_free(self.body.plan, node, known):
            return False
        moving = {work.var} if work.beside is None else {work.var, work.beside[0]}
        return not _read(node, work.direction) & (work.changed | moving)

    def _either(
        self, work: _Work, condition: ir.Expr, then: ir.Expr, otherwise: ir.Expr, facts: Facts
    ) -> str:
        """One of two boards, by a condition that is the same for all places."""
        name = self._name()
        for head, part in ((f"if {self.body.expressions.condition(condition)}:", then), ("else:", otherwise)):
            with self.body.out.block(head):
                self.body.out.add(f"{name} = {self._board(work, part, facts)}")
        return name

    def _equal(self, work: _Work, left: ir.Expr, right: ir.Expr, facts: Facts) -> str:
        for cell, fixed in ((left, right), (right, left)):
            if not self._uniform(work, fixed):
                continue
            if fixed == ir.Const(NONE) and isinstance(cell, ir.Verb) and cell.name == "neighbour":
                return self._op("not", self._op("has", *self._towards(work, cell)))
            if isinstance(cell, ir.Load | ir.Data):
                return self._cell(work, cell, fixed, facts)
        raise NoBitboard

    def _towards(self, work: _Work, node: ir.Verb) -> tuple[str, str]:
        """Space and direction of the place beside the one that the loop stands at."""
        place, direction = node.args
        if place != ir.Local(work.var) or not self._uniform(work, direction):
            raise NoBitboard
        work.looks_around = True
        return "ctx", self.body.keep(self.body.expressions.value(direction)).text

    def cells_of(self, node: ir.Load | ir.Data) -> tuple[ir.Field | ir.Column, str]:
        """The field or column that is read, and the first of its cells."""
        if isinstance(node, ir.Load):
            return self.body.program.fields[
                node.field
            ], f"{self.body.h('s')} + {self.body.offset(node.field)}"
        return self.body.program.columns[node.column], self.body.column_array(node.column)

    def _cell(self, work: _Work, node: ir.Load | ir.Data, fixed: ir.Expr, facts: Facts) -> str:
        """The places of which the cell holds a value; for the place beside, only where there is one."""
        entry, array = self.cells_of(node)
        if entry.dims != (work.domain,) or not isinstance(entry.type, ir.IntType):
            raise NoBitboard
        (place,) = node.index
        if place == ir.Local(work.var):
            return self._held(work, node, array, fixed)
        if work.beside is not None and place == ir.Local(work.beside[0]):
            work.looks_around = True
            return self._op("shift", self._held(work, node, array, fixed), "ctx", work.beside[1])
        if isinstance(place, ir.Verb) and place.name == "neighbour" and place in facts:
            held = self._held(work, node, array, fixed)
            return self._op("shift", held, *self._towards(work, place))
        raise NoBitboard

    def _held(self, work: _Work, node: ir.Load | ir.Data, array: str, fixed: ir.Expr) -> str:
        """The places whose own cell holds a value."""
        known = work.held.get((array, fixed))
        if known is not None:
            return known
        beside, work.beside = work.beside, None
        try:
            if not self._uniform(work, fixed):
                raise NoBitboard
        finally:
            work.beside = beside
        name = self._name()
        with self.body.out.buffered() as lines:
            cells = f"{array}, {self.body.count(work.domain)}, {self.body.expressions.value(fixed)}"
            made, held = f"grog_board{WIDTH}_holds", held_constant(node, fixed)
            if held is None:
                self.body.out.add(f"{name} = {made}({cells})")
            else:
                self.body.out.nodes.append(
                    HeldBoard(*held, name, made, f"grog_board{WIDTH}_maintained", cells)
                )
        work.first += lines
        work.held[array, fixed] = name
        return name

    def _any_beside(self, work: _Work, node: ir.Aggregate, facts: Facts) -> str:
        """Places with a neighbour that passes: one direction after the other."""
        out = self.body.out
        result, direction = self._name(), out.variable("d")
        work.looks_around = True
        out.add(f"{result} = grog_board{WIDTH}_all(0)")
        work.beside = (node.var, direction)
        self.body.beside[work.var, node.var] = direction
        with out.block(f"for {direction} in range(grog_board_sides(ctx)):"):
            there = self._op("has", "ctx", direction)
            if node.where is None:
                passed = there
            else:
                passed = self._op("and", there, self._board(work, node.where, facts))
            out.add(f"{result} = grog_board{WIDTH}_or({result}, {passed})")
        work.beside = None
        del self.body.beside[work.var, node.var]
        return result

    def _name(self) -> str:
        return self.body.out.variable("board", f"grog_board{WIDTH} {{}}_{WIDTH}") + f"_{WIDTH}"

    def _op(self, op: str, *args: str) -> str:
        name = self._name()
        self.body.out.add(f"{name} = grog_board{WIDTH}_{op}({', '.join(args)})")
        return name


def held_constant(node: ir.Expr, fixed: ir.Expr) -> tuple[int, int] | None:
    """The field and the constant that cells are compared with: a board of that can be maintained."""
    if isinstance(node, ir.Load) and isinstance(fixed, ir.Const):
        return node.field, fixed.value
    return None


def bitboard_key(work: _Work, wholes: Sequence[ir.Expr]) -> BitboardKey | None:
    """The key of a board that can be shared; None where more than the places decides."""
    for node in nodes(tuple(wholes)):
        if isinstance(
            node, ir.Head | ir.SetLoad | ir.ListLoad | ir.SetLocal | ir.ListLocal | ir.Call | ir.SetCall
        ):
            return None
        if isinstance(node, ir.Local) and node.index != work.var:
            return None
        if isinstance(node, ir.Aggregate):
            return None
    return work.domain, tuple(renamed(whole, {work.var: ir.Local(0)}, {}) for whole in wholes)


def known_places(node: ir.Expr, true: bool) -> Facts:
    """The places that are certainly there if the node is true (or false)."""
    match node:
        case ir.Unary(op="not", value=value):
            return known_places(value, not true)
        case ir.Binary(op="and" | "or" as op, left=left, right=right) if (op == "and") == true:
            return known_places(left, true) | known_places(right, true)
        case ir.Binary(op="eq" | "ne" as op, left=left, right=right) if (op == "ne") == true:
            return frozenset(
                place
                for place, other in ((left, right), (right, left))
                if other == ir.Const(NONE) and isinstance(place, ir.Verb)
            )
    return frozenset()


def _read(node: Any, direction: ir.Expr | None) -> set[int]:
    """The locals that the node reads, except for those of the direction that is known."""
    found: set[int] = set()
    stack: list[Any] = [node]
    while stack:
        here = stack.pop()
        if type(here) is tuple:
            stack.extend(here)
        elif isinstance(here, ir.Local):
            found.add(here.index)
        elif not (isinstance(here, ir.Verb) and dataclasses.replace(here, site=0) == direction):
            names: Sequence[str] = getattr(type(here), "__match_args__", ())
            stack.extend(getattr(here, name) for name in names)
    return found
