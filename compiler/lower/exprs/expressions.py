"""Typed expressions, lowered to the IR.  Lowering is total and silent: what is wrong was told by the checker (sema/typed)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from grognard.compiler.lower.code import Code, Value, assign_local
from grognard.compiler.lower.exprs.aggregates import AGGREGATES
from grognard.compiler.lower.exprs.builtins import BUILTINS
from grognard.compiler.lower.exprs.comparisons import COMPARISONS
from grognard.compiler.lower.exprs.fields import FIELDS
from grognard.compiler.lower.exprs.forms import FORMS
from grognard.compiler.lower.exprs.geometry import GEOMETRY
from grognard.compiler.lower.exprs.literals import LITERALS, nothing
from grognard.compiler.lower.exprs.operators import OPERATORS
from grognard.compiler.lower.exprs.rules import RULES
from grognard.compiler.lower.exprs.times import TIMES
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Lowering:
    """Lowers typed expressions into the code being built.  Each family of expressions has a module in this package."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
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

    def value_of(self, variable: Variable) -> Value:
        """What a variable stands for; nothing where the statement that gives it a value has a mistake."""
        found = self.code.values.get(variable)
        return nothing(self.code, variable.type) if found is None else found

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
