"""What dice can do to counters, with the chances: `HMG GM: hit 42 %`.  For people who are about to roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import Outcomes
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema

#: (number of the counter's type, number of the counter, what happens to it)
Happening = tuple[int, int, str]
GONE = "gone"


def happenings(knowledge: Knowledge, before: bytearray, after: Outcomes) -> list[tuple[str, str, float]]:
    """(counter, what, chance) for counters in the seat's sight that leave play, or have something set or counted anew.

    What happens however the dice fall is left out: the answer does that, not the roll.  Of what always happens to a
    counter together only the first is told."""
    chances: dict[Happening, float] = {}
    ways: dict[Happening, list[int]] = {}
    seen = knowledge.view.cells
    with memoryview(before) as raw, raw.cast("i") as old, memoryview(seen) as shown, shown.cast("i") as open_:
        for way, (chance, cells) in enumerate(after):
            with memoryview(cells) as made, made.cast("i") as new:
                for happening in _changes(knowledge, old, new, open_):
                    chances[happening] = chances.get(happening, 0.0) + chance
                    ways.setdefault(happening, []).append(way)
    data = knowledge.setting.scenario.data
    told: set[tuple[int, int, tuple[int, ...]]] = set()
    for happening in list(chances):
        together = (*happening[:2], tuple(ways[happening]))
        if together in told:
            del chances[happening]
        told.add(together)
    return [
        (data.domains[dom].title(data.domains[dom].base + number), what, chance)
        for (dom, number, what), chance in chances.items()
        if chance < 1 - 1e-9
    ]


def _changes(knowledge: Knowledge, old: Any, new: Any, seen: Any) -> Iterator[Happening]:
    setting = knowledge.setting
    layout = setting.scenario.layout
    for dom in dict.fromkeys(setting.schema.types.values()):
        if dom.sort != "piece" or dom.alive is None:
            continue
        alive = layout.field_offset[dom.alive]
        fields = list(_telling(knowledge, dom))
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


def _telling(knowledge: Knowledge, dom: DomainSchema) -> Iterator[tuple[int, int | None, str]]:
    """Fields that are set or not, or hold numbers: where they begin, what they hold if not set, their names."""
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
