"""One game of a study, played by bots and watched: who decides first, what leaves play and where, how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.bots import make
from grognard.bots.evaluation import owner_field
from grognard.contract.backend import TRACE_OFF, Io
from grognard.contract.header import H_BRANCH, NONE
from grognard.engine import load
from grognard.errors import EditError, GrognardError, RuleError
from grognard.play.editing import GAME, Change, edited, set_up
from grognard.simulate.study import Game, Loss, Study, StudyError, Variant

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.play.position import Position
    from grognard.play.setting import Setting

CELL = 4


def load_variant(study: Study, variant: Variant) -> Engine:
    errata = None if variant.errata is None else (list(variant.errata) or "none")
    return load(variant.where, study.scenario, study.backend, errata, options=dict(variant.options))


@dataclass(frozen=True, slots=True)
class _Counters:
    """One type of counters: the first cells of its fields, and how many there can be.  -1: it has no such field."""

    count: int
    alive: int
    owner: int
    kind: int
    place: int
    kind_show: str
    place_show: str


class Watcher:
    """Tells which counters left play between two positions of one scenario."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._types = list(_counters(setting))
        self._first_seat = setting.scenario.layout.base[setting.program.seats]

    def losses(self, before: Position, after: Position) -> list[Loss]:
        found: list[Loss] = []
        # Compiled engines have cells of a type of their own: a view of them can be cut.
        with memoryview(before.cells) as old, memoryview(after.cells) as new:
            for counters in self._types:
                start, end = counters.alive * CELL, (counters.alive + counters.count) * CELL
                if old[start:end] != new[start:end]:
                    found += self._gone(counters, before, after)
        return found

    def _gone(self, counters: _Counters, before: Position, after: Position) -> Iterator[Loss]:
        names = self.setting.names
        with (
            memoryview(before.cells) as a,
            memoryview(after.cells) as b,
            a.cast("i") as was,
            b.cast("i") as now,
        ):
            for number in range(counters.count):
                if not was[counters.alive + number] or now[counters.alive + number]:
                    continue
                # What has left play keeps its fields: the place where it was at the last.
                values = [
                    value if (value := now[first + number]) != NONE else was[first + number]
                    for first in (counters.kind, counters.place, counters.owner)
                    if first >= 0
                ]
                left = iter(values)
                kind = names.name(next(left), counters.kind_show) if counters.kind >= 0 else ""
                at = next(left) if counters.place >= 0 else NONE
                place = "" if at == NONE else names.name(at, counters.place_show)
                seat = next(left) - self._first_seat if counters.owner >= 0 else -1
                sides = self.setting.side_of_seat
                side = self._side(sides[seat]) if 0 <= seat < len(sides) else ""
                yield Loss(side, kind or "", place or "", after.ply)

    def _side(self, number: int) -> str:
        return self.setting.scenario.data.domains[self.setting.program.sides].names[number]


def _counters(setting: Setting) -> Iterator[_Counters]:
    schema, layout = setting.schema, setting.scenario.layout
    for dom in dict.fromkeys(schema.types.values()):
        if dom.sort != "piece" or dom.alive is None:
            continue
        owner = owner_field(setting, dom)
        kind, at = dom.fields.get("type"), dom.fields.get("at")
        kind = kind if kind is not None and kind.field is not None else None
        at = at if at is not None and at.field is not None and at.type.sort == "dom" else None

        def first(number: int | None) -> int:
            return -1 if number is None else layout.field_offset[number]

        yield _Counters(
            layout.count[dom.id],
            layout.field_offset[dom.alive],
            first(owner),
            first(kind.field if kind else None),
            first(at.field if at else None),
            kind.type.show if kind else "",
            at.type.show if at else "",
        )


def sides_of(engine: Engine, scenario: str | None) -> list[str]:
    """The sides that play a scenario."""
    return list(dict.fromkeys(engine.side_of(seat, scenario) for seat in engine.seats_of(scenario)))


