"""Hints for filters: of which elements of a domain a filter can be true at all, found for all of them at once.

`choose h: Hex where attackable(h, me) and ...` asks a rule of every hex of the map, and the rule says no to all where nobody
stands.  What a filter cannot do without is read off its rules, however deep: cells that must hold a value, places where
somebody must be, what depends on the map alone (found once).  The elements for which that fails are not asked.  Whether one of
them is passed over must not show: only what can neither fail nor be heard may come before what decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import (
    assigned,
    read_locals,
    silent,
)
from grognard.compiler.cython.optimise.direction_bits import Stars
from grognard.compiler.cython.optimise.inline import always_returns, renamed
from grognard.compiler.cython.print.lines import INT64
from grognard.compiler.passes.analyses.memoisable import value_range
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import conjuncts

#: Calls inside each other that are looked into.
MOST_DEEP = 8
#: Parts of one hint.
MOST_PARTS = 12
#: Locals of rules that are looked into: nothing is known of them.
_STRANGE = 1_000_000
#: Numbers that few sums make no trouble of, as in the kernel.
_SMALL = 1 << 28


class Wanted(Enum):
    """What must be possible of an expression: anything but 0, 0, more than 0."""

    YES = "yes"
    NO = "no"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class Held:
    """Elements whose own cell holds a value, or another one."""

    cell: ir.Load | ir.Data
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class Somebody:
    """Values that somebody holds in a field."""

    field: int


@dataclass(frozen=True, slots=True)
class Beside:
    """Places beside one."""

    place: ir.Expr


@dataclass(frozen=True, slots=True)
class Fixed:
    """What depends on the data alone."""

    asked: ir.Expr


@dataclass(frozen=True, slots=True)
class Same:
    """Elements of which something that depends on the data alone has a value, or another one."""

    asked: ir.Expr
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Everybody or nobody, by something that is the same for all."""

    condition: ir.Expr


