"""Prefilters: the elements of a domain that can pass a filter at all, as a bitset.

`choose h: Hex where attackable(h, me) and ...` asks a rule of every hex of the map, and the rule is false of every hex without a
unit.  What a filter cannot do without is read off its rules, however deep: cells that must hold a value, places that some
unit must hold, predicates of the map alone (computed once).  Elements for which that fails are not asked.  That must not show:
only what is side-effect free may come before what decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from grognard.compiler.cython.optimise.prefilter_terms import (
    Adjacent,
    And,
    CellHolds,
    FilterScope,
    HeldValues,
    Or,
    Prefilter,
    Static,
    StaticValue,
    Uniform,
    cost_of,
    terms_of,
    worthwhile,
)
from grognard.compiler.cython.print.lines import INT64
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.compiler.passes.analyses.memoisable import value_range
from grognard.contract import ir


class Prefilters(Printer):
    """Prefilters as lines."""

    @contextmanager
    def known(self, var: int, domain: int, below: Any) -> Iterator[None]:
        """Inside, `var` is a value of the domain, so that indexes by it need no check."""
        before = dict(self.body.bounded)
        self.body.bounded.pop(var, None)
        if var not in assigned(below):
            self.body.bounded[var] = domain
        yield
        self.body.bounded = before

    def give_prefilter(self, term: Prefilter, look: FilterScope, scan: str, room: int) -> None:
        """The lines that restrict a scan.  `room`: tests of cells that it can still take."""
        out = self.body.out
        number = self.body.count(look.domain)
        conditions = [f"grog_prefilters(ctx, {number})"]
        for local, domain in sorted(look.inside.items()):
            bounds = f"{self.body.first(domain)}, {self.body.count(domain)}"
            conditions.append(f"grog_inside({self.body.int_local(local)}, {bounds})")
        conditions += [f"grog_is_small({self.body.int_local(local)})" for local in sorted(look.small)]
        conditions += [f"grog_index_in_domain(ctx, {self._index_of(held)})" for held in sorted(look.whole)]
        parts = worthwhile(term.parts) if isinstance(term, And) else (term,)
        tests = [part for part in parts if isinstance(part, CellHolds)][: max(room, 0)]
        others = tuple(part for part in parts if part not in tests)
        bounded = dict(self.body.bounded)
        self.body.bounded |= look.inside
        with out.block(f"if {' and '.join(conditions)}:"):
            for test in tests:
                _, array = self.body.bitboards.cells_of(test.cell)
                out.add(
                    f"grog_scan_test(&{scan}, {array}, {self.body.expressions.value(test.value)}, {test.other})"
                )
            if others:
                usable = out.variable("usable")
                out.add(f"{usable} = 1")
                made = self._prefilter_lines(And(others), look, usable, number)
                with out.block(f"if {usable}:"):
                    out.add(f"grog_scan_among(&{scan}, &{made})")
        self.body.bounded = bounded

    def _prefilter_lines(self, term: Prefilter, look: FilterScope, usable: str, number: str) -> str:
        """The variable that holds the bitset afterwards."""
        out = self.body.out
        match term:
            case And(parts=parts):
                made, *others = sorted(parts, key=cost_of)
                name = self._prefilter_lines(made, look, usable, number)
                for part in others:
                    # A static predicate is computed in any case: if it fails, there is no prefilter.
                    asks = any(isinstance(leaf, Static) for leaf in terms_of(part))
                    with nullcontext() if asks else out.block(f"if grog_prefilter_any(&{name}, {number}):"):
                        other = self._prefilter_lines(part, look, usable, number)
                        out.add(f"grog_prefilter_and(&{name}, &{other}, {number})")
                return name
            case Or(parts=(made, *others)):
                name = self._prefilter_lines(made, look, usable, number)
                for part in others:
                    other = self._prefilter_lines(part, look, usable, number)
                    out.add(f"grog_prefilter_or(&{name}, &{other}, {number})")
                return name
        name = out.variable("filter", "grog_prefilter {}")
        match term:
            case CellHolds(cell=cell, value=value, other=is_other):
                _, array = self.body.bitboards.cells_of(cell)
                text = self.body.expressions.value(value)
                out.add(f"grog_prefilter_cells(&{name}, {array}, {number}, {text}, {is_other})")
            case HeldValues(field=held):
                out.add(f"grog_prefilter_index(ctx, &{name}, {self._index_of(held)})")
            case Adjacent(place=place):
                text = self.body.expressions.value(place)
                out.add(
                    f"grog_prefilter_adjacent(ctx, &{name}, {text}, {self.body.first(look.domain)}, {number})"
                )
            case Uniform(condition=condition):
                text_of = self.body.expressions.condition(condition)
                out.add(f"grog_prefilter_all(&{name}, {text_of}, {number})")
            case Static(asked=asked):
                slot = self._static_lines("flag", asked, look, number, name, usable)
                if slot is not None:
                    out.add(f"{usable} &= grog_prefilter_static(ctx, &{name}, {slot}, {number})")
            case StaticValue(asked=asked, value=value, other=is_other):
                slot = self._static_lines("value", asked, look, number, name, usable)
                if slot is not None:
                    text = self.body.expressions.value(value)
                    out.add(
                        f"grog_prefilter_static_value(ctx, &{name}, {slot}, {number}, {text}, {is_other})"
                    )
            case _:
                out.add(f"grog_prefilter_all(&{name}, 0, {number})")
        return name

    def _index_of(self, held: int) -> str:
        """What the kernel must know of a field with an inverted index: its number there, its validity, the cells of how many
        elements, the first value and how many there are."""
        (domain,) = self.body.program.fields[held].dims
        values = value_range(self.body.program, held, domain)
        assert values is not None
        array = f"{self.body.h('s')} + {self.body.offset(held)}"
        return (
            f"{self.body.index_of(held)}, {array}, {self.body.count(domain)}, "
            f"{self.body.first(values)}, {self.body.count(values)}"
        )

    def _static_lines(
        self, sort: str, asked: ir.Expr, look: FilterScope, number: str, name: str, usable: str
    ) -> str | None:
        """The lines that compute a static predicate of all elements, once; its number by name.  Without room there is none, and no
        prefilter."""
        out = self.body.out
        slot = self.body.plan.static_predicate(sort, look.domain, look.var, asked, self.body.who)
        if slot is None:
            out.add(f"grog_prefilter_all(&{name}, 1, {number})")
            out.add(f"{usable} = 0")
            return None
        self.body.linked(slot)
        fixing, index = out.variable("run", "grog_static_run {}"), out.variable("i", INT64)
        values = int(sort == "value")
        with out.block(f"if grog_static_begin(ctx, {slot}, {number}, {values}, &{fixing}):"):
            with out.block(f"for {index} in range({number}):"):
                out.add(f"{self.body.int_local(look.var)} = {self.body.element(look.domain, index)}")
                with self.known(look.var, look.domain, asked):
                    text = (
                        str(self.body.expressions.value(asked))
                        if values
                        else self.body.expressions.condition(asked)
                    )
                    out.add(f"grog_static_put(ctx, {slot}, {index}, {text}, &{fixing})")
            out.add(f"grog_static_end(ctx, &{fixing})")
        return slot
