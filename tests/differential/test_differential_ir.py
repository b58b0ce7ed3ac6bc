"""All back ends on the same programs, step by step: cells, candidates, trace, results and failures must agree.

Longer than 500 lines: one generator of programs, whose parts call each other."""

from __future__ import annotations

import dataclasses
import random
from array import array
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import programs
import pytest
from grognard.compiler.build.build import build_engine, compiler_available
from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import (
    H_STATUS,
    NONE,
    STATUS_DECISION,
)
from grognard.contract.ir.verify import verify
from grognard.contract.ir.verify.grammar import BINDERS, WRITTEN_LOCALS
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine
from grognard.translator.machine import PythonBackend

pytestmark = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))

INTERESTING = (0, 1, 2, 3, -1, 5, 7, 10, 13, 44, 100, 104, NONE, 2**31 - 1, -(2**31) + 1)


class Pair:
    """The back ends of one program: the oracle and those that are compared with it."""

    def __init__(self, built: programs.Built) -> None:
        self.program, self.layout, self.data, self.cells = built
        verify(self.program)
        self.oracle = Interpreter(self.program, self.layout, self.data)
        self.engine = CompiledEngine(build_engine(self.program), self.program, self.layout, self.data)
        self.translated = PythonBackend(self.program, self.layout, self.data)

    def same(
        self, cells: bytearray, act: Callable[[Any, bytearray, Io], Any], **io: Any
    ) -> tuple[bytearray, Any]:
        """Do the same with all; the cells and the result, or the failure, that they agree on."""
        sides = []
        for backend in (self.oracle, self.engine, self.translated):
            mine, own = bytearray(cells), Io(**{"level": 2, **io})
            try:
                result: Any = act(backend, mine, own)
            except RuleFailure as failure:
                result = (failure.kind, failure.site, failure.detail)
                mine = bytearray()
            except ValueError:
                result = "refused"
            sides.append((result, bytes(mine), own.trace.tolist(), own.script_used))
        assert sides[0] == sides[1], "compiled"
        assert sides[0] == sides[2], "python"
        return bytearray(sides[0][1]), sides[0][0]


@pytest.fixture(scope="module", params=sorted(programs.PROGRAMS))
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(programs.PROGRAMS[request.param]())


def some_argument(chance: random.Random, pair: Pair, kind: ir.LocalType) -> Any:
    match kind:
        case ir.SetType(domain=domain):
            base, count = pair.layout.base[domain], pair.layout.count[domain]
            return {base + chance.randrange(count) for _ in range(chance.randrange(8)) if count}
        case ir.ListType(capacity=capacity):
            return [chance.randrange(-3, 12) for _ in range(chance.randrange(capacity + 1))]
    if chance.random() < 0.5:
        domain = chance.randrange(len(pair.layout.count))
        return pair.layout.base[domain] + chance.randrange(-1, pair.layout.count[domain] + 2)
    return chance.choice(INTERESTING)


def some_arguments(chance: random.Random, pair: Pair, code: ir.Function | ir.Machine) -> list[Any]:
    return [some_argument(chance, pair, local.type) for local in code.locals[: code.params]]


def test_functions_agree(pair: Pair) -> None:
    chance = random.Random(1)
    for function in pair.program.functions:
        cells = pair.cells
        for _ in range(60):
            args = some_arguments(chance, pair, function)
            level = chance.choice((0, 1, 2))
            script = None
            if chance.random() < 0.2:
                script = array("i", [chance.randrange(1, 7) for _ in range(chance.randrange(4))])
            after, _ = pair.same(
                cells,
                lambda backend, mine, io, f=function.id, a=args: backend.call(mine, f, a, io),
                level=level,
                script=script,
                budget=chance.choice((5, 50, 1_000_000)),
            )
            cells = after or pair.cells


def test_functions_agree_one_after_another(pair: Pair) -> None:
    """What one function leaves, the next one finds."""
    chance = random.Random(2)
    cells = pair.cells
    for _ in range(1500):
        function = chance.choice(pair.program.functions)
        args = some_arguments(chance, pair, function)
        after, _ = pair.same(
            cells, lambda backend, mine, io, f=function.id, a=args: backend.call(mine, f, a, io)
        )
        cells = after or cells


