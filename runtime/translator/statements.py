"""IR statements to source: locals, fields, conditions, loops, calls, dice, candidates and records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.call_classes import finds
from grognard.contract.header import FAIL_INDEX, FAIL_LIST, FAIL_RANGE, H_BRANCH, NONE
from grognard.contract.ir.walk import conjuncts
from grognard.contract.trace import BELOW
from grognard.interpreter.journal import ADD, ADD_CLAMPED, SET
from grognard.translator.code import MOST, TEXT, Value
from grognard.translator.integers import INTEGERS, IntegerExpressions
from grognard.translator.loops import LOOPS, LoopExpressions
from grognard.translator.sets import SETS, SetExpressions

#: Longer expressions get a name, so that Python need not read them as one.
LONGEST = 400


class Statements(IntegerExpressions, LoopExpressions, SetExpressions):
    """Translates the statements of one function or machine."""

    #: whether loops that offer candidates may end when enough are found
    finds = False
    #: sites of the notes that record the function's result
    results: frozenset[int] = frozenset()
    #: what a function without a result gives back
    nothing = "None"

    def value(self, node: Any) -> Value:
        made = _VALUES[type(node)](self, node)
        return self.atom(made) if made.sort == TEXT and len(made.text) > LONGEST else made

    def body(self, nodes: Sequence[ir.Stmt]) -> None:
        for node in nodes:
            _STATEMENTS[type(node)](self, node)

    # ------------------------------------------------------------------------------------------------ locals

    def _assign(self, node: ir.Assign) -> None:
        self.line(f"{self.name(node.local)} = {self.value(node.value).text}")

    def _assign_set(self, node: ir.AssignSet) -> None:
        self.put_set(node.local, self.value(node.value).text)

    def _assign_list(self, node: ir.AssignList) -> None:
        found = self.value(node.value).text
        self.put_list(node.local, f"copied({found}, {self.list_capacity(node.local)}, {self.site})")

    def _list_append(self, node: ir.ListAppend) -> None:
        item, capacity = self.value(node.value), self.list_capacity(node.local)
        if self.offsets is not None:
            self.line(f"append(p + {self.offsets[node.local]}, {item.text}, {capacity}, {node.site})")
            return
        item = self.atom(item)
        with self.block(f"if len(v{node.local}) >= {capacity}:"):
            self.line(f"failed({FAIL_LIST}, {node.site}, {item.text})")
        self.line(f"v{node.local}.append({item.text})")

    def _list_clear(self, node: ir.ListClear) -> None:
        self.put_list(node.local, "[]")

    def _set_change(self, node: ir.SetChange) -> None:
        domain = self.set_domain(ir.SetLocal(node.local))
        base, count = self.layout.base[domain], self.layout.count[domain]
        value = self.value(node.value)
        if base <= value.lo and value.hi < base + count:
            bit = f"(1 << {value.text} - {base})"
        else:
            bit = f"bit_of({value.text}, {base}, {count}, {self.site})"
        bit = self.atom(Value(bit)).text
        mask = self.value(ir.SetLocal(node.local)).text
        self.put_set(node.local, f"{mask} | {bit}" if node.add else f"{mask} & ~{bit}")

    # ------------------------------------------------------------------------------------------------ fields

    def _place_and(self, field: int, index: Sequence[ir.Expr], site: int, value: Any) -> tuple[Value, Value]:
        """The place of an element, then a value."""
        places = [self.field_place(field, index, site)]
        mark = len(self.lines)
        made = self.value(value)
        if len(self.lines) > mark:
            self.settle(places, mark)
        return places[0], made

    def _store(self, node: ir.Store) -> None:
        entry = self.program.fields[node.field]
        place, value = self._place_and(node.field, node.index, node.site, node.value)
        cell = self.atom(place) if place.number is None else place
        value = self.atom(value)
        if node.op == "add":
            self._add(node, entry, cell.text, value.text)
            return
        lo, hi, text = entry.lo, entry.hi, value.text
        inside = (lo <= value.lo or (entry.optional and value.number == NONE)) and (
            value.hi <= hi or value.number == NONE
        )
        if not inside:
            free = f" and {text} != {NONE}" if entry.optional else ""
            with self.block(f"if not {lo} <= {text} <= {hi}{free}:"):
                if not node.clamp:
                    self.line(f"failed({FAIL_RANGE}, {node.site}, {text})")
                else:
                    with self.block(f"if {text} == {NONE}:"):
                        self.line(f"failed({FAIL_RANGE}, {node.site}, {text})")
                    name = self.temporary()
                    self.line(f"{name} = {lo} if {text} < {lo} else {hi}")
            if node.clamp:
                with self.block("else:"):
                    self.line(f"{name} = {text}")
                text = name
        self._write(node, cell.text, text, SET, text)

    def _add(self, node: ir.Store, entry: ir.Field, cell: str, change: str) -> None:
        with self.block(f"if c[{cell}] == {NONE} or {change} == {NONE}:"):
            self.line(f"failed({FAIL_INDEX}, {node.site}, {NONE})")
        total = self.atom(Value(f"c[{cell}] + {change}")).text
        with self.block(f"if not {entry.lo} <= {total} <= {entry.hi}:"):
            if node.clamp:
                self.line(f"{total} = {entry.lo} if {total} < {entry.lo} else {entry.hi}")
            else:
                self.line(f"failed({FAIL_RANGE}, {node.site}, {total})")
        self._write(node, cell, total, ADD_CLAMPED if node.clamp else ADD, change)

    def _write(self, node: ir.Store, cell: str, value: str, how: int, operand: str) -> None:
        def plain() -> None:
            with self.block(f"if c[{cell}] != {value}:"):
                self.line(f"c[{cell}] = {value}")
                self.line(f"S.dirty |= {1 << node.field}")

        if not self.program.journal:
            plain()
            return
        with self.block(f"if c[{H_BRANCH}] == {NONE}:"):
            plain()
        with self.block("else:"):
            self.line(f"write({node.field}, {cell}, {value}, {how}, {operand}, {node.site})")

    def _store_set(self, node: ir.StoreSet) -> None:
        place, value = self._place_and(node.field, node.index, node.site, node.value)
        self.line(f"write_set({node.field}, {place.text}, {value.text}, {node.site})")

    def _store_set_change(self, node: ir.StoreSetChange) -> None:
        kind = self.program.fields[node.field].type
        assert isinstance(kind, ir.SetType)
        place, value = self._place_and(node.field, node.index, node.site, node.value)
        given = f"{node.field}, {place.text}, {value.text}, {kind.domain}, {node.add}, {node.site}"
        self.line(f"change_set({given})")

    def _store_list(self, node: ir.StoreList) -> None:
        kind = self.program.fields[node.field].type
        assert isinstance(kind, ir.ListType)
        place, value = self._place_and(node.field, node.index, node.site, node.value)
        items = f"copied({value.text}, {kind.capacity}, {node.site})"
        self.line(f"write_list({node.field}, {place.text}, {items}, {kind.capacity}, {node.site})")

    def _enqueue(self, node: ir.Enqueue) -> None:
        kind = self.program.fields[node.field].type
        assert isinstance(kind, ir.ListType)
        self.line(f"enqueue({node.field}, {self.value(node.value).text}, {kind.capacity}, {node.site})")

    def _store_head(self, node: ir.StoreHead) -> None:
        self.line(f"c[{node.cell}] = {self.value(node.value).text}")

    def _reset(self, node: ir.Reset) -> None:
        self.line(f"reset_field({node.field}, {self.site})")

    def _copy_field(self, node: ir.CopyField) -> None:
        self.line(f"copy_field({node.source}, {node.target}, {self.site})")

    def _create(self, node: ir.Create) -> None:
        self.line(f"{self.name(node.local)} = create({node.domain}, {node.site})")

    def _destroy(self, node: ir.Destroy) -> None:
        alive = self.program.domains[node.domain].alive
        assert alive is not None
        place = self.field_place(alive, (node.value,), node.site)
        self.line(f"write({alive}, {place.text}, 0, {SET}, 0, {node.site})")

    def _branch(self, node: ir.BranchBegin | ir.BranchNext | ir.BranchEnd) -> None:
        step = {ir.BranchBegin: "begin", ir.BranchNext: "next", ir.BranchEnd: "end"}[type(node)]
        self.line(f"branch_{step}({node.site})")

    # ------------------------------------------------------------------------------------ conditions and loops

    def _if_stmt(self, node: ir.IfStmt) -> None:
        test = self.value(node.condition)
        if test.number is not None:
            self.body(node.then if test.number else node.otherwise)
            return
        if not node.then:
            with self.block(f"if not {test.condition}:"):
                self.body(node.otherwise)
            return
        with self.block(f"if {test.condition}:"):
            self.body(node.then)
        if node.otherwise:
            with self.block("else:"):
                self.body(node.otherwise)

    def _while(self, node: ir.While) -> None:
        with self.block("while True:"):
            with self.block(f"if not {self.condition(node.condition)}:"):
                self.line("break")
            self.line("S.steps += 1")
            self.check()
            self.body(node.body)

    def _for(self, node: ir.For) -> None:
        tests = conjuncts(node.where)
        source = self.source(node.over, node.var, tests, ())
        self.spend(source.count)
        self.check()
        name = self.name(node.var)
        with self.looping(node.var, source.lo, source.hi):
            if self.finds and finds(node):
                with self.block(f"for {name} in {source.items}:"):
                    if source.test is not None:
                        self.skip_unless(source.test)
                    self.filter(tests)
                    self.line(f"offer({name})")
                self.leave(node.var)
                return
            left = source.items
            if tests or source.test is not None:
                left = self.temporary()
                self.line(f"{left} = []")
                with self.block(f"for {name} in {source.items}:"):
                    if source.test is not None:
                        self.skip_unless(source.test)
                    self.filter(tests)
                    self.line(f"{left}.append({name})")
            elif node.key is not None or source.borrowed:
                left = self.temporary()
                self.line(f"{left} = [*{source.items}]")
            if node.key is None:
                with self.block(f"for {name} in {left}:"):
                    self.body(node.body)
            else:
                self._keyed(node, left)
        self.leave(node.var)

    def _keyed(self, node: ir.For, left: str) -> None:
        """The remaining element with the best key comes next, evaluated anew before each pass."""
        assert node.key is not None
        best, place, number = (self.temporary() for _ in range(3))
        name = self.name(node.var)
        with self.block(f"while {left}:"):
            self.line(f"{place} = -1")
            self.line(f"{number} = 0")
            with self.block(f"for {name} in {left}:"):
                worth = self.atom(self.value(node.key)).text
                with self.block(f"if {place} < 0 or {worth} {'>' if node.highest else '<'} {best}:"):
                    self.line(f"{best} = {worth}")
                    self.line(f"{place} = {number}")
                self.line(f"{number} += 1")
            self.line(f"{name} = {left}.pop({place})")
            self.body(node.body)

    def _for_line(self, node: ir.ForLine) -> None:
        a, b = self.several((node.a, node.b))
        variables = (node.kind_var, node.first_var, node.second_var)
        names = ", ".join(self.name(variable) for variable in variables)
        head = f"for {names} in line_items({a.text}, {b.text}, {node.crossings}):"
        # Nothing is known of what a line meets, so there are no bounds to tell.
        with self.block(head):
            self.line("S.steps += 1")
            self.check()
            self.body(node.body)
        self.leave(*variables)

    def _break(self, node: ir.Break) -> None:
        self.line("break")

    def _continue(self, node: ir.Continue) -> None:
        self.line("continue")

    # -------------------------------------------------------------------------------------- calls and returns

    def _do(self, node: ir.Do) -> None:
        made = self.call(node.function, node.args)
        self.line(made.text if node.local is None else f"{self.name(node.local)} = {made.text}")

    def _return(self, node: ir.Return) -> None:
        self.line(f"return {self.nothing if node.value is None else self.value(node.value).text}")

    # ------------------------------------------------------------------------ dice, candidates, trace, failures

    def _roll(self, node: ir.Roll) -> None:
        # Under names of their own: the total may go to a local that says how many dice there are.
        values = self.several((node.count, node.lo, node.hi))
        count, lo, hi = (self.copy(value).text for value in values)
        capacity = MOST if node.pool is None else self.list_capacity(node.pool)
        dice = self.atom(Value(f"dice({count}, {lo}, {hi}, {capacity}, {node.site})")).text
        if node.total is not None:
            self.line(f"{self.name(node.total)} = sum({dice})")
        if node.pool is not None:
            self.put_list(node.pool, dice)
        if self.level >= 1:
            self.line(f"S.trace.extend(({node.site}, -1, 3 + len({dice}), {count}, {lo}, {hi}, *{dice}))")

    def _yield(self, node: ir.Yield) -> None:
        self.line(f"offer({self.value(node.value).text})")

    def _note(self, node: ir.Note) -> None:
        if self.level < node.level:
            return
        given = (*node.args,) if node.seen is None else (*node.args, node.seen)
        texts = [self.atom(value).text for value in self.several(given)]
        seen = "-1" if node.seen is None else texts.pop()
        if node.site in self.results:
            with self.block("if len(S.trace) > since:"):
                self.line(f"S.trace.extend(({BELOW}, len(S.trace) - since))")
        self.note(node.site, seen, texts)

    def _fail(self, node: ir.Fail) -> None:
        self.line(f"failed({node.kind}, {node.site})")


_VALUES: dict[type, Callable[[Any, Any], Value]] = {
    **INTEGERS,
    **LOOPS,
    **SETS,
}

_STATEMENTS: dict[type, Callable[[Statements, Any], None]] = {
    ir.Assign: Statements._assign,
    ir.AssignSet: Statements._assign_set,
    ir.AssignList: Statements._assign_list,
    ir.ListAppend: Statements._list_append,
    ir.ListClear: Statements._list_clear,
    ir.SetChange: Statements._set_change,
    ir.Store: Statements._store,
    ir.StoreSet: Statements._store_set,
    ir.StoreSetChange: Statements._store_set_change,
    ir.StoreList: Statements._store_list,
    ir.Enqueue: Statements._enqueue,
    ir.StoreHead: Statements._store_head,
    ir.Reset: Statements._reset,
    ir.CopyField: Statements._copy_field,
    ir.Create: Statements._create,
    ir.Destroy: Statements._destroy,
    ir.BranchBegin: Statements._branch,
    ir.BranchNext: Statements._branch,
    ir.BranchEnd: Statements._branch,
    ir.IfStmt: Statements._if_stmt,
    ir.While: Statements._while,
    ir.For: Statements._for,
    ir.ForLine: Statements._for_line,
    ir.Break: Statements._break,
    ir.Continue: Statements._continue,
    ir.Do: Statements._do,
    ir.Return: Statements._return,
    ir.Roll: Statements._roll,
    ir.Yield: Statements._yield,
    ir.Note: Statements._note,
    ir.Fail: Statements._fail,
}
