"""Which sections do the examples assert?  Of the mutants of each section, only until an example notices one.

A section is asserted by one mutant that is noticed, so that most of the others need not be tried: a run over a title takes
as many as there are sections and a few more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from grognard.contract.mutants import Equivalent, Mutant
from grognard.contract.ruleset import Ruleset
from grognard.play.mutation.trial import Trial, Verdict, trials


@dataclass(slots=True)
class Search:
    """The sections that mutants cite, and what has been found of them."""

    #: sections that a mutant cites
    wanted: frozenset[str]
    verdicts: list[Verdict] = field(default_factory=list)
    asserted: set[str] = field(default_factory=set)

    @property
    def open(self) -> frozenset[str]:
        return self.wanted - self.asserted


def search_sections(
    trial: Trial,
    mutants: Sequence[Mutant],
    known: Sequence[Equivalent],
    jobs: int,
    told: Callable[[Search], None] = lambda search: None,
) -> Search:
    """Try mutants until each section that they cite has one that is noticed, or none is left.

    `known` are equivalent: they are not tried.  `told` is called after each mutant."""
    counted = _counted(trial.ruleset)
    left = [m for m in mutants if counted(m) and not any(record.matches(m) for record in known)]
    # Those that the quickest examples can notice come first; whatever no example runs comes last.
    left.sort(key=lambda mutant: (not trial.candidates(mutant), trial.cost(mutant)))
    search = Search(frozenset(cite for mutant in left for cite in counted(mutant)))
    while chosen := _next(left, search.open, counted):
        taken = {mutant.number for mutant in chosen}
        left = [mutant for mutant in left if mutant.number not in taken]
        for verdict in trials(trial, chosen, jobs):
            search.verdicts.append(verdict)
            if verdict.killed:
                search.asserted.update(counted(verdict.mutant))
            told(search)
    return search


def _counted(ruleset: Ruleset) -> Callable[[Mutant], tuple[str, ...]]:
    """The sections that a mutant can assert: those of the index, or all that it cites where there is none."""
    book = ruleset.schema.rulebook
    if book is None:
        return lambda mutant: mutant.cites
    return lambda mutant: tuple(cite for cite in mutant.cites if cite in book.sections)


def _next(
    left: Sequence[Mutant], wanted: frozenset[str], counted: Callable[[Mutant], tuple[str, ...]]
) -> list[Mutant]:
    """One mutant for each section that is wanted; one that serves several counts for all of them."""

    def chosen() -> Iterator[Mutant]:
        open_ = set(wanted)
        for mutant in left:
            if not open_:
                return
            if not open_.isdisjoint(counted(mutant)):
                open_.difference_update(counted(mutant))
                yield mutant

    return list(chosen())
