"""Engines that were built before: found without writing their source again, and loaded.

What an engine is made from decides its key (build.py), but the key can only be known once the source is written.  So
its keys are remembered under a name made of what the source is made from: the rules, this compiler, its templates and
kernels, the tools.  Light to import: a warm start goes through here.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Literal

from grognard.compiler.build.cache import (
    Cache,
    cache_dir,
    content_key,
)
from grognard.compiler.build.prebuilt import prebuilt_cache
from grognard.compiler.store.keys import installed
from grognard.kernels import include_dir

#: How an engine is compiled: to run fast, to be ready soon (examples of play), or to find faults of the engine.
Flavour = Literal["fast", "quick", "sanitized"]

#: Set to 1 in a process that has the sanitizers' libraries loaded: all engines are then built with them.
SANITIZED = "GROGNARD_SANITIZERS"
#: The name that the module is compiled under; several may be loaded at once, each under a name of its own.
MODULE_NAME = "grognard_engine"
#: The module that all engines share: their face towards Python.
FACE_NAME = "grognard_face"

_loaded: dict[str, ModuleType] = {}
_loading = Lock()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The keys of an engine's module and of its face, and where they are; the tools that made them, with their stamps."""

    keys: tuple[str, str]
    shipped: bool
    tools: Mapping[str, Sequence[int]]


def wanted_flavour(flavour: Flavour) -> Flavour:
    return "sanitized" if os.environ.get(SANITIZED) == "1" else flavour


def find_engine(code_key: str, flavour: Flavour = "fast", cache: Cache | None = None) -> ModuleType | None:
    """The engine of what has this code key (bundle.py), None if it must be looked for by its source."""
    store = cache or Cache(cache_dir())
    known = _read(store, _name(code_key, wanted_flavour(flavour)))
    if known is None or any(stamp(tool) != list(kept) for tool, kept in known.tools.items()):
        return None
    modules = []
    for key, name in zip(known.keys, (MODULE_NAME, FACE_NAME)):
        path = (prebuilt_cache() if known.shipped else store).find(key)
        if path is None:
            return None
        modules.append(load_module(key, name, path))
    return joined(*modules)


def remember_engine(code_key: str, flavour: Flavour, store: Cache, known: Remembered) -> None:
    """Let `find_engine` find it next time."""
    content = {"keys": known.keys, "shipped": known.shipped, "tools": dict(known.tools)}
    store.call_it(_name(code_key, flavour), json.dumps(content))


def stamp(path: str) -> list[int]:
    """What tells versions of a tool apart; empty if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _name(code_key: str, flavour: Flavour) -> str:
    templates = Path(__file__).resolve().parents[1] / "cython" / "templates"
    made_from = installed(
        [*templates.glob("*.pyx*"), *templates.glob("*.pxi*"), *Path(include_dir()).glob("*.h")]
    )
    # Where the C compiler is found depends on these two.
    environment = [os.environ.get(name, "") for name in ("CC", "PATH")]
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    return content_key([code_key, flavour, sys.version, *suffixes, *environment, *made_from])


def _read(store: Cache, name: str) -> Remembered | None:
    try:
        content = json.loads(store.known_as(name) or "")
        engine, face = (str(key) for key in content["keys"])
        if not (engine.isalnum() and face.isalnum()):
            return None
        return Remembered((engine, face), bool(content["shipped"]), dict(content["tools"]))
    except (ValueError, KeyError, TypeError):
        return None


def joined(module: ModuleType, face: ModuleType) -> ModuleType:
    """What a program's module and the face of all programs offer together."""
    for name in ("Engine", "Chance", "Memo", "Grids", "Ending", "Ends", "attrition", "hits"):
        setattr(module, name, getattr(face, name))
    return module


def known_module(key: str) -> ModuleType | None:
    """The module with this key, if it is loaded already."""
    with _loading:
        return _loaded.get(key)


def load_module(key: str, name: str, path: Path) -> ModuleType:
    """Import by path.  The full name is unique for the key: Python keeps what it knows of extensions by name."""
    with _loading:
        if key in _loaded:
            return _loaded[key]
        # Python derives the init function from the last part of the name.
        full = f"grognard._built_{key}.{name}"
        loader = importlib.machinery.ExtensionFileLoader(full, str(path))
        spec = importlib.util.spec_from_file_location(full, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        _loaded[key] = module
        return module
