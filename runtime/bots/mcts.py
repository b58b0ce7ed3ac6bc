"""Monte-Carlo tree search over what a seat knows (information sets), with positions imagined anew in every iteration.

The tree follows answers, not positions: dice and hidden things differ from one iteration to the next, and an answer's
statistics are taken over all of them.  It is walked answer by answer, so that actions of many answers are searched
like any others.  Where the title says how well a side stands, positions are judged a few plies later, and whenever a
seat begins one of them in the tree, all that it can do is judged first: so an action is weighed against the best reply,
not against any.  Else games are played to their end.
"""

from __future__ import annotations

import math
import random
from itertools import cycle, islice

from grognard.bots.base import Bot
from grognard.bots.greedy import best_plans
from grognard.bots.judge import Scale
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan, judged, plans
from grognard.bots.worlds import LONGEST, Worlds, ply_of, question_of
from grognard.machineio import RuleFailure

ITERATIONS = 1000
#: Weight of what was tried less often: where positions are judged by eye, and where games are played to their end.
EXPLORATION = 0.4
EXPLORATION_OF_GAMES = 0.7
#: Positions imagined for one decision; iterations go through them in turn, each with dice of its own.
GUESSES = 40
#: Plies that are looked ahead where positions can be judged by eye: always as many, for to have moved last is worth something.
HORIZON = 2
#: What a judgement by one action weighs against iterations.
TRUST = 2.0
#: Children of a node with n visits: WIDTH * n ** GROWTH, where nothing says which are the better ones.
WIDTH = 2.0
GROWTH = 0.5
#: Plans that are judged first, and how often each is tried.
PLANS = 200
FIRST_TRIES = ((1.0, 2), (0.25, 4))
#: The same in the tree, each tried once.
REPLIES = 40
#: A walk down the tree ends after so many answers.
DEEPEST = 60

Key = tuple[int, int, int]


class Node:
    """An answer, or the start: how often it was gone through and what came of it."""

    __slots__ = ("available", "children", "judged", "totals", "tried", "visits")

    def __init__(self, sides: int) -> None:
        #: visits with those that judgements count for; iterations that came through
        self.visits = 0.0
        self.tried = 0
        self.available = 0
        self.totals = [0.0] * sides
        self.children: dict[Key, Node] = {}
        #: whether its children come from a judgement of all that can be done here
        self.judged = False

    def add(self, worth: list[float], weight: float = 1.0) -> None:
        self.visits += weight
        for side, value in enumerate(worth):
            self.totals[side] += weight * value

    def count(self, worth: list[float]) -> None:
        """An iteration.  The first one takes the place of the judgement, which did not look as far."""
        if not self.tried:
            self.visits, self.totals = 0.0, [0.0] * len(self.totals)
        self.tried += 1
        self.add(worth)


class Range:
    """The least and the greatest worth met in a search: what counts as much or little follows from it."""

    def __init__(self) -> None:
        self.least = math.inf
        self.most = -math.inf

    def meet(self, worth: list[float]) -> None:
        self.least = min(self.least, *worth)
        self.most = max(self.most, *worth)

    def share(self, worth: float) -> float:
        width = self.most - self.least
        return (worth - self.least) / width if width > 1e-9 else 0.5


