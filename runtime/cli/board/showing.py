"""A position on the screen: its maps, what lies beside them, the state of the game and of the sides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.board.boardview import off_map, read_spaces
from grognard.cli.board.looks import Look, counter_text
from grognard.cli.board.mapdraw import draw_space, folded
from grognard.cli.board.source import BoardSource, spoken
from grognard.cli.console import Console, wide
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema

if TYPE_CHECKING:
    from grognard.play.reader import Reader
    from grognard.play.wording import LogLine


#: The key under which a setting keeps the fields that are not shown.
UNSHOWN = "cli: fields that are not shown"
#: Of a line that tells a roll: how many arguments stand before the dice.
DICE_FROM = 3
#: Up to so many dice are added up.
MOST_ADDED = 4
#: So many places that have changed are told by themselves; where there are more, all is shown again.
MOST_CHANGES = 8
#: How a line ends that tells that a counter has left play.
GONE = " is removed"
#: Lines that say what a seat answered.
CHOICES = ("choice", "number", "numbers")
#: Values that are left out where all sides have one of them.
NOTHING = ("no", "0")


def look_of(source: BoardSource) -> Look:
    """Colours and letters as the title.yaml gives them under `colours` and `symbols`."""
    data = source.data.domains[source.program.seats]
    return Look(data.names, data.titles or data.names, source.schema.colours, source.schema.symbols)


def source_of(reader: Reader) -> BoardSource:
    setting = reader.setting
    engine = setting.engine
    if UNSHOWN not in setting.attached:
        about = engine.ruleset.about
        folders = [Path(folder) for folder in (about.series, about.folder) if folder is not None]
        setting.attached[UNSHOWN] = frozenset().union(*(_unshown(path / "look.yaml") for path in folders))
    hidden: frozenset[str] = setting.attached[UNSHOWN]
    return BoardSource(
        setting.schema, setting.program, setting.scenario.data, setting.scenario.layout, hidden
    )


def _unshown(path: Path) -> frozenset[str]:
    """Fields that only the rules need, as the title's look file names them; a file with mistakes names none."""
    from grognard.drawing.lookfile import LookError, read_look_file

    if not path.is_file():
        return frozenset()
    try:
        named = read_look_file(path).get("unshown")
    except LookError:
        return frozenset()
    return frozenset(named) if isinstance(named, dict) else frozenset()


def position_lines(reader: Reader, console: Console, size: str = "auto") -> list[str]:
    """Maps and states of a position, or of what a seat may see of it."""
    parts = position_parts(reader, console, size)
    return [line for part in (*parts.maps, *parts.lists, *parts.states) for line in part.split("\n")]


@dataclass(frozen=True, slots=True)
class Parts:
    """What is shown of a position: drawings of its maps; what lies on and beside them, in words; the state of the game and
    of the sides."""

    maps: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)


def changed_parts(before: Parts, now: Parts, whole: bool) -> list[str]:
    """What looks otherwise than before: single places, or all of it, if nothing was shown yet or much has changed."""
    moved = [text for text in now.lists if text not in before.lists and not text.startswith("  (")]
    if whole or not (before.maps or before.lists) or len(moved) > MOST_CHANGES:
        return [*now.maps, *now.lists, *now.states]
    gone = {_place_of(text) for text in before.lists} - {_place_of(text) for text in now.lists}
    # Lists of areas have names of several words; what left them is told by the log.
    empty = [f"  {place}  empty" for place in sorted(gone) if place] if now.maps else []
    return [*moved, *empty, *(line for line in now.states if line not in before.states)]


def _place_of(text: str) -> str:
    """The place that an entry of a list is about."""
    found = re.match(r"  (?:\x1b\[[0-9;]*m)?([^\s\x1b]+)", text)
    return found[1] if found else ""


def position_parts(reader: Reader, console: Console, size: str = "auto") -> Parts:
    source = source_of(reader)
    look = look_of(source)
    with memoryview(reader.cells) as raw, raw.cast("i") as cells:
        spaces = read_spaces(source, cells)
        maps: list[str] = []
        lines: list[str] = []
        for space in spaces:
            drawn, listed = draw_space(space, look, console, size)
            if drawn and len(spaces) > 1:
                maps += [*([""] if maps else []), console.style("title", space.name)]
            maps += drawn
            lines += listed
        beside = off_map(source, cells)
        if beside:
            words = ", ".join(counter_text(counter, None, look, console) for counter in beside)
            lines.append("\n".join(folded(f"off the map: {words}", console, 2)))
        return Parts(maps, lines, state_lines(source, cells, look, console))


