"""The folders of the user: cache and data.  A module of its own, because every start reads it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_dir() -> Path:
    """$GROGNARD_CACHE, or the folder where this platform keeps what can be made again."""
    chosen = os.environ.get("GROGNARD_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "grognard"


def data_dir() -> Path:
    """$GROGNARD_DATA, or the folder where this platform keeps what must not be lost."""
    chosen = os.environ.get("GROGNARD_DATA")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        root = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "grognard"
