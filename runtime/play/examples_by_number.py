"""Answers of examples where counters are chosen by number: "2 infantry, T" for all groups, or one number after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grognard.contract import ir
from grognard.contract.bitsets import elements
from grognard.contract.examples import Answer
from grognard.contract.header import DONE
from grognard.contract.layout import Layout
from grognard.play import by_number
from grognard.play.wording import Names


@dataclass(slots=True)
class Counts:
    """An answer by number that is being given: what is left of it, the site of its end, and how many have ended there."""

    answer: Answer
    parts: list[tuple[int | None, str]]
    told: tuple[int, int]


class NumberAnswers:
    """The part of a run of an example that says how many."""

    program: ir.Program
    layout: Layout
    names: Names
    cells: bytearray
    asked: list[str]
    counts: Counts | None

    @abstractmethod
    def _all_offered(self, answer: Answer, offered: dict[int, tuple[str, str]], ask: ir.AskDecl) -> bool: ...

    @abstractmethod
    def _no_answer_left(self, ask: ir.AskDecl, listed: str) -> None: ...

    @abstractmethod
    def _not_offered(self, ask: ir.AskDecl, answer: Answer, text: str, notes: Sequence[str]) -> None: ...

    @abstractmethod
    def _records(self) -> Any: ...

    def _number(self, waiting: list[Answer], ask: ir.AskDecl, values: list[int]) -> int | None:
        """How many of the group that is asked for: as a number, or out of "2 infantry, T", which answers for all groups."""
        here = by_number.waiting(self.program, self.layout, self.cells)
        assert here is not None
        told = here.numbers.ended, self._ended(here.numbers.ended)
        if self.counts is None or self.counts.told != told:
            while waiting and waiting[0].offered:
                answer = waiting.pop(0)
                groups = list(by_number.groups_in(self.program, self.layout, self.cells, here))
                # Of the first it is known how many, of the others only that there is room.
                able = [mask for n, mask in enumerate(groups) if n or max(values) > 0]
                names = {
                    place: self._group_names(list(elements(mask, here.base)), here.domain)
                    for place, mask in enumerate(able)
                }
                offered = {place: (min(called), min(called)) for place, called in names.items()}
                if here.least == 0 and 0 in values:
                    offered[DONE], names[DONE] = ("done", "done"), {"done"}
                meant = [
                    next(
                        (offered[place][0] for place, called in names.items() if text.casefold() in called),
                        text,
                    )
                    for text in answer.texts
                ]
                if not self._all_offered(replace(answer, texts=tuple(meant)), offered, ask):
                    return None
            if not waiting:
                self._no_answer_left(ask, ", ".join(map(str, values)))
                return None
            answer = waiting.pop(0)
            text = answer.texts[0]
            self.asked.append(f"asked: {ask.name} ({ask.label}), answered {text}")
            if text.isdigit():
                self.counts = None
                return self._given(int(text), values, text, answer, ask)
            parts = by_number.read_parts(text)
            self.counts = Counts(answer, parts, told)
        counts = self.counts
        members = list(elements(here.group, here.base))
        called = self._group_names(members, here.domain)
        # Members that are no counters can be had several times.
        capacity = len(members) if here.numbers.price is None else max(values)
        number = 0
        for place, (many, name) in enumerate(counts.parts):
            if name.casefold() in called:
                taken = capacity - number if many is None else min(many, capacity - number)
                number += taken
                counts.parts[place] = (None if many is None else many - taken, name)
        return self._given(number, values, counts.answer.texts[0], counts.answer, ask)

    def _group_names(self, members: list[int], domain: int) -> set[str]:
        """What counters that are alike can be called: their kind, or one of them, in small letters."""
        with memoryview(self.cells) as raw, raw.cast("i") as c:
            kind = self.names.kind_of(members[0], domain, c)
        own = {self.names.called.get((domain, member), "") for member in members} - {""}
        return {name.casefold() for name in (*kind, *own)}

    def _given(
        self, number: int, values: list[int], text: str, answer: Answer, ask: ir.AskDecl
    ) -> int | None:
        if number in values:
            return number
        listed = ", ".join(map(str, values))
        self._not_offered(ask, answer, text, (f"{number} of them; offered: {listed}",))
        return None

    def _ended(self, site: int) -> int:
        """How many choices by number were completed."""
        return sum(number == site for number, _, _ in self._records())
