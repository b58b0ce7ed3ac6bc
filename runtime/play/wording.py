"""Values and trace records in words, for people: names of members and counters, log lines, dice.

Names are what authors write (`0404`, `rifles`), labels what people read ("Rifles '41 A").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from grognard.contract import ir
from grognard.contract.datablock import DataBlock
from grognard.contract.header import DONE, NONE
from grognard.contract.layout import Layout
from grognard.contract.trace import trace_tree
from grognard.errors import declared
from grognard.support.prompt_text import without_names as without_names

#: Sites that are bookkeeping of the engine and never a line of the log.
SILENT = ("hidden roll", "branch", "number asked")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log of play.

    `seats` holds the names of the seats that may read it, None if all may.  `site` is where in the ruleset it
    was written (an index into Program.sites), `args` the raw values that it speaks of, shown as the site says."""

    text: str
    cites: tuple[str, ...]
    kind: str
    seats: frozenset[str] | None
    site: int
    args: tuple[int, ...] = ()
    #: whether others may still be told: it is not known yet what comes of the answer
    pending: bool = False

    def visible_to(self, seat: str) -> bool:
        return self.seats is None or seat in self.seats


class Names:
    """How the values of one program with one data block are called."""

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        self.program = program
        self.layout = layout
        self.data = data
        self._type_fields = self._find_types()
        self._record_places = self._find_places()
        #: counters that an example has named: (domain, value) -> name
        self.called: dict[tuple[int, int], str] = {}

    def _find_types(self) -> dict[int, tuple[int, int]]:
        """Piece domain -> (first cell of its `type` field, domain of the kind)."""
        found: dict[int, tuple[int, int]] = {}
        for entry in self.program.fields:
            if len(entry.dims) != 1 or not isinstance(entry.type, ir.IntType):
                continue
            domain = self.program.domains[entry.dims[0]]
            if (
                domain.sort == "piece"
                and not entry.optional  # one that may be hidden is never told by a name
                and entry.name == f"{domain.name}.type"
                and entry.type.show[:4] == "dom:"
            ):
                found[domain.id] = self.layout.field_offset[entry.id], int(entry.type.show[4:])
        return found

    def _find_places(self) -> dict[int, tuple[int, str]]:
        """For records that always lie somewhere: where their place stands, and how it is shown.  None where anything is
        secret: a name must not tell where something is."""
        found: dict[int, tuple[int, str]] = {}
        if self.program.view is not None:
            return found
        for entry in self.program.fields:
            if len(entry.dims) != 1 or entry.optional or not isinstance(entry.type, ir.IntType):
                continue
            number, show = entry.dims[0], entry.type.show
            places = ir.shown_domains(show)
            if (
                self.program.domains[number].sort == "record"
                and places
                and all(self.program.domains[place].sort == "place" for place in places)
            ):
                found.setdefault(number, (self.layout.field_offset[entry.id], show))
        return found

    def kind_of(self, value: int, domain: int, cells: memoryview | None) -> tuple[str, str]:
        """What a counter is, whichever of its kind: name and label."""
        show = f"dom:{domain}"
        if cells is not None and domain in self._type_fields:
            start, kind = self._type_fields[domain]
            now = cells[start + value - self.data.domains[domain].base]
            return self.name(now, f"dom:{kind}"), self.label(now, f"dom:{kind}")
        return self.name(value, show), self.label(value, show, cells)

    # ---- single values

    def narrowed(self, value: int, show: str) -> str:
        """Of a value that may belong to several domains: how it is shown as a member of its own."""
        for number in ir.shown_domains(show):
            data = self.data.domains[number]
            if 0 <= value - data.base < data.count:
                return f"dom:{number}"
        return show if show.startswith("dom:") else "int"

    def name(self, value: int, show: str) -> str:
        """What an author writes for the value."""
        if value == NONE:
            return "none"
        if show.startswith("doms:"):
            return self.name(value, self.narrowed(value, show)) if value != DONE else "done"
        if show.startswith("dom:"):
            data = self.data.domains[int(show[4:])]
            if 0 <= value - data.base < len(data.names):
                return data.names[value - data.base]
            return "done" if value == DONE else str(value)
        if show == "action":
            if 0 <= value < len(self.program.actions):
                return self.program.actions[value].name
            return "done" if value == DONE else str(value)
        if show == "flag":
            return "yes" if value else "no"
        return str(value)

    def label(self, value: int, show: str, cells: memoryview | None = None) -> str:
        """What people read for the value; the cells tell what kind of counter a created one is."""
        if value == NONE:
            return "none"
        if show.startswith("doms:"):
            return self.label(value, self.narrowed(value, show), cells) if value != DONE else "done"
        if show == "signed":
            return f"{value:+d}"
        if show == "action":
            if 0 <= value < len(self.program.actions):
                return self.program.actions[value].text
            return "done" if value == DONE else str(value)
        if show.startswith("dom:"):
            number = int(show[4:])
            data = self.data.domains[number]
            place = value - data.base
            if not 0 <= place < data.count:
                return "done" if value == DONE else str(value)
            plain = f"{self.program.domains[number].name} {place + 1}"
            title = data.titles[place] if place < len(data.titles) else self.name(value, show)
            called = self.called.get((number, value))
            if cells is not None and number in self._type_fields:
                start, kind = self._type_fields[number]
                now = self.label(cells[start + place], f"dom:{kind}")
                if title == plain or not title.startswith(f"{now} "):
                    # Created in play, in a room of its own or in a removed one's: its kind says more than its number.
                    own = data.names[place] if title.endswith(f" {data.names[place]}") else ""
                    return f"{now} {called or own or place + 1}"
                return title
            if cells is not None and title == plain and not called and number in self._record_places:
                start, where = self._record_places[number]
                return f"{title} at {self.label(cells[start + place], where)}"
            return title if title != plain else called or title
        return self.name(value, show)

    def answer_name(self, value: int, show: str) -> str:
        """As `name`, for an answer: DONE is special among them."""
        return "done" if value == DONE else self.name(value, show)

    def answer_label(self, value: int, show: str, cells: memoryview | None = None) -> str:
        return "done" if value == DONE else self.label(value, show, cells)

    def element(self, field: int, number: int) -> str:
        """An element of a state field in words: `Unit.hits of Rifles A`."""
        entry = self.program.fields[field]
        index: list[str] = []
        for domain in reversed(entry.dims):
            data = self.data.domains[domain]
            number, place = divmod(number, max(data.count, 1))
            index.append(self.label(data.base + place, f"dom:{domain}"))
        return entry.name + (f" of {', '.join(reversed(index))}" if index else "")

    # ---- trace records

    def text(self, site: ir.Site, args: Sequence[int], cells: memoryview | None = None) -> str:
        """A record of the trace as a sentence."""
        if site.kind == "roll":
            return self.roll(site, args)
        shown = []
        for number, value in enumerate(args):
            show = site.shows[number] if number < len(site.shows) else "int"
            if site.kind == "number" and number == 2:
                shown.append(self.kind_of(value, int(show[4:]), cells)[1])
                continue
            answer = site.kind == "choice" and number == 1
            shown.append(self.answer_label(value, show, cells) if answer else self.label(value, show, cells))
        return fill(declared(site.text) if site.kind in ("enter", "exception") else site.text, shown)

    def roll(self, site: ir.Site, args: Sequence[int]) -> str:
        """`2d6: 4 + 5 = 9`, after the name of the roll; the note is (count, lo, hi, dice...)."""
        if len(args) < 3:
            return site.text
        _count, lo, hi, *dice = args
        # "die: 2d6" in the site; the number of dice is known only now.
        label, separator, _ = site.text.partition(": ")
        faces = f"d{hi}" if lo == 1 else f"d({lo}..{hi})"
        start = f"{label}, " if separator and label != "roll" else ""
        if not dice:
            return f"{start}no dice"
        many = str(len(dice)) if len(dice) > 1 else ""
        total = f"{' + '.join(map(str, dice))} = {sum(dice)}" if len(dice) > 1 else str(dice[0])
        return f"{start}{many}{faces}: {total}"

    def seats(self, mask: int) -> frozenset[str] | None:
        """The seats of a `seen` mask by name; None: all."""
        if mask == -1:
            return None
        data = self.data.domains[self.program.seats]
        return frozenset(data.names[n] for n in range(data.count) if mask >> n & 1)


