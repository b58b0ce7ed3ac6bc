"""Random programs that can be played: well-typed, terminating, asking again and again.

Nothing is meant by them, but their values stay in their types: counters are counters, numbers stay small, loops end.  So
most runs come to the next question instead of to a failure, and what they leave is compared answer by answer.
"""

from __future__ import annotations

import random
from typing import Any

import programs
from grognard.contract import ir
from grognard.contract.header import DONE, NONE

PIECES, FIRST_PIECE, NUMBERS = 8, 10, 16
#: How often a machine asks before it returns; those that others call, and those that are started.
INNER_ROUNDS, ROUNDS = 2, 40
#: Loops inside each other.
DEEPEST = 8


class Locals:
    """The locals of every function and machine: three parameters, then its own."""

    N, P, S, X, Y, Q, ANSWER, LEFT, T, U, W, COUNTED, LOOP = range(13)

    def __init__(self, piece: int, number: int) -> None:
        plain = ir.IntType()
        self.all: tuple[tuple[str, ir.LocalType], ...] = (
            ("n", plain),
            ("p", ir.IntType(f"dom:{piece}")),
            ("s", ir.SetType(number)),
            *((name, plain) for name in ("x", "y", "q", "answer", "left")),
            ("t", ir.SetType(piece)),
            ("u", ir.SetType(number)),
            ("w", ir.ListType(6)),
            ("counted", plain),
            # As in what the compiler makes, a loop inside another has a variable of its own.
            *((f"i{n}", plain) for n in range(DEEPEST)),
        )


