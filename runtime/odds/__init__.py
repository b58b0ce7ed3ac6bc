"""Exact odds of any procedure: docs/embedding.md documents the interface, README.md here the algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from grognard.odds.errors import OddsError, PolicyMissing
from grognard.odds.result import Odds, Simulation

if TYPE_CHECKING:
    from grognard.odds.policy import PolicySpec
    from grognard.odds.query import Weighing
    from grognard.odds.request import OddsContext
    from grognard.play.position import Position

__all__ = ["Odds", "OddsError", "PolicyMissing", "Simulation", "prepare"]


class HasOdds(Protocol):
    """An engine that knows its odds: grognard.engine.Engine."""

    def bench(self) -> OddsContext: ...


def prepare(
    engine: HasOdds,
    situation: str,
    values: Mapping[str, Any] | None = None,
    *,
    position: Position | None = None,
    policy: PolicySpec | Sequence[PolicySpec] = (),
    fast: bool = True,
    every: bool = False,
) -> Weighing:
    """A situation (see Engine.weigh) that is set up once for several questions.

    `fast` = False: only the general state graph.  `every`: an attrition grid is verified in every state, however large it
    is, not in a sample."""
    return engine.bench().prepare(situation, values or {}, position, policy, fast, every)
