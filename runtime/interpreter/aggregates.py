"""Loops inside expressions to closures: what a loop runs over, aggregates, and sets built by a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import elements
from grognard.contract.header import FAIL_OVERFLOW, FAIL_UNIQUE, NONE
from grognard.interpreter.frames import Eval, Frame, bit_of
from grognard.interpreter.operators import AGGREGATE, MOST, WITHOUT_VALUE
from grognard.interpreter.scope import Scope, Source


class AggregateExpressions(Scope):
    """Compiles the sources of loops and the expressions that run over them."""

    def over(self, node: ir.Over) -> Source:
        match node:
            case ir.OverDomain(domain=domain):
                return self._over_domain(domain)
            case ir.OverRange(lo=lo, hi=hi):
                first, last = self.expr(lo), self.expr(hi)

                def over_range(fr: Frame) -> tuple[int, Iterable[int]]:
                    a, b = first(fr), last(fr)
                    if NONE in (a, b) or a > b:
                        return 0, ()
                    return b - a + 1, range(a, b + 1)

                return over_range
            case ir.OverSet(set=inner):
                base = self.layout.base[self.set_domain(inner)]
                mask = self.set(inner)

                def over_set(fr: Frame) -> tuple[int, Iterable[int]]:
                    found = mask(fr)
                    return found.bit_count(), elements(found, base)

                return over_set
            case ir.OverItems(items=items):
                made = [self.expr(item) for item in items]

                def over_items(fr: Frame) -> tuple[int, Iterable[int]]:
                    return len(made), [x for x in [item(fr) for item in made] if x != NONE]

                return over_items
            case ir.OverList(list=inner_list):
                values = self.list(inner_list)

                def over_list(fr: Frame) -> tuple[int, Iterable[int]]:
                    found = list(values(fr))
                    return len(found), found

                return over_list
            case ir.OverVerb(name=name, args=args):
                if len(args) != ir.OVER_VERBS[name]:
                    raise ValueError(f"{name} takes {ir.OVER_VERBS[name]} arguments")
                listing = self.unit.geography.listing(name)
                made = [self.expr(arg) for arg in args]

                def over_verb(fr: Frame) -> tuple[int, Iterable[int]]:
                    places = listing(*[arg(fr) for arg in made])
                    return len(places), places

                return over_verb
        raise ValueError(f"cannot loop over {node!r}")

    def _over_domain(self, domain: int) -> Source:
        base, count = self.layout.base[domain], self.layout.count[domain]
        alive = self.program.domains[domain].alive
        if alive is None:
            everything = (count, range(base, base + count))
            return lambda fr: everything
        start = self.layout.field_offset[alive]

        def living(fr: Frame) -> tuple[int, Iterable[int]]:
            c = fr.c
            return count, (base + i for i in range(count) if c[start + i])

        return living

    def _aggregate(self, node: ir.Aggregate) -> Eval:
        gather = AGGREGATE[node.op]
        if (node.value is None) != (node.op in WITHOUT_VALUE):
            raise ValueError(f"aggregate {node.op} {'needs' if node.value is None else 'takes no'} value")
        over = self.over(node.over)
        where = None if node.where is None else self.expr(node.where)
        value = _no_value if node.value is None else self.expr(node.value)
        slot = self.int_slot(node.var)
        site = node.site
        op = node.op

        def aggregate(fr: Frame) -> int:
            count, items = over(fr)
            fr.run.spend(count, site)
            v = fr.v
            if where is None:
                result = gather(fr, v, slot, items, _always, value)
            else:
                result = gather(fr, v, slot, items, where, value)
            v[slot] = 0
            if op == "sum" and not -MOST <= result <= MOST:
                raise RuleFailure(FAIL_OVERFLOW, site)
            if op == "the" and result == NONE:
                raise RuleFailure(FAIL_UNIQUE, site)
            return result

        return aggregate

    def _set_build(self, node: ir.SetBuild) -> Eval:
        over = self.over(node.over)
        where = _always if node.where is None else self.expr(node.where)
        slot = self.int_slot(node.var)
        value = (lambda fr: fr.v[slot]) if node.value is None else self.expr(node.value)
        base, count = self.layout.base[node.domain], self.layout.count[node.domain]
        site = self.site

        def build(fr: Frame) -> int:
            raw, items = over(fr)
            fr.run.spend(raw, site)
            v = fr.v
            mask = 0
            for item in items:
                v[slot] = item
                if where(fr):
                    mask |= bit_of(value(fr), base, count, site)
            v[slot] = 0
            return mask

        return build


def _always(fr: Frame) -> int:
    return 1


def _no_value(fr: Frame) -> int:
    raise AssertionError("this aggregate has no value")


AGGREGATES: dict[type, Callable[[AggregateExpressions, Any], Eval]] = {
    ir.Aggregate: AggregateExpressions._aggregate,
}

BUILT_SETS: dict[type, Callable[[AggregateExpressions, Any], Eval]] = {
    ir.SetBuild: AggregateExpressions._set_build,
}
