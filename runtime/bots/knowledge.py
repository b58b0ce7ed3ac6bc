"""The information set of a seat, and determinisations of it: full positions that agree with it.

A bot never sees the position itself, only a `Knowledge` of it.  Hidden information is resampled from what the rules
declare about it:

- values that come from a bag (a drawn chit) and the bag itself are shuffled together: how many there are is public,
  which they are is not;
- other secret fields get a uniform value of their type;
- a hidden counter stays in play, because the order of battle and the losses are public; its place and state are
  resampled; the types of cards in hand, and of other counters whose type comes from a bag, are drawn again;
- locals of the rules that wait are worked out again, where they come from such values (`locals_again`);
- the random generator is reseeded.

The result depends only on what the seat may know, on what the running rules keep in other locals, and on the generator.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grognard.bots.evaluation import owner_field
from grognard.bots.locals_again import LocalsAgain
from grognard.bots.worlds import Worlds
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    NONE,
)
from grognard.contract.layout import JOURNAL_ENTRY, default_value
from grognard.errors import GrognardError
from grognard.play.position import Position
from grognard.play.view import close_branch, hidden_cells

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.contract.schema import DomainSchema, FieldSchema
    from grognard.play.setting import Setting
    from grognard.play.view import View


@dataclass(frozen=True, slots=True)
class _Bag:
    """A bag: the offset of its counts, its kind, and the members that it can ever hold."""

    offset: int
    kind: int
    members: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Hidden:
    """A counter that is hidden from the seat."""

    dom: DomainSchema
    number: int


class Knowledge:
    """The information set of one seat.  Bots see a game only through it."""

    def __init__(self, position: Position, seat: str | None = None) -> None:
        name = seat if seat is not None else position.to_move
        if name is None:
            raise ValueError("the game is over: nobody has anything to decide")
        self._setting: Setting = position.setting
        self._true_cells = bytes(position.cells)
        self.seat = name
        self.seat_number = self._setting.seat_number(name)
        self._position = position.clone()
        #: the legal answers as raw numbers; empty when another seat is asked
        self.values: list[int] = position.values() if position.to_move == name else []

    @cached_property
    def view(self) -> View:
        """The view of the seat: everything that it may see."""
        return self._position.view(self.seat)

    @property
    def setting(self) -> Setting:
        return self._setting

    def legal(self) -> list[Choice]:
        """The legal answers of the seat; empty when another seat is asked."""
        return self._position.legal() if self.values else []

    @property
    def moment(self) -> tuple[int, int, int]:
        """(ply, answers so far, question): public, and different at every decision of a game."""
        here = self._position
        return here.ply, here.head(H_EPOCH), here.head(H_ASK)

    @property
    def complete(self) -> bool:
        """Whether the seat has perfect information, apart from the dice."""
        return self._setting.program.view is None and not self._has_hidden_writes

    # ---- determinisations

    def sample(self, generator: random.Random) -> bytearray:
        """A determinisation: the cells of a full position that the seat cannot distinguish from the true one."""
        made = bytearray(self._information_set)
        with memoryview(made) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(generator.getrandbits(64))
            if not self.complete:
                self._resample(c, generator)
        self._locals.work_out(made)
        return made

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Locals of rules that wait, by name, that come from what is hidden from the seat and cannot be imagined: the truth
        stands in them, and what is worked out from them would tell of it."""
        return self._locals.doubtful

    @cached_property
    def _locals(self) -> LocalsAgain:
        if self.complete:
            return LocalsAgain.none(self._setting)
        hidden = {info.field for info, _ in self._hidden_cells if info.field is not None}
        return LocalsAgain(self._setting, self._true_cells, frozenset(hidden), bool(self._hidden))

    def worlds(self, most: int, generator: random.Random) -> Worlds:
        """Positions that the seat cannot tell from the true one, with weights: all there are, if they can be counted and
        are no more than `most`; else that many drawn at random, equal ones as one.

        One in which the seat would see or could answer something else does not fit and is left out, unless none fits."""
        drawn: list[bytearray] | None = [self.sample(generator)]
        if not self.complete:
            drawn = self._all_worlds(most, generator)
        complete = drawn is not None
        if drawn is None:
            drawn = [self.sample(generator) for _ in range(most)]
            self._balance(drawn, generator)
        counted: dict[bytes, tuple[int, bytearray]] = {}
        for cells in drawn:
            with memoryview(cells) as raw, raw.cast("i") as c:
                # Worlds differ by what is hidden, not by dice to come.
                c[H_RNG_LO], c[H_RNG_HI] = seeded(len(counted))
            key = bytes(cells[: 4 * H_RNG_LO] + cells[4 * H_RNG_HI + 4 :])
            counted[key] = (counted[key][0] + 1, counted[key][1]) if key in counted else (1, cells)
        found = list(counted.values())
        fitting = [one for one in found if len(found) > 1 and self._fits(one[1])] or found
        total = sum(times for times, _ in fitting)
        return Worlds([(times / total, cells) for times, cells in fitting], complete, total)

    def _all_worlds(self, most: int, generator: random.Random) -> list[bytearray] | None:
        """Every combination of the hidden values; None if there are too many, or if more than single values is hidden."""
        if self._hidden or self._has_hidden_writes:
            return None
        ways = 1
        open_cells: list[tuple[int, list[int]]] = []
        for info, cells in self._hidden_cells:
            if self._is_drawn(info):
                return None
            choices = self._possible_values(info)
            open_cells += [(cell, choices) for cell in cells]
            ways *= len(choices) ** len(cells)
            if not 0 < ways <= most:
                return None
        made: list[bytearray] = []
        for values in itertools.product(*(choices for _, choices in open_cells)):
            world = self.sample(generator)
            with memoryview(world) as raw, raw.cast("i") as c:
                for (cell, _), value in zip(open_cells, values, strict=True):
                    c[cell] = value
            self._locals.work_out(world)
            made.append(world)
        return made

    def _balance(self, drawn: list[bytearray], generator: random.Random) -> None:
        """Give each hidden value equally often, as far as it goes: so few worlds would favour some by chance."""
        for info, cells in self._hidden_cells:
            choices = [] if self._is_drawn(info) else self._possible_values(info)
            if not choices:
                continue
            for cell in cells:
                times, rest = divmod(len(drawn), len(choices))
                values = choices * times + generator.sample(choices, rest)
                generator.shuffle(values)
                for world, value in zip(drawn, values, strict=True):
                    with memoryview(world) as raw, raw.cast("i") as c:
                        c[cell] = value
        for world in drawn:
            self._locals.work_out(world)

    def _fits(self, cells: bytearray) -> bool:
        """Whether the seat would see and could answer the same in this position."""
        try:
            made = Position(self._setting, cells).view(self.seat)
        except GrognardError:
            # A determinised position may be unreachable in play.
            return False
        return bytes(made) == bytes(self.view) and made.legal() == self.view.legal()

    @cached_property
    def _has_hidden_writes(self) -> bool:
        """Whether a secret block may hold writes of other seats that are not public yet.

        Whether it does is itself secret: who does nothing must look like who does something.  Seats have their turn in a
        block in their order, so that the first knows all there is."""
        with memoryview(self._true_cells) as raw, raw.cast("i") as t:
            first = self.seat_number == 0 and t[H_CHOOSER] == self.seat_number
            return t[H_BRANCH] != NONE and not first

    @cached_property
    def _public_cells(self) -> bytes:
        """The true position without the pending writes of other seats' secret blocks."""
        cells = bytearray(self._true_cells)
        with memoryview(cells) as raw, raw.cast("i") as c:
            close_branch(self._setting, c, c[H_CHOOSER] == self.seat_number)
        return bytes(cells)

    @cached_property
    def _information_set(self) -> bytes:
        """The known part: the view, plus the public control state, and hidden counters marked as in play."""
        setting = self._setting
        if self.complete:
            return self._true_cells
        layout = setting.scenario.layout
        cells = bytearray(self.view.rule_cells)
        with (
            memoryview(cells) as raw,
            raw.cast("i") as c,
            memoryview(self._true_cells) as whole,
            whole.cast("i") as t,
        ):
            stack = slice(layout.stack_offset, layout.stack_offset + layout.stack_cells)
            c[stack] = t[stack]
            for cell in (H_SP, H_FP, H_ASK, H_CHOOSER, H_EPOCH, H_PLY):
                c[cell] = t[cell]
            self._restore_own_branch(c, t)
            for hidden in self._hidden:
                self._restore_public(hidden, c, t)
        return bytes(cells)

    def _restore_own_branch(self, c: Any, t: Any) -> None:
        """In a secret block the seat keeps its own writes; the writes of others are unknown and are dropped."""
        if t[H_BRANCH] == NONE:
            return
        start = self._setting.scenario.layout.journal_offset
        mine = range(t[H_BRANCH], t[H_JOURNAL]) if t[H_CHOOSER] == self.seat_number else range(0)
        c[H_BRANCH] = 0
        c[H_JOURNAL] = len(mine)
        for place, entry in enumerate(mine):
            for part in range(JOURNAL_ENTRY):
                c[start + place * JOURNAL_ENTRY + part] = t[start + entry * JOURNAL_ENTRY + part]

    def _restore_public(self, hidden: _Hidden, c: Any, t: Any) -> None:
        """Restore the public facts of a hidden counter: existence, owner, the fields that hide it, mostly its type."""
        layout, dom, number = self._setting.scenario.layout, hidden.dom, hidden.number
        assert dom.alive is not None
        c[layout.field_offset[dom.alive] + number] = 1
        known = {owner_field(self._setting, dom), *dom.secrecy_fields}
        kind = dom.fields.get("type")
        if kind is not None and not self._type_is_drawn(dom):
            known.add(kind.field)
        for info in dom.fields.values():
            if info.field is None or info.axes:
                continue
            at = layout.field_offset[info.field] + number * layout.field_words[info.field]
            entry = self._setting.program.fields[info.field]
            if info.field in known:
                c[at] = t[at]
            elif isinstance(entry.type, ir.IntType):
                c[at] = default_value(entry, layout)

    # ---- hidden information

    @cached_property
    def _hidden(self) -> list[_Hidden]:
        found: list[_Hidden] = []
        layout = self._setting.scenario.layout
        seen = self.view.rule_cells
        with (
            memoryview(seen) as raw,
            raw.cast("i") as c,
            memoryview(self._public_cells) as whole,
            whole.cast("i") as t,
        ):
            for dom in self._secret_doms:
                assert dom.alive is not None
                start = layout.field_offset[dom.alive]
                found += [
                    _Hidden(dom, n) for n in range(layout.count[dom.id]) if t[start + n] and not c[start + n]
                ]
        return found

    @cached_property
    def _secret_doms(self) -> list[DomainSchema]:
        return [d for d in self._setting.schema.doms if d.secret and d.alive is not None]

    def _type_is_drawn(self, dom: DomainSchema) -> bool:
        """Whether the type of these counters comes from a bag."""
        return dom.kind is not None and any(bag.kind == dom.kind.id for bag in self._bags)

    @cached_property
    def _bags(self) -> list[_Bag]:
        setting = self._setting
        layout, start = setting.scenario.layout, setting.scenario.cells
        made: list[_Bag] = []
        for bag in setting.schema.bags.values():
            assert bag.field.field is not None
            at = layout.field_offset[bag.field.field]
            count = layout.count[bag.kind.id]
            members = frozenset(n for n in range(count) if start[at + n] > 0)
            made.append(_Bag(at, bag.kind.id, members))
        return made

    @cached_property
    def _hidden_cells(self) -> list[tuple[FieldSchema, list[int]]]:
        """Secret fields of visible counters (and of seats), each with the cells that the seat may not read."""
        return hidden_cells(self._setting, self._public_cells, self.seat_number)

    # ---- resampling

    def _resample(self, c: Any, generator: random.Random) -> None:
        with memoryview(self._public_cells) as whole, whole.cast("i") as t:
            self._resample_pools(c, t, generator)
        for info, cells in self._hidden_cells:
            if not self._is_drawn(info):
                for cell in cells:
                    self._resample_value(info, cell, c, generator)
        for hidden in self._hidden:
            self._resample_place(hidden, c, generator)

    def _is_drawn(self, info: FieldSchema) -> bool:
        dom = info.type.dom
        return info.type.sort == "dom" and dom is not None and any(bag.kind == dom.id for bag in self._bags)

    def _resample_pools(self, c: Any, t: Any, generator: random.Random) -> None:
        """Shuffle bags together with everything that was drawn from them unseen.

        Tokens are sorted before they are shuffled: their true order must not matter."""
        layout = self._setting.scenario.layout
        for kind in sorted({bag.kind for bag in self._bags}):
            base = layout.base[kind]
            bags = [bag for bag in self._bags if bag.kind == kind]
            slots: list[tuple[int, bool]] = []  # cell, whether it may be empty
            for info, cells in self._hidden_cells:
                if info.type.sort == "dom" and info.type.dom is not None and info.type.dom.id == kind:
                    slots += [(cell, info.type.optional) for cell in cells]
            for hidden in self._hidden:
                for info in hidden.dom.fields.values():
                    if info.field is None or info.axes or info.type.dom is None or info.type.dom.id != kind:
                        continue
                    dealt = info.name != "type" or self._type_is_drawn(hidden.dom)
                    if dealt and info.type.sort == "dom":
                        cell = layout.field_offset[info.field] + hidden.number
                        slots.append((cell, info.type.optional))
            taken = sorted(t[cell] - base for cell, _ in slots if t[cell] != NONE)
            for bag in bags:
                for member in range(layout.count[kind]):
                    c[bag.offset + member] = t[bag.offset + member]
            # A token is exchanged with tokens of the same bag only; one that never was in a bag stays.
            dealt_out: list[int] = []
            for bag in bags:
                here = [v for v in taken if v in bag.members]
                pool = sorted(here + [m for m in bag.members for _ in range(t[bag.offset + m])])
                generator.shuffle(pool)
                dealt_out += pool[: len(here)]
                for member in bag.members:
                    c[bag.offset + member] = 0
                for value in pool[len(here) :]:
                    c[bag.offset + value] += 1
            dealt_out += [v for v in taken if not any(v in bag.members for bag in bags)]
            must = [cell for cell, optional in slots if not optional]
            may = [cell for cell, optional in slots if optional]
            generator.shuffle(dealt_out)
            generator.shuffle(may)
            for cell in may:
                c[cell] = NONE
            for cell, value in zip([*must, *may], dealt_out):
                c[cell] = base + value

    def _resample_value(self, info: FieldSchema, cell: int, c: Any, generator: random.Random) -> None:
        """A uniform value of the field's type; sets stay as the view has them."""
        choices = self._possible_values(info)
        if choices:
            c[cell] = generator.choice(choices)

    def _possible_values(self, info: FieldSchema) -> list[int]:
        """The values of a secret field that can be drawn again; none for sets and for references to counters."""
        assert info.field is not None
        entry = self._setting.program.fields[info.field]
        layout = self._setting.scenario.layout
        if not isinstance(entry.type, ir.IntType):
            return []
        dom = info.type.dom if info.type.sort == "dom" else None
        if dom is not None and dom.sort in ("piece", "record"):
            return []
        if dom is not None:
            choices = [layout.base[dom.id] + n for n in range(layout.count[dom.id])]
        else:
            choices = list(range(entry.lo, min(entry.hi, entry.lo + 1000) + 1))
        if entry.optional:
            choices.append(NONE)
        return choices

    def _resample_place(self, hidden: _Hidden, c: Any, generator: random.Random) -> None:
        """Put a hidden counter at a plausible place of its space that none of the seat's own counters occupies."""
        layout = self._setting.scenario.layout
        known = hidden.dom.secrecy_fields
        for info in hidden.dom.fields.values():
            dom = info.type.dom
            if info.field is None or info.axes or info.type.sort != "dom" or dom is None:
                continue
            cell = layout.field_offset[info.field] + hidden.number
            if info.field in known or info.follows:
                continue
            if dom.sort == "direction":
                c[cell] = layout.base[dom.id] + generator.randrange(max(layout.count[dom.id], 1))
            elif dom.sort == "place" and info is self._location_field(hidden.dom):
                free = self._plausible_places(hidden, cell, dom)
                if free:
                    c[cell] = generator.choice(free)

    def _plausible_places(self, hidden: _Hidden, cell: int, space: DomainSchema) -> list[int]:
        """Free places that the title's `plausible` allows; all free ones if it has no such rule."""
        free = self._free_places_in(space)
        rule = self._setting.program.plausible
        if rule is None or rule[1] != hidden.dom.id:
            return free
        key = (hidden.dom.id, hidden.number)
        if key not in self._plausible_cache:
            layout = self._setting.scenario.layout
            asks = self._setting.backend.prepared(rule[0], (layout.base[hidden.dom.id] + hidden.number,))
            cells = bytearray(self._information_set)
            fits: list[int] = []
            for place in free:
                with memoryview(cells) as raw, raw.cast("i") as c:
                    c[cell] = place
                try:
                    if asks(cells):
                        fits.append(place)
                except RuleFailure:
                    # A rule may fail in a position that is unreachable in play.
                    continue
            self._plausible_cache[key] = fits or free
        return self._plausible_cache[key]

    @cached_property
    def _plausible_cache(self) -> dict[tuple[int, int], list[int]]:
        return {}

    def _location_field(self, dom: DomainSchema) -> FieldSchema | None:
        """The location field of a counter: its first field of a place type."""
        return next(
            (
                i
                for i in dom.fields.values()
                if i.type.sort == "dom" and i.type.dom and i.type.dom.sort == "place"
            ),
            None,
        )

    def _free_places_in(self, space: DomainSchema) -> list[int]:
        found = self._free_places.get(space.id)
        if found is None:
            layout = self._setting.scenario.layout
            base, count = layout.base[space.id], layout.count[space.id]
            taken = self._own_places
            found = [p for p in range(base, base + count) if p not in taken]
            self._free_places[space.id] = found
        return found

    @cached_property
    def _free_places(self) -> dict[int, list[int]]:
        return {}

    @cached_property
    def _own_places(self) -> set[int]:
        layout = self._setting.scenario.layout
        taken: set[int] = set()
        with memoryview(self.view.rule_cells) as raw, raw.cast("i") as c:
            for dom in dict.fromkeys(self._setting.schema.types.values()):
                where = self._location_field(dom) if dom.sort == "piece" else None
                owner = owner_field(self._setting, dom) if where is not None else None
                if where is None or owner is None or dom.alive is None or where.field is None:
                    continue
                for n in range(layout.count[dom.id]):
                    if c[layout.field_offset[dom.alive] + n]:
                        place = c[layout.field_offset[where.field] + n]
                        if c[layout.field_offset[owner] + n] == self.seat_number and place != NONE:
                            taken.add(place)
        return taken
