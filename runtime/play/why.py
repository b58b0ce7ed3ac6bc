"""Why something happened: the trace of one answer as a tree of reasons with their sections.

The trace is flat: a procedure is noted when it begins, a rule when its value is known, after everything that it
asked for.  Which declaration asks for which is known from the program, and that puts the records in their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.header import NONE
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


class CallGraph:
    """Which declaration asks for which, by name; and which of them read secrets, themselves or through others."""

    def __init__(self, program: ir.Program, secret_fields: frozenset[int] = frozenset()) -> None:
        self.asks: dict[str, set[str]] = {}
        #: sites of table lookups, by the declaration that makes them
        self.tables: dict[str, set[int]] = {}
        owner = {f.id: program.sites[f.site].owner for f in program.functions}
        machine = {m.id: program.sites[m.site].owner or m.name for m in program.machines}
        secret: set[str] = set()
        for code, name in [
            *((f, owner[f.id]) for f in program.functions),
            *((m, machine[m.id]) for m in program.machines),
        ]:
            asked, tables = self.asks.setdefault(name, set()), self.tables.setdefault(name, set())
            for node in nodes(code):
                match node:
                    case ir.Call(function=number) | ir.SetCall(function=number) | ir.Do(function=number):
                        asked.add(owner[number])
                    case ir.Ask(candidates=number):
                        asked.add(owner[number])
                    case ir.CallMachine(machine=number):
                        asked.add(machine[number])
                    case ir.ReachSet(movement=number) | ir.ReachCost(movement=number):
                        movement = program.movements[number]
                        asked.update(owner[f] for f in (movement.start, movement.allowance, movement.cost))
                        asked.add(movement.name)
                    case ir.TableGet(site=site):
                        tables.add(site)
                    case ir.Load(field=number) | ir.SetLoad(field=number) | ir.ListLoad(field=number):
                        if number in secret_fields:
                            secret.add(name)
        while True:
            more = {name for name, asked in self.asks.items() if name not in secret and asked & secret}
            if not more:
                break
            secret |= more
        self.secret = frozenset(secret)
        #: the sites of their table lookups, which have no owner of their own
        self.secret_tables = frozenset(site for name in secret for site in self.tables[name])


class _Builder:
    """Puts the records of a trace, one after the other, into a tree."""

    def __init__(self, root: Reason, graph: CallGraph) -> None:
        self.graph = graph
        self.frames = [root]
        #: the sites of table records by identity, because one cell may be looked up in many places
        self.sites: dict[int, int] = {}

    def add(self, reason: Reason, site: ir.Site) -> None:
        match reason.kind:
            case "enter":
                self._settle(lambda owner: reason.owner in self.graph.asks.get(owner, ()))
                self.frames[-1].children.append(reason)
                self.frames.append(reason)
            case "phase":
                del self.frames[1:]
                self.frames[0].children.append(reason)
            case "rule" | "modifiers" | "sight" | "movement":
                self._adopt(reason)
                self._settle(
                    lambda owner: reason.owner in self.graph.asks.get(owner, ()) or owner == reason.owner
                )
                self.frames[-1].children.append(reason)
            case "table":
                self._settle(lambda owner: site.id in self.graph.tables.get(owner, ()))
                self.frames[-1].children.append(reason)
            case _:
                self._settle(lambda owner: owner == reason.owner)
                self.frames[-1].children.append(reason)

    def _settle(self, belongs: Callable[[str], bool]) -> None:
        """Close the procedures that ended since, if an open one below them is where the record belongs."""
        for depth in range(len(self.frames) - 1, 0, -1):
            if belongs(self.frames[depth].owner):
                del self.frames[depth + 1 :]
                return

    def _adopt(self, reason: Reason) -> None:
        """What the rule asked for was noted just before it, and belongs below it."""
        siblings = self.frames[-1].children
        asked = self.graph.asks.get(reason.owner, set())
        tables = self.graph.tables.get(reason.owner, set())
        start = len(siblings)
        while start > 0:
            child = siblings[start - 1]
            own = child.owner == reason.owner and child.kind in ("modifier", "exception", "sight", "movement")
            asked_for = child.kind in ("rule", "modifiers", "sight", "movement") and child.owner in asked
            looked_up = child.kind == "table" and child.value is not None and self._site(child) in tables
            if not (own or asked_for or looked_up):
                break
            start -= 1
        reason.children = siblings[start:]
        del siblings[start:]

    def _site(self, child: Reason) -> int:
        return self.sites.get(id(child), -1)


def explain(
    setting: Setting,
    played: Played,
    trace: Sequence[int],
    position: Position,
    secrecy: Secrecy,
    seat: str | None = None,
) -> Reason:
    """The trace of one answer (level 2) as a tree.  `position` is the one after it; with `seat` only what that
    seat may know: no record of rules that read secrets, none that mentions a counter hidden from it."""
    program, names = setting.program, setting.names
    number = setting.seat_number(seat) if seat is not None else None
    graph = setting.engine.call_graph
    hidden = hidden_pieces(setting, position, number) if number is not None else frozenset()
    own = seat is None or played.seat == seat
    # To others the answer speaks for itself below, where it may be known at all.
    text = f"{played.seat}: {played.question} {played.name}" if own else f"{played.seat} decides"
    root = Reason("answer", text, (), "", 0)
    builder = _Builder(root, graph)
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        for site, seen, args, about in Records(program, trace, secrecy, _SILENT):
            if number is not None:
                spoken = site.kind in _LOGGED or not (
                    site.owner in graph.secret or site.id in graph.secret_tables
                )
                if not seen >> number & 1 or not spoken or not about.isdisjoint(hidden):
                    continue
            value = None
            if args and site.kind in ("rule", "modifiers", "modifier", "table", "draw"):
                show = site.shows[len(args) - 1] if len(args) <= len(site.shows) else "int"
                value = names.label(args[-1], show, cells)
            elif site.kind == "roll" and len(args) > 3:
                value = str(sum(args[3:]))
            owner = site.owner or (site.text if site.kind == "enter" else "")
            reason = Reason(
                site.kind,
                _text(names.text(site, args, cells), site, args),
                site.cites,
                site.file,
                site.line,
                value,
            )
            reason.owner = owner
            if site.kind == "table":
                builder.sites[id(reason)] = site.id
            builder.add(reason, site)
    return root


def _text(text: str, site: ir.Site, args: Sequence[int]) -> str:
    """Modifiers with their sign, as rulebooks print them."""
    if site.kind == "modifier" and site.shows == ("int",) and args and args[0] != NONE and args[0] > 0:
        label, separator, number = text.rpartition(" ")
        if separator and number == str(args[0]):
            return f"{label} +{number}"
    return text
