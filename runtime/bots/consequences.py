"""Consequences of a roll for counters, with probabilities: `HMG GM: hit 42 %`.  Shown to people before they roll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import Outcomes
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema

#: (number of the counter's type, number of the counter, what changes)
Consequence = tuple[int, int, str]
GONE = "gone"


def consequences(
    knowledge: Knowledge, branches: Iterable[tuple[float, bytearray, Outcomes]]
) -> list[tuple[str, str, float]]:
    """(counter, change, probability) of visible counters that leave play, or whose flags or numbers change.

    `branches`: worlds that fit what the seat knows, each with its probability, the position before the roll, and after.

    Changes that all outcomes share are left out: they come from the answer, not from the roll.  Of changes of a counter
    that always occur together only the first is listed."""
    chances: dict[Consequence, float] = {}
    ways: dict[Consequence, list[int]] = {}
    seen = knowledge.view.cells
    each = [(weight * chance, before, cells) for weight, before, after in branches for chance, cells in after]
    with memoryview(seen) as shown, shown.cast("i") as open_:
        for way, (chance, before, after) in enumerate(each):
            with (
                memoryview(before) as raw,
                raw.cast("i") as old,
                memoryview(after) as made,
                made.cast("i") as new,
            ):
                for consequence in _changes(knowledge, old, new, open_):
                    chances[consequence] = chances.get(consequence, 0.0) + chance
                    ways.setdefault(consequence, []).append(way)
    data = knowledge.setting.scenario.data
    reported: set[tuple[int, int, tuple[int, ...]]] = set()
    for consequence in list(chances):
        together = (*consequence[:2], tuple(ways[consequence]))
        if together in reported:
            del chances[consequence]
        reported.add(together)
    return [
        (data.domains[dom].title(data.domains[dom].base + number), what, chance)
        for (dom, number, what), chance in chances.items()
        if chance < 1 - 1e-9
    ]


def _changes(knowledge: Knowledge, old: Any, new: Any, seen: Any) -> Iterator[Consequence]:
    setting = knowledge.setting
    layout = setting.scenario.layout
    for dom in dict.fromkeys(setting.schema.types.values()):
        if dom.sort != "piece" or dom.alive is None:
            continue
        alive = layout.field_offset[dom.alive]
        fields = list(_reported_fields(knowledge, dom))
        for number in range(layout.count[dom.id]):
            if not (old[alive + number] and seen[alive + number]):
                continue
            if not new[alive + number]:
                yield dom.id, number, GONE
                continue
            for start, off, words in fields:
                was, is_ = old[start + number], new[start + number]
                if was == is_:
                    continue
                if off is None:
                    yield dom.id, number, f"{words} {is_ - was:+d}"
                elif was == off:
                    yield dom.id, number, words


def _reported_fields(knowledge: Knowledge, dom: DomainSchema) -> Iterator[tuple[int, int | None, str]]:
    """Flags, optional fields and numbers of a type: offset, value when unset (None: a number), name."""
    layout, program = knowledge.setting.scenario.layout, knowledge.setting.program
    for info in dom.fields.values():
        if info.field is None or info.axes or not isinstance(program.fields[info.field].type, ir.IntType):
            continue
        names_place = info.type.dom is not None and info.type.dom.sort == "place"
        if info.type.sort == "flag" or (info.type.optional and not names_place):
            off = 0 if info.type.sort == "flag" else NONE
            yield layout.field_offset[info.field], off, info.name.replace("_", " ")
        elif info.type.sort == "int":
            yield layout.field_offset[info.field], None, info.name.replace("_", " ")
