"""Choices by number: the groups that a pending question runs over, and answers for all of them at once.

The rules ask for one group after the other.  Here they are one question, whose parts can be answered in any order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.contract import ir
from grognard.contract.backend import TRACE_LOG, Io, RuleFailure
from grognard.contract.bitsets import elements, load_set
from grognard.contract.header import H_ASK, H_FP, NONE
from grognard.contract.layout import Layout, set_words
from grognard.contract.questions import Choice, Count, Group, Offered
from grognard.contract.trace import trace_records
from grognard.errors import IllegalChoice
from grognard.interpreter.equivalence import PieceEquivalence
from grognard.play.ways import inspected
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.setting import Setting

#: Part of an answer: how many, and of what.
_PART = re.compile(r"(?:(\d+|all)\s*(?:x\s+|of\s+)?)?(\S.*?)", re.IGNORECASE)
#: What says that nothing is chosen.
_NOTHING = ("none", "done", "pass", "nothing", "")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The locals of a question for a number."""

    numbers: ir.Numbers
    domain: int
    base: int
    group: int
    rest: int
    chosen: int
    room: int
    least: int


def _waiting(position: Position) -> _Waiting | None:
    return waiting(position.setting.program, position.setting.scenario.layout, position.cells)


def waiting(program: ir.Program, layout: Layout, cells: bytearray) -> _Waiting | None:
    """The question for a number that waits in a block of cells, if one does."""
    with memoryview(cells) as raw, raw.cast("i") as c:
        ask, offset = c[H_ASK], c[H_FP]
        numbers = None if ask == NONE else program.asks[ask].numbers
        if numbers is None or offset == NONE:
            return None
        frame = layout.stack_offset + offset
        machine = program.machines[c[frame]]
        offsets = layout.frames[machine.id].offsets
        kind = machine.locals[numbers.group].type
        assert isinstance(kind, ir.SetType)
        words = set_words(layout.count[kind.domain])
        group, rest, chosen = (
            load_set(c, frame + offsets[local], words)
            for local in (numbers.group, numbers.rest, numbers.chosen)
        )
        room, least = (c[frame + offsets[local]] for local in (numbers.room, numbers.least))
    return _Waiting(numbers, kind.domain, layout.base[kind.domain], group, rest, chosen, room, least)


def _parts(position: Position, here: _Waiting) -> Iterator[int]:
    return groups_in(position.setting.program, position.setting.scenario.layout, position.cells, here)


def groups_in(program: ir.Program, layout: Layout, cells: bytearray, here: _Waiting) -> Iterator[int]:
    """The groups in the order in which they are asked for, as masks."""
    yield here.group
    left = here.rest
    how = PieceEquivalence(program, layout, here.domain)
    alike = program.domains[here.domain].interchangeable
    with memoryview(cells) as raw, raw.cast("i") as c:
        while left:
            group = how.like_first(c, left) if alike else left & -left
            left &= ~group
            yield group


def _bounds(
    position: Position, here: _Waiting, parts: Sequence[int], values: Sequence[int]
) -> tuple[list[tuple[int, int, int | None]], int | None]:
    """The least and the greatest number of each group, what one costs, and what all may cost."""
    found: list[tuple[int, int, int | None]] = []
    numbers = here.numbers
    look = inspected(position) if numbers.tested or numbers.price is not None else None
    everything = here.group | here.rest
    budget = None
    for place, part in enumerate(parts):
        size, cost = part.bit_count(), None
        others = everything.bit_count() - size
        short = here.least - here.chosen.bit_count() - others
        allowed = [max(0, min(short, size)), min(size, here.room)]
        if place == 0:
            allowed = [min(values), max(values)] if values else [0, 0]
        if look is not None:
            given = look.arguments()
            try:
                if numbers.price is not None:
                    member = here.base + (part & -part).bit_length() - 1
                    cost = look.called(numbers.price, [*given[:-5], member])
                    given[-5:-3] = part, everything & ~part
                    budget = given[-1] if given[-1] >= 0 else None
                    cost = None if budget is None else cost
                else:
                    given[-4:-2] = part, everything & ~part
                tried = look.yielded(given)
            except RuleFailure:
                tried = []
            allowed = [min(tried, default=0), max(tried, default=0)]
        found.append((allowed[0], allowed[1], cost))
    return found, budget


