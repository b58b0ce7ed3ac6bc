"""Actions: the declaration part, whether it can be completed, and conditions that must stay possible (`keep`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler.lower.choices.candidates import lower_choice_source
from grognard.compiler.lower.choices.offers import menu_of
from grognard.compiler.lower.choices.subsets import can_choose_some
from grognard.compiler.lower.code import Code, Value, flatten
from grognard.compiler.lower.stmts.statements import Statements
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.declaration_parts import bound_by, declaration_part, statement_of
from grognard.compiler.sema.types import FLAG
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.lowerer import Lowerer

#: The rest of a declaration part: of which action, and from which statement on.
Rest: TypeAlias = tuple[Callable_, int]


class Actions:
    """Declaration parts of actions, and the tests whether they can be completed."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self._rests: dict[tuple[str, int], int] = {}

    def declaration(self, entry: Callable_) -> tuple[syn.Stmt, ...]:
        return declaration_part(self.symbols, entry, self.lowerer.trees.is_kept(entry.name))

    def _part(self, entry: Callable_) -> list[t.Statement | None]:
        """The declaration part as it was checked; None for what has a mistake."""
        body = self.lowerer.trees.body_for(entry, None)
        return [statement_of(body, statement) for statement in self.declaration(entry)]

    def lower_body(self, entry: Callable_, low: Statements, body: t.Body) -> None:
        """The body of an action or sheet: each choice of the declaration part knows what follows it."""
        part = self.declaration(entry)
        places = {id(statement): place for place, statement in enumerate(part)}
        for node in body.statements:
            if entry.sort == "form" and isinstance(node, t.Require):
                continue  # it decides whether the sheet is offered
            place = places.get(id(node.written))
            if place is None or not isinstance(node, t.Choose | t.ChooseSome | t.ChooseNumbers):
                low.statements((node,))
                continue
            self.builder.cite(node.written.cites)
            # Under `keep` a trial of the rest is stricter than the test of the declaration part.
            rest = (entry, len(part)) if self.lowerer.trees.is_kept(entry.name) else (entry, place + 1)
            low.choose(node, rest=rest)

    def can_begin(self, entry: Callable_) -> int:
        """Function(me, parameters): whether the declaration part of the action can be completed."""
        return self._rest_of(entry, 0)

    def _rest_of(self, entry: Callable_, place: int) -> int:
        """Function(me, parameters, what was bound before): can the part be completed from this statement on?"""
        key = (entry.name, place)
        if key in self._rests:
            return self._rests[key]
        number = self.builder.reserve_function()
        self._rests[key] = number
        code = Code(
            f"can {entry.name}" + (f" from {place}" if place else ""), entry.name, pure=True, machine=False
        )
        code.result = FLAG
        part = self._part(entry)
        known = self._bound(entry, part[:place])
        params = self.lowerer.bind_variables(code, known, True)
        self._try(entry, part, place, known, Statements(self.lowerer, code))
        site = self.lowerer.site("enter", code.name, entry.span, entry.cites, owner=entry.name)
        if code.reads_secret:
            self.lowerer.secret_readers.add(entry.name)
        return self.lowerer.new_function(code, params, FLAG, site, number)

    def _bound(self, entry: Callable_, part: list[t.Statement | None]) -> list[Variable]:
        """The parameters, and what these statements bind."""
        given = self.lowerer.trees.body_for(entry, None).params
        return [*given, *bound_by(node for node in part if node is not None)]

    def _try(
        self,
        entry: Callable_,
        part: list[t.Statement | None],
        place: int,
        known: list[Variable],
        low: Statements,
    ) -> None:
        code = low.code
        for n in range(place, len(part)):
            match part[n]:
                case t.Let() as node:
                    low.statements((node,))
                    known.append(node.variable)
                case t.Require(condition=condition):
                    test: Any = low.test(condition)
                    code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Return(ir.Const(0)),)))
                case t.Choose() as node:
                    self._can_choose(entry, low, node, n, known)
                    return
                case t.ChooseSome() | t.ChooseNumbers() as node:
                    code.emit(ir.Return(can_choose_some(low, node, (entry, n + 1))))
                    return
                case t.Offer() as node:
                    self._can_pick(low, node)
                    return
                case None:
                    code.emit(ir.Return(ir.Const(0)))
                    return
        code.emit(ir.Return(ir.Const(1)))

    def _can_pick(self, low: Statements, node: t.Offer) -> None:
        """Whether one of the actions on offer can be begun."""
        code = low.code
        assert code.me is not None
        for _action, target, args, condition in menu_of(low, node.menu, code.me):
            flat = [code.me.expr, *(p for v in args for p in flatten(v))]
            able: Any = ir.Call(self.can_begin(target), tuple(flat))
            if condition is not None:
                able = ir.Binary("and", condition, able, self.lowerer.nowhere)
            code.emit(ir.IfStmt(able, (ir.Return(ir.Const(1)),)))
        code.emit(ir.Return(ir.Const(0)))

    def _can_choose(
        self, entry: Callable_, low: Statements, node: t.Choose, place: int, known: list[Variable]
    ) -> None:
        code = low.code
        sources = lower_choice_source(low, node.source)
        var = code.values[node.candidate] = code.variable(node.candidate.name, node.candidate.type)
        where = low.test(node.where) if node.where is not None else None
        following = self._rest_of(entry, place + 1)
        assert code.me is not None
        flat = [code.me.expr, *(part for name in known for part in flatten(low.value_of(name)))]

        def call(last: Any) -> ir.Expr:
            return ir.Call(following, (*flat, last))

        if node.written.may:
            code.emit(ir.IfStmt(call(ir.Const(NONE)), (ir.Return(ir.Const(1)),)))
        # Purely a search: an `any` stops at the first that can be completed.
        site = self.lowerer.site("loop", "can", node.written.span, owner=entry.name)
        done = call(var.expr)
        test = done if where is None else ir.Binary("and", where, done, self.lowerer.nowhere)
        found: Any = None
        for one in sources:
            some = ir.Aggregate("any", var.expr.index, one, test, None, site)
            found = some if found is None else ir.Binary("or", found, some, self.lowerer.nowhere)
        code.emit(ir.Return(found))

    def completes(self, low: Lowering, rest: Rest, last: Value) -> Any:
        """Whether the declaration part can be completed behind a choice that gave this; None: nothing follows."""
        entry, place = rest
        part = self._part(entry)
        follows = (t.Choose, t.ChooseSome, t.ChooseNumbers, t.Require, t.Offer)
        if not any(isinstance(node, follows) for node in part[place:]):
            return None
        flat: list[Any] = [low.code.me.expr] if low.code.me is not None else []
        for variable in self._bound(entry, part[: place - 1]):
            value = low.code.values.get(variable)
            if value is None:
                return None
            flat += flatten(value)
        return ir.Call(self._rest_of(entry, place), (*flat, last.expr))
