"""Sets and lists to source, and integer expressions about them.

The value of a set is a bit mask: bit i is the element base + i of the set's domain.  The value of a list is a Python list that
only its owner changes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.bitsets import load_set
from grognard.contract.header import FAIL_INDEX, NONE
from grognard.contract.layout import set_words
from grognard.translator.code import MOST, NAME, TEXT, Scope, Value, constant, truth
from grognard.translator.equivalence import ListEquivalence


class SetExpressions(Scope):
    """Translates sets and lists, membership, size and comparison."""

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
        assert isinstance(kind, ir.SetType)
        return kind.domain

    # -------------------------------------------------------------------------------------------------- sets

    def _words(self, place: str, words: int) -> Value:
        if words == 1:
            return Value(f"(c[{place}] & 0xFFFFFFFF)")
        return Value(f"load_set({place}, {words})")

    def _set_local(self, node: ir.SetLocal) -> Value:
        if self.offsets is None:
            return Value(f"v{node.index}", NAME)
        return self._words(
            f"p + {self.offsets[node.index]}", set_words(self.layout.count[self.set_domain(node)])
        )

    def put_set(self, index: int, mask: str) -> None:
        if self.offsets is None:
            self.line(f"v{index} = {mask}")
            return
        words = set_words(self.layout.count[self.set_domain(ir.SetLocal(index))])
        self.line(f"store_set(p + {self.offsets[index]}, {words}, {mask})")

    def _set_load(self, node: ir.SetLoad) -> Value:
        place = self.field_place(node.field, node.index, node.site)
        return self._words(place.text, self.layout.field_words[node.field])

    def _set_data(self, node: ir.SetData) -> Value:
        words = set_words(self.layout.count[self.set_domain(node)])

        def masks() -> tuple[int, ...]:
            column = memoryview(self.unit.data.columns[node.column])
            return tuple(load_set(column, place, words) for place in range(0, len(column), words))

        name = self.unit.given(f"sets{node.column}", masks)
        place = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, 1)
        return Value(f"{name}[{place.text}]")

    def _set_binary(self, node: ir.SetBinary) -> Value:
        a, b = self.several((node.left, node.right))
        sign = {"union": "|", "inter": "&", "minus": "& ~"}[node.op]
        return Value(f"({a.text} {sign}{b.text})")

    def _set_of(self, node: ir.SetOf) -> Value:
        base, count = self.layout.base[node.domain], self.layout.count[node.domain]
        parts: list[Value] = []
        for item in node.items:
            mark = len(self.lines)
            value = self.value(item)
            if base <= value.lo and value.hi < base + count:
                if value.number is not None:
                    made = constant(1 << (value.number - base))
                else:
                    made = Value(f"(1 << {value.text} - {base})")
            else:
                made = Value(f"bit_of({value.text}, {base}, {count}, {self.site})")
            if len(self.lines) > mark:
                self.settle(parts, mark)
            parts.append(made)
        return Value(f"({' | '.join(part.text for part in parts)})" if parts else "0")

    def _reach_set(self, node: ir.ReachSet) -> Value:
        args = self.several(node.args)
        search = self.unit.given(f"reach{node.movement}_{self.level}", lambda: self.search(node.movement))
        given = " ".join(f"{value.text}," for value in args)
        return Value(f"{search}.ends(({given}), {node.domain})")

    def _alike(self, node: ir.Alike) -> Value:
        if self.set_domain(node.within) != node.domain:
            raise ValueError(
                f"a set over domain {self.set_domain(node.within)} where {node.domain} is needed"
            )
        within = self.value(node.within)
        how = self.unit.given(
            f"alike{node.domain}", lambda: ListEquivalence(self.program, self.layout, node.domain)
        )
        return Value(f"{how}.like_first(c, {within.text})")

    @abstractmethod
    def search(self, movement: int) -> Any:
        """The search of a movement."""

    # ------------------------------------------------------------------------------------ integers about sets

    def _in(self, node: ir.In) -> Value:
        domain = self.set_domain(node.set)
        base, count = self.layout.base[domain], self.layout.count[domain]
        value = self.atom(self.value(node.value))
        inside = base <= value.lo and value.hi < base + count
        place = value.text if base == 0 else f"({value.text} - {base})"
        if isinstance(node.set, ir.SetLoad):
            # One bit of a set in the position: no need to look at the others.
            start = self.field_place(node.set.field, node.set.index, node.set.site)
            if not inside and "failed" in start.text:
                start = self.atom(start)
            bit = f"(c[{start.text} + ({place} >> 5)] >> ({place} & 31) & 1)"
        else:
            mask = self.value(node.set)
            # The set is evaluated whether the element can be in it or not.
            bit = f"({(mask if inside else self.atom(mask)).text} >> {place} & 1)"
        if inside:
            return Value(bit, TEXT, 0, 1)
        return Value(f"({bit} if {base} <= {value.text} < {base + count} else 0)", TEXT, 0, 1)

    def _set_count(self, node: ir.SetCount) -> Value:
        mask = self.value(node.set)
        most = self.layout.count[self.set_domain(node.set)]
        return Value(f"{mask.text}.bit_count()", TEXT, 0, most, mask.text)

    def _set_next(self, node: ir.SetNext) -> Value:
        mask, after = (self.atom(value) for value in self.several((node.set, node.after)))
        base = self.layout.base[self.set_domain(node.set)]
        found = self.temporary()
        self.line(f"{found} = {mask.text}")
        with self.block(f"if {after.text} != {NONE} and {after.text} >= {base}:"):
            shift = f"{after.text} - {base - 1}" if base != 1 else after.text
            self.line(f"{found} = {found} >> {shift} << {shift}")
        return Value(f"({base - 1} + ({found} & -{found}).bit_length() if {found} else {NONE})")

    def _set_equal(self, node: ir.SetEqual) -> Value:
        a, b = self.several((node.left, node.right))
        return truth(f"({a.text} == {b.text})")

    def _subset(self, node: ir.Subset) -> Value:
        a, b = self.several((node.left, node.right))
        return truth(f"(not {a.text} & ~{b.text})")

    # ------------------------------------------------------------------------------------------------- lists

    def _list_local(self, node: ir.ListLocal) -> Value:
        if self.offsets is None:
            return Value(f"v{node.index}", NAME)
        return Value(f"load_list(p + {self.offsets[node.index]})")

    def _list_load(self, node: ir.ListLoad) -> Value:
        place = self.field_place(node.field, node.index, node.site)
        return Value(f"load_list({place.text})")

    def put_list(self, index: int, items: str) -> None:
        if self.offsets is None:
            self.line(f"v{index} = {items}")
        else:
            self.line(f"store_list(p + {self.offsets[index]}, {self.list_capacity(index)}, {items})")

    def list_capacity(self, local: int) -> int:
        kind = self.locals[local].type
        assert isinstance(kind, ir.ListType)
        return kind.capacity

    def _list_length(self, node: ir.ListLength) -> Value:
        return Value(f"len({self.value(node.list).text})", TEXT, 0, MOST)

    def _list_item(self, node: ir.ListItem) -> Value:
        found, number = (self.atom(value) for value in self.several((node.list, node.n)))
        test = f"1 <= {number.text} <= len({found.text})"
        failed = f"failed({FAIL_INDEX}, {node.site}, {number.text})"
        return Value(f"({found.text}[{number.text} - 1] if {test} else {failed})")

    def _coverable(self, node: ir.Coverable) -> Value:
        base = self.layout.base[self.set_domain(node.left)]
        mask, chosen, extra = (
            self.atom(value) for value in self.several((node.left, ir.ListLocal(node.chosen), node.extra))
        )
        lefts, rights, rows, row, number = (self.temporary() for _ in range(5))
        self.line(f"{lefts} = members({mask.text}, {base})")
        self.line(f"{rights} = [*{chosen.text}]")
        with self.block(f"if {extra.text} != {NONE}:"):
            self.line(f"{rights}.append({extra.text})")
        self.line(f"{rows} = []")
        with self.looping(node.left_var), self.looping(node.right_var):
            one, other = self.temporary(), self.temporary()
            with self.block(f"for {other} in {rights}:"):
                self.line(f"{row} = []")
                with self.block(f"for {number}, {one} in enumerate({lefts}):"):
                    self.line(f"{self.name(node.left_var)} = {one}")
                    self.line(f"{self.name(node.right_var)} = {other}")
                    with self.block(f"if {self.condition(node.fits)}:"):
                        self.line(f"{row}.append({number})")
                self.line(f"{rows}.append({row})")
        self.leave(node.left_var, node.right_var)
        return Value(f"covered({rows})", TEXT, 0, 1)

    def _meeting(self, node: ir.Meeting) -> Value:
        guests, hosts = (self.atom(value) for value in self.several((node.left, node.right)))
        bases = [self.layout.base[self.set_domain(one)] for one in (node.left, node.right)]
        guest_sites, host_sites, rooms, one, result = (self.temporary() for _ in range(5))
        self.line(f"{guest_sites}, {host_sites}, {rooms} = [], [], []")
        with self.looping(node.left_var), self.looping(node.right_var):
            with self.block(f"for {one} in members({guests.text}, {bases[0]}):"):
                self.line(f"{self.name(node.left_var)} = {one}")
                self.line(f"{guest_sites}.append({self.value(node.left_at).text})")
            with self.block(f"for {one} in members({hosts.text}, {bases[1]}):"):
                self.line(f"{self.name(node.right_var)} = {one}")
                self.line(f"{host_sites}.append({self.value(node.right_at).text})")
                self.line(f"{rooms}.append({self.value(node.room).text})")
        self.leave(node.left_var, node.right_var)
        self.line(f"{result} = met(S, {guest_sites}, {host_sites}, {rooms})")
        return Value(result, TEXT, 0, MOST)


SETS: dict[type, Callable[[Any, Any], Value]] = {
    ir.SetLocal: SetExpressions._set_local,
    ir.SetLoad: SetExpressions._set_load,
    ir.SetData: SetExpressions._set_data,
    ir.SetBinary: SetExpressions._set_binary,
    ir.SetOf: SetExpressions._set_of,
    ir.ReachSet: SetExpressions._reach_set,
    ir.Alike: SetExpressions._alike,
    ir.In: SetExpressions._in,
    ir.SetCount: SetExpressions._set_count,
    ir.SetNext: SetExpressions._set_next,
    ir.SetEqual: SetExpressions._set_equal,
    ir.Subset: SetExpressions._subset,
    ir.ListLocal: SetExpressions._list_local,
    ir.ListLoad: SetExpressions._list_load,
    ir.ListLength: SetExpressions._list_length,
    ir.ListItem: SetExpressions._list_item,
    ir.Coverable: SetExpressions._coverable,
    ir.Meeting: SetExpressions._meeting,
}
