"""Whole actions in a sentence: "3 infantry, 1 tank from Germany to Poland" answers what an action asks, in whatever order it
is said.

The questions are tried in the order of the rules, in a position that the seat cannot tell from the true one; what is
looked up there tells nothing.  Dice end the sentence: what comes after them is asked when they have fallen."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.contract.backend import TRACE_LOG, Io
from grognard.contract.header import H_RNG_HI, H_RNG_LO
from grognard.errors import IllegalChoice, RuleError
from grognard.play.wording import Secrecy, log_lines

if TYPE_CHECKING:
    from grognard.contract.questions import Answer
    from grognard.play.position import Position

#: Words that only join.
JOINING = frozenset(
    ["a", "an", "and", "at", "by", "from", "in", "into", "of", "on", "onto", "out", "over", "the", "then", "through", "to", "using", "via", "with"]
)  # fmt: skip
#: Answers that are looked at, and questions that one sentence may answer.
MAX_LOOKS = 600
MAX_ANSWERS = 12
#: Nobody waits longer to hear that a text is no sentence.
SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Said:
    """Answers in order, with the question that each is to; how many of them the sentence does not speak of."""

    answers: tuple[tuple[str, Answer, str], ...]
    unsaid: int


@dataclass(slots=True)
class _Search:
    words: list[str]
    until: float
    looks: int = 0


def imagined(position: Position, seat: str) -> Position:
    """A position that the seat cannot tell from this one, to look ahead in."""
    from grognard.bots.knowledge import Knowledge

    cells = Knowledge(position, seat).sample(random.Random(position.ply))
    return type(position)(position.setting, cells)


def read_sentence(position: Position, text: str) -> list[tuple[str, Answer]] | str | None:
    """The answers that a sentence gives, each with the name of its question; a sentence back where several are meant; None
    if it is none."""
    words = _words(text)
    question = position.question
    if question is None or question.kind in ("number", "numbers", "flag"):
        return None
    if len([word for word in words if word not in JOINING]) < 2:
        return None
    try:
        begin = imagined(position, question.seat)
        found = list(_said(begin, _Search(words, time.monotonic() + SECONDS), frozenset(), (), 0))
    except RuleError:
        return None
    if not found:
        return None
    least = min(said.unsaid for said in found)
    best = list(
        {tuple(answer[2] for answer in said.answers): said for said in found if said.unsaid == least}.values()
    )
    if len(best) > 1:
        ways = "; ".join(", ".join(label for _, _, label in said.answers) for said in best[:3])
        return f"that can be meant in {len(best)} ways: {ways}{' ...' if len(best) > 3 else ''}"
    return [(name, answer) for name, answer, _ in best[0].answers]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s,;_]+", text.casefold())


def _said(
    here: Position,
    search: _Search,
    used: frozenset[int],
    given: tuple[tuple[str, Answer, str], ...],
    unsaid: int,
) -> Iterator[Said]:
    """All ways to go on with the words that are left."""
    question = here.question
    left = [n for n, word in enumerate(search.words) if n not in used and word not in JOINING]
    if question is None or (given and question.kind == "action") or len(given) >= MAX_ANSWERS:
        if given and not left:
            yield Said(given, unsaid)
        return
    if not left and any(name == question.name for name, *_ in given):
        # The same again: another action, or another leg.
        yield Said(given, unsaid)
        return
    offered = here.legal()
    told: list[tuple[Answer, str, frozenset[int], int]] = []
    if offered.groups:
        told = list(_numbers(here, search.words, used))
    else:
        kinds = Counter(re.sub(r" \d+$", "", choice.label) for choice in offered)
        for choice in offered:
            called = {choice.label, choice.name}
            # Of a counter that has only a number, its kind will do where one alone is offered.
            called |= {kind for kind in (re.sub(r" \d+$", "", choice.label),) if kinds[kind] == 1}
            spans = [
                span
                for words in {tuple(_words(name)) for name in called}
                for span in _spans(search.words, words)
            ]
            fresh = [span for span in spans if not span & used]
            if choice.name in ("done", "none"):
                continue
            if fresh:
                told += [(choice, choice.label, used | span, 0) for span in fresh]
            elif spans:
                # Said before, for another question: as the place that one sets out from.
                told.append((choice, choice.label, used, 1))
            elif question.kind == "action" or len(offered) == 1:
                # Which action it is, what is said shows; what must be answered so need not be said.
                told.append((choice, choice.label, used, 0))
    if not left and question.kind != "action" and not told:
        # Nothing more is said: the rest is asked.
        yield Said(given, unsaid)
        return
    for answer, label, now, cost in told:
        search.looks += 1
        if search.looks > MAX_LOOKS or time.monotonic() > search.until:
            return
        try:
            after, told_of = _played(here, answer)
        except (RuleError, IllegalChoice):
            continue
        now = now.union(*(_tail(search.words, text) for text in told_of))
        made = (*given, (question.name, answer, label))
        thrown = any(here.head(cell) != after.head(cell) for cell in (H_RNG_LO, H_RNG_HI))
        if thrown or after.to_move != here.to_move:
            if all(n in now or word in JOINING for n, word in enumerate(search.words)):
                yield Said(made, unsaid + cost)
            continue
        yield from _said(after, search, now, made, unsaid + cost)


def _played(here: Position, answer: Answer) -> tuple[Position, list[str]]:
    """The position after an answer, and what the log tells of choices: also of those that could be made in one way only."""
    counted = here.counted(answer)
    after, io = here.clone(), Io(TRACE_LOG)
    after.answer_all((here.value_of(answer),) if counted is None else counted.given, io)
    lines, _ = log_lines(here.setting.names, io.trace, None, Secrecy())
    return after, [line.text for line, _ in lines if line.kind == "choice"]


def _tail(words: Sequence[str], text: str) -> frozenset[int]:
    """The end of a line of the log, as far as the sentence has it: `red: from camp`."""
    told = _words(text)
    for first in range(1, len(told)):
        spans = _spans(words, told[first:])
        if spans:
            return spans[0]
    return frozenset()


def _spans(words: Sequence[str], wanted: Sequence[str]) -> list[frozenset[int]]:
    """Where these words stand together."""
    size = len(wanted)
    return [
        frozenset(range(n, n + size))
        for n in range(len(words) - size + 1 if size else 0)
        if list(words[n : n + size]) == list(wanted)
    ]


def _numbers(
    here: Position, words: Sequence[str], used: frozenset[int]
) -> Iterator[tuple[Answer, str, frozenset[int], int]]:
    """Counters by number: words in a row that begin with a number, as many as can be meant."""
    for first, word in enumerate(words):
        if first in used or not word.isdigit():
            continue
        free = first
        while free < len(words) and free not in used:
            free += 1
        for end in range(free, first + 1, -1):
            if words[end - 1] in JOINING or words[end - 1].isdigit():
                continue
            wanted = _counts(words[first:end])
            try:
                count = here.counted(wanted)
            except IllegalChoice:
                continue
            if count is not None:
                yield count, count.label, used | frozenset(range(first, end)), 0
                return


def _counts(words: Sequence[str]) -> dict[str, int]:
    """How many of what: `3 infantry and 1 strategic bomber`."""
    parts: list[tuple[int, list[str]]] = []
    for word in words:
        if word.isdigit():
            parts.append((int(word[:9]), []))
        elif word not in JOINING and parts:
            parts[-1][1].append(word)
    found: dict[str, int] = {}
    for number, name in parts:
        kind = "_".join(name)
        found[kind] = found.get(kind, 0) + number
    return found
