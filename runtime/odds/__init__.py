"""Exact odds of any procedure: see docs/embedding.md for how to ask, docs/architecture.md for how it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grognard.odds.errors import OddsError, PolicyMissing
from grognard.odds.result import Odds, Simulation

if TYPE_CHECKING:
    from grognard.odds.policy import PolicySpec
    from grognard.odds.query import Weighing
    from grognard.play.engine import Engine
    from grognard.play.position import Position

__all__ = ["Odds", "OddsError", "PolicyMissing", "Simulation", "prepare"]


def prepare(
    engine: Engine,
    situation: str,
    values: Mapping[str, Any] | None = None,
    *,
    position: Position | None = None,
    policy: PolicySpec | Sequence[PolicySpec] = (),
    fast: bool = True,
    every: bool = False,
) -> Weighing:
    """A situation (see Engine.weigh) set up for more than one question.

    `fast` = False: the general way only.  `every`: where two sides wear each other down, the rules are run from every
    position of the grid for proof, however large it is, not from a sample."""
    return engine.bench().prepare(situation, values or {}, position, policy, fast, every)
