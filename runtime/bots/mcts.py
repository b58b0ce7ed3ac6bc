"""Information-set Monte-Carlo tree search (ISMCTS).

Where the title has a static evaluation, completed actions are searched instead: `action_tree`.  Otherwise each
iteration is a rollout to the end of the game from a determinisation.  The nodes of the tree are answers, not positions:
dice and hidden information differ between iterations, and the statistics of an answer are taken over all of them.
"""

from __future__ import annotations

import math
import random
from itertools import cycle, islice

from grognard.bots.action_tree import ActionTreeSearch
from grognard.bots.base import Bot
from grognard.bots.determinisation import (
    MAX_ANSWERS,
    ForwardModel,
    pending_question,
)
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import PlannedAnswers
from grognard.contract.backend import RuleFailure

#: Iterations for a decision: rollouts to the end of the game, or samples of plans, which take longer.
ROLLOUT_ITERATIONS = 1000
PLAN_ITERATIONS = 200
#: Shares of the time for a decision: for the first look at all plans; after which nothing new is begun.
PRIOR_SHARE = 0.4
IN_TIME = 0.85
#: Turns of a continuation in the action tree: a fixed number, because the last mover has an advantage.
LOOKAHEAD_TURNS = 2
#: Iterations where the clock ends them.
ENDLESS = 10_000_000
#: The exploration constant of UCB.
EXPLORATION = 0.7
#: Determinisations for one decision; iterations go through them in turn, each with new dice.
DETERMINISATIONS = 40
#: Progressive widening: a node with n visits has at most WIDENING_FACTOR * n ** WIDENING_EXPONENT children.
WIDENING_FACTOR = 8.0
WIDENING_EXPONENT = 0.5
#: The greatest depth of the tree, in answers.
MAX_DEPTH = 60

Key = tuple[int, int, int]


class Node:
    """An answer, or the root: its visits, how often it was available, and the total payoff of each side."""

    __slots__ = ("available", "children", "totals", "visits")

    def __init__(self, sides: int) -> None:
        self.visits = 0
        self.available = 0
        self.totals = [0.0] * sides
        self.children: dict[Key, Node] = {}

    def add_visit(self, payoffs: list[float]) -> None:
        self.visits += 1
        for side, payoff in enumerate(payoffs):
            self.totals[side] += payoff


class Mcts(Bot):
    """Plays the best answer of the search."""

    name = "mcts"

    def __init__(
        self,
        seed: int = 1,
        iterations: int | None = None,
        turns: int = LOOKAHEAD_TURNS,
        seconds: float | None = None,
    ) -> None:
        super().__init__(seed, seconds)
        self.iterations = iterations
        self.turns = turns
        self._planned = PlannedAnswers()
        self._subtree: tuple[tuple[int, int], Node] | None = None

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        model = self.model(knowledge)
        if not model.evaluator.is_static:
            return self._search_by_rollouts(knowledge, model, generator)
        next_answer = self._planned.next_answer(knowledge)
        if next_answer is not None:
            return next_answer
        search = ActionTreeSearch(model, knowledge, self.turns, generator)
        self.allow(PRIOR_SHARE)
        begun = search.begin()
        self.allow(IN_TIME)
        answers = search.search(self.iterations or PLAN_ITERATIONS) if begun else None
        if answers is None:
            return generator.choice(knowledge.values)
        self._planned.store(knowledge, answers[1:])
        return answers[0]

    def _search_by_rollouts(self, knowledge: Knowledge, model: ForwardModel, generator: random.Random) -> int:
        root = self._root(knowledge, model)
        iterations = self.iterations or ROLLOUT_ITERATIONS
        determinisations = 1 if knowledge.complete else min(DETERMINISATIONS, iterations)
        for known in islice(
            cycle([knowledge.sample(generator) for _ in range(determinisations)]),
            iterations if self.seconds is None else ENDLESS,
        ):
            if model.late():
                break
            with model.copy_scope():
                cells = model.copy(known)
                model.reseed(cells, generator)
                self._iterate(knowledge, model, root, cells, generator)
        ask = knowledge.moment[2]
        tried = {
            value: node
            for value in knowledge.values
            if (node := root.children.get((ask, knowledge.seat_number, value))) is not None
        }
        if not tried:
            return generator.choice(knowledge.values)
        side = model.evaluator.side_of(knowledge.seat_number)
        best = max(tried, key=lambda v: (tried[v].visits, tried[v].totals[side] / max(tried[v].visits, 1)))
        ply, epoch, _ = knowledge.moment
        self._subtree = ((ply, epoch + 1), tried[best])
        return best

    def _root(self, knowledge: Knowledge, model: ForwardModel) -> Node:
        """The subtree of the last search, if no other seat has decided since; else a new root."""
        ply, epoch, ask = knowledge.moment
        kept, self._subtree = self._subtree, None
        if kept is not None and kept[0] == (ply, epoch):
            mine = [k for k in kept[1].children if k[:2] == (ask, knowledge.seat_number)]
            if mine:
                return kept[1]
        return Node(model.evaluator.sides)

    def _iterate(
        self,
        knowledge: Knowledge,
        model: ForwardModel,
        root: Node,
        cells: bytearray,
        generator: random.Random,
    ) -> None:
        path = [root]
        try:
            node = root
            for depth in range(MAX_DEPTH):
                if model.seat(cells) < 0:
                    break
                legal = model.candidates(cells)
                if depth == 0:
                    allowed = set(knowledge.values)
                    legal = [value for value in legal if value in allowed]
                    if not legal:
                        return
                ask, _ = pending_question(cells)
                value, child, fresh = self._select(model, node, ask, model.seat(cells), legal, generator)
                model.answer(cells, value)
                path.append(child)
                node = child
                if fresh:
                    break
            model.random_rollout(cells, generator, MAX_ANSWERS, MAX_ANSWERS)
            payoffs = model.evaluator.outcome(cells) or [0.5] * model.evaluator.sides
        except RuleFailure:
            # A determinised position may be unreachable in play: the iteration is dropped.
            return
        for node in path:
            node.add_visit(payoffs)

    def _select(
        self, model: ForwardModel, node: Node, ask: int, seat: int, legal: list[int], generator: random.Random
    ) -> tuple[int, Node, bool]:
        """Selection by UCB with progressive widening: the answer, its node, and whether the node is new."""
        side = model.evaluator.side_of(seat)
        children = node.children
        known = [(value, child) for value in legal if (child := children.get((ask, seat, value))) is not None]
        width = WIDENING_FACTOR * max(node.visits, 1) ** WIDENING_EXPONENT
        if len(known) < len(legal) and len(known) < width:
            have = {value for value, _ in known}
            value = generator.choice([v for v in legal if v not in have])
            child = children[ask, seat, value] = Node(model.evaluator.sides)
            for _, other in known:
                other.available += 1
            child.available = 1
            return value, child, True
        best, chosen = -1.0, known[0]
        for value, child in known:
            child.available += 1
            if child.visits <= 0:
                return value, child, True
            bound = child.totals[side] / child.visits + EXPLORATION * math.sqrt(
                math.log(child.available + 1) / child.visits
            )
            if bound > best:
                best, chosen = bound, (value, child)
        return chosen[0], chosen[1], False
