"""Loops inside expressions to source: what a loop runs over, aggregates, and sets built by a loop.

A loop over a domain whose filter begins by asking for a certain value of a field (who is in this place?) runs over the elements
that hold it alone, which an index of the field knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from grognard.contract import ir
from grognard.contract.header import FAIL_OVERFLOW, FAIL_UNIQUE, NONE
from grognard.contract.ir.walk import conjuncts, nodes
from grognard.translator.code import MOST, NAME, Scope, Value
from grognard.translator.integers import ANSWERS

#: Code after which the steps of a loop are compared with the budget: what else runs inside is short.
_NESTED = (
    ir.Aggregate,
    ir.SetBuild,
    ir.Call,
    ir.SetCall,
    ir.ReachCost,
    ir.ReachSet,
    ir.AtBest,
    ir.Coverable,
    ir.Meeting,
)


@dataclass(slots=True)
class Source:
    """What a loop runs over: the elements and their number as text, and between which numbers they lie."""

    items: str
    count: str
    lo: int = NONE
    hi: int = MOST
    #: a test that each element must pass when its turn comes
    test: str | None = None
    #: a list that somebody else may change
    borrowed: bool = False


class LoopExpressions(Scope):
    """Translates the sources of loops and the expressions that run over them."""

    def source(self, over: ir.Over, var: int, where: list[ir.Expr], inside: tuple[Any, ...]) -> Source:
        """What to loop over; parts of the filter that the source takes care of are taken out of it."""
        match over:
            case ir.OverDomain(domain=domain):
                return self._over_domain(domain, var, where, inside)
            case ir.OverRange(lo=lo, hi=hi):
                a, b = self.several((lo, hi))
                mine = self.atom(a) if a.lo == NONE else a
                items = self.temporary()
                made = f"range({mine.text}, {b.text} + 1)"
                if a.lo == NONE:
                    # Both ends are evaluated, whatever the first is.
                    end = self.atom(b)
                    made = f"range({mine.text}, {end.text} + 1) if {mine.text} != {NONE} else ()"
                self.line(f"{items} = {made}")
                return Source(items, f"len({items})", a.lo, b.hi)
            case ir.OverSet(set=inner):
                domain = self.set_domain(inner)
                base = self.layout.base[domain]
                mask = self.value(inner)
                items = self.temporary()
                self.line(f"{items} = members({mask.text}, {base})")
                return Source(items, f"len({items})", base, base + self.layout.count[domain] - 1)
            case ir.OverItems(items=listed):
                values = self.several(listed)
                items = self.temporary()
                tuple_text = f"({' '.join(f'{value.text},' for value in values)})"
                whole = all(value.lo > NONE for value in values)
                self.line(f"{items} = {tuple_text if whole else f'present({tuple_text})'}")
                least = min((value.lo for value in values), default=0)
                return Source(
                    items, str(len(values)), least if whole else NONE, max((v.hi for v in values), default=0)
                )
            case ir.OverList(list=inner_list):
                found = self.atom(self.value(inner_list))
                return Source(found.text, f"len({found.text})", borrowed=True)
            case ir.OverVerb(name=name, args=args):
                values = self.several(args)
                listing = self.unit.given(f"over_{name}", lambda: self._listing(name))
                items = self.temporary()
                self.line(f"{items} = {listing}({', '.join(value.text for value in values)})")
                return Source(items, f"len({items})")
        raise ValueError(f"cannot loop over {over!r}")

    def _listing(self, name: str) -> Callable[..., tuple[int, ...]]:
        ask = self.unit.state.geography.listing(name)

        @lru_cache(ANSWERS)
        def listing(*args: int) -> tuple[int, ...]:
            return tuple(ask(*args))

        return listing

    def _over_domain(self, domain: int, var: int, where: list[ir.Expr], inside: tuple[Any, ...]) -> Source:
        base, count = self.layout.base[domain], self.layout.count[domain]
        alive = self.program.domains[domain].alive
        lo, hi, number = base, base + count - 1, str(count)
        state = self.unit.state
        everything = self.unit.given(f"domain{domain}", lambda: range(base, base + count))
        if not self.facts.pure(*where, *inside):
            # Whoever dies on the way is passed over.
            if alive is None:
                return Source(everything, number, lo, hi)
            start = self.layout.field_offset[alive] - base
            return Source(everything, number, lo, hi, f"c[{self.name(var)} + {start}]")
        asked = self._indexed(domain, var, where) if var in self.own else None
        if asked is not None:
            field, value = asked
            fields = {field} if alive is None else {field, alive}
            kept = self.unit.given(f"index{field}", lambda: state.keep(fields))
            wanted = self.value(value)
            items = self.temporary()
            with self.block("if S.dirty:"):
                self.line("flush()")
            found = f"({kept} or holders({field}, {domain}, {kept})).get({wanted.text}, ())"
            self.line(f"{items} = {found}")
            return Source(items, number, lo, hi)
        if alive is None:
            return Source(everything, number, lo, hi)
        kept = self.unit.given(f"living{domain}", lambda: state.keep([alive]))
        with self.block("if S.dirty:"):
            self.line("flush()")
        items = self.temporary()
        self.line(f"{items} = {kept}.get(0) or living({domain}, {kept})")
        return Source(items, number, lo, hi)

    def _indexed(self, domain: int, var: int, where: list[ir.Expr]) -> tuple[int, ir.Expr] | None:
        """A field and the value that elements must hold in it, as the filter asks before anything that matters to others."""
        for number, part in enumerate(where):
            if not self._harmless(part, var, domain):
                return None
            if isinstance(part, ir.Binary) and part.op == "eq":
                for cell, value in ((part.left, part.right), (part.right, part.left)):
                    if (
                        isinstance(cell, ir.Load)
                        and cell.index == (ir.Local(var),)
                        and self.program.fields[cell.field].dims == (domain,)
                        and not any(isinstance(n, ir.Local) and n.index == var for n in nodes(value))
                    ):
                        del where[number]
                        return cell.field, value
        return None

    def _harmless(self, node: ir.Expr, var: int, domain: int) -> bool:
        """Whether an expression cannot fail, takes no steps and leaves no record, so that nobody notices if it is skipped."""
        for part in nodes(node):
            match part:
                case ir.Const() | ir.Sym() | ir.Local() | ir.DomainCount() | ir.DomainBase() | ir.Head():
                    pass
                case ir.Binary(op=op) if op in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or"):
                    pass
                case ir.Unary(op="not"):
                    pass
                case ir.Load(field=field, index=index):
                    dims = self.program.fields[field].dims
                    if dims and (dims != (domain,) or index != (ir.Local(var),)):
                        return False
                case ir.Data(column=column, index=index):
                    dims = self.program.columns[column].dims
                    if dims and (dims != (domain,) or index != (ir.Local(var),)):
                        return False
                case _:
                    return False
        return True

    # ------------------------------------------------------------------------------------------------- loops

    def spend(self, count: str, *inside: Any) -> None:
        """Take steps; where much may run inside, see whether there are any left."""
        if count != "0":
            self.line(f"S.steps += {count}")
        if any(isinstance(node, _NESTED) for node in nodes(inside)):
            self.check()

    def check(self) -> None:
        with self.block("if S.steps > S.budget:"):
            self.line("uncounted()")

    @contextmanager
    def loop(
        self, var: int, over: ir.Over, where: ir.Expr | None, inside: ir.Expr | None, site: int
    ) -> Iterator[None]:
        """A loop inside an expression over the elements that pass the filter."""
        tests = conjuncts(where)
        source = self.source(over, var, tests, () if inside is None else (inside,))
        # A range may have any length, whatever runs inside.
        self.spend(source.count, *(() if isinstance(over, ir.OverRange) else (where, inside)))
        if isinstance(over, ir.OverRange):
            self.check()
        head = f"for {self.name(var)} in {source.items}:"
        with self.looping(var, source.lo, source.hi), self.block(head):
            if source.test is not None:
                self.skip_unless(source.test)
            self.filter(tests)
            yield
        self.leave(var)

    def filter(self, tests: list[ir.Expr]) -> None:
        for test in tests:
            value = self.value(test)
            if not value.number:
                self.skip_unless(value.condition)

    def skip_unless(self, condition: str) -> None:
        with self.block(f"if not {condition}:"):
            self.line("continue")

    def _aggregate(self, node: ir.Aggregate) -> Value:
        result = self.temporary()
        write = _AGGREGATES[node.op]
        return write(self, node, result)

    def _counted(self, node: ir.Aggregate, result: str) -> Value:
        self.line(f"{result} = 0")
        with self.loop(node.var, node.over, node.where, None, node.site):
            self.line(f"{result} += 1")
        most = self.layout.count[node.over.domain] if isinstance(node.over, ir.OverDomain) else MOST
        return Value(result, NAME, 0, most)

    def _any(self, node: ir.Aggregate, result: str) -> Value:
        self.line(f"{result} = 0")
        with self.loop(node.var, node.over, node.where, None, node.site):
            self.line(f"{result} = 1")
            self.line("break")
        return Value(result, NAME, 0, 1)

    def _all(self, node: ir.Aggregate, result: str) -> Value:
        assert node.value is not None
        self.line(f"{result} = 1")
        with self.loop(node.var, node.over, node.where, node.value, node.site):
            test = self.condition(node.value)
            with self.block(f"if not {test}:"):
                self.line(f"{result} = 0")
                self.line("break")
        return Value(result, NAME, 0, 1)

    def _first(self, node: ir.Aggregate, result: str) -> Value:
        self.line(f"{result} = {NONE}")
        with self.loop(node.var, node.over, node.where, None, node.site):
            self.line(f"{result} = {self.name(node.var)}")
            if node.op == "first":
                self.line("break")
        return Value(result, NAME)

    def _only(self, node: ir.Aggregate, result: str) -> Value:
        hits = self.temporary()
        self.line(f"{result} = {NONE}")
        self.line(f"{hits} = 0")
        with self.loop(node.var, node.over, node.where, None, node.site):
            with self.block(f"if {hits}:"):
                self.line(f"{result} = {NONE}")
                self.line("break")
            self.line(f"{hits} = 1")
            self.line(f"{result} = {self.name(node.var)}")
        if node.op == "the":
            with self.block(f"if {result} == {NONE}:"):
                self.line(f"failed({FAIL_UNIQUE}, {node.site})")
        return Value(result, NAME, NONE if node.op == "only" else -MOST)

    def _sum(self, node: ir.Aggregate, result: str) -> Value:
        assert node.value is not None
        self.line(f"{result} = 0")
        with self.loop(node.var, node.over, node.where, node.value, node.site):
            value = self.value(node.value)
            if value.lo == NONE:
                value = self.atom(value)
                with self.block(f"if {value.text} != {NONE}:"):
                    self.line(f"{result} += {value.text}")
            else:
                self.line(f"{result} += {value.text}")
        lo, hi = -MOST, MOST
        if isinstance(node.over, ir.OverDomain):
            count = self.layout.count[node.over.domain]
            lo, hi = min(0, count * max(value.lo, -MOST)), max(0, count * value.hi)
        else:
            lo, hi = NONE - 1, MOST + 1
        if lo < -MOST or hi > MOST:
            with self.block(f"if not {-MOST} <= {result} <= {MOST}:"):
                self.line(f"failed({FAIL_OVERFLOW}, {node.site})")
        return Value(result, NAME, max(lo, -MOST), min(hi, MOST))

    def _extreme_of(self, node: ir.Aggregate, result: str) -> Value:
        assert node.value is not None
        sign = ">" if node.op == "max" else "<"
        self.line(f"{result} = {NONE}")
        with self.loop(node.var, node.over, node.where, node.value, node.site):
            value = self.atom(self.value(node.value))
            # The highest so far begins as NONE, which is below everything; the lowest cannot.
            if node.op == "max":
                test = f"{value.text} > {result}"
            else:
                test = f"{value.text} != {NONE} and ({result} == {NONE} or {value.text} {sign} {result})"
            with self.block(f"if {test}:"):
                self.line(f"{result} = {value.text}")
        return Value(result, NAME, NONE, value.hi)

    def _best(self, node: ir.Aggregate, result: str) -> Value:
        assert node.value is not None
        sign = ">" if node.op.endswith("high") else "<"
        alone = node.op.startswith("only")
        best, tie = self.temporary(), self.temporary()
        self.line(f"{result} = {best} = {NONE}")
        if alone:
            self.line(f"{tie} = 0")
        with self.loop(node.var, node.over, node.where, node.value, node.site):
            value = self.atom(self.value(node.value))
            if value.lo == NONE:
                self.skip_unless(f"{value.text} != {NONE}")
            with self.block(f"if {best} == {NONE} or {value.text} {sign} {best}:"):
                self.line(f"{best} = {value.text}")
                self.line(f"{result} = {self.name(node.var)}")
                if alone:
                    self.line(f"{tie} = 0")
            if alone:
                with self.block(f"elif {value.text} == {best}:"):
                    self.line(f"{tie} = 1")
        if alone:
            with self.block(f"if {tie}:"):
                self.line(f"{result} = {NONE}")
        return Value(result, NAME)

    def _set_build(self, node: ir.SetBuild) -> Value:
        base, count = self.layout.base[node.domain], self.layout.count[node.domain]
        result = self.temporary()
        self.line(f"{result} = 0")
        with self.loop(node.var, node.over, node.where, node.value, self.site):
            value = self.local(node.var) if node.value is None else self.value(node.value)
            if base <= value.lo and value.hi < base + count:
                shifted = value.text if base == 0 else f"({value.text} - {base})"
                self.line(f"{result} |= 1 << {shifted}")
            else:
                self.line(f"{result} |= bit_of({value.text}, {base}, {count}, {self.site})")
        return Value(result, NAME)


_AGGREGATES: dict[str, Callable[[LoopExpressions, ir.Aggregate, str], Value]] = {
    "count": LoopExpressions._counted,
    "any": LoopExpressions._any,
    "all": LoopExpressions._all,
    "first": LoopExpressions._first,
    "last": LoopExpressions._first,
    "only": LoopExpressions._only,
    "the": LoopExpressions._only,
    "sum": LoopExpressions._sum,
    "min": LoopExpressions._extreme_of,
    "max": LoopExpressions._extreme_of,
    "best_high": LoopExpressions._best,
    "best_low": LoopExpressions._best,
    "only_high": LoopExpressions._best,
    "only_low": LoopExpressions._best,
}

LOOPS: dict[type, Callable[[Any, Any], Value]] = {
    ir.Aggregate: LoopExpressions._aggregate,
    ir.SetBuild: LoopExpressions._set_build,
}
