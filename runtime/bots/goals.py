"""Goal-directed sequences: several actions in a row with one aim, such as to gather at a place or to shoot at one target.

One action alone often shows no gain: the first unit that enters a defended place is too weak.  So of the counters and
places that plans name some are taken as goals.  From a plan that names a goal the seat goes on with further actions that
name it, too, made up at random otherwise, as long as that looks better.  A plan is worth what the best of its sequences is
worth: the rest of it can still be decided when its time comes.  Some sequences have no goal: several steps of one move.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from grognard.bots.determinisation import ForwardModel, generator_state, pending_question, ply_of
from grognard.bots.evaluation import ValueFunction
from grognard.bots.plans import Plan
from grognard.contract.backend import RuleFailure
from grognard.contract.header import DONE

#: Goals that are tried; plans that begin a sequence for each, and without any; actions of a sequence after the first.
MAX_GOALS = 6
STARTS = 1
FREE_STARTS = 3
MAX_LINKS = 24
#: Attempts to find the next action; ways to go on that are compared where there is no goal; actions that may pass without
#: an improvement, with a goal and without; answers of all sequences together.
ATTEMPTS = 6
COMPARED = 3
PATIENCE = {True: 12, False: 2}
MAX_ANSWERS = 900
#: Answers of one action at most.
MAX_DEPTH = 10


def follow_goals(
    model: ForwardModel,
    found: Sequence[Plan],
    root: bytearray,
    value_function: ValueFunction,
    side: int,
    generator: random.Random,
) -> None:
    """Raise the value of plans with which better sequences begin.  Only plans that are judged without dice can begin one."""
    seat = model.seat(root)
    able = [
        plan
        for plan in found
        if plan.certain_value is not None and not plan.partial and model.seat(plan.after) == seat
    ]
    able.sort(key=lambda plan: -plan.value)
    starts = _aimed(model, able, len(found))
    starts += [(plan, None) for plan in able[:FREE_STARTS]]
    budget = MAX_ANSWERS
    for plan, goal in starts:
        with model.copy_scope():
            reached, then, used = _sequence(model, plan, goal, seat, value_function, side, generator)
        budget -= used
        if reached > plan.value:
            plan.certain_value, plan.then = reached, then
            plan.total = reached * plan.weight
        if budget <= 0 or model.late():
            return


def _aimed(model: ForwardModel, able: Sequence[Plan], number: int) -> list[tuple[Plan, int | None]]:
    """Plans with goals that they name; the plans have their best order.  Goals of the best plans, and such as most can have."""
    by_goal: dict[int, list[Plan]] = defaultdict(list)
    for plan in able:
        for value in _goals(model, plan):
            by_goal[value].append(plan)
    # What every plan names is no aim.
    named = [goal for goal, plans in by_goal.items() if len(plans) < number]
    common = sorted(named, key=lambda goal: -len(by_goal[goal]))[: MAX_GOALS // 2]
    goals = [*common, *[goal for goal in named if goal not in common][: MAX_GOALS - len(common)]]
    return [(plan, goal) for goal in goals for plan in by_goal[goal][:STARTS]]


def _goals(model: ForwardModel, plan: Plan) -> set[int]:
    """The counters and places that a plan names."""
    return {
        value for value, ask in zip(plan.answers, plan.asks, strict=True) if model.concrete[ask] and value > 0
    }


def _sequence(
    model: ForwardModel,
    plan: Plan,
    goal: int | None,
    seat: int,
    value_function: ValueFunction,
    side: int,
    generator: random.Random,
) -> tuple[float, tuple[int, ...], int]:
    """The best value on the way, the answers that lead there after the plan, and how many were tried."""
    used, poor = 0, 0
    best, best_way = plan.value, plan.then
    here = plan.after
    way: tuple[int, ...] = ()
    for _ in range(MAX_LINKS):
        link: tuple[float, bytearray, tuple[int, ...]] | None = None
        compared = 0
        for _ in range(ATTEMPTS):
            made, answers, number = _action(model, here, goal, seat, generator)
            used += number
            if made is not None:
                value = value_function.value(made)[side]
                compared += 1
                if link is None or value > link[0]:
                    link = value, made, answers
                if goal is not None or compared == COMPARED:
                    break
        if link is None:
            break
        here, way = link[1], (*way, *link[2])
        poor += 1
        if link[0] > best:
            best, best_way, poor = link[0], way, 0
        if poor > PATIENCE[goal is not None]:
            break
    return best, best_way, used


def _action(
    model: ForwardModel, here: bytearray, goal: int | None, seat: int, generator: random.Random
) -> tuple[bytearray | None, tuple[int, ...], int]:
    """One action of the seat that names the goal, if there is one, with its answers and how many were tried; None if the
    attempt was none."""
    cells = model.copy(here)
    ply, dice = ply_of(here), generator_state(here)
    named = goal is None
    given: list[int] = []
    try:
        while len(given) < MAX_DEPTH and model.seat(cells) == seat:
            question, _ = pending_question(cells)
            offered = model.candidates(cells)
            if not given and model.is_menu(question):
                # To stop is always possible, and no way to go on.
                offered = [value for value in offered if value != DONE]
            if not offered:
                break
            aimed = goal is not None and goal in offered and model.concrete[question]
            named = named or aimed
            value = goal if goal is not None and aimed else generator.choice(offered)
            given.append(value)
            model.answer(cells, value)
            if generator_state(cells) != dice:
                break
            if ply_of(cells) != ply:
                if named and model.seat(cells) == seat:
                    return cells, tuple(given), len(given)
                break
    except RuleFailure:
        # A determinised position may be unreachable in play.
        pass
    return None, (), len(given) + 1
