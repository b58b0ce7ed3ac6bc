"""Engines that were built before: found without the compiler, and loaded.

What an engine is made from decides its key (compiler/build/build.py), but the key can only be known once the source is
written.  So its keys are recorded under a name made of what the source is made from: the code key of the ruleset, which covers
rules, compiler, templates, kernels and binding, and the tools.  Quick to import: a warm start goes through here.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import ModuleType

from grognard.contract.build import BuildUnavailable, Flavour
from grognard.support.content_cache import Cache, content_key
from grognard.support.userdirs import cache_dir, engines_dir, spare_dir

#: Set to 1, engines are built without optimisation: in half the time, to run at a third of the speed.
QUICK = "GROGNARD_QUICK"
#: Set to 1 in a process that has the sanitizers' libraries loaded: all engines are then built with them.
SANITIZED = "GROGNARD_SANITIZERS"
#: The name that the module is compiled under; several may be loaded at once, each under a name of its own.
MODULE_NAME = "grognard_engine"
#: The module that all engines share, between Python and C.
BINDING_NAME = "grognard_binding"

_loaded: dict[str, ModuleType] = {}
_loading = Lock()


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """The keys of an engine's module and of the binding, and where they are; the tools that made them, with their stamps."""

    keys: tuple[str, str]
    shipped: bool
    tools: Mapping[str, Sequence[int]]


def wanted_flavour(flavour: Flavour) -> Flavour:
    """The flavour that the environment asks for: sanitizers first, then `GROGNARD_QUICK=1`, which builds without
    optimisation, for tests and for authors who wait longer for the compiler than for the engine."""
    if os.environ.get(SANITIZED) == "1":
        return "sanitized"
    return "quick" if flavour == "fast" and os.environ.get(QUICK) == "1" else flavour


def find_engine(code_key: str, flavour: Flavour = "fast", cache: Cache | None = None) -> ModuleType | None:
    """The engine of what has this code key of a ruleset, None if it must be looked for by its source."""
    for store in [cache] if cache is not None else _stores():
        found = _find(store, code_key, flavour)
        if found is not None:
            return found
    return None


def _stores() -> list[Cache]:
    """Where engines may be: the user's cache; where that cannot be used, the folder that took its place."""
    stores = []
    with suppress(RuntimeError):  # an account without a home
        stores.append(Cache(cache_dir()))
    with suppress(OSError):
        folder, trouble = engines_dir()
        if trouble is not None:
            stores.append(Cache(folder))
    return stores


def _find(store: Cache, code_key: str, flavour: Flavour) -> ModuleType | None:
    known = _read(store, _name(code_key, wanted_flavour(flavour)))
    if known is None or any(stamp(tool) != list(kept) for tool, kept in known.tools.items()):
        return None
    modules = []
    for key, name in zip(known.keys, (MODULE_NAME, BINDING_NAME)):
        path = (prebuilt_cache() if known.shipped else store).find(key)
        if path is None:
            return None
        modules.append(load_module(key, name, path))
    return joined(*modules)


def record_engine(code_key: str, flavour: Flavour, store: Cache, known: EngineRecord) -> None:
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
    # Where the C compiler is found depends on these two.
    environment = [os.environ.get(name, "") for name in ("CC", "PATH")]
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    return content_key([code_key, flavour, sys.version, *suffixes, *environment])


def _read(store: Cache, name: str) -> EngineRecord | None:
    try:
        content = json.loads(store.known_as(name) or "")
        engine, binding = (str(key) for key in content["keys"])
        if not (engine.isalnum() and binding.isalnum()):
            return None
        return EngineRecord((engine, binding), bool(content["shipped"]), dict(content["tools"]))
    except (ValueError, KeyError, TypeError):
        return None


def prebuilt_cache() -> Cache:
    """The engines that came with the installation."""
    from grognard import generated

    return Cache(Path(next(iter(generated.__path__))), installed=True)


def load_engine(engine: tuple[str, Path], binding: tuple[str, Path]) -> ModuleType:
    """An engine by the keys and paths of its two modules."""
    return joined(
        load_module(engine[0], MODULE_NAME, engine[1]), load_module(binding[0], BINDING_NAME, binding[1])
    )


def joined(module: ModuleType, binding: ModuleType) -> ModuleType:
    """A program's module, with the classes of the binding."""
    for name in ("Engine", "Chance", "CachedSimulation", "Grids", "Ending", "Ends", "attrition", "hits"):
        setattr(module, name, getattr(binding, name))
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
        try:
            module = _import(key, name, path)
        except ImportError as refused:
            module = _import_copy(key, name, path, refused)
        _loaded[key] = module
        return module


def _import(key: str, name: str, path: Path) -> ModuleType:
    # Python derives the init function from the last part of the name.
    full = f"grognard._built_{key}.{name}"
    loader = importlib.machinery.ExtensionFileLoader(full, str(path))
    spec = importlib.util.spec_from_file_location(full, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _import_copy(key: str, name: str, path: Path, refused: ImportError) -> ModuleType:
    """Code may not be run where the module lies (a disk mounted with noexec): it is copied to where it perhaps may."""
    import shutil
    import tempfile

    try:
        with tempfile.TemporaryDirectory(prefix="grognard-", dir=spare_dir()) as folder:
            copy = Path(shutil.copy2(path, folder))
            return _import(key, name, copy)
    except (ImportError, OSError):
        raise BuildUnavailable(f"{path} cannot be loaded ({refused})") from refused
