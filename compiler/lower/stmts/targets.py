"""Targets of writes: a local, or a field with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.targets import check_target
from grognard.compiler.sema.types import FieldInfo
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_target(low: Lowering, target: t.FieldTarget) -> tuple[Any, ...]:
    """The indexes of a field that is written."""
    owner = () if target.owner is None else (low.lower(target.owner).expr,)
    return (*owner, *(low.lower(axis).expr for axis in target.axes))


def lvalue(stmts: Stmts, target: syn.Expr, scope: Scope) -> tuple[FieldInfo, tuple[Any, ...]] | Value | None:
    """What can be written: a field with its indexes, or a local."""
    made = check_target(stmts.check, target, scope)
    if made is None:
        return None
    if isinstance(made, t.LocalTarget):
        return stmts.lower(made.value)
    return made.info, lower_target(stmts, made)
