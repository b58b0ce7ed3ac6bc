"""Loading a title, and what can be asked of it: new games, positions from bytes, single rules, searches."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from grognard.binding.load import find_engine
from grognard.compiler.driver.ruleset import Ruleset
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.compiler.store.ruleset_cache import load_ruleset
from grognard.contract import ir
from grognard.contract.backend import (
    TRACE_OFF,
    Argument,
    Backend,
    Io,
    RuleFailure,
)
from grognard.contract.datablock import Scenario
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_JOURNAL,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.ir.walk import nodes
from grognard.contract.layout import JOURNAL_ENTRY, compute_layout
from grognard.errors import (
    BackendUnavailable,
    PositionError,
    RuleError,
    RulesetError,
    UnknownName,
    UnknownScenario,
    UnknownTitle,
    rule_error,
)
from grognard.play.position import (
    MAGIC,
    Answer,
    FieldValue,
    Position,
    portable,
)
from grognard.play.wording import Names
from grognard.support.diagnostics import (
    Diagnostic,
    Severity,
    Sink,
)
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.world import World
    from grognard.odds import Odds
    from grognard.odds.canonical import NamedPieces
    from grognard.odds.native_tables import ChanceTables
    from grognard.odds.policy import PolicySpec
    from grognard.odds.request import OddsContext
    from grognard.play.game import Game
    from grognard.play.playouts import Playouts
    from grognard.play.why import SecretReaders

BackendName = Literal["auto", "compiled", "interpreter"]
#: Bytes of a fingerprint.
FINGERPRINT = 16
#: Sets of pieces that somebody has names for, of which odds are prepared at once.
MOST_KEEPING = 16


def load(
    title: str | Path,
    scenario: str | None = None,
    backend: BackendName = "auto",
    errata: str | Sequence[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Engine:
    """An engine for a title: the id of a shipped one, or the path of a folder with a title.yaml.

    `scenario` becomes the engine's default.  `backend` "auto" compiles if that is possible here and else takes
    the interpreter, with the reason in `engine.notices`; "compiled" raises BackendUnavailable instead.
    `errata` names those in force ("none", "all", one name or several; None: those that the title puts in force).  `progress` is told in words
    what a build does.  UnknownTitle, UnknownScenario, or RulesetError with the diagnostics of a bad title."""
    sink = Sink()
    where = str(title)
    ruleset = load_ruleset(where, sink, errata=_errata(errata), examples=False)
    if ruleset is None and not Path(where).exists():
        known = sorted(shipped_titles())
        raise UnknownTitle(where, hint_for(where, known), known)
    if ruleset is None or sink.has_errors:
        raise RulesetError(_errors(sink), sink.sources)
    return Engine(ruleset, scenario, backend, progress=progress)


def _errata(errata: str | Sequence[str] | None) -> list[str] | None:
    if errata is None:
        return None
    if errata == "none":
        return []
    return [errata] if isinstance(errata, str) else list(errata)


def _errors(sink: Sink) -> list[Diagnostic]:
    return [d for d in sink.sorted() if d.severity is Severity.error or d.code == "GR0000"]


class Setting:
    """A scenario, ready to be played: its data, its back end, its names.  One for all games of the scenario."""

    def __init__(self, engine: Engine, scenario: Scenario, backend: Backend) -> None:
        self.engine = engine
        self.scenario = scenario
        self.backend = backend
        #: answers that are known to be legal, without a check or a trace; None where the back end has nothing faster
        self.advance: Callable[[bytearray, int], tuple[bytearray, list[int]]] | None = getattr(
            backend, "advance", None
        )
        self.program = engine.ruleset.program
        self.title = engine.title
        self.names = Names(self.program, scenario.layout, scenario.data)
        self._numbers: dict[int, dict[str, int]] = {}

    @property
    def world(self) -> World:
        return self.engine.ruleset.world

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

    def error(self, failure: RuleFailure) -> RuleError:
        return rule_error(failure, self.program, self.names.element)

    @cached_property
    def chance(self) -> ChanceTables:
        """What odds need to know of the program, if it is a chance program."""
        from grognard.odds.native_tables import ChanceTables

        return ChanceTables(self.program, self.scenario.layout, self.backend)

    def chance_keeping(self, kept: NamedPieces) -> ChanceTables:
        """The same where somebody has names for some pieces, which are then not like others."""
        if not kept:
            return self.chance
        if kept not in self._keeping:
            from grognard.odds.native_tables import ChanceTables

            if len(self._keeping) >= MOST_KEEPING:
                self._keeping.clear()
            self._keeping[kept] = ChanceTables(self.program, self.scenario.layout, self.backend, kept)
        return self._keeping[kept]

    @cached_property
    def _keeping(self) -> dict[NamedPieces, ChanceTables]:
        return {}

    def forget_odds(self) -> None:
        """What battles have told about each other."""
        self.chance.forget()
        self._keeping.clear()

    @cached_property
    def secrets_of_pieces(self) -> tuple[tuple[int, int], ...]:
        """The fields of counters that are secret or belong to counters that can be, each with its domain."""
        return tuple(
            (number, info.owner.id)
            for number, info in self.world.fields_by_id.items()
            if info.owner is not None
            and info.owner.alive is not None
            and number < len(self.program.fields)
            and (info.secret or info.owner.secret_all is not None)
        )

    @cached_property
    def veiled_fields(self) -> frozenset[int]:
        """Fields that no view shows: what waits or is worked with inside the rules, what secret fields held at a
        mark, and bags that someone draws from unseen."""
        veiled = {number for number in self.world.veiled if number < len(self.program.fields)}
        secret = {
            self.program.fields[number].name
            for number, info in self.world.fields_by_id.items()
            if info.secret or (info.owner is not None and info.owner.secret_all is not None)
        }
        for (field, _mark), kept in self.world.snapshots.items():
            info = self.world.fields_by_id.get(field)
            if info is not None and (
                info.secret or (info.owner is not None and info.owner.secret_all is not None)
            ):
                veiled.add(kept)
        for entry in self.program.fields:
            # What a deferred write will bring is as secret as what it is written to.
            if entry.name.endswith(" (pending)") and entry.name.removesuffix(" (pending)") in secret:
                veiled.add(entry.id)
        unseen = {
            self.program.sites[note.site].text
            for note in nodes((self.program.functions, self.program.machines))
            if isinstance(note, ir.Note) and note.seen is not None
        }
        for name, bag in self.world.bags.items():
            if f"drawn from {name}: {{0}}" in unseen and bag.field.field is not None:
                veiled.add(bag.field.field)
        return frozenset(veiled)


class Engine:
    """A title that can be played.  Made by `load`; keeps nothing of a game, and may be shared between threads."""

    def __init__(
        self,
        ruleset: Ruleset,
        scenario: str | None = None,
        backend: BackendName = "auto",
        *,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        if backend not in ("auto", "compiled", "interpreter"):
            raise ValueError(f"backend is auto, compiled or interpreter, not {backend!r}")
        #: the compiled title, for tools
        self.ruleset = ruleset
        #: the title's id
        self.name = ruleset.id
        #: the title as people read it
        self.title = ruleset.name
        #: what the user should know: why there is no compiled back end
        self.notices: list[str] = []
        #: warnings of the compiler
        self.diagnostics: list[Diagnostic] = list(ruleset.sink)
        self._lock = RLock()
        self._settings: dict[str, Setting] = {}
        self._odds_bench: OddsContext | None = None
        self._module: Any = None
        self._wanted: BackendName = backend
        if backend != "interpreter":
            self._build(progress)
        self.default_scenario = scenario or ruleset.default_scenario
        self._setting(self.default_scenario)

    # ---- what it is

    @property
    def backend(self) -> str:
        """ "compiled" or "interpreter"."""
        return "interpreter" if self._module is None else "compiled"

    @property
    def scenarios(self) -> list[str]:
        """The names of the title's scenarios."""
        return self.ruleset.scenario_names()

    @property
    def seats(self) -> list[str]:
        """Who plays: the names of the sides, or of the powers where sides are groups of them."""
        seats = self.ruleset.world.seats
        return list(seats.members) if seats is not None else []

    @property
    def fingerprint(self) -> str:
        """A hash of the rules and of the default scenario's data: what saves refer to."""
        return self._setting(self.default_scenario).fingerprint

    def fingerprint_of(self, scenario: str | None = None) -> str:
        """The fingerprint of the rules with another scenario's data."""
        return self._setting(scenario).fingerprint

    @cached_property
    def rules_hash(self) -> bytes:
        """A hash of the program alone.  Where a rule stands in its file does not count: comments may change."""
        program = replace(self.ruleset.program, sites=())
        return hashlib.blake2b(repr(program).encode(), digest_size=32).digest()

    @cached_property
    def secret_readers(self) -> SecretReaders:
        """The rules that read secrets, for explanations."""
        from grognard.play.why import SecretReaders

        secret = {
            number
            for number, info in self.ruleset.world.fields_by_id.items()
            if info.secret or (info.owner is not None and info.owner.secret_all is not None)
        }
        return SecretReaders(self.ruleset.program, frozenset(secret))

    def __repr__(self) -> str:
        return f"<Engine {self.name} ({self.backend})>"

    # ---- scenarios

    def _build(self, progress: Callable[[str], None] | None) -> None:
        self._module = find_engine(self.ruleset.code_key) if self.ruleset.code_key else None
        if self._module is not None:
            return
        try:
            from grognard.compiler.build.build import (
                BuildError,
                BuildUnavailable,
                build_engine,
            )
        except ImportError as missing:
            self._no_compiled(f"{missing.name} is not installed")
            return
        try:
            self._module = build_engine(
                self.ruleset.program, progress=progress, code_key=self.ruleset.code_key
            )
        except BuildUnavailable as why:
            self._no_compiled(str(why))
        except BuildError as why:
            self._no_compiled(f"the build failed: {str(why).strip().splitlines()[-1]}")

    def _no_compiled(self, why: str) -> None:
        if self._wanted == "compiled":
            raise BackendUnavailable(f"{self.title} cannot be compiled here: {why}")
        self._module = None
        self.notices.append(f"running on the interpreter: {why}")

    def _setting(self, scenario: str | None = None) -> Setting:
        name = (scenario or self.default_scenario).removeprefix("scenarios/").removesuffix(".yaml")
        # Loading a scenario changes what the compiler knows of places and pieces, so one at a time.
        with self._lock:
            if name not in self._settings:
                self._settings[name] = self._load_setting(name)
            return self._settings[name]

    def _load_setting(self, name: str) -> Setting:
        if name not in self.scenarios:
            raise UnknownScenario(name, self.title, hint_for(name, self.scenarios), self.scenarios)
        sink = Sink()
        made = self.ruleset.scenario(name, sink)
        if made is None or sink.has_errors:
            raise RulesetError(_errors(sink), {**self.ruleset.sources, **sink.sources})
        return Setting(self, made, self._backend(made))

    def _backend(self, scenario: Scenario) -> Backend:
        program = self.ruleset.program
        if self._module is not None:
            from grognard.contract.prepared_data import DataError
            from grognard.native.engine import CompiledEngine

            try:
                return CompiledEngine(
                    self._module, program, scenario.layout, scenario.data, scenario.prepared
                )
            except DataError as why:
                self._no_compiled(str(why))
        from grognard.interpreter.machine import Interpreter

        return Interpreter(program, scenario.layout, scenario.data)

    def _setting_like(self, other: Setting) -> Setting:
        """The setting of this engine's program on the ground that a setting of another program has."""
        if other.scenario.name in self.scenarios:
            own = self._setting(other.scenario.name)
            if own.scenario.layout.count == other.scenario.layout.count[: len(own.scenario.layout.count)]:
                return own
        program, data = self.ruleset.program, other.scenario.data
        # The other program may know more: what it was given comes after what both have.
        data = replace(
            data,
            domains=data.domains[: len(program.domains)],
            columns=data.columns[: len(program.columns)],
            tables=data.tables[: len(program.tables)],
            symbols=data.symbols[: len(program.symbols)],
        )
        layout = compute_layout(program, [d.base for d in data.domains], [d.count for d in data.domains])
        scenario = replace(other.scenario, data=data, layout=layout, prepared=None)
        return Setting(self, scenario, self._backend(scenario))

    # ---- playing

    def new_game(self, scenario: str | None = None, seed: int = 1) -> Position:
        """The first decision of a new game (or its end, if nobody has anything to decide).

        The seed is any integer; its low 64 bits start the dice.  RuleError if the set-up's rules fail."""
        return self._start(self._setting(scenario), seed, Io(TRACE_OFF))

    def _start(self, setting: Setting, seed: int, io: Io) -> Position:
        if not isinstance(seed, int):
            raise TypeError(f"a seed is a whole number, not {seed!r}")
        cells = bytearray(setting.scenario.cells.tobytes())
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(seed & 0xFFFF_FFFF_FFFF_FFFF)
        try:
            setting.backend.start(cells, setting.program.main, (), io)
        except RuleFailure as failure:
            raise setting.error(failure) from failure
        return Position(setting, cells)

    def game(self, scenario: str | None = None, seed: int = 1) -> Game:
        """A new game with its history: log, undo, saving."""
        from grognard.play.game import Game

        return Game(self, self._setting(scenario).scenario.name, seed)

    def position(self, data: bytes) -> Position:
        """The position that `bytes(position)` gave; PositionError if these bytes are none of this engine.

        Positions are trusted no further than that: bytes from a stranger can hold a state that no game reaches,
        but never make an engine read or write outside the position."""
        head = len(MAGIC) + FINGERPRINT
        if data[: len(MAGIC)] != MAGIC:
            raise PositionError("these bytes are no position: they do not begin as one")
        fingerprint = data[len(MAGIC) : head].hex()
        setting = self._by_fingerprint(fingerprint)
        if setting is None:
            raise PositionError(
                f"this position belongs to other rules or data than {self.title} has now (fingerprint "
                f"{fingerprint[:8]}...); load the version of the title that it was made with"
            )
        size = 4 * setting.scenario.layout.cells
        if len(data) - head != size:
            raise PositionError(
                f"the position is damaged: {len(data) - head} bytes of cells instead of {size}"
            )
        cells = bytearray(portable(data[head:]))
        self._check_head(setting, cells)
        return Position(setting, cells)

    def _check_head(self, setting: Setting, cells: bytearray) -> None:
        """Whether somebody is asked something or the game is over, and the stack and the journal lie where they can."""
        program, layout = setting.program, setting.scenario.layout
        seats = range(layout.base[program.seats], layout.base[program.seats] + layout.count[program.seats])
        with memoryview(cells) as raw, raw.cast("i") as c:
            asked = c[H_STATUS] == STATUS_DECISION
            entries = c[H_JOURNAL]
            good = (
                (asked or c[H_STATUS] == STATUS_OVER)
                and (0 <= c[H_ASK] < len(program.asks) if asked else c[H_ASK] == NONE)
                and (c[H_CHOOSER] in seats or (c[H_CHOOSER] == NONE and not asked))
                and 0 <= c[H_SP] <= layout.stack_cells
                and (0 <= c[H_FP] < c[H_SP] if asked else c[H_FP] == NONE)
                and 0 <= entries <= layout.journal_entries
                and (c[H_BRANCH] == NONE or 0 <= c[H_BRANCH] <= entries)
                # What a branch wrote is taken back from where the journal says.
                and all(
                    c[layout.journal_offset + entry * JOURNAL_ENTRY] < layout.journal_offset
                    for entry in range(max(entries, 0))
                )
                and (not asked or self._check_stack(setting, c))
            )
        if not good:
            raise PositionError("the position is damaged: its head makes no sense")

    def _check_stack(self, setting: Setting, c: Any) -> bool:
        """Whether every frame is one of a machine that there is, called by the one below it."""
        program, layout = setting.program, setting.scenario.layout
        top, place = c[H_SP], c[H_FP]
        while place != NONE:
            machine, block, caller, local = c[layout.stack_offset + place : layout.stack_offset + place + 4]
            if not (0 <= machine < len(layout.frames) and place + layout.frames[machine].size <= top):
                return False
            # Compiled code sees for itself that there is no such block; to look takes all of the program's code.
            if self._module is None and not 0 <= block < len(program.machines[machine].blocks):
                return False
            if caller != NONE:
                if not 0 <= caller < place:
                    return False
                below = c[layout.stack_offset + caller]
                if not 0 <= below < len(layout.frames):
                    return False
                if local != NONE and not 0 <= local < len(layout.frames[below].offsets):
                    return False
            top, place = place, caller
        return True

    def _by_fingerprint(self, fingerprint: str) -> Setting | None:
        with self._lock:
            known = list(self._settings.values())
        for setting in known:
            if setting.fingerprint == fingerprint:
                return setting
        for name in self.scenarios:
            if name not in self._settings and self._setting(name).fingerprint == fingerprint:
                return self._setting(name)
        return None

    def play_many(
        self, positions: Sequence[Position], choices: Sequence[Answer], threads: int = 1
    ) -> list[Position]:
        """Play one choice in each position; the new positions, in order.

        On the compiled back end several threads run at once without the GIL.  Errors as in `play`: the first
        one, in the order of the positions, is raised."""
        from grognard.play.playouts import play_many

        return play_many(positions, choices, threads)

    # ---- single rules and searches

    def call(self, rule: str, args: Iterable[Any] = (), position: Position | None = None) -> FieldValue:
        """The value of one rule, modifiers list or table function in a position (default: a new game's).

        Arguments are raw numbers or the names of members, sets any collection of them; a rule that speaks of
        `me` takes the seat first.  Procedures that ask nobody may be called too: they run on a copy, and
        nothing of what they do remains.  UnknownName, ValueError for wrong arguments, RuleError."""
        where = position or self.new_game()
        setting = where._setting
        found = function_named(setting, rule)
        values = arguments(setting, rule, found, args)
        try:
            result = setting.backend.call(bytearray(where._cells), found.id, values, Io(TRACE_OFF))
        except RuleFailure as failure:
            raise setting.error(failure) from failure
        match found.result:
            case ir.SetType(domain=domain):
                assert isinstance(result, frozenset)
                return frozenset(where._member(value, f"dom:{domain}") for value in result)
            case ir.IntType(show=show):
                assert isinstance(result, int)
                member: FieldValue = where._member(result, show)
                return member
        return None

    def playouts(
        self, n: int, seed: int = 1, max_answers: int = 1_000_000, position: Position | None = None
    ) -> Playouts:
        """Play n games to their end with random answers, from a new game or from a position; count who wins."""
        from grognard.play.playouts import playouts

        return playouts(position or self.new_game(seed=seed), n, seed, max_answers)

    def sample(
        self,
        procedure: str,
        args: Iterable[Any] = (),
        n: int = 1,
        *,
        position: Position | None = None,
        seed: int = 1,
        measure: str | tuple[str, Sequence[Any]] | None = None,
        answers: Literal["random", "first"] = "random",
    ) -> Counter[Any]:
        """Do a procedure n times, each time from the same position (default: a new game's) with dice of its own, and
        count what came of it.

        What is counted is the value of the rule `measure` after the procedure (with arguments: a pair of the rule and
        them), or without it what a procedure that asks nobody gives back.  Choices on the way are answered by
        any candidate, or by the first, after which no others are looked for.  Both back ends give the same counts for the same seed; on the compiled one
        nothing of it runs in Python, and the GIL is released.  Errors as in `call`."""
        from grognard.play.playouts import sample

        where = position or self.new_game()
        return sample(where, procedure, args, n, seed=seed, measure=measure, answers=answers)

    # ---- odds

    def bench(
        self, progress: Callable[[str], None] | None = None, backend: BackendName | None = None
    ) -> OddsContext:
        """What odds are worked out on: made when first asked for.  Its own engine is built when something is asked (told
        to `progress`), by default of the same kind as this one."""
        with self._lock:
            if self._odds_bench is None:
                from grognard.odds.request import OddsContext

                self._odds_bench = OddsContext(self, progress, backend)
            return self._odds_bench

    def odds(
        self,
        procedure: str,
        args: Iterable[Any] = (),
        *,
        position: Position | None = None,
        by: str | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (),
        outcomes: Mapping[str, Callable[[Position], Any]] | None = None,
        exact: bool = False,
    ) -> Odds:
        """The exact distribution of what comes of a procedure, from a position (default: a new game's).

        `outcomes` are functions of the position at the end, by label (default: the procedure's result).
        `policy` answers choices: names of declared policies, lines of one (`"fight.s: none"`), or a function of the
        question's name and the names of the answers; several are asked in order.  `by` is who acts where the
        procedure speaks of `me`.  With `exact` probabilities are fractions, else doubles with a bound of their error.
        PolicyMissing if a choice is reached that nothing answers; it lists all choices."""
        from grognard.odds.query import weigh
        from grognard.odds.request import policy_list, procedure_query

        with self._lock:
            where = position or self.new_game()
            query = procedure_query(
                self.bench(), procedure, list(args), where, by, policy_list(policy), outcomes
            )
            return weigh(query, exact=exact)

    def weigh(
        self,
        situation: str,
        values: Mapping[str, Any] | None = None,
        *,
        position: Position | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (),
        exact: bool = False,
    ) -> Odds:
        """The odds of a situation: a declared one by its name, with values for its parameters, or the text of one
        (statements as in an example of play, `odds of PROCEDURE(...)`, and outcomes).  See `odds`."""
        with self._lock:
            return self.bench().prepare(situation, values or {}, position, policy).odds(exact)

    def perft(self, depth: int, position: Position | None = None) -> int:
        """How many different lines of exactly `depth` more plies there are; lines that end before do not count."""
        from grognard.play.playouts import perft

        return perft(position or self.new_game(), depth)


