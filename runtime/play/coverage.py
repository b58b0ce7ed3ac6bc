"""Which sections of the rulebook the rules encode, which the examples go through, and which they assert.

Four things are told apart.  A section is *cited by code* if a line that does something cites it; *run* if an example goes
through such a line; *asserted* if an example notices when such a line is changed (play/mutation); *not applicable* if the
rulebook's index says so, with its reason.  The heading of an example encodes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from grognard.contract.examples import in_examples
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
    along a hexside are taken), it is exercised by a passing example that names it, and never run or asserted."""

    id: str
    title: str
    state: State
    why: str
    #: where the rules cite it; headings of examples do not count
    spans: tuple[Span, ...]
    #: whether a line that runs cites it
    code: bool = False
    #: whether an example goes through such a line
    run: bool = False
    #: whether an example notices a change of such a line; None: nobody has tried
    asserted: bool | None = None
    #: changes of such lines that examples notice, and all of them
    noticed: tuple[int, int] = (0, 0)


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

    @property
    def code(self) -> int:
        """Rules that a line that runs cites."""
        return sum(section.code for section in self.sections)

    @property
    def declared(self) -> int:
        """Rules that only declarations cite: nothing of them runs."""
        return self.encoded - self.code

    @property
    def run(self) -> int:
        return sum(section.run for section in self.sections)

    @property
    def asserted(self) -> int | None:
        """Rules that an example asserts; None: nobody has tried."""
        if all(section.asserted is None for section in self.sections):
            return None
        return sum(section.asserted is True for section in self.sections)

    @property
    def justified(self) -> int:
        """Rules that no example asserts, with a reason in the rulebook's index why none can."""
        return sum(justified(section) for section in self.sections)

    def __str__(self) -> str:
        return (
            f"{self.rules} rules: {self.encoded} encoded, {self.exercised} of them exercised by examples, "
            f"{self.missing} missing; {self.not_applicable} sections need no code"
        )


def justified(section: SectionCoverage) -> bool:
    """Whether the index says why no example can assert this rule (`why` of a section that is a rule)."""
    return section.state in ("encoded", "exercised") and section.asserted is not True and bool(section.why)


def measure_coverage(
    ruleset: Ruleset,
    exercised: Iterable[str] | None = None,
    noticed: Mapping[str, tuple[int, int]] | None = None,
) -> Coverage:
    """The coverage of a title.  `exercised` are citations that examples exercise (`exercised_by`); without it the
    examples are run here, on the interpreter.  `noticed`: for each section how many changes of lines that cite it
    examples notice, of how many (`play.mutation.score`)."""
    if exercised is None:
        from grognard.play.examples import run_examples

        exercised = exercised_by(ruleset, run_examples(ruleset, "interpreter"))
    through = frozenset(exercised)
    cited = cited_by_rules(ruleset)
    lines = _lines(ruleset)
    if noticed is not None:
        # What can be changed does something, even if it leaves no trace when it runs: a column, a table.
        lines |= noticed.keys() & cited.keys()

    def section(name: str, title: str, state: State, why: str) -> SectionCoverage:
        code = name in lines and state != "missing"
        counts = (noticed or {}).get(name, (0, 0))
        asserted = None if noticed is None else code and counts[0] > 0
        # What only finds candidates leaves no trace; an example that notices its change has run it.
        run = code and (name in through or counts[0] > 0)
        spans = cited.get(name, ())
        return SectionCoverage(name, title, state, why, spans, code, run, asserted, counts)

    book = ruleset.schema.rulebook
    if book is None:
        found = [section(n, "", "exercised" if n in through else "encoded", "") for n in sorted(cited)]
        return Coverage(tuple(found), False)
    sections = []
    for entry in book.sections.values():
        state: State
        if entry.status in NOT_APPLICABLE and entry.id not in cited:
            state = "not applicable"
        elif entry.id in through and entry.id in cited:
            state = "exercised"
        else:
            state = "encoded" if entry.id in cited else "missing"
        sections.append(section(entry.id, entry.title, state, entry.why))
    return Coverage(tuple(sections), True)


def cited_by_rules(ruleset: Ruleset) -> dict[str, tuple[Span, ...]]:
    """Where the rules cite each section; headings of examples and situations, and helpers of examples, encode nothing."""
    headings = {(example.span.file, example.span.line) for example in ruleset.examples}
    headings |= {(known.ground.span.file, known.ground.span.line) for known in ruleset.situations.values()}
    found: dict[str, tuple[Span, ...]] = {}
    for name, spans in ruleset.schema.cited.items():
        kept = tuple(
            span
            for span in spans
            if (span.file, span.line) not in headings and not in_examples(span.file, ruleset.about.folder)
        )
        if kept:
            found[name] = kept
    return found


def _lines(ruleset: Ruleset) -> set[str]:
    """Sections that are cited by something that runs."""
    folder = ruleset.about.folder
    return {
        cite for site in ruleset.program.sites if not in_examples(site.file, folder) for cite in site.cites
    }


def exercised_by(ruleset: Ruleset, results: Iterable[ExampleResult]) -> set[str]:
    """The citations that examples went through, and those of declarations alone that passing examples name."""
    runs = _lines(ruleset)
    declared = {cite for cite in cited_by_rules(ruleset) if cite not in runs}
    found: set[str] = set()
    for result in results:
        found |= result.cites
        if result.passed:
            found |= declared.intersection(result.example.cites)
    return found


#: The same under the module's own name; the package exports the longer one, because this module hides the short one.
coverage = measure_coverage
