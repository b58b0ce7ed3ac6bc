"""Answers to choices: the lines of policies, tried in order.

A line applies to the candidates for which its condition holds; the first line with such a candidate answers.  Where a set
is picked member by member, the best of all that are left are meant, not the best of those that can be picked next.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

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
from grognard.odds.errors import PolicyMissing

#: Keys of a line that a compiled back end compares by itself (as in templates/face.pyx).
MOST_RANKS = 8
#: Parameters of its functions there.
MOST_GIVEN = 64
#: A line, with the back end and layout that its functions run on (None: those of the program itself).
Line: TypeAlias = tuple[ir.PolicyLine, Backend | None]
#: What is done where no line has an answer: nothing that need not be done, or always the first that is offered.
OTHERWISE = {"otherwise none": True, "otherwise first": False}
#: A policy in Python: takes the choice's name and the candidates' values, gives one of them or None.
Chooser: TypeAlias = Callable[[str, int, list[int], memoryview], "int | None"]


class Answers:
    """Answers the choices of one program by lines of policies and choosers, the first that knows an answer."""

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
        """All lines as numbers, for a back end that answers by itself; asks that it cannot do have none."""
        starts, numbers = array("i", [0]), array("i")
        for ask in self.program.asks:
            lines = self.by_ask[ask.id]
            plain = all(other is None and self._fits(line) for line, other in lines)
            left = self._left(ask) if lines and ask.chance is None and plain else None
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

    def _left(self, ask: ir.AskDecl) -> tuple[int, int, int, int] | None:
        """Where the frame has the members that are left to pick, and how many are needed: (cell of the set, its words, its
        first member, cell of the number), -1 where one thing is chosen; None if that is not always the same."""
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
        """All lines as numbers; none where they are not for compiled code."""
        return self._given

    def _fits(self, line: ir.PolicyLine) -> bool:
        used = [line.when, line.value, *(function for _, function in line.ranks)]
        params = [self.program.functions[number].params for number in used if number is not None]
        return len(line.ranks) <= MOST_RANKS and max(params, default=0) <= MOST_GIVEN

    def answer_many(self, cells: bytearray, most: int, dice: bool) -> int:
        """Answer what the back end can answer by itself; how many decisions that were."""
        if self._packed is None:
            return 0
        given: int = self.backend.answer_by(cells, *self._packed, most, dice)  # type: ignore[attr-defined]
        return given

    def answer(self, cells: bytearray, c: memoryview, offered: list[int]) -> int | None:
        """One of the candidates; None if nobody knows which."""
        number, chooser = c[H_ASK], c[H_CHOOSER]
        for choose in self.choosers:
            given = choose(self.program.asks[number].name, chooser, offered, c)
            if given is not None:
                return given
        for line, other in self.by_ask[number]:
            best = self._by_line(line, other or self.backend, cells, c, offered)
            picked = [value for value in offered if value in best]
            if picked:
                return picked[0]
        if self.otherwise is None:
            return None
        declined = [value for value in offered if OTHERWISE[self.otherwise] and value in (DONE, NONE)]
        return (declined or offered)[0]

    def _considered(self, c: memoryview, offered: list[int]) -> tuple[list[int], int]:
        """The candidates that a line chooses among, and how many of them are needed."""
        place = self.layout.stack_offset + c[H_FP]
        machine = self.program.machines[c[place]]
        some = self.program.asks[c[H_ASK]].some
        considered = offered
        need = 1
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

    def _asking(
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
        """The candidates that the line means, the best `need` of them."""
        ask = self._asking(line, backend, cells, c)
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
    """Every choice that a machine can come to, in the order of the program."""
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


def missing(
    answers: Answers, machine: int, cells: bytearray, c: memoryview, offered: list[int], title: str
) -> PolicyMissing:
    """The error for a choice without an answer: it lists all choices, and which have one."""
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
        problem = _nothing_fits(answers, cells, c, offered)
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
    # What callers give as text has sites of its own, behind those of the title.
    if line.site >= len(program.sites):
        return "the line that was given"
    site = program.sites[line.site]
    return f"policy {site.owner} ({site.file}:{site.line})"


def _nothing_fits(answers: Answers, cells: bytearray, c: memoryview, offered: list[int]) -> str:
    """Why each line for the choice has no answer at this point, and what was on offer."""
    asked = answers.program.asks[c[H_ASK]]
    show = asked.show
    told = []
    for line, other in answers.by_ask[asked.id]:
        ask = answers._asking(line, other or answers.backend, cells, c)
        real = [value for value in offered if value not in (DONE, NONE)]
        tried = real if line.ranks else real[:1] or [NONE]
        if not tried:
            why = "there is nothing to rank"
        elif line.when is not None and not any(ask(line.when, value) for value in tried):
            why = "its condition does not hold"
        else:
            wanted = DONE if line.value is None else ask(line.value, NONE)
            why = f"`{answers.label(wanted, show, c)}` is not on offer"
        told.append(f"  {_place(answers.program, line)}: {why}")
    names = [answers.label(value, show, c) for value in offered]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return (
        f"`{asked.name}` has lines, but none with an answer at this point:\n"
        + "\n".join(told)
        + f"\n  on offer: {', '.join(names[:LISTED])}{more}"
    )
