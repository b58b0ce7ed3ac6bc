"""Writes to locals and to fields, and what they make invalid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grognard.compiler.cython.print.aggregates import Aggregates
from grognard.compiler.cython.print.body import Maker, literal
from grognard.compiler.cython.print.lines import (
    INDENT,
    INT64,
    Rank,
    Value,
)
from grognard.contract import ir


class Writes(Aggregates):
    """Statements that change a local or the position."""

    #: whether boards are maintained by writes here; where writes may be undone, they are invalidated
    follows = False

    @property
    def journal(self) -> int:
        """1 if writes must look whether a simultaneous block is open; a program without such blocks need not."""
        return int(self.plan.journals)

    # -- locals

    def _buffer(self, node: Any) -> None:
        local = node.local
        match node:
            case ir.AssignSet(value=value):
                self.set_into(local, value)
            case ir.SetChange(value=value, add=add):
                domain = self.expect(local, ir.SetType).domain
                bounds = f"{self.first(domain)}, {self.count(domain)}"
                element = self.value(value)
                pointer_text = self.set_local(local)
                self.out.add(
                    f"grog_set_put(ctx, {pointer_text}, {element}, {bounds}, {int(add)}, {self.site})"
                )
            case ir.AssignList(value=value):
                capacity = self.expect(local, ir.ListType).capacity
                made = self.list_within(value, capacity, self.site)
                self.out.add(f"grog_list_copy({self.list_local(local)}, {made}, {capacity})")
            case ir.ListAppend(value=value, site=site):
                capacity = self.expect(local, ir.ListType).capacity
                item = self.value(value)
                self.out.add(f"grog_list_append(ctx, {self.list_local(local)}, {capacity}, {item}, {site})")
            case ir.ListClear():
                capacity = self.expect(local, ir.ListType).capacity
                self.out.add(f"grog_list_clear({self.list_local(local)}, {capacity})")

    # -- fields

    def _where(self, field: int, index: Sequence[ir.Expr], site: int, room: str) -> Value:
        """The first cell of an element, as an offset; -1 outside."""
        place = self.element_number(self.program.fields[field].dims, index, site)
        text = f"grog_where({self.offset(field)}, {place}, {room})"
        return Value(text, place.rank, INT64)

    def _store_cell(self, node: ir.Store) -> None:
        entry = self.program.fields[node.field]
        tail = f"{self.journal}, {node.site}"
        at, operand = self.sequence(
            [partial(self.cell, entry.dims, node.index, node.site), partial(self.value, node.value)]
        )
        following = self.plan.boards.followers(node.field) if self.follows else []
        if following:
            at = self.keep(at)
        limits = f"{literal(entry.lo)}, {literal(entry.hi)}"
        first = self.offset(node.field)
        where = self._plus(first, at.text)
        if node.op == "set":
            flags = f"{int(entry.optional)}, {int(node.clamp)}"
            write = f"grog_store(ctx, {where}, {operand}, {limits}, {flags}, {tail})"
        else:
            write = f"grog_store_add(ctx, {where}, {operand}, {limits}, {int(node.clamp)}, {tail})"
        with self.out.buffered() as lines:
            for value, board in following:
                given = f"{board.validity}, {board.number}, {first}, {at}, {self.value(ir.Const(value))}"
                self.out.add(f"grog_board_update(ctx, {given})")
            self._changed(node.field, besides=sum(1 << board.validity for _, board in following))
        self._if_it_changes(write, lines)

    def _store(self, node: Any) -> str:
        """The call that writes a set or a list, and tells whether that changed anything."""
        tail = f"{self.journal}, {node.site}"
        site = node.site
        match node:
            case ir.StoreSet(field=field, index=index, value=value):
                domain = self.plan.set_field_domain(field)
                room = self.words(domain)
                makers: list[Maker] = [
                    partial(self._where, field, index, site, room),
                    partial(self.set_pointer, value, domain),
                ]
                at, pointer = self.sequence(makers)
                return f"grog_store_words(ctx, {at}, {pointer}, {room}, {tail})"
            case ir.StoreSetChange(field=field, index=index, value=value, add=add):
                domain = self.plan.set_field_domain(field)
                makers = [
                    partial(self._where, field, index, site, self.words(domain)),
                    partial(self.value, value),
                ]
                at, element = self.sequence(makers)
                bounds = f"{self.first(domain)}, {self.count(domain)}"
                return f"grog_store_bit(ctx, {at}, {element}, {bounds}, {int(add)}, {tail})"
            case ir.StoreList(field=field, index=index, value=value):
                capacity = self.plan.list_field_capacity(field)
                makers = [
                    partial(self._where, field, index, site, str(capacity + 1)),
                    partial(self.list_within, value, capacity, site),
                ]
                at, pointer = self.sequence(makers)
                return f"grog_store_list(ctx, {at}, {pointer}, {capacity}, {tail})"
        raise AssertionError(f"no write: {node!r}")

    def _changing(self, write: str, *fields: int) -> None:
        """A write that says whether it changed anything, and what does not count any more if it did."""
        with self.out.buffered() as lines:
            self._changed(*fields)
        self._if_it_changes(write, lines)

    def _if_it_changes(self, write: str, lines: list[str]) -> None:
        if not lines:
            self.out.add(write)
            return
        with self.out.block(f"if {write}:"):
            self.out.lines += [INDENT + line for line in lines]

    def _changed(self, *fields: int, besides: int = 0) -> None:
        """Behind a write: what reads these fields is invalidated, besides the boards that were maintained."""
        validities, word = self.plan.memoised.of_fields(fields) | self.plan.boards.of_fields(fields), 0
        validities &= ~besides
        while validities:
            if here := validities & 0xFFFF_FFFF_FFFF_FFFF:
                self.out.add(f"grog_invalidate(ctx, {word}, {here:#x}ULL)")
            validities, word = validities >> 64, word + 1

    def _create(self, node: ir.Create) -> None:
        self.touch(Rank.WRITE)
        alive = self.alive_field(node.domain)
        assert alive is not None
        number = self.out.variable("n", INT64)
        tail = f"{self.journal}, {node.site}"
        self.out.add(
            f"{number} = grog_find_dead(ctx, {node.domain}, {self.offset(alive)}, {self.count(node.domain)}, {tail})"
        )
        self._pass_remembered(node.domain, self.offset(alive), number)
        with self.out.block(f"if {number} >= 0:"):
            for entry in self.program.fields:
                if node.domain not in entry.dims or entry.id == alive:
                    continue
                room = self.room_of(entry.type)
                if entry.dims != (node.domain,):
                    self._blank_own(node, entry, room, number, tail)
                    continue
                where = f"{self.offset(entry.id)} + {number}" + ("" if room == "1" else f" * {room}")
                self.out.add(f"grog_fill(ctx, {where}, {room}, {self.default(entry)}, {tail})")
            self.out.add(f"grog_put_cell(ctx, {self.offset(alive)} + {number}, 1, {tail})")
            self._changed(*(entry.id for entry in self.program.fields if node.domain in entry.dims))
            self.put_int(node.local, self.element(node.domain, number))

    def _pass_remembered(self, domain: int, alive: str, number: str) -> None:
        """From the first free element on to the first that no mark remembers, if there is one."""
        kept = self.program.domains[domain].remembered
        if not kept:
            return
        index = self.out.variable("i", INT64)
        known = " or ".join(f"{self.h('s')}[{self.offset(copy)} + {index}]" for copy in kept)
        free = f"grog_is_free(ctx, {alive} + {index}, {self.journal})"
        all_rooms = f"for {index} in range({number}, {self.count(domain)}):"
        with self.out.block(f"if {number} >= 0:"), self.out.block(all_rooms):  # noqa: SIM117
            with self.out.block(f"if not ({known}) and {free}:"):
                self.out.add(f"{number} = {index}")
                self.out.add("break")

    def _blank_own(self, node: ir.Create, entry: ir.Field, room: str, number: str, tail: str) -> None:
        """What a new element has in a field with more axes than its own."""
        start = self.offset(entry.id)
        for axis, domain in enumerate(entry.dims):
            if domain != node.domain:
                continue
            inner = " * ".join([room, *(self.count(d) for d in entry.dims[axis + 1 :])])
            outer = " * ".join(["1", *(self.count(d) for d in entry.dims[:axis])])
            shape = f"{outer}, {self.count(domain)}, {inner}"
            self.out.add(f"grog_fill_own(ctx, {start}, {shape}, {number}, {self.default(entry)}, {tail})")

    def default(self, entry: ir.Field) -> str:
        """What a field's cells hold at first; sets and lists start empty."""
        if not isinstance(entry.type, ir.IntType):
            return "0"
        if entry.first is not None and not self.program.domains[entry.first].zero_based:
            return f"<int32_t>{self.first(entry.first)}"
        return literal(entry.default)

    def room_of(self, kind: ir.LocalType) -> str:
        """The cells of one value of the type."""
        match kind:
            case ir.SetType(domain=domain):
                return self.words(domain)
            case ir.ListType(capacity=capacity):
                return str(capacity + 1)
        return "1"