def play_game(engine: Engine, study: Study, variant: Variant, number: int) -> Game:
    """One game, by its number."""
    seed = study.seed_of(number)
    bots = {side: study.bot_of(side, number) for side, _ in study.bots}
    game = Game(variant.name, number, seed, bots, None, False, "", 0, 0)
    try:
        position = start(engine, study.scenario, variant, seed)
    except RuleError as error:
        game.failure = str(error).splitlines()[0]
        return game
    watcher = Watcher(position.setting)
    players = {
        seat: make(bots[engine.side_of(seat, study.scenario)], seed)
        for seat in engine.seats_of(study.scenario)
    }
    while not position.over and game.answers < study.max_answers:
        seat = position.to_move
        if seat is None:
            break
        if not game.first:
            game.first = engine.side_of(seat, study.scenario)
        try:
            after = position.play(players[seat].choose(position))
        except RuleError as error:
            # The game ends here; the study goes on, and says how many games ended so.
            game.failure = str(error).splitlines()[0]
            break
        game.losses += watcher.losses(position, after)
        position = after
        game.answers += 1
    game.plies = position.ply
    game.finished = position.over
    game.winner = position.outcome if position.over else None
    game.end = dict(_numbers(position))
    return game


def start(engine: Engine, scenario: str, variant: Variant, seed: int) -> Position:
    """A new game with the variant's fields set."""
    position = engine.new_game(scenario, seed)
    if not variant.fields:
        return position
    changes = [_change(position, name, value) for name, value in variant.fields]
    try:
        if position.head(H_BRANCH) == NONE:
            return edited(position, changes)
        # Secret orders are the first thing that is asked for: what they are written under is set before any rule runs.
        begun = engine.start(position.setting, seed, Io(TRACE_OFF), changes)
        again = begun.clone()
        set_up(again, changes)
    except EditError as wrong:
        raise StudyError(str(wrong)) from wrong
    if bytes(again) != bytes(begun):
        names = ", ".join(f"`{name}`" for name, _ in variant.fields)
        raise StudyError(
            f"the rules set {names} anew before the first answer; a scenario `like` this one can vary it"
        )
    return begun


def _change(position: Position, name: str, value: str) -> Change:
    """`soviet.cap = 3`, `round = 2`: a field of a side, a seat or a counter by its name, or of the game."""
    owner, _, attribute = name.rpartition(".")
    given = {attribute: _value(value)}
    if owner in ("", GAME):
        return Change("set", GAME, None, given)
    setting = position.setting
    wanted = [
        dom
        for dom in dict.fromkeys(setting.schema.types.values())
        if dom.sort in ("side", "power", "piece", "place") and attribute in dom.fields
    ]
    for dom in wanted:
        if setting.number_of(dom.id, owner) is not None:
            return Change("set", dom.name, owner, given)
    raise StudyError(f"there is nothing called `{owner}` that has a field `{attribute}`")


def _value(text: str) -> Any:
    if text.removeprefix("-").isdigit():
        return int(text)
    return {"yes": True, "no": False, "on": True, "off": False, "none": None}.get(text, text)


def _numbers(position: Position) -> Iterator[tuple[str, int]]:
    """The whole numbers of the game and of its sides at the end: rounds, points, money."""
    setting = position.setting
    layout = setting.scenario.layout
    fields = [("", 0, info) for info in setting.schema.globals.values()]
    for dom in (setting.schema.sides, setting.schema.seats):
        if dom is not None:
            for number, name in enumerate(setting.scenario.data.domains[dom.id].names):
                fields += [(f"{name}.", number, info) for info in dom.fields.values()]
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        for owner, number, info in fields:
            if info.field is None or info.axes or info.type.sort != "int" or info.parts is not None:
                continue
            value = cells[layout.field_offset[info.field] + number]
            if value != NONE:
                yield f"{owner}{info.name}", value


def play_numbers(
    engine: Engine, study: Study, variant: Variant, numbers: Sequence[int]
) -> list[dict[str, Any]]:
    """Several games, as plain values that can be sent and written."""
    return [play_game(engine, study, variant, number).as_dict() for number in numbers]


def check_variant(engine: Engine, study: Study, variant: Variant) -> None:
    """That the variant can be played at all, before thousands of games are; StudyError."""
    try:
        start(engine, study.scenario, variant, study.seed_of(0))
    except RuleError as error:
        raise StudyError(f"{variant.name}: the set-up fails: {error}") from error
    except GrognardError as error:
        raise StudyError(f"{variant.name}: {error}") from error
