"""Small hand-built programs that both back ends are tested with.

Each function gives (program, layout, data, cells): the cells are a fresh position, nothing has run.
Functions and machines are found by name with `function_id` and `machine_id`; every program has one site per
use, so that a test can tell where a failure or a note came from.
"""

from __future__ import annotations

from programs.builder import FLAG, INT, Builder, Built, c, function_id, loc, machine_id, op, site_id
from programs.calls import calls
from programs.duel import duel
from programs.hexes import hexes
from programs.hypothetical import hypothetical
from programs.kitchen import kitchen
from programs.simultaneous import simultaneous

PROGRAMS = {
    "duel": duel,
    "kitchen": kitchen,
    "calls": calls,
    "simultaneous": simultaneous,
    "hexes": hexes,
    "hypothetical": hypothetical,
}

__all__ = [
    "FLAG",
    "INT",
    "PROGRAMS",
    "Builder",
    "Built",
    "c",
    "calls",
    "duel",
    "function_id",
    "hexes",
    "hypothetical",
    "kitchen",
    "loc",
    "machine_id",
    "op",
    "simultaneous",
    "site_id",
]
