"""Which sections of the rulebook the rules encode, and which of these the examples go through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from grognard.compiler.rulebook import NOT_APPLICABLE
from grognard.compiler.ruleset import Ruleset
from grognard.compiler.source import Span

State = Literal["exercised", "encoded", "missing", "not applicable"]


@dataclass(frozen=True, slots=True)
class SectionCoverage:
    """One section: "encoded" is cited by the rules, "exercised" is also gone through by an example."""

    id: str
    title: str
    state: State
    why: str
    #: where the rules cite it
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """All sections in the order of the rulebook; without a rulebook.yaml, the sections that the rules cite."""

    sections: tuple[SectionCoverage, ...]
    has_rulebook: bool

    def count(self, *states: State) -> int:
        return sum(section.state in states for section in self.sections)

    @property
    def rules(self) -> int:
        """Sections that are rules to encode."""
        return self.count("exercised", "encoded", "missing")

    @property
    def encoded(self) -> int:
        """Rules that are encoded, exercised or not."""
        return self.count("exercised", "encoded")

    @property
    def exercised(self) -> int:
        return self.count("exercised")

    @property
    def missing(self) -> int:
        return self.count("missing")

    @property
    def not_applicable(self) -> int:
        return self.count("not applicable")

    def __str__(self) -> str:
        return (
            f"{self.rules} rules: {self.encoded} encoded, {self.exercised} of them exercised by examples, "
            f"{self.missing} missing; {self.not_applicable} sections need no code"
        )


def measure_coverage(ruleset: Ruleset, exercised: Iterable[str] | None = None) -> Coverage:
    """The coverage of a title.  `exercised` are citations that examples went through (ExampleResult.cites);
    without it the examples are run here, on the interpreter."""
    if exercised is None:
        from grognard.examplerun import run_examples

        exercised = {cite for result in run_examples(ruleset, "interpreter") for cite in result.cites}
    through = frozenset(exercised)
    cited = ruleset.world.cited
    book = ruleset.rulebook
    if book is None:
        found = [
            SectionCoverage(name, "", "exercised" if name in through else "encoded", "", tuple(cited[name]))
            for name in sorted(cited)
        ]
        return Coverage(tuple(found), False)
    sections = []
    for section in book.sections.values():
        spans = tuple(cited.get(section.id, ()))
        state: State
        if section.status in NOT_APPLICABLE and not spans:
            state = "not applicable"
        elif section.id in through and spans:
            state = "exercised"
        else:
            state = "encoded" if spans else "missing"
        sections.append(SectionCoverage(section.id, section.title, state, section.why, spans))
    return Coverage(tuple(sections), True)


#: The same under the module's own name; the package exports the longer one, because this module hides the short one.
coverage = measure_coverage
