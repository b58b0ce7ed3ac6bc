"""What can be done with a counter or a place that somebody points at, before anything is answered.

The answers that lead there are tried on a position that the seat could be in as far as it knows, with dice of its own: nothing
comes to light, and what is found depends on nothing that the seat may not know."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grognard.bots.knowledge import Knowledge
from grognard.contract.header import DONE, H_RNG_HI, H_RNG_LO, NONE
from grognard.contract.questions import Choice
from grognard.errors import GrognardError
from grognard.play.position import Position
from grognard.play.ways import ways_of
from grognard.server.questions import choice_data

#: Answers that are tried, and seconds spent on them; what was found until then is told.
MAX_TRIED = 400
MAX_SECONDS = 0.4
#: Actions of a menu that are looked into for what can be pointed at.
MAX_STARTS = 40
#: Answers of one gesture.
MAX_LONG = 8
#: Further questions (how much? in which way?) with more choices than this are left to be asked.
FEW = 6


@dataclass(frozen=True, slots=True)
class _Node:
    position: Position
    answers: tuple[str, ...]
    labels: tuple[str, ...]
    #: what was pointed at and has not been answered yet
    left: frozenset[str]
    #: of the pieces that were answered without being pointed at, at most one
    guessed: bool


def gestures(position: Position, wanted: Sequence[str]) -> dict[str, Any]:
    """The ways to answer with what was pointed at, in any order that the rules allow.

    `ends`: answers whose last is a place or a counter; `acts`: answers after which something else is asked, or the action is
    done."""
    root, seat = supposed(position), position.to_move
    start = _dice(root), root.ply
    first = position.question
    found: dict[str, Any] = {"ends": [], "acts": []}
    waiting = deque([_Node(root, (), (), frozenset(wanted), False)])
    tried, until = 0, time.monotonic() + MAX_SECONDS
    while waiting:
        node = waiting.popleft()
        question = node.position.question
        done = question is None or question.seat != seat or (_dice(node.position), node.position.ply) != start
        if done or question is None or (node.answers and first is not None and question.name == first.name):
            # The action is done: dice have fallen, another is asked, or the same is asked again.
            if not node.left and node.answers:
                _act(found, node)
            continue
        offered = _offered(node.position)
        on_map = any("piece" in data or "place" in data for _, data in offered)
        if not node.left and on_map:
            _ends(found, node, offered)
            continue
        for choice, data, left, guessed in _steps(node, question.kind, offered, on_map):
            if tried >= MAX_TRIED or time.monotonic() > until:
                found["cut"] = True
                return _short(found)
            tried += 1
            try:
                after = node.position.play(choice)
            except GrognardError:
                continue
            label = data["label"]
            if question.kind != "action" and "piece" not in data and "place" not in data:
                # `points` alone says nothing: paid by points.
                label = f"{question.label} {label}"
            waiting.append(_Node(after, (*node.answers, choice.name), (*node.labels, label), left, guessed))
        if not node.left and node.answers and not _branches(question.kind, offered):
            _act(found, node)
    return _short(found)


def starts(position: Position) -> dict[str, Any]:
    """What can be pointed at while the question is which action it is to be: counters and places that one of them asks for
    next, as (domain, name) and names."""
    root, seat = supposed(position), position.to_move
    start = _dice(root)
    pieces: dict[tuple[str, str], None] = {}
    places: dict[str, None] = {}
    if root.question is not None and root.question.kind == "action":
        for choice, _ in _offered(root)[:MAX_STARTS]:
            try:
                after = root.play(choice)
            except GrognardError:
                continue
            if after.to_move != seat or _dice(after) != start:
                continue
            for _, data in _offered(after):
                if "piece" in data:
                    pieces[data["domain"], data["piece"]] = None
                elif "place" in data:
                    places[data["place"]] = None
    return {"pieces": [list(piece) for piece in pieces], "places": list(places)}


def ways_after(position: Position, answers: Sequence[str]) -> dict[str, Any]:
    """What the places cost that can be chosen after these answers, and the cheapest way to each."""
    here, seat = supposed(position), position.to_move
    start = _dice(here)
    for name in answers:
        try:
            here = here.play(name)
        except GrognardError:
            return {"ways": {}}
        if here.to_move != seat or _dice(here) != start:
            return {"ways": {}}
    found = ways_of(here)
    return {"ways": {name: {"cost": cost, "path": path} for name, (cost, path) in found.items()}}


def supposed(position: Position, seed: int = 1) -> Position:
    """A position that the seat could be in as far as it knows, with other dice."""
    return Position(position.setting, Knowledge(position).sample(random.Random(seed)))


def _short(found: dict[str, Any]) -> dict[str, Any]:
    """Without detours: what takes much longer to say than other ends belongs to another action."""
    for key in ("ends", "acts"):
        least = min((len(entry["answers"]) for entry in found[key]), default=0)
        found[key] = [entry for entry in found[key] if len(entry["answers"]) <= least + 1]
    return found


def _offered(position: Position) -> list[tuple[Choice, dict[str, str]]]:
    return [(choice, data) for choice, data in choice_data(position) if choice.value not in (DONE, NONE)]


def _steps(
    node: _Node, kind: str, offered: list[tuple[Choice, dict[str, str]]], on_map: bool
) -> list[tuple[Choice, dict[str, str], frozenset[str], bool]]:
    """The answers to go on with: what was pointed at; else ways to act; else some counter that could do it."""
    if len(node.answers) >= MAX_LONG:
        return []
    pointed = [
        (choice, data, node.left - {data.get("piece", ""), data.get("place", "")}, node.guessed)
        for choice, data in offered
        if not node.left.isdisjoint(
            {data["piece"]} if "piece" in data and data["piece"] in node.left else {data.get("place", "")}
        )
    ]
    if pointed:
        return pointed
    if not on_map:
        if node.left or _branches(kind, offered):
            return [(choice, data, node.left, node.guessed) for choice, data in offered]
        return []
    if node.guessed or not node.left:
        return []
    return [(choice, data, node.left, True) for choice, data in offered]


def _branches(kind: str, offered: list[tuple[Choice, dict[str, str]]]) -> bool:
    """Whether the question is which action it is to be, or of some few ways: all of them are followed."""
    return kind == "action" or (kind != "number" and len(offered) <= FEW)


def _dice(position: Position) -> tuple[int, int]:
    return position.head(H_RNG_LO), position.head(H_RNG_HI)


def _act(found: dict[str, Any], node: _Node) -> None:
    found["acts"].append({"answers": list(node.answers), "labels": list(node.labels)})


def _ends(found: dict[str, Any], node: _Node, offered: list[tuple[Choice, dict[str, str]]]) -> None:
    for choice, data in offered:
        where: dict[str, Any] = {key: data[key] for key in ("piece", "place", "domain") if key in data}
        labels = [*node.labels, data["label"]]
        found["ends"].append({"answers": [*node.answers, choice.name], "labels": labels, **where})
