"""Why something happened: the trace of one answer as a tree of reasons with their sections.

The records of a trace say what was running when they were made (see grognard.contract.trace): the tree is what was
called.  Records that may not be shown are left out, and what lies below them moves up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.header import H_FP, NONE
from grognard.contract.ir.walk import nodes
from grognard.play.position import Position
from grognard.play.view import hidden_pieces
from grognard.play.wording import Records

if TYPE_CHECKING:
    from grognard.play.game import Played
    from grognard.play.setting import Setting
    from grognard.play.wording import Secrecy


@dataclass(slots=True)
class Reason:
    """One step of an explanation.

    `kind`: answer, choice, roll, draw, rule, exception, modifiers, modifier, table, sight, movement, enter (a
    procedure), event, phase, log.  `value` is the result in words where there is one."""

    kind: str
    text: str
    cites: tuple[str, ...]
    file: str
    line: int
    value: str | None = None
    children: list[Reason] = field(default_factory=list)
    #: the declaration it belongs to
    owner: str = ""

    def walk(self) -> Iterator[Reason]:
        """This reason and all below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def format(self, indent: str = "  ", places: bool = False) -> str:
        """The tree as indented text; with `places`, the file and line of each step."""
        lines: list[str] = []
        self._lines(lines, 0, indent, places)
        return "\n".join(lines)

    def _lines(self, lines: list[str], depth: int, indent: str, places: bool) -> None:
        cited = f" [{', '.join(self.cites)}]" if self.cites else ""
        place = f" ({self.file}:{self.line})" if places and self.file else ""
        lines.append(f"{indent * depth}{self.text}{cited}{place}")
        for child in self.children:
            child._lines(lines, depth + 1, indent, places)

    def as_dict(self) -> dict[str, Any]:
        """In plain types, for JSON."""
        return {
            "kind": self.kind,
            "text": self.text,
            "cites": list(self.cites),
            "file": self.file,
            "line": self.line,
            "value": self.value,
            "children": [child.as_dict() for child in self.children],
        }

    def __str__(self) -> str:
        return self.format()


#: What stays when nothing may be said of rules: the log itself.
_LOGGED = ("choice", "roll", "draw", "log", "phase")
#: Records that tell the reader nothing.
_SILENT = ("hidden roll", "branch", "expect")


class SecretReaders:
    """Declarations that read secrets, themselves or through others."""

    def __init__(
        self,
        program: ir.Program,
        secret_fields: frozenset[int] = frozenset(),
        secret_domains: frozenset[int] = frozenset(),
    ) -> None:
        asks: dict[str, set[str]] = {}
        started: dict[str, set[str]] = {}
        tables: dict[str, set[int]] = {}
        owner = {f.id: program.sites[f.site].owner for f in program.functions}
        machine = {m.id: program.sites[m.site].owner or m.name for m in program.machines}
        secret: set[str] = set()
        for code, name in [
            *((f, owner[f.id]) for f in program.functions),
            *((m, machine[m.id]) for m in program.machines),
        ]:
            asked, looked_up = asks.setdefault(name, set()), tables.setdefault(name, set())
            for node in nodes(code):
                match node:
                    case ir.Call(function=number) | ir.SetCall(function=number) | ir.Do(function=number):
                        asked.add(owner[number])
                    case ir.Ask(candidates=number):
                        asked.add(owner[number])
                    case ir.CallMachine(machine=number):
                        started.setdefault(name, set()).add(machine[number])
                    case ir.OverDomain(domain=number):
                        if number in secret_domains:
                            secret.add(name)
                    case ir.ReachSet(movement=number) | ir.ReachCost(movement=number):
                        movement = program.movements[number]
                        asked.update(owner[f] for f in (movement.start, movement.allowance, movement.cost))
                        asked.add(movement.name)
                    case ir.TableGet(site=site):
                        looked_up.add(site)
                    case ir.Load(field=number) | ir.SetLoad(field=number) | ir.ListLoad(field=number):
                        if number in secret_fields:
                            secret.add(name)
        _spread(secret, asks)
        #: those whose own course can depend on secrets
        self.turning = frozenset(secret)
        for name, more in started.items():
            asks[name] |= more
        _spread(secret, asks)
        #: their names
        self.names = frozenset(secret)
        #: the declaration of each machine
        self.machines = machine
        #: the sites of their table lookups, which have no owner of their own
        self.tables = frozenset(site for name in secret for site in tables[name])


