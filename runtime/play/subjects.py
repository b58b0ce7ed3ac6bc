"""What a question is about: the counters and places that lie in the frames of who asks and are still needed there.

The rules need not name them: a procedure that gives a command to a vehicle has the vehicle in a parameter, and uses it
once it has the answer.  Nothing is told that the seat does not know already: a counter must be in its view, and be its own
or have been spoken of in the action that runs; of a place the latter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from grognard.contract import ir
from grognard.contract.header import H_FP, NONE
from grognard.contract.ir.verify.grammar import BINDERS
from grognard.contract.ir.walk import nodes, successors
from grognard.play.wording import LogLine, mentions

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.setting import Setting
    from grognard.play.view import View

#: Things that a question is said to be about, at most.
MOST = 4
_LIVE = "locals that are needed"
_OWNERS = "owners of counters"


class Subject(NamedTuple):
    """A counter or place: how the rules call it here, and what it is."""

    name: str
    domain: int
    value: int

    @property
    def show(self) -> str:
        return f"dom:{self.domain}"


def spoken_of(setting: Setting, lines: Iterable[LogLine]) -> set[tuple[int, int]]:
    """The (domain, value) that lines of the log speak of."""
    sites = setting.program.sites
    return {about for line in lines for about in mentions(sites[line.site], line.args)}


def subjects(position: Position, view: View, known: set[tuple[int, int]]) -> list[Subject]:
    """What the pending question is about, the nearest first; `known`: what was spoken of in the action that runs."""
    setting = position.setting
    program, layout = setting.program, setting.scenario.layout
    found: list[Subject] = []
    with (
        memoryview(position.cells) as raw,
        raw.cast("i") as cells,
        memoryview(view.cells) as seen,
        seen.cast("i") as shown,
    ):
        offset, nearest = position.head(H_FP), True
        while offset != NONE and len(found) < MOST:
            frame = layout.stack_offset + offset
            machine = program.machines[cells[frame]]
            needed = _needed(setting, machine, cells[frame + 1], nearest)
            offsets = layout.frames[machine.id].offsets
            for index in sorted(needed):
                local = machine.locals[index]
                value = cells[frame + offsets[index]]
                domain = _domain_of(setting, local, value)
                if domain is None or any((s.domain, s.value) == (domain, value) for s in found):
                    continue
                spoken = (domain, value) in known
                if program.domains[domain].sort == "place":
                    tell = spoken
                else:
                    number = value - layout.base[domain]
                    alive = program.domains[domain].alive
                    in_view = alive is None or bool(shown[layout.field_offset[alive] + number])
                    tell = in_view and (spoken or (nearest and _owned(setting, shown, domain, number, view)))
                if tell:
                    found.append(Subject(local.name, domain, value))
            offset, nearest = cells[frame + 2], False
    return found[:MOST]


def _domain_of(setting: Setting, local: ir.LocalDecl, value: int) -> int | None:
    """The domain of counters or places that the value of a named local belongs to."""
    if not isinstance(local.type, ir.IntType) or not local.name.isidentifier():
        return None
    for number in ir.shown_domains(local.type.show):
        data = setting.scenario.data.domains[number]
        if 0 <= value - data.base < data.count:
            return number if setting.program.domains[number].sort in ("piece", "place") else None
    return None


def _owned(setting: Setting, cells: memoryview, domain: int, number: int, view: View) -> bool:
    """Whether a counter belongs to the seat: by its first field that holds a seat, or a side where seats have none."""
    owners: dict[int, int | None] = setting.attached.setdefault(_OWNERS, {})
    if domain not in owners:
        owners[domain] = next(
            (
                entry.id
                for entry in setting.program.fields
                if entry.dims == (domain,)
                and isinstance(entry.type, ir.IntType)
                and setting.program.seats in ir.shown_domains(entry.type.show)
            ),
            None,
        )
    field = owners[domain]
    if field is None:
        return False
    mine = setting.scenario.layout.base[setting.program.seats] + setting.seat_number(view.seat)
    return bool(cells[setting.scenario.layout.field_offset[field] + number] == mine)


# -------------------------------------------------------------------------------------------- which locals are needed


def _needed(setting: Setting, machine: ir.Machine, block: int, asking: bool) -> frozenset[int]:
    """The integer locals that are read when a machine goes on: in the block, or after the question that the block ends with."""
    known: dict[int, list[frozenset[int]]] = setting.attached.setdefault(_LIVE, {})
    live = known.get(machine.id)
    if live is None:
        live = known[machine.id] = _live(machine)
    end = machine.blocks[block].end
    if not (asking and isinstance(end, ir.Ask)):
        return live[block]
    asked = _read(end)
    return frozenset(asked.union(*(live[n] for n in successors(end)))) - {end.local}


def _live(machine: ir.Machine) -> list[frozenset[int]]:
    """Liveness, backwards until nothing changes: what a block reads before it writes it, and what those after it need."""
    reads: list[frozenset[int]] = []
    writes: list[frozenset[int]] = []
    for block in machine.blocks:
        read, written = set[int](), set[int]()
        for node in (*block.body, block.end):
            read |= _read(node) - written
            written |= set(_written(node))
        reads.append(frozenset(read))
        writes.append(frozenset(written))
    live = list(reads)
    changed = True
    while changed:
        changed = False
        for number in range(len(live) - 1, -1, -1):
            after = frozenset().union(*(live[n] for n in successors(machine.blocks[number].end)))
            now = reads[number] | (after - writes[number])
            if now != live[number]:
                live[number], changed = now, True
    return live


def _read(node: object) -> set[int]:
    """The locals whose values a node asks for; what runs over elements in it is its own, and stale outside."""
    below = list(nodes(node))
    own = {
        getattr(binder, variable)
        for binder in below
        for variables in BINDERS.get(type(binder), {}).values()
        for variable in variables
    }
    return {part.index for part in below if isinstance(part, ir.Local)} - own


def _written(node: object) -> Iterator[int]:
    match node:
        case ir.Assign(local=local):
            yield local
        case ir.Ask(local=local):
            yield local
        case ir.CallMachine(local=int() as local):
            yield local