def function_named(setting: Setting, rule: str) -> ir.Function:
    """The function of a rule, list or procedure; UnknownName if there is none."""
    # Of a rule with exceptions the outermost function has the lowest number.
    wanted_names = (rule, f"{rule} (exception)")
    found = next((f for f in setting.program.functions if f.name in wanted_names), None)
    if found is None:
        names = [f.name for f in setting.program.functions if f.name.isidentifier()]
        raise UnknownName(f"{setting.engine.title} has no rule `{rule}`", hint_for(rule, names))
    return found


def arguments(
    setting: Setting, name: str, code: ir.Function | ir.Machine, args: Iterable[Any]
) -> list[Argument]:
    """Arguments from outside as the engine has them; ValueError if they do not fit."""
    params = code.locals[: code.params]
    given = list(args)
    if len(given) != len(params):
        wanted = ", ".join(param.name for param in params) or "nothing"
        raise ValueError(f"`{name}` takes ({wanted}), {len(given)} values were given")
    return [_argument(setting, value, param) for value, param in zip(given, params)]


def _argument(setting: Setting, value: Any, param: ir.LocalDecl) -> Argument:
    match param.type:
        case ir.IntType(show=show):
            return _raw(setting, value, show, param.name)
        case ir.SetType(domain=domain):
            return frozenset(_raw(setting, item, f"dom:{domain}", param.name) for item in value)
        case ir.ListType(show=show):
            return [_raw(setting, item, show, param.name) for item in value]


def _raw(setting: Setting, value: Any, show: str, name: str) -> int:
    """A member's name, a number, yes or no, or None as the engine has it."""
    if value is None:
        return NONE
    if isinstance(value, int):
        return int(value)
    domains = ir.shown_domains(show)
    if isinstance(value, str) and domains:
        for domain in domains:
            number = setting.number_of(domain, value)
            data = setting.scenario.data.domains[domain]
            if number is not None:
                return data.base + number
        dom = " or ".join(setting.program.domains[domain].name for domain in domains)
        raise UnknownName(f"there is no {dom} `{value}` for `{name}`", hint_for(value, data.names))
    raise ValueError(f"`{name}` is a number or a name, not {value!r}")
