"""Symmetry checks: whether a sight that is declared `same both ways` is so on the title's map.

Only sights between two places and nothing else are checked: what other parameters mean is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from grognard.contract.backend import Io
from grognard.contract.ruleset import Ruleset
from grognard.interpreter.machine import Interpreter
from grognard.support.diagnostics import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class SymmetryCheck:
    """A sight that was checked: over how many pairs of places, and where it is not symmetric."""

    name: str
    pairs: int
    failures: tuple[Diagnostic, ...]

    @property
    def holds(self) -> bool:
        return not self.failures


#: Pairs that are reported one by one.
TOLD = 5


def check_symmetries(ruleset: Ruleset) -> list[SymmetryCheck]:
    """Every sight between two places that says `same both ways`, over all pairs of the default scenario's map."""
    scenario = ruleset.scenario()
    if scenario is None:
        return []
    made: list[SymmetryCheck] = []
    oracle: Interpreter | None = None
    for entry in ruleset.schema.callables.values():
        if not entry.mutual:
            continue
        if len(entry.params) != 2 or entry.uses_me:
            continue
        oracle = oracle or Interpreter(ruleset.program, scenario.layout, scenario.data)
        function = next(f.id for f in ruleset.program.functions if f.name == entry.name)
        space = entry.params[0][1].dom
        assert space is not None
        places = scenario.data.domains[space.id]
        cells = bytearray(scenario.cells.tobytes())
        broken: list[Diagnostic] = []
        pairs = 0
        for a in range(places.base, places.base + places.count):
            for b in range(a + 1, places.base + places.count):
                pairs += 1
                there = oracle.call(cells, function, (a, b), Io())
                if there == oracle.call(cells, function, (b, a), Io()):
                    continue
                one, other = (a, b) if there else (b, a)
                message = f"{entry.name} is not the same both ways: {places.title(one)} sees {places.title(other)}, not the reverse"
                broken.append(Diagnostic("GR0907", Severity.error, message, entry.span))
        made.append(SymmetryCheck(f"{entry.name} is the same both ways", pairs, tuple(broken[:TOLD])))
    return made
