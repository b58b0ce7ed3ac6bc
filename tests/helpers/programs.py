"""Small hand-built programs that both back ends are tested with.

Each function gives (program, layout, data, cells): the cells are a fresh position, nothing has run.
Functions and machines are found by name with `function_id` and `machine_id`; every program has one site per
use, so that a test can tell where a failure or a note came from.
"""

from __future__ import annotations

from array import array
from typing import Any, TypeAlias, get_args

from grognard.contract import ir
from grognard.contract.backend import fresh_cells
from grognard.contract.datablock import (
    CLAMP_HIGH,
    CLAMP_LOW,
    DataBlock,
    DomainData,
    MapData,
    pack_table,
)
from grognard.contract.header import (
    DONE,
    FAIL_REQUIRE,
    H_PLY,
    NONE,
)
from grognard.contract.layout import Layout, compute_layout
from grognard.geometry.hexmap import HexMap

Built: TypeAlias = tuple[ir.Program, Layout, DataBlock, bytearray]

INT = ir.IntType()
FLAG = ir.IntType("flag")


def c(value: int) -> ir.Const:
    return ir.Const(value)


def loc(index: int) -> ir.Local:
    return ir.Local(index)


def op(name: ir.BinaryOp, left: ir.Expr, right: ir.Expr, site: int = 0) -> ir.Binary:
    return ir.Binary(name, left, right, site)


def function_id(program: ir.Program, name: str) -> int:
    return next(f.id for f in program.functions if f.name == name)


def machine_id(program: ir.Program, name: str) -> int:
    return next(m.id for m in program.machines if m.name == name)


def site_id(program: ir.Program, text: str) -> int:
    return next(s.id for s in program.sites if s.text == text)