class Playable:
    """Writes one program of many functions and machines."""

    def __init__(self, seed: int, functions: int = 36, machines: int = 12) -> None:
        self.chance = random.Random(seed)
        b = self.b = programs.Builder(f"playable{seed}")
        self.side = b.domain("side", "side", "red blue")
        self.num = b.domain("num", "range", NUMBERS)
        self.piece = b.domain("piece", "piece", PIECES, base=FIRST_PIECE, alive=0)
        self.kind = b.domain("kind", "enum", "a b c")
        self.alive = b.field("alive", (self.piece,), lo=0, hi=1, default=1)
        self.hp = b.field("hp", (self.piece,), lo=-90, hi=90, default=4)
        self.power = b.field("power", (self.piece, self.side), lo=-50, hi=50)
        self.score = b.field("score", (), lo=-1000, hi=1000)
        self.tags = b.field("tags", (self.piece,), ir.SetType(self.kind))
        self.bag = b.field("bag", (), ir.SetType(self.num))
        self.seen = b.field("seen", (self.side,), ir.SetType(self.piece))
        self.route = b.field("route", (self.side,), ir.ListType(6))
        shown = ir.IntType(f"dom:{self.piece}")
        self.home = b.field("home", (self.side, self.piece), shown, lo=0, first=self.piece)
        self.aim = b.field("aim", (self.side,), shown, optional=True, default=NONE)
        self.owner = b.column("owner", (self.piece,), [0, 1, 0, 1, 0, 1, 0, 1])
        self.weight = b.column("weight", (self.num,), [(i * 7) % 11 - 2 for i in range(NUMBERS)])
        near = [3, 9, 5, 1, 130, 2, 7, 40]
        self.near = b.column("near", (self.piece,), near, ir.SetType(self.num))
        axes = [(0, 5, 1, [0, 0, 1, 1, 2, 2]), (0, 2, 1, [0, 1, 2])]
        self.table = b.table("crt", axes, [3, 3], list(range(9)))
        b.more = {"journal": 80}
        self.sites = [b.site("rule", f"site {number}") for number in range(30)]
        self.names = Locals(self.piece, self.num)
        #: loop variables that hold a member now, by the domain they run over
        self.bound: dict[int, int] = {}
        self.nested = 0
        #: functions that may be called from here
        self.layer: list[ir.Function] = []
        self.calls = 0
        self.simultaneous = False
        self._functions(functions)
        self.offers = [self._offer(n) for n in range(8)]
        self.started = self._machines(machines)
        begin = ir.Block(
            (),
            ir.CallMachine(
                self.started[0], (ir.Const(1), ir.Const(FIRST_PIECE), ir.SetOf(self.num, ())), 0, 1
            ),
        )
        end = ir.Block((), ir.ReturnMachine(ir.Const(0)))
        self.built = b.build(main=b.machine("begin", 0, (("x", ir.IntType()),), (begin, end), True, 0))

    # ---- expressions

    def site(self) -> int:
        return self.chance.choice(self.sites)

    def op(self, name: Any, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        return ir.Binary(name, left, right, self.site())

    def const(self, low: int = -9, high: int = 9) -> ir.Const:
        return ir.Const(self.chance.randint(low, high))

    def small(self, value: ir.Expr, size: int = 97) -> ir.Expr:
        return self.op("mod", value, ir.Const(size))

    def integer(self, depth: int) -> ir.Expr:
        pick = self.chance.choice
        if depth <= 0:
            ready: list[ir.Expr] = [ir.Local(n) for n in (Locals.N, Locals.X, Locals.Y)]
            ready += [self.const(), ir.Load(self.score, (), self.site())]
            if self.num in self.bound:
                ready += [ir.Local(self.bound[self.num])] * 2
            return pick(ready)
        match self.chance.randrange(20):
            case 0 | 1:
                left, right = self.integer(depth - 1), self.integer(depth - 1)
                return self.op(pick(("add", "sub", "min", "max")), left, right)
            case 2:
                left, right = self.small(self.integer(depth - 1), 13), self.integer(depth - 1)
                return self.op("mul", left, self.small(right, 13))
            case 3:
                kind = pick(("div_down", "div_up", "div_near", "mod"))
                return self.op(kind, self.integer(depth - 1), ir.Const(pick((-7, -2, 1, 2, 3, 5))))
            case 4:
                return ir.Unary(pick(("neg", "abs")), self.integer(depth - 1))
            case 5 | 6:
                return ir.If(self.flag(depth - 1), self.integer(depth - 1), self.integer(depth - 1))
            case 7 | 8:
                return ir.Load(self.hp, (self.counter(depth - 1),), self.site())
            case 9:
                return ir.Load(self.power, (self.counter(depth - 1), self.seat(depth - 1)), self.site())
            case 10:
                return ir.Data(self.weight, (self.small(self.integer(depth - 1), NUMBERS),), self.site())
            case 11:
                index = self.small(self.integer(depth - 1), 6), self.small(self.integer(depth - 1), 3)
                return ir.TableGet(self.table, index, self.site())
            case 12 | 13:
                return self.aggregate(depth)
            case 14:
                return ir.SetCount(pick((self.numbers, self.counters))(depth - 1))
            case 15:
                after = ir.SetNext(self.numbers(depth - 1), self.integer(depth - 1))
                return self.op("max", after, ir.Const(-5))
            case 16 | 17:
                return self.call(depth) or self.integer(depth - 1)
            case 18:
                return self.op("add", ir.ListLength(self.list()), self.flag(depth - 1))
            case _:
                return self.integer(0)

    def seat(self, depth: int) -> ir.Expr:
        if depth > 0 and self.chance.random() < 0.5:
            return ir.Data(self.owner, (self.counter(depth - 1),), self.site())
        return self.const(0, 1)

    def flag(self, depth: int) -> ir.Expr:
        pick = self.chance.choice
        if depth <= 0:
            compare = pick(("lt", "le", "gt", "ge", "eq", "ne"))
            return self.op(compare, self.integer(0), self.integer(0))
        match self.chance.randrange(9):
            case 0 | 1:
                compare = pick(("lt", "le", "gt", "ge", "eq", "ne"))
                return self.op(compare, self.integer(depth - 1), self.integer(depth - 1))
            case 2:
                return self.op(pick(("and", "or")), self.flag(depth - 1), self.flag(depth - 1))
            case 3:
                return ir.Unary("not", self.flag(depth - 1))
            case 4:
                return self.op(pick(("eq", "ne")), self.counter(depth - 1), self.counter(depth - 1))
            case 5:
                return ir.In(self.counter(depth - 1), self.counters(depth - 1))
            case 6:
                return ir.In(self.small(self.integer(depth - 1), NUMBERS), self.numbers(depth - 1))
            case 7:
                made: Any = pick((ir.SetEqual, ir.Subset))
                sets = pick((self.numbers, self.counters))
                return made(sets(depth - 1), sets(depth - 1))  # type: ignore[no-any-return]
            case _:
                return self.aggregate(depth, pick(("any", "all")))

    def counter(self, depth: int) -> ir.Expr:
        pick = self.chance.choice
        ready: list[ir.Expr] = [ir.Local(Locals.P), ir.Local(Locals.Q)]
        ready.append(ir.Const(FIRST_PIECE + self.chance.randrange(PIECES)))
        if self.piece in self.bound:
            ready += [ir.Local(self.bound[self.piece])] * 3
        if depth <= 0:
            return pick(ready)
        match self.chance.randrange(7):
            case 0:
                return ir.If(self.flag(depth - 1), self.counter(depth - 1), self.counter(depth - 1))
            case 1:
                return ir.Load(self.home, (self.seat(depth - 1), self.counter(depth - 1)), self.site())
            case 2:
                # None is less than any counter.
                aim = ir.Load(self.aim, (self.seat(depth - 1),), self.site())
                return self.op("max", aim, ir.Const(FIRST_PIECE))
            case 3:
                best = pick(("first", "last", "best_high", "best_low"))
                with_value = None if best in ("first", "last") else best
                found = self._over_members(depth, best, self.piece, with_value is not None)
                return self.op("max", found, ir.Const(FIRST_PIECE))
            case 4:
                found = ir.SetNext(self.counters(depth - 1), self.counter(depth - 1))
                return self.op("max", found, ir.Const(FIRST_PIECE))
        return pick(ready)

    def aggregate(self, depth: int, how: str = "") -> ir.Expr:
        how = how or self.chance.choice(("count", "sum", "min", "max", "count"))
        domain = self.chance.choice((self.num, self.piece, self.kind))
        found = self._over_members(depth, how, domain, how not in ("count", "any"))
        return self.op("max", found, ir.Const(-99)) if how in ("min", "max") else found

    def _over_members(self, depth: int, how: Any, domain: int, value: bool) -> ir.Expr:
        over, var, inside = self._loop(domain, depth)
        where = self._within(inside, lambda: self.flag(depth - 1)) if self.chance.random() < 0.7 else None
        made = self.flag if how == "all" else self.integer
        key = self._within(inside, lambda: made(depth - 1)) if value else None
        return ir.Aggregate(how, var, over, where, key, self.site())

    def _loop(self, domain: int, depth: int) -> tuple[ir.Over, int, dict[int, int]]:
        """What is run over, the variable, and what is bound inside."""
        over: ir.Over = ir.OverDomain(domain)
        if domain == self.num and self.chance.random() < 0.3:
            over = ir.OverRange(self.const(0, 4), self.const(2, 9))
        elif domain != self.kind and self.chance.random() < 0.4:
            over = ir.OverSet((self.numbers if domain == self.num else self.counters)(depth - 1))
        var = Locals.LOOP + self.nested
        return over, var, {**self.bound, domain: var}

    def _within(self, bound: dict[int, int], write: Any) -> Any:
        before, self.bound = self.bound, bound
        self.nested += 1
        try:
            return write()
        finally:
            self.bound = before
            self.nested -= 1

    def numbers(self, depth: int) -> ir.SetExpr:
        return self._set(depth, self.num)

    def counters(self, depth: int) -> ir.SetExpr:
        return self._set(depth, self.piece)

    def _set(self, depth: int, domain: int) -> ir.SetExpr:
        pick, of_numbers = self.chance.choice, domain == self.num
        ready: list[ir.SetExpr] = (
            [ir.SetLocal(Locals.S), ir.SetLocal(Locals.U), ir.SetLoad(self.bag, (), self.site())]
            if of_numbers
            else [ir.SetLocal(Locals.T), ir.SetLoad(self.seen, (self.const(0, 1),), self.site())]
        )
        if depth <= 0:
            return pick(ready)
        match self.chance.randrange(6):
            case 0:
                how: Any = pick(("union", "minus", "inter"))
                return ir.SetBinary(how, self._set(depth - 1, domain), self._set(depth - 1, domain))
            case 1:
                return ir.SetIf(
                    self.flag(depth - 1), self._set(depth - 1, domain), self._set(depth - 1, domain)
                )
            case 2 | 3:
                over, var, inside = self._loop(domain, depth)
                where = self._within(inside, lambda: self.flag(depth - 1))
                if isinstance(over, ir.OverRange):
                    over = ir.OverDomain(domain)
                return ir.SetBuild(domain, var, over, where, None)
            case 4:
                member = self.small(self.integer(0), NUMBERS) if of_numbers else self.counter(depth - 1)
                return ir.SetOf(domain, (member,))
            case _ if of_numbers:
                return ir.SetData(self.near, (self.counter(depth - 1),), self.site())
        return pick(ready)

    def list(self) -> ir.ListExpr:
        if self.chance.random() < 0.3:
            return ir.ListLoad(self.route, (self.const(0, 1),), self.site())
        return ir.ListLocal(Locals.W)

    def arguments(self, depth: int) -> tuple[ir.AnyExpr, ...]:
        return self.small(self.integer(depth)), self.counter(depth), self.numbers(depth)

    def call(self, depth: int) -> ir.Expr | None:
        pure = [f for f in self.layer if f.pure]
        if not pure or self.calls >= 2 or self.bound:
            # Calls in loops in calls would never end.
            return None
        self.calls += 1
        return ir.Call(self.chance.choice(pure).id, self.arguments(depth - 1))

    # ---- statements

    def statements(self, depth: int, most: int = 3) -> tuple[ir.Stmt, ...]:
        return tuple(s for _ in range(self.chance.randint(1, most)) for s in self.statement(depth))

    def statement(self, depth: int) -> tuple[ir.Stmt, ...]:
        pick, site = self.chance.choice, self.site()
        if self.simultaneous:
            # Sums never conflict.
            return (ir.Store(self.hp, (self.counter(1),), self.small(self.integer(2), 9), "add", True, site),)
        match self.chance.randrange(24):
            case 0 | 1:
                return (ir.Assign(pick((Locals.X, Locals.Y)), self.small(self.integer(3))),)
            case 2:
                return (ir.Assign(Locals.Q, self.counter(2)),)
            case 3:
                return (ir.AssignSet(Locals.T, self.counters(2)), ir.AssignSet(Locals.U, self.numbers(2)))
            case 4:
                add = self.chance.random() < 0.6
                return (
                    pick(
                        (
                            ir.SetChange(Locals.U, self.small(self.integer(1), NUMBERS), add),
                            ir.SetChange(Locals.T, self.counter(1), add),
                            ir.StoreSetChange(self.seen, (self.seat(1),), self.counter(1), add, site),
                            ir.StoreSetChange(
                                self.tags, (self.counter(1),), self.small(self.integer(1), 3), add, site
                            ),
                            ir.StoreSetChange(self.bag, (), self.small(self.integer(1), NUMBERS), add, site),
                        )
                    ),
                )
            case 5 | 6 | 7:
                how: Any = pick(("set", "add"))
                return (ir.Store(self.hp, (self.counter(2),), self.integer(2), how, True, site),)
            case 8:
                how = pick(("set", "add"))
                index = self.counter(1), self.seat(1)
                return (ir.Store(self.power, index, self.small(self.integer(2), 40), how, True, site),)
            case 9:
                return (
                    ir.Store(self.score, (), self.small(self.integer(2)), pick(("set", "add")), True, site),
                )
            case 10:
                target = ir.If(self.flag(1), self.counter(1), ir.Const(NONE))
                return (
                    ir.Store(self.home, (self.seat(1), self.counter(1)), self.counter(1), "set", False, site),
                    ir.Store(self.aim, (self.seat(1),), target, "set", False, site),
                )
            case 11 | 12:
                pool = pick((None, Locals.W))
                return (ir.Roll(self.const(1, 3), ir.Const(1), ir.Const(6), Locals.X, pool, site),)
            case 13 | 14:
                everybody = ir.Aggregate("count", Locals.COUNTED, ir.OverDomain(self.piece), None, None, site)
                room = self.op("lt", everybody, ir.Const(PIECES))
                return (ir.IfStmt(room, (ir.Create(self.piece, Locals.Q, site),)),)
            case 15 | 16:
                member = self.counter(1)
                living = ir.Load(self.alive, (member,), site)
                return (ir.IfStmt(living, (ir.Destroy(self.piece, member, site),)),)
            case 17 if depth > 0:
                other = self.statements(depth - 1, 2) if self.chance.random() < 0.5 else ()
                return (ir.IfStmt(self.flag(2), self.statements(depth - 1, 2), other),)
            case 18 | 19 if depth > 0 and not self.bound:
                domain = pick((self.num, self.piece, self.kind))
                over, var, inside = self._loop(domain, 1)
                where = self._within(inside, lambda: self.flag(2)) if self.chance.random() < 0.6 else None
                key = self._within(inside, lambda: self.integer(1)) if self.chance.random() < 0.3 else None
                body = self._within(inside, lambda: self.statements(depth - 1, 2))
                of = None if isinstance(over, ir.OverRange) else domain
                return (ir.For(var, over, of, where, key, self.chance.random() < 0.5, body, site),)
            case 20:
                doing = [f for f in self.layer if not f.pure]
                if doing and self.calls < 2 and not self.bound:
                    self.calls += 1
                    return (ir.Do(pick(doing).id, self.arguments(1), pick((None, Locals.Y))),)
            case 21:
                room = self.op("lt", ir.ListLength(ir.ListLocal(Locals.W)), ir.Const(6))
                return (
                    ir.IfStmt(room, (ir.ListAppend(Locals.W, self.integer(1), site),)),
                    ir.StoreList(self.route, (self.const(0, 1),), ir.ListLocal(Locals.W), site),
                )
            case 22 if not self.bound:
                return self._block(site)
        seen = self.const(0, 3) if self.chance.random() < 0.3 else None
        return (ir.Note(pick((1, 2)), site, (self.integer(1), self.counter(1)), seen),)

    def _block(self, site: int) -> tuple[ir.Stmt, ...]:
        """A simultaneous block of two branches."""
        self.simultaneous = True
        one, two = self.statements(0, 2), self.statements(0, 2)
        self.simultaneous = False
        return (
            ir.BranchBegin(site),
            *one,
            ir.BranchNext(site),
            *two,
            ir.BranchNext(site),
            ir.BranchEnd(site),
        )

    def _first(self) -> tuple[ir.Stmt, ...]:
        """Locals that hold members get one before anything else."""
        return (ir.Assign(Locals.Q, ir.Local(Locals.P)), ir.Assign(Locals.X, self.const()))

    # ---- code

    def _functions(self, count: int) -> None:
        """Three layers: those of one call those of the layer below."""
        for layer in range(3):
            made = []
            for number in range(count // 3):
                self.calls = 0
                pure = number % 2 == 0
                body = self._first() if pure else (*self._first(), *self.statements(2))
                last = ir.Return(self.small(self.integer(3)))
                site = self.site()
                name = f"f{layer}_{number}"
                self.b.function(name, 3, self.names.all, (*body, last), ir.IntType(), pure, site)
                made.append(self.b.functions[-1])
            self.layer = made

    def _offer(self, number: int) -> int:
        """The candidates of a question: numbers or counters."""
        self.calls = 1
        domain = (self.num, self.piece)[number % 2]
        over, var, inside = self._loop(domain, 1)
        where = self._within(inside, lambda: self.flag(3))
        of = None if isinstance(over, ir.OverRange) else domain
        loop = ir.For(var, over, of, where, None, False, (ir.Yield(ir.Local(var)),), self.site())
        body = (*self._first(), loop)
        return self.b.function(f"offer{number}", 3, self.names.all, body, None, False, self.site())

    def _machines(self, count: int) -> list[int]:
        """Those that are called, then those that are started, each of which calls one."""
        inner = [self._machine(f"inner{n}", INNER_ROUNDS, None) for n in range(3)]
        return [self._machine(f"m{n}", ROUNDS, self.chance.choice(inner)) for n in range(count)]

    def _machine(self, name: str, rounds: int, callee: int | None) -> int:
        self.calls = 0
        chance, left = self.chance, ir.Local(Locals.LEFT)
        begin = (*self._first(), ir.Assign(Locals.LEFT, ir.Const(rounds)))
        count = ir.Assign(Locals.LEFT, self.op("sub", left, ir.Const(1)))
        blocks = [
            ir.Block(begin, ir.Jump(1)),
            ir.Block(self.statements(2), self._ask(2)),
            ir.Block((*self._take(), count, *self.statements(2)), ir.Branch(self.flag(2), 3, 4)),
            ir.Block(
                (),
                ir.Jump(5) if callee is None else ir.CallMachine(callee, self.arguments(1), Locals.Y, 5),
            ),
            ir.Block(self.statements(1), self._ask(6)),
            ir.Block((), ir.Branch(self.op("gt", left, ir.Const(0)), 1, 7)),
            ir.Block((*self._take(), *self.statements(2)), ir.Jump(5)),
            ir.Block((), ir.ReturnMachine(self.small(self.integer(1)))),
        ]
        if callee is not None and chance.random() < 0.3:
            blocks[7] = ir.Block((), ir.EndGame(self.seat(1)))
        return self.b.machine(name, 3, self.names.all, tuple(blocks), True, self.site())

    def _ask(self, following: int) -> ir.Ask:
        chance = self.chance
        number = chance.randrange(len(self.offers))
        show = f"dom:{self.piece}" if number % 2 else "int"
        ask = self.b.ask(f"ask{len(self.b.asks)}", show, self.site())
        extra = chance.choice((None, DONE, NONE))
        when = self.flag(1) if extra is not None and chance.random() < 0.5 else None
        seen = self.const(0, 3) if chance.random() < 0.2 else None
        return ir.Ask(
            ask,
            self.offers[number],
            self.arguments(1),
            self.seat(1),
            Locals.ANSWER,
            following,
            following,
            extra,
            when,
            chance.random() < 0.3,
            None,
            seen,
            self.site(),
        )

    def _take(self) -> tuple[ir.Stmt, ...]:
        """The answer becomes a number and a counter, whatever was asked."""
        answer = ir.Local(Locals.ANSWER)
        bounded = self.op("max", self.op("min", answer, ir.Const(FIRST_PIECE + PIECES - 1)), ir.Const(-9))
        return (
            ir.Assign(Locals.X, bounded),
            ir.Assign(Locals.Q, self.op("max", bounded, ir.Const(FIRST_PIECE))),
            ir.Note(1, self.site(), (ir.Local(Locals.X),)),
        )
