"""Choices by number at the keyboard: how many there are of each, and answers such as "3 infantry, 1 tank"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from grognard.cli.console import Console, wide
from grognard.cli.errors import quoted
from grognard.cli.prompting import list_choices, read_choice
from grognard.cli.prospects import notes_on, places_of
from grognard.errors import IllegalChoice

if TYPE_CHECKING:
    from grognard.contract.questions import Choice, Group, Offered
    from grognard.play.position import Position
    from grognard.play.reader import Reader


def list_groups(offered: Offered, console: Console) -> list[str]:
    """What can be chosen, with how many of each and what one costs, and an answer as it can be written."""
    room = max(wide(group.label) for group in offered.groups)
    lines = []
    for group in offered.groups:
        gap = " " * (room - wide(group.label))
        cost = f"   {group.cost} each" if group.cost is not None else ""
        written = "" if _plain(group) else f"   ({group.name})"
        lines.append(f"  {group.label}{gap}   {console.style('number', _span(group))}{cost}{written}")
    return [*lines, f"  {_in_all(offered)}, for example: {_example(offered)}"]


def _plain(group: Group) -> bool:
    """Whether people would write its name from its label."""
    return group.name == group.label.casefold().replace(" ", "_")


def _span(group: Group) -> str:
    return str(group.most) if group.least == group.most else f"{group.least} to {group.most}"


def _in_all(offered: Offered) -> str:
    if offered.budget is not None:
        return f"for {offered.budget} in all"
    fewest, most = offered.fewest, min(offered.most, sum(group.most for group in offered.groups))
    return f"{most} in all" if fewest == most else f"{fewest} to {most} in all"


def _example(offered: Offered) -> str:
    """An answer with the first groups of which one can be chosen."""
    parts: list[str] = []
    left = offered.most
    for group in sorted(offered.groups, key=lambda group: group.most == 0)[:2]:
        number = min(max(1, group.least), group.most, left)
        if number and (offered.budget is None or not parts):
            parts.append(f"{number} {group.name}")
            left -= number
    return ", ".join(parts) or "none"


def read_count(position: Position, text: str, offered: Offered) -> Choice | str:
    """The answer for all groups that was meant, or a sentence that says why there is none."""
    if text.strip().isdigit():
        if len(offered.groups) > 1:
            return f"{quoted(text)} of what? For example: {_example(offered)}"
        text = f"{text.strip()} {offered.groups[0].name}"
    try:
        found = position.counted(text)
    except IllegalChoice as error:
        return str(error)
    if found is not None:
        return found
    # The name of one of the numbers of the first group.
    return next(c for c in offered if text.strip().casefold() in (c.name.casefold(), c.label.casefold()))


def offer(
    position: Position, offered: Offered, reader: Reader, kind: str, console: Console
) -> tuple[list[str], list[str]]:
    """What can be answered, as lines, and the words that complete."""
    if offered.groups:
        return list_groups(offered, console), [group.name for group in offered.groups]
    where = places_of(reader, offered, kind)
    words = [*(c.name for c in offered), *(c.label for c in offered if c.label != c.name)]
    lines = list_choices(
        offered, console, notes_on(position, offered), where, plain_labels(reader, kind, offered, where)
    )
    return lines, words


def plain_labels(reader: Reader, kind: str, offered: Sequence[Choice], where: Mapping[str, str]) -> list[str]:
    """The choices as they are listed: counters that are alike have only numbers, which say nothing where one alone of its kind
    is offered at a place."""
    program = reader.setting.program
    alike = any(domain.name == kind and domain.interchangeable for domain in program.domains)
    kinds = [re.sub(r" \d+$", "", choice.label) if alike else choice.label for choice in offered]
    lying = Counter((kind, where.get(choice.label, "")) for kind, choice in zip(kinds, offered, strict=True))
    return [
        kind if lying[kind, where.get(choice.label, "")] == 1 else choice.label
        for kind, choice in zip(kinds, offered, strict=True)
    ]


def read_answer(position: Position, text: str, offered: Offered, commands: Sequence[str]) -> Choice | str:
    """The answer that was meant, or a sentence that says why there is none."""
    if offered.groups:
        return read_count(position, text, offered)
    return read_choice(text, offered, commands)
