"""Loops over domains, ranges, sets, lists and places; aggregates and matching, which are loops in an expression."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

from grognard.compiler.cython.analysis.in_domain_sets import is_sound
from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import (
    assigned,
    changes_buffers,
    read_locals,
    silent,
    stores,
)
from grognard.compiler.cython.optimise.bitboards import MaskedFilter
from grognard.compiler.cython.optimise.direction_bits import star_spend
from grognard.compiler.cython.optimise.inline import (
    UNHEARD,
    guards,
    joined,
    renamed,
    replaceable,
    single_value,
)
from grognard.compiler.cython.optimise.prefilter import (
    Hint,
    Hints,
    Look,
)
from grognard.compiler.cython.optimise.share_bitboards import SharedMask
from grognard.compiler.cython.print.lines import (
    BUFFER,
    INT64,
    POINTER,
    Rank,
    Value,
)
from grognard.compiler.passes.analyses.memoisable import MANY_MEMBERS, value_range
from grognard.contract import ir
from grognard.contract.ir.walk import conjuncts

#: Comparisons of one search; kernels/engine.h has room for as many.
MOST_TESTS = 6


class Test(NamedTuple):
    """A comparison that a search makes for many elements at once."""

    #: the first of the cells that are compared, one for each element
    array: str
    value: str
    #: whether the cell must hold anything but the value
    other: int
    #: where `value` is a cell that may not be there: its index, bounds, and the place that is blamed
    perhaps: str = ""
    bounds: str = ""
    site: int = 0
    #: the level of the trace from which on it is left to the filter, so that somebody can hear it
    heard: int = UNHEARD
    #: how large a part of the elements may pass it, by what is known of the cells
    share: float = 0.5
    #: the mask of the elements that hold the value, where it is kept
    kept: SharedMask | None = None
    #: the field whose holders are remembered, if the cells are one
    field: int | None = None


class Loops(Hints):
    """What runs over elements."""

    @contextmanager
    def chosen(
        self,
        over: ir.Over,
        var: int,
        where: ir.Expr | None,
        site: int,
        below: Any,
        fixing: tuple[str, str] | None = None,
    ) -> Iterator[None]:
        """A loop that sets `var` to each element that the filter lets pass.  `below` is all the code inside, the
        filter included; see `each`."""
        if isinstance(over, ir.OverDomain):
            tests, rest = self._tests(over.domain, var, where, below)
            masked = None if stores(self.plan, below) else self.masked_filter(over.domain, var, where, below)
            if masked is not None:
                with (
                    self._hunted(over.domain, var, tests, site, below, fixing, masked),
                    self.filtered(masked.rest),
                ):
                    yield
                return
            hinted = None if stores(self.plan, below) else self.hint_for(over.domain, var, rest, below)
            if tests or hinted is not None:
                with (
                    self._hunted(over.domain, var, tests, site, below, fixing, hinted=hinted),
                    self.filtered(rest),
                ):
                    yield
                return
        with self.each(over, var, site, below, fixing), self.filtered(where):
            yield

    def _tests(
        self, domain: int, var: int, where: ir.Expr | None, below: Any
    ) -> tuple[list[Test], ir.Expr | None]:
        """The parts of a filter that compare one cell of each element with something fixed, and what remains of the
        filter.

        Such parts can neither fail nor be heard, so that it does not matter for how many elements they are asked; but
        only silent ones may stand before them.  Nothing below may write, since many elements are asked at once."""
        entry = self.program.domains[domain]
        if entry.sort not in ("piece", "record", "place", "edge") or stores(self.plan, below):
            return [], where
        tests: list[Test] = []
        living = [Test(array, "0", 1) for array in self._alive_cells(domain)]
        changed = assigned(below) | {var}
        rest: list[ir.Expr] = []
        ahead = True
        for part in conjuncts(self._opened(where), self._opened):
            room = len(tests) + len(living) < MOST_TESTS
            test = self._test(domain, var, part, changed) if ahead and room else None
            # What may fail must come to the element at which it fails, so that nothing else may be left to ask.
            if test is not None and not (test.perhaps and rest):
                tests.append(test)
                continue
            rest.append(part)
            if ahead and isinstance(part, ir.Call):
                tests += self._guards(domain, var, part, changed)[: MOST_TESTS - len(tests) - len(living)]
            ahead = ahead and silent(self.plan, part, {**self.bounded, var: domain})
        if not tests:
            # Nothing was gained but the dead.
            return living, where
        if not any(test.perhaps for test in tests):
            # What finds fewest is asked first: often nothing is left for the others.
            tests.sort(key=lambda test: test.share)
        # Most are alive: what is asked before finds fewer.
        return [*tests, *living], joined(rest)

    def _alive_cells(self, domain: int) -> list[str]:
        """The cells that say who is alive, if somebody can be dead."""
        alive = self.alive_field(domain)
        return [] if alive is None else [f"{self.h('s')} + {self.h('off')}[{alive}]"]

    def _guards(self, domain: int, var: int, call: ir.Call, changed: set[int]) -> list[Test]:
        """What a rule looks at first, if it is something that a search can find: without it the rule says no.  It is
        asked again by the rule itself."""
        if call.function not in self.plan.light:
            return []
        callee = self.program.functions[call.function]
        names = replaceable(callee, call.args, lambda arg: False)
        found: list[Test] = []
        for part, heard in guards(callee.body):
            if not read_locals(part) <= names.keys():
                break
            opened: ir.Expr = renamed(part, names, {})
            test = self._test(domain, var, opened, changed)
            # What may fail is left to the rule.
            if test is not None and not test.perhaps:
                found.append(test._replace(heard=UNHEARD if self.quiet else heard))
            elif not silent(self.plan, opened, {**self.bounded, var: domain}):
                break
        return found

    def _opened(self, node: ir.Expr | None) -> ir.Expr | None:
        """A call as the expression that it comes to, where nobody listens."""
        if not isinstance(node, ir.Call) or node.function not in self.inlined:
            return node
        callee = self.program.functions[node.function]
        if not self.quiet and any(isinstance(part, ir.Note) for part in nodes(callee.body)):
            return node
        names = replaceable(callee, node.args, lambda arg: False)
        single = single_value(callee.body)
        if (
            single is None
            or len(names) != callee.params
            or (callee.site != self.site and _needs_site(single))
        ):
            return node
        if any(isinstance(part, ir.Local) and part.index >= callee.params for part in nodes(single)):
            return node
        opened: ir.Expr = renamed(single, names, {})
        return opened

    def _test(self, domain: int, var: int, node: ir.Expr, changed: set[int]) -> Test | None:
        other = 0
        while isinstance(node, ir.Unary) and node.op == "not":
            node, other = node.value, 1 - other
        match node:
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right):
                other ^= op == "ne"
                for cell, fixed in ((left, right), (right, left)):
                    array = self._array(domain, var, cell)
                    if not array or read_locals(fixed) & changed:
                        continue
                    if silent(self.plan, fixed, self.bounded):
                        share = self._share(cell, fixed, other)
                        value = self.keep(self.value(fixed)).text
                        kept, field = self.holding(cell, fixed, ask=False), self._index(cell, fixed, other)
                        return Test(array, value, other, share=share, kept=kept, field=field)
                    perhaps = self._cell_perhaps(fixed)
                    if perhaps is not None:
                        return Test(array, perhaps[0], other, *perhaps[1:])
            case ir.Load() | ir.Data():
                array = self._array(domain, var, node)
                if array:
                    return Test(array, "0", 1 - other, share=self._share(node, ir.Const(0), 1 - other))
        return None

    def _index(self, cell: ir.Expr, fixed: ir.Expr, other: int) -> int | None:
        """The field whose holders are remembered by which a test can be made, if there is one."""
        if other or not isinstance(cell, ir.Load) or isinstance(fixed, ir.Const):
            return None
        return cell.field if cell.field in self.plan.remembered.indices else None

    def _share(self, cell: ir.Expr, fixed: ir.Expr, other: int) -> float:
        """How large a part of the elements may have a cell that is (or is not) so: most hold what they hold at first, and
        of many values each is rare."""
        share = 0.5
        if isinstance(cell, ir.Load):
            entry = self.program.fields[cell.field]
            shown = entry.type.show if isinstance(entry.type, ir.IntType) else ""
            if isinstance(fixed, ir.Const):
                share = 0.9 if fixed.value == entry.default else 0.1
            elif shown.startswith("dom:") and self.program.domains[int(shown[4:])].sort in MANY_MEMBERS:
                share = 0.05
        return 1 - share if other else share

    def _cell_perhaps(self, node: ir.Expr) -> tuple[str, str, str, int] | None:
        """A cell of an element that may not be there: its text if it is, index, bounds and site; None: no such cell."""
        entry: ir.Field | ir.Column
        match node:
            case ir.Load(field=number, index=(index,), site=site):
                entry = self.program.fields[number]
                start = f"{self.h('s')}[{self.h('off')}[{number}] + "
            case ir.Data(column=number, index=(index,), site=site):
                entry = self.program.columns[number]
                start = f"{self.h('col')}[{number}]["
            case _:
                return None
        if (
            not isinstance(entry.type, ir.IntType)
            or len(entry.dims) != 1
            or not silent(self.plan, index, self.bounded)
        ):
            return None
        (domain,) = entry.dims
        place = self.keep(self.value(index)).text
        first = self.first(domain)
        at = place if first == "0" else f"{place} - {first}"
        return f"{start}{at}]", place, f"{first}, {self.count(domain)}", site

    def _array(self, domain: int, var: int, node: ir.Expr) -> str:
        """The first of the cells of which the node reads the element's own."""
        match node:
            case ir.Load(field=number, index=(ir.Local(index=index),)) if index == var:
                field = self.program.fields[number]
                if field.dims == (domain,) and isinstance(field.type, ir.IntType):
                    return f"{self.h('s')} + {self.h('off')}[{number}]"
            case ir.Data(column=number, index=(ir.Local(index=index),)) if index == var:
                column = self.program.columns[number]
                if column.dims == (domain,) and isinstance(column.type, ir.IntType):
                    return f"{self.h('col')}[{number}]"
        return ""

    def _hunt(
        self,
        domain: int,
        tests: list[Test],
        site: int,
        fixing: tuple[str, str] | None = None,
        masked: MaskedFilter | None = None,
    ) -> tuple[str, str]:
        """A search for the elements that pass the tests, or that are in the mask if there is one: its name, and what
        says whether there is."""
        out = self.out
        count = self.spent(self.count(domain), site, fixing)
        hunt = out.variable("hunt", "grog_hunt {}")
        out.add(f"grog_hunt_open(&{hunt}, {count})")
        wide = "" if masked is None else self.give_mask(masked, hunt, count)
        with out.block("else:") if wide else nullcontext():
            self._add_tests(domain, hunt, tests)
        return hunt, wide

    def _add_tests(self, domain: int, hunt: str, tests: list[Test]) -> None:
        out = self.out
        # Where a test may fail, it counts who has passed those before it.
        looks = all(not test.perhaps for test in tests)
        with ExitStack() as found:
            for test in tests:
                if looks and test.field is not None and test.heard == UNHEARD:
                    # If nobody is there, nothing more is asked.
                    found.enter_context(out.block(f"if {self._looked_up(domain, hunt, test, test.field)}:"))
                    looks = False
                    continue
                with nullcontext() if test.heard == UNHEARD else out.block(f"if ctx.level < {test.heard}:"):
                    self._add_test(domain, hunt, test)

    def _add_test(self, domain: int, hunt: str, test: Test) -> None:
        line = f"grog_hunt_test(&{hunt}, {test.array}, {test.value}, {test.other})"
        if not test.perhaps:
            self.out.add(line)
            return
        with self.out.block(f"if grog_inside({test.perhaps}, {test.bounds}):"):
            self.out.add(line)
        with self.out.block("else:"):
            (alive,) = self._alive_cells(domain) or ["NULL"]
            self.out.add(f"grog_hunt_lost(ctx, &{hunt}, {alive}, {test.perhaps}, {test.site})")

    def _looked_up(self, domain: int, hunt: str, test: Test, field: int) -> str:
        """A test of which it may be remembered who passes it."""
        values = value_range(self.program, field, domain)
        assert values is not None
        indices = self.plan.remembered.indices
        number, mark = list(indices).index(field), indices[field]
        return (
            f"grog_hunt_holders(ctx, &{hunt}, {number}, {mark}, {test.array}, {self.count(domain)}, "
            f"{test.value}, {self.first(values)}, {self.count(values)})"
        )

    def hunt_alone(self, over: ir.Over, var: int, where: ir.Expr | None, below: Any, site: int) -> str:
        """A search that finds exactly the elements of a loop, so that nothing more need be asked; empty if there is
        none."""
        if not isinstance(over, ir.OverDomain):
            return ""
        with self.out.apart() as lines:
            tests, rest = self._tests(over.domain, var, where, below)
        if not tests or rest is not None or self.masked_filter(over.domain, var, where, below) is not None:
            return ""
        self.out.lines.extend(lines)
        return self._hunt(over.domain, tests, site)[0]

    @contextmanager
    def _hunted(
        self,
        domain: int,
        var: int,
        tests: list[Test],
        site: int,
        below: Any,
        fixing: tuple[str, str] | None,
        masked: MaskedFilter | None = None,
        hinted: tuple[Hint, Look] | None = None,
    ) -> Iterator[None]:
        hunt, wide = self._hunt(domain, tests, site, fixing, masked)
        if hinted is not None:
            self.give_hint(*hinted, hunt, MOST_TESTS - len(tests))
        with self._found(domain, var, hunt, below):
            if masked is not None:
                with self.out.block(f"if not {wide}:"):
                    self._unless(masked.asked)
            yield

    @contextmanager
    def _found(self, domain: int, var: int, hunt: str, below: Any) -> Iterator[None]:
        """A loop over what a search finds."""
        out = self.out
        index = out.variable("i", INT64)
        with out.block("while True:"):
            out.add(f"{index} = grog_hunt_next(&{hunt})")
            with out.block(f"if {index} < 0:"):
                out.add("break")
            out.add(f"{self.int_local(var)} = {self.element(domain, index)}")
            with self.known(var, domain, below):
                yield

    def _unless(self, condition: ir.Expr) -> None:
        with self.out.block(f"if not {self.condition(condition)}:"):
            self.out.add("continue")

    def yields_at_once(self, node: ir.For) -> bool:
        """A loop that does nothing but offer the elements that pass, if what finds them can offer them as well."""
        below = (node.where, node.body)
        if not isinstance(node.over, ir.OverDomain) or node.body != (ir.Yield(ir.Local(node.var)),):
            return False
        domain = node.over.domain
        tests, rest = self._tests(domain, node.var, node.where, below)
        masked = self.masked_filter(domain, node.var, node.where, below)
        if masked.rest is not None if masked is not None else not tests or rest is not None:
            return False
        first = self.first(domain)
        if masked is not None:
            self.with_mask(masked, node.site, f"grog_m{{width}}_yield(ctx, {{mask}}, {{count}}, {first})")
        with self.out.block("else:") if masked is not None else nullcontext():
            hunt, _ = self._hunt(domain, tests, node.site, None, None)
            if masked is None:
                self.out.add(f"grog_yield_all(ctx, &{hunt}, {first})")
                return True
            with self._found(domain, node.var, hunt, below):
                self._unless(masked.asked)
                self.out.add(f"grog_yield(ctx, {self.int_local(node.var)})")
        return True

    def _any_in_mask(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether there is any element that passes, or how many do, where a mask answers all of the filter."""
        if node.op not in ("any", "count") or stores(self.plan, node.where):
            return None
        masked = self.masked_filter(domain, node.var, node.where, node.where)
        if masked is None or masked.rest is not None:
            return None
        tests, _ = self._tests(domain, node.var, node.where, node.where)
        result = self.out.variable("r")
        self.with_mask(masked, node.site, f"{result} = grog_m{{width}}_{node.op}({{mask}}, {{count}})")
        with self.out.block("else:"):
            self.out.add(f"{result} = 0")
            hunt, _ = self._hunt(domain, tests, node.site, None, None)
            with self._found(domain, node.var, hunt, node.where):
                self._unless(masked.asked)
                self._gather(node, result, "", "", "")
        self.put_int(node.var, "0")
        return Value(result, Rank.CONST)

    @contextmanager
    def each(
        self, over: ir.Over, var: int, site: int, below: Any, fixing: tuple[str, str] | None = None
    ) -> Iterator[None]:
        """A loop that sets `var` to each element.  `below` is the code inside: what it may write decides what must
        be copied at entry.  With `fixing`, a buffer for all elements is made before the loop and a counter set to
        0; the caller has then marked the arena."""
        target = self.int_local(var)
        match over:
            case ir.OverDomain(domain=domain):
                count = self.spent(self.count(domain), site, fixing)
                index = self.out.variable("i", INT64)
                with self.out.block(f"for {index} in range({count}):"), self.alive(domain, index):
                    self.out.add(f"{target} = {self.element(domain, index)}")
                    with self.known(var, domain, below):
                        yield
            case ir.OverRange(lo=lo, hi=hi):
                first, last = (self.keep(value) for value in self.values((lo, hi)))
                count = self.spent(f"grog_span({first}, {last})", site, fixing)
                index = self.out.variable("i", INT64)
                with self.out.block(f"for {index} in range({count}):"):
                    self.out.add(f"{target} = <int32_t>({first} + {index})")
                    yield
            case ir.OverSet(set=inner):
                pointer, domain = self._stable(self.set_pointer(inner), below), self.set_domain(inner)
                with self.known(var, domain, below):
                    members = self._members(inner, pointer, domain, site)
                    yield from self._each_bit(pointer, domain, members, target, site, fixing)
            case ir.OverItems(items=items):
                yield from self._each_item(items, target, site, fixing)
            case ir.OverList(list=inner_list):
                made, capacity = self.list_pointer(inner_list)
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
                    self.out.add(f"grog_release(ctx, {mark})")
            case _:
                raise AssertionError(f"cannot loop over {over!r}")

    def marked(self) -> str:
        """A mark in the arena, for what is only needed until the end of a loop."""
        mark = self.out.variable("mark", BUFFER)
        self.uses_arena = True
        self.out.add(f"{mark} = grog_mark(ctx)")
        return mark

    def _stable(self, pointer: Value, below: Any) -> Value:
        """What a loop runs over, such that nothing inside the loop changes it."""
        if pointer.state and self.plan.code_writes(below):
            return self.keep_content(pointer)
        if changes_buffers(below):
            return self.keep_content(Value(pointer.text, pointer.rank, POINTER, pointer.room, state=True))
        return self.keep(pointer)

    def spent(self, count: str, site: int, fixing: tuple[str, str] | None) -> str:
        """The number of passes, paid for at entry (0 after a failure)."""
        self.touch(Rank.FAIL)
        name = self.out.variable("n", INT64)
        self.out.add(f"{name} = grog_spend(ctx, {count}, {site})")
        if fixing:
            buffer, counter = fixing
            self.out.add(f"{buffer} = grog_fixed(ctx, &{name})")
            self.out.add(f"{counter} = 0")
        return name

    @contextmanager
    def alive(self, domain: int, index: str) -> Iterator[None]:
        """Skips the dead."""
        alive = self.alive_field(domain)
        if alive is None:
            yield
        else:
            with self.out.block(f"if {self.h('s')}[{self.h('off')}[{alive}] + {index}]:"):
                yield

    def alive_field(self, domain: int) -> int | None:
        return self.program.domains[domain].alive

    def _members(self, node: Any, pointer: Value, domain: int, site: int) -> str:
        """How many members a set has that a loop runs over; whether there are such members is asked unless it is known."""
        if is_sound(node, self.plan.sound, self.sound):
            return f"grog_set_size({pointer}, {self.words(domain)})"
        return f"grog_set_members(ctx, {pointer}, {self.words(domain)}, {self.count(domain)}, {site})"

    def _each_bit(
        self,
        pointer: Value,
        domain: int,
        members: str,
        target: str,
        site: int,
        fixing: tuple[str, str] | None,
    ) -> Iterator[None]:
        words = self.words(domain)
        count = self.spent(members, site, fixing)
        walk, index = self.out.variable("walk", "grog_walked {}"), self.out.variable("i", INT64)
        self.out.add(f"{walk} = grog_walk_set({pointer}, {words}, {count})")
        with self.out.block(f"while grog_walk_more(&{walk}):"):
            self.out.add(f"{index} = grog_walk_next(&{walk})")
            self.out.add(f"{target} = {self.element(domain, index)}")
            yield

    def _each_item(
        self, items: tuple[ir.Expr, ...], target: str, site: int, fixing: tuple[str, str] | None
    ) -> Iterator[None]:
        made = self.values(items)
        array = self.out.variable("item", f"int32_t {{}}[{max(1, len(items))}]")
        for number, value in enumerate(made):
            self.out.add(f"{array}[{number}] = {value}")
        count = self.spent(str(len(items)), site, fixing)
        index = self.out.variable("i", INT64)
        with (
            self.out.block(f"for {index} in range({count}):"),
            self.out.block(f"if {array}[{index}] != GROG_NONE:"),
        ):
            self.out.add(f"{target} = {array}[{index}]")
            yield

    def _each_cell(self, pointer: str, count: str, target: str) -> Iterator[None]:
        """The cells behind a length."""
        index = self.out.variable("i", INT64)
        with self.out.block(f"for {index} in range({count}):"):
            self.out.add(f"{target} = {pointer}[{index} + 1]")
            yield

    def _each_neighbour(
        self, place: ir.Expr, var: int, site: int, below: Any, fixing: tuple[str, str] | None
    ) -> Iterator[None]:
        around = self.out.variable("around", "grog_around {}")
        self.out.add(f"{around} = grog_around_of(ctx, {self.value(place)})")
        count = self.spent(f"{around}.count", site, fixing)
        index = self.out.variable("i", INT64)
        before = dict(self.beside)
        changed = assigned(below)
        if isinstance(place, ir.Local) and not changed & {place.index, var}:
            self.beside[place.index, var] = f"{around}.side[{index}]"
        with self.out.block(f"for {index} in range({count}):"):
            self.out.add(f"{self.int_local(var)} = {around}.place[{index}] + {around}.base")
            yield
        self.beside = before

    def _places(self, over: ir.OverVerb) -> Value:
        args = ", ".join(["ctx", *map(str, self.values(over.args))])
        return self.keep(Value(f"grog_o_{over.name}({args})", Rank.FAIL, POINTER))

    @contextmanager
    def filtered(self, where: ir.Expr | None) -> Iterator[None]:
        if where is None:
            yield
        else:
            with self.out.block(f"if {self.condition(where)}:"):
                yield

    # -- aggregates

    def aggregate(self, node: ir.Aggregate) -> Value:
        out = self.out
        if isinstance(node.over, ir.OverDomain):
            found = self._any_holds(node.over.domain, node) or self._any_in_mask(node.over.domain, node)
            if found is not None:
                return found
        if node.op in ("any", "count"):
            hunt = self.hunt_alone(node.over, node.var, node.where, node.where, node.site)
            if hunt:
                self.put_int(node.var, "0")
                found_all = "grog_hunt_count" if node.op == "count" else "grog_hunt_any"
                return self.keep(Value(f"{found_all}(&{hunt})", Rank.READ))
        if node.op == "any" and isinstance(node.over, ir.OverSet):
            known = self._any_of_set(node.over.set, node)
            if known is not None:
                return known
        if node.op == "sum" and isinstance(node.over, ir.OverDomain) and node.where is None:
            whole = self._sum_of_cells(node.over.domain, node)
            if whole is not None:
                return whole
        wide = node.op in ("sum", "count")
        result = out.variable("r", INT64 if wide else "int32_t {}")
        start = {"count": "0", "sum": "0", "any": "0", "all": "1"}.get(node.op, "GROG_NONE")
        also = out.variable("best") if node.op.startswith(("best_", "only_")) else ""
        tie = out.variable("tie") if node.op.startswith("only_") else ""
        hits = out.variable("hits") if node.op in ("only", "the") else ""
        out.add(f"{result} = {start}")
        for name, first in ((also, "GROG_NONE"), (tie, "0"), (hits, "0")):
            if name:
                out.add(f"{name} = {first}")
        starred = self.starred(node)
        if starred is not None:
            made, asked = starred
            with out.block(self.open_star(made)):
                count = self.spent(star_spend(node, self.count), node.site, None)
                self.starred_result(node, made, asked, count, result)
        with (
            out.block("else:") if starred else nullcontext(),
            self.chosen(node.over, node.var, node.where, node.site, (node.where, node.value)),
        ):
            self._gather(node, result, also, tie, hits)
        self.put_int(node.var, "0")
        if tie:
            with out.block(f"if {tie}:"):
                out.add(f"{result} = GROG_NONE")
        if node.op == "the":
            with out.block(f"if {result} == GROG_NONE:"):
                self.fail("GROG_FAIL_UNIQUE", node.site)
        if node.op == "sum":
            return self.keep(Value(f"grog_total(ctx, {result}, {node.site})", Rank.FAIL))
        return Value(f"<int32_t>{result}" if wide else result, Rank.CONST)

    def _sum_of_cells(self, domain: int, node: ir.Aggregate) -> Value | None:
        """The sum of a cell of each element, where all of them count."""
        array = "" if node.value is None else self._array(domain, node.var, node.value)
        if not array or self.alive_field(domain) is not None:
            return None
        count = self.spent(self.count(domain), node.site, None)
        self.put_int(node.var, "0")
        return self.keep(Value(f"grog_total(ctx, grog_sum({array}, {count}), {node.site})", Rank.FAIL))

    def _any_of_set(self, over: Any, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any member of a set holds something, where nothing else is asked."""
        domain = self.set_domain(over)
        conditions = conjuncts(self._opened(node.where), self._opened)
        if len(conditions) != 1 or stores(self.plan, node.where):
            return None
        with self.out.apart() as lines:
            test = self._test(domain, node.var, conditions[0], assigned(node.where) | {node.var})
        if test is None or test.perhaps:
            return None
        pointer = self.keep(self.set_pointer(over))
        self.out.lines.extend(lines)
        words = self.words(domain)
        count = self.spent(self._members(over, pointer, domain, node.site), node.site, None)
        self.put_int(node.var, "0")
        text = f"grog_any_member({pointer}, {words}, {count}, {test.array}, {test.value}, {test.other})"
        return self.keep(Value(text, Rank.READ))

    def _any_holds(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any element holds something, where nothing else is asked."""
        if node.op != "any" or self.alive_field(domain) is not None:
            return None
        with self.out.apart() as lines:
            tests, rest = self._tests(domain, node.var, node.where, node.where)
        if len(tests) != 1 or rest is not None or tests[0].perhaps:
            return None
        self.out.lines.extend(lines)
        (test,) = tests
        count = self.spent(self.count(domain), node.site, None)
        self.put_int(node.var, "0")
        given = f"{test.array}, {count}, {test.value}, {test.other}"
        if test.kept is None:
            return self.keep(Value(f"grog_any_holds({given})", Rank.READ))
        return self.keep(
            Value(f"grog_any_followed(ctx, {test.kept.mark}, {test.kept.number}, {given})", Rank.READ)
        )

    def _gather(self, node: ir.Aggregate, result: str, also: str, tie: str, hits: str) -> None:
        """What an aggregate does with an element that takes part."""
        out = self.out
        item = self.int_local(node.var)
        match node.op:
            case "count":
                out.add(f"{result} += 1")
            case "any":
                out.add(f"{result} = 1")
                out.add("break")
            case "all":
                with out.block(f"if not {self.value(node.value)}:"):
                    out.add(f"{result} = 0")
                    out.add("break")
            case "first":
                out.add(f"{result} = {item}")
                out.add("break")
            case "last":
                out.add(f"{result} = {item}")
            case "only" | "the":
                out.add(f"{hits} += 1")
                out.add(f"{result} = {item} if {hits} == 1 else GROG_NONE")
                with out.block(f"if {hits} == 2:"):
                    out.add("break")
            case "sum":
                worth = self.keep(self.value(node.value))
                with out.block(f"if {worth} != GROG_NONE:"):
                    out.add(f"{result} += {worth}")
            case "min" | "max":
                worth = self.keep(self.value(node.value))
                sign = ">" if node.op == "max" else "<"
                test = f"{worth} != GROG_NONE and ({result} == GROG_NONE or {worth} {sign} {result})"
                with out.block(f"if {test}:"):
                    out.add(f"{result} = {worth}")
            case _:
                worth = self.keep(self.value(node.value))
                sign = ">" if node.op.endswith("high") else "<"
                test = f"{worth} != GROG_NONE and ({also} == GROG_NONE or {worth} {sign} {also})"
                with out.block(f"if {test}:"):
                    out.add(f"{also} = {worth}")
                    out.add(f"{result} = {item}")
                    if tie:
                        out.add(f"{tie} = 0")
                if tie:
                    with out.block(f"elif {worth} != GROG_NONE and {worth} == {also}:"):
                        out.add(f"{tie} = 1")

    # -- matching

    def coverable(self, node: ir.Coverable) -> Value:
        out = self.out
        capacity = self.expect(node.chosen, ir.ListType).capacity
        domain = self.set_domain(node.left)
        left, extra = self.sequence([partial(self.set_pointer, node.left), partial(self.value, node.extra)])
        mark = self.marked()
        cover = out.variable("cover", "grog_cover *{}")
        parts = (
            f"{left}, {self.words(domain)}, {self.first(domain)}, {self.list_local(node.chosen)}, {capacity}"
        )
        out.add(f"{cover} = grog_cover_new(ctx, {parts}, {extra})")
        right_index, left_index = out.variable("i", INT64), out.variable("i", INT64)
        with (
            out.block(f"for {right_index} in range({cover}.rights):"),
            out.block(f"for {left_index} in range({cover}.lefts):"),
        ):
            self.put_int(node.left_var, f"{cover}.left[{left_index}]")
            self.put_int(node.right_var, f"{cover}.right[{right_index}]")
            with out.block(f"if {self.condition(node.fits)}:"):
                out.add(f"{cover}.fits[{right_index} * {cover}.lefts + {left_index}] = 1")
        self.put_int(node.left_var, "0")
        self.put_int(node.right_var, "0")
        result = out.variable("t")
        out.add(f"{result} = grog_cover_solve({cover})")
        out.add(f"grog_release(ctx, {mark})")
        self.touch(Rank.FAIL)
        return Value(result, Rank.CONST)


def _needs_site(node: ir.Expr) -> bool:
    """Whether the node fails, if it does, at the place of the function around it."""
    return any(isinstance(part, ir.Unary | ir.In | ir.SetOf | ir.SetBuild) for part in nodes(node))
