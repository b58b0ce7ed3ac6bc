"""Loops over domains, ranges, sets, lists and places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grognard.compiler.cython.analysis.skip_member_checks import is_in_domain
from grognard.compiler.cython.print.lines import (
    BUFFER,
    INT64,
    POINTER,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.passes.analyses.local_variables import assigned, changes_buffers
from grognard.contract import ir


class LoopPrinter(Printer):
    """Loops that visit every element."""

    @contextmanager
    def each(
        self, over: ir.Over, var: int, site: int, below: Any, fixing: tuple[str, str] | None = None
    ) -> Iterator[None]:
        """A loop that sets `var` to each element.  `below` is the code inside: what it may write decides what must
        be copied at entry.  With `fixing`, a buffer for all elements is made before the loop and a counter set to
        0; the caller has then marked the arena."""
        target = self.body.int_local(var)
        match over:
            case ir.OverDomain(domain=domain):
                count = self.spent(self.body.count(domain), site, fixing)
                index = self.body.out.variable("i", INT64)
                with self.body.out.block(f"for {index} in range({count}):"), self.alive(domain, index):
                    self.body.out.add(f"{target} = {self.body.element(domain, index)}")
                    with self.body.prefilters.known(var, domain, below):
                        yield
            case ir.OverRange(lo=lo, hi=hi):
                first, last = (self.body.keep(value) for value in self.body.calls.values((lo, hi)))
                count = self.spent(f"grog_span({first}, {last})", site, fixing)
                index = self.body.out.variable("i", INT64)
                with self.body.out.block(f"for {index} in range({count}):"):
                    self.body.out.add(f"{target} = <int32_t>({first} + {index})")
                    yield
            case ir.OverSet(set=inner):
                pointer, domain = (
                    self._stable(self.body.sets.set_pointer(inner), below),
                    self.body.sets.set_domain(inner),
                )
                with self.body.prefilters.known(var, domain, below):
                    members = self.members(inner, pointer, domain, site)
                    yield from self._each_bit(pointer, domain, members, target, site, fixing)
            case ir.OverItems(items=items):
                yield from self._each_item(items, target, site, fixing)
            case ir.OverList(list=inner_list):
                made, capacity = self.body.expressions.list_pointer(inner_list)
                pointer = self._stable(made, below)
                count = self.spent(f"grog_len({pointer}, {capacity})", site, fixing)
                yield from self._each_cell(pointer.text, count, target)
            case ir.OverVerb(name="neighbours", args=(place,)):
                yield from self._each_neighbour(place, var, site, below, fixing)
            case ir.OverVerb():
                mark = "" if fixing else self.marked()
                pointer = self._places(over)
                count = self.spent(f"{pointer}[0]", site, fixing)
                yield from self._each_cell(pointer.text, count, target)
                if mark:
                    self.body.out.add(f"grog_release(ctx, {mark})")
            case _:
                raise AssertionError(f"cannot loop over {over!r}")

    def marked(self) -> str:
        """A mark in the arena, for what is only needed until the end of a loop."""
        mark = self.body.out.variable("mark", BUFFER)
        self.body.uses_arena = True
        self.body.out.add(f"{mark} = grog_mark(ctx)")
        return mark

    def _stable(self, pointer: Value, below: Any) -> Value:
        """What a loop runs over, such that nothing inside the loop changes it."""
        if pointer.state and self.body.plan.code_writes(below):
            return self.body.keep_content(pointer)
        if changes_buffers(below):
            return self.body.keep_content(
                Value(pointer.text, pointer.rank, POINTER, pointer.room, state=True)
            )
        return self.body.keep(pointer)

    def spent(self, count: str, site: int, fixing: tuple[str, str] | None) -> str:
        """The number of passes, paid for at entry (0 after a failure)."""
        self.body.touch(Rank.FAIL)
        name = self.body.out.variable("n", INT64)
        self.body.out.add(f"{name} = grog_spend(ctx, {count}, {self.body.at(site)})")
        if fixing:
            buffer, counter = fixing
            self.body.out.add(f"{buffer} = grog_fixed(ctx, &{name})")
            self.body.out.add(f"{counter} = 0")
        return name

    @contextmanager
    def alive(self, domain: int, index: str) -> Iterator[None]:
        """Skips the dead."""
        alive = self.alive_field(domain)
        if alive is None:
            yield
        else:
            with self.body.out.block(f"if {self.body.h('s')}[{self.body.offset(alive)} + {index}]:"):
                yield

    def alive_field(self, domain: int) -> int | None:
        return self.body.program.domains[domain].alive

    def members(self, node: Any, pointer: Value, domain: int, site: int) -> str:
        """How many members a set has that a loop runs over; whether there are such members is asked unless it is known."""
        if is_in_domain(node, self.body.plan.in_domain, self.body.in_domain):
            return f"grog_set_size({pointer}, {self.body.words(domain)})"
        return f"grog_set_members(ctx, {pointer}, {self.body.words(domain)}, {self.body.count(domain)}, {self.body.at(site)})"

    def _each_bit(
        self,
        pointer: Value,
        domain: int,
        members: str,
        target: str,
        site: int,
        fixing: tuple[str, str] | None,
    ) -> Iterator[None]:
        words = self.body.words(domain)
        count = self.spent(members, site, fixing)
        walk, index = self.body.out.variable("walk", "grog_walked {}"), self.body.out.variable("i", INT64)
        self.body.out.add(f"{walk} = grog_walk_set({pointer}, {words}, {count})")
        with self.body.out.block(f"while grog_walk_more(&{walk}):"):
            self.body.out.add(f"{index} = grog_walk_next(&{walk})")
            self.body.out.add(f"{target} = {self.body.element(domain, index)}")
            yield

    def _each_item(
        self, items: tuple[ir.Expr, ...], target: str, site: int, fixing: tuple[str, str] | None
    ) -> Iterator[None]:
        made = self.body.calls.values(items)
        array = self.body.out.variable("item", f"int32_t {{}}[{max(1, len(items))}]")
        for number, value in enumerate(made):
            self.body.out.add(f"{array}[{number}] = {value}")
        count = self.spent(str(len(items)), site, fixing)
        index = self.body.out.variable("i", INT64)
        with (
            self.body.out.block(f"for {index} in range({count}):"),
            self.body.out.block(f"if {array}[{index}] != GROG_NONE:"),
        ):
            self.body.out.add(f"{target} = {array}[{index}]")
            yield

    def _each_cell(self, pointer: str, count: str, target: str) -> Iterator[None]:
        """The cells behind a length."""
        index = self.body.out.variable("i", INT64)
        with self.body.out.block(f"for {index} in range({count}):"):
            self.body.out.add(f"{target} = {pointer}[{index} + 1]")
            yield

    def _each_neighbour(
        self, place: ir.Expr, var: int, site: int, below: Any, fixing: tuple[str, str] | None
    ) -> Iterator[None]:
        around = self.body.out.variable("around", "grog_around {}")
        self.body.out.add(f"{around} = grog_around_of(ctx, {self.body.expressions.value(place)})")
        count = self.spent(f"{around}.count", site, fixing)
        index = self.body.out.variable("i", INT64)
        before = dict(self.body.beside)
        changed = assigned(below)
        if isinstance(place, ir.Local) and not changed & {place.index, var}:
            self.body.beside[place.index, var] = f"{around}.side[{index}]"
        with self.body.out.block(f"for {index} in range({count}):"):
            self.body.out.add(f"{self.body.int_local(var)} = {around}.place[{index}] + {around}.base")
            yield
        self.body.beside = before

    def _places(self, over: ir.OverVerb) -> Value:
        args = ", ".join(["ctx", *map(str, self.body.calls.values(over.args))])
        return self.body.keep(Value(f"grog_o_{over.name}({args})", Rank.FAIL, POINTER))

    @contextmanager
    def filtered(self, where: ir.Expr | None) -> Iterator[None]:
        if where is None:
            yield
        else:
            with self.body.out.block(f"if {self.body.expressions.condition(where)}:"):
                yield
