"""Why an answer is not offered: what the question wants, and what of it the thing asked about does not meet."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.header import H_ASK
from grognard.play.position import Position
from grognard.server.mistakes import missing
from grognard.support.suggest import hint_for


def why_not(position: Position, seat: str, what: str) -> dict[str, Any]:
    """Of a name that the question could be answered with in another position; MISSING for what is none."""
    question = position.question
    assert question is not None and question.seat == seat
    legal = position.legal()
    cites = list(question.cites)
    if any(choice.name == what for choice in legal):
        return {"what": what, "offered": True, "reasons": [], "cites": cites}
    setting = position.setting
    ask = setting.program.asks[position.head(H_ASK)]
    known: list[str] = []
    if ask.show == "action":
        known = [action.name for action in setting.program.actions]
    for number in ir.shown_domains(ask.show):
        known += setting.scenario.data.domains[number].names
    if what not in known:
        raise missing(f"`{what[:80]}` is no answer to `{question.label}`", hint_for(what, known))
    text = f"`{what}` does not meet what is asked: {question.label}"
    return {"what": what, "offered": False, "reasons": [{"text": text, "cites": cites}], "cites": cites}
