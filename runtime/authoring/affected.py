"""Which examples of play a change can affect: those that ran what has changed, when they were run last.

Each run of an example leaves the declarations that it went through, and the tables and kinds that these read.  What an example did
not touch it need not be run for again.  Where a change may reach further (a map, a field, the sequence of play), all are run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes
from grognard.play.mutation.touched import RAN
from grognard.play.mutation.trial import WatchedRunner

if TYPE_CHECKING:
    from grognard.contract.differences import ChangedSection
    from grognard.contract.ruleset import Ruleset
    from grognard.play.examples import ExampleResult

#: Declarations whose change is seen where they run; all others may matter anywhere.
SEEN_WHERE_RUN = frozenset(
    {"rule", "exception", "modifiers", "procedure", "action", "table", "kind", "movement"}
)
#: What no example of play depends on.
NEVER = frozenset({"example", "situation", "policy", "victory", "evaluation"})


@dataclass(slots=True)
class Record:
    """What the last run of each example, by its title, went through: names of declarations."""

    touched: dict[str, frozenset[str]] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)


class _Owners:
    """From the identities of code that ran to the names of declarations, tables and kinds."""

    def __init__(self, ruleset: Ruleset) -> None:
        program = ruleset.example_program
        columns = {
            info.column: dom.name
            for dom in ruleset.schema.doms
            for info in dom.fields.values()
            if info.column is not None
        }
        self.names: dict[int, frozenset[str]] = {}
        for function in program.functions:
            owner = program.sites[function.site].owner or function.name.partition(" ")[0]
            self._add(function, owner, columns, program)
        for machine in program.machines:
            owner = program.sites[machine.site].owner or machine.name.partition(" ")[0]
            for part in (machine, *machine.blocks):
                self._add(part, owner, columns, program)

    def _add(self, part: Any, owner: str, columns: dict[int, str], program: ir.Program) -> None:
        reads: set[str] = {owner}
        for node in nodes(part):
            table, column = getattr(node, "table", None), getattr(node, "column", None)
            movement, domain = getattr(node, "movement", None), getattr(node, "domain", None)
            if isinstance(table, int):
                reads.add(program.tables[table].name)
            if isinstance(column, int) and column in columns:
                reads.add(columns[column])
            if isinstance(movement, int):
                reads.add(program.movements[movement].name)
            if isinstance(domain, int):
                # It runs over all rows of a kind: one more may matter.
                reads.add(program.domains[domain].name)
        known = frozenset(reads)
        self.names[id(part)] = known
        # Statements are told one by one; what they are in reads the same.
        for node in nodes(part):
            self.names.setdefault(id(node), known)

    def of(self, ran: Iterable[int]) -> frozenset[str]:
        found: set[str] = set()
        for number in ran:
            found |= self.names.get(number, frozenset())
        return frozenset(found)


def run_watched(
    ruleset: Ruleset, record: Record, told: Callable[[int], None] = lambda done: None
) -> list[ExampleResult]:
    """Run the examples of a ruleset, and write down what they went through."""
    runner = WatchedRunner(ruleset)
    owners = _Owners(ruleset)
    results = []
    for number, example in enumerate(ruleset.examples, 1):
        RAN.clear()
        result = runner.run(example)
        record.touched[example.title] = owners.of(RAN)
        (record.failing.discard if result.passed else record.failing.add)(example.title)
        results.append(result)
        told(number)
    RAN.clear()
    return results


def affected(examples: Sequence[str], sections: Sequence[ChangedSection], record: Record) -> list[str]:
    """The titles of the examples that these changes can affect; those that failed before, and new ones, always."""
    changes = [change for section in sections for change in section.changes]
    restated = {change.name for change in changes if change.what == "example"}
    sorts = {change.what for change in changes} - NEVER
    if any(section.notes for section in sections) or not sorts <= SEEN_WHERE_RUN:
        return list(examples)
    names = {
        change.name.split(" ")[0] if change.what == "exception" else change.name
        for change in changes
        if change.what not in NEVER
    }
    return [
        title
        for title in examples
        if title in restated
        or title in record.failing
        or title not in record.touched
        or not names.isdisjoint(record.touched[title])
    ]
