"""What a person is told before answering: where counters stand, what choices cost and promise, what is at a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.cli.board.boardview import read_spaces
from grognard.cli.board.looks import counter_text
from grognard.cli.board.mapdraw import folded
from grognard.cli.board.showing import look_of, source_of
from grognard.cli.board.source import BoardSource
from grognard.cli.console import Console
from grognard.cli.errors import UserError, quoted
from grognard.cli.game_text import consequences_text, costs_text
from grognard.contract.header import DONE, NONE
from grognard.errors import RuleError

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.contract.schema import DomainSchema
    from grognard.play.position import Position
    from grognard.play.reader import Reader

#: With more choices than this, what they cost is shown by :odds only.
MANY = 12


def places_of(reader: Reader, choices: Sequence[Choice]) -> dict[str, str]:
    """Where the counters stand that are offered, by their labels; none whose label several bear."""
    with memoryview(reader.cells) as raw, raw.cast("i") as cells:
        spaces = read_spaces(source_of(reader), cells)
    found: dict[str, str] = {}
    twice: set[str] = set()
    for space in spaces:
        for place in space.places:
            for counter in place.counters:
                if counter.count > 1 or counter.label in found:
                    twice.add(counter.label)
                found[counter.label] = place.name
    offered = {choice.label for choice in choices} - twice
    return {label: place for label, place in found.items() if label in offered}


def costs_of(position: Position, choices: Sequence[Choice]) -> list[str]:
    """What each choice costs the seat, in few words."""
    from grognard.bots.advice import advise

    if len(choices) > MANY:
        return []
    try:
        found = advise(position, with_odds=False)
    except RuleError:
        # It looks ahead, and a rule fails on the way: it is told when somebody goes there.
        return []
    return [
        # What follows upon declining is asked for by itself.
        "; ".join(
            filter(
                None,
                (
                    "" if choice.value in (DONE, NONE) else costs_text(found[choice.value].costs),
                    consequences_text(found[choice.value]),
                ),
            )
        )
        for choice in choices
    ]


def print_odds(position: Position, console: Console) -> None:
    """What each choice promises, with the best way to go on with it."""
    from grognard.bots.advice import advise

    try:
        with console.progress("weighing the choices"):
            found = advise(position)
    except RuleError as error:
        raise UserError(f"nothing can be said about these choices: a rule failed {error}") from None
    choices = position.legal()
    unknown = next((advice.unknown for advice in found.values() if advice.unknown), ())
    if unknown:
        raise UserError(
            "nothing can be said about these choices",
            f"the rule that asks has worked out {', '.join(unknown)} from what is hidden from you",
        )
    rows = []
    for choice in choices:
        advice = found[choice.value]
        odds = [f"{100 * share:.0f} %" for share in advice.odds] if advice.odds else ["", "", ""]
        averaged = f"over {advice.worlds} worlds" if advice.worlds else "sampled"
        how = "" if advice.odds is None else "exact" if advice.certain else averaged
        rows.append((choice.label, costs_text(advice.costs), *odds, how, consequences_text(advice)))
    if not any(row[2] for row in rows):
        raise UserError(
            "nothing can be said about these choices", "the title does not say how well a side stands"
        )
    console.table(
        ("choice", "costs", "better off", "as before", "worse off", "", "the dice"), rows, right=(2, 3, 4)
    )
    worlds = max((advice.worlds for advice in found.values() if not advice.certain), default=0)
    if worlds:
        console.print(f"Something is hidden: averaged over {worlds} worlds that fit what you know.")


def print_place(reader: Reader, place: str, console: Console) -> None:
    """Everything about a place: ground, level, state, and each counter."""
    from grognard.support.suggest import did_you_mean

    source = source_of(reader)
    look = look_of(source)
    with memoryview(reader.cells) as raw, raw.cast("i") as cells:
        spaces = read_spaces(source, cells)
    names: list[str] = []
    for space in spaces:
        for view in space.places:
            names.append(view.name)
            if place.lower() in (view.name.lower(), view.title.lower()):
                ground = ", ".join(filter(None, [view.terrain, f"level {view.level}" if view.level else ""]))
                console.print(f"{console.style('bold', view.title)}  {ground}".rstrip())
                _print_kind(source, view.ground, 2, console)
                for text in (*(mark.label for mark in view.marks), *view.states):
                    console.print(f"  {text}")
                for counter in view.counters:
                    console.print(f"  {counter.code}  {counter_text(counter, space, look, console)}")
                    _print_kind(source, counter.kind, 6, console)
                return
    guess = did_you_mean(place, names)
    raise UserError(
        f"there is no place {quoted(place)}" if place else "look at which place?",
        f"did you mean {guess}?" if guess else f"for example :look {names[0]}" if names else None,
    )


def _print_kind(
    source: BoardSource, kind: tuple[DomainSchema, int] | None, indent: int, console: Console
) -> None:
    """The values that counters or ground of a kind have in common."""
    told = ", ".join(source.printed(*kind)) if kind is not None else ""
    for line in folded(" " * indent + told, console, indent) if told else ():
        console.print(console.style("dim", line))
