"""Titles and their engines, each loaded once; and what of a title never changes in a game, for the page."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grognard.bots import BOTS
from grognard.compiler_access import compiler_installed, library_titles, load_ruleset
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ruleset import Ruleset
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.drawing.look import LookError
from grognard.drawing.lookfile import read_look_file
from grognard.engine import Engine, built_ruleset, load
from grognard.errors import GrognardError, RulesetError, UnknownTitle
from grognard.play.built_titles import installed_titles
from grognard.play.catalogue import known_titles, scenarios_of
from grognard.play.engine import BackendName
from grognard.play.seats_of_scenario import seats_with_sides
from grognard.play.setting import Setting
from grognard.server.mistakes import Mistake, missing
from grognard.support.diagnostics import Sink

#: bots that a person can be offered, the weakest first
OFFERED_BOTS = tuple(BOTS)
_ATTACHED = "what the page is told"


class Library:
    """Titles by their ids; a folder that was named on the command line counts as one."""

    def __init__(
        self, folder: str | None = None, backend: BackendName = "auto", forgiving: bool = False
    ) -> None:
        """`forgiving`: a folder with mistakes in it is a title as well, which cannot be played yet."""
        #: a title beside the shipped ones: id -> folder
        self.folders: dict[str, str] = {}
        self.backend: BackendName = backend
        self._engines: dict[tuple[str, tuple[str, ...] | None], Engine] = {}
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        #: title -> scenario -> its seats with their sides, once the rules were read
        self._seats: dict[str, dict[str, list[tuple[str, str]]]] = {}
        #: title -> what can be set otherwise in a game, once the rules were read
        self._options: dict[str, list[dict[str, Any]]] = {}
        #: title -> how its seats are called by people
        self._names: dict[str, dict[str, str]] = {}
        #: title -> the scenario that is played where none is asked for
        self._defaults: dict[str, str] = {}
        #: titles in the making that cannot be played as they are -> their diagnostics with excerpts
        self.problems: dict[str, str] = {}
        if folder is not None and folder not in {*library_titles(), *installed_titles()}:
            try:
                engine = load(folder, backend=backend)
            except RulesetError as error:
                if not forgiving or not Path(folder).is_dir():
                    raise
                name = Path(folder).resolve().name
                self.folders[name], self.problems[name] = folder, error.format()
            else:
                self.folders[engine.name] = folder
                self._keep(engine.name, engine)

    def _keep(self, title: str, engine: Engine) -> None:
        self._engines[title, None] = engine
        self._engines[title, tuple(engine.ruleset.about.errata)] = engine
        self.problems.pop(title, None)

    def address(self, title: str) -> str:
        """What `grognard.load` takes for a title."""
        return self.folders.get(title, title)

    def folder_of(self, title: str) -> Path:
        """Where the files of a title are."""
        return library_titles().get(title) or Path(self.address(title))

    def title(self, title: str) -> dict[str, Any]:
        """One title with its seats."""
        if title not in {*library_titles(), *installed_titles(), *self.folders}:
            raise missing(f"there is no title `{title[:80]}` here")
        self._find_seats(title)
        return next(entry for entry in self.titles() if entry["id"] == title)

    def warm_up(self) -> None:
        """Find the seats of all titles: the first time their rules are read for it, which takes a while."""
        for info in known_titles():
            self._find_seats(info.id)

    def titles(self) -> list[dict[str, Any]]:
        """What can be played.  A title whose rules have not been read yet has no seats: it is not `ready`."""
        found = []
        for info in known_titles():
            found.append((info.id, info.name, info.about))
        for title in self.folders:
            if title not in {name for name, *_ in found}:
                engine = self._engines.get((title, None))
                found.append((title, engine.title if engine is not None else title, ""))
        return [
            {"id": title, "name": name, "about": about, "ready": self._ready(title), "scenarios": self._scenarios(title), "bots": list(OFFERED_BOTS),
             "options": self._options.get(title, []), "default": self._defaults.get(title), **({"problems": self.problems[title]} if title in self.problems else {})}
            for title, name, about in found
        ]  # fmt: skip

    def _scenarios(self, title: str) -> list[dict[str, Any]]:
        engine = self._engines.get((title, None))
        if engine is not None and title not in self._seats:
            self._seats[title] = _seats_of(engine.ruleset)
            self._options[title] = _options_of(engine.ruleset)
            self._defaults[title] = engine.ruleset.default_scenario
        seats = self._seats.get(title, {})
        made = []
        for scenario in scenarios_of(self.address(title)) or []:
            entry: dict[str, Any] = {
                "id": scenario.id,
                "name": scenario.name,
                "about": scenario.about,
                "seats": [
                    {"seat": seat, "side": side, "name": self._called(title, seat)}
                    for seat, side in seats.get(scenario.id, ())
                ],
            }
            if scenario.balance:
                entry["balance"] = dict(scenario.balance)
            made.append(entry)
        return made

    def _called(self, title: str, seat: str) -> str:
        """A seat as people call it, as its look files say."""
        if title not in self._names:
            folder = self.folder_of(title)
            self._names[title] = {**_look_names(folder.parent), **_look_names(folder)}
        plain = seat.replace("_", " ")
        return self._names[title].get(seat) or (plain.upper() if len(plain) < 3 else plain.capitalize())

    def _ready(self, title: str) -> bool:
        return title in self._seats or (title, None) in self._engines

    def _find_seats(self, title: str) -> None:
        """Seats with their sides are known without building the engine."""
        if self._ready(title):
            return
        try:
            ruleset = built_ruleset(self.address(title), None)
            if ruleset is None and compiler_installed():
                ruleset = load_ruleset(self.address(title), Sink(), examples=False)
        except GrognardError:
            ruleset = None
        self._seats[title] = _seats_of(ruleset) if ruleset is not None else {}
        if ruleset is not None:
            self._options[title], self._defaults[title] = _options_of(ruleset), ruleset.default_scenario

    def engine(self, title: str, errata: Sequence[str] | None = None) -> Engine:
        """The engine of a title under these errata (None: the title's own)."""
        key = title, None if errata is None else tuple(errata)
        found = self._engines.get(key)
        if found is not None:
            return found
        if title not in {*library_titles(), *installed_titles(), *self.folders}:
            # A path from outside must not decide what is compiled.
            raise missing(f"there is no title `{title[:80]}` here")
        with self._lock:
            lock = self._locks.setdefault(title, threading.Lock())
        with lock:
            if key in self._engines:
                return self._engines[key]
            try:
                engine = load(self.address(title), backend=self.backend, errata=errata)
            except UnknownTitle:
                raise missing(f"there is no title `{title[:80]}` here") from None
            except RulesetError as error:
                first = error.diagnostics[0].message if error.diagnostics else "it has errors"
                # Whoever writes the title sees the mistakes in their place; where files lie is nobody else's affair.
                more = {"text": error.format()} if title in self.folders else {}
                raise Mistake(409, "rules", f"{title} cannot be played: {first}", **more) from None
            self._engines[key] = engine
            self._engines.setdefault((title, tuple(engine.ruleset.about.errata)), engine)
            return engine

    def has_engine(self, title: str) -> bool:
        """Whether the title can be played, by its files as they are or as they were."""
        return (title, None) in self._engines

    def is_current(self, title: str, engine: object) -> bool:
        """Whether an engine has the rules that the title's files have."""
        return any(found is engine for (name, _), found in self._engines.items() if name == title)

    def reload(self, title: str) -> Engine:
        """The engine of a title whose files were changed; the old one stays if the new one has errors."""
        engine = load(self.address(title), backend=self.backend)
        with self._lock:
            for key in [key for key in self._engines if key[0] == title]:
                del self._engines[key]
            self._seats.pop(title, None)
            self._keep(title, engine)
        return engine


def _seats_of(ruleset: Ruleset) -> dict[str, list[tuple[str, str]]]:
    """For each scenario that can be played, who plays it and for which side."""
    found = {name: ruleset.scenario(name, Sink()) for name in ruleset.scenario_names()}
    return {
        name: seats_with_sides(ruleset, scenario) for name, scenario in found.items() if scenario is not None
    }


def _look_names(folder: Path) -> dict[str, str]:
    """The names that a look file gives; one with mistakes gives none here: whoever opens the map is told of them."""
    try:
        names = read_look_file(folder / "look.yaml").get("names")
    except (OSError, LookError):
        return {}
    return {name: str(called) for name, called in names.items()} if isinstance(names, dict) else {}


def _options_of(ruleset: Ruleset) -> list[dict[str, Any]]:
    if ruleset.engine_files is not None:
        # Built without its rules: nothing can be set otherwise.
        return []
    return [
        {"name": option.name, "values": list(option.values), "value": option.value}
        for option in ruleset.schema.options.values()
    ]


def side_of(setting: Setting, seat: str) -> str:
    """The side that a seat plays for."""
    return setting.side_of(seat)


# ------------------------------------------------------------------------------- what never changes in a game


def static_texts(setting: Setting) -> dict[str, Any]:
    """Labels of members, printed values of kinds (those of places are on the map), sections of the rulebook: the same for every seat."""
    made = setting.attached.get(_ATTACHED)
    if made is None:
        made = setting.attached[_ATTACHED] = _static_texts(setting)
    assert isinstance(made, dict)
    return made


def _static_texts(setting: Setting) -> dict[str, Any]:
    schema, data = setting.schema, setting.scenario.data
    labels: dict[str, dict[str, str]] = {}
    kinds: dict[str, dict[str, dict[str, Any]]] = {}
    types: dict[str, dict[str, Any]] = {}
    for dom in dict.fromkeys(schema.types.values()):
        own = data.domains[dom.id]
        if dom.sort in ("piece", "record", "edge", "range"):
            # What a counter is called may be secret: that comes with the view.
            labels_of: dict[str, str] = {}
        else:
            labels_of = {name: own.title(own.base + n) for n, name in enumerate(own.names)}
        shown = {name: label for name, label in labels_of.items() if name != label}
        if shown:
            labels[dom.name] = shown
        columns = [
            info for info in dom.fields.values() if info.column is not None and dom.sort not in ("piece", "edge", "place")
        ]  # fmt: skip
        if columns and own.names:
            kinds[dom.name] = {
                name: {
                    info.name: value
                    for info in columns
                    if (value := _printed(setting, info, number)) is not None
                }
                for number, name in enumerate(own.names)
            }
        types[dom.name] = _type(setting, dom)
    book = schema.rulebook
    return {
        "labels": labels,
        "kinds": kinds,
        "types": types,
        "game": {name: str(info.type) for name, info in schema.globals.items()},
        "closed": [name for name, info in schema.globals.items() if _closed(setting, info.field)],
        "sections": {key: section.title for key, section in book.sections.items()} if book else {},
        "colours": dict(schema.colours),
        "symbols": dict(schema.symbols),
    }


def _closed(setting: Setting, field: int | None) -> bool:
    """Whether a field can be hidden from somebody: where several play, it is not changed by hand."""
    layout = setting.scenario.layout
    if field is None or not layout.field_cells[field]:
        return False
    first = layout.field_offset[field]
    return not any(start <= first < end for start, end in setting.open_ranges)


def _type(setting: Setting, dom: DomainSchema) -> dict[str, Any]:
    """What a page needs to know of a domain to find a place for its members."""
    made: dict[str, Any] = {
        "sort": dom.sort,
        "closed": _closed(setting, dom.alive),
        "fields": {
            name: {
                "type": info.type.sort,
                "of": info.type.dom.name if info.type.dom else None,
                **({"closed": True} if _closed(setting, info.field) else {}),
            }
            for name, info in dom.fields.items()
            if info.field is not None and "." not in name
        },
    }
    if dom.kind is not None:
        made["kind"] = dom.kind.name
    if dom.parent is not None:
        made["parent"] = dom.parent.name
    if dom.space_sort:
        made["space"] = dom.space_sort
    return made


def _printed(setting: Setting, info: FieldSchema, number: int) -> Any:
    """A constant of a member in plain types; None if there is nothing."""
    assert info.column is not None
    column = setting.program.columns[info.column]
    layout, values = setting.scenario.layout, setting.scenario.data.columns[info.column]
    if not isinstance(column.type, ir.IntType) or not column.dims or len(column.dims) > 2:
        return None
    show = column.type.show
    if len(column.dims) == 1:
        return _plain(setting, values[number], show) if number < len(values) else None
    axis = setting.scenario.data.domains[column.dims[1]]
    count = layout.count[column.dims[1]]
    row = {
        axis.names[n]: _plain(setting, values[number * count + n], show)
        for n in range(count)
        if values[number * count + n] not in (NONE, 0)
    }
    return row or None


def _plain(setting: Setting, value: int, show: str) -> Any:
    if value == NONE:
        return None
    if show == "flag":
        return bool(value)
    return value if show == "int" else setting.names.name(value, show)