@dataclass(frozen=True, slots=True)
class Both:
    parts: tuple[Hint, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """No parts: nobody."""

    parts: tuple[Hint, ...]


Hint: TypeAlias = Held | Somebody | Beside | Fixed | Same | Everywhere | Both | Either
NOBODY = Either(())


@dataclass(slots=True)
class Look:
    """A filter that is being looked into."""

    domain: int
    var: int
    #: locals that are not the same for all elements
    changed: set[int]
    #: locals that must be members of a domain, and those that must be small numbers, or there is no hint
    inside: dict[int, int] = field(default_factory=dict)
    small: set[int] = field(default_factory=set)
    #: fields that must hold members of their domains, or nothing
    whole: set[int] = field(default_factory=set)
    #: what stands for such a member
    members: dict[int, int] = field(default_factory=dict)
    #: what depends on the data alone and must be possible to ask
    asked: dict[ir.Expr, None] = field(default_factory=dict)
    strangers: int = _STRANGE


def both(first: Hint | None, second: Hint | None) -> Hint | None:
    """None is everybody."""
    if first is None or second is None:
        return second if first is None else first
    if NOBODY in (first, second):
        return NOBODY
    parts = [p for hint in (first, second) for p in (hint.parts if isinstance(hint, Both) else (hint,))]
    return Both(tuple(dict.fromkeys(parts)))


def either(first: Hint | None, second: Hint | None) -> Hint | None:
    if first is None or second is None:
        return None
    parts = [p for hint in (first, second) for p in (hint.parts if isinstance(hint, Either) else (hint,))]
    found = tuple(dict.fromkeys(parts))
    return found[0] if len(found) == 1 else Either(found)


def _askable(asked: ir.Expr) -> Fixed:
    """True of all, unless it cannot be asked of some."""
    nothing = ir.Binary("eq", asked, ir.Const(NONE), 0)
    return Fixed(ir.Binary("or", nothing, ir.Const(1), 0))


class Hints(Stars):
    """Which elements a filter need be asked of."""

    def hint_for(self, domain: int, var: int, where: ir.Expr | None, below: Any) -> tuple[Hint, Look] | None:
        """A hint for what is left of a filter, and under which conditions it is one; None if there is none."""
        if where is None or self.plan.is_small or not self.plan.remembered.next_mark:
            # A small program has masks for it.
            return None
        if not any(isinstance(node, ir.Call | ir.Aggregate) for node in nodes(where)):
            # To ask is as quick.
            return None
        look = Look(domain, var, assigned(below) | {var})
        hint = self._needs(look, where, Wanted.YES, 0)
        if hint is not None:
            known = hint.parts if isinstance(hint, Both) else (hint,)
            for asked in look.asked:
                if Fixed(asked) not in known:
                    hint = both(hint, _askable(asked))
        if hint is None or sum(1 for _ in _leaves(hint)) > MOST_PARTS:
            return None
        return hint, look

    # -- what an expression cannot do without

    def _needs(self, look: Look, node: ir.Expr, wanted: Wanted, deep: int) -> Hint | None:
        """Elements outside are certain to give the other answer, without failing or being heard."""
        match node:
            case ir.Const(value=value):
                possible = {Wanted.YES: value != 0, Wanted.NO: value == 0, Wanted.MORE: value > 0}
                return None if possible[wanted] else NOBODY
            case ir.Unary(op="not", value=value) if wanted != Wanted.MORE:
                return self._needs(look, value, Wanted.NO if wanted == Wanted.YES else Wanted.YES, deep)
            case ir.Binary(op="and" | "or" as op, left=left, right=right) if wanted != Wanted.MORE:
                first = self._needs(look, left, wanted, deep)
                second = self._needs(look, right, wanted, deep)
                if (op == "or") == (wanted == Wanted.YES):
                    return either(first, second)
                sure = self._is_seen(look, left, first) or self._safe(look, left, {}, deep)
                return both(first, second if sure else None)
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                yes, no = (self._needs(look, part, wanted, deep) for part in (then, otherwise))
                return self._by(look, condition, yes, no, deep)
            case ir.Binary(op="gt", left=more, right=ir.Const(value=0)) if wanted == Wanted.YES:
                return self._needs(look, more, Wanted.MORE, deep)
            case ir.Binary(op="lt", left=ir.Const(value=0), right=more) if wanted == Wanted.YES:
                return self._needs(look, more, Wanted.MORE, deep)
            case ir.Binary(op="max", left=left, right=right) if wanted == Wanted.MORE:
                return either(self._needs(look, left, wanted, deep), self._needs(look, right, wanted, deep))
        leaf = self._leaf(look, node, wanted)
        if leaf is not None:
            return leaf
        if isinstance(node, ir.Call) and deep < MOST_DEEP:
            code = self._looked_into(look, node, deep)
            return None if code is None else self._needs_of(look, code, wanted, deep + 1)
        return None

    def _by(
        self, look: Look, condition: ir.Expr, yes: Hint | None, no: Hint | None, deep: int
    ) -> Hint | None:
        """Elements that pass if the condition holds and `yes`, or if it does not and `no`."""
        holds = self._needs(look, condition, Wanted.YES, deep)
        fails = self._needs(look, condition, Wanted.NO, deep)
        if yes == no == NOBODY:
            return NOBODY if self._safe(look, condition, {}, deep) else None
        seen = self._is_seen(look, condition, holds) and self._is_seen(look, condition, fails)
        if not (seen or self._safe(look, condition, {}, deep)):
            # Whatever the condition comes to may be a failure, but where it is certain.
            return holds if no == NOBODY else fails if yes == NOBODY else None
        return either(both(holds, yes), both(fails, no))

    def _is_seen(self, look: Look, node: ir.Expr, hint: Hint | None) -> bool:
        """Whether the data alone decide, and all that could fail is part of the hint, so that it is seen if it does."""
        return self._is_fixed(look, node) and self._is_covered(
            look, node, set(_leaves(hint)) if hint else set()
        )

    def _is_covered(self, look: Look, node: ir.Expr, leaves: set[Hint]) -> bool:
        ways = (node, ir.Unary("not", node), ir.Binary("gt", node, ir.Const(0), 0))
        if any(Fixed(way) in leaves for way in ways) or self._quiet(look, node, {}):
            return True
        match node:
            case ir.Unary(op="not", value=value):
                return self._is_covered(look, value, leaves)
            case ir.Binary(op="and" | "or", left=left, right=right):
                return self._is_covered(look, left, leaves) and self._is_covered(look, right, leaves)
        return False

    def _needs_of(self, look: Look, code: Sequence[ir.Stmt], wanted: Wanted, deep: int) -> Hint | None:
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

    def _leaf(self, look: Look, node: ir.Expr, wanted: Wanted) -> Hint | None:
        if self._is_fixed(look, node):
            zero = ir.Const(0)
            asked = {
                Wanted.YES: node,
                Wanted.NO: ir.Unary("not", node),
                Wanted.MORE: ir.Binary("gt", node, zero, 0),
            }
            return Fixed(asked[wanted])
        if self._one_value(look, node) and wanted != Wanted.MORE:
            return Everywhere(node if wanted == Wanted.YES else ir.Unary("not", node))
        match node:
            case ir.Binary(op="eq" | "ne" as op, left=left, right=right) if wanted != Wanted.MORE:
                other = (op == "ne") ^ (wanted == Wanted.NO)
                for cell, value in ((left, right), (right, left)):
                    if self._own_cell(look, cell) and self._one_value(look, value):
                        assert isinstance(cell, ir.Load | ir.Data)
                        return Held(cell, value, int(other))
                    if self._is_fixed(look, cell) and self._one_value(look, value):
                        return Same(cell, value, int(other))
            case ir.Load() | ir.Data() if self._own_cell(look, node):
                return Held(node, ir.Const(0), int(wanted != Wanted.NO))
            case ir.Aggregate(op="any" | "count", over=ir.OverDomain(), value=None) if wanted != Wanted.NO:
                return self._somebody(look, node)
            case ir.Verb(name="adjacent", args=(left, right)) if wanted == Wanted.YES:
                for place, other_place in ((left, right), (right, left)):
                    if place == ir.Local(look.var) and self._one_value(look, other_place):
                        return Beside(other_place)
        return None

    def _own_cell(self, look: Look, node: ir.Expr) -> bool:
        if not isinstance(node, ir.Load | ir.Data) or node.index != (ir.Local(look.var),):
            return False
        entry, _ = self.cells_of(node)
        return entry.dims == (look.domain,) and isinstance(entry.type, ir.IntType)

    def _somebody(self, look: Look, node: ir.Aggregate) -> Hint | None:
        """Where nobody holds the element in a field, none is found that must."""
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
                            and cell.field in self.plan.remembered.indices
                            and value_range(self.program, cell.field, node.over.domain) == look.domain
                        ):
                            return Somebody(cell.field)
            if not self._quiet(look, part, bounds):
                return None
        return None

    # -- what can be passed over

    def _is_fixed(self, look: Look, node: ir.Expr) -> bool:
        """Whether the data alone decide."""
        if not isinstance(node, ir.Call | ir.Binary | ir.Data | ir.Aggregate | ir.In):
            return False
        inner = {part.var for part in nodes(node) if isinstance(part, ir.Aggregate | ir.SetBuild)}
        if not read_locals(node) <= inner | {look.var} or any(local >= _STRANGE for local in inner):
            return False
        if look.var not in read_locals(node):
            return False
        for part in nodes(node):
            match part:
                case ir.Call(function=number) | ir.SetCall(function=number):
                    if self.plan.reads[number] != frozenset() or not self._unheard(number):
                        return False
                case ir.OverDomain(domain=domain):
                    if self.program.domains[domain].alive is not None:
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

    def _unheard(self, number: int) -> bool:
        reached = {number} | self.plan.reachable[number]
        return not any(
            isinstance(part, ir.Note) and part.level < 2
            for one in reached
            for part in nodes(self.program.functions[one].body)
        )

    def _one_value(self, look: Look, node: ir.Expr) -> bool:
        """Whether it has one value for all elements, which can be found without anybody noticing."""
        locals_ = read_locals(node)
        return (
            not locals_ & look.changed
            and not any(local >= _STRANGE for local in locals_)
            and not any(isinstance(part, ir.SetLocal | ir.ListLocal) for part in nodes(node))
            and self._quiet(look, node, {})
        )

    def _quiet(self, look: Look, node: Any, bounds: Mapping[int, int]) -> bool:
        """As `silent`, if some locals are members of the domains that they are looked up in."""
        known = {**self.bounded, **bounds, **look.inside, **look.members, look.var: look.domain}
        if silent(self.plan, node, known):
            return True
        more: dict[int, int] = {}
        for part in nodes(node):
            match part:
                case (
                    ir.Load(field=number, index=(ir.Local(index=local),))
                    | ir.SetLoad(field=number, index=(ir.Local(index=local),))
                ):
                    dims = self.program.fields[number].dims
                case (
                    ir.Data(column=number, index=(ir.Local(index=local),))
                    | ir.SetData(column=number, index=(ir.Local(index=local),))
                ):
                    dims = self.program.columns[number].dims
                case _:
                    continue
            if local not in known and local not in look.changed and local < _STRANGE:
                more[local] = dims[0]
        if not more or not silent(self.plan, node, {**known, **more}):
            return False
        look.inside |= more
        return True

    def _safe(self, look: Look, node: Any, bounds: Mapping[int, int], deep: int) -> bool:
        """Whether it can be asked without failing.  Of what depends on the data alone that is seen when it is asked of all."""
        if self._quiet(look, node, bounds):
            return True
        if isinstance(node, ir.Call) and self._is_fixed(look, node):
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

    def _safe_code(self, look: Look, code: Sequence[ir.Stmt], deep: int) -> bool:
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

    def _with_member(self, look: Look, condition: ir.Expr, then: Any) -> Any:
        """Code that comes to run only where a cell holds something: as if that were a local of its domain.  Damaged positions may
        hold anything, so that it is looked up whether they do."""
        match condition:
            case ir.Binary(op="ne", left=ir.Load(field=number) as cell, right=ir.Const(value=value)):
                dims = self.program.fields[number].dims
                domain = value_range(self.program, number, dims[0]) if len(dims) == 1 else None
                if value == NONE and domain is not None and number in self.plan.remembered.indices:
                    look.whole.add(number)
                    look.members[look.strangers] = domain
                    look.strangers += 1
                    return _instead_of(then, cell, ir.Local(look.strangers - 1))
        return then

    def _range(
        self, look: Look, node: ir.Expr, bounds: Mapping[int, int], deep: int
    ) -> tuple[int, int] | None:
        """Between which numbers a sum lies, if nothing of it can fail."""
        match node:
            case ir.Const(value=value) if value != NONE and abs(value) < _SMALL:
                return value, value
            case ir.Local(index=local) if local < _STRANGE and local not in look.changed:
                look.small.add(local)
                return -_SMALL, _SMALL
            case ir.Aggregate(op="any" | "count") if self._safe(look, node, bounds, deep):
                return 0, _SMALL
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

    def _looked_into(self, look: Look, call: ir.Call, deep: int) -> tuple[ir.Stmt, ...] | None:
        """The code of a rule, in terms of what it was given; None where the call itself may fail or be heard."""
        callee = self.program.functions[call.function]
        if assigned(callee.body) & set(range(callee.params)):
            return None
        if not all(isinstance(local.type, ir.IntType) for local in callee.locals):
            return None
        if not all(self._safe(look, arg, {}, deep) for arg in call.args):
            return None
        start = look.strangers
        look.strangers += len(callee.locals)
        moved = {local: start + local for local in range(callee.params, len(callee.locals))}
        given: dict[int, Any] = dict(enumerate(call.args))
        code: tuple[ir.Stmt, ...] = renamed(callee.body, given, moved)
        return code

    # -- lines

    @contextmanager
    def known(self, var: int, domain: int, below: Any) -> Iterator[None]:
        """Inside, `var` is a value of the domain, so that indexes by it need no check."""
        before = dict(self.bounded)
        self.bounded.pop(var, None)
        if var not in assigned(below):
            self.bounded[var] = domain
        yield
        self.bounded = before

    def give_hint(self, hint: Hint, look: Look, hunt: str, room: int) -> None:
        """The lines that tell a search where to look.  `room`: tests of cells that it can still take."""
        out = self.out
        number = self.count(look.domain)
        conditions = [f"grog_hints(ctx, {number})"]
        for local, domain in sorted(look.inside.items()):
            bounds = f"{self.first(domain)}, {self.count(domain)}"
            conditions.append(f"grog_inside({self.int_local(local)}, {bounds})")
        conditions += [f"grog_is_small({self.int_local(local)})" for local in sorted(look.small)]
        conditions += [f"grog_is_whole(ctx, {self._index_of(held)})" for held in sorted(look.whole)]
        parts = _worth(hint.parts) if isinstance(hint, Both) else (hint,)
        tests = [part for part in parts if isinstance(part, Held)][: max(room, 0)]
        others = tuple(part for part in parts if part not in tests)
        bounded = dict(self.bounded)
        self.bounded |= look.inside
        with out.block(f"if {' and '.join(conditions)}:"):
            for test in tests:
                _, array = self.cells_of(test.cell)
                out.add(f"grog_hunt_test(&{hunt}, {array}, {self.value(test.value)}, {test.other})")
            if others:
                fine = out.variable("fine")
                out.add(f"{fine} = 1")
                made = self._hint_lines(Both(others), look, fine, number)
                with out.block(f"if {fine}:"):
                    out.add(f"grog_hunt_among(&{hunt}, &{made})")
        self.bounded = bounded

    def _hint_lines(self, hint: Hint, look: Look, fine: str, number: str) -> str:
        """The variable that holds the mask afterwards."""
        out = self.out
        match hint:
            case Both(parts=parts):
                made, *others = sorted(parts, key=_dear)
                name = self._hint_lines(made, look, fine, number)
                for part in others:
                    # What is asked once is asked in any case: if it fails, there is no hint.
                    asks = any(isinstance(leaf, Fixed) for leaf in _leaves(part))
                    with nullcontext() if asks else out.block(f"if grog_hint_any(&{name}, {number}):"):
                        other = self._hint_lines(part, look, fine, number)
                        out.add(f"grog_hint_and(&{name}, &{other}, {number})")
                return name
            case Either(parts=(made, *others)):
                name = self._hint_lines(made, look, fine, number)
                for part in others:
                    other = self._hint_lines(part, look, fine, number)
                    out.add(f"grog_hint_or(&{name}, &{other}, {number})")
                return name
        name = out.variable("hint", "grog_hint {}")
        match hint:
            case Held(cell=cell, value=value, other=is_other):
                _, array = self.cells_of(cell)
                text = self.value(value)
                out.add(f"grog_hint_held(&{name}, {array}, {number}, {text}, {is_other})")
            case Somebody(field=held):
                out.add(f"grog_hint_holders(ctx, &{name}, {self._index_of(held)})")
            case Beside(place=place):
                text = self.value(place)
                out.add(f"grog_hint_beside(ctx, &{name}, {text}, {self.first(look.domain)}, {number})")
            case Everywhere(condition=condition):
                text_of = self.condition(condition)
                out.add(f"grog_hint_all(&{name}, {text_of}, {number})")
            case Fixed(asked=asked):
                slot = self._fixed_lines("flag", asked, look, number, name, fine)
                if slot is not None:
                    out.add(f"{fine} &= grog_hint_fixed(ctx, &{name}, {slot}, {number})")
            case Same(asked=asked, value=value, other=is_other):
                slot = self._fixed_lines("value", asked, look, number, name, fine)
                if slot is not None:
                    text = self.value(value)
                    out.add(f"grog_hint_same(ctx, &{name}, {slot}, {number}, {text}, {is_other})")
            case _:
                out.add(f"grog_hint_all(&{name}, 0, {number})")
        return name

    def _index_of(self, held: int) -> str:
        """What the kernel must know of a field whose holders are remembered: its number there, its mark, the cells of how many
        elements, the first value and how many there are."""
        indices = self.plan.remembered.indices
        (domain,) = self.program.fields[held].dims
        values = value_range(self.program, held, domain)
        assert values is not None
        array = f"{self.h('s')} + {self.h('off')}[{held}]"
        return (
            f"{list(indices).index(held)}, {indices[held]}, {array}, {self.count(domain)}, "
            f"{self.first(values)}, {self.count(values)}"
        )

    def _fixed_lines(
        self, sort: str, asked: ir.Expr, look: Look, number: str, name: str, fine: str
    ) -> int | None:
        """The lines that ask something of all elements, once; the number under which it is kept.  Without room there is none, and
        no hint."""
        out = self.out
        slot = self.plan.fixed_hint(sort, look.domain, look.var, asked)
        if slot is None:
            out.add(f"grog_hint_all(&{name}, 1, {number})")
            out.add(f"{fine} = 0")
            return None
        fixing, index = out.variable("fixing", "grog_fixing {}"), out.variable("i", INT64)
        values = int(sort == "value")
        with out.block(f"if grog_fix_begin(ctx, {slot}, {number}, {values}, &{fixing}):"):
            with out.block(f"for {index} in range({number}):"):
                out.add(f"{self.int_local(look.var)} = {self.element(look.domain, index)}")
                with self.known(look.var, look.domain, asked):
                    text = str(self.value(asked)) if values else self.condition(asked)
                    out.add(f"grog_fix(ctx, {slot}, {index}, {text}, &{fixing})")
            out.add(f"grog_fix_end(ctx, &{fixing})")
        return slot


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


def _dear(hint: Hint) -> int:
    """What costs least comes first: the others are asked only if anybody is left."""
    if isinstance(hint, Both | Either):
        return sum(map(_dear, hint.parts))
    return {Everywhere: 0, Fixed: 1, Somebody: 1, Beside: 2, Same: 5, Held: 5}[type(hint)]


def _worth(parts: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """The parts that are worth their while: where few can be left, those are asked as soon as all cells are looked at."""
    if any(map(_few, parts)):
        return tuple(part for part in parts if not isinstance(part, Held | Same))
    return parts


def _few(hint: Hint) -> bool:
    """Whether it is true of few, most likely."""
    if isinstance(hint, Both):
        return any(map(_few, hint.parts))
    return isinstance(hint, Somebody | Beside) or (isinstance(hint, Either) and all(map(_few, hint.parts)))


def _leaves(hint: Hint) -> Any:
    if isinstance(hint, Both | Either):
        for part in hint.parts:
            yield from _leaves(part)
    else:
        yield hint
