"""Titles that were built elsewhere and installed as packages: found by entry point, opened without the compiler.

The files are pickles of contract classes.  They are code as much as the engine beside them is: only packages that are
installed, or folders that the caller names, are opened.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import pickle
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.binding.load import BINDING_NAME, MODULE_NAME, prebuilt_cache
from grognard.contract import ir
from grognard.contract.built_title import (
    CHANCE,
    CODE,
    ENTRY_POINTS,
    HEAD,
    MANIFEST,
    SCHEMA,
    SITES,
    BuiltTitle,
    EngineRef,
)
from grognard.contract.ruleset import EngineFiles, Identity, Ruleset
from grognard.errors import BrokenTitle
from grognard.support.diagnostics import Sink
from grognard.support.gc_pause import gc_paused
from grognard.support.lazy_attributes import new_partial, set_attributes, set_lazy

if TYPE_CHECKING:
    from grognard.contract.datablock import Scenario
    from grognard.contract.examples import BoardSpec
    from grognard.contract.layout import Layout
    from grognard.support.source import Span

#: Parts of a program that are read when they are first used.
LAZY = {"sites": SITES, "functions": CODE, "machines": CODE}


def installed_titles() -> dict[str, Path]:
    """Title id -> folder, for built titles: those of installed packages, then those that came with Grognard itself."""
    found = {path.parent.name: path.parent for path in prebuilt_cache().root.glob(f"*/{MANIFEST}")}
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        folder = package_folder(entry.value)
        if folder is not None:
            found[entry.name] = folder
    return found


def package_folder(package: str) -> Path | None:
    """Where a package lies; nothing of it is imported."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None


def find_built(where: str) -> Path | None:
    """A built title by its id, or by the path of its folder."""
    path = Path(where)
    try:
        if (path / MANIFEST).is_file():
            return path
    except (OSError, ValueError):
        return None
    return installed_titles().get(where)


def read_manifest(folder: Path) -> BuiltTitle:
    try:
        return BuiltTitle.from_json((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BrokenTitle(folder.name, str(error)) from error


def built_titles() -> list[BuiltTitle]:
    """The manifests of all built titles; those that cannot be read are left out."""
    found = []
    for folder in installed_titles().values():
        try:
            found.append(read_manifest(folder))
        except BrokenTitle:
            continue
    return found


def open_built(folder: Path, errata: list[str] | None = None) -> Ruleset:
    """The ruleset of a built title.  BrokenTitle if its files are not what they should be, or of other errata."""
    about = read_manifest(folder)
    if errata is not None and tuple(errata) != about.errata:
        built = f"with the errata {', '.join(about.errata)}" if about.errata else "without errata"
        raise BrokenTitle(about.name, f"it was built {built}; others need its rules and the compiler")
    head = _read(folder, HEAD, about)
    ruleset: BuiltRuleset = new_partial(
        BuiltRuleset,
        {
            "about": Identity(about.id, about.name, folder, about.scenario, about.errata),
            "program": _program(folder, head["program"], about),
            "sink": Sink(),
            "examples": [],
            "situations": {},
            "code_key": "",
            "loaded": head["scenarios"],
            "engine_files": engine_files(about.engine, about.name),
            "rules_hash": bytes.fromhex(about.rules_hash),
            "built": about,
            "grounds": {},
        },
    )
    ruleset.example_program = ruleset.program
    set_lazy(
        ruleset,
        frozenset(("schema",)),
        lambda _name: set_attributes(ruleset, {"schema": _read(folder, SCHEMA, about)}),
    )
    return ruleset


def _program(folder: Path, values: dict[str, Any], about: BuiltTitle) -> ir.Program:
    program: ir.Program = new_partial(ir.Program, values)

    def read(name: str) -> None:
        set_attributes(program, _read(folder, LAZY[name], about))

    set_lazy(program, frozenset(LAZY), read)
    return program


def _read(folder: Path, name: str, about: BuiltTitle) -> Any:
    try:
        data = (folder / name).read_bytes()
        with gc_paused():
            return pickle.loads(data)
    except OSError as error:
        raise BrokenTitle(about.name, f"{name} cannot be read: {error.strerror}") from error
    except Exception as error:
        # A pickle of another version can fail in any way.
        raise BrokenTitle(
            about.name, f"{name} does not fit this version; it was built with grognard {about.runtime}"
        ) from error


def engine_files(ref: EngineRef | None, name: str) -> EngineFiles:
    """The modules of an engine: in its package, or with those that came with Grognard."""
    if ref is None:
        return EngineFiles(missing="it was built without an engine")
    found = {key: prebuilt_cache().find(key) for key in (ref.engine, ref.binding)} if not ref.package else {}
    folder = package_folder(ref.package) if ref.package else None
    if folder is not None:
        for key, module in ((ref.engine, MODULE_NAME), (ref.binding, BINDING_NAME)):
            paths = (folder / f"{module}{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES)
            found[key] = next((path for path in paths if path.is_file()), None)
    engine, binding = found.get(ref.engine), found.get(ref.binding)
    if engine is None or binding is None:
        where = f"the package {ref.package} for this Python and platform" if ref.package else "its engine"
        return EngineFiles(missing=f"{where} is not installed")
    return EngineFiles((ref.engine, engine), (ref.binding, binding))


@dataclass(slots=True, kw_only=True)
class BuiltRuleset(Ruleset):
    """A ruleset without its sources: it has the scenarios, boards and situations that it was built with."""

    built: BuiltTitle
    #: scenarios and boards of the chance program
    grounds: dict[str | BoardSpec, Scenario] = field(default_factory=dict)

    def scenario_names(self) -> list[str]:
        return list(self.built.scenarios)

    def chance_ruleset(self) -> Ruleset | None:
        if not self.built.odds:
            raise BrokenTitle(self.name, "it was built without odds (`grognard export` without --no-odds)")
        folder, about = self.about.folder, self.built
        part = _read(folder, CHANCE, about)
        return replace(
            self,
            program=part["program"],
            example_program=part["program"],
            schema=part["schema"],
            situations=part["situations"],
            engine_files=engine_files(about.chance_engine, about.name),
            rules_hash=b"",
            loaded={},
            grounds=part["grounds"],
        )

    def load_ground(
        self,
        program: ir.Program,
        what: str | BoardSpec,
        sink: Sink,
        span: Span | None = None,
        *,
        like: Layout | None = None,
    ) -> Scenario | None:
        found = self.grounds.get(what)
        if found is None:
            words = f"scenario `{what}`" if isinstance(what, str) else "this board"
            sink.error("GR0001", span, f"{self.name} was built without {words}; it needs the title's rules")
        return found
