"""How a title looks: what its `look.yaml` says, and for all else a guess from names.

A wood is green wherever it grows.  Each kind of ground has a pattern as well as a colour, so that no one needs to tell colours
apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.drawing.lookfile import LookError, Value, read_look_file
from grognard.play.overlays import overlay_of
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import Schema
    from grognard.play.engine import Engine

__all__ = ["EdgeStyle", "GroundStyle", "Look", "LookError", "look_of"]

#: Words of grounds -> colour, pattern.  The first that is found in the name decides; what is behind it may add its pattern.
GROUNDS: tuple[tuple[str, str, str], ...] = (
    (r"snow|\bice\b|frozen|glacier", "#eef2f5", "dots"),
    (r"wood|forest|jungle|tree|orchard", "#9dbb7c", "trees"),
    (r"marsh|swamp|bog|paddy", "#b5cfc0", "marsh"),
    (r"deep|ocean|sea\b|water|lake|river|pond|strait", "#9cc4dd", "waves"),
    (r"ford", "#c3dbe2", "waves"),
    (r"shore|beach|coast", "#dfdcb4", "dots"),
    (r"mountain|peak|alpine", "#bfa98c", "peaks"),
    (r"highland|hill|height|ridge", "#d3bf9a", "peaks"),
    (r"rough|rock|broken|rubble|crater|ravine|gully|gorge", "#d5c7a6", "rocks"),
    (r"city|urban|town|village|house|building|stone|block|settlement|suburb", "#cfb9ae", "houses"),
    (r"wheat|corn|field|crop|grain|farm|crops", "#e6d78f", "rows"),
    (r"brush|scrub|bush|grass|heath|hedge", "#d3d8a5", "dots"),
    (r"desert|sand|dune|waste", "#ecdcb0", "dots"),
    (r"rail|road|street|track|runway|airfield|pave", "#d9d5c9", "bars"),
    (r"oil|industr|factory|refinery|plant", "#c5bcc8", "bars"),
    (r"bridge", "#c9c0b0", "bars"),
    (r"fort|bunker|trench", "#c9c2a8", "cross"),
)
PLAIN = re.compile(r"open|plain|flat|clear|level|steppe|land|ground")
PLAIN_COLOUR = "#e6dfb9"
#: For names that say nothing.
OTHERS = ("#e2d3c1", "#cfdcc7", "#d8cfe0", "#d3dce0", "#e3d9b0", "#dcc9c9")
PATTERNS = (
    "plain",
    "trees",
    "marsh",
    "waves",
    "dots",
    "peaks",
    "rocks",
    "houses",
    "rows",
    "bars",
    "cross",
    "grass",
)

#: Words of borders -> colour, width, dashes, whether it runs from centre to centre.
EDGES: tuple[tuple[str, str, float, str, bool], ...] = (
    (r"highway|motorway|primary", "#b5651d", 6, "", True),
    (r"rail", "#333333", 3, "7 3", True),
    (r"ferry", "#2a6f97", 3, "3 5", True),
    (r"road", "#a9835a", 5, "", True),
    (r"path|track|trail", "#a9835a", 3, "6 4", True),
    (r"bridge|ford", "#7a5c3c", 5, "2 2", True),
    (r"major.*river|river.*major", "#2a78b0", 8, "", False),
    (r"river|stream|canal|creek|minor", "#3d8fc4", 5, "", False),
    (r"water|sea|lake", "#6fb1d6", 7, "", False),
    (r"gully|ravine|ditch", "#7d7a5a", 5, "4 3", False),
    (r"crest|ridge", "#7a4e2d", 4, "1 4", False),
    (r"slope", "#a5754a", 3, "2 3", False),
    (r"hedge|bocage", "#3f7d3a", 5, "5 2", False),
    (r"wall|fence", "#5b5b5b", 4, "", False),
    (r"fort", "#6a3d3d", 5, "8 2", False),
)

#: Colours of sides where nothing says more; all light enough for dark ink.
SIDES = ("#8fb2d9", "#e0a08c", "#b9cf8e", "#e5cf7a", "#c3aedb", "#9fd1cb")
NAMED_COLOURS = {
    "red": "#e88a7d", "yellow": "#f0d65c", "white": "#f7f5ec", "black": "#8c8c8c", "grey": "#a9b3b8", "gray": "#a9b3b8",
    "green": "#a5c98b", "blue": "#8fb2d9", "brown": "#cda176", "orange": "#efb36a", "purple": "#c3aedb", "cyan": "#9fd1cb",
    "tan": "#d9c39a", "pink": "#eab8c4",
}  # fmt: skip
NATIONS: tuple[tuple[str, str], ...] = (
    (r"german|axis|wehr", "#a9b3b8"),
    (r"soviet|ussr|russia|red", "#d99a7c"),
    (r"usa|\bus\b|america|allied|allies|nato", "#a9c58b"),
    (r"uk|brit|common", "#dcc48e"),
    (r"ital", "#c5b47f"),
    (r"fran|french", "#93b7e0"),
    (r"japan", "#e8b0a5"),
    (r"china|prc", "#e0a08c"),
)

COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
SECTIONS = ("grounds", "edges", "sides", "counters", "names", "overlays", "geography", "unshown")


@dataclass(frozen=True, slots=True)
class GroundStyle:
    colour: str
    patterns: tuple[str, ...] = ()

    def darker(self, times: int) -> GroundStyle:
        parts = (int(self.colour[at : at + 2], 16) for at in (1, 3, 5))
        return GroundStyle("#" + "".join(f"{round(part * 0.88**times):02x}" for part in parts), self.patterns)


@dataclass(frozen=True, slots=True)
class EdgeStyle:
    colour: str
    width: float
    dashes: str
    through: bool


@dataclass(slots=True)
class Look:
    """What a look file said, checked; empty without one."""

    file: str = "look.yaml"
    grounds: dict[str, dict[str, Value]] = field(default_factory=dict)
    edges: dict[str, dict[str, Value]] = field(default_factory=dict)
    sides: dict[str, Value] = field(default_factory=dict)
    counters: dict[str, dict[str, Value]] = field(default_factory=dict)
    names: dict[str, Value] = field(default_factory=dict)
    #: what can be painted over the map: its name -> the rule
    overlays: dict[str, Value] = field(default_factory=dict)
    geography: dict[str, Value] = field(default_factory=dict)
    #: fields that only the rules need, by their names: people are not shown them
    unshown: dict[str, Value] = field(default_factory=dict)
    #: colours of title.yaml
    colours: dict[str, str] = field(default_factory=dict)

    def ground(self, name: str, title: str, index: int) -> GroundStyle:
        own = self.grounds.get(name, {})
        guess = guess_ground(f"{name} {title}".lower().replace("_", " "), index)
        colour = own.get("colour")
        pattern = own.get("pattern")
        return GroundStyle(
            str(colour) if colour else guess.colour,
            guess.patterns if pattern is None else () if pattern == "plain" else (str(pattern),),
        )

    def edge(self, column: str, id: str) -> EdgeStyle:
        own = {**self.edges.get(column, {}), **self.edges.get(id, {})}
        words = id.replace("_", " ").replace(".", " ").lower()
        colour, width, dashes, through = "#6b5d4a", 3.0, "4 2", False
        for pattern, *style in EDGES:
            if re.search(pattern, words):
                colour, width, dashes, through = style  # type: ignore[assignment]
                break
        return EdgeStyle(
            str(own.get("colour") or colour),
            float(own.get("width") or width),  # type: ignore[arg-type]
            str(own["dashes"] or "") if "dashes" in own else dashes,
            bool(own.get("through", through)),
        )

    def side(self, name: str, index: int, taken: Sequence[str] = ()) -> str:
        own = self.sides.get(name) or self.colours.get(name) or name
        own = NAMED_COLOURS.get(str(own).lower(), str(own))
        if COLOUR.fullmatch(own):
            return own
        for pattern, colour in NATIONS:
            if re.search(pattern, name.lower()) and colour not in taken:
                return colour
        free = [colour for colour in SIDES if colour not in taken]
        return free[index % len(free)] if free else SIDES[index % len(SIDES)]

    def side_colours(self, names: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for index, name in enumerate(names):
            found[name] = self.side(name, index, list(found.values()))
        return found


#: Rules that are worth painting, by their names, where no look file says which.
_TELLING = re.compile(r"(^|_)(e?zoc|los|sees|sees_hex|in_arc|in_sight|supplied)$")


def overlays(look: Look, schema: Schema) -> list[dict[str, Any]]:
    """What can be painted over the map, for the page: a name, the rule, and what it is asked from."""
    named = {str(rule): title for title, rule in look.overlays.items()}
    if not named:
        named = {name: name.replace("_", " ") for name in schema.callables if _TELLING.search(name)}
    found = []
    for rule, title in named.items():
        how = overlay_of(schema, rule)
        if how is not None:
            found.append({"title": title, "rule": rule, "from": how.of, "cites": list(how.cites)})
    return found


def guess_ground(words: str, index: int) -> GroundStyle:
    found = [(colour, pattern) for rule, colour, pattern in GROUNDS if re.search(rule, words)]
    if not found:
        if PLAIN.search(words) or index == 0:
            return GroundStyle(PLAIN_COLOUR, ("grass",) if PLAIN.search(words) else ())
        return GroundStyle(OTHERS[index % len(OTHERS)], (("dots", "rows", "bars", "cross")[index % 4],))
    patterns = tuple(dict.fromkeys(pattern for _, pattern in found))[:2]
    colour = found[0][0] if len(found) == 1 else mixed(found[0][0], found[1][0])
    if re.search(r"light|open|sparse|thin", words) and len(found) == 1:
        colour = mixed(colour, PLAIN_COLOUR)
    return GroundStyle(colour, patterns)


def mixed(a: str, b: str, part: float = 0.5) -> str:
    """A colour between two, `part` of the way to the second."""
    values = (round(int(a[n : n + 2], 16) * (1 - part) + int(b[n : n + 2], 16) * part) for n in (1, 3, 5))
    return "#" + "".join(f"{value:02x}" for value in values)


def look_of(engine: Engine) -> Look:
    """What the look files of the series and the title say, the title's on top; LookError if one says what cannot be done."""
    about = engine.ruleset.about
    look = Look(colours=dict(engine.ruleset.schema.colours))
    for folder in (about.series, about.folder):
        path = Path(folder) / "look.yaml" if folder is not None else None
        if path is not None and path.is_file():
            look.file = "look.yaml of the series" if folder == about.series else "look.yaml"
            _take(look, path)
            _check(look, engine)
    return look