class Builder:
    """Collects the parts of a program and hands out their ids."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.domains: list[ir.Domain] = []
        self.domain_data: list[DomainData] = []
        self.fields: list[ir.Field] = []
        self.columns: list[ir.Column] = []
        self.column_data: list[array[int]] = []
        self.tables: list[ir.Table] = []
        self.table_data: list[array[int]] = []
        self.symbols: list[ir.Symbol] = []
        self.symbol_data: list[int] = []
        self.sites: list[ir.Site] = []
        self.functions: list[ir.Function] = []
        self.machines: list[ir.Machine] = []
        self.asks: list[ir.AskDecl] = []
        self.movements: list[ir.Movement] = []
        self.maps: list[MapData] = []
        self.place_domain: array[int] = array("i")
        self.more: dict[str, Any] = {}
        self.site("rule", "somewhere")

    def site(self, kind: str, text: str, cites: tuple[str, ...] = (), shows: tuple[str, ...] = ()) -> int:
        number = len(self.sites)
        self.sites.append(
            ir.Site(number, kind, text, f"{self.name}.grog", number + 1, 1, cites, shows, self.name)
        )
        return number

    def domain(self, name: str, sort: Any, names: str | int, base: int = 0, **more: Any) -> int:
        number = len(self.domains)
        words = tuple(names.split()) if isinstance(names, str) else tuple(f"{name}{i}" for i in range(names))
        self.domains.append(ir.Domain(number, name, sort, zero_based=base == 0, **more))
        self.domain_data.append(DomainData(base, len(words), words))
        return number

    def field(self, name: str, dims: tuple[int, ...] = (), type: ir.LocalType = INT, **more: Any) -> int:
        self.fields.append(ir.Field(len(self.fields), name, dims, type, **more))
        return len(self.fields) - 1

    def column(self, name: str, dims: tuple[int, ...], values: list[int], type: Any = INT) -> int:
        self.columns.append(ir.Column(len(self.columns), name, dims, type))
        self.column_data.append(array("i", values))
        return len(self.columns) - 1

    def table(
        self, name: str, axes: list[tuple[int, int, int, list[int]]], rows: list[int], cells: list[int]
    ) -> int:
        self.tables.append(ir.Table(len(self.tables), name, len(axes)))
        self.table_data.append(pack_table(axes, rows, cells))
        return len(self.tables) - 1

    def symbol(self, name: str, value: int) -> int:
        self.symbols.append(ir.Symbol(len(self.symbols), name))
        self.symbol_data.append(value)
        return len(self.symbols) - 1

    def function(
        self,
        name: str,
        params: int,
        locals: tuple[tuple[str, ir.LocalType], ...],
        body: tuple[ir.Stmt, ...],
        result: ir.IntType | ir.SetType | None = INT,
        pure: bool = True,
        site: int = 0,
    ) -> int:
        number = len(self.functions)
        decls = tuple(ir.LocalDecl(n, t) for n, t in locals)
        self.functions.append(ir.Function(number, name, params, decls, result, body, site, pure))
        return number

    def expr(self, name: str, params: int, locals: tuple[tuple[str, ir.LocalType], ...], value: Any) -> int:
        """A function that is one expression."""
        result: Any = INT
        if isinstance(value, ir.SetBuild | ir.SetOf | ir.ReachSet):
            result = ir.SetType(value.domain)
        elif isinstance(value, ir.SetLocal):
            result = locals[value.index][1]
        return self.function(name, params, locals, (ir.Return(value),), result)

    def machine(
        self,
        name: str,
        params: int,
        locals: tuple[tuple[str, ir.LocalType], ...],
        blocks: tuple[ir.Block, ...],
        result: bool = False,
        site: int = 0,
    ) -> int:
        number = len(self.machines)
        decls = tuple(ir.LocalDecl(n, t) for n, t in locals)
        self.machines.append(ir.Machine(number, name, params, decls, result, blocks, site))
        return number

    def ask(self, name: str, show: str, site: int, **more: Any) -> int:
        self.asks.append(ir.AskDecl(len(self.asks), name, name, show, site, **more))
        return len(self.asks) - 1

    def build(self, main: int = 0, seed: int = 1940) -> Built:
        program = ir.Program(
            name=self.name,
            domains=tuple(self.domains),
            fields=tuple(self.fields),
            columns=tuple(self.columns),
            tables=tuple(self.tables),
            symbols=tuple(self.symbols),
            sites=tuple(self.sites),
            functions=tuple(self.functions),
            machines=tuple(self.machines),
            asks=tuple(self.asks),
            actions=(),
            movements=tuple(self.movements),
            main=main,
            **self.more,
        )
        data = DataBlock(
            self.domain_data,
            self.column_data,
            self.table_data,
            self.symbol_data,
            self.maps,
            self.place_domain,
        )
        layout = compute_layout(
            program, [d.base for d in self.domain_data], [d.count for d in self.domain_data]
        )
        return program, layout, data, fresh_cells(program, layout, seed)


# ------------------------------------------------------------------------------------------- 1. a dice duel


def duel() -> Built:
    """Two sides roll in turn; on 6 and more the roller picks a target among the enemies still alive.

    The target's owner may then spend a shield in the middle of the combat.  Hidden: each side's shields, which
    the other side's decisions must not see (the ask `target` filters on them, on the chooser's view).
    """
    b = Builder("duel")
    side = b.domain("side", "side", "red blue")
    # Three counters a side; base 10 so that nothing works by mistaking a value for an offset.
    unit = b.domain("unit", "piece", "r1 r2 r3 b1 b2 b3", base=10, alive=0, interchangeable=True)
    b.field("alive", (unit,), FLAG, lo=0, hi=1, default=1)
    hp = b.field("hp", (unit,), lo=0, hi=9, default=4)
    shields = b.field("shields", (side,), lo=0, hi=9, default=2)
    aimed = b.field("aimed", (), ir.IntType(f"dom:{unit}"), optional=True, default=NONE)
    hits = b.field("hits", (), lo=0, hi=1000)
    b.field("marked", (side,), ir.SetType(unit))
    b.field("queue", (), ir.ListType(2, f"dom:{unit}"))
    owner = b.column("owner", (unit,), [0, 0, 0, 1, 1, 1])
    where = b.site("rule", "units")
    s_roll = b.site("roll", "{0} dice {1}-{2}", ("4.1",))
    s_target = b.site("choice", "{0} aims at {1}", ("4.2",), ("dom:0", "dom:1"))
    s_shield = b.site("choice", "{0} spends {1}", ("4.3",))
    s_hit = b.site("log", "{0} takes {1}", ("4.4", "errata 2"), ("dom:1", "int"))
    s_secret = b.site("log", "shields left {0}")

    foe = op("eq", ir.Data(owner, (loc(1),), where), op("sub", c(1), loc(0)))
    # Reads what the chooser may not know: a side without shields keeps its third counter out of sight.
    third = op("eq", op("mod", op("sub", loc(1), ir.DomainBase(unit)), c(3)), c(2))
    bare = op("eq", ir.Load(shields, (op("sub", c(1), loc(0)),), where), c(0))
    targets = b.function(
        "targets",
        1,
        (("s", INT), ("u", INT)),
        (
            ir.For(
                1,
                ir.OverDomain(unit),
                unit,
                op("and", foe, ir.Unary("not", op("and", third, bare))),
                None,
                False,
                # Never seen: looking for candidates is not traced.
                (ir.Note(1, where, (loc(1),)), ir.Yield(loc(1))),
                where,
            ),
        ),
        None,
    )
    yes_no = b.function("yes_no", 0, (), (ir.Yield(c(1)), ir.Yield(c(0)), ir.Yield(c(1))), None)
    hit = b.function(
        "hit",
        2,
        (("u", INT), ("n", INT)),
        (
            ir.Store(hp, (loc(0),), ir.Unary("neg", loc(1)), "add", True, s_hit),
            ir.Store(hits, (), loc(1), "add", False, s_hit),
            ir.Note(1, s_hit, (loc(0), loc(1))),
            ir.IfStmt(
                op("le", ir.Load(hp, (loc(0),), s_hit), c(0)),
                (ir.Destroy(unit, loc(0), s_hit),),
            ),
        ),
        None,
        pure=False,
    )
    left = b.expr(
        "left",
        1,
        (("s", INT), ("u", INT)),
        ir.Aggregate(
            "count",
            1,
            ir.OverDomain(unit),
            op("eq", ir.Data(owner, (loc(1),), where), loc(0)),
            None,
            where,
        ),
    )
    view = b.function(
        "view",
        1,
        (("seat", INT),),
        (ir.Store(shields, (op("sub", c(1), loc(0)),), c(9), "set", False, where),),
        None,
        pure=False,
    )
    a_target = b.ask("fire.target", f"dom:{unit}", s_target, on_view=True)
    a_shield = b.ask("fire.shield", "flag", s_shield)
    turn, s, roll, target, pool, spend = range(6)
    enemy = op("sub", c(1), loc(s))
    b.machine(
        "main",
        0,
        (
            ("turn", INT),
            ("s", INT),
            ("roll", INT),
            ("target", INT),
            ("pool", ir.ListType(4)),
            ("spend", INT),
        ),
        (
            ir.Block(
                (
                    ir.Assign(turn, op("add", loc(turn), c(1))),
                    ir.Assign(s, op("mod", loc(turn), c(2))),
                    ir.Assign(spend, c(0)),
                    ir.Store(aimed, (), c(NONE), "set", False, where),
                    ir.Roll(c(2), c(1), c(6), roll, pool, s_roll),
                    ir.StoreHead(H_PLY, loc(turn)),
                ),
                ir.Branch(op("ge", loc(roll), c(6)), 1, 5),
            ),
            ir.Block(
                (),
                ir.Ask(
                    a_target,
                    targets,
                    (loc(s),),
                    loc(s),
                    target,
                    2,
                    6,
                    DONE,
                    op("gt", ir.Load(shields, (loc(s),), where), c(0)),
                    True,
                    unit,
                    None,
                    s_target,
                ),
            ),
            ir.Block((), ir.Branch(op("eq", loc(target), c(DONE)), 5, 3)),
            ir.Block(
                (ir.Store(aimed, (), loc(target), "set", False, where),),
                ir.Branch(op("gt", ir.Load(shields, (enemy,), where), c(0)), 4, 7),
            ),
            ir.Block(
                (),
                ir.Ask(
                    a_shield,
                    yes_no,
                    (),
                    enemy,
                    spend,
                    7,
                    None,
                    None,
                    None,
                    True,
                    None,
                    op("add", c(1), c(1)),
                    s_shield,
                ),
            ),
            ir.Block((), ir.Branch(op("ge", loc(turn), c(60)), 6, 0)),
            ir.Block(
                (),
                ir.EndGame(
                    ir.Aggregate(
                        "only_high",
                        s,
                        ir.OverDomain(side),
                        None,
                        ir.Call(left, (loc(s),)),
                        where,
                    )
                ),
            ),
            ir.Block(
                (
                    ir.IfStmt(
                        loc(spend),
                        (
                            ir.Store(shields, (enemy,), c(-1), "add", False, where),
                            ir.Note(1, s_secret, (ir.Load(shields, (enemy,), where),), enemy),
                        ),
                        (
                            ir.Do(
                                hit,
                                (
                                    loc(target),
                                    op("sub", loc(roll), ir.ListItem(ir.ListLocal(pool), c(1), where)),
                                ),
                                None,
                            ),
                        ),
                    ),
                ),
                ir.Branch(op("eq", ir.Call(left, (enemy,)), c(0)), 6, 5),
            ),
        ),
    )
    b.more = {"view": view, "seats": side, "sides": side}
    return b.build()


# --------------------------------------------------------------------- 2. sets, aggregates, lists, tables


def kitchen() -> Built:
    """No machine of interest: functions that each show one kind of expression or statement."""
    b = Builder("kitchen")
    side = b.domain("side", "side", "red blue")
    num = b.domain("num", "range", 70, base=-3)  # three words, negative base
    piece = b.domain("piece", "piece", 5, base=100, alive=0)
    colour = b.domain("colour", "enum", "green grey")
    b.field("alive", (piece,), FLAG, lo=0, hi=1)
    power = b.field("power", (piece, side), lo=-5, hi=20, default=3)
    mood = b.field("mood", (piece,), lo=0, hi=9, default=7)
    tags = b.field("tags", (piece,), ir.SetType(colour))
    bag = b.field("bag", (), ir.SetType(num))
    bags = b.field("bags", (side,), ir.SetType(num))
    route = b.field("route", (side,), ir.ListType(4))
    opt = b.field("opt", (), lo=0, hi=5, optional=True, default=NONE)
    plain = b.field("plain", (), lo=-100, hi=100, default=0)
    saved = b.field("saved", (side,), ir.SetType(num))
    weight = b.column("weight", (num,), [(i * 7) % 11 for i in range(70)])
    primes = b.column(
        "primes",
        (side,),
        [_word(1 << 5 | 1 << 6 | 1 << 31), 1 << 8, 0, 0, _word(1 << 31), 1],
        ir.SetType(num),
    )
    # Rows 1..6, the first clamping low and the second high; column 3 of the second axis is a gap.
    crt = b.table(
        "crt",
        [(1, 6, CLAMP_LOW, [0, 0, 1, 1, 2, 2]), (0, 4, CLAMP_HIGH, [0, 1, 2, -1, 3])],
        [3, 4],
        list(range(100, 112)),
    )
    scalar = b.table("scalar", [], [], [42])
    answer = b.symbol("answer", 42)
    names: dict[str, int] = {}

    def at(text: str) -> int:
        names[text] = b.site("rule", text)
        return names[text]

    two = (("a", INT), ("b", INT))
    for binary in get_args(ir.BinaryOp):
        b.expr(binary, 2, two, op(binary, loc(0), loc(1), at(binary)))
    comparisons: tuple[ir.BinaryOp, ...] = ("eq", "ne", "lt", "le", "gt", "ge")
    for binary in comparisons:
        b.expr(f"{binary}_3", 1, (("a", INT),), op(binary, loc(0), c(3)))
        b.expr(f"{binary}_none", 1, (("a", INT),), op(binary, loc(0), c(NONE)))
    for unary in get_args(ir.UnaryOp):
        b.expr(unary, 1, (("a", INT),), ir.Unary(unary, loc(0)))
    b.expr("if", 1, (("a", INT),), ir.If(loc(0), c(7), ir.Binary("div_down", c(1), c(0), at("never"))))
    b.expr("symbol", 0, (), ir.Sym(answer))
    b.expr("count_num", 0, (), ir.DomainCount(num))
    b.expr("base_num", 0, (), ir.DomainBase(num))
    b.expr("head", 0, (), ir.Head(H_PLY))
    b.expr("crt", 2, two, ir.TableGet(crt, (loc(0), loc(1)), at("crt lookup")))
    b.expr("scalar", 0, (), ir.TableGet(scalar, (), at("scalar lookup")))
    b.expr("power", 2, two, ir.Load(power, (loc(0), loc(1)), at("power read")))
    b.expr("mood", 1, (("p", INT),), ir.Load(mood, (loc(0),), at("mood read")))
    b.expr("weight", 1, (("n", INT),), ir.Data(weight, (loc(0),), at("weight read")))

    # -- aggregates: over numbers a..b, where odd, of weight
    low_high_i = (("a", INT), ("b", INT), ("i", INT))
    odd = op("eq", op("mod", loc(2), c(2)), c(1))
    for how in ("count", "any", "first", "last", "only", "the"):
        b.expr(
            f"agg_{how}",
            2,
            low_high_i,
            ir.Aggregate(how, 2, ir.OverRange(loc(0), loc(1)), odd, None, at(f"agg {how}")),
        )
    for how in ("sum", "min", "max", "best_high", "best_low", "only_high", "only_low"):
        value = ir.Data(weight, (loc(2),), 0)
        b.expr(
            f"agg_{how}",
            2,
            low_high_i,
            ir.Aggregate(how, 2, ir.OverRange(loc(0), loc(1)), odd, value, at(f"agg {how}")),  # type: ignore[arg-type]
        )
    b.expr(
        "agg_all",
        2,
        low_high_i,
        ir.Aggregate("all", 2, ir.OverRange(loc(0), loc(1)), odd, op("gt", loc(2), c(4)), 0),
    )
    b.expr(
        "agg_some_none",
        0,
        (("i", INT),),
        # Values that are NONE are left out of a best, a sum and a minimum.
        ir.Aggregate(
            "best_low",
            0,
            ir.OverRange(c(1), c(5)),
            None,
            ir.If(op("eq", op("div_down", loc(0), c(2)), c(1)), loc(0), c(NONE)),
            0,
        ),
    )
    b.expr(
        "sum_big",
        2,
        low_high_i,
        ir.Aggregate("sum", 2, ir.OverItems((loc(0), c(NONE), loc(1))), None, loc(2), at("big sum")),
    )
    b.expr(
        "sum_list",
        1,
        (("l", ir.ListType(6)), ("i", INT)),
        ir.Aggregate("sum", 1, ir.OverList(ir.ListLocal(0)), None, loc(1), 0),
    )
    b.expr(
        "sum_set",
        1,
        (("s", ir.SetType(num)), ("i", INT)),
        ir.Aggregate("sum", 1, ir.OverSet(ir.SetLocal(0)), None, loc(1), 0),
    )
    b.expr("living", 0, (("p", INT),), ir.Aggregate("count", 0, ir.OverDomain(piece), None, None, 0))
    # -- sets
    nums = ir.SetType(num)
    s2 = (("x", nums), ("y", nums))
    for how in ("union", "minus", "inter"):
        b.function(
            how,
            2,
            s2,
            (ir.Return(ir.SetBinary(how, ir.SetLocal(0), ir.SetLocal(1))),),  # type: ignore[arg-type]
            nums,
        )
    b.expr("set_equal", 2, s2, ir.SetEqual(ir.SetLocal(0), ir.SetLocal(1)))
    b.expr("subset", 2, s2, ir.Subset(ir.SetLocal(0), ir.SetLocal(1)))
    b.expr("set_count", 1, (("x", nums),), ir.SetCount(ir.SetLocal(0)))
    b.expr("set_next", 2, (("x", nums), ("n", INT)), ir.SetNext(ir.SetLocal(0), loc(1)))
    b.expr("in", 2, (("x", nums), ("n", INT)), ir.In(loc(1), ir.SetLocal(0)))
    b.expr(
        "multiples",
        1,
        (("k", INT), ("i", INT)),
        ir.SetBuild(num, 1, ir.OverDomain(num), op("eq", op("mod", loc(1), loc(0)), c(0)), None),
    )
    b.expr(
        "doubled",
        2,
        low_high_i,
        ir.SetBuild(
            num,
            2,
            ir.OverRange(loc(0), loc(1)),
            None,
            ir.If(op("eq", loc(2), c(2)), c(NONE), op("mul", loc(2), c(2))),
        ),
    )
    b.expr("set_of", 2, two, ir.SetOf(num, (loc(0), c(NONE), loc(1))))
    b.function(
        "set_data", 1, (("s", INT),), (ir.Return(ir.SetData(primes, (loc(0),), at("primes read"))),), nums
    )
    b.function("set_load", 1, (("s", INT),), (ir.Return(ir.SetLoad(bags, (loc(0),), at("bags read"))),), nums)
    multiples = next(f.id for f in b.functions if f.name == "multiples")
    b.function(
        "set_if",
        1,
        (("k", INT),),
        (ir.Return(ir.SetIf(loc(0), ir.SetCall(multiples, (loc(0),)), ir.SetOf(num, (c(1),)))),),
        nums,
    )
    b.function(
        "set_locals",
        2,
        (("a", INT), ("b", INT), ("s", nums)),
        (
            ir.AssignSet(2, ir.SetOf(num, (c(0), c(1)))),
            ir.SetChange(2, loc(0), True),
            ir.SetChange(2, loc(1), False),
            ir.SetChange(2, c(NONE), True),
            ir.Return(ir.SetLocal(2)),
        ),
        nums,
    )
    # -- writes
    store = at("plain write")
    b.function("store", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "set", False, store),), None, False)
    b.function(
        "store_clamp", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "set", True, store),), None, False
    )
    b.function(
        "store_add", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "add", False, store),), None, False
    )
    b.function(
        "store_add_clamp", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "add", True, store),), None, False
    )
    b.function("store_opt", 1, (("n", INT),), (ir.Store(opt, (), loc(0), "set", False, store),), None, False)
    b.function("add_opt", 1, (("n", INT),), (ir.Store(opt, (), loc(0), "add", False, store),), None, False)
    b.function(
        "store_power",
        3,
        (("p", INT), ("s", INT), ("n", INT)),
        (ir.Store(power, (loc(0), loc(1)), loc(2), "set", False, at("power write")),),
        None,
        False,
    )
    b.function(
        "store_bags",
        2,
        (("s", INT), ("x", nums)),
        (ir.StoreSet(bags, (loc(0),), ir.SetLocal(1), at("bags write")), ir.CopyField(bags, saved)),
        None,
        False,
    )
    b.function(
        "change_bag",
        2,
        (("n", INT), ("m", INT)),
        (
            ir.StoreSetChange(bag, (), loc(0), True, at("bag change")),
            ir.StoreSetChange(bag, (), loc(1), False, at("bag change 2")),
        ),
        None,
        False,
    )
    b.function("reset", 0, (), (ir.Reset(power), ir.Reset(bags), ir.StoreHead(H_PLY, c(5))), None, False)
    b.function(
        "make",
        1,
        (("m", INT), ("p", INT)),
        (
            ir.Create(piece, 1, at("create")),
            ir.Store(mood, (loc(1),), loc(0), "set", False, 0),
            ir.StoreSetChange(tags, (loc(1),), op("mod", loc(1), c(2)), True, 0),
            ir.Return(loc(1)),
        ),
        INT,
        False,
    )
    b.function("kill", 1, (("p", INT),), (ir.Destroy(piece, loc(0), at("destroy")),), None, False)
    # -- lists
    items = ir.ListType(6)
    b.function(
        "store_route",
        2,
        (("s", INT), ("l", items)),
        (ir.StoreList(route, (loc(0),), ir.ListLocal(1), at("route write")),),
        None,
        False,
    )
    b.function(
        "squeeze",
        1,
        (("l", items), ("short", ir.ListType(3)), ("n", INT)),
        (
            ir.AssignList(1, ir.ListLocal(0)),
            ir.ListAppend(1, c(9), at("append")),
            ir.Assign(2, ir.ListLength(ir.ListLocal(1))),
            ir.ListClear(1),
            ir.Return(op("add", op("mul", loc(2), c(10)), ir.ListLength(ir.ListLocal(1)))),
        ),
    )
    b.expr("item", 2, (("l", items), ("n", INT)), ir.ListItem(ir.ListLocal(0), loc(1), at("item")))
    b.expr("route_item", 2, two, ir.ListItem(ir.ListLoad(route, (loc(0),), at("route read")), loc(1), 0))
    # -- control
    b.function(
        "loops",
        1,
        (("n", INT), ("i", INT), ("sum", INT)),
        (
            ir.While(
                c(1),
                (
                    ir.Assign(1, op("add", loc(1), c(1))),
                    ir.IfStmt(
                        op("gt", loc(1), loc(0)), (ir.Break(),), (ir.Assign(2, op("add", loc(2), loc(1))),)
                    ),
                ),
                at("while"),
            ),
            ir.IfStmt(op("eq", loc(2), c(6)), (ir.Return(c(666)),)),
            ir.Return(loc(2)),
        ),
    )
    odd = op("eq", op("mod", loc(1), c(2)), c(1))
    skip = ir.IfStmt(odd, (ir.Continue(),))
    add_up = ir.Assign(2, op("add", loc(2), loc(1)))
    b.function(
        "evens",
        1,
        (("n", INT), ("i", INT), ("sum", INT)),
        (
            ir.For(1, ir.OverRange(c(1), loc(0)), None, None, None, False, (skip, add_up), at("for")),
            ir.For(
                1,
                ir.OverSet(ir.SetOf(num, (c(0), c(1), c(2), c(3), c(4)))),
                num,
                None,
                None,
                False,
                (skip, add_up),
                at("for"),
            ),
            ir.For(
                1,
                ir.OverRange(c(1), loc(0)),
                None,
                None,
                op("mul", loc(1), c(7)),
                True,
                (skip, add_up),
                at("for"),
            ),
            ir.Assign(1, c(0)),
            ir.While(
                op("lt", loc(1), loc(0)),
                (ir.Assign(1, op("add", loc(1), c(1))), skip, add_up),
                at("while"),
            ),
            ir.Return(loc(2)),
        ),
    )
    b.function(
        "fixed_at_entry",
        0,
        (("p", INT), ("seen", INT)),
        (
            ir.For(
                0,
                ir.OverDomain(piece),
                piece,
                None,
                None,
                False,
                (
                    ir.Destroy(piece, loc(0), 0),
                    ir.IfStmt(op("lt", loc(0), c(104)), (ir.Destroy(piece, op("add", loc(0), c(1)), 0),)),
                    ir.Assign(1, op("add", loc(1), c(1))),
                ),
                0,
            ),
            ir.Return(loc(1)),
        ),
        INT,
        False,
    )
    b.function(
        "keyed",
        1,
        (("highest", INT), ("i", INT), ("out", INT), ("bias", INT)),
        (
            *(
                ir.IfStmt(
                    op("eq", loc(0), c(int(highest))),
                    (
                        ir.For(
                            1,
                            ir.OverRange(c(1), c(4)),
                            None,
                            op("ne", loc(1), c(2)),
                            # The key changes as the loop goes: after the first pass the order turns round.
                            op("mul", loc(1), ir.If(loc(3), c(-1), c(1))),
                            highest,
                            (
                                ir.Assign(2, op("add", op("mul", loc(2), c(10)), loc(1))),
                                ir.Assign(3, c(1)),
                            ),
                            0,
                        ),
                    ),
                )
                for highest in (False, True)
            ),
            ir.Return(loc(2)),
        ),
    )
    b.function(
        "keyed_ties",
        0,
        (("i", INT), ("out", INT)),
        (
            *(
                ir.For(
                    0,
                    ir.OverRange(c(1), c(3)),
                    None,
                    None,
                    c(0),
                    highest,
                    (ir.Assign(1, op("add", op("mul", loc(1), c(10)), loc(0))),),
                    0,
                )
                for highest in (False, True)
            ),
            ir.Return(loc(1)),
        ),
    )
    b.function(
        "dice",
        3,
        (("n", INT), ("lo", INT), ("hi", INT), ("total", INT), ("pool", ir.ListType(4))),
        (
            ir.Roll(loc(0), loc(1), loc(2), 3, 4, at("dice")),
            ir.Note(1, at("rolled {0}"), (loc(3), ir.ListLength(ir.ListLocal(4)))),
            ir.Note(2, at("why {0}"), (ir.Binary("div_down", c(6), loc(0), 0),), c(2)),
            ir.Return(loc(3)),
        ),
        INT,
        False,
    )
    b.function("fail", 0, (), (ir.Fail(FAIL_REQUIRE, at("required")),), None)
    deep = len(b.functions)
    b.function(
        "deep",
        1,
        (("n", INT),),
        (
            ir.Return(
                ir.If(
                    op("le", loc(0), c(0)),
                    c(0),
                    op("add", c(1), ir.Call(deep, (op("sub", loc(0), c(1)),))),
                )
            ),
        ),
        site=at("deep"),
    )
    b.function("fall_off", 1, (("n", INT),), (ir.IfStmt(loc(0), (ir.Return(c(3)),)),))
    b.expr(
        "many",
        0,
        (("i", INT),),
        # More calls than may run inside each other, one after the other.
        ir.Aggregate("sum", 0, ir.OverRange(c(1), c(300)), None, ir.Call(len(b.functions) - 1, (c(1),)), 0),
    )
    b.function(
        "keeps",
        0,
        (("n", INT),),
        (ir.Do(deep, (c(3),), 0), ir.Return(loc(0))),
    )
    b.expr(
        "coverable",
        3,
        (("left", nums), ("chosen", items), ("extra", INT), ("l", INT), ("r", INT)),
        # A left element fits what it divides.
        ir.Coverable(3, ir.SetLocal(0), 4, op("eq", op("mod", loc(4), loc(3)), c(0)), 1, loc(2)),
    )
    b.expr(
        "meeting",
        3,
        (("guests", nums), ("hosts", nums), ("room", INT), ("g", INT), ("h", INT), ("n", INT)),
        # A guest comes to what it divides, a host moves by one at most.
        ir.Meeting(
            3,
            ir.SetLocal(0),
            ir.SetBuild(num, 5, ir.OverDomain(num), op("eq", op("mod", loc(5), loc(3)), c(0)), None),
            4,
            ir.SetLocal(1),
            ir.SetBuild(
                num, 5, ir.OverDomain(num), op("le", ir.Unary("abs", op("sub", loc(5), loc(4))), c(1)), None
            ),
            loc(2),
            at("who is met"),
        ),
    )
    b.machine("main", 0, (), (ir.Block((), ir.ReturnMachine()),))
    return b.build()


def _word(unsigned: int) -> int:
    return unsigned - (1 << 32) if unsigned & 0x8000_0000 else unsigned


# ------------------------------------------------------------------------------- 3. machines that call machines


def calls() -> Built:
    """`main` hands a set to `pick`, which asks until it is told to stop and gives back how many it took."""
    b = Builder("calls")
    side = b.domain("side", "side", "red blue")
    card = b.domain("card", "enum", 40, base=5)
    taken = b.field("taken", (), ir.SetType(card))
    order = b.field("order", (), ir.ListType(8))
    total = b.field("total", (), lo=0, hi=10000)
    cards = ir.SetType(card)
    s_pick = b.site("choice", "{0} picks {1}")
    s_main = b.site("phase", "main")
    s_deep = b.site("phase", "deep")
    s_empty = b.site("fail", "nothing to choose")
    offer = b.function(
        "offer",
        2,
        (("hand", cards), ("gone", ir.ListType(8)), ("x", INT), ("y", INT)),
        (
            ir.For(
                2,
                ir.OverSet(ir.SetLocal(0)),
                card,
                ir.Unary(
                    "not",
                    ir.Aggregate("any", 3, ir.OverList(ir.ListLocal(1)), op("eq", loc(3), loc(2)), None, 0),
                ),
                ir.Unary("neg", loc(2)),
                False,
                (ir.Yield(loc(2)),),
                0,
            ),
        ),
        None,
    )
    nothing = b.function("nothing", 0, (), (), None)
    a_pick = b.ask("pick.card", f"dom:{card}", s_pick)
    a_none = b.ask("pick.nothing", "int", s_empty)
    # hand comes first as a parameter, yet lies behind the integers in the frame
    hand, who, gone, x, n = range(5)
    pick = b.machine(
        "pick",
        2,
        (("hand", cards), ("who", INT), ("gone", ir.ListType(8)), ("x", INT), ("n", INT)),
        (
            ir.Block(
                (),
                ir.Ask(
                    a_pick,
                    offer,
                    (ir.SetLocal(hand), ir.ListLocal(gone)),
                    loc(who),
                    x,
                    1,
                    3,
                    NONE,
                    None,
                    False,
                    None,
                    None,
                    s_pick,
                ),
            ),
            ir.Block((), ir.Branch(op("eq", loc(x), c(NONE)), 3, 2)),
            ir.Block(
                (
                    ir.ListAppend(gone, loc(x), s_pick),
                    ir.SetChange(hand, op("add", loc(x), c(1)), False),
                    ir.StoreSetChange(taken, (), loc(x), True, s_pick),
                    ir.Assign(n, op("add", loc(n), c(1))),
                ),
                ir.Jump(0),
            ),
            ir.Block((ir.StoreList(order, (), ir.ListLocal(gone), s_pick),), ir.ReturnMachine(loc(n))),
        ),
        result=True,
        site=s_pick,
    )
    i, got, rest, sum_ = range(4)
    b.machine(
        "main",
        1,
        (("i", INT), ("got", INT), ("rest", cards), ("sum", INT)),
        (
            ir.Block(
                (
                    ir.AssignSet(rest, ir.SetBuild(card, got, ir.OverRange(c(10), c(12)), None, None)),
                    ir.SetChange(rest, c(43), True),
                ),
                ir.CallMachine(pick, (ir.SetLocal(rest), loc(i)), got, 1),
            ),
            ir.Block(
                (
                    # Keyed loop over frame locals: 12, 11, 10 come in that order and make different sums.
                    ir.For(
                        i,
                        ir.OverSet(ir.SetBinary("minus", ir.SetLocal(rest), ir.SetOf(card, (c(43),)))),
                        card,
                        None,
                        loc(i),
                        True,
                        (ir.Assign(sum_, op("add", op("mul", loc(sum_), c(10)), op("sub", loc(i), c(10)))),),
                        s_main,
                    ),
                    ir.Store(
                        total, (), op("add", loc(sum_), op("mul", loc(got), c(1000))), "set", False, s_main
                    ),
                ),
                ir.CallMachine(pick, (ir.SetOf(card, ()), c(1)), None, 2),
            ),
            ir.Block((), ir.ReturnMachine()),
        ),
        site=s_main,
    )
    deep = len(b.machines)
    b.machine(
        "deep",
        1,
        (("n", INT), ("r", INT)),
        (
            ir.Block((), ir.Branch(op("le", loc(0), c(0)), 2, 1)),
            ir.Block((), ir.CallMachine(deep, (op("sub", loc(0), c(1)),), 1, 3)),
            ir.Block((), ir.ReturnMachine(c(7))),
            ir.Block(
                (ir.Store(total, (), op("add", loc(1), loc(0)), "set", False, s_deep),),
                ir.ReturnMachine(op("add", loc(1), c(1))),
            ),
        ),
        result=True,
        site=s_deep,
    )
    b.machine(
        "stuck",
        0,
        (("x", INT),),
        (
            ir.Block(
                (), ir.Ask(a_none, nothing, (), c(0), 0, 1, None, None, None, False, None, None, s_empty)
            ),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    odd = b.function(
        "odd", 0, (), (ir.Yield(c(NONE)), ir.Yield(c(3)), ir.Yield(c(DONE)), ir.Yield(c(4))), None
    )
    b.machine(
        "odd",
        0,
        (("x", INT),),
        (
            ir.Block((), ir.Ask(a_none, odd, (), c(0), 0, 1, None, DONE, None, False, None, None, s_empty)),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    nobody = ir.Ask(a_none, odd, (), c(2), 0, 0, None, None, None, False, None, None, s_empty)
    b.machine("nobody", 0, (("x", INT),), (ir.Block((), nobody),))
    some = ir.OverRange(c(5), c(9))
    b.machine(
        "vars",
        0,
        (("i", INT), ("j", INT), ("k", INT), ("m", INT), ("s", cards), ("l", ir.ListType(2)), ("n", INT)),
        (
            ir.Block(
                (
                    ir.For(0, some, None, None, None, False, (ir.Assign(6, loc(0)),), s_main),
                    ir.For(0, some, None, None, None, False, (ir.Break(),), s_main),
                    ir.For(0, some, None, op("lt", loc(0), c(0)), None, False, (), s_main),
                    ir.Assign(6, ir.Aggregate("first", 1, some, None, None, s_main)),
                    ir.AssignSet(4, ir.SetBuild(card, 2, some, None, None)),
                    ir.ListAppend(5, c(8), s_main),
                    ir.ListAppend(5, c(9), s_main),
                    ir.Assign(
                        6,
                        op(
                            "add",
                            loc(6),
                            ir.Coverable(2, ir.SetLocal(4), 3, op("eq", loc(2), loc(3)), 5, c(7)),
                        ),
                    ),
                    ir.ListClear(5),
                    ir.ListAppend(5, c(2), s_main),
                    ir.AssignList(5, ir.ListLocal(5)),
                    ir.Roll(c(1), c(4), c(4), None, 5, s_main),
                ),
                ir.Ask(a_none, odd, (), c(0), 0, 1, None, None, None, False, None, None, s_empty),
            ),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    b.machine("spin", 0, (), (ir.Block((), ir.Jump(0)),), site=s_deep)
    b.machine("win", 1, (("s", INT),), (ir.Block((), ir.EndGame(loc(0))),))
    b.more = {"seats": side, "sides": side}
    return b.build(main=machine_id_in(b, "odd"))


def machine_id_in(b: Builder, name: str) -> int:
    return next(m.id for m in b.machines if m.name == name)


# ------------------------------------------------------------------------------------- 4. simultaneous blocks


def simultaneous() -> Built:
    """Functions and a machine whose branches act at the same time, and those that may not."""
    b = Builder("simultaneous")
    side = b.domain("side", "side", "red blue")
    spot = b.domain("spot", "enum", 40)
    unit = b.domain("unit", "piece", 4, alive=0)
    alive = b.field("alive", (unit,), FLAG, lo=0, hi=1)
    score = b.field("score", (side,), lo=-10, hi=10, default=5)
    mark = b.field("mark", (), lo=0, hi=99)
    lit = b.field("lit", (), ir.SetType(spot))
    path = b.field("path", (), ir.ListType(3))
    old = b.field("old", (side,), lo=-10, hi=10)
    s = b.site("write", "write")
    s_begin = b.site("rule", "begin")
    s_next = b.site("rule", "next")
    s_end = b.site("rule", "end")
    begin, next_, end = ir.BranchBegin(s_begin), ir.BranchNext(s_next), ir.BranchEnd(s_end)

    def add(value: int, clamp: bool = False) -> ir.Stmt:
        return ir.Store(score, (c(0),), c(value), "add", clamp, s)

    def put(value: int) -> ir.Stmt:
        return ir.Store(mark, (), c(value), "set", False, s)

    def bit(value: int, on: bool) -> ir.Stmt:
        return ir.StoreSetChange(lit, (), c(value), on, s)

    def both(name: str, *branches: tuple[ir.Stmt, ...], locals: Any = ()) -> None:
        body: tuple[ir.Stmt, ...] = (begin,)
        for branch in branches:
            body += (*branch, next_)
        b.function(name, 0, locals, (*body, end), None, False)

    both("adds", (add(2), add(1)), (add(-4),))
    both("adds_out", (add(4),), (add(4),))
    both("adds_clamped", (add(4, True),), (add(4),))
    both("sees_old", (add(2), ir.Store(mark, (), ir.Load(score, (c(0),), s), "set", False, s)), (add(1),))
    both("sets_agree", (put(3), put(7)), (put(7),))
    both("sets_differ", (put(3),), (put(7),))
    both(
        "set_and_add",
        (ir.Store(score, (c(0),), c(1), "set", False, s),),
        (add(1),),
    )
    both("add_then_set", (add(1), ir.Store(score, (c(0),), c(1), "set", False, s), add(3)), ())
    both("bits", (bit(1, True), bit(33, True)), (bit(2, True), bit(39, False)))
    both("bits_clash", (bit(1, True),), (bit(1, False),))
    both("bits_forth", (bit(1, False), bit(1, True)), (bit(1, True),))
    both("bits_back", (bit(1, True), bit(1, False)), (bit(1, False),))
    both(
        "whole",
        (
            ir.StoreSet(lit, (), ir.SetOf(spot, (c(3), c(31), c(35))), s),
            ir.CopyField(score, old),
            ir.Reset(mark),
            ir.ListAppend(0, c(8), s),
            ir.StoreList(path, (), ir.ListLocal(0), s),
            ir.Create(unit, 1, s),
            ir.StoreHead(H_PLY, c(3)),
        ),
        (ir.Destroy(unit, c(3), s),),
        locals=(("l", ir.ListType(3)), ("u", INT)),
    )
    queue = b.field("queue", (), ir.ListType(3))
    both(
        "queued",
        (ir.Enqueue(queue, ir.Load(mark, (), s), s), put(3), ir.Enqueue(queue, ir.Load(mark, (), s), s)),
        (ir.Enqueue(queue, c(9), s),),
    )
    both("queue_full", *((ir.Enqueue(queue, c(1), s),) for _ in range(4)))
    both("create_twice", (ir.Create(unit, 0, s),), (ir.Create(unit, 0, s),), locals=(("u", INT),))
    b.function("nested", 0, (), (begin, begin), None, False)
    b.function("unbegun", 0, (), (next_,), None, False)
    b.function("unclosed", 0, (), (begin, add(1), end), None, False)
    b.function(
        "flood",
        0,
        (("i", INT),),
        (begin, ir.For(0, ir.OverRange(c(1), c(100)), None, None, None, False, (add(0),), s)),
        None,
        False,
    )
    one_two = b.function("one_two", 0, (), (ir.Yield(c(1)), ir.Yield(c(2))), None)
    a_bid = b.ask("bid", "int", s)
    b.machine(
        "main",
        0,
        (("bid", INT), ("who", INT)),
        (
            ir.Block((begin,), ir.Jump(1)),
            ir.Block((), ir.Ask(a_bid, one_two, (), loc(1), 0, 2, None, None, None, True, None, None, s)),
            ir.Block(
                (
                    # What the branch before wrote has been taken back, so both bid on the same score.
                    ir.Store(score, (loc(1),), ir.Load(score, (c(0),), s), "set", False, s),
                    ir.Store(score, (loc(1),), loc(0), "add", False, s),
                    next_,
                    ir.Assign(1, op("add", loc(1), c(1))),
                ),
                ir.Branch(op("lt", loc(1), c(2)), 1, 3),
            ),
            ir.Block((end,), ir.EndGame(c(NONE))),
        ),
    )
    # The journal is full to the last entry when the question comes: making the view must not need any.
    a_tight = b.ask("tight", "int", s, on_view=True)
    b.machine(
        "tight",
        0,
        (("i", INT),),
        (
            ir.Block(
                (begin, ir.For(0, ir.OverRange(c(1), c(40)), None, None, None, False, (add(0),), s)),
                ir.Ask(a_tight, one_two, (), c(0), 0, 1, None, None, None, True, None, None, s),
            ),
            ir.Block((), ir.EndGame(c(NONE))),
        ),
    )
    mask = b.function("view", 1, (("seat", INT),), (put(9),), None, False)
    b.more = {"journal": 40, "seats": side, "sides": side, "view": mask}
    program, layout, data, cells = b.build()
    view = memoryview(cells).cast("i")
    view[layout.field_offset[alive] + 3] = 1
    view.release()
    return program, layout, data, cells


# ----------------------------------------------------------------------------------------------- 5. maps


def hexes() -> Built:
    """A flat-top map of 5 columns and 4 rows without two of its hexes, and a graph of four areas behind it."""
    b = Builder("hexes")
    hexmap = HexMap.rectangle("odd-q", 5, 4, absent=[(2, 1), (4, 3)])
    n = hexmap.n
    areas = ["A", "B", "C", "D"]
    links = {0: [1, 2], 1: [0, 2], 2: [0, 1], 3: []}
    place = b.domain("place", "place", " ".join([name.replace(",", "_") for name in hexmap.names] + areas))
    grid = b.domain("hex", "place", n)
    area = b.domain("area", "place", " ".join(areas), base=n)
    pairs = sorted({(min(a, z), max(a, z)) for a in range(n) for z in hexmap.neighbours[a] if z != NONE})
    edge = b.domain("edge", "edge", len(pairs))
    area_pairs = [(0, 1), (0, 2), (1, 2)]
    link = b.domain("link", "edge", 3, base=len(pairs))
    direction = b.domain("direction", "direction", "n ne se s sw nw")
    west = b.domain("west", "place", 8)  # the first two columns
    starts = [0]
    for number in range(4):
        starts.append(starts[-1] + len(links[number]))
    b.maps = [
        MapData(
            "hexes",
            grid,
            0,
            n,
            True,
            tuple(q for q, _ in hexmap.coordinates),
            tuple(r for _, r in hexmap.coordinates),
            tuple(z for around in hexmap.neighbours for z in around),
            edge_domain=edge,
            edge_base=0,
            edge_a=tuple(a for a, _ in pairs),
            edge_b=tuple(z for _, z in pairs),
            side_edge=tuple(
                NONE if z == NONE else pairs.index((min(a, z), max(a, z)))
                for a in range(n)
                for z in hexmap.neighbours[a]
            ),
        ),
        MapData(
            "areas",
            area,
            n,
            4,
            start=tuple(starts),
            adjacent=tuple(z for number in range(4) for z in links[number]),
            edge_domain=link,
            edge_base=len(pairs),
            edge_a=tuple(a for a, _ in area_pairs),
            edge_b=tuple(z for _, z in area_pairs),
            side_edge=tuple(area_pairs.index((min(a, z), max(a, z))) for a in range(4) for z in links[a]),
        ),
    ]
    b.place_domain = array("i", [grid] * n + [area] * 4)
    b.more = {"spaces": (grid, area)}
    # Hex 7 is a bog (cost 3), hex 9 is closed, everything else costs 1.
    cost = b.field("cost", (place,), lo=0, hi=9, optional=True, default=1)
    zone = b.field("zone", (), ir.SetType(place))
    s_move = b.site("rule", "march")
    s_verb = b.site("rule", "verb")
    s_line = b.site("rule", "line")
    for name, arity in ir.VERBS.items():
        params = tuple((f"p{i}", INT) for i in range(arity))
        b.expr(name, arity, params, ir.Verb(name, tuple(loc(i) for i in range(arity)), s_verb))
    for name, arity in (
        ("neighbours", 1),
        ("within", 2),
        ("line", 2),
        ("between", 2),
        ("ray", 3),
        ("edge_ends", 1),
    ):
        # Yields the places as digits to the base 100, so that their order shows.
        params = tuple((f"p{i}", INT) for i in range(arity))
        b.function(
            f"over_{name}",
            arity,
            (*params, ("x", INT)),
            (
                ir.For(
                    arity,
                    ir.OverVerb(name, tuple(loc(i) for i in range(arity)), s_verb),
                    place,
                    None,
                    None,
                    False,
                    (ir.Note(1, s_verb, (loc(arity),)),),
                    s_verb,
                ),
            ),
            None,
        )
    b.function(
        "for_line",
        2,
        (("a", INT), ("b", INT), ("kind", INT), ("first", INT), ("second", INT)),
        (
            ir.ForLine(
                2,
                3,
                4,
                loc(0),
                loc(1),
                (
                    ir.Note(1, s_line, (loc(2), loc(3), loc(4))),
                    ir.IfStmt(op("eq", loc(3), c(99)), (ir.Break(),)),
                ),
                s_line,
            ),
            ir.Note(1, s_line, (loc(2), loc(3), loc(4))),
        ),
        None,
    )
    who = (("start", INT), ("points", INT))
    steps = (*who, ("a", INT), ("b", INT))
    f_start = b.expr("m_start", 2, who, loc(0))
    f_points = b.expr("m_points", 2, who, loc(1))
    f_cost = b.expr("m_cost", 5, (*steps, ("spent", INT)), ir.Load(cost, (loc(3),), s_move))
    f_stop = b.expr("m_stop", 4, steps, ir.In(loc(3), ir.SetLoad(zone, (), s_move)))
    # Nothing goes on over the hexside 0|1, but one may come into hex 1 from elsewhere and go on.
    f_gate = b.expr("m_gate", 4, steps, op("and", op("eq", loc(2), c(0)), op("eq", loc(3), c(1))))
    f_ends = b.expr("m_ends", 3, (*who, ("b", INT)), op("ne", loc(2), c(5)))
    b.movements = [
        ir.Movement(0, "march", grid, 2, f_start, f_points, f_cost, f_stop, f_ends, False, False, s_move),
        ir.Movement(1, "crawl", place, 2, f_start, f_points, f_cost, None, None, True, True, s_move),
        ir.Movement(2, "gated", grid, 2, f_start, f_points, f_cost, f_gate, None, True, False, s_move),
        ir.Movement(3, "west", west, 2, f_start, f_points, f_cost, None, None, True, False, s_move),
    ]
    for movement in b.movements:
        b.expr(f"reach_{movement.name}", 2, who, ir.ReachSet(movement.id, (loc(0), loc(1)), place))
        b.expr(
            f"cost_{movement.name}",
            3,
            (*who, ("to", INT)),
            ir.ReachCost(movement.id, (loc(0), loc(1)), loc(2)),
        )
    b.function(
        "set_cost",
        2,
        (("p", INT), ("n", INT)),
        (ir.Store(cost, (loc(0),), loc(1), "set", False, s_move),),
        None,
        False,
    )
    b.function(
        "set_zone", 1, (("p", INT),), (ir.StoreSetChange(zone, (), loc(0), True, s_move),), None, False
    )
    b.machine("main", 0, (), (ir.Block((), ir.ReturnMachine()),))
    program, layout, data, cells = b.build()
    assert layout.count[direction] == 6
    view = memoryview(cells).cast("i")
    view[layout.field_offset[cost] + 7] = 3
    view[layout.field_offset[cost] + 9] = NONE
    view.release()
    return program, layout, data, cells


# ------------------------------------------------------------------------------------------- hypotheticals


def hypothetical() -> Built:
    """`main` lets a side take 0..3 gold only if `plan`, two more helpings of 0..3 with a die, can still end on 9."""
    b = Builder("hypothetical")
    side = b.domain("side", "side", "red blue")
    gold = b.field("gold", (), lo=0, hi=100)
    best = b.field("best", (), lo=-1, hi=100, optional=True)
    s_take = b.site("choice", "{0} takes {1}")
    s_die = b.site("roll", "luck")
    s_best = b.site("write", "best")
    offer = b.function(
        "offer",
        1,
        (("from", INT), ("x", INT)),
        (ir.For(1, ir.OverRange(loc(0), c(3)), None, None, None, False, (ir.Yield(loc(1)),), 0),),
        None,
    )
    a_take = b.ask("take", "int", s_take)

    def take(local: int, block: int, lowest: ir.Expr, empty: int | None = None) -> ir.Ask:
        return ir.Ask(
            a_take, offer, (lowest,), c(0), local, block, empty, None, None, False, None, None, s_take
        )

    def add(local: int) -> ir.Stmt:
        return ir.Store(gold, (), loc(local), "add", False, s_take)

    plan = b.machine(
        "plan",
        1,
        (("least", INT), ("x", INT), ("die", INT)),
        (
            ir.Block((), take(1, 1, loc(0), 4)),
            ir.Block((add(1), ir.Roll(c(1), c(2), c(2), 2, None, s_die)), take(1, 2, c(0))),
            ir.Block((add(1),), ir.Branch(op("eq", loc(1), c(1)), 3, 5)),
            # Taking exactly one the second time leads nowhere.
            ir.Block((), ir.EndGame(c(NONE))),
            ir.Block((), ir.EndGame(c(-1))),
            ir.Block((), ir.EndGame(op("add", ir.Load(gold, (), s_best), loc(2)))),
        ),
        site=s_take,
    )
    can = b.function(
        "can",
        0,
        (("x", INT),),
        (
            ir.For(
                0,
                ir.OverRange(c(0), c(3)),
                None,
                op("ge", op("add", loc(0), ir.AtBest(plan, (c(0),), c(9), s_best)), c(9)),
                None,
                False,
                (ir.Yield(loc(0)),),
                0,
            ),
        ),
        None,
    )
    wanted = ir.Ask(a_take, can, (), c(1), 0, 1, 2, None, None, False, None, None, s_take)
    b.machine(
        "main",
        0,
        (("x", INT),),
        (
            ir.Block((), wanted),
            ir.Block(
                (
                    add(0),
                    ir.Store(best, (), ir.AtBest(plan, (c(2),), None, s_best), "set", False, s_best),
                ),
                ir.Jump(0),
            ),
            ir.Block(
                (ir.Store(best, (), ir.AtBest(plan, (c(4),), None, s_best), "set", False, s_best),),
                ir.EndGame(c(1)),
            ),
        ),
        site=s_take,
    )
    b.more = {"seats": side, "sides": side}
    return b.build(main=machine_id_in(b, "main"))


PROGRAMS = {
    "duel": duel,
    "kitchen": kitchen,
    "calls": calls,
    "simultaneous": simultaneous,
    "hexes": hexes,
    "hypothetical": hypothetical,
}
