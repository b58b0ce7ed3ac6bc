"""Actions: the declaration part, whether it can be completed, and conditions that must stay possible (`keep`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.candidates import OverParts
from grognard.compiler.lower.choices.offers import menu_of
from grognard.compiler.lower.choices.subsets import can_choose_some
from grognard.compiler.lower.stmts.seam import Stmts
from grognard.compiler.sema.declare.forms import form_of
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, Type
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Actions:
    """Declaration parts of actions, and the tests whether they can be completed."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.world = lowerer.world
        self._rests: dict[tuple[str, int], int] = {}
        self._kept: set[str] = set()

    def declaration(self, entry: Callable_) -> tuple[syn.Stmt, ...]:
        """The statements before the first that rolls, writes or calls: only they are guaranteed to be completed."""
        part: list[syn.Stmt] = []
        for statement in entry.decl.body:
            match statement:
                case syn.Let(mutable=False) | syn.RequireStmt():
                    part.append(statement)
                case syn.ChooseStmt(otherwise=None, by=None, index=()):
                    if form_of(self.world, statement.type) is not None:
                        break
                    part.append(statement)
                case syn.ChooseSomeStmt(otherwise=None, by=None) if entry.name not in self._kept:
                    part.append(statement)
                    if statement.numbers:
                        # What follows cannot be tried: the numbers are no value.
                        break
                case syn.OfferStmt(optional=False, until_all_pass=False, seat=syn.Name(id="me")):
                    part.append(statement)
                    break
                case _:
                    break
        return tuple(part)

    def lower_body(self, entry: Callable_, stmts: Stmts, body: t.Body) -> None:
        part = self.declaration(entry)
        places = {id(statement): place for place, statement in enumerate(part)}
        for node in body.statements:
            place = places.get(id(node.written))
            if place is None or not isinstance(node, t.Unmoved) or isinstance(node.written, syn.OfferStmt):
                stmts.statements((node,))
                continue
            self.world.cite(node.written.cites)
            # Under `keep` a trial of the rest is stricter than the test of the declaration part.
            rest = (entry, len(part)) if entry.name in self._kept else (entry, place + 1)
            stmts.unmoved(node, rest=rest)

    def can_begin(self, entry: Callable_) -> int:
        """Function(me, parameters): whether the declaration part of the action can be completed."""
        known = self.lowerer.elsewhere(entry, None)
        return known if known is not None else self.first_of(entry)

    def first_of(self, entry: Callable_) -> int:
        return self.rest_of(entry, 0, entry.params, Scope())

    def rest_of(self, entry: Callable_, place: int, names: list[tuple[str, Type]], outer: Scope) -> int:
        """Function(me, names...): can the declaration part be completed from this statement on?"""
        key = (entry.name, place)
        if key in self._rests:
            return self._rests[key]
        number = self.world.reserve_function()
        self._rests[key] = number
        code = Code(
            f"can {entry.name}" + (f" from {place}" if place else ""), entry.name, pure=True, machine=False
        )
        code.result = FLAG
        scope = Scope()
        scope.narrowed.update(outer.all_narrowed())
        params = self.lowerer.bind_params(code, scope, names, True, entry.span)
        stmts = Stmts(self.lowerer, code)
        known = list(names)
        part = self.declaration(entry)
        ended = False
        for n in range(place, len(part)):
            statement = part[n]
            match statement:
                case syn.Let():
                    stmts.statement(statement, scope)
                    known.append((statement.name, scope.names[statement.name].type))
                case syn.RequireStmt():
                    test: Any = stmts.condition(statement.condition, scope)
                    code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Return(ir.Const(0)),)))
                    scope.narrowed.update(stmts.narrow(statement.condition, scope, True))
                case syn.ChooseStmt():
                    self._can_choose(entry, stmts, scope, statement, n, known)
                    ended = True
                    break
                case syn.ChooseSomeStmt():
                    test = can_choose_some(stmts, statement, scope, (entry, n + 1))
                    code.emit(ir.Return(test if test is not None else ir.Const(0)))
                    ended = True
                    break
                case syn.OfferStmt():
                    menu = menu_of(stmts, statement.uses, scope, code.me)  # type: ignore[arg-type]
                    for _action, target, _use, args, condition in menu:
                        flat = [code.me.expr, *(p for v in args for p in flatten(v))]  # type: ignore[union-attr]
                        able: Any = ir.Call(self.can_begin(target), tuple(flat))
                        if condition is not None:
                            able = ir.Binary("and", condition, able, self.lowerer.nowhere)
                        code.emit(ir.IfStmt(able, (ir.Return(ir.Const(1)),)))
                    code.emit(ir.Return(ir.Const(0)))
                    ended = True
                    break
        if not ended:
            code.emit(ir.Return(ir.Const(1)))
        site = self.lowerer.site("enter", code.name, entry.span, entry.cites, owner=entry.name)
        if code.reads_secret:
            self.lowerer.secret_readers.add(entry.name)
        return self.lowerer.new_function(code, params, FLAG, site, number)

    def _can_choose(
        self,
        entry: Callable_,
        stmts: Stmts,
        scope: Scope,
        statement: syn.ChooseStmt,
        place: int,
        known: list[tuple[str, Type]],
    ) -> None:
        code = stmts.code
        over, element = self.lowerer.candidates.choice_source(stmts, statement, scope)
        if over is None:
            code.emit(ir.Return(ir.Const(0)))
            return
        inner = scope.child()
        var = code.variable(statement.name, element)
        code.bind(inner, statement.name, var, statement.span)
        where = stmts.condition(statement.where, inner) if statement.where is not None else None
        narrowed = stmts.narrow(statement.where, inner, True) if statement.where is not None else {}
        later = inner.with_narrowed(narrowed)
        type_ = element.maybe() if statement.may else element
        names = [*known, (statement.name, type_)]
        following = self.rest_of(entry, place + 1, names, later if not statement.may else inner)
        assert code.me is not None

        def call(last: Any) -> ir.Expr:
            flat = [code.me.expr]  # type: ignore[union-attr]
            for name, _ in known:
                bound = scope.find(name)
                assert bound is not None
                flat += flatten(code.value_of(bound))
            return ir.Call(following, (*flat, last))

        if statement.may:
            code.emit(ir.IfStmt(call(ir.Const(NONE)), (ir.Return(ir.Const(1)),)))
        # Purely a search: an `any` stops at the first that can be completed.
        site = self.lowerer.site("loop", "can", statement.span, owner=entry.name)
        test = where
        done = call(var.expr)
        test = done if test is None else ir.Binary("and", test, done, self.lowerer.nowhere)
        found: Any = None
        for one in over.each() if isinstance(over, OverParts) else [over]:
            some = ir.Aggregate("any", var.expr.index, one, test, None, site)
            found = some if found is None else ir.Binary("or", found, some, self.lowerer.nowhere)
        code.emit(ir.Return(found))

    def completes(self, sub: Stmts, rest: Any, inner: Scope, last: Value, outer: Scope | None = None) -> Any:
        """Whether the declaration part can be completed behind a choice that gave this; None: nothing follows."""
        entry, place = rest
        part = self.declaration(entry)
        if not any(
            isinstance(s, syn.ChooseStmt | syn.ChooseSomeStmt | syn.RequireStmt | syn.OfferStmt)
            for s in part[place:]
        ):
            return None
        names: list[tuple[str, Type]] = []
        flat: list[Any] = [sub.code.me.expr] if sub.code.me is not None else []
        for name in [n for n, _ in entry.params] + self.bound_names(part[: place - 1]):
            bound = inner.find(name)
            if bound is None:
                return None
            names.append((name, bound.type))
            flat += flatten(sub.code.value_of(bound))
        names += [(name, last.type) for name in self.bound_names(part[place - 1 : place])]
        function = self.rest_of(entry, place, names, outer or inner)
        return ir.Call(function, (*flat, last.expr))

    def bound_names(self, part: Iterable[syn.Stmt]) -> list[str]:
        """The names that statements of a declaration part give meaning to."""
        made: list[str] = []
        for statement in part:
            match statement:
                case syn.Let(name=name) | syn.ChooseStmt(name=name) | syn.ChooseSomeStmt(into=name):
                    made.append(name)
        return made

    def is_kept(self, name: str) -> bool:
        """Whether the action is offered under `keep`, so that a trial has shown that it can be completed."""
        return name in self._kept

    def kept_action(
        self, entry: Callable_, keep: syn.Expr, given: list[tuple[str, Type]], span: Span
    ) -> tuple[Callable_, Callable_]:
        """An action that only offers what can end with the condition holding, and the trial of it from the start.

        `given` are the offering block's names that the condition reads; they are passed along as parameters."""
        key = f"{entry.name} (keep {span.line}:{span.column})"
        if key in self.world.callables:
            return self.world.callables[key], self.world.callables[f"{key} trial 0"]
        # Sets cannot be handed to a trial: what follows the choice of one is tried as a whole.
        part = tuple(
            itertools.takewhile(lambda s: not isinstance(s, syn.ChooseSomeStmt), self.declaration(entry))
        )
        params = [*given, *entry.params]
        trials: list[Callable_] = []
        body: list[syn.Stmt] = []
        names = list(params)
        for place in range(len(part) + 1):
            # The rest of the action after `place` statements, then the condition.
            rest = (*map(_or_fail, entry.decl.body[place:]), syn.CaseStmt(keep, None, syn.NO_CITES, span))
            trial = syn.ProcedureDecl(f"{key} trial {place}", (), None, rest, entry.decl.cites, span)
            made = Callable_(
                trial.name, "procedure", list(names), FLAG, trial, span, entry.cites, entry.layer
            )
            made.asks = made.writes = made.uses_me = True
            self.world.callables[trial.name] = made
            trials.append(made)
            if place == len(part):
                break
            statement = part[place]
            if isinstance(statement, syn.ChooseStmt | syn.Let):
                names = [*names, (statement.name, self._choice_type(entry, statement, names))]
        for place, statement in enumerate(part):
            if isinstance(statement, syn.ChooseStmt):
                given_names = tuple(syn.Name(name, span) for name, _ in trials[place + 1].params)
                test = syn.AtBest(syn.Use(trials[place + 1].name, given_names, span), 1, span)
                where = (
                    test if statement.where is None else syn.BinaryExpr("and", statement.where, test, span)
                )
                statement = replace(statement, where=where)
            body.append(statement)
        decl = replace(entry.decl, body=(*body, *entry.decl.body[len(part) :]))
        kept = replace(entry, name=key, params=params, decl=decl)
        kept.asks = kept.uses_me = True
        self.world.callables[key] = kept
        self._kept.add(key)
        return kept, trials[0]

    def _choice_type(self, entry: Callable_, statement: Any, names: list[tuple[str, Type]]) -> Type:
        """The type of the name that a statement of the declaration part binds."""
        code = Code(entry.name, entry.name, pure=True, machine=False)
        scope = Scope()
        self.lowerer.bind_params(code, scope, names, True, entry.span)
        stmts = Stmts(self.lowerer, code)
        if isinstance(statement, syn.Let):
            return stmts.check.value(statement.value, scope).type
        _, element = self.lowerer.candidates.choice_source(stmts, statement, scope)
        return element.maybe() if statement.may else element


def _or_fail(statement: Any) -> Any:
    """In a trial, a choice with nothing to choose means that this way leads nowhere."""
    asks = isinstance(statement, syn.ChooseSomeStmt) or (
        isinstance(statement, syn.ChooseStmt) and not statement.may
    )
    if asks and statement.otherwise is None:
        nothing = syn.ReturnStmt(syn.FlagLit(False, statement.span), syn.NO_CITES, statement.span)
        return replace(statement, otherwise=nothing)
    return statement