def fill(text: str, shown: Sequence[str]) -> str:
    """{0}, {1} ... replaced in one pass; other braces stay, because texts and names are the author's."""

    def part(match: re.Match[str]) -> str:
        number = int(match[1])
        return shown[number] if number < len(shown) else match[0]

    return re.sub(r"\{(\d{1,3})\}", part, text)


@dataclass(frozen=True, slots=True)
class Secrecy:
    """What the log keeps to itself while it is written.

    `branch` is the seat (number) whose secret branch runs, None outside such a block.  `acting` are the (domain,
    value) of what was chosen since the last action was picked: where a counter goes is as secret as the counter."""

    branch: int | None = None
    acting: frozenset[tuple[int, int]] = frozenset()


def log_lines(
    names: Names,
    trace: Sequence[int],
    cells: memoryview | None,
    secrecy: Secrecy,
    hidden: Sequence[frozenset[tuple[int, int]]] = (),
) -> tuple[list[tuple[LogLine, Record]], Secrecy]:
    """The trace as lines with their records, and the secrecy that what follows starts with.

    `hidden` holds for each seat the (domain, value) of the counters that it must not know of."""
    everyone = (1 << names.data.domains[names.program.seats].count) - 1
    records = Records(names.program, trace, secrecy, SILENT)
    lines: list[tuple[LogLine, Record]] = []
    for record in _counted(names, records, cells):
        mask = record.seen & everyone
        for seat, unknown in enumerate(hidden):
            if not record.about.isdisjoint(unknown):
                mask &= ~(1 << seat)
        site = record.site
        seats = None if mask == everyone else names.seats(mask)
        text = names.text(site, record.args, cells)
        line = LogLine(text, site.cites, site.kind, seats, site.id, tuple(record.args))
        lines.append((line, record))
    return lines, records.secrecy


