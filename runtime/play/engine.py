"""What can be asked of a title: new games, positions from bytes, single rules, searches.  Odds: grognard.engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from grognard.binding.load import find_engine, load_engine
from grognard.compiler_access import build_engine, compiler_available
from grognard.contract import ir
from grognard.contract.backend import TRACE_OFF, Backend, Io, RuleFailure
from grognard.contract.build import BuildError, BuildUnavailable
from grognard.contract.datablock import Scenario
from grognard.contract.generator import seeded
from grognard.contract.header import H_RNG_HI, H_RNG_LO
from grognard.contract.layout import compute_layout
from grognard.contract.ruleset import program_hash
from grognard.contract.scenario_names import scenario_with, split_scenario
from grognard.errors import (
    BackendUnavailable,
    CompilerMissing,
    PositionError,
    RulesetError,
    UnknownName,
    UnknownScenario,
)
from grognard.play.arguments import arguments, function_named
from grognard.play.position import Position
from grognard.play.saved_bytes import FINGERPRINT, MAGIC, check_head, portable
from grognard.play.setting import Setting
from grognard.support.diagnostics import Diagnostic, Severity, Sink
from grognard.support.suggest import hint_for
from grognard.support.userdirs import engines_dir

if TYPE_CHECKING:
    from grognard.contract.questions import Answer
    from grognard.contract.ruleset import Ruleset
    from grognard.play.background_build import BackgroundBuild
    from grognard.play.editing import Change
    from grognard.play.game import Game
    from grognard.play.playouts import Playouts
    from grognard.play.reader import FieldValue
    from grognard.play.why import SecretReaders

BackendName = Literal["auto", "compiled", "python", "interpreter"]
#: Scenarios with options set otherwise that an engine keeps.
MOST_WITH_OPTIONS = 32


def errors_of(sink: Sink) -> list[Diagnostic]:
    return [d for d in sink.sorted() if d.severity is Severity.error or d.code == "GR0000"]


class Engine:
    """A title that can be played.  Made by `load`; keeps nothing of a game, and may be shared between threads."""

    def __init__(
        self,
        ruleset: Ruleset,
        scenario: str | None = None,
        backend: BackendName = "auto",
        *,
        progress: Callable[[str], None] | None = None,
        wait: bool = True,
        options: Mapping[str, str | bool] | None = None,
    ) -> None:
        if backend not in ("auto", "compiled", "python", "interpreter"):
            raise ValueError(f"backend is auto, compiled, python or interpreter, not {backend!r}")
        #: the compiled title, for tools
        self.ruleset = ruleset
        #: the title's id
        self.name = ruleset.id
        #: the title as people read it
        self.title = ruleset.name
        #: what the user should know: why there is no compiled back end, or not yet
        self.notices: list[str] = []
        #: warnings of the compiler
        self.diagnostics: list[Diagnostic] = list(ruleset.sink)
        #: guards what is made when it is first asked for
        self.lock = RLock()
        self._settings: dict[str, Setting] = {}
        #: the native engine; None on the other back ends
        self.module: Any = None
        #: the build that the game does not wait for; None if there is none, or no longer
        self.build: BackgroundBuild | None = None
        #: the back end that was asked for
        self.wanted_backend: BackendName = backend
        if backend in ("auto", "compiled"):
            self._build(progress, wait or backend == "compiled")
        #: optional rules that are set otherwise than the title and its scenarios have them, in every game
        self.options = self._checked_options(options or {})
        self.default_scenario = scenario or ruleset.default_scenario
        self.setting(self.default_scenario)

    # ---- what it is

    @property
    def backend(self) -> str:
        """ "compiled", "python" or "interpreter"."""
        if self.module is not None:
            return "compiled"
        return "interpreter" if self.wanted_backend == "interpreter" else "python"

    @property
    def scenarios(self) -> list[str]:
        """The names of the title's scenarios."""
        return self.ruleset.scenario_names()

    @property
    def seats(self) -> list[str]:
        """Who plays: the names of the sides, or of the powers where sides are groups of them."""
        seats = self.ruleset.schema.seats
        return list(seats.members) if seats is not None else []

    def seats_of(self, scenario: str | None = None) -> list[str]:
        """Who plays a scenario: its seats without the powers that its set-up does not speak of."""
        return list(self.setting(scenario).seats)

    def side_of(self, seat: str, scenario: str | None = None) -> str:
        """The side that a seat plays for, as `position.outcome` names it; UnknownName for a seat that does not exist."""
        return self.setting(scenario).side_of(seat)

    @property
    def fingerprint(self) -> str:
        """A hash of the rules and of the default scenario's data: what saves refer to."""
        return self.setting(self.default_scenario).fingerprint

    def fingerprint_of(self, scenario: str | None = None) -> str:
        """The fingerprint of the rules with another scenario's data."""
        return self.setting(scenario).fingerprint

    @cached_property
    def rules_hash(self) -> bytes:
        """A hash of the program alone, see program_hash."""
        return self.ruleset.rules_hash or program_hash(self.ruleset.program)

    @cached_property
    def secret_readers(self) -> SecretReaders:
        """The rules that read secrets, for explanations."""
        from grognard.play.why import SecretReaders

        schema = self.ruleset.schema
        hidden = frozenset(dom.id for dom in schema.doms if dom.secret)
        return SecretReaders(self.ruleset.program, schema.secret_fields, hidden)

    def __repr__(self) -> str:
        return f"<Engine {self.name} ({self.backend})>"

    # ---- scenarios

    def _build(self, progress: Callable[[str], None] | None, wait: bool) -> None:
        files = self.ruleset.engine_files
        if files is not None:
            if files.engine is None or files.binding is None:
                self._no_compiled(files.missing)
                return
            self.module = load_engine(files.engine, files.binding)
            return
        try:
            self.module = find_engine(self.ruleset.code_key) if self.ruleset.code_key else None
            instead, trouble = engines_dir()
            if trouble is not None:
                self.notices.append(f"{trouble}: engines are kept in {instead}")
            if self.module is None:
                if not wait and self.ruleset.code_key and compiler_available() is None:
                    from grognard.play.background_build import BackgroundBuild

                    self.build = BackgroundBuild(self.ruleset)
                    self.notices.append(
                        "the compiled engine is being built; until it is there the game runs on Python, more slowly"
                    )
                    return
                self.module = build_engine(
                    self.ruleset.program, progress=progress, code_key=self.ruleset.code_key
                )
        except CompilerMissing as missing:
            self._no_compiled(f"{missing.module} is not installed")
        except BuildUnavailable as why:
            self._no_compiled(str(why))
        except OSError as why:
            self._no_compiled(f"there is no folder for engines: {why.strerror or why}")
        except BuildError as why:
            self._no_compiled(f"the build failed: {str(why).strip().splitlines()[-1]}")

    def change_over(self) -> bool:
        """Whether the engine that was being built is there, and runs all games from now on; positions stay as they are.

        Asked before every answer while a build runs.  After a failed build the games go on as they are, with a notice."""
        with self.lock:
            build = self.build
            if build is None or not build.over:
                return False
            self.build = None
            try:
                self.module = build.engine()
            except BuildError as why:
                self._no_compiled(f"the build failed: {str(why).strip().splitlines()[-1]}")
                return False
            for setting in self._settings.values():
                setting.run_on(self.backend_for(setting.scenario))
            if self.module is None:
                return False
            self.notices.append("the compiled engine is there and runs the game from now on")
            return True

    def _no_compiled(self, why: str) -> None:
        if self.wanted_backend == "compiled":
            raise BackendUnavailable(f"{self.title} cannot be compiled here: {why}")
        self.module = None
        self.notices.append(f"running on Python, not on a compiled engine: {why}")

    def setting(
        self, scenario: str | None = None, options: Mapping[str, str | bool] | None = None
    ) -> Setting:
        """A scenario on this engine's back end, loaded when first asked for; with optional rules set otherwise than in its file."""
        name = (scenario or self.default_scenario).removeprefix("scenarios/").removesuffix(".yaml")
        base, said = split_scenario(name)
        asked = {**self.options, **self._checked_options(said), **self._checked_options(options or {})}
        name = scenario_with(base, asked)
        # Loading a scenario changes what the compiler knows of places and pieces, so one at a time.
        with self.lock:
            if name not in self._settings:
                self._settings[name] = self._load_setting(name)
                self._forget_settings()
            return self._settings[name]

    def _forget_settings(self) -> None:
        """Of scenarios with options set otherwise only the latest are kept; games that are played keep theirs."""
        many = [name for name in self._settings if split_scenario(name)[1] != self.options]
        for name in many[: max(0, len(many) - MOST_WITH_OPTIONS)]:
            del self._settings[name]

    def _checked_options(self, options: Mapping[str, str | bool]) -> dict[str, str]:
        """Options with the values that the title knows; UnknownName for others."""
        known, made = self.ruleset.schema.options, {}
        for name, given in options.items():
            option = known.get(name)
            if option is None:
                there = f"it has {', '.join(known)}" if known else "it has none"
                raise UnknownName(
                    f"{self.title} has no option `{name}`", hint_for(name, list(known)) or there
                )
            value = str(given) if not isinstance(given, bool) else "on" if given else "off"
            if value not in option.values:
                hint = hint_for(value, option.values) or f"it is one of {', '.join(option.values)}"
                raise UnknownName(f"option `{name}` of {self.title} has no value `{value}`", hint)
            made[name] = value
        return made

    def _load_setting(self, name: str) -> Setting:
        base, options = split_scenario(name)
        if base not in self.scenarios:
            raise UnknownScenario(base, self.title, hint_for(base, self.scenarios), self.scenarios)
        if options and self.ruleset.engine_files is not None:
            raise UnknownName(
                f"{self.title} was built without its rules: its options cannot be set otherwise",
                "play it where the title's folder and the compiler are",
            )
        sink = Sink()
        made = self.ruleset.scenario(name, sink)
        if made is None or sink.has_errors:
            raise RulesetError(errors_of(sink), {**self.ruleset.sources, **sink.sources})
        return Setting(self, made, self.backend_for(made))

    def backend_for(self, scenario: Scenario) -> Backend:
        """What runs the program on a scenario's data."""
        program = self.ruleset.program
        if self.module is not None:
            from grognard.contract.prepared_data import DataError
            from grognard.native.engine import CompiledEngine

            try:
                return CompiledEngine(self.module, program, scenario.layout, scenario.data, scenario.prepared)
            except DataError as why:
                self._no_compiled(str(why))
        if self.wanted_backend == "interpreter":
            from grognard.interpreter.machine import Interpreter

            return Interpreter(program, scenario.layout, scenario.data)
        from grognard.translator.machine import PythonBackend

        return PythonBackend(program, scenario.layout, scenario.data)

    def setting_like(self, other: Setting) -> Setting:
        """The setting of this engine's program on the ground that a setting of another program has."""
        if split_scenario(other.scenario.name)[0] in self.scenarios:
            own = self.setting(other.scenario.name)
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
        return Setting(self, scenario, self.backend_for(scenario))

    # ---- playing

    def new_game(
        self,
        scenario: str | None = None,
        seed: int = 1,
        *,
        options: Mapping[str, str | bool] | None = None,
    ) -> Position:
        """The first decision of a new game (or its end, if there is nothing to decide).

        The seed is any integer; its low 64 bits start the dice.  `options` sets optional rules otherwise than the scenario does;
        UnknownName if the title has no such option or value.  RuleError if the set-up's rules fail."""
        return self.start(self.setting(scenario, options), seed, Io(TRACE_OFF))

    def start(self, setting: Setting, seed: int, io: Io, changes: Sequence[Change] = ()) -> Position:
        """The first decision of a game on a setting, traced to `io`; `changes` of its set-up come before all rules."""
        if not isinstance(seed, int):
            raise TypeError(f"a seed is a whole number, not {seed!r}")
        cells = bytearray(setting.scenario.cells.tobytes())
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(seed & 0xFFFF_FFFF_FFFF_FFFF)
        if changes:
            from grognard.play.editing import set_up

            set_up(Position(setting, cells), changes)
        try:
            setting.backend.start(cells, setting.program.main, (), io)
        except RuleFailure as failure:
            raise setting.error(failure) from failure
        return Position(setting, cells)

    def game(
        self,
        scenario: str | None = None,
        seed: int = 1,
        *,
        options: Mapping[str, str | bool] | None = None,
    ) -> Game:
        """A new game with its history: log, undo, saving."""
        from grognard.play.game import Game

        return Game(self, self.setting(scenario, options).scenario.name, seed)

    def position(self, data: bytes, scenario: str | None = None) -> Position:
        """The position that `bytes(position)` gave; PositionError if these bytes are none of this engine.

        `scenario` is `position.scenario`, needed only where the game has options of its own (`new_game(options=...)`).

        Positions are trusted no further than that: bytes from a stranger can hold a state that no game reaches,
        but never make an engine read or write outside the position."""
        head = len(MAGIC) + FINGERPRINT
        if data[: len(MAGIC)] != MAGIC:
            raise PositionError("these bytes are no position: they do not begin as one")
        fingerprint = data[len(MAGIC) : head].hex()
        own = self.setting(scenario) if scenario and split_scenario(scenario)[1] else None
        setting = (
            own if own is not None and own.fingerprint == fingerprint else self._by_fingerprint(fingerprint)
        )
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
        check_head(setting, cells)
        return Position(setting, cells)

    def _by_fingerprint(self, fingerprint: str) -> Setting | None:
        with self.lock:
            known = list(self._settings.values())
        for setting in known:
            if setting.fingerprint == fingerprint:
                return setting
        for name in self.scenarios:
            setting = self.setting(name)
            if setting.fingerprint == fingerprint:
                return setting
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
        `me` takes the seat first.  Procedures that ask nothing may be called too: they run on a copy, and
        nothing of what they do remains.  UnknownName, ValueError for wrong arguments, RuleError."""
        where = position or self.new_game()
        setting = where.setting
        found = function_named(setting, rule)
        values = arguments(setting, rule, found, args)
        try:
            result = setting.backend.call(bytearray(where.cells), found.id, values, Io(TRACE_OFF))
        except RuleFailure as failure:
            raise setting.error(failure) from failure
        match found.result:
            case ir.SetType(domain=domain):
                assert isinstance(result, frozenset)
                return frozenset(where.member(value, f"dom:{domain}") for value in result)
            case ir.IntType(show=show):
                assert isinstance(result, int)
                member: FieldValue = where.member(result, show)
                return member
        return None

    def playouts(
        self,
        n: int,
        seed: int = 1,
        max_answers: int = 1_000_000,
        position: Position | None = None,
        threads: int = 1,
    ) -> Playouts:
        """Play n games to their end with random answers, from a new game or from a position; count who wins.

        The games are the same in however many threads; only compiled engines play in several at once, a thousand games at a time."""
        from grognard.play.playouts import playouts

        return playouts(position or self.new_game(seed=seed), n, seed, max_answers, threads)

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
        them), or without it what a procedure that asks nothing gives back.  Choices on the way are answered by
        any candidate, or by the first, after which no others are looked for.  Both back ends give the same counts for the same seed; on the compiled one
        nothing of it runs in Python, and the GIL is released.  Errors as in `call`."""
        from grognard.play.playouts import sample

        where = position or self.new_game()
        return sample(where, procedure, args, n, seed=seed, measure=measure, answers=answers)

    # ---- odds

    def odds(
        self,
        procedure: str,
        args: Iterable[Any] = (),
        *,
        position: Position | None = None,
        by: str | None = None,
        policy: Any = (),
        outcomes: Any = None,
        exact: bool = False,
    ) -> Any:
        """Exact odds: those of grognard.engine.Engine, which `grognard.load` gives."""
        raise NotImplementedError("odds need the whole engine: load the title with grognard.load")

    def perft(self, depth: int, position: Position | None = None) -> int:
        """How many different lines of exactly `depth` more plies there are; lines that end before do not count."""
        from grognard.play.playouts import perft

        return perft(position or self.new_game(), depth)
