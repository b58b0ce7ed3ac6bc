"""What a filter cannot do without: read off its rules, however deep, as terms of a prefilter."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline_functions import always_returns, renamed
from grognard.compiler.cython.optimise.prefilter_terms import (
    FOREIGN,
    MOST_DEEP,
    MOST_PARTS,
    NOTHING,
    SMALL,
    Adjacent,
    And,
    CellHolds,
    FilterScope,
    HeldValues,
    Prefilter,
    Static,
    StaticValue,
    Uniform,
    Wanted,
    askable,
    conjunction,
    disjunction,
    terms_of,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.compiler.passes.analyses.memoisable import value_range
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import conjuncts


class Needs(Printer):
    """Terms that every element must meet of which a filter can be true."""

    def prefilter_for(
        self, domain: int, var: int, where: ir.Expr | None, below: Any
    ) -> tuple[Prefilter, FilterScope] | None:
        """A prefilter for what is left of a filter, and the conditions under which it holds; None if there is none."""
        if not self.body.plan.uses("prefilter_elements"):
            return None
        if where is None or self.body.plan.is_small or not self.body.plan.memoised.next_validity:
            # A small program has bitboards for it.
            return None
        if not any(isinstance(node, ir.Call | ir.Aggregate) for node in nodes(where)):
            # Asking is as quick.
            return None
        look = FilterScope(domain, var, assigned(below) | {var})
        term = self._needs(look, where, Wanted.YES, 0)
        if term is not None:
            known = term.parts if isinstance(term, And) else (term,)
            for asked in look.asked:
                if Static(asked) not in known:
                    term = conjunction(term, askable(asked))
        if term is None or sum(1 for _ in terms_of(term)) > MOST_PARTS:
            return None
        return term, look

    # -- what an expression cannot do without

    def _needs(self, look: FilterScope, node: ir.Expr, wanted: Wanted, deep: int) -> Prefilter | None:
        """Elements outside are certain to give the other answer, without side effects."""
        match node:
            case ir.Const(value=value):
                possible = {Wanted.YES: value != 0, Wanted.NO: value == 0, Wanted.MORE: value > 0}
                return None if possible[wanted] else NOTHING
            case ir.Unary(op="not", value=value) if wanted != Wanted.MORE:
                return self._needs(look, value, Wanted.NO if wanted == Wanted.YES else Wanted.YES, deep)
            case ir.Binary(op="and" | "or" as op, left=left, right=right) if wanted != Wanted.MORE:
                first = self._needs(look, left, wanted, deep)
                second = self._needs(look, right, wanted, deep)
                if (op == "or") == (wanted == Wanted.YES):
                    return disjunction(first, second)
                sure = self._is_seen(look, left, first) or self._safe(look, left, {}, deep)
                return conjunction(first, second if sure else None)
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                yes, no = (self._needs(look, part, wanted, deep) for part in (then, otherwise))
                return self._by(look, condition, yes, no, deep)
            case ir.Binary(op="gt", left=more, right=ir.Const(value=0)) if wanted == Wanted.YES:
                return self._needs(look, more, Wanted.MORE, deep)
            case ir.Binary(op="lt", left=ir.Const(value=0), right=more) if wanted == Wanted.YES:
                return self._needs(look, more, Wanted.MORE, deep)
            case ir.Binary(op="max", left=left, right=right) if wanted == Wanted.MORE:
                return disjunction(
                    self._needs(look, left, wanted, deep), self._needs(look, right, wanted, deep)
                )
        leaf = self._leaf(look, node, wanted)
        if leaf is not None:
            return leaf
        if isinstance(node, ir.Call) and deep < MOST_DEEP:
            code = self._looked_into(look, node, deep)
            return None if code is None else self._needs_of(look, code, wanted, deep + 1)
        return None

    def _by(
        self, look: FilterScope, condition: ir.Expr, yes: Prefilter | None, no: Prefilter | None, deep: int
    ) -> Prefilter | None:
        """Elements that pass if the condition holds and `yes`, or if it does not and `no`."""
        holds = self._needs(look, condition, Wanted.YES, deep)
        fails = self._needs(look, condition, Wanted.NO, deep)
        if yes == no == NOTHING:
            return NOTHING if self._safe(look, condition, {}, deep) else None
        seen = self._is_seen(look, condition, holds) and self._is_seen(look, condition, fails)
        if not (seen or self._safe(look, condition, {}, deep)):
            # The condition may fail, except where its value is certain.
            return holds if no == NOTHING else fails if yes == NOTHING else None
        return disjunction(conjunction(holds, yes), conjunction(fails, no))

    def _is_seen(self, look: FilterScope, node: ir.Expr, term: Prefilter | None) -> bool:
        """Whether the data block alone decides, and all that could fail is part of the prefilter, so that a failure shows."""
        return self._is_static(look, node) and self._is_covered(
            look, node, set(terms_of(term)) if term else set()
        )

    def _is_covered(self, look: FilterScope, node: ir.Expr, leaves: set[Prefilter]) -> bool:
        ways = (node, ir.Unary("not", node), ir.Binary("gt", node, ir.Const(0), 0))
        if any(Static(way) in leaves for way in ways) or self._is_free(look, node, {}):
            return True
        match node:
            case ir.Unary(op="not", value=value):
                return self._is_covered(look, value, leaves)
            case ir.Binary(op="and" | "or", left=left, right=right):
                return self._is_covered(look, left, leaves) and self._is_covered(look, right, leaves)
        return False

    def _needs_of(
        self, look: FilterScope, code: Sequence[ir.Stmt], wanted: Wanted, deep: int
    ) -> Prefilter | None:
        """The same of code that returns something."""
        for number, node in enumerate(code):
            rest = tuple(code[number + 1 :])
            match node:
                case ir.Note(level=level) if level >= 2:
                    continue
                case ir.Assign(local=local, value=value):
                    told = [part for part in rest if not isinstance(part, ir.Note) or part.level < 2]
                    if told and told[0] == ir.Return(ir.Local(local)):
                        return self._needs(look, value, wanted, deep)
                    if not self._safe(look, value, {}, deep):
                        return None
                case ir.Return(value=value) if value is not None:
                    return self._needs(look, value, wanted, deep)  # type: ignore[arg-type]
                case ir.IfStmt(condition=condition, then=then, otherwise=otherwise):
                    if not always_returns(then):
                        return None
                    yes = self._needs_of(look, then, wanted, deep)
                    no = self._needs_of(look, (*otherwise, *rest), wanted, deep)
                    return self._by(look, condition, yes, no, deep)
                case _:
                    return None
        return None

    def _leaf(self, look: FilterScope, node: ir.Expr, wanted: Wanted) -> Prefilter | None:
        if self._is_static(look, node):
            zero = ir.Const(0)
            asked = {
                Wanted.YES: node,
                Wanted.NO: ir.Unary("not", node),
                Wanted.MORE: ir.Binary("gt", node, zero, 0),
            }
            return Static(asked[wanted])
        if self._one_value(look, node) and wanted != Wanted.MORE:
            return Uniform(node if wanted == Wanted.YES else ir.Unary("not", node))
        match node:
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right) if wanted != Wanted.MORE:
                other = (op == "ne") ^ (wanted == Wanted.NO)
                for cell, value in ((left, right), (right, left)):
                    if self._own_cell(look, cell) and self._one_value(look, value):
                        assert isinstance(cell, ir.Load | ir.Data)
                        return CellHolds(cell, value, int(other))
                    if self._is_static(look, cell) and self._one_value(look, value):
                        return StaticValue(cell, value, int(other))
            case ir.Load() | ir.Data() if self._own_cell(look, node):
                return CellHolds(node, ir.Const(0), int(wanted != Wanted.NO))
            case ir.Aggregate(op="any" | "count", over=ir.OverDomain(), value=None) if wanted != Wanted.NO:
                return self._held_values(look, node)
            case ir.Verb(name="adjacent", args=(left, right)) if wanted == Wanted.YES:
                for place, other_place in ((left, right), (right, left)):
                    if place == ir.Local(look.var) and self._one_value(look, other_place):
                        return Adjacent(other_place)
        return None

    def _own_cell(self, look: FilterScope, node: ir.Expr) -> bool:
        if not isinstance(node, ir.Load | ir.Data) or node.index != (ir.Local(look.var),):
            return False
        entry, _ = self.body.bitboards.cells_of(node)
        return entry.dims == (look.domain,) and isinstance(entry.type, ir.IntType)

    def _held_values(self, look: FilterScope, node: ir.Aggregate) -> Prefilter | None:
        """The values that some element holds in a field, where the aggregate needs one that holds the element."""
        assert isinstance(node.over, ir.OverDomain)
        bounds = {node.var: node.over.domain}
        for part in conjuncts(node.where):
            match part:
                case ir.Binary(op="eq", left=left, right=right):
                    for cell, value in ((left, right), (right, left)):
                        if (
                            isinstance(cell, ir.Load)
                            and cell.index == (ir.Local(node.var),)
                            and value == ir.Local(look.var)
                            and cell.field in self.body.plan.memoised.indices
                            and value_range(self.body.program, cell.field, node.over.domain) == look.domain
                        ):
                            return HeldValues(cell.field)
            if not self._is_free(look, part, bounds):
                return None
        return None

    # -- what can be skipped

    def _is_static(self, look: FilterScope, node: ir.Expr) -> bool:
        """Whether the data alone decide."""
        if not isinstance(node, ir.Call | ir.Binary | ir.Data | ir.Aggregate | ir.In):
            return False
        read = read_locals(node)
        if look.var not in read:
            return False
        inner = {part.var for part in nodes(node) if isinstance(part, ir.Aggregate | ir.SetBuild)}
        if not read <= inner | {look.var} or any(local >= FOREIGN for local in inner):
            return False
        for part in nodes(node):
            match part:
                case ir.Call(function=number) | ir.SetCall(function=number):
                    if self.body.plan.reads[number] != frozenset() or not self._is_traceless(number):
                        return False
                case ir.OverDomain(domain=domain):
                    if self.body.program.domains[domain].alive is not None:
                        return False
                case (
                    ir.Load()
                    | ir.SetLoad()
                    | ir.ListLoad()
                    | ir.SetLocal()
                    | ir.ListLocal()
                    | ir.Head()
                    | ir.ReachCost()
                    | ir.ReachSet()
                    | ir.AtBest()
                ):
                    return False
        return True

    def _is_traceless(self, number: int) -> bool:
        reached = {number} | self.body.plan.reachable[number]
        return not any(
            isinstance(part, ir.Note) and part.level < 2
            for one in reached
            for part in nodes(self.body.program.functions[one].body)
        )

    def _one_value(self, look: FilterScope, node: ir.Expr) -> bool:
        """Whether it has one value for all elements, and is side-effect free."""
        locals_ = read_locals(node)
        return (
            not locals_ & look.changed
            and not any(local >= FOREIGN for local in locals_)
            and not any(isinstance(part, ir.SetLocal | ir.ListLocal) for part in nodes(node))
            and self._is_free(look, node, {})
        )

    def _is_free(self, look: FilterScope, node: Any, bounds: Mapping[int, int]) -> bool:
        """As `side_effect_free`, if some locals are members of the domains that they are looked up in."""
        known = {**self.body.bounded, **bounds, **look.inside, **look.members, look.var: look.domain}
        if side_effect_free(self.body.plan, node, known):
            return True
        more: dict[int, int] = {}
        for part in nodes(node):
            match part:
                case (
                    ir.Load(field=number, index=(ir.Local(index=local),))
                    | ir.SetLoad(field=number, index=(ir.Local(index=local),))
                ):
                    dims = self.body.program.fields[number].dims
                case (
                    ir.Data(column=number, index=(ir.Local(index=local),))
                    | ir.SetData(column=number, index=(ir.Local(index=local),))
                ):
                    dims = self.body.program.columns[number].dims
                case _:
                    continue
            if local not in known and local not in look.changed and local < FOREIGN:
                more[local] = dims[0]
        if not more or not side_effect_free(self.body.plan, node, {**known, **more}):
            return False
        look.inside |= more
        return True

    def _safe(self, look: FilterScope, node: Any, bounds: Mapping[int, int], deep: int) -> bool:
        """Whether it can be asked without failing.  Of what depends on the data alone that is seen when it is asked of all."""
        if self._is_free(look, node, bounds):
            return True
        if isinstance(node, ir.Call) and self._is_static(look, node):
            look.asked[node] = None
            return True
        match node:
            case ir.Unary(op="not", value=value):
                return self._safe(look, value, bounds, deep)
            case ir.Binary(op="and" | "or" | "eq" | "ne" | "lt" | "le" | "gt" | "ge", left=left, right=right):
                return self._safe(look, left, bounds, deep) and self._safe(look, right, bounds, deep)
            case ir.Binary():
                return self._range(look, node, bounds, deep) is not None
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                then = self._with_member(look, condition, then)
                return all(self._safe(look, part, bounds, deep) for part in (condition, then, otherwise))
            case ir.Aggregate(
                op="any" | "count", var=var, over=ir.OverDomain(domain=domain), where=where, value=None
            ):
                # One loop takes few steps; many inside each other may take more than there are.
                within = {**bounds, var: domain}
                return not bounds and (where is None or self._safe(look, where, within, deep))
            case ir.Call() if deep < MOST_DEEP and not bounds:
                code = self._looked_into(look, node, deep)
                return code is not None and self._safe_code(look, code, deep + 1)
        return False

    def _safe_code(self, look: FilterScope, code: Sequence[ir.Stmt], deep: int) -> bool:
        for node in code:
            match node:
                case ir.Note(level=level) if level >= 2:
                    continue
                case ir.Assign(value=value) | ir.Return(value=value):
                    if value is not None and not self._safe(look, value, {}, deep):
                        return False
                case ir.IfStmt(condition=condition, then=then, otherwise=otherwise):
                    then = self._with_member(look, condition, then)
                    if not (
                        self._safe(look, condition, {}, deep)
                        and self._safe_code(look, then, deep)
                        and self._safe_code(look, otherwise, deep)
                    ):
                        return False
                case _:
                    return False
        return True

    def _with_member(self, look: FilterScope, condition: ir.Expr, then: Any) -> Any:
        """Code that runs only where a cell holds something: as if that were a local of its domain.  Damaged positions may hold
        anything, so that the inverted index is asked whether they do."""
        match condition:
            case ir.Binary(op="ne", left=ir.Load(field=number) as cell, right=ir.Const(value=value)):
                dims = self.body.program.fields[number].dims
                domain = value_range(self.body.program, number, dims[0]) if len(dims) == 1 else None
                if value == NONE and domain is not None and number in self.body.plan.memoised.indices:
                    look.whole.add(number)
                    look.members[look.foreign] = domain
                    look.foreign += 1
                    return _instead_of(then, cell, ir.Local(look.foreign - 1))
        return then

    def _range(
        self, look: FilterScope, node: ir.Expr, bounds: Mapping[int, int], deep: int
    ) -> tuple[int, int] | None:
        """Between which numbers a sum lies, if nothing of it can fail."""
        match node:
            case ir.Const(value=value) if value != NONE and abs(value) < SMALL:
                return value, value
            case ir.Local(index=local) if local < FOREIGN and local not in look.changed:
                look.small.add(local)
                return -SMALL, SMALL
            case ir.Aggregate(op="any" | "count") if self._safe(look, node, bounds, deep):
                return 0, SMALL
            case ir.Binary(op="add" | "sub" | "min" | "max" as op, left=left, right=right):
                first = self._range(look, left, bounds, deep)
                second = self._range(look, right, bounds, deep)
                if first is None or second is None:
                    return None
                (a, b), (c, d) = first, second
                made = {
                    "add": (a + c, b + d),
                    "sub": (a - d, b - c),
                    "min": (min(a, c), min(b, d)),
                    "max": (max(a, c), max(b, d)),
                }[op]
                return made if made[0] > -(2**31) and made[1] < 2**31 else None
        return None

    def _looked_into(self, look: FilterScope, call: ir.Call, deep: int) -> tuple[ir.Stmt, ...] | None:
        """The code of a rule, in terms of what it was given; None where the call itself may fail or be traced."""
        callee = self.body.program.functions[call.function]
        if assigned(callee.body) & set(range(callee.params)):
            return None
        if not all(isinstance(local.type, ir.IntType) for local in callee.locals):
            return None
        if not all(self._safe(look, arg, {}, deep) for arg in call.args):
            return None
        start = look.foreign
        look.foreign += len(callee.locals)
        moved = {local: start + local for local in range(callee.params, len(callee.locals))}
        given: dict[int, Any] = dict(enumerate(call.args))
        code: tuple[ir.Stmt, ...] = renamed(callee.body, given, moved)
        return code


def _instead_of(node: Any, cell: ir.Load, local: ir.Local) -> Any:
    """The code with a local where it reads a cell, wherever in the rules that is."""
    if isinstance(node, ir.Load) and (node.field, node.index) == (cell.field, cell.index):
        return local
    if type(node) is tuple:
        return tuple(_instead_of(part, cell, local) for part in node)
    changes = {}
    for name in getattr(type(node), "__match_args__", ()):
        part = getattr(node, name)
        made = _instead_of(part, cell, local)
        if made is not part and made != part:
            changes[name] = made
    return dataclasses.replace(node, **changes) if changes else node
