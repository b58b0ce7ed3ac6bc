"""Policies: answers to choices.

The lines of a policy are tried in order.  A line applies to the candidates that satisfy its condition; the first line
with such a candidate answers.  Where a set is picked member by member, a line ranks all remaining members, not only the
candidates of the next pick.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import Backend, Io
from grognard.contract.bitsets import elements, load_set
from grognard.contract.header import (
    DONE,
    H_ASK,
    H_CHOOSER,
    H_FP,
    NONE,
)
from grognard.contract.ir.walk import successors
from grognard.contract.layout import Layout
from grognard.errors import LISTED
from grognard.odds.errors import OddsError, PolicyMissing

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: Sort keys of a line that the native back end supports (as in its binding).
MAX_RANKS = 8
#: Parameters of a line's functions that it supports.
MAX_PARAMETERS = 64
#: A line with the back end that its functions run on (None: the program's own).
Line: TypeAlias = tuple[ir.PolicyLine, Backend | None]
#: Default answers where no line applies: decline if that is allowed, or take the first candidate.
OTHERWISE = {"otherwise none": True, "otherwise first": False}
#: A policy in Python: from the choice's name and the candidates' values to one of them or None.
Chooser: TypeAlias = Callable[[str, int, list[int], memoryview], "int | None"]

#: A declared policy by its name, lines of one ("fight.s: none"), "otherwise none" or "otherwise first", or a function from a question's name and the
#: candidates (as `position.legal()` gives them) to one of them.
PolicySpec: TypeAlias = str | Callable[[str, list[Any]], Any]


class Answers:
    """Answers the choices of one program: the first of the choosers and policy lines that has an answer."""

    def __init__(
        self,
        program: ir.Program,
        layout: Layout,
        backend: Backend,
        lines: Sequence[Line],
        choosers: Sequence[Chooser] = (),
        label: Callable[[int, str, memoryview], str] = lambda value, show, cells: str(value),
        otherwise: str | None = None,
    ) -> None:
        self.program, self.layout, self.backend = program, layout, backend
        self.otherwise = otherwise
        self.choosers = choosers
        self.label = label
        self.by_ask: dict[int, list[Line]] = {
            ask.id: [line for line in lines if line[0].ask == ask.name] for ask in program.asks
        }
        self._packed = self._pack() if hasattr(backend, "answer_by") and not choosers else None
        starts, numbers = self._packed or (array("i", [0]), array("i"))
        self._given = starts, array("i", [*numbers, 0])

    def _pack(self) -> tuple[array[int], array[int]] | None:
        """All lines as numbers for the native back end; choices that it does not support have none."""
        starts, numbers = array("i", [0]), array("i")
        for ask in self.program.asks:
            lines = self.by_ask[ask.id]
            plain = all(other is None and self._fits(line) for line, other in lines)
            left = self._remaining_members(ask) if lines and ask.chance is None and plain else None
            if left is not None:
                for line, _ in lines:
                    numbers.extend(
                        (-1 if line.when is None else line.when, -1 if line.value is None else line.value)
                    )
                    numbers.extend((int(line.me), len(line.ranks), *left))
                    for highest, function in line.ranks:
                        numbers.extend((int(highest), function))
            starts.append(len(numbers))
        return (starts, numbers) if numbers else None

    def _remaining_members(self, ask: ir.AskDecl) -> tuple[int, int, int, int] | None:
        """The frame cells of the remaining members and of the number to pick: (cell of the set, its words, its first member,
        cell of the number), -1 where one thing is chosen; None if they differ between machines."""
        if ask.numbers is not None:
            return None
        if ask.some is None:
            return -1, 0, 0, -1
        places: set[tuple[int, int, int, int]] = set()
        for machine in self.program.machines:
            if any(isinstance(block.end, ir.Ask) and block.end.ask == ask.id for block in machine.blocks):
                offsets, kind = self.layout.frames[machine.id].offsets, machine.locals[ask.some[0]].type
                assert isinstance(kind, ir.SetType)
                words = max(1, (self.layout.count[kind.domain] + 31) // 32)
                number = offsets[ask.some[1]]
                places.add((offsets[ask.some[0]], words, self.layout.base[kind.domain], number))
        return places.pop() if len(places) == 1 else None

    def packed(self) -> tuple[array[int], array[int]]:
        """All lines as numbers; empty where the native back end cannot use them."""
        return self._given

    def _fits(self, line: ir.PolicyLine) -> bool:
        used = [line.when, line.value, *(function for _, function in line.ranks)]
        params = [self.program.functions[number].params for number in used if number is not None]
        return len(line.ranks) <= MAX_RANKS and max(params, default=0) <= MAX_PARAMETERS

    def answer_natively(self, cells: bytearray, most: int, dice: bool) -> int:
        """Answer the decisions that the native back end supports; their number."""
        if self._packed is None:
            return 0
        given: int = self.backend.answer_by(cells, *self._packed, most, dice)  # type: ignore[attr-defined]
        return given

    def answer(self, cells: bytearray, c: memoryview, offered: list[int]) -> int | None:
        """One of the candidates; None if no policy has an answer."""
        number, chooser = c[H_ASK], c[H_CHOOSER]
        for choose in self.choosers:
            given = choose(self.program.asks[number].name, chooser, offered, c)
            if given is not None:
                return given
        for line, other in self.by_ask[number]:
            best = self._by_line(line, other or self.backend, cells, c, offered)
            if self.program.asks[number].numbers is not None:
                if best:
                    return self._how_many(c, best, offered)
                continue
            picked = [value for value in offered if value in best]
            if picked:
                return picked[0]
        if self.otherwise is None:
            return None
        if self.program.asks[number].numbers is not None and OTHERWISE[self.otherwise]:
            return min(offered)
        declined = [value for value in offered if OTHERWISE[self.otherwise] and value in (DONE, NONE)]
        return (declined or offered)[0]

    def _how_many(self, c: memoryview, best: list[int], offered: list[int]) -> int:
        """Of the group that is asked for, as many as are among the best: or as near to that as can be."""
        numbers = self.program.asks[c[H_ASK]].numbers
        assert numbers is not None
        members = self._members(c, numbers.group)
        if numbers.price is not None:
            # Of the best as many as there can be, of others none.
            return max(offered) if best[0] in members else min(offered)
        wanted = len(set(best).intersection(members))
        return min(offered, key=lambda value: abs(value - wanted))

    def _members(self, c: memoryview, local: int) -> list[int]:
        """The members of a set local of the machine that asks."""
        place = self.layout.stack_offset + c[H_FP]
        machine = self.program.machines[c[place]]
        kind = machine.locals[local].type
        assert isinstance(kind, ir.SetType)
        words = max(1, (self.layout.count[kind.domain] + 31) // 32)
        at = place + self.layout.frames[machine.id].offsets[local]
        return list(elements(load_set(c, at, words), self.layout.base[kind.domain]))

    def _considered(self, c: memoryview, offered: list[int]) -> tuple[list[int], int]:
        """The candidates that a line ranks, and how many of them are needed."""
        place = self.layout.stack_offset + c[H_FP]
        machine = self.program.machines[c[place]]
        some, numbers = self.program.asks[c[H_ASK]].some, self.program.asks[c[H_ASK]].numbers
        considered = offered
        need = 1
        if numbers is not None:
            members = sorted(self._members(c, numbers.group) + self._members(c, numbers.rest))
            return [*members, DONE], c[place + self.layout.frames[machine.id].offsets[numbers.room]]
        if some is not None:
            offsets = self.layout.frames[machine.id].offsets
            kind = machine.locals[some[0]].type
            assert isinstance(kind, ir.SetType)
            words = max(1, (self.layout.count[kind.domain] + 31) // 32)
            considered = list(
                elements(load_set(c, place + offsets[some[0]], words), self.layout.base[kind.domain])
            )
            considered += [value for value in offered if value in (DONE, NONE)]
            need = c[place + offsets[some[1]]]
        return considered, need

    def _line_caller(
        self, line: ir.PolicyLine, backend: Backend, cells: bytearray, c: memoryview
    ) -> Callable[[int, int], int]:
        """Calls a function of the line with a candidate."""
        place = self.layout.stack_offset + c[H_FP]
        chooser, given = c[H_CHOOSER], self._parameters(c, place, self.program.machines[c[place]], line.me)

        def ask(function: int, value: int) -> int:
            found = backend.call(cells, function, (chooser, value, *given), Io())
            assert isinstance(found, int)
            return found

        return ask

    def _by_line(
        self, line: ir.PolicyLine, backend: Backend, cells: bytearray, c: memoryview, offered: list[int]
    ) -> list[int]:
        """The candidates that the line selects, the best `need` of them."""
        ask = self._line_caller(line, backend, cells, c)
        considered, need = self._considered(c, offered)
        real = [value for value in considered if value not in (DONE, NONE)]
        if not line.ranks:
            wanted: tuple[int, ...] = (DONE, NONE)
            if line.value is not None:
                wanted = (ask(line.value, NONE),)
            if line.when is not None and not ask(line.when, NONE if not real else real[0]):
                return []
            return [value for value in considered if value in wanted]
        if line.when is not None:
            real = [value for value in real if ask(line.when, value)]
        keys = {
            value: tuple(-ask(key, value) if highest else ask(key, value) for highest, key in line.ranks)
            for value in real
        }
        return sorted(real, key=keys.__getitem__)[:need]

    def _parameters(self, c: memoryview, place: int, machine: ir.Machine, me: bool) -> list[Any]:
        found: list[Any] = []
        offsets = self.layout.frames[machine.id].offsets
        for number in range(1 if me else 0, machine.params):
            at = place + offsets[number]
            match machine.locals[number].type:
                case ir.IntType():
                    found.append(c[at])
                case ir.SetType(domain=domain):
                    words = max(1, (self.layout.count[domain] + 31) // 32)
                    found.append(frozenset(elements(load_set(c, at, words), self.layout.base[domain])))
                case ir.ListType():
                    found.append(list(c[at + 1 : at + 1 + c[at]]))
        return found


def reachable_choices(program: ir.Program, machine: int) -> list[ir.AskDecl]:
    """Every choice that a machine can reach, in the order of the program."""
    seen: set[int] = set()
    waiting = [machine]
    asks: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        blocks = program.machines[number].blocks
        reached: set[int] = set()
        following = [0]
        while following:
            block = following.pop()
            if block in reached:
                continue
            reached.add(block)
            end = blocks[block].end
            following += successors(end)
            if isinstance(end, ir.CallMachine):
                waiting.append(end.machine)
            elif isinstance(end, ir.Ask) and program.asks[end.ask].chance is None:
                asks.add(end.ask)
    return [program.asks[number] for number in sorted(asks)]


def missing_policy(
    answers: Answers, machine: int, cells: bytearray, c: memoryview, offered: list[int], title: str
) -> PolicyMissing:
    """The error for a choice without an answer: it lists all reachable choices, and which are answered."""
    program, number = answers.program, c[H_ASK]
    answered = {line.ask for lines in answers.by_ask.values() for line, _ in lines}
    name, lines = program.asks[number].name, answers.by_ask[number]
    listed: dict[str, str] = {}
    for found in reachable_choices(program, machine):
        cites = _cited(program.sites[found.site])
        mark = "answered" if found.name in answered else "open"
        if found.name == name and lines:
            mark = "not answered here"
        listed.setdefault(found.name, f"{found.name}  {found.label}{cites}: {mark}")
    if lines:
        problem = _why_unanswered(answers, cells, c, offered)
        hint = f'add a line that always has an answer, for example "{name}: lowest ...", or the policy "otherwise none"'
    else:
        problem = f"nothing says how `{name}` is answered"
        hint = f'give a line for each, for example "{name}: lowest ..." or "{name}: none", or the policy "otherwise none" for the rest'
    shown = "\n  ".join(listed.values())
    between = "\n" if lines else "; "
    return PolicyMissing(
        f"{problem}{between}{title} can come to these choices:\n  {shown}\nhint: {hint}", list(listed)
    )


def _cited(site: ir.Site) -> str:
    return f" [{', '.join(site.cites)}]" if site.cites else ""


def _place(program: ir.Program, line: ir.PolicyLine) -> str:
    # Inline text has sites of its own, after those of the title.
    if line.site >= len(program.sites):
        return "the line that was given"
    site = program.sites[line.site]
    return f"policy {site.owner} ({site.file}:{site.line})"


def _why_unanswered(answers: Answers, cells: bytearray, c: memoryview, offered: list[int]) -> str:
    """Why no line for the choice applies at this point, and the candidates."""
    asked = answers.program.asks[c[H_ASK]]
    show = asked.show
    reasons = []
    for line, other in answers.by_ask[asked.id]:
        ask = answers._line_caller(line, other or answers.backend, cells, c)
        real = [value for value in offered if value not in (DONE, NONE)]
        tried = real if line.ranks else real[:1] or [NONE]
        if not tried:
            why = "there is nothing to rank"
        elif line.when is not None and not any(ask(line.when, value) for value in tried):
            why = "its condition does not hold"
        else:
            wanted = DONE if line.value is None else ask(line.value, NONE)
            why = f"`{answers.label(wanted, show, c)}` is not on offer"
        reasons.append(f"  {_place(answers.program, line)}: {why}")
    names = [answers.label(value, show, c) for value in offered]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return (
        f"`{asked.name}` has lines, but none with an answer at this point:\n"
        + "\n".join(reasons)
        + f"\n  on offer: {', '.join(names[:LISTED])}{more}"
    )


def python_choosers(setting: Setting, functions: Sequence[PolicySpec]) -> list[Chooser]:
    """Policies that are Python functions of a question's name and the names of the answers."""

    def made(function: Any) -> Chooser:
        def choose(name: str, chooser: int, offered: list[int], c: memoryview) -> int | None:
            ask = setting.program.asks[c[H_ASK]]
            named = [setting.names.answer_name(value, ask.show) for value in offered]
            given = function(name, named)
            if given is None:
                return None
            if given not in named:
                raise OddsError(f"the policy answers {given!r} to {name}, which offers {', '.join(named)}")
            return offered[named.index(given)]

        return choose

    return [made(function) for function in functions]
