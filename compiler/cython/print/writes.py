"""Writes to locals and to fields, and what they make invalid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.print.texts import Maker, literal
from grognard.compiler.cython.tree import Invalidate, Write
from grognard.contract import ir


class WritePrinter(Printer):
    """Statements that change a local or the position."""

    @property
    def journal(self) -> int:
        """1 if writes must look whether a simultaneous block is open; a program without such blocks need not."""
        return int(self.body.plan.journals)

    # -- locals

    def buffer(self, node: Any) -> None:
        local = node.local
        match node:
            case ir.AssignSet(value=value):
                self.body.sets.set_into(local, value)
            case ir.SetChange(value=value, add=add):
                domain = self.body.expect(local, ir.SetType).domain
                bounds = f"{self.body.first(domain)}, {self.body.count(domain)}"
                element = self.body.expressions.value(value)
                pointer_text = self.body.set_local(local)
                self.body.out.add(
                    f"grog_set_put(ctx, {pointer_text}, {element}, {bounds}, {int(add)}, {self.body.at(self.body.site)})"
                )
            case ir.AssignList(value=value):
                capacity = self.body.expect(local, ir.ListType).capacity
                made = self.body.expressions.list_within(value, capacity, self.body.site)
                self.body.out.add(f"grog_list_copy({self.body.list_local(local)}, {made}, {capacity})")
            case ir.ListAppend(value=value, site=site):
                capacity = self.body.expect(local, ir.ListType).capacity
                item = self.body.expressions.value(value)
                self.body.out.add(
                    f"grog_list_append(ctx, {self.body.list_local(local)}, {capacity}, {item}, {self.body.at(site)})"
                )
            case ir.ListClear():
                capacity = self.body.expect(local, ir.ListType).capacity
                self.body.out.add(f"grog_list_clear({self.body.list_local(local)}, {capacity})")

    # -- fields

    def _where(self, field: int, index: Sequence[ir.Expr], site: int, room: str) -> Value:
        """The first cell of an element, as an offset; -1 outside."""
        place = self.body.expressions.element_number(self.body.program.fields[field].dims, index, site)
        text = f"grog_where({self.body.offset(field)}, {place}, {room})"
        return Value(text, place.rank, INT64)

    def store_cell(self, node: ir.Store) -> None:
        entry = self.body.program.fields[node.field]
        tail = f"{self.journal}, {self.body.at(node.site)}"
        at, operand = self.body.sequence(
            [
                partial(self.body.expressions.cell, entry.dims, node.index, node.site),
                partial(self.body.expressions.value, node.value),
            ]
        )
        follows = self.body.follows and self.body.plan.shares_boards
        if follows:
            at = self.body.keep(at)
        limits = f"{literal(entry.lo)}, {literal(entry.hi)}"
        first = self.body.offset(node.field)
        where = self.body.expressions.plus(first, at.text)
        if node.op == "set":
            flags = f"{int(entry.optional)}, {int(node.clamp)}"
            write = f"grog_store(ctx, {where}, {operand}, {limits}, {flags}, {tail})"
        else:
            write = f"grog_store_add(ctx, {where}, {operand}, {limits}, {int(node.clamp)}, {tail})"
        self.body.out.nodes.append(Write(write, (node.field,), (first, at.text) if follows else None))

    def store(self, node: Any) -> str:
        """The call that writes a set or a list, and tells whether that changed anything."""
        tail = f"{self.journal}, {self.body.at(node.site)}"
        site = node.site
        match node:
            case ir.StoreSet(field=field, index=index, value=value):
                domain = self.body.plan.set_field_domain(field)
                room = self.body.words(domain)
                makers: list[Maker] = [
                    partial(self._where, field, index, site, room),
                    partial(self.body.sets.set_pointer, value, domain),
                ]
                at, pointer = self.body.sequence(makers)
                return f"grog_store_words(ctx, {at}, {pointer}, {room}, {tail})"
            case ir.StoreSetChange(field=field, index=index, value=value, add=add):
                domain = self.body.plan.set_field_domain(field)
                makers = [
                    partial(self._where, field, index, site, self.body.words(domain)),
                    partial(self.body.expressions.value, value),
                ]
                at, element = self.body.sequence(makers)
                bounds = f"{self.body.first(domain)}, {self.body.count(domain)}"
                return f"grog_store_bit(ctx, {at}, {element}, {bounds}, {int(add)}, {tail})"
            case ir.StoreList(field=field, index=index, value=value):
                capacity = self.body.plan.list_field_capacity(field)
                makers = [
                    partial(self._where, field, index, site, str(capacity + 1)),
                    partial(self.body.expressions.list_within, value, capacity, site),
                ]
                at, pointer = self.body.sequence(makers)
                return f"grog_store_list(ctx, {at}, {pointer}, {capacity}, {tail})"
        raise AssertionError(f"no write: {node!r}")

    def changing(self, write: str, *fields: int) -> None:
        """A write that says whether it changed anything, and what does not count any more if it did."""
        self.body.out.nodes.append(Write(write, fields))

    def changed(self, *fields: int) -> None:
        """Behind a write: what reads these fields is invalidated."""
        self.body.out.nodes.append(Invalidate(fields))

    def create(self, node: ir.Create) -> None:
        self.body.touch(Rank.WRITE)
        alive = self.body.loops.alive_field(node.domain)
        assert alive is not None
        number = self.body.out.variable("n", INT64)
        tail = f"{self.journal}, {self.body.at(node.site)}"
        self.body.out.add(
            f"{number} = grog_find_dead(ctx, {self.body.constant(self.body.plan.index_names.domains[node.domain])}, {self.body.offset(alive)}, {self.body.count(node.domain)}, {tail})"
        )
        self._pass_remembered(node.domain, self.body.offset(alive), number)
        with self.body.out.block(f"if {number} >= 0:"):
            for entry in self.body.program.fields:
                if node.domain not in entry.dims or entry.id == alive:
                    continue
                room = self.room_of(entry.type)
                if entry.dims != (node.domain,):
                    self._blank_own(node, entry, room, number, tail)
                    continue
                where = f"{self.body.offset(entry.id)} + {number}" + ("" if room == "1" else f" * {room}")
                self.body.out.add(f"grog_fill(ctx, {where}, {room}, {self.default(entry)}, {tail})")
            self.body.out.add(f"grog_put_cell(ctx, {self.body.offset(alive)} + {number}, 1, {tail})")
            self.changed(*(entry.id for entry in self.body.program.fields if node.domain in entry.dims))
            self.body.put_int(node.local, self.body.element(node.domain, number))

    def _pass_remembered(self, domain: int, alive: str, number: str) -> None:
        """From the first free element on to the first that no mark remembers, if there is one."""
        kept = self.body.program.domains[domain].remembered
        if not kept:
            return
        index = self.body.out.variable("i", INT64)
        known = " or ".join(f"{self.body.h('s')}[{self.body.offset(copy)} + {index}]" for copy in kept)
        free = f"grog_is_free(ctx, {alive} + {index}, {self.journal})"
        all_rooms = f"for {index} in range({number}, {self.body.count(domain)}):"
        with self.body.out.block(f"if {number} >= 0:"), self.body.out.block(all_rooms):  # noqa: SIM117
            with self.body.out.block(f"if not ({known}) and {free}:"):
                self.body.out.add(f"{number} = {index}")
                self.body.out.add("break")

    def _blank_own(self, node: ir.Create, entry: ir.Field, room: str, number: str, tail: str) -> None:
        """What a new element has in a field with more axes than its own."""
        start = self.body.offset(entry.id)
        for axis, domain in enumerate(entry.dims):
            if domain != node.domain:
                continue
            inner = " * ".join([room, *(self.body.count(d) for d in entry.dims[axis + 1 :])])
            outer = " * ".join(["1", *(self.body.count(d) for d in entry.dims[:axis])])
            shape = f"{outer}, {self.body.count(domain)}, {inner}"
            self.body.out.add(
                f"grog_fill_own(ctx, {start}, {shape}, {number}, {self.default(entry)}, {tail})"
            )

    def default(self, entry: ir.Field) -> str:
        """What a field's cells hold at first; sets and lists start empty."""
        if not isinstance(entry.type, ir.IntType):
            return "0"
        if entry.first is not None and not self.body.program.domains[entry.first].zero_based:
            return f"<int32_t>{self.body.first(entry.first)}"
        return literal(entry.default)

    def room_of(self, kind: ir.LocalType) -> str:
        """The cells of one value of the type."""
        match kind:
            case ir.SetType(domain=domain):
                return self.body.words(domain)
            case ir.ListType(capacity=capacity):
                return str(capacity + 1)
        return "1"