def _counted(names: Names, records: Iterable[Record], cells: memoryview | None) -> Iterator[Record]:
    """The numbers of one choice as one record: "germany: units 3 infantry, 1 tank"."""
    first: Record | None = None
    told: list[str] = []

    def together() -> Record | None:
        if first is None:
            return None
        text = first.site.text.replace("{1} {2}", ", ".join(told))
        return first._replace(site=replace(first.site, text=text))

    for record in records:
        kind = record.site.kind
        if kind == "number":
            if first is not None and first.site.id != record.site.id:
                made = together()
                assert made is not None
                yield made
                first, told = None, []
            first = first or record
            kind = names.kind_of(record.args[2], int(record.site.shows[2][4:]), cells)[1]
            told.append(f"{record.args[1]} {kind}")
            continue
        if (made := together()) is not None:
            yield made
            first, told = None, []
            if kind == "numbers":
                continue
        if kind == "numbers":
            if record.args[1] == 0:
                text = record.site.text.replace("{1}", "none")
                yield record._replace(site=replace(record.site, text=text))
            continue
        yield record
    if (made := together()) is not None:
        yield made


class Record(NamedTuple):
    site: ir.Site
    #: the seats that may know of it, by bits, before it is asked what it speaks of
    seen: int
    args: Sequence[int]
    #: what it speaks of: (domain, value)
    about: set[tuple[int, int]]
    #: its place among all records of the trace
    number: int
    #: the place of the record that it lies below, if there is one
    parent: int | None


class Records:
    """The records of a trace that are told at all, with the secrecy that each of them stands in."""

    def __init__(
        self, program: ir.Program, trace: Sequence[int], secrecy: Secrecy, silent: Collection[str]
    ) -> None:
        self.program = program
        self.trace = trace
        self.silent = silent
        #: as it is after the last record that was given
        self.secrecy = secrecy

    def __iter__(self) -> Iterator[Record]:
        branch, acting = self.secrecy.branch, set(self.secrecy.acting)
        for number, (place, seen, args, parent) in enumerate(trace_tree(self.trace)):
            site = self.program.sites[place]
            if site.kind == "branch":
                branch = args[0] if args else None
                continue
            if site.kind in self.silent:
                continue
            about = set(mentions(site, args))
            if site.kind == "choice":
                if "action" in site.shows:
                    acting.clear()
                acting |= about
                about |= acting
            yield Record(site, seen if branch is None else seen & (1 << branch), args, about, number, parent)
        self.secrecy = Secrecy(branch, frozenset(acting))


def ends_block(program: ir.Program, trace: Sequence[int]) -> bool:
    """Whether a secret block ends in a trace: its last note names no seat."""
    return any(program.sites[place].kind == "branch" and not args for place, _, args, _ in trace_tree(trace))


def mentions(site: ir.Site, args: Sequence[int]) -> Iterable[tuple[int, int]]:
    """What a record speaks of: values with the domains that they belong to, or might."""
    for show, value in zip(site.shows, args):
        for number in ir.shown_domains(show):
            yield number, value