class Mcts(Bot):
    """Plays the answer that the search came back to most often."""

    name = "mcts"

    def __init__(self, seed: int = 1, iterations: int = ITERATIONS, horizon: int = HORIZON) -> None:
        super().__init__(seed)
        self.iterations = iterations
        self.horizon = horizon
        self._kept: tuple[tuple[int, int], Node] | None = None
        self._range = Range()

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        worlds = self.worlds(knowledge)
        scale = self._scale(knowledge, worlds, generator)
        self._range = Range()
        root = self._begin(knowledge, worlds, scale, generator)
        if scale is not None:
            guesses = 1 if knowledge.complete else min(GUESSES, self.iterations)
            for known in islice(
                cycle([knowledge.sample(generator) for _ in range(guesses)]), self.iterations
            ):
                with worlds.scratch():
                    cells = worlds.copy(known)
                    worlds.reseed(cells, generator)
                    self._iterate(knowledge, worlds, root, cells, scale, generator)
        ask = knowledge.moment[2]
        tried = {
            value: node
            for value in knowledge.values
            if (node := root.children.get((ask, knowledge.seat_number, value))) is not None
        }
        if not tried:
            return generator.choice(knowledge.values)
        side = worlds.judge.side_of(knowledge.seat_number)
        best = max(tried, key=lambda v: (tried[v].visits, tried[v].totals[side] / max(tried[v].visits, 1e-9)))
        ply, epoch, _ = knowledge.moment
        self._kept = ((ply, epoch + 1), tried[best])
        return best

    def _begin(
        self, knowledge: Knowledge, worlds: Worlds, scale: Scale | None, generator: random.Random
    ) -> Node:
        """What is left of the last search, if nothing happened since; else a tree with first judgements."""
        ply, epoch, ask = knowledge.moment
        kept, self._kept = self._kept, None
        if kept is not None and kept[0] == (ply, epoch):
            mine = [k for k in kept[1].children if k[:2] == (ask, knowledge.seat_number)]
            if mine:
                return kept[1]
        root = Node(worlds.judge.sides)
        if worlds.judge.by_eye and scale is not None:
            self._judge_first(knowledge, worlds, root, scale, generator)
        return root

    def _judge_first(
        self, knowledge: Knowledge, worlds: Worlds, root: Node, scale: Scale, generator: random.Random
    ) -> None:
        """Give each answer of the present action the worth of the best plan that goes through it."""
        side = worlds.judge.side_of(knowledge.seat_number)
        found = best_plans(worlds, knowledge, PLANS, generator, scale, FIRST_TRIES)
        self._plant(worlds, root, found, knowledge.seat_number, side)

    def _judge_here(
        self, worlds: Worlds, node: Node, cells: bytearray, scale: Scale, generator: random.Random
    ) -> None:
        """The same for a seat that begins an action in the tree, more cursorily."""
        node.judged = True
        seat = worlds.seat(cells)
        side = worlds.judge.side_of(seat)
        with worlds.scratch():
            found = plans(worlds, worlds.candidates(cells), cells, REPLIES, generator)
            for plan in found:
                plan.add(judged(worlds, plan.before, plan.after, scale, generator)[side])
        self._plant(worlds, node, found, seat, side)

    def _plant(self, worlds: Worlds, root: Node, found: list[Plan], seat: int, side: int) -> None:
        """Nodes for plans; each has the worth of the best plan that goes through it."""
        met: set[int] = set()
        for plan in sorted(found, key=lambda plan: -plan.worth):
            others = (1 - plan.worth) / max(worlds.judge.sides - 1, 1)
            worth = [plan.worth if s == side else others for s in range(worlds.judge.sides)]
            self._range.meet(worth)
            node = root
            for ask, value in zip(plan.asks, plan.answers, strict=True):
                node.judged = True
                key = (ask, seat, value)
                child = node.children.get(key)
                if child is None:
                    child = node.children[key] = Node(worlds.judge.sides)
                if id(child) not in met:
                    met.add(id(child))
                    child.add(worth, TRUST)
                node = child

    def _scale(self, knowledge: Knowledge, worlds: Worlds, generator: random.Random) -> Scale | None:
        for _ in range(8):
            try:
                return worlds.scale(knowledge.sample(generator), generator, self.horizon)
            except RuleFailure:
                continue
        return None

    def _iterate(
        self,
        knowledge: Knowledge,
        worlds: Worlds,
        root: Node,
        cells: bytearray,
        scale: Scale,
        generator: random.Random,
    ) -> None:
        path = [root]
        try:
            node = root
            start = ply = ply_of(cells)
            by_eye = worlds.judge.by_eye
            for depth in range(DEEPEST):
                if worlds.seat(cells) < 0 or (by_eye and ply_of(cells) - start >= self.horizon):
                    break
                legal = worlds.candidates(cells)
                if depth == 0:
                    allowed = set(knowledge.values)
                    legal = [value for value in legal if value in allowed]
                    if not legal:
                        return
                if ply_of(cells) != ply:
                    ply = ply_of(cells)
                    if by_eye and not node.judged:
                        self._judge_here(worlds, node, cells, scale, generator)
                ask, _ = question_of(cells)
                value, child, fresh = self._pick(worlds, node, ask, worlds.seat(cells), legal, generator)
                worlds.answer(cells, value)
                path.append(child)
                node = child
                if fresh and not by_eye:
                    break
            if not by_eye:
                worlds.wander(cells, generator, LONGEST, LONGEST)
            worth = scale.worth(cells)
            self._range.meet(worth)
        except RuleFailure:
            # An imagined position can be one that no game comes to: it teaches nothing.
            return
        for node in path:
            node.count(worth)

    def _pick(
        self, worlds: Worlds, node: Node, ask: int, seat: int, legal: list[int], generator: random.Random
    ) -> tuple[int, Node, bool]:
        """The answer to look into, its node, and whether that is new."""
        side = worlds.judge.side_of(seat)
        children = node.children
        known = [(value, child) for value in legal if (child := children.get((ask, seat, value))) is not None]
        room = WIDTH * max(node.visits, 1) ** GROWTH
        if len(known) < len(legal) and len(known) < room and not (node.judged and known):
            have = {value for value, _ in known}
            value = generator.choice([v for v in legal if v not in have])
            child = children[ask, seat, value] = Node(worlds.judge.sides)
            for _, other in known:
                other.available += 1
            child.available = 1
            return value, child, True
        weight = EXPLORATION if worlds.judge.by_eye else EXPLORATION_OF_GAMES
        best, chosen = -1.0, known[0]
        for value, child in known:
            child.available += 1
            if child.visits <= 0:
                return value, child, True
            bound = self._range.share(child.totals[side] / child.visits) + weight * math.sqrt(
                math.log(child.available + 1) / child.visits
            )
            if bound > best:
                best, chosen = bound, (value, child)
        return chosen[0], chosen[1], False
