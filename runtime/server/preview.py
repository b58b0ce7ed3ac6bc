"""What comes into an answer before it is given: the modifiers one by one and the tables that are read, with their sections.

It is played on a position that the seat could be in as far as it knows, with dice of its own; the dice themselves are left out, so
that nothing is told of what will fall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grognard.contract.header import DONE, H_RNG_HI, H_RNG_LO
from grognard.errors import GrognardError
from grognard.play.game import Step, next_step, why_played
from grognard.play.position import Position
from grognard.play.why import Reason
from grognard.play.wording import Secrecy
from grognard.server.gestures import supposed

#: Further questions of the same seat that are answered on the way to the dice.
MOST_ANSWERS = 6
#: Worlds that a seat could be in, which must agree.
WORLDS = 3
#: What is told at most.
MOST_TOLD = 24


def preview(position: Position, answers: Sequence[str], secrecy: Secrecy) -> dict[str, Any]:
    """`answers` in words, with those that were assumed behind them; `rolled`: whether dice decide; `reasons`: what modifies
    them; `unsure`: what is hidden from the seat may change more."""
    worlds = WORLDS if position.setting.program.view is not None else 1
    labels, rolled, found = _played(supposed(position), answers, secrecy)
    unsure = False
    for seed in range(2, worlds + 1):
        # Only what holds in several worlds that the seat could be in is told.
        _, _, others = _played(supposed(position, seed), answers, secrecy)
        same = {reason.format() for reason in others}
        unsure = unsure or {reason.format() for reason in found} != same
        found = [reason for reason in found if reason.format() in same]
    made: dict[str, Any] = {"answers": labels, "rolled": rolled, "reasons": _shown(found)}
    if unsure:
        made["unsure"] = True
    return made


def _played(
    position: Position, answers: Sequence[str], secrecy: Secrecy
) -> tuple[list[str], bool, list[Reason]]:
    seat = position.to_move
    step = Step(position, None, (), (), secrecy)
    start, rolled = step.position, False
    found: list[Reason] = []
    labels: list[str] = []
    wanted = list(answers)
    while len(labels) < len(answers) + MOST_ANSWERS and not rolled:
        here = step.position
        if here.to_move != seat or here.ply != start.ply or (not wanted and (found or not labels)):
            break
        offered = here.legal()
        choice = next((c for c in offered if wanted and c.name == wanted[0]), None)
        if choice is None:
            if wanted:
                break
            # On the way to the dice: what does something, rather than nothing.
            choice = next((c for c in offered if c.value != DONE), offered[0])
        wanted = wanted[1:]
        try:
            after = next_step(step, choice)
            assert after.played is not None
            # The world is made up from what the seat knows: nothing in it is a secret.
            tree = why_played(step, after.played)
        except GrognardError:
            break
        labels.append(choice.label)
        rolled = _dice(after.position) != _dice(start)
        found += _told(tree)
        step = after
    return labels, rolled, found


def _dice(position: Position) -> tuple[int, int]:
    return position.head(H_RNG_LO), position.head(H_RNG_HI)


def _told(tree: Reason) -> list[Reason]:
    """The modifiers and tables up to the second roll; of a rule that has some, all of them below it."""
    found: list[Reason] = []
    rolls = 0
    for reason in tree.walk():
        if reason.kind in ("roll", "draw"):
            rolls += 1
            if rolls > 1:
                break
        elif reason.kind == "modifiers":
            lines = [
                Reason(m.kind, m.text, m.cites, "", 0, m.value)
                for m in reason.children
                if m.kind == "modifier"
            ]
            if lines:
                found.append(Reason(reason.kind, reason.text, reason.cites, "", 0, reason.value, lines))
        elif reason.kind == "table" and rolls == 0:
            found.append(Reason(reason.kind, reason.text, reason.cites, "", 0, reason.value))
    return found


def _shown(found: list[Reason]) -> list[dict[str, Any]]:
    """Each once, modifiers before tables."""
    once = list({reason.format(): reason for reason in found}.values())
    once.sort(key=lambda reason: reason.kind != "modifiers")
    return [_plain(reason) for reason in once[:MOST_TOLD]]


def _plain(reason: Reason) -> dict[str, Any]:
    return {
        "text": reason.text,
        "cites": list(reason.cites),
        "children": [_plain(child) for child in reason.children],
    }
