"""IR expressions to closures: each node is compiled once, then called with a frame.

`Expressions` is made for one function or machine, because where a local lies depends on that.  Integers
come out as integers, sets as bit masks (bit i: element base + i), lists as Python lists that nobody but
their owner changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import (
    elements,
    load_set,
    store_set,
)
from grognard.contract.datablock import (
    AXIS_CELLS,
    CLAMP_HIGH,
    CLAMP_LOW,
    TABLE_HEAD,
)
from grognard.contract.header import (
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_TABLE,
    FAIL_UNIQUE,
    NONE,
)
from grognard.contract.layout import set_words
from grognard.interpreter.frames import (
    Eval,
    Frame,
    Unit,
    bit_of,
)
from grognard.interpreter.map_queries import OVER_VERBS
from grognard.interpreter.operators import (
    AGGREGATE,
    BINARY,
    MOST,
    WITH_CONSTANT,
    WITHOUT_VALUE,
)
from grognard.interpreter.reachability import reach_cost, reach_set

#: How many raw elements there are, and those that take part.
Source: TypeAlias = Callable[[Frame], tuple[int, Iterable[int]]]


class Expressions:
    """Compiles the expressions of one function (`offsets` None) or of one machine."""

    def __init__(
        self,
        unit: Unit,
        locals: Sequence[ir.LocalDecl],
        offsets: Sequence[int] | None,
        site: int,
    ) -> None:
        self.unit = unit
        self.program = unit.program
        self.layout = unit.layout
        self.locals = locals
        self.in_machine = offsets is not None
        self.offsets = range(len(locals)) if offsets is None else offsets
        #: where nodes without a site of their own fail
        self.site = site

    # ------------------------------------------------------------------------------------------- integers

    def expr(self, node: ir.Expr) -> Eval:
        return _EXPR[type(node)](self, node)

    def _const(self, node: ir.Const) -> Eval:
        value = node.value
        return lambda fr: value

    def _sym(self, node: ir.Sym) -> Eval:
        value = self.unit.data.symbols[node.symbol]
        return lambda fr: value

    def _domain_count(self, node: ir.DomainCount) -> Eval:
        value = self.layout.count[node.domain]
        return lambda fr: value

    def _domain_base(self, node: ir.DomainBase) -> Eval:
        value = self.layout.base[node.domain]
        return lambda fr: value

    def int_slot(self, index: int) -> int:
        """Where an integer local is in `frame.v`."""
        self._expect(index, ir.IntType)
        return self.offsets[index]

    def _expect(self, index: int, kind: type) -> None:
        if not isinstance(self.locals[index].type, kind):
            raise ValueError(f"local {index} ({self.locals[index].name}) is no {kind.__name__}")

    def _local(self, node: ir.Local) -> Eval:
        slot = self.int_slot(node.index)
        return lambda fr: fr.v[slot]

    def _head(self, node: ir.Head) -> Eval:
        cell = node.cell
        return lambda fr: fr.c[cell]

    def place(self, dims: Sequence[int], index: Sequence[ir.Expr], site: int, start: int, words: int) -> Eval:
        """The first cell of an element; FAIL_INDEX outside the dims."""
        if len(index) != len(dims):
            raise ValueError(f"{len(index)} indices for {len(dims)} dims")
        parts = [
            (self.expr(value), self.layout.base[domain], self.layout.count[domain])
            for value, domain in zip(index, dims)
        ]
        if not parts:
            return lambda fr: start
        if len(parts) == 1:
            one, base, count = parts[0]

            def single(fr: Frame) -> int:
                value = one(fr)
                place = value - base
                if 0 <= place < count:
                    return start + place * words
                raise RuleFailure(FAIL_INDEX, site, (value,))

            return single

        def several(fr: Frame) -> int:
            place = 0
            for part, base, count in parts:
                value = part(fr)
                if not 0 <= value - base < count:
                    raise RuleFailure(FAIL_INDEX, site, (value,))
                place = place * count + value - base
            return start + place * words

        return several

    def field_place(self, field: int, index: Sequence[ir.Expr], site: int) -> Eval:
        return self.place(
            self.program.fields[field].dims,
            index,
            site,
            self.layout.field_offset[field],
            self.layout.field_words[field],
        )

    def _load(self, node: ir.Load) -> Eval:
        dims = self.program.fields[node.field].dims
        if len(dims) == 1 and len(node.index) == 1 and isinstance(node.index[0], ir.Local):
            return self._load_by_local(node, node.index[0], dims[0])
        at = self.field_place(node.field, node.index, node.site)
        return lambda fr: fr.c[at(fr)]

    def _load_by_local(self, node: ir.Load, index: ir.Local, domain: int) -> Eval:
        """What rules do most, a field of the piece or place in a variable: one closure instead of three."""
        slot, site = self.int_slot(index.index), node.site
        base, count = self.layout.base[domain], self.layout.count[domain]
        start = self.layout.field_offset[node.field]

        def load(fr: Frame) -> int:
            value = fr.v[slot]
            place = value - base
            if 0 <= place < count:
                return fr.c[start + place]
            raise RuleFailure(FAIL_INDEX, site, (value,))

        return load

    def _data(self, node: ir.Data) -> Eval:
        column = self.unit.data.columns[node.column]
        at = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, 1)
        return lambda fr: column[at(fr)]

    def _table_get(self, node: ir.TableGet) -> Eval:
        table = self.unit.data.tables[node.table]
        args = [self.expr(arg) for arg in node.index]
        axes = []
        for axis in range(len(args)):
            head = TABLE_HEAD + AXIS_CELLS * axis
            lo, hi, flags, rows, offset = table[head : head + AXIS_CELLS]
            axes.append((lo, hi, flags & CLAMP_LOW, flags & CLAMP_HIGH, rows, offset))
        cells = table[1]
        site = node.site

        def table_get(fr: Frame) -> int:
            index = [arg(fr) for arg in args]
            place = 0
            for value, (lo, hi, low, high, rows, offset) in zip(index, axes):
                if value < lo:
                    if value == NONE or not low:
                        raise RuleFailure(FAIL_TABLE, site, tuple(index))
                    value = lo
                elif value > hi:
                    if not high:
                        raise RuleFailure(FAIL_TABLE, site, tuple(index))
                    value = hi
                row = table[offset + value - lo]
                if row < 0:
                    raise RuleFailure(FAIL_TABLE, site, tuple(index))
                place = place * rows + row
            result = table[cells + place]
            if fr.run.level >= 2:
                fr.run.note(site, -1, [*index, result])
            return result

        return table_get

    def _unary(self, node: ir.Unary) -> Eval:
        value = self.expr(node.value)
        site = self.site
        if node.op == "not":
            return lambda fr: 0 if value(fr) else 1
        absolute = node.op == "abs"

        def turned(fr: Frame) -> int:
            x = value(fr)
            if x == NONE:
                raise RuleFailure(FAIL_OVERFLOW, site, (x,))
            return abs(x) if absolute else -x

        return turned

    def _binary(self, node: ir.Binary) -> Eval:
        if isinstance(node.right, ir.Const) and node.op in WITH_CONSTANT:
            return WITH_CONSTANT[node.op](self.expr(node.left), node.right.value)
        return BINARY[node.op](self.expr(node.left), self.expr(node.right), node.site)

    def _if(self, node: ir.If) -> Eval:
        condition, then, otherwise = (
            self.expr(node.condition),
            self.expr(node.then),
            self.expr(node.otherwise),
        )
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    def arguments(self, args: Sequence[ir.AnyExpr], params: Sequence[ir.LocalDecl]) -> list[Eval]:
        """Closures for the arguments of a call; lists are copied, so that the callee may change its own."""
        if len(args) != len(params):
            raise ValueError(f"{len(args)} arguments for {len(params)} parameters")
        made: list[Eval] = []
        for arg, param in zip(args, params):
            match param.type:
                case ir.SetType(domain=domain):
                    made.append(self.set_over(arg, domain))
                case ir.ListType(capacity=capacity):
                    made.append(self.list_within(arg, capacity, self.site))
                case _:
                    made.append(self.expr(arg))  # type: ignore[arg-type]
        return made

    def call(self, function: int, args: Sequence[ir.AnyExpr]) -> Eval:
        callee = self.program.functions[function]
        made = self.arguments(args, callee.locals[: callee.params])
        functions = self.unit.functions
        if len(made) == 1:
            (only,) = made
            return lambda fr: functions[function](fr, [only(fr)])
        return lambda fr: functions[function](fr, [arg(fr) for arg in made])

    def _call(self, node: ir.Call) -> Eval:
        return self.call(node.function, node.args)

    def _at_best(self, node: ir.AtBest) -> Eval:
        target = self.program.machines[node.machine]
        args = self.arguments(node.args, target.locals[: target.params])
        enough = (lambda fr: NONE) if node.enough is None else self.expr(node.enough)
        unit, machine = self.unit, node.machine
        return lambda fr: unit.at_best(fr, machine, [arg(fr) for arg in args], enough(fr))

    def _verb(self, node: ir.Verb) -> Eval:
        if len(node.args) != ir.VERBS[node.name]:
            raise ValueError(f"verb {node.name} takes {ir.VERBS[node.name]} arguments")
        answer = self.unit.geography.answer(node.name)
        args = [self.expr(arg) for arg in node.args]
        if len(args) == 2:
            a, b = args
            return lambda fr: answer(a(fr), b(fr))
        return lambda fr: answer(*[arg(fr) for arg in args])

    # ----------------------------------------------------------------------------------- what loops run over

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
                if len(args) != OVER_VERBS[name]:
                    raise ValueError(f"{name} takes {OVER_VERBS[name]} arguments")
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

    # ------------------------------------------------------------------------------------ questions about sets

    def _in(self, node: ir.In) -> Eval:
        value, mask = self.expr(node.value), self.set(node.set)
        domain = self.set_domain(node.set)
        base, count = self.layout.base[domain], self.layout.count[domain]

        def inside(fr: Frame) -> int:
            place = value(fr) - base
            found = mask(fr)
            return found >> place & 1 if 0 <= place < count else 0

        return inside

    def _set_count(self, node: ir.SetCount) -> Eval:
        mask = self.set(node.set)
        return lambda fr: mask(fr).bit_count()

    def _set_next(self, node: ir.SetNext) -> Eval:
        mask, after = self.set(node.set), self.expr(node.after)
        base = self.layout.base[self.set_domain(node.set)]

        def following(fr: Frame) -> int:
            found, last = mask(fr), after(fr)
            if last != NONE and last >= base:
                shift = last - base + 1
                found = found >> shift << shift
            return base + (found & -found).bit_length() - 1 if found else NONE

        return following

    def _set_equal(self, node: ir.SetEqual) -> Eval:
        left, right = self._pair(node.left, node.right)
        return lambda fr: 1 if left(fr) == right(fr) else 0

    def _subset(self, node: ir.Subset) -> Eval:
        left, right = self._pair(node.left, node.right)
        return lambda fr: 0 if left(fr) & ~right(fr) else 1

    def _pair(self, left: ir.SetExpr, right: ir.SetExpr) -> tuple[Eval, Eval]:
        return self.set(left), self.set_over(right, self.set_domain(left))

    # ----------------------------------------------------------------------------------- lists, searches

    def _list_length(self, node: ir.ListLength) -> Eval:
        values = self.list(node.list)
        return lambda fr: len(values(fr))

    def _list_item(self, node: ir.ListItem) -> Eval:
        values, n, site = self.list(node.list), self.expr(node.n), node.site

        def item(fr: Frame) -> int:
            found, number = values(fr), n(fr)
            if not 1 <= number <= len(found):
                raise RuleFailure(FAIL_INDEX, site, (number,))
            return found[number - 1]

        return item

    def _coverable(self, node: ir.Coverable) -> Eval:
        left, fits, extra = self.set(node.left), self.expr(node.fits), self.expr(node.extra)
        base = self.layout.base[self.set_domain(node.left)]
        chosen = self.list(ir.ListLocal(node.chosen))
        left_slot, right_slot = self.int_slot(node.left_var), self.int_slot(node.right_var)

        def coverable(fr: Frame) -> int:
            lefts = list(elements(left(fr), base))
            rights = list(chosen(fr))
            more = extra(fr)
            if more != NONE:
                rights.append(more)
            v = fr.v
            rows: list[list[int]] = []
            # All pairs are asked first: how often `fits` runs must not depend on the search.
            for right in rights:
                row = []
                for number, candidate in enumerate(lefts):
                    v[left_slot] = candidate
                    v[right_slot] = right
                    if fits(fr):
                        row.append(number)
                rows.append(row)
            v[left_slot] = 0
            v[right_slot] = 0
            holder: dict[int, int] = {}
            return int(all(_augment(rows, right, holder, set()) for right in range(len(rows))))

        return coverable

    def _reach_cost(self, node: ir.ReachCost) -> Eval:
        self._movement_args(node.movement, node.args)
        return reach_cost(self.unit, node.movement, [self.expr(arg) for arg in node.args], self.expr(node.to))

    def _movement_args(self, movement: int, args: Sequence[ir.Expr]) -> None:
        if len(args) != self.program.movements[movement].params:
            raise ValueError(f"movement {self.program.movements[movement].name}: wrong number of arguments")

    # ---------------------------------------------------------------------------------------------- sets

    def set(self, node: Any) -> Eval:
        return _SET[type(node)](self, node)

    def set_over(self, node: Any, domain: int) -> Eval:
        """A set that must be over this domain: masks over different domains do not mean the same."""
        if self.set_domain(node) != domain:
            raise ValueError(f"a set over domain {self.set_domain(node)} where {domain} is needed")
        return self.set(node)

    def set_domain(self, node: Any) -> int:
        kind: Any
        match node:
            case ir.SetLocal(index=index):
                kind = self.locals[index].type
            case ir.SetLoad(field=field):
                kind = self.program.fields[field].type
            case ir.SetData(column=column):
                kind = self.program.columns[column].type
            case ir.SetCall(function=function):
                kind = self.program.functions[function].result
            case ir.SetBinary(left=left):
                return self.set_domain(left)
            case ir.SetIf(then=then):
                return self.set_domain(then)
            case _:
                return int(node.domain)
        if not isinstance(kind, ir.SetType):
            raise ValueError(f"{node!r} is no set")
        return kind.domain

    def _set_local(self, node: ir.SetLocal) -> Eval:
        slot = self.offsets[node.index]
        if not self.in_machine:
            return lambda fr: fr.v[slot]
        words = set_words(self.layout.count[self.set_domain(node)])
        return lambda fr: load_set(fr.v, slot, words)

    def put_set(self, index: int) -> Callable[[Frame, int], None]:
        """Writes a set local."""
        self._expect(index, ir.SetType)
        slot = self.offsets[index]
        if self.in_machine:
            words = set_words(self.layout.count[self.set_domain(ir.SetLocal(index))])
            return lambda fr, mask: store_set(fr.v, slot, words, mask)

        def put(fr: Frame, mask: int) -> None:
            fr.v[slot] = mask

        return put

    def _set_load(self, node: ir.SetLoad) -> Eval:
        at = self.field_place(node.field, node.index, node.site)
        words = self.layout.field_words[node.field]
        return lambda fr: load_set(fr.c, at(fr), words)

    def _set_data(self, node: ir.SetData) -> Eval:
        words = set_words(self.layout.count[self.set_domain(node)])
        at = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, words)
        column = memoryview(self.unit.data.columns[node.column])
        return lambda fr: load_set(column, at(fr), words)

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

    def _set_binary(self, node: ir.SetBinary) -> Eval:
        left, right = self._pair(node.left, node.right)
        match node.op:
            case "union":
                return lambda fr: left(fr) | right(fr)
            case "inter":
                return lambda fr: left(fr) & right(fr)
            case _:
                return lambda fr: left(fr) & ~right(fr)

    def _set_of(self, node: ir.SetOf) -> Eval:
        items = [self.expr(item) for item in node.items]
        base, count = self.layout.base[node.domain], self.layout.count[node.domain]
        site = self.site

        def written_out(fr: Frame) -> int:
            mask = 0
            for item in items:
                mask |= bit_of(item(fr), base, count, site)
            return mask

        return written_out

    def _set_if(self, node: ir.SetIf) -> Eval:
        condition = self.expr(node.condition)
        then, otherwise = self._pair(node.then, node.otherwise)
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    def _set_call(self, node: ir.SetCall) -> Eval:
        return self.call(node.function, node.args)

    def _reach_set(self, node: ir.ReachSet) -> Eval:
        self._movement_args(node.movement, node.args)
        return reach_set(self.unit, node.movement, [self.expr(arg) for arg in node.args], node.domain)

    # ---------------------------------------------------------------------------------------------- lists

    def list(self, node: Any) -> Eval:
        """A list to look at, not to keep."""
        if isinstance(node, ir.ListLocal):
            self._expect(node.index, ir.ListType)
            slot = self.offsets[node.index]
            if not self.in_machine:
                return lambda fr: fr.v[slot]

            def from_frame(fr: Frame) -> Any:
                v = fr.v
                return v[slot + 1 : slot + 1 + v[slot]].tolist()

            return from_frame
        if not isinstance(self.program.fields[node.field].type, ir.ListType):
            raise ValueError(f"field {self.program.fields[node.field].name} is no list")
        at = self.field_place(node.field, node.index, node.site)

        def from_field(fr: Frame) -> Any:
            place = at(fr) + 1
            return fr.c[place : place + fr.c[place - 1]].tolist()

        return from_field

    def list_within(self, node: Any, capacity: int, site: int) -> Eval:
        """A list to keep, of at most this many items; FAIL_LIST if there are more."""
        values = self.list(node)

        def copied(fr: Frame) -> Any:
            found = list(values(fr))
            if len(found) > capacity:
                raise RuleFailure(FAIL_LIST, site, (len(found),))
            return found

        return copied

    def put_list(self, index: int) -> Callable[[Frame, Any], None]:
        """Writes a list local; cells behind the last item are 0, so that equal lists have equal cells."""
        kind = self.locals[index].type
        if not isinstance(kind, ir.ListType):
            raise ValueError(f"local {index} is no list")
        slot, capacity = self.offsets[index], kind.capacity

        def put(fr: Frame, items: Any) -> None:
            fr.v[slot] = items

        def put_cells(fr: Frame, items: Any) -> None:
            v = fr.v
            v[slot] = len(items)
            for number in range(capacity):
                v[slot + 1 + number] = items[number] if number < len(items) else 0

        return put_cells if self.in_machine else put


def _always(fr: Frame) -> int:
    return 1


def _no_value(fr: Frame) -> int:
    raise AssertionError("this aggregate has no value")


def _augment(rows: list[list[int]], right: int, holder: dict[int, int], tried: set[int]) -> bool:
    """Find a left element for `right`, moving those on that hold one already."""
    for left in rows[right]:
        if left not in tried:
            tried.add(left)
            if left not in holder or _augment(rows, holder[left], holder, tried):
                holder[left] = right
                return True
    return False


_EXPR: dict[type, Callable[[Expressions, Any], Eval]] = {
    ir.Const: Expressions._const,
    ir.Sym: Expressions._sym,
    ir.DomainCount: Expressions._domain_count,
    ir.DomainBase: Expressions._domain_base,
    ir.Local: Expressions._local,
    ir.Load: Expressions._load,
    ir.Head: Expressions._head,
    ir.Data: Expressions._data,
    ir.TableGet: Expressions._table_get,
    ir.Unary: Expressions._unary,
    ir.Binary: Expressions._binary,
    ir.If: Expressions._if,
    ir.Call: Expressions._call,
    ir.AtBest: Expressions._at_best,
    ir.Verb: Expressions._verb,
    ir.Aggregate: Expressions._aggregate,
    ir.In: Expressions._in,
    ir.SetCount: Expressions._set_count,
    ir.SetNext: Expressions._set_next,
    ir.SetEqual: Expressions._set_equal,
    ir.Subset: Expressions._subset,
    ir.ListLength: Expressions._list_length,
    ir.ListItem: Expressions._list_item,
    ir.Coverable: Expressions._coverable,
    ir.ReachCost: Expressions._reach_cost,
}

_SET: dict[type, Callable[[Expressions, Any], Eval]] = {
    ir.SetLocal: Expressions._set_local,
    ir.SetLoad: Expressions._set_load,
    ir.SetData: Expressions._set_data,
    ir.SetBuild: Expressions._set_build,
    ir.SetBinary: Expressions._set_binary,
    ir.SetOf: Expressions._set_of,
    ir.SetIf: Expressions._set_if,
    ir.SetCall: Expressions._set_call,
    ir.ReachSet: Expressions._reach_set,
}