def test_play_agrees(pair: Pair) -> None:
    chance = random.Random(3)
    for machine in pair.program.machines:
        for _ in range(12):
            args = some_arguments(chance, pair, machine)
            level = chance.choice((0, 1, 2, 2))
            budget = chance.choice((40, 100_000, 100_000))
            cells, _ = pair.same(
                pair.cells,
                lambda backend, mine, io, m=machine.id, a=args: backend.start(mine, m, a, io),
                level=level,
                budget=budget,
            )
            for _ in range(80):
                if not cells or memoryview(cells).cast("i")[H_STATUS] != STATUS_DECISION:
                    break
                _, offered = pair.same(cells, lambda backend, mine, io: backend.candidates(mine))
                value = chance.choice(offered) if chance.random() < 0.9 else chance.choice(INTERESTING)
                cells, _ = pair.same(
                    cells, lambda backend, mine, io, v=value: backend.answer(mine, v, io), level=level
                )
            if cells:
                pair.same(cells, lambda backend, mine, io: backend.resume(mine, io))
                pair.same(cells, lambda backend, mine, io: backend.candidates(mine))


# ------------------------------------------------------------------------------------------ random programs


OPERATORS = [*get_args(ir.BinaryOp), "add", "and", "or"]
AGGREGATES = get_args(get_type_hints(ir.Aggregate)["op"])