def offered_numbers(position: Position, values: Sequence[int]) -> Offered:
    """What can be answered, with all groups."""
    here = _waiting(position)
    assert here is not None
    parts = list(_parts(position, here))
    names = _names(position.setting, position, here, parts)
    bounds, budget = _bounds(position, here, parts, values)
    data = position.setting.scenario.data.domains[here.domain]
    groups = []
    for part, (name, label), (least, most, cost) in zip(parts, names, bounds):
        members = tuple(data.names[value - here.base] for value in elements(part, here.base))
        groups.append(Group(name, label, least, most, members, cost))
    name, label = names[0]
    choices = [Choice(value, f"{value} {label}", f"{value} of {name}") for value in values]
    fewest = max(0, here.least - here.chosen.bit_count())
    return Offered(choices, tuple(groups), fewest, here.room, budget)


# --------------------------------------------------------------------------------------------------- names


def _names(
    setting: Setting, position: Position, here: _Waiting, parts: Sequence[int]
) -> list[tuple[str, str]]:
    """Name and label of each group: those of the kind, with a number where several are of one kind."""
    firsts = [here.base + (part & -part).bit_length() - 1 for part in parts]
    with memoryview(position.cells) as raw, raw.cast("i") as c:
        kinds = [setting.names.kind_of(value, here.domain, c) for value in firsts]
        found: list[tuple[str, str]] = []
        for value, (name, label) in zip(firsts, kinds):
            alike = [other for other, (kind, _) in zip(firsts, kinds) if kind == name]
            if len(alike) == 1:
                found.append((name, label))
                continue
            differences = _differences(setting, c, here.domain, value, alike)
            told = f" ({', '.join(differences)})" if differences else ""
            found.append((f"{name}_{alike.index(value) + 1}", f"{label}{told}"))
    return found


def _differences(
    setting: Setting, c: memoryview, domain: int, value: int, others: Sequence[int]
) -> list[str]:
    """What tells a counter from others of its kind, in words."""
    layout, base = setting.scenario.layout, setting.scenario.layout.base[domain]
    told: list[str] = []
    seats = f"dom:{setting.program.seats}"
    for entry in setting.program.fields:
        if (
            entry.dims != (domain,)
            or not isinstance(entry.type, ir.IntType)
            or entry.id in setting.veiled_fields
        ):
            continue
        start = layout.field_offset[entry.id] - base
        own = c[start + value]
        if all(c[start + other] == own for other in others):
            continue
        field = entry.name.rpartition(".")[2].replace("_", " ")
        if " as of " in field and told:
            # What a mark remembers of counters that differ by themselves.
            continue
        if entry.type.show == seats:
            told.append(setting.names.label(own, seats, c))
        elif entry.type.show == "flag":
            told.append(field if own else f"not {field}")
        elif own == NONE:
            told.append(f"no {field}")
        else:
            told.append(f"{field} {setting.names.label(own, entry.type.show, c)}")
    return told


# ------------------------------------------------------------------------------------------------- answers


def counted(position: Position, choice: str | Mapping[str, int]) -> Count | None:
    """The answer that a text or numbers by name mean; None if the text is that of a single number.

    IllegalChoice if it cannot be."""
    offered = position.legal()
    if isinstance(choice, str):
        folded = choice.strip().casefold()
        if folded.isdigit() or any(folded in (c.name.casefold(), c.label.casefold()) for c in offered):
            return None
        wanted = _read(choice, offered)
    else:
        wanted = [0] * len(offered.groups)
        for name, number in choice.items():
            _add(wanted, offered, name, number, choice)
    return _tried(position, offered, wanted, choice)


def read_parts(text: str) -> list[tuple[int | None, str]]:
    """A text such as "3 infantry, 1 tank" in its parts: how many (None: all), and of what."""
    if text.strip().casefold() in _NOTHING:
        return []
    found: list[tuple[int | None, str]] = []
    for part in re.split(r"\s*(?:,|;|\+|\band\b)\s*", text.strip()):
        match = _PART.fullmatch(part)
        if match is not None:
            number, name = match.groups()
            many = number[:9] if number else "1"
            found.append((None if many.casefold() == "all" else int(many), name))
    return found


def _read(text: str, offered: Offered) -> list[int]:
    wanted = [0] * len(offered.groups)
    for number, name in read_parts(text):
        _add(wanted, offered, name, number, text)
    return wanted


