"""Expressions checked: names resolved, types, narrowing, and all there is to say of them.  A typed tree comes of it (nodes.py).

After an error a node is Broken and its type UNKNOWN, which no other check reports, so that one mistake gives one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from grognard.compiler.sema.declare.types import DomMaker, written_axis, written_type
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.implied_tests import implied, spelled_out
from grognard.compiler.sema.narrowing import Narrowing, NarrowingMemo
from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_aggregate, check_matched
from grognard.compiler.sema.typed.calls import check_call
from grognard.compiler.sema.typed.fields import check_dot
from grognard.compiler.sema.typed.forms import bare_form
from grognard.compiler.sema.typed.literals import check_number, check_set, check_text
from grognard.compiler.sema.typed.names import check_name
from grognard.compiler.sema.typed.operators import check_binary, check_or_else, check_ternary, check_unary
from grognard.compiler.sema.typed.times import check_as_of, check_at_best, check_ever_since, check_latest
from grognard.compiler.sema.types import FLAG, NONE_TYPE, UNKNOWN, Dom, Type, accepts, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract.header import NONE
from grognard.support.diagnostics import Label, Sink
from grognard.support.source import Span


class Surroundings(Protocol):
    """What is known of all callables of a title, and of the data that checks ask for."""

    @property
    def symbols(self) -> Symbols: ...

    @property
    def sink(self) -> Sink: ...

    @property
    def narrowing(self) -> NarrowingMemo: ...

    @property
    def findings(self) -> Findings: ...

    @property
    def makes(self) -> DomMaker:
        """Makes the domains that bodies bring with them."""
        ...

    @property
    def places_known(self) -> bool:
        """Whether places have the names that the map of the default scenario gives them."""
        ...

    def table_bounds(self, table: int, axis: int) -> tuple[int, int, bool, bool] | None: ...

    def result_type(self, entry: Callable_) -> Type: ...

    def callable(self, name: str) -> Callable_ | None:
        """A callable that is declared, or made up for what is offered under `keep`."""
        ...

    def asks(self, node: Any) -> bool:
        """Whether this very statement may."""
        ...

    def asks_anywhere(self, node: Any) -> bool: ...

    def is_kept(self, name: str) -> bool:
        """Whether the action is offered under `keep`."""
        ...

    def offers_kept(self, node: t.Repeats) -> None:
        """Actions are offered that must leave a condition true."""
        ...

    def handlers_of(self, event: str) -> Sequence[Callable_]: ...

    def held_since(self, wish: syn.EverSince, of: Dom) -> None:
        """Something has held since a mark that belongs to such a one."""
        ...

    def mark_owner(self, mark: str, of: Type) -> Type:
        """What a mark belongs to; the first that it is made for says it."""
        ...


class Body(Protocol):
    """What an expression or statement stands in."""

    @property
    def owner(self) -> str:
        """The callable that it belongs to."""
        ...

    @property
    def pure(self) -> bool:
        """Whether nothing may be changed here."""
        ...

    @property
    def machine(self) -> bool:
        """Whether somebody can be asked here."""
        ...

    @property
    def result(self) -> Type | None: ...

    @property
    def mark(self) -> str | None:
        """The mark as of which fields are read."""
        ...

    @property
    def me_type(self) -> Type | None:
        """The type of `me`, where a seat acts."""
        ...

    @property
    def base_type(self) -> Type | None:
        """The type of `base`, inside an exception to a rule."""
        ...

    @property
    def below(self) -> Any:
        """Whether `do base` may stand here."""
        ...


class Checker(Narrowing):
    """Checks the expressions of one body.  Each family of expressions has a module in this package."""

    def __init__(self, around: Surroundings, body: Body, sink: Sink) -> None:
        super().__init__(around.symbols, around.narrowing)
        self.around = around
        self.sink = sink
        self.body = body
        self.mark = body.mark
        #: checking the condition of a phase: lint.py reports one that never holds
        self.in_phase = False
        #: checking what stands below `not`, where no test is implied
        self.below_not = False

    @property
    def me_type(self) -> Type | None:
        """The type of `me`, where a seat acts."""
        return self.body.me_type

    def written_type(self, expr: syn.TypeExpr) -> Type:
        """The meaning of a written type."""
        return written_type(self.symbols, expr, self.sink, self.around.makes)

    def written_axis(self, expr: syn.TypeExpr) -> Dom | None:
        return written_axis(self.symbols, expr, self.sink, self.around.makes)

    # ------------------------------------------------------------------------------------------- entry points

    def value(self, expr: syn.Expr, scope: Scope, want: Type | None = None) -> t.Typed:
        """Check; `want` is the expected type, in which members and places are looked up."""
        form = want.form if want is not None else None
        inner = dom_type(form.names) if form is not None and isinstance(expr, syn.Name) else want
        made = self._asked(expr, scope, inner)
        made.syntax = expr
        # A test before this place may have narrowed the type.
        dom = made.type.dom
        if made.type.optional or (dom is not None and (dom.classes or dom.parts)):
            path = path_of(expr)
            known = scope.narrowed_type(path) if path else None
            if known is not None and known.sort != "none":
                made.type = known
        if form is not None and made.type.sort not in ("record", "unknown"):
            assert want is not None
            made = bare_form(self, made, expr, want, form)
        return made if want is None else widened(made, want)

    def _asked(self, expr: syn.Expr, scope: Scope, want: Type | None) -> t.Typed:
        """Check with the tests that are implied (implied_tests.py)."""
        below = self.below_not
        if not below and (want is None or want.sort == "flag"):
            if isinstance(expr, syn.BinaryExpr) and expr.op == "and":
                narrowed = scope.with_narrowed(self.narrow(expr.left, scope, True))
                if needs := implied(self, expr.right, narrowed):
                    expr = spelled_out(needs, expr.right, expr.left)
            elif want is not None or isinstance(expr, syn.BinaryExpr):
                expr = spelled_out(implied(self, expr, scope), expr)
        self.below_not = below and (
            isinstance(expr, syn.Ternary) or (isinstance(expr, syn.BinaryExpr) and expr.op in ("and", "or"))
        )
        try:
            return self._value(expr, scope, want)
        finally:
            self.below_not = below

    def checked(self, expr: syn.Expr, scope: Scope, want: Type, what: str = "this") -> t.Typed:
        """Check and demand the type."""
        made = self.value(expr, scope, want)
        self.demand(made.type, want, expr.span, what)
        return made

    def condition(self, expr: syn.Expr, scope: Scope) -> t.Typed:
        made = self.value(expr, scope, FLAG)
        if made.type.sort not in ("flag", "unknown"):
            self.sink.error(
                "GR0306",
                expr.span,
                f"a condition is yes or no, this is {made.type.words}",
                hint="compare it with something, for example `> 0`"
                if made.type.sort == "int"
                else "say what it is compared with: `is ...`",
            )
            return t.Broken(UNKNOWN)
        return made

    def demand(self, made: Type, want: Type, span: Span, what: str = "this") -> None:
        if accepts(want, made):
            if want.sort == "int" and made.sort == "int" and (made.hi < want.lo or made.lo > want.hi):
                self.sink.error("GR0304", span, f"{what} is {made}, never within {want}")
            return
        if made.sort == "none" or (made.optional and accepts(want, made.required())):
            self.sink.error(
                "GR0305",
                span,
                f"{what} may be none, {want.words} is needed",
                hint="test it first: `x is not none and ...`, or `if x is not none`",
            )
            return
        self.sink.error("GR0301", span, f"{what} is {made.words}, {want.words} is needed")

    # ------------------------------------------------------------------------------------------------ dispatch

    def _value(self, expr: syn.Expr, scope: Scope, want: Type | None) -> t.Typed:
        match expr:
            case syn.Number():
                return check_number(self, expr, want)
            case syn.Text():
                return check_text(self, expr, want)
            case syn.NoneLit():
                return t.Constant(NONE_TYPE, NONE)
            case syn.FlagLit():
                return t.Constant(FLAG, int(expr.value))
            case syn.Name():
                return check_name(self, expr, scope, want)
            case syn.Dot():
                return check_dot(self, expr, scope)
            case syn.CallExpr():
                return check_call(self, expr, scope, want)
            case syn.UnaryExpr():
                return check_unary(self, expr, scope)
            case syn.BinaryExpr():
                return check_binary(self, expr, scope, want)
            case syn.Ternary():
                return check_ternary(self, expr, scope, want)
            case syn.OrElse():
                return check_or_else(self, expr, scope, want)
            case syn.AggregateExpr():
                return check_aggregate(self, expr, scope, want)
            case syn.MatchedExpr():
                return check_matched(self, expr, scope)
            case syn.SetLiteral():
                return check_set(self, expr, scope, want)
            case syn.AsOf():
                return check_as_of(self, expr, scope, want)
            case syn.Latest():
                return check_latest(self, expr, scope)
            case syn.AtBest():
                return check_at_best(self, expr, scope)
            case syn.EverSince():
                return check_ever_since(self, expr, scope)
            case syn.Joint():
                self.sink.error("GR0208", expr.span, "only a choice can be made together")
                return t.Broken(UNKNOWN)
            case syn.RangeExpr() | syn.Items():
                self.sink.error(
                    "GR0301",
                    expr.span,
                    "a range or list of values cannot stand here",
                    hint="use `in` to test membership",
                )
                return t.Broken(UNKNOWN)
        raise AssertionError(expr)

    def member(self, name: str, dom: Dom) -> t.Member | None:
        """A member of a domain by its name."""
        # A place of a class is known as such: `novgorod.controller` needs no prefix.
        for part in dom.classes:
            made = self.member(name, part)
            if made is not None:
                return made
        place = dom.index(name)
        return None if place is None else t.Member(dom_type(dom), dom, name, place)

    def me(self, span: Span, callee: Callable_ | None = None) -> t.Typed:
        """The acting seat; `callee` is the callable that needs it."""
        if self.me_type is not None:
            return t.Me(self.me_type)
        if callee is not None and callee.me_at is not None and span != callee.span:
            self.sink.error(
                "GR0705",
                span,
                f"`{callee.name}` speaks of whoever acts, and nobody acts here",
                hint=f"do it where a seat acts, or give `{callee.name}` the seat as a parameter",
                labels=(Label(callee.me_at, "`me` is meant here"),),
            )
            return t.Broken(UNKNOWN)
        self.sink.error(
            "GR0705",
            span if callee is None or callee.me_at is None else callee.me_at,
            "`me` is known only where a seat acts",
            hint="in actions, and in rules that actions use",
        )
        return t.Broken(UNKNOWN)


def widened(made: t.Typed, want: Type) -> t.Typed:
    """A set of a class of places as a set of places of its space; anything else as it is."""
    if made.type.sort != "set" or want.sort != "set" or made.type.dom is want.dom:
        return made
    if made.type.dom is None or want.dom is None or not made.type.dom.is_in(want.dom):
        return made
    return t.Widened(want, made)
