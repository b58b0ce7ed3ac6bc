"""A scenario on a back end, with its names: what all games of one scenario share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import Backend, RuleFailure
from grognard.contract.datablock import Scenario
from grognard.errors import RuleError, UnknownName, rule_error
from grognard.play.saved_bytes import FINGERPRINT
from grognard.play.seats_of_scenario import seats_in_play, side_of_seats
from grognard.play.wording import Names
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import FieldSchema, Schema
    from grognard.play.engine import Engine


class Setting:
    """A scenario, ready to be played: its data, its back end, its names.  One for all games of the scenario."""

    def __init__(self, engine: Engine, scenario: Scenario, backend: Backend) -> None:
        self.engine = engine
        self.scenario = scenario
        self.run_on(backend)
        self.program = engine.ruleset.program
        self.title = engine.title
        self.names = Names(self.program, scenario.layout, scenario.data)
        #: what packages above this one keep for a scenario, by their own keys
        self.attached: dict[Hashable, Any] = {}
        self._numbers: dict[int, dict[str, int]] = {}

    def run_on(self, backend: Backend) -> None:
        """Run all games of the scenario on this back end from now on."""
        self._backend = backend
        self._advance: Callable[[bytearray, int], tuple[bytearray, list[int]]] | None = getattr(
            backend, "advance", None
        )

    @property
    def backend(self) -> Backend:
        """What runs the program: the compiled engine as soon as it is there."""
        if self.engine.build is not None:
            self.engine.change_over()
        return self._backend

    @property
    def advance(self) -> Callable[[bytearray, int], tuple[bytearray, list[int]]] | None:
        """Answers that are known to be legal, without a check or a trace; None where the back end has nothing faster."""
        if self.engine.build is not None:
            self.engine.change_over()
        return self._advance

    def __reduce__(self) -> Any:
        return _restored, (self.engine, self.scenario.name)

    def __copy__(self) -> Setting:
        return self

    def __deepcopy__(self, memo: Any) -> Setting:
        # It never changes: all games of a scenario share it.
        return self

    @property
    def schema(self) -> Schema:
        return self.engine.ruleset.schema

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides how a game of this scenario goes: rules, data, first position."""
        data = self.scenario.data
        digest = hashlib.blake2b(self.engine.rules_hash, digest_size=FINGERPRINT)
        for part in (
            [(d.base, d.count, d.names) for d in data.domains],
            [c.tolist() for c in data.columns],
            [t.tolist() for t in data.tables],
            list(data.symbols),
            data.maps,
            list(data.place_domain),
            self.scenario.cells.tolist(),
        ):
            digest.update(repr(part).encode())
            digest.update(b"\0")
        return digest.hexdigest()

    def number_of(self, domain: int, name: str) -> int | None:
        """A member's number in its domain, from 0."""
        known = self._numbers.get(domain)
        if known is None:
            # Built aside and put in its place whole: several threads may come here at once.
            known = {}
            for number, member in enumerate(self.scenario.data.domains[domain].names):
                known.setdefault(member, number)
            self._numbers[domain] = known
        return known.get(name)

    def seat_number(self, seat: str) -> int:
        if not isinstance(seat, str):
            raise TypeError(f"a seat is given by its name, not {seat!r}")
        number = self.number_of(self.program.seats, seat)
        if number is None:
            names = self.scenario.data.domains[self.program.seats].names
            raise UnknownName(
                f"{self.title} has no seat `{seat}`", hint_for(seat, names) or f"{', '.join(names)}"
            )
        return number

    @cached_property
    def side_of_seat(self) -> list[int]:
        """The side of each seat, by numbers: the seat itself, or the side that its column names."""
        return side_of_seats(self.engine.ruleset, self.scenario)

    @cached_property
    def seats(self) -> list[str]:
        """The seats that take part in the scenario: all sides, or the powers that its set-up speaks of."""
        names = self.scenario.data.domains[self.program.seats].names
        return [names[seat] for seat in seats_in_play(self.program, self.scenario)]

    def side_of(self, seat: str) -> str:
        """The side that a seat plays for, by its name; UnknownName for a seat that does not exist."""
        sides = self.scenario.data.domains[self.program.sides].names
        return sides[self.side_of_seat[self.seat_number(seat)]]

    def error(self, failure: RuleFailure) -> RuleError:
        return rule_error(failure, self.program, self.names.element)

    @cached_property
    def secrets_of_pieces(self) -> tuple[tuple[int, int], ...]:
        """The fields of counters that are secret or belong to counters that can be, each with its domain."""
        count = len(self.program.fields)
        return tuple((field, domain) for field, domain in self.schema.piece_secrets if field < count)

    @cached_property
    def secret_infos(self) -> tuple[FieldSchema, ...]:
        """The declared secret fields."""
        if self.program.view is None:
            return ()
        infos = self.schema.fields_by_id.values()
        return tuple(info for info in infos if info.secret and info.field is not None and not info.axes)

    @cached_property
    def ranges_of_secrets(self) -> tuple[tuple[int, int], ...]:
        """The cells of fields that can be hidden from a seat, or that can name what is."""
        return self._ranges(True)

    @cached_property
    def open_ranges(self) -> tuple[tuple[int, int], ...]:
        """The cells that every view shows as they are."""
        return self._ranges(False)

    def _ranges(self, secret: bool) -> tuple[tuple[int, int], ...]:
        layout, schema = self.scenario.layout, self.schema
        doms = {dom.id for dom in schema.doms if dom.secret}
        found: list[tuple[int, int]] = []
        for entry in self.program.fields:
            if entry.id in self.veiled_fields:
                continue
            match entry.type:
                case ir.IntType(show=show) | ir.ListType(show=show):
                    shown = set(ir.shown_domains(show))
                case ir.SetType(domain=domain):
                    shown = {domain}
            hides = entry.id in schema.secret_fields or not doms.isdisjoint((*entry.dims, *shown))
            start = layout.field_offset[entry.id]
            if hides == secret and layout.field_cells[entry.id]:
                if found and found[-1][1] == start:
                    start = found.pop()[0]
                found.append((start, layout.field_offset[entry.id] + layout.field_cells[entry.id]))
        return tuple(found)

    @cached_property
    def veiled_fields(self) -> frozenset[int]:
        """Fields that no view shows."""
        count = len(self.program.fields)
        return frozenset(field for field in self.schema.veiled_fields if field < count)


def _restored(engine: Engine, scenario: str) -> Setting:
    """A setting out of a pickle."""
    return engine.setting(scenario)
