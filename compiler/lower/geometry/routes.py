"""Routes: places chosen leg by leg as a movement allows.

All gaits of the movement are tracked at once: the cost so far, below 0 once the gait was stopped, none once it is ruled
out.  A leg is offered if one of the gaits can take it and still reach an allowed end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import asking_of, end_with_ask, fail_empty
from grognard.compiler.lower.code import Code, Value
from grognard.compiler.lower.exprs.rules import flat_arguments
from grognard.compiler.lower.geometry.going import Going, resumed
from grognard.compiler.sema.routes import route_type
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT, Dom, Type, dom_type, int_range
from grognard.contract import ir
from grognard.contract.header import DONE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.statements import Statements


def choose_route(low: Statements, node: t.ChooseRoute) -> None:
    """Ask for a route and bind it to its name."""
    args = flat_arguments(low, node.use.entry, node.use.args)
    going = low.lowerer.movement_for(node.use.entry)
    goal = None if node.goal is None else low.store_in_local(low.lower(node.goal))
    saved = [low.store_argument(Value(INT, arg)).expr for arg in args]
    _Route(low, node, going, saved, goal).lower()


def after_leg(lowerer: Lowerer, movement: ir.Movement, space: Dom, given: int) -> int:
    """Function(arguments, a, b, spent, legs): the cost so far after the step; NONE if the gait cannot take it."""
    key = ("after a leg", movement.id)
    if key in lowerer.leg_functions:
        return lowerer.leg_functions[key]

    def test(op: Any, left: Any, right: Any) -> ir.Expr:
        return ir.Binary(op, left, right, lowerer.nowhere)

    place = dom_type(space)
    code = Code(f"{movement.name} after a leg", movement.name, pure=True, machine=False)
    args = tuple(ir.Local(code.local(f"argument {n}", INT)) for n in range(given))
    a, b = (ir.Local(code.local(name, place)) for name in ("from", "to"))
    spent, legs = (ir.Local(code.local(name, INT)) for name in ("spent", "legs"))
    params = len(code.locals)
    cost, total, most = (code.local(name, INT) for name in ("cost", "total", "allowance"))
    nothing = (ir.Return(ir.Const(NONE)),)
    # A gait that is stopped (below 0) or out takes no further step.
    code.emit(ir.IfStmt(test("lt", spent, ir.Const(0)), nothing))
    code.emit(ir.IfStmt(test("eq", spent, ir.Const(NONE)), nothing))
    code.emit(ir.Assign(cost, ir.Call(movement.cost, (*args, a, b, spent))))
    code.emit(ir.IfStmt(test("eq", ir.Local(cost), ir.Const(NONE)), nothing))
    code.emit(ir.Assign(total, test("add", spent, ir.Local(cost))))
    code.emit(ir.Assign(most, ir.Call(movement.allowance, args)))
    beyond: Any = test("gt", ir.Local(total), ir.Local(most))
    if movement.minimum:
        beyond = test("and", beyond, test("gt", legs, ir.Const(0)))
    code.emit(ir.IfStmt(beyond, nothing))
    if movement.stop is not None:
        held = test("sub", ir.Const(-1), ir.Local(total))
        code.emit(ir.IfStmt(ir.Call(movement.stop, (*args, a, b)), (ir.Return(held),)))
    code.emit(ir.Return(ir.Local(total)))
    made = lowerer.new_function(code, params, Type("int", optional=True), lowerer.nowhere)
    lowerer.leg_functions[key] = made
    return made


def leads_anywhere(lowerer: Lowerer, places: ir.Expr) -> ir.Expr | None:
    """Whether a reach is not empty: a first step is enough if a move may end everywhere.  None: it has to be searched."""
    match places:
        case ir.SetBinary(op="union", left=left, right=right):
            one, other = leads_anywhere(lowerer, left), leads_anywhere(lowerer, right)
            return None if one is None or other is None else ir.Binary("or", one, other, lowerer.nowhere)
        case ir.ReachSet(movement=number, args=args):
            movement = lowerer.builder.movements[number]
            return None if movement.ends is not None else ir.Call(_sets_out(lowerer, movement, args), args)
    return None


def _sets_out(lowerer: Lowerer, movement: ir.Movement, given: tuple[Any, ...]) -> int:
    """Function(arguments): whether there is a first step, or staying is allowed."""
    key = ("sets out", movement.id)
    if key in lowerer.leg_functions:
        return lowerer.leg_functions[key]
    nowhere, space = lowerer.nowhere, lowerer.builder.doms[movement.space]
    code = Code(f"{movement.name} sets out", movement.name, pure=True, machine=False)
    args = tuple(ir.Local(code.local(f"argument {n}", INT)) for n in range(len(given)))
    params = len(code.locals)
    here, onward = code.local("here", dom_type(space, True)), code.local("to", dom_type(space))
    code.emit(ir.Assign(here, ir.Call(movement.start, args)))
    absent = ir.Binary("eq", ir.Local(here), ir.Const(NONE), nowhere)
    code.emit(ir.IfStmt(absent, (ir.Return(ir.Const(0)),)))
    if movement.may_stay:
        code.emit(ir.Return(ir.Const(1)))
    else:
        step = after_leg(lowerer, movement, space, len(given))
        spent = ir.Call(step, (*args, ir.Local(here), ir.Local(onward), ir.Const(0), ir.Const(0)))
        able = ir.Binary("ne", spent, ir.Const(NONE), nowhere)
        elsewhere = ir.Binary("ne", ir.Local(onward), ir.Local(here), nowhere)
        around = ir.OverVerb("neighbours", (ir.Local(here),), nowhere)
        if movement.leap > 1:
            around = ir.OverVerb("within", (ir.Local(here), ir.Const(movement.leap)), nowhere)
        first = ir.Binary("and", elsewhere, able, nowhere)
        code.emit(ir.Return(ir.Aggregate("any", onward, around, first, None, nowhere)))
    made = lowerer.new_function(code, params, FLAG, nowhere)
    lowerer.leg_functions[key] = made
    return made


def cheapest(low: Lowering, name: str, going: Going, args: list[Any], goal: Value) -> Value:
    """The cheapest route to a place as a list, empty if there is none; of equals the one with the lowest places.

    The code is emitted before the expression.  Each step goes to a place whose remaining cost is what is left."""
    code, lowerer = low.code, low.lowerer
    nowhere = lowerer.nowhere
    route = code.variable(f"({name})", route_type(going.space, going.room))
    saved = []
    for value in [*(Value(INT, arg) for arg in args), goal]:
        local = code.variable("(kept)", value.type)
        code.emit(ir.Assign(local.expr.index, value.expr))
        saved.append(local.expr)
    *given, to = saved
    code.emit(ir.ListClear(route.expr.index))
    totals = [code.local("(total)", INT) for _ in going.gaits]
    for gait, total in zip(going.gaits, totals, strict=True):
        code.emit(ir.Assign(total, ir.ReachCost(gait, tuple(given), to)))
    var = code.local("(gait)", INT)
    least = code.local("(least)", INT)
    every = ir.OverItems(tuple(ir.Local(total) for total in totals))
    code.emit(ir.Assign(least, ir.Aggregate("min", var, every, None, ir.Local(var), nowhere)))
    here, onward, spent, after = (code.local(n, INT) for n in ("(here)", "(onward)", "(spent)", "(after)"))

    def test(op: Any, left: Any, right: Any) -> ir.Expr:
        return ir.Binary(op, left, right, nowhere)

    length = ir.ListLength(route.expr)
    for number, total in zip(going.gaits, totals, strict=True):
        movement = lowerer.builder.movements[number]
        step = after_leg(lowerer, movement, going.space, len(given))
        rest = resumed(lowerer, number)
        gone = ir.If(
            test("lt", ir.Local(after), ir.Const(0)),
            test("sub", ir.Const(-1), ir.Local(after)),
            ir.Local(after),
        )
        left = ir.ReachCost(rest, (*given, ir.Local(onward), ir.Local(after)), to)
        ahead = test("and", test("ge", ir.Local(after), ir.Const(0)), test("ne", left, ir.Const(NONE)))
        best = test("and", ahead, test("eq", test("add", ir.Local(after), left), ir.Local(least)))
        arrives = test("and", test("eq", ir.Local(onward), to), test("eq", gone, ir.Local(least)))
        able = test("and", test("ne", ir.Local(after), ir.Const(NONE)), test("or", arrives, best))
        take = (
            ir.Assign(spent, gone),
            ir.ListAppend(route.expr.index, ir.Local(onward), nowhere),
            ir.Break(),
        )
        around = ir.OverVerb("neighbours", (ir.Local(here),), nowhere)
        if going.leap > 1:
            around = ir.OverVerb("within", (ir.Local(here), ir.Const(going.leap)), nowhere)
        tried = ir.Assign(
            after,
            ir.Call(step, (*given, ir.Local(here), ir.Local(onward), ir.Local(spent), length)),
        )
        elsewhere = test("ne", ir.Local(onward), ir.Local(here))
        search = ir.For(
            onward, around, going.space.id, elsewhere, None, False, (tried, ir.IfStmt(able, take)), nowhere
        )
        more = code.local("(legs)", INT)
        moved = ir.If(
            test("gt", length, ir.Const(0)), ir.ListItem(route.expr, length, nowhere), ir.Local(here)
        )
        walk = ir.While(
            test("and", test("ne", ir.Local(here), to), test("lt", ir.Local(more), length)),
            (ir.Assign(more, length), search, ir.Assign(here, moved)),
            nowhere,
        )
        first = test("and", test("eq", length, ir.Const(0)), test("ne", ir.Local(least), ir.Const(NONE)))
        code.emit(
            ir.IfStmt(
                test("and", first, test("eq", ir.Local(total), ir.Local(least))),
                (
                    ir.Assign(here, ir.Call(movement.start, tuple(given))),
                    ir.Assign(spent, ir.Const(0)),
                    # So that the loop is entered; from then on a pass that finds no step ends it.
                    ir.Assign(more, ir.Const(-1)),
                    walk,
                ),
            )
        )
    return route


class _Route:
    def __init__(
        self, low: Statements, node: t.ChooseRoute, going: Going, args: list[Any], goal: Value | None
    ) -> None:
        self.low, self.node, self.statement = low, node, node.written
        self.going = going
        self.args = args
        self.goal = goal
        self.lowerer: Lowerer = low.lowerer
        self.nowhere = low.lowerer.nowhere
        self.movements = [low.builder.movements[number] for number in going.gaits]

    def _is(self, op: Any, left: Any, right: Any) -> ir.Expr:
        return ir.Binary(op, left, right, self.nowhere)

    def lower(self) -> None:
        low, node, going, statement = self.low, self.node, self.going, self.statement
        m = low.m
        seat = low.store_in_local(low.lower(node.seat))
        route = m.values[node.variable] = m.variable(statement.name, node.variable.type)
        here = m.variable("(here)", dom_type(going.space, True))
        leg = m.variable(statement.name, dom_type(going.space))
        spent = [m.variable("(spent)", INT) for _ in going.gaits]
        number = route.expr.index
        m.emit(ir.ListClear(number))
        m.emit(ir.Assign(here.expr.index, ir.Call(self.movements[0].start, tuple(self.args))))
        for one in spent:
            m.emit(ir.Assign(one.expr.index, ir.Const(0)))
        head, taken, onward, last, done = (m.new_block() for _ in range(5))
        m.go_to(head)
        state = [here.expr, *(one.expr for one in spent), ir.ListLength(route.expr)]
        if self.goal is not None:
            state.append(self.goal.expr)
        function = self._candidates()
        ends = ir.Call(self._may_end(), (*self.args, *state))
        question = asking_of(low, node.question, statement)
        given = (*self.args, *state)
        place = dom_type(going.space)
        end_with_ask(low, question, function, given, seat, leg, taken, last, place, DONE, ends)
        m.switch(last)
        # No leg is left: the route is complete, or there is none.
        nothing = m.new_block()
        m.end(ir.Branch(ends, done, nothing))
        m.switch(nothing)
        if node.otherwise is not None:
            low.statements(node.otherwise)
        else:
            fail_empty(low, f"there is no route of at most {going.room} legs for {statement.name}", statement)
            m.jump(done)
        m.switch(taken)
        m.end(ir.Branch(self._is("eq", leg.expr, ir.Const(DONE)), done, onward))
        m.switch(onward)
        for movement, one in zip(self.movements, spent, strict=True):
            step = ir.Call(
                self._after(movement), (*self.args, here.expr, leg.expr, one.expr, ir.ListLength(route.expr))
            )
            m.emit(ir.Assign(one.expr.index, step))
        site = self.lowerer.site("list", "", statement.span)
        m.emit(ir.ListAppend(number, leg.expr, site))
        m.emit(ir.Assign(here.expr.index, leg.expr))
        m.jump(head)
        m.switch(done)

    # ---- functions

    def _code(self, what: str, names: list[tuple[str, Type]]) -> tuple[Code, tuple[Any, ...], list[Any]]:
        code = Code(f"{self.statement.use.name} {what}", self.low.code.owner, pure=True, machine=False)
        args = tuple(ir.Local(code.local(f"argument {n}", INT)) for n in range(len(self.args)))
        made = [ir.Local(code.local(name, type_)) for name, type_ in names]
        return code, args, made

    def _state(self) -> list[tuple[str, Type]]:
        place = dom_type(self.going.space)
        names = [("here", place), *(("spent", INT) for _ in self.going.gaits), ("legs", int_range(0, 200))]
        return [*names, ("goal", place)] if self.goal is not None else names

    def _after(self, movement: ir.Movement) -> int:
        return after_leg(self.lowerer, movement, self.going.space, len(self.args))

    def _ends_at(self, movement: ir.Movement, args: tuple[Any, ...], place: Any) -> Any:
        return ir.Const(1) if movement.ends is None else ir.Call(movement.ends, (*args, place))

    def _may_end(self) -> int:
        """Function(arguments, state): may the route end here?"""
        code, args, (here, *rest) = self._code("may end", self._state())
        params = len(code.locals)
        spent, legs = rest[: len(self.movements)], rest[len(self.movements)]
        found: Any = ir.Const(0)
        for movement, one in zip(reversed(self.movements), reversed(spent), strict=True):
            able = self._is("and", self._is("ne", one, ir.Const(NONE)), self._ends_at(movement, args, here))
            if not movement.may_stay:
                able = self._is("and", self._is("gt", legs, ir.Const(0)), able)
            found = self._is("or", able, found)
        if self.goal is not None:
            found = self._is("and", self._is("eq", here, rest[-1]), found)
        present = self._is("ne", here, ir.Const(NONE))
        code.emit(ir.Return(self._is("and", present, found)))
        return self.lowerer.new_function(code, params, FLAG, self.nowhere)

    def _candidates(self) -> int:
        """Function(arguments, state): the places that the next leg can lead to."""
        code, args, (here, *rest) = self._code("legs", self._state())
        params = len(code.locals)
        place = dom_type(self.going.space)
        spent, legs = rest[: len(self.movements)], rest[len(self.movements)]
        onward = code.variable("to", place)
        found: Any = ir.Const(0)
        for movement, one in zip(reversed(self.movements), reversed(spent), strict=True):
            leads = self._leads(movement)
            given = (*args, here, onward.expr, one, legs, *rest[len(self.movements) + 1 :])
            found = self._is("or", ir.Call(leads, given), found)
        if self.going.leap == 1:
            around = ir.OverVerb("neighbours", (here,), self.nowhere)
        else:
            around = ir.OverVerb("within", (here, ir.Const(self.going.leap)), self.nowhere)
            found = self._is("and", self._is("ne", onward.expr, here), found)
        room = self._is("lt", legs, ir.Const(self.going.room))
        there = self._is("and", room, self._is("ne", here, ir.Const(NONE)))
        if self.goal is not None:
            # A route to a place ends where it gets there.
            there = self._is("and", there, self._is("ne", here, rest[-1]))
        loop = ir.For(
            onward.expr.index,
            around,
            self.going.space.id,
            found,
            None,
            False,
            (ir.Yield(onward.expr),),
            self.nowhere,
        )
        code.emit(ir.IfStmt(there, (loop,)))
        site = self.lowerer.site("loop", "legs", self.statement.span, owner=self.low.code.owner)
        return self.lowerer.new_function(code, params, None, site)

    def _leads(self, movement: ir.Movement) -> int:
        """Function(arguments, a, b, spent, legs, goal): whether the gait can take the step and still reach an allowed end."""
        key = ("leads to" if self.goal is not None else "leads on", movement.id)
        if key in self.lowerer.leg_functions:
            return self.lowerer.leg_functions[key]
        place = dom_type(self.going.space)
        names: list[tuple[str, Type]] = [("from", place), ("to", place), ("spent", INT), ("legs", INT)]
        if self.goal is not None:
            names.append(("goal", place))
        code, args, (a, b, spent, legs, *goal) = self._code(key[0], names)
        params = len(code.locals)
        gone = code.local("gone", INT)
        yes, no = (ir.Return(ir.Const(1)),), (ir.Return(ir.Const(0)),)
        code.emit(ir.Assign(gone, ir.Call(self._after(movement), (*args, a, b, spent, legs))))
        code.emit(ir.IfStmt(self._is("eq", ir.Local(gone), ir.Const(NONE)), no))
        ends = self._ends_at(movement, args, b)
        if goal:
            ends = self._is("and", self._is("eq", b, goal[0]), ends)
        code.emit(ir.IfStmt(ends, yes))
        code.emit(ir.IfStmt(self._is("lt", ir.Local(gone), ir.Const(0)), no))
        if goal or movement.ends is not None:
            rest = resumed(self.lowerer, movement.id)
            given = (*args, b, ir.Local(gone))
            if goal:
                further: Any = self._is("ne", ir.ReachCost(rest, given, goal[0]), ir.Const(NONE))
            else:
                reached = ir.ReachSet(rest, given, self.going.space.id)
                further = self._is("gt", ir.SetCount(reached), ir.Const(0))
            code.emit(ir.Return(further))
        else:
            code.emit(ir.Return(ir.Const(0)))
        made = self.lowerer.new_function(code, params, FLAG, self.nowhere)
        self.lowerer.leg_functions[key] = made
        return made