def state_lines(source: BoardSource, cells: Sequence[int], look: Look, console: Console) -> list[str]:
    """The game's own fields, then those of each side; where that is more than a line, without what is nothing for all."""
    lines: list[str] = []
    game = _values(source, cells, source.schema.globals, ())
    short = not _fits(game, console)
    if short:
        game = [field for field in game if field[1] not in NOTHING]
    if game:
        lines += folded(_fields(game, console), console, 2)
    doms: list[DomainSchema] = []
    for dom in (source.schema.seats, source.schema.sides):
        if dom is not None and dom not in doms:
            doms.append(dom)
    for dom in doms:
        data = source.data.domains[dom.id]
        rows = []
        for value in range(data.base, data.base + data.count):
            fields = _values(source, cells, dom.fields, (value,))
            if fields:
                seat = value if dom is source.schema.seats else None
                rows.append((data.title(value), seat, fields))
        if short or not all(_fits(fields, console) for _, _, fields in rows):
            told = {name for _, _, fields in rows for name, value in fields if value not in NOTHING}
            rows = [
                (title, seat, [field for field in fields if field[0] in told])
                for title, seat, fields in rows
                if any(value not in NOTHING for _, value in fields)
            ]
        room = max((wide(name) for name, _, _ in rows), default=0)
        for name, seat, fields in rows:
            head = name + " " * (room - wide(name))
            if console.color and seat is not None:
                head = console.style(look.side_style(seat), f" {head} ")
            lines += folded(f"{head}  {_fields(fields, console)}", console, room + 2)
    return lines


def _fits(fields: list[tuple[str, str]], console: Console) -> bool:
    return sum(wide(name) + wide(value) + 3 for name, value in fields) < console.width - 10


def _fields(fields: list[tuple[str, str]], console: Console) -> str:
    return ", ".join(f"{name} {console.style('bold', value)}" for name, value in fields)


def _values(
    source: BoardSource, cells: Sequence[int], fields: dict[str, FieldSchema], owner: tuple[int, ...]
) -> list[tuple[str, str]]:
    """Fields with their values; of sets and tables of values only what is in them."""
    found: list[tuple[str, str]] = []
    for name, info in fields.items():
        if info.field is None or name in source.unshown:
            continue
        words = spoken(name)
        dims = source.program.fields[info.field].dims
        if len(dims) == len(owner) and info.type.sort in ("int", "flag", "dom"):
            value = source.state(cells, info, *owner)
            if value != NONE:
                found.append((words, source.shown(info, value)))
            continue
        for text in source.states(cells, {name: info}, owner, ()):
            found.append((words, text.removeprefix(words).strip(" :")))
    return found


def log_text(line: LogLine, console: Console) -> str:
    """A line of the log with its sections."""
    cites = f" {console.style('cite', '[' + ', '.join(line.cites) + ']')}" if line.cites else ""
    if line.kind == "phase":
        return console.style("title", line.text) + cites
    mark = "·" if console.unicode else "-"
    return f"  {console.style('dim', mark)} {line.text}{cites}"


def is_pick(line: LogLine) -> bool:
    """Whether a seat has only said which action it takes: the next lines say how."""
    return line.kind == "choice" and " picks " in line.text and not line.text.endswith(" picks done")


def busy(lines: Sequence[LogLine]) -> list[LogLine]:
    """The lines without steps in which nothing happened: of headings in a row the round and the last remain."""
    kept: list[LogLine] = []
    for number, line in enumerate(lines):
        follows = number + 1 < len(lines) and lines[number + 1].kind == "phase"
        if line.kind == "phase" and follows and not line.args:
            continue
        if line.kind == "roll" and len(line.args) == DICE_FROM:
            # No die was thrown.
            continue
        if line.kind == "choice" and line.text.endswith(" picks done"):
            # That a seat does nothing more is told by what comes next.
            continue
        if kept and _one_throw(kept[-1], line):
            kept[-1] = replace(kept[-1], args=(*kept[-1].args, *line.args[DICE_FROM:]))
            continue
        kept.append(line)
    return [thrown(line) if line.kind == "roll" else line for line in kept]