def _add(wanted: list[int], offered: Offered, name: str, number: int | None, asked: object) -> None:
    """Put so many of what is called so (None: all) to the groups that it can mean, the first of them first."""
    places = _meant(name, offered.groups)
    if not places:
        known = [group.name for group in offered.groups]
        hint = hint_for(name, known) or f"there are {', '.join(known)}"
        raise IllegalChoice(asked, offered, f"`{name}` is not among what can be chosen; {hint}")
    left = number if number is not None else sum(offered.groups[place].most for place in places)
    for place in places:
        now = max(0, min(left, offered.groups[place].most - wanted[place]))
        wanted[place] += now
        left -= now
    # What is too much goes to the last, and is refused with its bounds.
    wanted[places[-1]] += left


def _meant(name: str, groups: Sequence[Group]) -> list[int]:
    folded = name.strip().casefold()
    for same in (
        lambda g: folded in (g.name.casefold(), g.label.casefold()),
        lambda g: folded in (_kind(g.name), g.label.partition(" (")[0].casefold()),
        lambda g: folded in (member.casefold() for member in g.members),
        lambda g: folded.removesuffix("s") in (_kind(g.name), g.label.partition(" (")[0].casefold()),
        lambda g: folded.replace(" ", "_").removesuffix("s") == _kind(g.name),
    ):
        found = [place for place, group in enumerate(groups) if same(group)]
        if found:
            return found
    return []


def _kind(name: str) -> str:
    """The name of a group without its number."""
    return re.sub(r"_\d+$", "", name.casefold())


def named(groups: Sequence[Group], numbers: Sequence[int]) -> str:
    """The answer as logs and saves have it."""
    return ", ".join(f"{n} {group.name}" for group, n in zip(groups, numbers) if n) or "none"


def _tried(position: Position, offered: Offered, wanted: Sequence[int], asked: object) -> Count:
    """Give the numbers one after the other on a copy, and see that the rules take just these."""
    parts = _all_parts(position)
    groups = offered.groups
    for group, number in zip(groups, wanted):
        if not group.least <= number <= group.most:
            raise IllegalChoice(asked, offered, f"{number} {group.name}: {_between(group)}")

    def wish(_now: Position, place: int, values: list[int]) -> int:
        if wanted[place] not in values:
            possible = f"{min(values)} to {max(values)}" if len(values) > 1 else str(values[0])
            why = f"{wanted[place]} {groups[place].name} does not go with the rest: {possible} would"
            raise IllegalChoice(asked, offered, why)
        return wanted[place]

    given, took = _stepped(position, parts, wish)
    if took != list(wanted):
        way = "too many" if sum(wanted) > sum(took) else "too few"
        allowed = f", such as {named(groups, took)}" if any(took) else ""
        many = f"{offered.most} in all{allowed}" if offered.fewest == offered.most else named(groups, took)
        raise IllegalChoice(asked, offered, f"{named(groups, wanted)}: that is {way}; it can be {many}")
    return _count(groups, given, took)


def by_steps(position: Position, choose: Callable[[Position], int]) -> Count:
    """The answer that comes of choosing the number of one group after the other."""
    groups = position.legal().groups
    given, took = _stepped(position, _all_parts(position), lambda now, _place, _values: choose(now))
    return _count(groups, given, took)


def _all_parts(position: Position) -> list[int]:
    here = _waiting(position)
    assert here is not None
    return list(_parts(position, here))


def _stepped(
    position: Position, parts: Sequence[int], choose: Callable[[Position, int, list[int]], int]
) -> tuple[list[int], list[int]]:
    """Give a number for each group that is asked for, on a copy: the raw answers, and how many the rules took of each."""
    now, given, took = position.clone(), [], [0] * len(parts)
    program, ask = position.setting.program, position.head(H_ASK)
    here = _waiting(now)
    while here is not None:
        value = choose(now, parts.index(here.group), now.values())
        io = Io(TRACE_LOG)
        now.answer(value, io)
        given.append(value)
        for site, _, args in trace_records(io.trace):
            if site == here.numbers.ended:
                return given, took
            if program.sites[site].kind == "number":
                bit = 1 << args[2] - here.base
                took[next(n for n, part in enumerate(parts) if part & bit)] += args[1]
        here = _waiting(now) if now.head(H_ASK) == ask else None
    raise AssertionError("a choice by number stops for nothing else")


def _count(groups: Sequence[Group], given: Sequence[int], took: Sequence[int]) -> Count:
    label = ", ".join(f"{n} {group.label}" for group, n in zip(groups, took) if n) or "none"
    return Count(given[0], label, named(groups, took), tuple(given))


def _between(group: Group) -> str:
    if group.least == group.most:
        return f"it must be {group.least}"
    return f"{group.least} to {group.most} can be chosen"
