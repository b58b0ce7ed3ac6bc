"""Typed expressions, lowered to the IR.  Lowering is total and silent: what is wrong was told by the checker (sema/typed)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from grognard.compiler.lower.exprs.aggregates import AGGREGATES, lower_source
from grognard.compiler.lower.exprs.builtins import BUILTINS
from grognard.compiler.lower.exprs.comparisons import COMPARISONS
from grognard.compiler.lower.exprs.fields import FIELDS, holder_of
from grognard.compiler.lower.exprs.forms import FORMS
from grognard.compiler.lower.exprs.geometry import GEOMETRY
from grognard.compiler.lower.exprs.literals import LITERALS, nothing
from grognard.compiler.lower.exprs.operators import OPERATORS
from grognard.compiler.lower.exprs.rules import RULES, flat_arguments
from grognard.compiler.lower.exprs.times import TIMES
from grognard.compiler.sema.scope import Code, Scope, Value, assign_local
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.fields import check_axis, check_holder, check_owner
from grognard.compiler.sema.typed.rules import check_arguments, check_movement, check_rule
from grognard.compiler.sema.typed.statements import BodyChecker
from grognard.compiler.sema.types import INT, UNKNOWN, Dom, FieldInfo, Type
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.geometry.going import Going
    from grognard.compiler.lower.lowerer import Lowerer


class Lowering:
    """Lowers typed expressions into the code being built.  Each family of expressions has a module in this package."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        self.lowerer = lowerer
        self.world = lowerer.world
        self.code = code
        #: local that a loop `until settled` watches: set when a write changes something
        self.changed: int | None = None

    def lower(self, node: t.Typed) -> Value:
        made = _LOWERED[type(node)](self, node)
        origins = self.lowerer.origins
        if origins is not None and node.syntax is not None:
            made = Value(made.type, origins.expression(node.syntax, made.expr), made.record)
        return made

    def test(self, node: t.Typed) -> ir.Expr:
        """A condition."""
        made = self.lower(node)
        if node.type.sort == "unknown":
            return ir.Const(0)
        origins = self.lowerer.origins
        if origins is not None and node.syntax is not None:
            return cast("ir.Expr", origins.expression(node.syntax, made.expr, condition=True))
        return cast("ir.Expr", made.expr)

    def store_in_local(self, value: Value) -> Value:
        """Store a value in a local, so that later code reads the same value."""
        local = self.code.variable("(kept)", value.type if value.type.sort != "unknown" else INT)
        assign_local(self.code, local, value)
        return local

    def store_argument(self, value: Value) -> Value:
        if value.record is not None or value.type.sort in ("set", "list"):
            return self.store_in_local(value)
        return value if isinstance(value.expr, ir.Const | ir.Sym | ir.Local) else self.store_in_local(value)


_LOWERED: dict[type, Callable[[Any, Any], Value]] = {
    t.Broken: lambda low, node: nothing(low.code, node.type),
    **LITERALS,
    **FIELDS,
    **FORMS,
    **OPERATORS,
    **COMPARISONS,
    **RULES,
    **GEOMETRY,
    **TIMES,
    **BUILTINS,
    **AGGREGATES,
}


class Exprs(Lowering):
    """The seam between syntax and the IR for what is not yet checked as a whole before it is lowered: one expression is checked,
    then lowered.  How many still come through here is counted by a test (tests/compiler/driver/test_seam.py)."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer, code)
        self.sink = lowerer.world.sink
        self.check = BodyChecker(lowerer, code, self.sink)
        self.narrow = self.check.narrow
        self.type_of = self.check.type_of
        self.find_field = self.check.find_field

    def value(self, expr: syn.Expr, scope: Scope, want: Type | None = None) -> Value:
        return self.lower(self.check.value(expr, scope, want))

    def checked(self, expr: syn.Expr, scope: Scope, want: Type, what: str = "this") -> Value:
        return self.lower(self.check.checked(expr, scope, want, what))

    def condition(self, expr: syn.Expr, scope: Scope) -> ir.Expr:
        return self.test(self.check.condition(expr, scope))

    def demand(self, made: Value, want: Type, span: Span, what: str = "this") -> None:
        self.check.demand(made.type, want, span, what)

    def me(self, span: Span, callee: Callable_ | None = None) -> Value:
        return self.lower(self.check.me(span, callee))

    def member(self, name: str, dom: Dom) -> Value | None:
        made = self.check.member(name, dom)
        return None if made is None else self.lower(made)

    def owner(self, expr: syn.Expr, scope: Scope) -> Value:
        """The owner of a field."""
        return self.lower(check_owner(self.check, expr, scope))

    def holder(self, piece: Value, span: Span) -> Value:
        """The seat that a counter belongs to."""
        known = check_holder(self.check, piece.type, span)
        return Value(UNKNOWN, ir.Const(0)) if known.sort == "unknown" else holder_of(self, piece, span)

    def axis(self, expr: syn.Expr, info: FieldInfo, place: int, scope: Scope) -> Any:
        return self.lower(check_axis(self.check, expr, info, place, scope)).expr

    def arguments(
        self, entry: Callable_, args: Sequence[syn.Expr], span: Span, scope: Scope
    ) -> list[Value] | None:
        made = check_arguments(self.check, entry, args, span, scope)
        return None if made is None else [self.lower(arg) for arg in made]

    def rule(self, entry: Callable_, args: Sequence[syn.Expr], span: Span, scope: Scope) -> Value:
        return self.lower(check_rule(self.check, entry, args, span, scope))

    def running_over(self, expr: syn.Expr, scope: Scope) -> tuple[Any, Type]:
        """The source of a loop, and the type of its elements."""
        source, element = check_source(self.check, expr, scope)
        return (None if source is None else lower_source(self, source)), element

    def movement(
        self, name: str, args: Sequence[syn.Expr], span: Span, scope: Scope
    ) -> tuple[Going, list[Any]] | None:
        """A movement with its arguments."""
        found = check_movement(self.check, name, args, span, scope)
        if found is None:
            return None
        flat = flat_arguments(self, found[0].entry, found[0].args)
        return self.lowerer.movement_for(found[0].entry), flat
