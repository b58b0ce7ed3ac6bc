"""The state graph of a procedure: every reachable chance node and terminal state; equal canonical forms are one state."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grognard.contract.backend import (
    Argument,
    Backend,
    Io,
)
from grognard.contract.header import (
    H_ASK,
    H_CHOOSER,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
    STATUS_RUNNING,
)
from grognard.odds.errors import OddsError
from grognard.odds.native_tables import ChanceTables
from grognard.odds.policy import Answers, missing_policy

#: A state is stored as its difference from the first one, in pages of this many bytes.
PAGE = 256
BATCH = 16 * PAGE
#: Answers to choices between two rolls: more is an endless loop.
MAX_ANSWERS = 100_000


@dataclass(slots=True)
class Node:
    """A chance node: (weight, target) and the total weight.  A terminal state is a negative target: -1 - its number."""

    transitions: list[tuple[int, int]] = field(default_factory=list)
    total_weight: int = 1


@dataclass(slots=True)
class Graph:
    """Chance nodes and terminal states (`ends`) by number; `start` is one or the other."""

    nodes: list[Node] = field(default_factory=list)
    ends: list[bytearray] = field(default_factory=list)
    start: int = 0
    answers: int = 0
    #: nodes that are not expanded, because an attrition model gives the distribution of their ends
    attrition_models: dict[int, Any] = field(default_factory=dict)


class Explorer:
    """Explores procedures of one chance program."""

    def __init__(
        self,
        tables: ChanceTables,
        backend: Backend,
        answers: Answers,
        title: str,
        *,
        limit: int = 2_000_000,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.program, self.layout, self.backend, self.answers = (
            tables.program,
            tables.layout,
            backend,
            answers,
        )
        self.tables, self.canonical, self.outcomes = tables, tables.canonical, tables.outcomes
        #: the native implementation of the steps, on a compiled engine
        self.native = tables.native
        self.title = title
        self.limit = limit
        self.progress = progress
        #: the policy's lines for the native code
        self.packed_policy = answers.packed()
        #: answered decisions; the native counter is shared between explorers
        self.given = 0 if self.native is None else -self.native.answered
        self.machine = -1

    # ---- one step

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument]) -> None:
        """Start the procedure on these cells and advance to the first chance node or the end."""
        self.machine = machine
        self.backend.start(cells, machine, args, self._io())
        self._advance(cells, None)

    def successor(self, parent: bytearray, outcome: Any) -> bytearray:
        """The canonical position after an outcome, at the next chance node or the end."""
        if self.native is not None:
            numbers = (outcome,) if isinstance(outcome, int) else outcome
            return self.finish(
                parent, self.native.fall(parent, array("i", [*numbers, 0]), 0, 0, *self.packed_policy)
            )
        cells = bytearray(parent)
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = self.outcomes.node_at(c)
            assert stop is not None
            self.outcomes.apply(c, stop, outcome)
            c[stop.place + 1] = stop.ask.block
            c[H_STATUS] = STATUS_RUNNING
            c[H_CHOOSER] = c[H_ASK] = NONE
        self.backend.resume(cells, self._io())
        self._advance(cells, parent)
        return cells

    def finish(self, parent: bytearray, found: tuple[bytearray, bool]) -> bytearray:
        """Complete a native step: answer the choices that the native code does not support."""
        cells, arrived = found
        if not arrived:
            self._advance(cells, parent)
        return cells

    def _io(self) -> Io:
        # An empty script: a die that is no chance node is an error, never a random roll.
        return Io(script=array("i"))

    def _advance(self, cells: bytearray, before: bytearray | None) -> None:
        for _ in range(MAX_ANSWERS):
            if self.native is not None:
                if self.native.run(cells, before, *self.packed_policy):
                    return
            elif self._at_chance_node(cells):
                break
            with memoryview(cells) as raw, raw.cast("i") as c:
                offered = self.backend.candidates(cells)
                value = self.answers.answer(cells, c, offered)
                if value is None:
                    raise missing_policy(self.answers, self.machine, cells, c, offered, self.title)
            self.given += 1
            self.backend.answer(cells, value, self._io())
        else:
            raise OddsError(f"{self.title} asks more than {MAX_ANSWERS:,} times without a roll")
        with memoryview(cells) as raw, raw.cast("i") as c:
            if before is None:
                self.canonical.canonicalise(c, None)
                return
            with memoryview(before) as other, other.cast("i") as then:
                self.canonical.canonicalise(c, then)

    def _at_chance_node(self, cells: bytearray) -> bool:
        """Whether this is a chance node or the end."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            return c[H_STATUS] != STATUS_DECISION or self.program.asks[c[H_ASK]].chance is not None

    # ---- the whole graph

    def explore(self, cells: bytearray, shortcut: Callable[[bytearray], Any] | None = None) -> Graph:
        """The graph from a chance node or terminal state.

        A node for which `shortcut` gives a model is not expanded."""
        graph = Graph()
        if shortcut is not None and not self._over(cells) and (whole := shortcut(cells)) is not None:
            graph.nodes, graph.attrition_models = [Node()], {0: whole}
            graph.answers = self._answered()
            return graph
        base = bytes(cells)
        difference = _difference if self.native is None else self.native.difference
        numbers: dict[object, int] = {}
        waiting: list[tuple[int, bytearray]] = []

        def number_of(found: bytearray) -> int:
            key = difference(base, found)
            known = numbers.get(key)
            if known is None:
                if self._over(found):
                    graph.ends.append(found)
                    known = -len(graph.ends)
                else:
                    graph.nodes.append(Node())
                    known = len(graph.nodes) - 1
                    waiting.append((known, found))
                numbers[key] = known
                if len(numbers) > self.limit:
                    raise OddsError(f"{self.title} can come to more than {self.limit:,} different positions")
            return known

        graph.start = number_of(cells)
        done = 0
        while waiting:
            number, here = waiting.pop()
            node = graph.nodes[number]
            # The shortcut was tried for the first node above.
            model = None if shortcut is None or number == 0 else shortcut(here)
            if model is not None:
                graph.attrition_models[number] = model
                continue
            with memoryview(here) as raw, raw.cast("i") as c:
                stop = self.outcomes.node_at(c)
                assert stop is not None
                node.total_weight, ways = self.outcomes.outcomes_at(c, stop)
                merged: dict[int, int] = {}
                for weight, outcome in ways:
                    target = number_of(self.successor(here, outcome))
                    merged[target] = merged.get(target, 0) + weight
                node.transitions = [(weight, target) for target, weight in merged.items()]
            done += 1
            if self.progress is not None and done % 64 == 0:
                self.progress(done, len(graph.nodes))
        graph.answers = self._answered()
        return graph

    def _over(self, cells: bytearray) -> bool:
        with memoryview(cells) as raw, raw.cast("i") as c:
            return bool(c[H_STATUS] == STATUS_OVER)

    def _answered(self) -> int:
        return self.given + (0 if self.native is None else int(self.native.answered))


def _difference(base: bytes, cells: bytearray) -> object:
    """The difference from the first state, as a dictionary key."""
    found = bytes(cells)
    # Most of a position never changes: larger blocks first.
    return tuple(
        (at, part)
        for begin in range(0, len(base), BATCH)
        if found[begin : begin + BATCH] != base[begin : begin + BATCH]
        for at in range(begin, min(begin + BATCH, len(base)), PAGE)
        if (part := found[at : at + PAGE]) != base[at : at + PAGE]
    )