class Wild:
    """Writes random functions over a fixed set of domains, fields, columns and tables.

    Nothing is meant by them; they put nodes together in ways that nobody would write by hand."""

    def __init__(self, seed: int, journal: bool) -> None:
        self.chance = random.Random(seed)
        self.journal = journal
        self.in_machine = False
        b = self.b = programs.Builder(f"wild{seed}")
        self.side = b.domain("side", "side", "red blue")
        self.num = b.domain("num", "range", 40, base=-3)
        self.piece = b.domain("piece", "piece", 6, base=10, alive=0, interchangeable=True)
        self.kind = b.domain("kind", "enum", "a b c")
        self.domains = (self.side, self.num, self.piece, self.kind)
        b.field("alive", (self.piece,), lo=0, hi=1, default=1)
        self.ints = {
            b.field("hp", (self.piece,), lo=-20, hi=90, default=4): (self.piece,),
            b.field("power", (self.piece, self.side), lo=-50, hi=50): (self.piece, self.side),
            b.field("score", (), lo=-1000, hi=1000): (),
            b.field("aim", (self.side,), ir.IntType("dom:2"), optional=True, default=NONE): (self.side,),
        }
        self.sets = {
            b.field("tags", (self.piece,), ir.SetType(self.kind)): (self.piece,),
            b.field("bag", (), ir.SetType(self.num)): (),
            b.field("seen", (self.side,), ir.SetType(self.piece)): (self.side,),
        }
        self.lists = {b.field("route", (self.side,), ir.ListType(5)): (self.side,)}
        self.queue = b.field("queue", (), ir.ListType(6))
        self.home = b.field("home", (self.side, self.piece), ir.IntType("dom:2"), lo=0, first=self.piece)
        self.ints[self.home] = (self.side, self.piece)
        b.column("owner", (self.piece,), [0, 1, 0, 1, 0, 1])
        b.column("weight", (self.num,), [(i * 7) % 11 - 2 for i in range(40)])
        b.column("near", (self.piece,), [3, -1, 5, 1, -(2**31), 2, 7, 0, 9, 1, 0, 0], ir.SetType(self.num))
        b.table("crt", [(0, 5, 1, [0, 0, 1, 1, 2, 2]), (0, 4, 2, [0, 1, 2, -1, 3])], [3, 4], list(range(12)))
        b.symbol("answer", 4)
        b.more = {"journal": 60 if journal else 0}
        self.sites = [b.site("rule", f"site {number}") for number in range(40)]

    # ints 0-7 (0, 1 parameters; 4-7 loop variables), sets 8 (parameter), 9, 10, lists 11 (parameter), 12
    LOCALS = (
        ("a", ir.IntType()),
        ("b", ir.IntType()),
        *((f"v{i}", ir.IntType()) for i in range(2, 8)),
    )

    def locals(self) -> tuple[tuple[str, ir.LocalType], ...]:
        return (
            *self.LOCALS[:2],
            ("s", ir.SetType(self.num)),
            ("l", ir.ListType(4)),
            *self.LOCALS[2:],
            ("s2", ir.SetType(self.num)),
            ("s3", ir.SetType(self.piece)),
            ("l2", ir.ListType(40)),
        )

    A, B, S, L, V, LOOP, S2, S3, L2 = 0, 1, 2, 3, (4, 5), (6, 7, 8, 9), 10, 11, 12

    def site(self) -> int:
        return self.chance.choice(self.sites)

    def number(self) -> ir.Expr:
        return ir.Const(self.chance.choice((0, 1, 2, 3, -1, 5, 11, 14, NONE, 100, 2**31 - 1)))

    def index(self, dims: tuple[int, ...], depth: int) -> tuple[ir.Expr, ...]:
        """Mostly good indexes."""
        result: list[ir.Expr] = []
        for domain in dims:
            data = self.b.domain_data[domain]
            fine = ir.Const(data.base + self.chance.randrange(data.count))
            roll = self.chance.random()
            looped = ir.Local(self.chance.choice(self.LOOP))
            result.append(fine if roll < 0.45 else looped if roll < 0.8 else self.expr(depth - 1))
        return tuple(result)

    def int_local(self) -> int:
        return self.chance.choice((self.A, self.B, *self.V, *self.LOOP))

    def expr(self, depth: int) -> ir.Expr:
        pick = self.chance.choice
        if depth <= 0:
            return pick((ir.Local(self.int_local()), ir.Local(pick(self.LOOP)), self.number()))
        match self.chance.randrange(22):
            case 0 | 1:
                op = pick(OPERATORS)
                return ir.Binary(op, self.expr(depth - 1), self.expr(depth - 1), self.site())
            case 2:
                return ir.Unary(pick(("neg", "not", "abs")), self.expr(depth - 1))
            case 3:
                return ir.If(self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1))
            case 4 | 5 | 6:
                field = pick(list(self.ints))
                return ir.Load(field, self.index(self.ints[field], depth), self.site())
            case 7:
                return ir.Data(pick((0, 1)), self.index((self.piece,), depth), self.site())
            case 8:
                return ir.TableGet(0, (self.expr(depth - 1), self.expr(depth - 1)), self.site())
            case 9:
                return self.call(depth) or self.number()
            case 10 | 11 | 12:
                return self.aggregate(depth)
            case 13:
                return ir.In(self.expr(depth - 1), self.set(depth - 1, self.some_domain()))
            case 14:
                return ir.SetCount(self.set(depth - 1, self.some_domain()))
            case 15:
                return ir.SetNext(self.set(depth - 1, self.some_domain()), self.expr(depth - 1))
            case 16:
                domain = self.some_domain()
                how: Any = pick((ir.SetEqual, ir.Subset))
                return how(self.set(depth - 1, domain), self.set(depth - 1, domain))
            case 17:
                return ir.ListLength(self.list(depth))
            case 18:
                return ir.ListItem(self.list(depth), self.expr(depth - 1), self.site())
            case 19:
                a, b = self.chance.sample(self.LOOP, 2)
                inner = self.set(depth - 1, self.piece)
                if pick((True, False)):
                    hosts, places = self.set(depth - 1, self.piece), self.some_domain()
                    sites = self.set(depth - 1, places), self.set(depth - 1, places)
                    return ir.Meeting(
                        a, inner, sites[0], b, hosts, sites[1], self.expr(depth - 1), self.site()
                    )
                return ir.Coverable(a, inner, b, self.expr(depth - 1), self.L2, self.expr(depth - 1))
            case 20:
                return pick((ir.Sym(0), ir.DomainBase(self.num), ir.DomainCount(self.piece), ir.Head(11)))
            case _:
                return ir.Local(self.int_local())

    def some_domain(self) -> int:
        return self.chance.choice((self.num, self.num, self.piece, self.kind))

    def call(self, depth: int, sets: bool = False) -> Any:
        known = [f for f in self.b.functions if isinstance(f.result, ir.SetType if sets else ir.IntType)]
        if not known:
            return None
        function = self.chance.choice(known)
        args = (
            self.expr(depth - 1),
            self.expr(depth - 1),
            self.set(depth - 1, self.num),
            self.chance.choice((ir.ListLocal(self.L), ir.ListLocal(self.L2), self.list(depth))),
        )
        return ir.SetCall(function.id, args) if sets else ir.Call(function.id, args)

    def aggregate(self, depth: int) -> ir.Expr:
        op = self.chance.choice(AGGREGATES)
        plain = op in ("count", "any", "first", "last", "only", "the")
        where = self.expr(depth - 1) if self.chance.random() < 0.7 else None
        value = None if plain else self.expr(depth - 1)
        var = self.chance.choice(self.LOOP)
        return ir.Aggregate(op, var, self.over(depth), where, value, self.site())

    def over(self, depth: int) -> ir.Over:
        match self.chance.randrange(8):
            case 0 | 1 | 2:
                return ir.OverDomain(self.chance.choice(self.domains))
            case 3:
                return ir.OverRange(self.expr(depth - 2), ir.Const(self.chance.randrange(12)))
            case 4 | 5:
                return ir.OverSet(self.set(depth - 1, self.some_domain()))
            case 6:
                return ir.OverItems(tuple(self.expr(depth - 2) for _ in range(self.chance.randrange(4))))
            case _:
                return ir.OverList(self.list(depth))

    def set(self, depth: int, domain: int) -> ir.SetExpr:
        pick = self.chance.choice
        ready: list[ir.SetExpr] = [ir.SetOf(domain, (ir.Local(pick(self.LOOP)),))]
        if domain == self.num:
            ready += [ir.SetLocal(self.S), ir.SetLocal(self.S2), ir.SetLocal(self.S2)]
        if domain == self.piece:
            ready += [ir.SetLocal(self.S3), ir.SetLocal(self.S3)]
        if depth <= 0:
            return pick(ready)
        if domain == self.piece and self.chance.random() < 0.3:
            return ir.Alike(domain, self.set(depth - 1, domain))
        match self.chance.randrange(9):
            case 0 | 1:
                for field, dims in self.sets.items():
                    kind = self.b.fields[field].type
                    if isinstance(kind, ir.SetType) and kind.domain == domain:
                        return ir.SetLoad(field, self.index(dims, depth), self.site())
            case 2 if domain == self.num:
                return ir.SetData(2, self.index((self.piece,), depth), self.site())
            case 3 | 4:
                where = self.expr(depth - 1) if self.chance.random() < 0.7 else None
                value = self.expr(depth - 1) if self.chance.random() < 0.3 else None
                over = self.over(depth) if value or self.chance.random() < 0.3 else ir.OverDomain(domain)
                return ir.SetBuild(domain, pick(self.LOOP), over, where, value)
            case 5:
                op: Any = pick(("union", "minus", "inter"))
                return ir.SetBinary(op, self.set(depth - 1, domain), self.set(depth - 1, domain))
            case 6:
                return ir.SetIf(
                    self.expr(depth - 1), self.set(depth - 1, domain), self.set(depth - 1, domain)
                )
            case 7 if domain == self.num:
                return self.call(depth, True) or pick(ready)
        return pick(ready)

    def list(self, depth: int) -> ir.ListExpr:
        if self.chance.random() < 0.3:
            return ir.ListLoad(next(iter(self.lists)), self.index((self.side,), depth), self.site())
        return ir.ListLocal(self.chance.choice((self.L, self.L2)))

    def statements(self, depth: int, looped: bool = False) -> tuple[ir.Stmt, ...]:
        return tuple(self.statement(depth, looped) for _ in range(self.chance.randrange(1, 4)))

    def statement(self, depth: int, looped: bool) -> ir.Stmt:
        pick, site = self.chance.choice, self.site()
        value = self.expr(min(depth, 2))
        match self.chance.randrange(30):
            case 0 | 1 | 2:
                return ir.Assign(self.int_local(), value)
            case 3:
                return ir.AssignSet(self.S2, self.set(2, self.num))
            case 4:
                return ir.AssignSet(self.S3, self.set(2, self.piece))
            case 5:
                return ir.SetChange(pick((self.S, self.S2, self.S3)), value, self.chance.random() < 0.7)
            case 6:
                return ir.ListAppend(pick((self.L, self.L2)), value, site)
            case 7:
                return pick(
                    (
                        ir.ListClear(self.L2),
                        ir.AssignList(self.L2, self.list(1)),
                        ir.AssignList(self.L, self.list(1)),
                    )
                )
            case 8 | 9 | 10 | 11:
                field = pick(list(self.ints))
                index = self.index(self.ints[field], 1)
                how: Any = pick(("set", "add"))
                return ir.Store(field, index, value, how, self.chance.random() < 0.5, site)
            case 12:
                return ir.StoreSet(6, self.index((), 1), self.set(2, self.num), site)
            case 13:
                field = pick(list(self.sets))
                return ir.StoreSetChange(
                    field, self.index(self.sets[field], 1), value, self.chance.random() < 0.6, site
                )
            case 14:
                return ir.StoreList(next(iter(self.lists)), self.index((self.side,), 1), self.list(1), site)
            case 15:
                return pick(
                    (
                        ir.Reset(1),
                        ir.Reset(6),
                        ir.Reset(self.home),
                        ir.Reset(self.queue),
                        ir.Enqueue(self.queue, value, site),
                        ir.CopyField(2, 2),
                        ir.StoreHead(2, value),
                    )
                )
            case 16 | 17 | 18 if depth > 0:
                return ir.IfStmt(
                    value, self.statements(depth - 1, looped), self.statements(depth - 1, looped)
                )
            case 19 if depth > 0:
                return ir.While(
                    value, (*self.statements(depth - 1, True), ir.IfStmt(value, (ir.Break(),))), site
                )
            case 20 | 21 | 22 if depth > 0:
                var = pick(self.LOOP)
                where = self.expr(2) if self.chance.random() < 0.5 else None
                key = self.expr(1) if self.chance.random() < 0.25 else None
                body = self.statements(depth - 1, True)
                return ir.For(var, self.over(2), None, where, key, self.chance.random() < 0.5, body, site)
            case 23:
                return pick((ir.Break(), ir.Continue())) if looped else ir.Yield(value)
            case 24:
                call = self.call(2)
                return ir.Do(call.function, call.args, pick((None, self.V[0]))) if call else ir.Yield(value)
            case 25:
                dice = pick((ir.Const(2), ir.Const(3), value))
                return ir.Roll(
                    dice,
                    ir.Const(1),
                    ir.Const(6),
                    pick((None, self.V[1])),
                    pick((None, self.L, self.L2)),
                    site,
                )
            case 26:
                return ir.Create(self.piece, self.V[0], site)
            case 27:
                return ir.Destroy(self.piece, self.index((self.piece,), 1)[0], site)
            case 28 if self.journal:
                return pick(
                    (ir.BranchBegin(site), ir.BranchNext(site), ir.BranchNext(site), ir.BranchEnd(site))
                )
            case 29 if self.chance.random() < 0.2:
                return ir.Fail(6, site) if self.in_machine else ir.Return()
        seen = self.expr(1) if self.chance.random() < 0.3 else None
        return ir.Note(pick((1, 2)), site, (value, self.expr(1)), seen)

    def well_bound(self, node: Any, bound: tuple[int, ...] = ()) -> Any:
        """The code with other variables where one would be that of a loop around it, which no program may have (W45)."""
        kind = type(node)
        if kind is tuple:
            return tuple(self.well_bound(part, bound) for part in node)
        names = getattr(kind, "__match_args__", ())
        taken, changes = set(bound), {}
        for name in names:
            value = getattr(node, name)
            if name in WRITTEN_LOCALS and value in taken:
                free = [local for local in (*self.LOOP, *self.V) if local not in taken]
                if not free:
                    return ir.SetOf(node.domain, ()) if kind is ir.SetBuild else ir.Const(0)
                changes[name] = value = free[0]
            if name in WRITTEN_LOCALS and kind in BINDERS:
                taken.add(value)
        node = dataclasses.replace(node, **changes) if changes else node
        for name in names:
            more = tuple(getattr(node, each) for each in BINDERS.get(kind, {}).get(name, ()))
            changes[name] = self.well_bound(getattr(node, name), (*bound, *more))
        return dataclasses.replace(node, **changes) if changes else node

    def build(self, functions: int) -> programs.Built:
        for number in range(functions):
            result: Any = ir.SetType(self.num) if number % 5 == 4 else ir.IntType()
            body = self.statements(3) + self.statements(2)
            if number % 3:
                body = body[: self.chance.randrange(3)]
            last = self.set(3, self.num) if number % 5 == 4 else self.expr(4)
            self.b.function(
                f"f{number}",
                4,
                self.locals(),
                self.well_bound((*body, ir.Return(last))),
                result,
                False,
                self.site(),
            )
        # A machine that runs the same kinds of statements on locals inside its frame, and asks in between.
        blocks = []
        offer = self.b.function(
            "offer",
            4,
            self.locals(),
            self.well_bound((*self.statements(2), ir.Yield(ir.Local(0)), ir.Yield(ir.Const(3)))),
            None,
            False,
        )
        ask = self.b.ask("ask", "int", self.site())
        args = (ir.Local(0), ir.Local(4), ir.SetLocal(self.S2), ir.ListLocal(self.L))
        self.in_machine = True
        for number in range(6):
            body = self.statements(2) + self.statements(1)
            end: ir.Terminator = ir.Branch(self.expr(2), (number + 1) % 8, (number + 2) % 8)
            if number % 2:
                end = ir.Ask(
                    ask,
                    offer,
                    args,
                    ir.Const(number % 4 // 2),
                    4,
                    number + 1,
                    number + 1,
                    None,
                    None,
                    False,
                    None,
                    None,
                    0,
                )
            blocks.append(ir.Block(self.well_bound(body), self.well_bound(end)))
        blocks.append(ir.Block((), ir.CallMachine(0, args, 0, 0)))
        blocks.append(ir.Block((), ir.ReturnMachine(ir.Local(4))))
        self.b.machine("main", 4, self.locals(), tuple(blocks), True, self.site())
        begin = ir.Block((), ir.CallMachine(0, args, 0, 1)), ir.Block((), ir.ReturnMachine(ir.Local(0)))
        return self.b.build(main=self.b.machine("begin", 0, self.locals(), begin, True, 0))


@pytest.mark.parametrize("table", [True, False])
def test_lines_and_crossings_agree(table: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without a table of lines."""
    if not table:
        monkeypatch.setattr("grognard.contract.prepared_data.LINE_RANGE", 1)
    program, layout, data, cells = programs.hexes()
    number = programs.function_id(program, "for_line")
    function = program.functions[number]
    loop = function.body[0]
    assert isinstance(loop, ir.ForLine)
    met = dataclasses.replace(loop, crossings=not loop.crossings)
    other = dataclasses.replace(
        function, id=len(program.functions), name="for_crossings", body=(met, *function.body[1:])
    )
    program = dataclasses.replace(program, functions=(*program.functions, other))
    pair = Pair((program, layout, data, cells))
    for called in (number, other.id):
        for a in range(-1, layout.count[0] + 1):
            for b in range(-1, layout.count[0] + 1):
                pair.same(cells, lambda e, mine, io, f=called, ends=(a, b): e.call(mine, f, ends, io))


def test_a_loop_in_one_pass_shows_what_two_passes_show() -> None:
    """Filters that are noted, roll or write, around bodies that leave the loop or read what was written."""
    b = programs.Builder("passes")
    side = b.domain("side", "side", 5)
    score = b.field("score", (side,), lo=-100, hi=100)
    site = b.site("rule", "loop")
    x, n = (("x", ir.IntType()), ("n", ir.IntType()))
    rolls = b.function(
        "rolls",
        1,
        (x, n),
        (ir.Roll(ir.Const(1), ir.Const(1), ir.Const(6), 1, None, site), ir.Return(ir.Local(1))),
        pure=False,
    )
    writes = b.function(
        "writes",
        1,
        (x,),
        (ir.Store(score, (ir.Local(0),), ir.Const(1), "add", False, site), ir.Return(ir.Const(1))),
        pure=False,
    )
    notes = b.function("notes", 1, (x,), (ir.Note(1, site, (ir.Local(0),)), ir.Return(ir.Local(0))))
    add = ir.Assign(1, ir.Binary("max", ir.Local(1), ir.Load(score, (ir.Const(4),), site), site))
    for name, function in (("rolls", rolls), ("writes", writes), ("notes", notes)):
        for number, body in enumerate([(ir.Break(),), (add,), (add, ir.IfStmt(ir.Local(0), (ir.Break(),)))]):
            where = ir.Call(function, (ir.Local(0),))
            loop = ir.For(0, ir.OverDomain(side), side, where, None, False, body, site)
            b.function(f"{name}{number}", 0, (x, n), (loop, ir.Return(ir.Local(1))), pure=False)
    b.machine("main", 0, (), (ir.Block((), ir.ReturnMachine()),))
    test_functions_agree(Pair(b.build()))


@pytest.mark.parametrize(("seed", "journal"), [(11, False), (12, True), (13, False)])
def test_random_programs_agree(seed: int, journal: bool) -> None:
    pair = Pair(Wild(seed, journal).build(40))
    test_functions_agree(pair)
    test_functions_agree_one_after_another(pair)
    test_play_agrees(pair)