def _one_throw(before: LogLine, line: LogLine) -> bool:
    """Whether two lines are dice of one throw: a die for each counter."""
    return (
        line.kind == before.kind == "roll"
        and (line.site, line.seats, line.args[:DICE_FROM])
        == (before.site, before.seats, before.args[:DICE_FROM])
        and line.args[0] == 1
    )


def thrown(line: LogLine) -> LogLine:
    """A throw of several dice that count each for itself: `attacking, 14d6: 1 1 2 2 3 5 5 6`.  Nobody adds up a handful."""
    count, low, hi, *dice = line.args
    if re.match(r"\w, ", line.text):
        # A letter is the author's name for it.
        line = replace(line, text=("dice" if count * len(dice) > 1 else "die") + line.text[1:])
    if (count != 1 or len(dice) < 2) and len(dice) <= MOST_ADDED:
        return line
    faces = f"d{hi}" if low == 1 else f"d({low}..{hi})"
    head = re.sub(rf"\d*{re.escape(faces)}: .*", "", line.text)
    return replace(line, text=f"{head}{len(dice)}{faces}: {' '.join(map(str, sorted(dice)))}")


def _joined(lines: Sequence[LogLine]) -> list[LogLine]:
    """What a seat answers in a row, for one action, is one line: `Germany: from Poland, attack Slovakia, with 3 Infantry`."""
    kept: list[LogLine] = []
    action = ""
    for line in lines:
        if is_pick(line):
            action = line.text.partition(" picks ")[0]
        elif not action or line.kind not in CHOICES or not line.text.startswith(f"{action}: "):
            action = ""
        elif kept and not is_pick(kept[-1]) and kept[-1].seats == line.seats:
            cites = tuple(dict.fromkeys((*kept[-1].cites, *line.cites)))
            # What was declined is no part of it.
            part = "" if line.text.endswith(" none") else f", {line.text.removeprefix(f'{action}: ')}"
            text = f"{kept[-1].text}{part}"
            kept[-1] = replace(kept[-1], text=text, cites=cites)
            continue
        kept.append(line)
    return kept


def log_texts(lines: Sequence[LogLine], console: Console) -> list[str]:
    """Lines of the log; the pick of an action and its first choice are one line: `red: drop a disc, into F1`."""
    texts: list[str] = []
    before: LogLine | None = None
    for line in _removed(_joined(busy(lines))):
        if before is not None:
            seat, _, action = before.text.partition(" picks ")
            if line.kind in CHOICES and line.text.startswith(f"{seat}: ") and line.seats == before.seats:
                rest = line.text.removeprefix(f"{seat}: ")
                line = replace(line, text=f"{seat}: {action}, {rest}")
            else:
                texts.append(log_text(before, console))
            before = None
        if is_pick(line):
            before = line
        else:
            texts.append(log_text(line, console))
    if before is not None:
        texts.append(log_text(before, console))
    return _counted(texts)


def _removed(lines: Sequence[LogLine]) -> list[LogLine]:
    """Counters that leave play one after the other, by number: `2 Infantry, 3 Tank are removed`."""
    kept: list[LogLine] = []
    for (gone, *_), same in groupby(
        lines, key=lambda line: (line.text.endswith(GONE), line.cites, line.seats)
    ):
        group = list(same)
        if not gone or len(group) == 1:
            kept += group
            continue
        sorts = Counter(re.sub(r" \d+$", "", line.text.removesuffix(GONE)) for line in group)
        words = ", ".join(f"{number} {name}" if number > 1 else name for name, number in sorts.items())
        kept.append(replace(group[0], text=f"{words} are removed"))
    return kept


def _counted(texts: Sequence[str]) -> list[str]:
    """Steps that are picked several times in a row, once: `soviet picks forward (3 times)`."""
    found: list[str] = []
    for text, same in groupby(texts):
        times = len(list(same))
        if times == 1 or " picks " not in text:
            found += [text] * times
        else:
            found.append(f"{text} ({'twice' if times == 2 else f'{times} times'})")
    return found
