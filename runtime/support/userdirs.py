"""The folders of the user: the cache, and what is kept for them.  A module of its own, because every start reads it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def cache_dir() -> Path:
    """$GROGNARD_CACHE, or the folder where this platform keeps what can be made again."""
    return _user_dir("GROGNARD_CACHE", mac="Caches", xdg="XDG_CACHE_HOME", unix=".cache")


def data_dir() -> Path:
    """$GROGNARD_DATA, or the folder where this platform keeps what cannot be made again: games that are going on."""
    return _user_dir("GROGNARD_DATA", mac="Application Support", xdg="XDG_DATA_HOME", unix=".local/share")


#: Folders with titles or series, separated as in PATH.
PATH_VARIABLE = "GROGNARD_PATH"


def path_folders() -> list[Path]:
    """The folders that $GROGNARD_PATH names."""
    parts = os.environ.get(PATH_VARIABLE, "").split(os.pathsep)
    return [Path(os.path.expanduser(part)) for part in parts if part.strip()]


def _user_dir(chosen: str, *, mac: str, xdg: str, unix: str) -> Path:
    """The folder that a variable names, else one of the user's on this platform."""
    if named := os.environ.get(chosen):
        return Path(named)
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / mac
    else:
        root = Path(os.environ.get(xdg) or Path.home() / unix)
    return root / "grognard"


def engines_dir() -> tuple[Path, str | None]:
    """The folder for compiled engines, made if it is not there: the cache, or, where that cannot be written or others can
    write it, one among temporary files; then with the reason.  OSError if that cannot be had either."""
    try:
        folder = cache_dir()
    except RuntimeError as error:  # an account without a home
        return spare_dir(), f"there is no folder for the cache ({error})"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.stat(folder)
        if hasattr(os, "getuid") and status.st_uid == os.getuid() and not only_ours(status):
            # Made under a mask that lets a group write.
            os.chmod(folder, stat.S_IMODE(status.st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))
            status = os.stat(folder)
        if not only_ours(status):
            why = "others can write there"
        elif os.access(folder, os.W_OK | os.X_OK):
            return folder, None
        else:
            why = "it cannot be written"
    except OSError as error:
        why = error.strerror or str(error)
    return spare_dir(), f"the cache {folder} cannot be used ({why})"


def spare_dir() -> Path:
    """A folder of the user's own among temporary files."""
    import tempfile

    owner = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"grognard-{owner}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = os.lstat(folder)
        if stat.S_ISDIR(status.st_mode) and only_ours(status):
            return folder
    except FileExistsError:
        pass
    # Somebody else has taken the name.
    return Path(tempfile.mkdtemp(prefix="grognard-"))


def only_ours(status: os.stat_result) -> bool:
    """Whether only the user can write it.  Systems without owners separate users by their home folders."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
