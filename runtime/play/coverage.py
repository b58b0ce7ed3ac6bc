"""Which sections of the rulebook the rules encode, and which of these the examples go through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from grognard.contract.rulebook import NOT_APPLICABLE
from grognard.contract.ruleset import Ruleset
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.play.examples import ExampleResult

State = Literal["exercised", "encoded", "missing", "not applicable"]


@dataclass(frozen=True, slots=True)
class SectionCoverage:
    """One section: "encoded" is cited by the rules, "exercised" is also gone through by an example.

    Only what runs can be gone through; where nothing but declarations cite a section (a kind, a secret, how lines
    along a hexside are taken), it is exercised by a passing example that names it."""

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
    """The coverage of a title.  `exercised` are citations that examples exercise (`exercised_by`); without it the
    examples are run here, on the interpreter."""
    if exercised is None:
        from grognard.play.examples import run_examples

        exercised = exercised_by(ruleset, run_examples(ruleset, "interpreter"))
    through = frozenset(exercised)
    cited = ruleset.schema.cited
    book = ruleset.schema.rulebook
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


def exercised_by(ruleset: Ruleset, results: Iterable[ExampleResult]) -> set[str]:
    """The citations that examples went through, and those of declarations alone that passing examples name."""
    runs = {cite for site in ruleset.program.sites for cite in site.cites}
    headings = {(example.span.file, example.span.line) for example in ruleset.examples}
    declared = {
        cite
        for cite, spans in ruleset.schema.cited.items()
        if cite not in runs and any((span.file, span.line) not in headings for span in spans)
    }
    found: set[str] = set()
    for result in results:
        found |= result.cites
        if result.passed:
            found |= declared.intersection(result.example.cites)
    return found


#: The same under the module's own name; the package exports the longer one, because this module hides the short one.
coverage = measure_coverage
