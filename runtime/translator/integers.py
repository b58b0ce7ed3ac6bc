"""Integer expressions to source: constants, locals, fields, columns, tables, arithmetic, calls and built-in queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from grognard.contract import ir
from grognard.contract.datablock import AXIS_CELLS, CLAMP_HIGH, CLAMP_LOW, TABLE_HEAD
from grognard.contract.header import FAIL_DIVIDE, FAIL_TABLE, NONE
from grognard.translator.code import CONSTANT, MOST, NAME, TEXT, Scope, Value, constant, truth

#: Answers of the map that are remembered, for each kind of question.
ANSWERS = 1 << 16

_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_DIVIDED = {
    "div_down": "{a} // {b}",
    "div_up": "-(-{a} // {b})",
    "div_near": "div_near({a}, {b})",
    "mod": "{a} % {b}",
}


class IntegerExpressions(Scope):
    """Translates expressions whose value is an integer."""

    # ---------------------------------------------------------------------- constants, locals, cells and data

    def _const(self, node: ir.Const) -> Value:
        return constant(node.value)

    def _sym(self, node: ir.Sym) -> Value:
        return constant(self.unit.data.symbols[node.symbol])

    def _domain_count(self, node: ir.DomainCount) -> Value:
        return constant(self.layout.count[node.domain])

    def _domain_base(self, node: ir.DomainBase) -> Value:
        return constant(self.layout.base[node.domain])

    def _local(self, node: ir.Local) -> Value:
        return self.local(node.index)

    def _head(self, node: ir.Head) -> Value:
        return Value(f"c[{node.cell}]")

    def _load(self, node: ir.Load) -> Value:
        entry = self.program.fields[node.field]
        place = self.field_place(node.field, node.index, node.site)
        lo = NONE if entry.optional else entry.lo
        return Value(f"c[{place.text}]", TEXT, lo, entry.hi)

    def _data(self, node: ir.Data) -> Value:
        column = self.unit.data.columns[node.column]
        place = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, 1)
        if place.number is not None and place.number < len(column):
            return constant(column[place.number])
        name = self.unit.given(f"column{node.column}", lambda: tuple(column))
        if not len(column):
            return Value(f"{name}[{place.text}]")
        return Value(f"{name}[{place.text}]", TEXT, min(column), max(column))

    def _table_get(self, node: ir.TableGet) -> Value:
        values = self.several(node.index)
        # What a record shows is evaluated on lines of its own.
        pairs = [self.bound(self.atom(value) if self.level >= 2 else value) for value in values]
        firsts, texts = [first for first, _ in pairs], [text for _, text in pairs]
        table = self.unit.given(f"table{node.table}", lambda: self._lookup(node.table, len(values)))
        name = self.temporary()
        given = ", ".join(texts)
        asked = f"({name} := {table}({', '.join(firsts)}))"
        found = f"({name} if {asked} is not None else failed({FAIL_TABLE}, {node.site}, {given}))"
        if self.level < 2:
            return Value(found)
        result = self.atom(Value(found))
        self.note(node.site, "-1", [*texts, result.text])
        return result

    def _lookup(self, number: int, count: int) -> Callable[..., int | None]:
        """Look a table up; None outside it."""
        table = self.unit.data.tables[number]
        axes = []
        for axis in range(count):
            head = TABLE_HEAD + AXIS_CELLS * axis
            lo, hi, flags, rows, offset = table[head : head + AXIS_CELLS]
            axes.append((lo, hi, flags & CLAMP_LOW, flags & CLAMP_HIGH, rows, offset))
        cells = table[1]

        @lru_cache(ANSWERS)
        def look_up(*index: int) -> int | None:
            place = 0
            for value, (lo, hi, low, high, rows, offset) in zip(index, axes):
                if value < lo:
                    if value == NONE or not low:
                        return None
                    value = lo
                elif value > hi:
                    if not high:
                        return None
                    value = hi
                row = table[offset + value - lo]
                if row < 0:
                    return None
                place = place * rows + row
            return table[cells + place]

        return look_up

    def note(self, site: int, seen: str, args: list[str]) -> None:
        """Write a record to the trace."""
        texts = [str(site), seen, str(len(args)), *args]
        self.line(f"S.trace.extend(({', '.join(texts)}))")

    # ---------------------------------------------------------------------------------------------- operators

    def _unary(self, node: ir.Unary) -> Value:
        value = self.value(node.value)
        if node.op == "not":
            if value.number is not None:
                return constant(0 if value.number else 1)
            return truth(f"(not {value.condition})")
        number = value.number
        if number is not None and number != NONE:
            return constant(abs(number) if node.op == "abs" else -number)
        sign = "-{}" if node.op == "neg" else "abs({})"
        lo, hi = (-value.hi, -value.lo) if node.op == "neg" else (0, max(abs(value.lo), abs(value.hi)))
        if value.lo > NONE:
            return Value(f"({sign.format(value.text)})", TEXT, lo, hi)
        first, text = self.bound(value)
        failed = f"failed_overflow({self.site}, {text})"
        return Value(f"({sign.format(text)} if {first} != {NONE} else {failed})", TEXT, max(lo, -MOST), MOST)

    def _binary(self, node: ir.Binary) -> Value:
        if node.op in ("and", "or"):
            return self._short_circuit(node)
        a, b = self.several((node.left, node.right))
        if node.op in _COMPARED:
            return self._comparison(node.op, a, b)
        if node.op in ("min", "max"):
            return self._extreme(node.op, a, b)
        if node.op in _DIVIDED:
            return self._division(node, a, b)
        sign = {"add": "+", "sub": "-", "mul": "*"}[node.op]
        if node.op == "add":
            lo, hi = a.lo + b.lo, a.hi + b.hi
        elif node.op == "sub":
            lo, hi = a.lo - b.hi, a.hi - b.lo
        else:
            corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            lo, hi = min(corners), max(corners)
        if lo >= -MOST and hi <= MOST:
            if a.sort == b.sort == CONSTANT:
                return constant(lo)
            return Value(f"({a.text} {sign} {b.text})", TEXT, lo, hi)
        (first_a, text_a), (first_b, text_b) = self.bound(a), self.bound(b)
        name = self.temporary()
        made = f"({name} := {first_a} {sign} {first_b})"
        failed = f"failed_overflow({node.site}, {text_a}, {text_b})"
        if lo >= -MOST:
            test = f"{made} <= {MOST}"
        elif hi <= MOST:
            test = f"{made} >= {-MOST}"
        else:
            test = f"{-MOST} <= {made} <= {MOST}"
        return Value(f"({name} if {test} else {failed})", TEXT, max(lo, -MOST), min(hi, MOST))

    def _comparison(self, op: str, a: Value, b: Value) -> Value:
        sign = _COMPARED[op]
        if a.sort == b.sort == CONSTANT and NONE not in (a.lo, b.lo):
            return constant(int(eval(f"{a.lo} {sign} {b.lo}")))
        # NONE is the least value: where a is none b may be anything, but a value below b shows that b is one.
        if op in ("lt", "le") and a.lo == NONE:
            return truth(f"({NONE} != {a.text} {sign} {b.text})")
        if op in ("gt", "ge") and b.lo == NONE:
            return truth(f"({a.text} {sign} {b.text} != {NONE})")
        return truth(f"({a.text} {sign} {b.text})")

    def _extreme(self, op: str, a: Value, b: Value) -> Value:
        choose = min if op == "min" else max
        lo, hi = choose(a.lo, b.lo), choose(a.hi, b.hi)
        if a.sort == b.sort == CONSTANT:
            return constant(lo)
        if TEXT in (a.sort, b.sort):
            return Value(f"{op}({a.text}, {b.text})", TEXT, lo, hi)
        sign = "<" if op == "min" else ">"
        return Value(f"({a.text} if {a.text} {sign} {b.text} else {b.text})", TEXT, lo, hi)

    def _division(self, node: ir.Binary, a: Value, b: Value) -> Value:
        (first_a, text_a), (first_b, text_b) = self.bound(a), self.bound(b)
        name = self.temporary()
        made = f"({name} := {_DIVIDED[node.op].format(a=text_a, b=text_b)})"
        divisor = b.number
        if divisor is not None and divisor > 0 and a.lo > NONE:
            if a.sort == CONSTANT:
                return self._folded(node.op, a.lo, divisor)
            lo, hi = (0, divisor - 1) if node.op == "mod" else (-MOST, MOST)
            if node.op != "mod" and a.lo >= 0:
                lo, hi = 0, a.hi
            return Value(f"({_DIVIDED[node.op].format(a=a.text, b=b.text)})", TEXT, lo, hi)
        exact = (
            f"({name} if {-MOST} <= {made} <= {MOST} else failed_overflow({node.site}, {text_a}, {text_b}))"
        )
        # The dividend is evaluated first, then the divisor; both are then known by name.
        test = f"({first_a}, {first_b})[1]" if a.sort == TEXT else first_b
        return Value(
            f"({exact} if {test} else failed({FAIL_DIVIDE}, {node.site}, {text_a}))", TEXT, -MOST, MOST
        )

    def _folded(self, op: str, a: int, b: int) -> Value:
        from grognard.translator.pure import div_near

        results = {"div_down": a // b, "div_up": -(-a // b), "div_near": div_near(a, b), "mod": a % b}
        return constant(results[op])

    def _short_circuit(self, node: ir.Binary) -> Value:
        left = self.value(node.left)
        both = node.op == "and"
        if left.number is not None:
            if bool(left.number) != both:
                return constant(0 if both else 1)
            right = self.value(node.right)
            if right.number is not None:
                return constant(1 if right.number else 0)
            return right if (right.lo, right.hi) == (0, 1) else truth(right.condition)
        with self.aside() as lines:
            right = self.value(node.right)
        if not lines:
            return truth(f"({left.condition} {node.op} {right.condition})")
        name = self.temporary()
        # A name that is bound in the condition must not be lost, so the condition itself comes first.
        with self.block(f"if {left.condition}:" if both else f"if not {left.condition}:"):
            self.lines += lines
            self.line(f"{name} = 1 if {right.condition} else 0")
        with self.block("else:"):
            self.line(f"{name} = {0 if both else 1}")
        return Value(name, NAME, 0, 1)

    def _if(self, node: ir.If | ir.SetIf) -> Value:
        test = self.value(node.condition)
        if test.number is not None:
            return self.value(node.then if test.number else node.otherwise)
        with self.aside() as then_lines:
            then = self.value(node.then)
        with self.aside() as other_lines:
            other = self.value(node.otherwise)
        lo, hi = min(then.lo, other.lo), max(then.hi, other.hi)
        if not then_lines and not other_lines:
            return Value(f"({then.text} if {test.condition} else {other.text})", TEXT, lo, hi)
        name = self.temporary()
        with self.block(f"if {test.condition}:"):
            self.lines += then_lines
            self.line(f"{name} = {then.text}")
        with self.block("else:"):
            self.lines += other_lines
            self.line(f"{name} = {other.text}")
        return Value(name, NAME, lo, hi)

    # -------------------------------------------------------------------------------------- calls and queries

    def _call(self, node: ir.Call | ir.SetCall) -> Value:
        return self.call(node.function, node.args)

    def _at_best(self, node: ir.AtBest) -> Value:
        target = self.program.machines[node.machine]
        args = self.arguments(node.args, target.locals[: target.params])
        if node.enough is None:
            enough = constant(NONE)
        else:
            mark = len(self.lines)
            enough = self.value(node.enough)
            if len(self.lines) > mark:
                self.settle(args, mark)
        given = ", ".join(value.text for value in args)
        return Value(f"at_best({node.machine}, [{given}], {enough.text})")

    def _verb(self, node: ir.Verb) -> Value:
        args = self.several(node.args)
        geography = self.unit.state.geography
        name = self.unit.given(f"map_{node.name}", lambda: lru_cache(ANSWERS)(geography.answer(node.name)))
        condition = f"{name}({', '.join(value.text for value in args)})"
        return Value(condition, TEXT, 0 if node.name in ("adjacent", "popcount") else NONE)

    def _reach_cost(self, node: ir.ReachCost) -> Value:
        *args, to = self.several((*node.args, node.to))
        search = self.unit.given(f"reach{node.movement}_{self.level}", lambda: self.search(node.movement))
        return Value(f"{search}.cost(({' '.join(f'{v.text},' for v in args)}), {to.text})")

    def search(self, movement: int) -> Any:
        """The search of a movement, as it runs under a trace of this level."""
        from grognard.translator.reachability import Search

        return Search(self.unit, movement, self.level)


INTEGERS: dict[type, Callable[[Any, Any], Value]] = {
    ir.Const: IntegerExpressions._const,
    ir.Sym: IntegerExpressions._sym,
    ir.DomainCount: IntegerExpressions._domain_count,
    ir.DomainBase: IntegerExpressions._domain_base,
    ir.Local: IntegerExpressions._local,
    ir.Load: IntegerExpressions._load,
    ir.Head: IntegerExpressions._head,
    ir.Data: IntegerExpressions._data,
    ir.TableGet: IntegerExpressions._table_get,
    ir.Unary: IntegerExpressions._unary,
    ir.Binary: IntegerExpressions._binary,
    ir.If: IntegerExpressions._if,
    ir.SetIf: IntegerExpressions._if,
    ir.Call: IntegerExpressions._call,
    ir.SetCall: IntegerExpressions._call,
    ir.AtBest: IntegerExpressions._at_best,
    ir.Verb: IntegerExpressions._verb,
    ir.ReachCost: IntegerExpressions._reach_cost,
}
