"""The game at the keyboard, kept on disk as it goes on: whatever ends the session, `grognard play --resume` goes on.

Every game has a record in the user's data folder: where its save is, and how it was being played.  The save is the file
that --save names, or one beside the record.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.cli.errors import UserError, quoted
from grognard.support.userdirs import data_dir, only_ours

if TYPE_CHECKING:
    from grognard.play.game import Game

#: Games whose records are kept; older ones go, with the saves beside them.
KEPT = 30
#: Seconds between two saves while nobody is asked.
PAUSE = 0.5
RECORD = ".session.json"


@dataclass(frozen=True, slots=True)
class Record:
    """How a game is played, and where it is saved."""

    save: str
    #: as `play` takes it: an id, or the path of a folder
    title: str
    side: str | None
    against: str | None
    backend: str
    seed: int


class Autosave:
    """Saves a game after its answers.  A save that fails is told once; the game goes on."""

    def __init__(self, record: Record | None, path: Path | None, trouble: str | None = None) -> None:
        self._record, self._path = record, path
        self._last = 0.0
        self._behind = False
        #: why nothing can be kept; None if all is well
        self.trouble = trouble

    @property
    def where(self) -> str | None:
        """The save, if there is one."""
        return self._record.save if self._record is not None and self.trouble is None else None

    def keep(self, game: Game, *, at_once: bool = True) -> None:
        """Save the game; unless at once, only if the last save is some time ago."""
        if self._record is None or (not at_once and time.monotonic() - self._last < PAUSE):
            self._behind = True
            return
        try:
            if self._path is not None:
                _forget(self._path.parent, self._record.save)
                self._path.write_text(json.dumps(asdict(self._record)), encoding="utf-8")
                self._path = None
            game.save(self._record.save)
            self.trouble = None
        except OSError as error:
            self.trouble = f"{self._record.save} cannot be written: {error.strerror or error}"
        self._last = time.monotonic()
        self._behind = False

    def catch_up(self, game: Game) -> None:
        """Save what was played since the last save."""
        if self._behind:
            self.keep(game)


def begin(title: str, save: str | None, **how: Any) -> Autosave:
    """Keep a game of a title from now on; nothing is written before its first answer."""
    name = f"{time.time_ns()}-{os.getpid()}"
    try:
        folder = _folder(create=True)
    except (OSError, RuntimeError) as error:
        # The latter from an account without a home.
        why = getattr(error, "strerror", None) or str(error)
        if save is None:
            return Autosave(None, None, f"the folder {_shown()} cannot be used: {why}")
        return Autosave(Record(save, title, **how), None)
    _tidy(folder)
    kept = os.path.abspath(save) if save is not None else str(folder / f"{name}.json")
    where = os.path.abspath(title) if os.path.isdir(title) else title
    return Autosave(Record(kept, where, **how), folder / f"{name}{RECORD}")


def latest(title: str | None) -> Record:
    """The game that was played last (of this title); UserError if there is none."""
    try:
        folder = _folder(create=False)
        # The record names a folder that is compiled, so nobody else may have written it.
        known = [path for path in folder.glob(f"*{RECORD}") if only_ours(path.lstat())]
    except (OSError, RuntimeError):
        known = []
    found: list[tuple[float, Record]] = []
    for path in known:
        record = _read(path)
        if record is None or (title is not None and not _same(title, record.title)):
            continue
        try:
            found.append((os.stat(record.save).st_mtime, record))
        except OSError:
            continue
    if not found:
        what = f"no game of {quoted(title)}" if title else "no game"
        raise UserError(f"there is {what} to go on with", "`grognard play TITLE` begins one")
    return max(found, key=lambda entry: entry[0])[1]


def _same(title: str, other: str) -> bool:
    return title == other or os.path.abspath(title) == other


def _read(path: Path) -> Record | None:
    try:
        made = Record(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    texts = (made.save, made.title, made.side or "", made.against or "", made.backend)
    return made if all(isinstance(text, str) for text in texts) and isinstance(made.seed, int) else None


def _folder(create: bool) -> Path:
    folder = data_dir() / "games"
    if create:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not only_ours(os.stat(folder)):
        raise PermissionError(0, "others can write there")
    return folder


def _shown() -> str:
    try:
        return str(data_dir() / "games")
    except RuntimeError:
        return "of your games"


def _forget(folder: Path, save: str) -> None:
    """A game that goes on gets a new record in the place of the old one."""
    for path in folder.glob(f"*{RECORD}"):
        record = _read(path)
        if record is not None and record.save == save:
            path.unlink(missing_ok=True)


def _tidy(folder: Path) -> None:
    """Forget the oldest games.  Saves that were given a name by --save stay."""
    try:
        known = sorted(folder.glob(f"*{RECORD}"))
        for path in known[: max(0, len(known) - KEPT + 1)]:
            record = _read(path)
            if record is not None and Path(record.save).parent == folder:
                Path(record.save).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
    except OSError:
        return
