"""IR expressions to closures: each node is compiled once, then called with a frame.

`Expressions` puts the families together and finds the compilation of a node by its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.interpreter.aggregates import AGGREGATES, BUILT_SETS, AggregateExpressions
from grognard.interpreter.frames import Eval
from grognard.interpreter.integers import INTEGERS, IntegerExpressions
from grognard.interpreter.lists import LIST_QUERIES, ListExpressions
from grognard.interpreter.sets import SET_QUERIES, SETS, SetExpressions


class Expressions(IntegerExpressions, AggregateExpressions, SetExpressions, ListExpressions):
    """Compiles the expressions of one function or machine."""

    def expr(self, node: ir.Expr) -> Eval:
        return _EXPR[type(node)](self, node)

    def set(self, node: Any) -> Eval:
        return _SET[type(node)](self, node)


_EXPR: dict[type, Callable[[Expressions, Any], Eval]] = {
    **INTEGERS,
    **AGGREGATES,
    **SET_QUERIES,
    **LIST_QUERIES,
}

_SET: dict[type, Callable[[Expressions, Any], Eval]] = {**SETS, **BUILT_SETS}
