"""What a person is told before answering: where counters stand, what choices cost and promise, what is at a place."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.cli.board.boardview import CounterView, PlaceView, SpaceView, read_spaces
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
    from grognard.contract.schema import DomainSchema, FieldSchema
    from grognard.play.position import Position
    from grognard.play.reader import Reader

#: With more choices than this, what they cost is shown by :odds only.
MANY = 12


def places_of(reader: Reader, choices: Sequence[Choice], kind: str) -> dict[str, str]:
    """Where the counters stand that are offered, by their labels; `kind`: what the answers are."""
    source = source_of(reader)
    dom = next((dom for dom in source.schema.doms if dom.name == kind and dom.sort == "piece"), None)
    where = location_field(dom) if dom is not None else None
    if where is None or where.type.dom is None:
        return {}
    found: dict[str, str] = {}
    with memoryview(reader.cells) as raw, raw.cast("i") as cells:
        for choice in choices:
            if choice.value not in (DONE, NONE):
                place = source.state(cells, where, choice.value)
                if place != NONE:
                    found[choice.label] = place_title(source, place)
    return found


def location_field(dom: DomainSchema) -> FieldSchema | None:
    """Where a counter lies: its first field of a kind of place."""
    for info in dom.fields.values():
        if (
            info.field is not None
            and not info.axes
            and info.type.dom is not None
            and info.type.dom.sort == "place"
        ):
            return info
    return None


def place_title(source: BoardSource, place: int) -> str:
    """A place of any map by its name."""
    for entry in source.data.maps:
        if entry.base <= place < entry.base + entry.n:
            data = source.data.domains[entry.domain]
            return data.title(place)
    return ""


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
    # What upon declining follows is asked for by itself.
    hidden = source_of(position).unshown
    menu = position.question is not None and position.question.kind == "action"
    costs = [
        ""
        if choice.value in (DONE, NONE)
        else costs_text(
            {
                name: bounds
                for name, bounds in found[choice.value].costs.items()
                # What the rest of an action may cost belongs to the action alone.
                if name not in hidden and (menu or bounds[0] == bounds[1])
            }
        )
        for choice in choices
    ]
    if len(costs) > 1 and len(set(costs)) == 1:
        # What comes whatever one answers is no matter of this choice.
        costs = [""] * len(costs)
    return [
        "; ".join(filter(None, (cost, consequences_text(found[choice.value], hidden))))
        for cost, choice in zip(costs, choices, strict=True)
    ]


#: Columns of kinds that are prices, by their names in the rules.
PRICES = ("cost", "price", "points")
#: Runs for each choice to see what a battle costs; answers of each; seconds for all; what is worth telling.
RUNS = 24
MAX_ANSWERS = 150
SECONDS = 0.6
NOTICEABLE = 0.3
#: Dice that fall later than after so many answers have little to do with the choice.
SOON = 5


def prices_of(position: Position, choices: Sequence[Choice]) -> list[str]:
    """What each choice from a list of kinds costs: "3"."""
    setting = position.setting
    question = position.question
    dom = next((d for d in setting.schema.doms if question is not None and d.name == question.kind), None)
    column = next((dom.fields[name] for name in PRICES if name in dom.fields), None) if dom else None
    if dom is None or dom.sort != "kind" or column is None or column.column is None or column.axes:
        return []
    source = source_of(position)
    return [
        f"{column.name} {source.datum(column, choice.value)}" if choice.value not in (DONE, NONE) else ""
        for choice in choices
    ]


def losses_of(position: Position, choices: Sequence[Choice]) -> list[str]:
    """What the dice will cost each side upon each choice, on average, if nobody gives way: "Germany 2.1, France 4.8"."""
    from grognard.bots.determinisation import ForwardModel, generator_state, pending_question, ply_of
    from grognard.bots.evaluation import counters_of_seats
    from grognard.bots.knowledge import Knowledge
    from grognard.contract.backend import RuleFailure

    question = position.question
    sorts = {dom.name: dom.sort for dom in position.setting.schema.doms}
    if len(choices) > MANY or question is None:
        return []
    if question.kind != "action" and sorts.get(question.kind) not in ("piece", "place", "kind", "record"):
        return []
    knowledge = Knowledge(position)
    model = ForwardModel(knowledge.setting)
    generator = random.Random(1)
    names = position.setting.scenario.data.domains[position.setting.program.seats]
    titles = names.titles or names.names
    deadline = time.monotonic() + SECONDS
    told: list[str] = []
    for number, choice in enumerate(choices):
        lost: Counter[int] = Counter()
        runs = rolled = 0
        until = time.monotonic() + (deadline - time.monotonic()) / (len(choices) - number)
        while runs < RUNS and time.monotonic() < until and choice.value != NONE:
            cells = knowledge.sample(generator)
            ply, dice, asked = ply_of(cells), generator_state(cells), pending_question(cells)
            before = counters_of_seats(position.setting, cells)
            try:
                model.answer(cells, choice.value)
                soon = generator_state(cells) != dice
                for given in range(MAX_ANSWERS):
                    if given < SOON:
                        soon = soon or generator_state(cells) != dice
                    if model.seat(cells) < 0 or ply_of(cells) != ply or pending_question(cells) == asked:
                        break
                    offered = model.candidates(cells)
                    declined = [value for value in offered if value in (DONE, NONE)]
                    model.answer(cells, declined[0] if declined else generator.choice(offered))
            except RuleFailure:
                # A determinised position may be unreachable in play.
                break
            runs += 1
            rolled += soon
            after = counters_of_seats(position.setting, cells)
            lost.update({seat: before[seat] - after[seat] for seat in before})
        parts = [
            f"{titles[seat]} {lost[seat] / runs:.1f}"
            for seat in sorted(lost)
            if lost[seat] > NOTICEABLE * runs
        ]
        told.append(f"expected losses: {', '.join(parts)}" if parts and 2 * rolled > runs else "")
    return told if any(told) else []


def notes_on(position: Position, choices: Sequence[Choice]) -> list[str]:
    """What is told beside the choices: prices, else costs, else what the dice may do."""
    notes = prices_of(position, choices) or costs_of(position, choices)
    if any(notes):
        return notes
    try:
        return losses_of(position, choices)
    except RuleError:
        # It looks ahead, and a rule fails on the way: it is told when somebody goes there.
        return []


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
        rows.append(
            (
                choice.label,
                costs_text(advice.costs),
                *odds,
                how,
                consequences_text(advice, source_of(position).unshown),
            )
        )
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
    names = [view.name for space in spaces for view in space.places]
    known = {name.lower() for s in spaces for v in s.places for name in (v.name, v.title)}
    if place and place.lower() not in known:
        # A counter may be named instead of where it stands, as far as the seat sees it.
        place = next(
            (v.name for s in spaces for v in s.places for c in v.counters if _is_called(c, place)), place
        )
    for space in spaces:
        for view in space.places:
            if place.lower() in (view.name.lower(), view.title.lower()):
                ground = ", ".join(filter(None, [view.terrain, f"level {view.level}" if view.level else ""]))
                console.print(f"{console.style('bold', view.title)}  {ground}".rstrip())
                _print_kind(source, view.ground, 2, console)
                for text in (
                    *view.features,
                    *view.printed,
                    *(mark.label for mark in view.marks),
                    *view.states,
                ):
                    console.print(f"  {text}")
                for text in _borders(space, view):
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


def _is_called(counter: CounterView, text: str) -> bool:
    wanted = text.casefold()
    return wanted in (
        counter.code.casefold(),
        counter.label.casefold(),
        counter.label.rpartition(" ")[2].casefold(),
    )


def print_asked(reader: Reader, text: str, console: Console) -> None:
    """What a rule says of what the reader shows, and the steps that lead there."""
    from grognard.errors import UnknownName
    from grognard.play.asked import asked

    try:
        found = asked(reader, text)
    except UnknownName as mistake:
        raise UserError(str(mistake)) from None
    console.print(f"{found.rule}: {console.style('bold', found.says)}")
    for line, cites in found.lines:
        console.print(f"  {line}" + (" " + console.style("cite", f"[{', '.join(cites)}]") if cites else ""))


def _borders(space: SpaceView, view: PlaceView) -> list[str]:
    """What lies on the borders of a place: `slope to 0304, 0305`."""
    here = space.places.index(view)
    found: dict[str, list[str]] = {}
    for edge in space.edges:
        if here in (edge.a, edge.b):
            found.setdefault(edge.title, []).append(space.places[edge.b if edge.a == here else edge.a].name)
    return [f"{what} to {', '.join(others)}" for what, others in found.items()]


def _print_kind(
    source: BoardSource, kind: tuple[DomainSchema, int] | None, indent: int, console: Console
) -> None:
    """The values that counters or ground of a kind have in common."""
    told = ", ".join(source.printed(*kind)) if kind is not None else ""
    for line in folded(" " * indent + told, console, indent) if told else ():
        console.print(console.style("dim", line))