def _take(look: Look, path: Path) -> None:
    """The entries of a file, over those that are known."""
    for section, value in read_look_file(path, look.file).items():
        if section not in SECTIONS:
            raise LookError(
                f"{look.file}: `{section}` is no part of a look file; "
                + (hint_for(section, SECTIONS) or f"parts are {', '.join(SECTIONS)}")
            )
        if not isinstance(value, dict):
            raise LookError(f"{look.file}: `{section}` has no entries; write `{section}: {{name: ...}}`")
        known = getattr(look, section)
        for name, entry in value.items():
            before = known.get(name)
            known[name] = (
                {**before, **entry} if isinstance(before, dict) and isinstance(entry, dict) else entry
            )


ALLOWED = {
    "grounds": ("colour", "pattern"),
    "edges": ("colour", "width", "dashes", "through"),
    "counters": ("values", "corner", "symbols", "symbol_from"),
}


def _check(look: Look, engine: Engine) -> None:
    schema = engine.ruleset.schema
    kinds = {dom.name: dom for dom in schema.doms if dom.sort in ("kind", "piece")}
    members = {name for dom in schema.doms if dom.sort in ("kind", "enum") for name in dom.members}
    columns = {name for space in schema.spaces if space.edges is not None for name in space.edges.fields}
    seats = {name for dom in (schema.seats, schema.sides) if dom is not None for name in dom.members}
    for section, known in (
        ("grounds", members),
        ("edges", columns),
        ("counters", set(kinds)),
        ("sides", seats),
    ):
        for name, entry in getattr(look, section).items():
            if name.partition(".")[0] not in known:
                raise LookError(
                    f"{look.file}: {section}: the title has no `{name}`; {hint_for(name, sorted(known)) or ''}".rstrip(
                        "; "
                    )
                )
            if section == "sides":
                _colour(look, f"sides: {name}", entry)
                continue
            if not isinstance(entry, dict):
                raise LookError(f"{look.file}: {section}: {name}: expected `{{{ALLOWED[section][0]}: ...}}`")
            for key, value in entry.items():
                if key not in ALLOWED[section]:
                    raise LookError(
                        f"{look.file}: {section}: {name}: `{key}` is not known; "
                        f"known are {', '.join(ALLOWED[section])}"
                    )
                if key == "colour":
                    _colour(look, f"{section}: {name}", value)
                if key == "pattern" and value not in PATTERNS:
                    raise LookError(
                        f"{look.file}: {section}: {name}: no pattern `{value}`; there are {', '.join(PATTERNS)}"
                    )
                if key == "width" and not isinstance(value, float):
                    raise LookError(f"{look.file}: {section}: {name}: width is a number, not `{value}`")
    for name, rule in look.overlays.items():
        if overlay_of(schema, str(rule)) is None:
            possible = [name for name in schema.callables if overlay_of(schema, name) is not None]
            raise LookError(
                f"{look.file}: overlays: {name}: no rule `{rule}` can be asked of places; "
                f"{hint_for(str(rule), possible) or 'it takes a place, and before it a counter, a place or a side'}"
            )
    for name, entry in look.counters.items():
        fields = kinds[name].fields
        for column in (*_texts(entry.get("values")), *_texts(entry.get("corner"))):
            if column.partition(".")[0] not in fields:
                raise LookError(
                    f"{look.file}: counters: {name} has no `{column}`; {hint_for(column, sorted(fields)) or ''}".rstrip(
                        "; "
                    )
                )


def _texts(value: Value) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)] if value else []


def _colour(look: Look, where: str, value: Value) -> None:
    if not isinstance(value, str) or not (COLOUR.fullmatch(value) or value.lower() in NAMED_COLOURS):
        raise LookError(
            f'{look.file}: {where}: `{value}` is no colour; write "#rrggbb" or one of {", ".join(NAMED_COLOURS)}'
        )
