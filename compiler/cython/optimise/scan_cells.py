"""Loops over a domain whose filter is tested for many elements at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import side_effect_free, stores
from grognard.compiler.cython.optimise.inline_functions import (
    UNTRACED,
    guards,
    joined,
    renamed,
    replaceable,
    single_value,
)
from grognard.compiler.cython.optimise.prefilter_elements import (
    FilterScope,
    Prefilter,
)
from grognard.compiler.cython.optimise.use_bitboards import BitboardFilter, held_constant
from grognard.compiler.cython.print.lines import (
    INT64,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.compiler.passes.analyses.memoisable import MANY_MEMBERS, value_range
from grognard.contract import ir
from grognard.contract.ir.walk import conjuncts

#: Comparisons of one scan; kernels/scan.h has room for as many.
MOST_TESTS = 6


class Test(NamedTuple):
    """A comparison that a scan makes for many elements at once."""

    #: the first of the cells that are compared, one for each element
    array: str
    value: str
    #: whether the cell must hold anything but the value
    other: int
    #: where `value` is a cell that may not be there: its index, bounds, and the place that is blamed
    perhaps: str = ""
    bounds: str = ""
    site: int = 0
    #: the level of the trace from which on it is left to the filter, which traces it
    traced_from: int = UNTRACED
    #: how large a part of the elements may pass it, by what is known of the cells
    share: float = 0.5
    #: the field of the cells and the constant that they are compared with, where a board of that may be maintained
    held: tuple[int, int] | None = None
    #: the field of the cells, if it has an inverted index
    field: int | None = None


class FilteredScans(Printer):
    """Loops that visit only the elements that a filter lets pass."""

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
            tests, rest = self.tests(over.domain, var, where, below)
            board_filter = (
                None
                if stores(self.body.plan, below)
                else self.body.bitboards.bitboard_filter(over.domain, var, where, below)
            )
            if board_filter is not None:
                with (
                    self._scanned(over.domain, var, tests, site, below, fixing, board_filter),
                    self.body.loops.filtered(board_filter.rest),
                ):
                    yield
                return
            prefiltered = (
                None
                if stores(self.body.plan, below)
                else self.body.needs.prefilter_for(over.domain, var, rest, below)
            )
            if tests or prefiltered is not None:
                with (
                    self._scanned(over.domain, var, tests, site, below, fixing, prefiltered=prefiltered),
                    self.body.loops.filtered(rest),
                ):
                    yield
                return
        with self.body.loops.each(over, var, site, below, fixing), self.body.loops.filtered(where):
            yield

    def tests(
        self, domain: int, var: int, where: ir.Expr | None, below: Any
    ) -> tuple[list[Test], ir.Expr | None]:
        """The parts of a filter that compare one cell of each element with something fixed, and what remains of the
        filter.

        Such parts are side-effect free, so that it does not matter for how many elements they are tested; but only side-effect
        free parts may stand before them.  Nothing below may write, since many elements are asked at once."""
        entry = self.body.program.domains[domain]
        if entry.sort not in ("piece", "record", "place", "edge") or stores(self.body.plan, below):
            return [], where
        tests: list[Test] = []
        living = [Test(array, "0", 1) for array in self._alive_cells(domain)]
        if not self.body.plan.uses("scan_cells"):
            # The dead are skipped all the same, whoever else narrows the scan.
            return living, where
        changed = assigned(below) | {var}
        rest: list[ir.Expr] = []
        ahead = True
        for part in conjuncts(self.opened(where), self.opened):
            room = len(tests) + len(living) < MOST_TESTS
            test = self.test(domain, var, part, changed) if ahead and room else None
            # What may fail must fail at the same element, so that no other test may be left.
            if test is not None and not (test.perhaps and rest):
                tests.append(test)
                continue
            rest.append(part)
            if ahead and isinstance(part, ir.Call):
                tests += self._guards(domain, var, part, changed)[: MOST_TESTS - len(tests) - len(living)]
            ahead = ahead and side_effect_free(self.body.plan, part, {**self.body.bounded, var: domain})
        if not tests:
            # Only dead elements are skipped.
            return living, where
        if not any(test.perhaps for test in tests):
            # What finds fewest is asked first: often nothing is left for the others.
            tests.sort(key=lambda test: test.share)
        # Most are alive: what is asked before finds fewer.
        return [*tests, *living], joined(rest)

    def _alive_cells(self, domain: int) -> list[str]:
        """The cells that say which elements are alive, if they can be dead."""
        alive = self.body.loops.alive_field(domain)
        return [] if alive is None else [f"{self.body.h('s')} + {self.body.offset(alive)}"]

    def _guards(self, domain: int, var: int, call: ir.Call, changed: set[int]) -> list[Test]:
        """What a rule tests first, if a scan can test it: without it the rule is false.  The rule tests it again by itself."""
        if call.function not in self.body.plan.bounded_cost:
            return []
        callee = self.body.program.functions[call.function]
        names = replaceable(callee, call.args, lambda arg: False)
        found: list[Test] = []
        for part, traced_from in guards(callee.body):
            if not read_locals(part) <= names.keys():
                break
            opened: ir.Expr = renamed(part, names, {})
            test = self.test(domain, var, opened, changed)
            # What may fail is left to the rule.
            if test is not None and not test.perhaps:
                found.append(test._replace(traced_from=UNTRACED if self.body.no_trace else traced_from))
            elif not side_effect_free(self.body.plan, opened, {**self.body.bounded, var: domain}):
                break
        return found

    def opened(self, node: ir.Expr | None) -> ir.Expr | None:
        """A call as the expression that it evaluates to, in an untraced run."""
        if not isinstance(node, ir.Call) or node.function not in self.body.inlined:
            return node
        callee = self.body.program.functions[node.function]
        if not self.body.no_trace and any(isinstance(part, ir.Note) for part in nodes(callee.body)):
            return node
        names = replaceable(callee, node.args, lambda arg: False)
        single = single_value(callee.body)
        if (
            single is None
            or len(names) != callee.params
            or (callee.site != self.body.site and _needs_site(single))
        ):
            return node
        if any(isinstance(part, ir.Local) and part.index >= callee.params for part in nodes(single)):
            return node
        opened: ir.Expr = renamed(single, names, {})
        return opened

    def test(self, domain: int, var: int, node: ir.Expr, changed: set[int]) -> Test | None:
        other = 0
        while isinstance(node, ir.Unary) and node.op == "not":
            node, other = node.value, 1 - other
        match node:
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right):
                other ^= op == "ne"
                for cell, fixed in ((left, right), (right, left)):
                    array = self.array(domain, var, cell)
                    if not array or read_locals(fixed) & changed:
                        continue
                    if side_effect_free(self.body.plan, fixed, self.body.bounded):
                        share = self._share(cell, fixed, other)
                        value = self.body.keep(self.body.expressions.value(fixed)).text
                        held, field = held_constant(cell, fixed), self._index(cell, fixed, other)
                        return Test(array, value, other, share=share, held=held, field=field)
                    perhaps = self._cell_perhaps(fixed)
                    if perhaps is not None:
                        return Test(array, perhaps[0], other, *perhaps[1:])
            case ir.Load() | ir.Data():
                array = self.array(domain, var, node)
                if array:
                    return Test(array, "0", 1 - other, share=self._share(node, ir.Const(0), 1 - other))
        return None

    def _index(self, cell: ir.Expr, fixed: ir.Expr, other: int) -> int | None:
        """The field by whose inverted index a test can be made, if there is one."""
        if other or not isinstance(cell, ir.Load) or isinstance(fixed, ir.Const):
            return None
        return cell.field if cell.field in self.body.plan.memoised.indices else None

    def _share(self, cell: ir.Expr, fixed: ir.Expr, other: int) -> float:
        """How large a part of the elements may have a cell that is (or is not) so: most hold what they hold at first, and
        of many values each is rare."""
        share = 0.5
        if isinstance(cell, ir.Load):
            entry = self.body.program.fields[cell.field]
            shown = entry.type.show if isinstance(entry.type, ir.IntType) else ""
            if isinstance(fixed, ir.Const):
                share = 0.9 if fixed.value == entry.default else 0.1
            elif shown.startswith("dom:") and self.body.program.domains[int(shown[4:])].sort in MANY_MEMBERS:
                share = 0.05
        return 1 - share if other else share

    def _cell_perhaps(self, node: ir.Expr) -> tuple[str, str, str, int] | None:
        """A cell of an element that may not be there: its text if it is, index, bounds and site; None: no such cell."""
        entry: ir.Field | ir.Column
        match node:
            case ir.Load(field=number, index=(index,), site=site):
                entry = self.body.program.fields[number]
                start = f"{self.body.h('s')}[{self.body.offset(number)} + "
            case ir.Data(column=number, index=(index,), site=site):
                entry = self.body.program.columns[number]
                start = f"{self.body.column_array(number)}["
            case _:
                return None
        if (
            not isinstance(entry.type, ir.IntType)
            or len(entry.dims) != 1
            or not side_effect_free(self.body.plan, index, self.body.bounded)
        ):
            return None
        (domain,) = entry.dims
        place = self.body.keep(self.body.expressions.value(index)).text
        first = self.body.first(domain)
        at = place if first == "0" else f"{place} - {first}"
        return f"{start}{at}]", place, f"{first}, {self.body.count(domain)}", site

    def array(self, domain: int, var: int, node: ir.Expr) -> str:
        """The first of the cells of which the node reads the element's own."""
        match node:
            case ir.Load(field=number, index=(ir.Local(index=index),)) if index == var:
                field = self.body.program.fields[number]
                if field.dims == (domain,) and isinstance(field.type, ir.IntType):
                    return f"{self.body.h('s')} + {self.body.offset(number)}"
            case ir.Data(column=number, index=(ir.Local(index=index),)) if index == var:
                column = self.body.program.columns[number]
                if column.dims == (domain,) and isinstance(column.type, ir.IntType):
                    return self.body.column_array(number)
        return ""

    def scan(
        self,
        domain: int,
        tests: list[Test],
        site: int,
        fixing: tuple[str, str] | None = None,
        board_filter: BitboardFilter | None = None,
    ) -> tuple[str, str]:
        """A scan for the elements that pass the tests, or that are on the board if there is one: its name, and what says
        whether there is."""
        out = self.body.out
        count = self.body.loops.spent(self.body.count(domain), site, fixing)
        scan = out.variable("scan", "grog_scan {}")
        out.add(f"grog_scan_open(&{scan}, {count})")
        wide = "" if board_filter is None else self.body.bitboards.give_bitboard(board_filter, scan, count)
        with out.block("else:") if wide else nullcontext():
            self._add_tests(domain, scan, tests)
        return scan, wide

    def _add_tests(self, domain: int, scan: str, tests: list[Test]) -> None:
        out = self.body.out
        # Where a test may fail, it counts who has passed those before it.
        looks = all(not test.perhaps for test in tests)
        with ExitStack() as found:
            for test in tests:
                if looks and test.field is not None and test.traced_from == UNTRACED:
                    # If no element holds the value, nothing more is tested.
                    found.enter_context(out.block(f"if {self._looked_up(domain, scan, test, test.field)}:"))
                    looks = False
                    continue
                with (
                    nullcontext()
                    if test.traced_from == UNTRACED
                    else out.block(f"if ctx.level < {test.traced_from}:")
                ):
                    self._add_test(domain, scan, test)

    def _add_test(self, domain: int, scan: str, test: Test) -> None:
        line = f"grog_scan_test(&{scan}, {test.array}, {test.value}, {test.other})"
        if not test.perhaps:
            self.body.out.add(line)
            return
        with self.body.out.block(f"if grog_inside({test.perhaps}, {test.bounds}):"):
            self.body.out.add(line)
        with self.body.out.block("else:"):
            (alive,) = self._alive_cells(domain) or ["NULL"]
            self.body.out.add(
                f"grog_scan_missing(ctx, &{scan}, {alive}, {test.perhaps}, {self.body.at(test.site)})"
            )

    def _looked_up(self, domain: int, scan: str, test: Test, field: int) -> str:
        """A test by an inverted index."""
        values = value_range(self.body.program, field, domain)
        assert values is not None
        return (
            f"grog_scan_index(ctx, &{scan}, {self.body.index_of(field)}, {test.array}, {self.body.count(domain)}, "
            f"{test.value}, {self.body.first(values)}, {self.body.count(values)})"
        )

    def scan_only(self, over: ir.Over, var: int, where: ir.Expr | None, below: Any, site: int) -> str:
        """A search that finds exactly the elements of a loop, so that nothing more need be asked; empty if there is
        none."""
        if not isinstance(over, ir.OverDomain):
            return ""
        with self.body.out.buffered() as lines:
            tests, rest = self.tests(over.domain, var, where, below)
        if (
            not tests
            or rest is not None
            or self.body.bitboards.bitboard_filter(over.domain, var, where, below) is not None
        ):
            return ""
        self.body.out.nodes.extend(lines)
        return self.scan(over.domain, tests, site)[0]

    @contextmanager
    def _scanned(
        self,
        domain: int,
        var: int,
        tests: list[Test],
        site: int,
        below: Any,
        fixing: tuple[str, str] | None,
        board_filter: BitboardFilter | None = None,
        prefiltered: tuple[Prefilter, FilterScope] | None = None,
    ) -> Iterator[None]:
        scan, wide = self.scan(domain, tests, site, fixing, board_filter)
        if prefiltered is not None:
            self.body.prefilters.give_prefilter(*prefiltered, scan, MOST_TESTS - len(tests))
        with self.found(domain, var, scan, below):
            if board_filter is not None:
                with self.body.out.block(f"if not {wide}:"):
                    self.unless(board_filter.asked)
            yield

    @contextmanager
    def found(self, domain: int, var: int, scan: str, below: Any) -> Iterator[None]:
        """A loop over what a scan finds."""
        out = self.body.out
        index = out.variable("i", INT64)
        with out.block("while True:"):
            out.add(f"{index} = grog_scan_next(&{scan})")
            with out.block(f"if {index} < 0:"):
                out.add("break")
            out.add(f"{self.body.int_local(var)} = {self.body.element(domain, index)}")
            with self.body.prefilters.known(var, domain, below):
                yield

    def unless(self, condition: ir.Expr) -> None:
        with self.body.out.block(f"if not {self.body.expressions.condition(condition)}:"):
            self.body.out.add("continue")

    def yields_in_bulk(self, node: ir.For) -> bool:
        """A loop that does nothing but offer the elements that pass, if the scan can offer them itself."""
        below = (node.where, node.body)
        if not isinstance(node.over, ir.OverDomain) or node.body != (ir.Yield(ir.Local(node.var)),):
            return False
        domain = node.over.domain
        tests, rest = self.tests(domain, node.var, node.where, below)
        board_filter = self.body.bitboards.bitboard_filter(domain, node.var, node.where, below)
        if board_filter.rest is not None if board_filter is not None else not tests or rest is not None:
            return False
        first = self.body.first(domain)
        if board_filter is not None:
            self.body.bitboards.with_bitboard(
                board_filter, node.site, f"grog_board{{width}}_yield(ctx, {{board}}, {{count}}, {first})"
            )
        with self.body.out.block("else:") if board_filter is not None else nullcontext():
            scan, _ = self.scan(domain, tests, node.site, None, None)
            if board_filter is None:
                self.body.out.add(f"grog_yield_all(ctx, &{scan}, {first})")
                return True
            with self.found(domain, node.var, scan, below):
                self.unless(board_filter.asked)
                self.body.out.add(f"grog_yield(ctx, {self.body.int_local(node.var)})")
        return True


def _needs_site(node: ir.Expr) -> bool:
    """Whether the node fails, if it does, at the place of the function around it."""
    return any(isinstance(part, ir.Unary | ir.In | ir.SetOf | ir.SetBuild) for part in nodes(node))