def _spread(secret: set[str], asks: dict[str, set[str]]) -> None:
    """Who asks a reader of secrets is one."""
    while more := {name for name, asked in asks.items() if name not in secret and asked & secret}:
        secret |= more


def explain(
    setting: Setting,
    played: Played,
    trace: Sequence[int],
    before: Position,
    position: Position,
    secrecy: Secrecy,
    seat: str | None = None,
    told: Sequence[bool] = (),
) -> Reason:
    """The trace of one answer (level 2) as a tree, `before` and `position` as it was and is.

    With `seat` only what that seat may know: of choices those that are `told`, one after the other; no record of rules
    that read secrets or are asked by such, because how often they are asked tells too; none that mentions a counter
    hidden from it."""
    program, names = setting.program, setting.names
    number = setting.seat_number(seat) if seat is not None else None
    readers = setting.engine.secret_readers
    hidden: frozenset[tuple[int, int]] = frozenset()
    if number is not None:
        hidden = hidden_pieces(setting, before, number) | hidden_pieces(setting, position, number)
    choices = iter(told)
    #: records that may not be shown, or lie below such
    veiled: set[int] = set()
    top = number is None or readers.turning.isdisjoint(running(setting, before, readers))
    own = seat is None or played.seat == seat
    # To others the answer speaks for itself below, where it may be known at all.
    text = f"{played.seat}: {played.question} {played.name}" if own else f"{played.seat} decides"
    root = Reason("answer", text, (), "", 0)
    shown: dict[int, Reason] = {}
    #: the record that each lies below, shown or not
    above: dict[int, int | None] = {}
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        records = list(Records(program, trace, secrecy, _SILENT))
        for record in records:
            above[record.number] = record.parent
            owner = record.site.owner or record.site.text
            if owner in readers.names or record.site.id in readers.tables:
                veiled.add(record.number)
        for record in records:
            site, args = record.site, record.args
            if number is not None:
                if site.kind == "choice" and not next(choices, False):
                    continue
                if not record.seen >> number & 1 or not record.about.isdisjoint(hidden):
                    continue
                if site.kind not in _LOGGED and not _in_the_open(record.number, above, veiled, top):
                    continue
            value = None
            if args and site.kind in ("rule", "modifiers", "modifier", "table", "draw"):
                show = site.shows[len(args) - 1] if len(args) <= len(site.shows) else "int"
                value = names.label(args[-1], show, cells)
            elif site.kind == "roll" and len(args) > 3:
                value = str(sum(args[3:]))
            text = _text(names.text(site, args, cells), site, args)
            reason = Reason(site.kind, text, site.cites, site.file, site.line, value)
            reason.owner = site.owner or (site.text if site.kind == "enter" else "")
            shown[record.number] = reason
    for place, reason in shown.items():
        parent = above[place]
        while parent is not None and parent not in shown:
            parent = above.get(parent)
        (root if parent is None else shown[parent]).children.append(reason)
    return root


def _in_the_open(number: int, above: Mapping[int, int | None], veiled: set[int], top: bool) -> bool:
    """Whether neither a record nor anything that it lies below depends on secrets."""
    place: int | None = number
    while place is not None:
        if place in veiled:
            return False
        place = above.get(place)
    return top


def running(setting: Setting, position: Position, readers: SecretReaders) -> set[str]:
    """The declarations that wait in a position for an answer or for each other."""
    layout = setting.scenario.layout
    found: set[str] = set()
    frame = position.head(H_FP)
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        while frame != NONE:
            start = layout.stack_offset + frame
            found.add(readers.machines[cells[start]])
            frame = cells[start + 2]
    return found


def _text(text: str, site: ir.Site, args: Sequence[int]) -> str:
    """Modifiers with their sign, as rulebooks print them."""
    if site.kind == "modifier" and site.shows == ("int",) and args and args[0] != NONE and args[0] > 0:
        label, separator, number = text.rpartition(" ")
        if separator and number == str(args[0]):
            return f"{label} +{number}"
    return text
