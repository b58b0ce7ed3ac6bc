"""Saved games: a readable JSON file with the seed and the answers, from which the game is played again.

Nothing in a save is trusted: it is read within limits, checked field by field, and played by the rules.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.contract.questions import Count
from grognard.errors import IllegalChoice, RuleError, SaveError, UnknownScenario

if TYPE_CHECKING:
    from grognard.contract.questions import Answer
    from grognard.play.engine import Engine
    from grognard.play.game import Game
    from grognard.play.position import Position

FORMAT = "grognard game"
VERSION = 1
#: A save is some hundred bytes for each dozen answers; more than this is none.
MAX_BYTES = 64 * 1024 * 1024
#: Brackets inside brackets that a save has, and a few more; deeper text could exhaust the reader's stack.
MAX_DEPTH = 16
#: Groups of counters that one answer tells the numbers of.
MAX_GIVEN = 10_000
#: Seconds after which a file that a save was being written to counts as left behind.
LEFT_BEHIND = 30


@dataclass(frozen=True, slots=True)
class NoLongerLegal:
    """Where a game that was saved under other rules cannot go on: the answer's number (from 0) and what it was."""

    number: int
    seat: str
    question: str
    name: str
    why: str

    def __str__(self) -> str:
        return f"answer {self.number + 1} ({self.seat}, {self.question}: {self.name}) is no longer legal: {self.why}"


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    seat: str
    question: str
    name: str
    value: int
    #: all raw values, where counters were chosen by number
    given: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """The contents of a save, checked for form only."""

    title: str
    name: str
    errata: tuple[str, ...]
    fingerprint: str
    scenario: str
    seed: int
    answers: tuple[SavedAnswer, ...]
    hash: str


# ------------------------------------------------------------------------------------------------- writing


def save_text(game: Game) -> str:
    """The save as text: one answer to a line, so that people and `diff` can read it."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "title": game.engine.name,
        "name": game.engine.title,
        "errata": list(game.engine.ruleset.about.errata),
        "fingerprint": game.setting.fingerprint,
        "scenario": game.scenario,
        "seed": game.seed,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    answers = [
        json.dumps(
            {
                "seat": a.seat,
                "ask": a.question,
                "answer": a.name,
                "value": a.value,
                **({"given": a.given} if a.given else {}),
            },
            ensure_ascii=False,
        )
        for a in game.history
    ]
    lines.append('  "answers": [' + ("\n    " + ",\n    ".join(answers) + "\n  ]," if answers else "],"))
    lines.append(f'  "hash": "{game.position.hash:016x}"')
    return "{\n" + "\n".join(lines) + "\n}\n"


def save_game(game: Game, path: str | Path) -> None:
    """Write a save: into a file beside it first, which then takes its name, so that it is whole or as before."""
    target = Path(path)
    # Not the target's whole name: with more behind it, that could be longer than a name may be.
    mark = f".grognard-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}."
    _remove_leftovers(target.parent, mark)
    handle, temporary = tempfile.mkstemp(prefix=f"{mark}{os.getpid()}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(save_text(game))
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; a save is a document like others.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _remove_leftovers(folder: Path, mark: str) -> None:
    """What earlier saves of this file left behind when they were killed on the way."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            process = entry.name.removeprefix(mark).partition(".")[0]
            if entry.name.startswith(mark) and entry.name.endswith(".tmp") and not _is_running(process):
                with contextlib.suppress(OSError):
                    # A process of another machine that shares the folder has a number that means nothing here.
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > LEFT_BEHIND:
                        os.unlink(entry.path)


def _is_running(process: str) -> bool:
    if not (process.isascii() and process.isdigit() and len(process) < 10):
        return False
    if sys.platform == "win32":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _sync_folder(folder: Path) -> None:
    """The new name survives a power failure, too, where folders can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ------------------------------------------------------------------------------------------------- reading


def read_save(path: str | Path) -> Saved:
    """A save's contents; SaveError if it is not one."""
    return parse_save(_read(Path(path)), str(path))


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SaveError(f"{path} is not a file: give the path of a saved game")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SaveError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise SaveError(f"{path} is larger than any saved game ({MAX_BYTES >> 20} MiB): it is something else")
    return data


