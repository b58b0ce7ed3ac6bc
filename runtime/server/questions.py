"""The question that a seat is asked, as the page gets it; and its fingerprint, by which it is answered."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.header import DONE, H_ASK, H_BRANCH, H_FP, NONE
from grognard.play.subjects import spoken_of, subjects

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.contract.schema import DomainSchema
    from grognard.play.game import Played
    from grognard.play.position import Position
    from grognard.play.setting import Setting
    from grognard.play.view import View
    from grognard.play.wording import LogLine

_CALLED = "what questions ask for"
_NUMBERS = "numbers of questions"


def question_for(
    position: Position,
    view: View,
    seat: str,
    number: int,
    history: Sequence[Played],
    lines: Sequence[LogLine] = (),
) -> dict[str, Any] | None:
    """The question of a seat; None if another is asked.  `number` is that of the message that puts it: the same question
    put again is another one, so that an answer sent twice never answers twice.  `lines`: what the seat was told in the
    action that runs."""
    question = position.question
    if question is None or question.seat != seat:
        return None
    ask = position.setting.program.asks[position.head(H_ASK)]
    choices = [{"name": choice.name, **data} for choice, data in choice_data(position, view)]
    about = _named(position, ask)
    action, _, _ = question.name.partition(".")
    for played in _own_answers(position.setting, history, seat, action, ask):
        about.setdefault(_called(position.setting, played.question), played.name)
    setting = position.setting
    lit: dict[str, list[str]] = {"pieces": [], "places": []}
    for subject in subjects(position, view, spoken_of(setting, lines)):
        name = setting.names.name(subject.value, subject.show)
        about.setdefault(subject.name, name)
        lit["places" if setting.program.domains[subject.domain].sort == "place" else "pieces"].append(name)
    names = [choice["name"] for choice in choices]
    counted = _counted(position)
    if counted is not None:
        names += [f"{group['name']} {group['least']}-{group['most']}" for group in counted["groups"]]
    made: dict[str, Any] = {
        "id": fingerprint(seat, number, question.name, names),
        "seat": seat,
        "name": question.name,
        "label": question.label,
        "cites": list(question.cites),
        "kind": question.kind,
        "about": about,
        "lit": lit,
        "choices": choices,
    }
    if counted is not None:
        made["numbers"] = counted
    under = _action_under(position, seat, history)
    if under:
        made["action"] = under
    if position.head(H_BRANCH) != NONE:
        # Others' orders are written at the same time: nobody sees these before all are done.
        made["secret"] = True
    return made


def _counted(position: Position) -> dict[str, Any] | None:
    """Of how many counters of each kind is asked, where they are chosen by number: the page has a field for each."""
    offered = position.legal()
    if not offered.groups:
        return None
    return {
        "groups": [
            {
                "name": group.name,
                "label": group.label,
                "least": group.least,
                "most": group.most,
                "pieces": list(group.members),
                "cost": group.cost,
            }
            for group in offered.groups
        ],
        "fewest": offered.fewest,
        "most": offered.most,
        "budget": offered.budget,
    }


def choice_data(position: Position, view: View | None = None) -> list[tuple[Choice, dict[str, Any]]]:
    """The legal answers, each with its label and, as far as the view shows it, the counter or place that it is."""
    setting = position.setting
    ask = setting.program.asks[position.head(H_ASK)]
    found = []
    with memoryview((view or position).cells) as raw, raw.cast("i") as cells:
        for choice in position.legal():
            data: dict[str, Any] = {"label": choice.label}
            if choice.value not in (DONE, NONE):
                data.update(_where(setting, choice.value, ask.show, cells))
            found.append((choice, data))
    return found


def fingerprint(seat: str, number: int, name: str, choices: Sequence[str]) -> str:
    text = "\0".join((seat, str(number), name, *choices))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _named(position: Position, ask: ir.AskDecl) -> dict[str, str]:
    """What the names in the question's text stand for."""
    offset = position.head(H_FP)
    if not ask.named or offset == NONE:
        return {}
    setting = position.setting
    layout = setting.scenario.layout
    found = {}
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        frame = layout.stack_offset + offset
        shape = layout.frames[cells[frame]]
        for name, local, show in ask.named:
            found[name] = setting.names.name(cells[frame + shape.offsets[local]], show)
    return found


