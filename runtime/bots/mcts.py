"""Monte-Carlo tree search over what a seat knows (information sets), with positions imagined anew.

Where the title says how well a side stands, the tree is one of completed actions, judged some turns later: `foresight`.
Else games are played to their end, and the tree follows answers, not positions: dice and hidden things differ from one
iteration to the next, and an answer's statistics are taken over all of them.
"""

from __future__ import annotations

import math
import random
from itertools import cycle, islice

from grognard.bots.action_tree import Foresight
from grognard.bots.base import Bot
from grognard.bots.determinisation import (
    LONGEST,
    Worlds,
    question_of,
)
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Course
from grognard.contract.backend import RuleFailure

#: Iterations for a decision: games played to their end, or tries of actions that are judged by eye, which take longer.
GAMES = 1000
TRIES = 200
#: Turns that are looked ahead where positions can be judged by eye: always as many, for to have moved last is worth something.
TURNS = 2
#: Weight of what was tried less often, where games are played to their end.
EXPLORATION = 0.7
#: Positions imagined for one decision; iterations go through them in turn, each with dice of its own.
GUESSES = 40
#: Children of a node with n visits: WIDTH * n ** GROWTH.
WIDTH = 8.0
GROWTH = 0.5
#: A walk down the tree ends after so many answers.
DEEPEST = 60

Key = tuple[int, int, int]


class Node:
    """An answer, or the start: how often it was gone through and what came of it."""

    __slots__ = ("available", "children", "totals", "visits")

    def __init__(self, sides: int) -> None:
        self.visits = 0
        self.available = 0
        self.totals = [0.0] * sides
        self.children: dict[Key, Node] = {}

    def count(self, worth: list[float]) -> None:
        self.visits += 1
        for side, value in enumerate(worth):
            self.totals[side] += value


class Mcts(Bot):
    """Plays what the search found best."""

    name = "mcts"

    def __init__(self, seed: int = 1, iterations: int | None = None, turns: int = TURNS) -> None:
        super().__init__(seed)
        self.iterations = iterations
        self.turns = turns
        self._course = Course()
        self._kept: tuple[tuple[int, int], Node] | None = None

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        worlds = self.worlds(knowledge)
        if not worlds.judge.by_eye:
            return self._play_games(knowledge, worlds, generator)
        going_on = self._course.follow(knowledge)
        if going_on is not None:
            return going_on
        answers = Foresight(worlds, knowledge, self.turns, generator).search(self.iterations or TRIES)
        if answers is None:
            return generator.choice(knowledge.values)
        self._course.keep(knowledge, answers[1:])
        return answers[0]

    def _play_games(self, knowledge: Knowledge, worlds: Worlds, generator: random.Random) -> int:
        root = self._begin(knowledge, worlds)
        iterations = self.iterations or GAMES
        guesses = 1 if knowledge.complete else min(GUESSES, iterations)
        for known in islice(cycle([knowledge.sample(generator) for _ in range(guesses)]), iterations):
            with worlds.scratch():
                cells = worlds.copy(known)
                worlds.reseed(cells, generator)
                self._iterate(knowledge, worlds, root, cells, generator)
        ask = knowledge.moment[2]
        tried = {
            value: node
            for value in knowledge.values
            if (node := root.children.get((ask, knowledge.seat_number, value))) is not None
        }
        if not tried:
            return generator.choice(knowledge.values)
        side = worlds.judge.side_of(knowledge.seat_number)
        best = max(tried, key=lambda v: (tried[v].visits, tried[v].totals[side] / max(tried[v].visits, 1)))
        ply, epoch, _ = knowledge.moment
        self._kept = ((ply, epoch + 1), tried[best])
        return best

    def _begin(self, knowledge: Knowledge, worlds: Worlds) -> Node:
        """What is left of the last search, if nothing happened since."""
        ply, epoch, ask = knowledge.moment
        kept, self._kept = self._kept, None
        if kept is not None and kept[0] == (ply, epoch):
            mine = [k for k in kept[1].children if k[:2] == (ask, knowledge.seat_number)]
            if mine:
                return kept[1]
        return Node(worlds.judge.sides)

    def _iterate(
        self,
        knowledge: Knowledge,
        worlds: Worlds,
        root: Node,
        cells: bytearray,
        generator: random.Random,
    ) -> None:
        path = [root]
        try:
            node = root
            for depth in range(DEEPEST):
                if worlds.seat(cells) < 0:
                    break
                legal = worlds.candidates(cells)
                if depth == 0:
                    allowed = set(knowledge.values)
                    legal = [value for value in legal if value in allowed]
                    if not legal:
                        return
                ask, _ = question_of(cells)
                value, child, fresh = self._pick(worlds, node, ask, worlds.seat(cells), legal, generator)
                worlds.answer(cells, value)
                path.append(child)
                node = child
                if fresh:
                    break
            worlds.wander(cells, generator, LONGEST, LONGEST)
            worth = worlds.judge.outcome(cells) or [0.5] * worlds.judge.sides
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
        if len(known) < len(legal) and len(known) < room:
            have = {value for value, _ in known}
            value = generator.choice([v for v in legal if v not in have])
            child = children[ask, seat, value] = Node(worlds.judge.sides)
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
