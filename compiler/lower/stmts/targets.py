"""Targets of writes: a field with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.typed import nodes as t

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def lower_target(low: Lowering, target: t.FieldTarget) -> tuple[Any, ...]:
    """The indexes of a field that is written."""
    owner = () if target.owner is None else (low.lower(target.owner).expr,)
    return (*owner, *(low.lower(axis).expr for axis in target.axes))
