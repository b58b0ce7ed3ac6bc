"""Why an answer is not offered: what the question wants, and which of its conditions the thing asked about does not meet."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.header import H_ASK
from grognard.play.position import Position
from grognard.play.refusals import menu, refusals
from grognard.server.mistakes import missing
from grognard.support.suggest import hint_for


def why_not(position: Position, what: str) -> dict[str, Any]:
    """Of a name that the question could be answered with in another position; MISSING for what is none.  Of `*`: all actions
    of a menu that are not offered."""
    question = position.question
    assert question is not None
    legal = position.legal()
    if what == "*":
        return {"what": what, "others": _others(position)}
    cites = list(question.cites)
    if any(choice.name == what for choice in legal):
        return {"what": what, "offered": True, "reasons": [], "cites": cites}
    value, known = _value(position, what)
    if value is None:
        raise missing(f"`{what[:80]}` is no answer to `{question.label}`", hint_for(what, known))
    found = [refusal.as_dict() for refusal in refusals(position, value)]
    if not found:
        text = f"`{what}` does not meet what is asked: {question.label}"
        found = [{"text": text, "cites": cites, "children": []}]
    return {"what": what, "offered": False, "reasons": found, "cites": cites}


def _value(position: Position, what: str) -> tuple[int | None, list[str]]:
    """The answer of that name, offered or not, and all names that there are."""
    setting = position.setting
    show = setting.program.asks[position.head(H_ASK)].show
    known: list[str] = []
    if show == "action":
        known = [action.name for action in setting.program.actions]
        return next((a.id for a in setting.program.actions if a.name == what), None), known
    for number in ir.shown_domains(show):
        data = setting.scenario.data.domains[number]
        known += data.names
        place = setting.number_of(number, what)
        if place is not None:
            return data.base + place, known
    return None, known


def _others(position: Position) -> list[dict[str, Any]]:
    offered = set(position.values())
    actions = {action.id: action for action in position.setting.program.actions}
    found = []
    for number in menu(position):
        action = actions.get(number)
        if number in offered or action is None:
            continue
        reasons = [refusal.as_dict() for refusal in refusals(position, number)]
        cites = list(position.setting.program.sites[action.site].cites)
        found.append({"what": action.name, "label": action.text, "cites": cites, "reasons": reasons})
    return found