def parse_save(data: bytes, shown: str = "the save") -> Saved:
    """A save's contents from its bytes; SaveError if it is not one."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise SaveError(f"{shown} is not a saved game: it is not text. Choose another file") from None
    if not text.strip():
        raise SaveError(f"{shown} is empty: the save was lost. Take an older copy")
    if _depth(text) > MAX_DEPTH:
        raise SaveError(
            f"{shown} is not a saved game: its brackets are nested too deeply. Choose another file"
        )
    try:
        content = json.loads(text)
    except ValueError as error:
        if text.lstrip().startswith("{") and FORMAT in text[:200] and not text.rstrip().endswith("}"):
            raise SaveError(
                f"{shown} is truncated: it breaks off in the middle. It was not copied completely; take another copy"
            ) from None
        raise SaveError(
            f"{shown} is not a saved game: it is not JSON ({error}). Choose another file"
        ) from None
    return _checked(content, shown)


def _is_value(value: object) -> bool:
    return type(value) is int and -(2**31) <= value < 2**31


def _depth(text: str) -> int:
    depth = deepest = 0
    # Possessive, so that a text of many quotes without an end is still read once; one that has no end ends with the text.
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', text, re.DOTALL):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "]}":
            depth -= 1
    return deepest


def _checked(content: Any, shown: str) -> Saved:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SaveError(f'{shown} is not a saved game: its format is not "{FORMAT}". Choose another file')
    version = content.get("version")
    if version != VERSION or isinstance(version, bool):
        advice = (
            "use a newer Grognard"
            if isinstance(version, int) and version > VERSION
            else "the file is damaged"
        )
        raise SaveError(f"{shown} has version {version!r}, this Grognard reads version {VERSION}: {advice}")

    def field(name: str, kind: type) -> Any:
        value = content.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            state = "is missing" if name not in content else "has the wrong type"
            raise SaveError(f'{shown} is damaged: "{name}" {state}. Take another copy')
        return value

    answers = []
    for number, entry in enumerate(field("answers", list)):
        good = (
            isinstance(entry, dict)
            and all(isinstance(entry.get(key), str) for key in ("seat", "ask", "answer"))
            and _is_value(entry.get("value"))
        )
        if not good:
            raise SaveError(f"{shown} is damaged: answer {number + 1} cannot be read. Take another copy")
        given = entry.get("given", [])
        if not isinstance(given, list) or len(given) > MAX_GIVEN or not all(map(_is_value, given)):
            raise SaveError(f"{shown} is damaged: answer {number + 1} cannot be read. Take another copy")
        answers.append(
            SavedAnswer(entry["seat"], entry["ask"], entry["answer"], entry["value"], tuple(given))
        )
    errata = field("errata", list)
    if not all(isinstance(name, str) for name in errata):
        raise SaveError(f'{shown} is damaged: "errata" has the wrong type. Take another copy')
    return Saved(
        title=field("title", str),
        name=content["name"] if isinstance(content.get("name"), str) else field("title", str),
        errata=tuple(errata),
        fingerprint=field("fingerprint", str),
        scenario=field("scenario", str),
        seed=field("seed", int),
        answers=tuple(answers),
        hash=field("hash", str),
    )


# ------------------------------------------------------------------------------------------------ replaying


def replay_save(saved: Saved, shown: str, engine: Engine, *, allow_changed: bool = False) -> Game:
    """A save played again by an engine; `shown` is what messages call the file.  See grognard.load_game."""
    if engine.name != saved.title:
        raise SaveError(f"{whose(shown, saved, engine.name, engine.title)}: load it with that title's engine")
    try:
        fingerprint = engine.fingerprint_of(saved.scenario)
    except UnknownScenario as error:
        raise SaveError(
            f"{shown} cannot be loaded: {error}. The scenario was renamed or removed since"
        ) from error
    changed = fingerprint != saved.fingerprint
    in_force = tuple(engine.ruleset.about.errata)
    if in_force != saved.errata and not allow_changed:
        raise SaveError(
            f"{shown} was saved {_under(saved.errata)}, and {engine.title} is loaded {_under(in_force)}: load the "
            f"title with errata={list(saved.errata)}, or take another copy if it has no such errata"
        )
    if changed and not allow_changed:
        raise SaveError(
            f"the rules or data of {engine.title} changed since {shown} was saved. Load it with the version it was "
            "saved with, or with allow_changed=True to play it by the new rules as far as they allow"
        )
    return _replay(saved, engine, shown, changed)


def whose(shown: str, saved: Saved, other: str, title: str) -> str:
    """Of which title a save is, and not; two of one name are told apart by their ids."""
    if saved.name == title:
        return f"{shown} is a game of {saved.name} with the id `{saved.title}`, not of the one with the id `{other}`"
    return f"{shown} is a game of {saved.name}, not of {title}"


def _under(errata: tuple[str, ...]) -> str:
    return f"under {', '.join(chr(34) + name + chr(34) for name in errata)}" if errata else "without errata"


def _replay(saved: Saved, engine: Engine, shown: str, changed: bool) -> Game:
    from grognard.play.game import Game

    try:
        game = Game(engine, saved.scenario, saved.seed)
    except RuleError as error:
        raise SaveError(f"{shown} cannot be loaded: its set-up fails: {error}") from error
    for number, answer in enumerate(saved.answers):
        try:
            game.play(_choice(game.position, answer, changed))
        except (IllegalChoice, RuleError) as error:
            why = str(error)
            if changed:
                game.no_longer_legal = NoLongerLegal(number, answer.seat, answer.question, answer.name, why)
                return game
            raise SaveError(
                f"{shown} was changed since it was saved, or is damaged: answer {number + 1} "
                f"({answer.seat}, {answer.question}: {answer.name}) is not legal. Take another copy"
            ) from error
    if not changed and f"{game.position.hash:016x}" != saved.hash:
        raise SaveError(
            f"{shown} was changed since it was saved, or is damaged: played again, the game ends in another position "
            "than the one that was saved. Take another copy"
        )
    return game


def _choice(position: Position, answer: SavedAnswer, changed: bool) -> Answer:
    """The answer's value.  Numbers can move when rules change, names stay: then only the name counts."""
    question = position.question
    if question is None:
        raise IllegalChoice(answer.name, [], "the game is over before it")
    if (question.seat, question.name) != (answer.seat, answer.question):
        why = f"the question is now {question.name} to {question.seat}"
        raise IllegalChoice(answer.name, position.legal(), why)
    if answer.given and question.kind == "numbers":
        if changed:
            return answer.name
        return Count(answer.value, answer.name, answer.name, answer.given)
    for choice in position.legal():
        if choice.name == answer.name and (changed or choice.value == answer.value):
            return choice.value
    raise IllegalChoice(answer.name, position.legal())
