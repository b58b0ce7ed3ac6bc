"""Expressions: names and types resolved, lowered to the IR.

Lowering an expression returns a Value, after an error one of type UNKNOWN, so that one error gives one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from grognard.compiler.lower.exprs.aggregates import lower_aggregate, lower_matched
from grognard.compiler.lower.exprs.calls import lower_call
from grognard.compiler.lower.exprs.fields import lower_dot
from grognard.compiler.lower.exprs.forms import bare_form
from grognard.compiler.lower.exprs.literals import (
    lower_number,
    lower_set_literal,
    lower_text,
)
from grognard.compiler.lower.exprs.names import lower_name
from grognard.compiler.lower.exprs.operators import (
    lower_binary,
    lower_or_else,
    lower_ternary,
    lower_unary,
)
from grognard.compiler.lower.exprs.times import (
    lower_as_of,
    lower_at_best,
    lower_latest,
)
from grognard.compiler.lower.time.watches import lower_ever_since
from grognard.compiler.sema.implied_tests import implied, spelled_out
from grognard.compiler.sema.narrowing import Narrowing
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
    path_of,
)
from grognard.compiler.sema.types import (
    FLAG,
    NONE_TYPE,
    UNKNOWN,
    Dom,
    Type,
    accepts,
    dom_type,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.diagnostics import Label
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Exprs(Narrowing):
    """Lowers expressions into the code being built.  Each family of expressions has a module in this package."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer.world, lowerer.narrowing)
        self.lowerer = lowerer
        self.sink = lowerer.world.sink
        self.code = code
        #: lowering the condition of a phase: lint.py reports one that never holds
        self.in_phase = False
        #: lowering what stands below `not`, where no test is implied
        self.below_not = False

    # ------------------------------------------------------------------------------------------- entry points

    def value(self, expr: syn.Expr, scope: Scope, want: Type | None = None) -> Value:
        """Lower; `want` is the expected type, in which members and places are looked up."""
        form = want.form if want is not None else None
        inner = dom_type(form.names) if form is not None and isinstance(expr, syn.Name) else want
        made = self._asked(expr, scope, inner)
        origins = self.lowerer.origins
        if origins is not None:
            made = Value(made.type, origins.expression(expr, made.expr), made.record)
        # A test before this place may have narrowed the type.
        dom = made.type.dom
        if made.type.optional or (dom is not None and (dom.classes or dom.parts)):
            path = path_of(expr)
            known = scope.narrowed_type(path) if path else None
            if known is not None:
                made = Value(known if known.sort != "none" else made.type, made.expr, made.record)
        if form is not None and made.record is None and made.type.sort != "unknown":
            assert want is not None
            made = bare_form(self, made, expr, want, form)
        return made if want is None else self.widened(made, want)

    def _asked(self, expr: syn.Expr, scope: Scope, want: Type | None) -> Value:
        """Lower with the tests that are implied (sema/implied_tests.py)."""
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

    def widened(self, made: Value, want: Type) -> Value:
        """A set of a class of places as a set of places of its space; anything else as it is."""
        if made.type.sort != "set" or want.sort != "set" or made.type.dom is want.dom:
            return made
        if made.type.dom is None or want.dom is None or not made.type.dom.is_in(want.dom):
            return made
        each = self.code.local("(element)", dom_type(made.type.dom))
        whole = ir.SetBuild(want.dom.id, each, ir.OverSet(made.expr), None, None)
        return Value(want, whole)

    def checked(self, expr: syn.Expr, scope: Scope, want: Type, what: str = "this") -> Value:
        """Lower and demand the type."""
        made = self.value(expr, scope, want)
        self.demand(made, want, expr.span, what)
        return made

    def condition(self, expr: syn.Expr, scope: Scope) -> ir.Expr:
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
            return ir.Const(0)
        if made.type.sort == "unknown":
            return ir.Const(0)
        origins = self.lowerer.origins
        if origins is not None:
            return cast("ir.Expr", origins.expression(expr, made.expr, condition=True))
        return made.expr

    def demand(self, made: Value, want: Type, span: Span, what: str = "this") -> None:
        if accepts(want, made.type):
            if (
                want.sort == "int"
                and made.type.sort == "int"
                and (made.type.hi < want.lo or made.type.lo > want.hi)
            ):
                self.sink.error("GR0304", span, f"{what} is {made.type}, never within {want}")
            return
        if made.type.sort == "none" or (made.type.optional and accepts(want, made.type.required())):
            self.sink.error(
                "GR0305",
                span,
                f"{what} may be none, {want.words} is needed",
                hint="test it first: `x is not none and ...`, or `if x is not none`",
            )
            return
        self.sink.error("GR0301", span, f"{what} is {made.type.words}, {want.words} is needed")

    # ------------------------------------------------------------------------------------------------ dispatch

    def _value(self, expr: syn.Expr, scope: Scope, want: Type | None) -> Value:
        match expr:
            case syn.Number():
                return lower_number(self, expr, want)
            case syn.Text():
                return lower_text(self, expr, want)
            case syn.NoneLit():
                return Value(NONE_TYPE, ir.Const(NONE))
            case syn.FlagLit():
                return Value(FLAG, ir.Const(int(expr.value)))
            case syn.Name():
                return lower_name(self, expr, scope, want)
            case syn.Dot():
                return lower_dot(self, expr, scope, want)
            case syn.CallExpr():
                return lower_call(self, expr, scope, want)
            case syn.UnaryExpr():
                return lower_unary(self, expr, scope, want)
            case syn.BinaryExpr():
                return lower_binary(self, expr, scope, want)
            case syn.Ternary():
                return lower_ternary(self, expr, scope, want)
            case syn.OrElse():
                return lower_or_else(self, expr, scope, want)
            case syn.AggregateExpr():
                return lower_aggregate(self, expr, scope, want)
            case syn.MatchedExpr():
                return lower_matched(self, expr, scope)
            case syn.SetLiteral():
                return lower_set_literal(self, expr, scope, want)
            case syn.AsOf():
                return lower_as_of(self, expr, scope, want)
            case syn.Latest():
                return lower_latest(self, expr, scope)
            case syn.AtBest():
                return lower_at_best(self, expr, scope)
            case syn.EverSince():
                return lower_ever_since(self, expr, scope)
            case syn.Joint():
                self.sink.error("GR0208", expr.span, "only a choice can be made together")
                return Value(UNKNOWN, ir.Const(0))
            case syn.RangeExpr() | syn.Items():
                self.sink.error(
                    "GR0301",
                    expr.span,
                    "a range or list of values cannot stand here",
                    hint="use `in` to test membership",
                )
                return Value(UNKNOWN, ir.Const(0))
        raise AssertionError(expr)

    def member(self, name: str, dom: Dom) -> Value | None:
        """A member of a domain by its name."""
        # A place of a class is known as such: `novgorod.controller` needs no prefix.
        for part in dom.classes:
            made = self.member(name, part)
            if made is not None:
                return made
        place = dom.index(name)
        if place is None:
            return None
        if dom.from_code:
            return Value(dom_type(dom), ir.Const(place + dom.range_lo))
        return Value(dom_type(dom), ir.Sym(self.world.symbol(f"{dom.name}.{name}")))

    def me(self, span: Span, callee: Callable_ | None = None) -> Value:
        """The acting seat; `callee` is the callable that needs it."""
        if self.code.me is None:
            if callee is not None and callee.me_at is not None and span != callee.span:
                self.sink.error(
                    "GR0705",
                    span,
                    f"`{callee.name}` speaks of whoever acts, and nobody acts here",
                    hint=f"do it where a seat acts, or give `{callee.name}` the seat as a parameter",
                    labels=(Label(callee.me_at, "`me` is meant here"),),
                )
                return Value(UNKNOWN, ir.Const(0))
            self.sink.error(
                "GR0705",
                span if callee is None or callee.me_at is None else callee.me_at,
                "`me` is known only where a seat acts",
                hint="in actions, and in rules that actions use",
            )
            return Value(UNKNOWN, ir.Const(0))
        return self.code.me