def _own_answers(
    setting: Setting, history: Sequence[Played], seat: str, action: str, ask: ir.AskDecl
) -> list[Played]:
    """What the seat has answered so far in the action that the question belongs to, the last first.

    Questions are numbered as the rules ask them: one that comes later in them was asked when the action ran before."""
    numbers: dict[str, list[int]] = setting.attached.setdefault(_NUMBERS, {})
    if not numbers:
        for other in setting.program.asks:
            numbers.setdefault(other.name, []).append(other.id)
    found = []
    last, name = ask.id, ask.name
    for played in reversed(history[-20:]):
        if played.seat != seat or played.question.partition(".")[0] != action or "." not in played.question:
            break
        if played.question == name:
            # One after the other of the same kind.
            continue
        before = [number for number in numbers.get(played.question, ()) if number < last]
        if not before:
            break
        last, name = max(before), played.question
        found.append(played)
    return found


def _called(setting: Setting, question: str) -> str:
    """What a question asks for, in words: as its text says; the rule's own name where that names something else."""
    called: dict[str, str] = setting.attached.setdefault(_CALLED, {})
    if question not in called:
        own = question.partition(".")[2]
        called[question] = next(
            (
                ask.label
                for ask in setting.program.asks
                if ask.name == question and ask.label and not ask.named
            ),
            own,
        )
    return called[question]


def _action_under(position: Position, seat: str, history: Sequence[Played]) -> str:
    """The action that the question is asked in, in words, if the seat has picked it itself since others answered."""
    setting = position.setting
    layout = setting.scenario.layout
    running = set()
    offset = position.head(H_FP)
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        while offset != NONE:
            frame = layout.stack_offset + offset
            running.add(setting.program.machines[cells[frame]].name)
            offset = cells[frame + 2]
    actions = {action.name: action.text for action in setting.program.actions if action.name in running}
    for played in reversed(history[-20:]):
        if played.seat != seat or not actions:
            break
        if "." not in played.question and played.name in actions:
            return actions[played.name]
    return ""


def _where(setting: Setting, value: int, show: str, cells: Any) -> dict[str, str]:
    """The counter or place that a choice is, and where it stands, as far as the seat sees it."""
    for number in ir.shown_domains(show):
        data = setting.scenario.data.domains[number]
        if not 0 <= value - data.base < data.count:
            continue
        dom = next((d for d in setting.schema.doms if d.id == number), None)
        if dom is None:
            return {}
        name = data.names[value - data.base]
        if dom.sort == "place":
            return {"domain": dom.name, "place": name}
        if dom.sort in ("piece", "record"):
            made = {"domain": dom.name, "piece": name}
            at = place_of(setting, dom, value - data.base, cells)
            if at is not None:
                made["place"] = at
            return made
        return {"domain": dom.name}
    return {}


def place_of(setting: Setting, dom: DomainSchema, number: int, cells: Any) -> str | None:
    """Where a counter stands: its field `at`, or else the first that holds a place."""
    key = ("place of", dom.id)
    if key not in setting.attached:
        fields = [
            info
            for info in dom.fields.values()
            if info.field is not None
            and not info.axes
            and info.type.sort == "dom"
            and info.type.dom is not None
            and (info.type.dom.sort == "place" or any(d.sort == "place" for d in info.type.dom.alternatives))
        ]
        fields.sort(key=lambda info: info.name != "at")
        setting.attached[key] = fields[0].field if fields else None
    field = setting.attached[key]
    if field is None:
        return None
    entry = setting.program.fields[field]
    value = cells[setting.scenario.layout.field_offset[field] + number]
    if value == NONE or not isinstance(entry.type, ir.IntType):
        return None
    return setting.names.name(value, entry.type.show)
