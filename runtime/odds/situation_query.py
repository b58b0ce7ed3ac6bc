"""The query of a situation: its set-up is run on the smallest scenario that holds its pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from grognard.contract.backend import RuleFailure
from grognard.contract.datablock import Scenario
from grognard.contract.header import FAIL_POOL
from grognard.contract.situations import Situation
from grognard.odds.compaction import Capacity, capacities_for, sparse_domains
from grognard.odds.inline_text import Line as TextLine
from grognard.odds.policy import PolicySpec, python_choosers
from grognard.odds.query import Query
from grognard.odds.situation import OutcomeReader, PreparedSituation

if TYPE_CHECKING:
    from grognard.odds.request import OddsContext
    from grognard.play.position import Position

NO_DOMAINS: frozenset[int] = frozenset()


def situation_query(
    context: OddsContext, name_or_text: str, values: Mapping[str, Any], position: Position | None,
    policies: Sequence[PolicySpec], scenario: str | None = None, lines: Sequence[TextLine] = (),
) -> Query:  # fmt: skip
    """The query of a situation: its set-up, suspended where its procedure begins.  `lines`: the origin of its text."""
    situation = context.situation(name_or_text, lines)
    found = context.parameters(situation).values(values)
    made = _SituationSetup(context, situation, found, position, policies, scenario)
    # The sum of the numeric parameters: enough where they are numbers of counters.
    least = sum([value for value in found if isinstance(value, int)])
    capacities = (
        capacities_for(least, context.sparse.get(situation.machine, NO_DOMAINS))
        if position is None
        else (None,)
    )
    return made.query(capacities)


class _SituationSetup:
    """The set-up of a situation on the smallest scenario that has the capacity for its pieces."""

    __slots__ = (
        "context", "functions", "given", "lines", "otherwise", "position", "situation", "title", "values", "what",
    )  # fmt: skip

    def __init__(
        self, context: OddsContext, situation: Situation, values: Sequence[Any], position: Position | None,
        policies: Sequence[PolicySpec], scenario: str | None,
    ) -> None:  # fmt: skip
        self.context, self.situation, self.values, self.position = context, situation, values, position
        self.lines, self.functions, self.otherwise = context.lines(policies)
        #: the key of the policies; None if Python functions are among them
        self.given = None if self.functions else tuple([str(policy) for policy in policies])
        self.title, self.what = context.described(situation)
        if position is not None:
            self.what = position.setting.scenario.name
        elif self.what is None:
            self.what = scenario

    def query(self, capacities: Sequence[Capacity | None]) -> Query:
        """The query with the first capacity that suffices; None is the capacity that the rules declare."""
        sparse, machine = self.context.sparse, self.situation.machine
        for number, capacity in enumerate(capacities):
            prepared = self.context.prepared_situation(self.situation, self.what, capacity)
            if prepared is None:
                continue
            try:
                query = self._on(prepared)
            except RuleFailure as failure:
                if failure.kind == FAIL_POOL and capacity is not None:
                    continue
                raise _error(self.context, prepared.extended, failure) from failure
            if capacity is None:
                return query
            if not capacity.sparse:
                hardly = sparse_domains(query.program, query.layout, query.cells)
                learnt = hardly & sparse.get(machine, hardly)
                # The same domains as before: their pieces overflowed when they came into play later.
                sparse[machine] = frozenset() if learnt == sparse.get(machine) else learnt
                if sparse[machine]:
                    return self.query([Capacity(capacity.pieces, learnt), *capacities[number:]])
            query.with_more_capacity = partial(self.query, capacities[number + 1 :])
            return query
        raise AssertionError("no scenario at all")

    def _on(self, prepared: PreparedSituation) -> Query:
        setting = prepared.setting
        suspended, args, base = prepared.set_up(self.values, self.position)
        lines = None if self.given is None else prepared.lines.get(self.given)
        if lines is None:
            lines = self.context.bind(prepared.interpreter, self.lines)
            if self.given is not None:
                prepared.lines[self.given] = lines
        query = Query(setting, self.title, self.situation.target, args, base, lines)
        if self.functions:
            query.choosers = python_choosers(setting, self.functions)
        query.otherwise = self.otherwise
        if prepared.labels:
            query.labels = prepared.labels
            query.read = reader = OutcomeReader(prepared, suspended)
            query.read_key = reader.key()
            query.named_pieces = prepared.named_pieces(suspended)
        return query


def _error(context: OddsContext, scenario: Scenario, failure: RuleFailure) -> Exception:
    from grognard.errors import rule_error
    from grognard.play.wording import Names

    return rule_error(
        failure, context.program, Names(context.program, scenario.layout, scenario.data).element
    )
