"""Exact odds of any procedure: see docs/embedding.md for how to ask, docs/architecture.md for how it is done."""

from grognard.odds.errors import OddsError, PolicyMissing
from grognard.odds.result import Odds, Simulation

__all__ = ["Odds", "OddsError", "PolicyMissing", "Simulation"]
