"""What every shipped rulebook must pass; each title's own test module subclasses this, so that they run in parallel."""

from __future__ import annotations

import random
from typing import ClassVar

from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine
from grognard.play.coverage import exercised_by, measure_coverage
from grognard.play.examples import run_examples
from grognard.play.position import Position
from grognard.support.diagnostics import Sink, format_text


def random_game(engine: Engine, scenario: str, seed: int, most_answers: int) -> Position:
    """Where random answers lead: the end, or wherever a game that asks more often than this has come to."""
    picker = random.Random(seed)
    position = engine.new_game(scenario, seed=seed)
    for _ in range(most_answers):
        if position.over:
            break
        position.play_inplace(picker.choice(position.values()))
    return position


class EveryTitle:
    #: Examples of play below which some must have been lost.
    fewest_examples: ClassVar[int]
    #: Sections of the rulebook that the examples exercise: fewer means that an example has lost its point.
    fewest_exercised: ClassVar[int]

    def test_every_scenario_loads_without_a_message(self, ruleset: Ruleset) -> None:
        names = ruleset.scenario_names()
        assert names
        for name in names:
            sink = Sink()
            assert ruleset.scenario(name, sink) is not None
            assert not list(sink), format_text(sink.sorted(), sink.sources, False)

    def test_every_rule_of_the_rulebook_is_cited_or_excused(self, ruleset: Ruleset) -> None:
        book = ruleset.rulebook
        assert book is not None
        rules = [name for name, section in book.sections.items() if section.status == "rule"]
        assert [name for name in rules if name not in ruleset.schema.cited] == []
        assert all(section.why for section in book.sections.values() if section.status != "rule")

    def test_examples_of_play(self, ruleset: Ruleset) -> None:
        """On the interpreter and, where a C compiler is at hand, on both back ends with equal bytes."""
        results = run_examples(ruleset)
        assert len(results) >= self.fewest_examples
        failed = [result for result in results if not result.passed]
        assert not failed, format_text([d for r in failed for d in r.failures], ruleset.sources, False)
        covered = measure_coverage(ruleset, exercised_by(ruleset, results))
        assert covered.exercised >= self.fewest_exercised
