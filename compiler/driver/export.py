"""A title as wheels: one of its data, and one for each compiled program, which titles with the same rules share.

    grognard_title_ID-VERSION-py3-none-any.whl         manifest, rulesets, licence and provenance; entry point
    grognard_engine_KEY-1-cp311-cp311-PLATFORM.whl     engine and binding; KEY is of the sources that they were made from

The runtime installs beside them and needs nothing else (contract/built_title.py says what the files hold).
"""

from __future__ import annotations

import pickle
import re
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from grognard.compiler.build.build import build_shipped, engine_parts
from grognard.compiler.build.includes import binding_source
from grognard.compiler.build.prebuilt import prebuilt_key
from grognard.compiler.cython.modules import emit_sources
from grognard.compiler.driver.ruleset_cache import load_ruleset
from grognard.compiler.driver.title_info import scenario_infos
from grognard.compiler.layers.project import series_name
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.support.yamlfile import YScalar
from grognard.contract import ir
from grognard.contract.build import BuildUnavailable
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
from grognard.contract.datablock import Scenario
from grognard.contract.examples import BoardSpec
from grognard.contract.prepared_data import DataError, prepare
from grognard.contract.ruleset import program_hash
from grognard.support.diagnostics import Sink
from grognard.support.version import VERSION

Progress = Callable[[str], None]
#: Digits of a key in the name of a package: enough to tell all engines apart.
KEY_DIGITS = 16
_CODE_PARTS = ("functions", "machines")


class ExportError(ValueError):
    """A title that cannot be exported; `sink` has the diagnostics."""

    def __init__(self, message: str, sink: Sink) -> None:
        super().__init__(message)
        self.sink = sink


@dataclass(frozen=True, slots=True)
class Exported:
    """What was made of a title: its manifest, its files by name, and the engines that it refers to."""

    manifest: BuiltTitle
    files: dict[str, bytes]
    #: package -> files
    engines: dict[str, dict[str, bytes]]


def export_title(
    where: str,
    output: Path,
    *,
    errata: Sequence[str] | None = None,
    odds: bool = True,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the wheels of a title into a folder; their paths, that of the title first."""
    made = build_title(where, errata=errata, odds=odds, progress=progress)
    output.mkdir(parents=True, exist_ok=True)
    return [
        _title_wheel(made, output),
        *(_engine_wheel(package, files, output) for package, files in made.engines.items()),
    ]


def build_title(
    where: str,
    *,
    errata: Sequence[str] | None = None,
    odds: bool = True,
    engine: bool = True,
    progress: Progress | None = None,
) -> Exported:
    """Compile a title, its engines, and all that a runtime without the compiler needs of them.

    Without a C compiler, or without `engine`, the title is for the interpreter alone."""
    told = progress or (lambda _message: None)
    ruleset = _load(where, errata, chance=False)
    engines: dict[str, dict[str, bytes]] = {}
    files = {
        HEAD: _pickled({"program": _head(ruleset.program), "scenarios": _scenarios(ruleset)}),
        SITES: _pickled({"sites": ruleset.program.sites}),
        CODE: _pickled({name: getattr(ruleset.program, name) for name in _CODE_PARTS}),
        SCHEMA: _pickled(ruleset.schema),
    }
    own_engine = _engine(ruleset.program, engines, told) if engine else None
    chance_engine = None
    if odds:
        told(f"odds of {ruleset.name}")
        chance, content = _chance(where, errata)
        files[CHANCE] = content
        chance_engine = _engine(chance, engines, told)
    words = _title_words(ruleset)
    version = words["version"] or "0"
    content_hash = blake2b(b"".join(files[name] for name in sorted(files)), digest_size=4).hexdigest()
    manifest = BuiltTitle(
        id=ruleset.id,
        name=ruleset.name,
        series=series_name(ruleset.project),
        version=f"{version}+{content_hash}",
        runtime=VERSION,
        errata=tuple(ruleset.about.errata),
        scenario=ruleset.default_scenario,
        scenarios=tuple(ruleset.scenario_names()),
        rules_hash=program_hash(ruleset.program).hex(),
        edition=words["edition"],
        about=words["about"],
        scenario_infos=tuple(scenario_infos(str(ruleset.about.folder)) or ()),
        licence=words["licence"],
        provenance=words["provenance"],
        engine=own_engine,
        chance_engine=chance_engine,
        odds=odds,
    )
    files[MANIFEST] = manifest.to_json().encode()
    files["PROVENANCE.md"] = _provenance(ruleset, words).encode()
    return Exported(manifest, files, engines)


def build_installed(folders: Iterable[Path], into: Path, progress: Progress) -> None:
    """Build the titles that an installation ships into its folder: engines where the compiler finds them, rulesets beside
    them where the runtime does.  They are played without odds there; the compiler adds these."""
    programs = []
    for folder in folders:
        progress(f"compiling {folder.name}")
        made = build_title(str(folder), odds=False, engine=False, progress=progress)
        ruleset = _load(str(folder), None, chance=False)
        programs.append(ruleset.program)
        keys = [prebuilt_key(sources) for sources in (emit_sources(ruleset.program), [binding_source()])]
        manifest = replace(made.manifest, engine=EngineRef("", *keys))
        target = into / made.manifest.id
        target.mkdir(parents=True, exist_ok=True)
        for name, content in {**made.files, MANIFEST: manifest.to_json().encode()}.items():
            (target / name).write_bytes(content)
    build_shipped(programs, into, progress)


def _load(where: str, errata: Sequence[str] | None, *, chance: bool) -> CompiledRuleset:
    sink = Sink()
    ruleset = load_ruleset(where, sink, errata=errata, examples=False, chance=chance)
    if ruleset is None or sink.has_errors:
        raise ExportError(f"`{where}` has errors and cannot be exported", sink)
    return ruleset


def _head(program: ir.Program) -> dict[str, Any]:
    late = ("sites", *_CODE_PARTS)
    return {entry.name: getattr(program, entry.name) for entry in fields(program) if entry.name not in late}


def _scenarios(ruleset: CompiledRuleset) -> dict[str, Scenario]:
    return {name: _ground(ruleset, ruleset.program, name) for name in ruleset.scenario_names()}


def _ground(ruleset: CompiledRuleset, program: ir.Program, what: str | BoardSpec) -> Scenario:
    """A scenario or board for a program, laid out for native engines too."""
    sink = Sink()
    made = ruleset.load_ground(program, what, sink)
    if made is None or sink.has_errors:
        raise ExportError(f"{what} of {ruleset.name} has errors", sink)
    try:
        return replace(made, prepared=prepare(program, made.layout, made.data))
    except DataError:
        # Starting an engine reports it.
        return made


def _chance(where: str, errata: Sequence[str] | None) -> tuple[ir.Program, bytes]:
    """The chance program with its situations, and all that odds need of it."""
    ruleset = _load(where, errata, chance=True)
    program = replace(ruleset.example_program, policies=ruleset.program.policies)
    # What the map of an example's board is marked with are expressions, which only the compiler reads.
    situations = {
        name: replace(situation, ground=replace(situation.ground, marks=[]))
        for name, situation in ruleset.situations.items()
    }
    places: list[str | BoardSpec] = [*ruleset.scenario_names()]
    places += [place for situation in situations.values() if (place := situation.place()) is not None]
    grounds = {place: _ground(ruleset, program, place) for place in dict.fromkeys(places)}
    part = {"program": program, "schema": ruleset.schema, "situations": situations, "grounds": grounds}
    return program, _pickled(part)


def _engine(program: ir.Program, engines: dict[str, dict[str, bytes]], told: Progress) -> EngineRef | None:
    try:
        parts = engine_parts(program, told)
    except BuildUnavailable as why:
        told(f"no engine, the title will run on the interpreter: {why}")
        return None
    package = f"grognard_engine_{parts.engine_key[:KEY_DIGITS]}"
    engines[package] = {path.name: path.read_bytes() for path in (parts.engine, parts.binding)}
    return EngineRef(package, parts.engine_key, parts.binding_key)


def _pickled(content: Any) -> bytes:
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


# ------------------------------------------------------------------------------------------------ whose it is


def _title_words(ruleset: CompiledRuleset) -> dict[str, str]:
    title = ruleset.project.title
    return {
        key: " ".join(node.text.split())
        if title is not None and isinstance(node := title.get(key), YScalar)
        else ""
        for key in ("version", "edition", "licence", "provenance", "about")
    }


def _provenance(ruleset: CompiledRuleset, words: dict[str, str]) -> str:
    """Where the data comes from: what title.yaml says, and the comment at the head of each data file."""
    parts = [f"# {ruleset.name}", ""]
    for key in ("edition", "licence", "provenance"):
        if words[key]:
            parts += [f"{key.capitalize()}: {words[key]}", ""]
    project = ruleset.project
    paths = [*project.folder.rglob("*.yaml")]
    if project.series is not None:
        paths += project.series.glob("*.yaml")
    for name, path in sorted((project.shown(path), path) for path in paths):
        remark = _head_comment(path)
        if remark:
            parts += [f"## {name}", "", remark, ""]
    return "\n".join(parts)


def _head_comment(path: Path) -> str:
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("#").strip())
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------------- wheels


def _title_wheel(made: Exported, output: Path) -> Path:
    about = made.manifest
    package = f"grognard_title_{_identifier(about.id)}"
    needs = [f"grognard>={about.runtime}"]
    if about.engine is not None:
        needs.append(_distribution(about.engine.package))
    extras = []
    if about.chance_engine is not None:
        extras.append("Provides-Extra: odds")
        needs.append(f'{_distribution(about.chance_engine.package)}; extra == "odds"')
    licence = [f"License: {about.licence}"] if about.licence else []
    metadata = [
        f"Name: {_distribution(package)}",
        f"Version: {about.version}",
        f"Summary: {about.name}, built for Grognard",
        *licence,
        "Requires-Python: >=3.11",
        *extras,
        *(f"Requires-Dist: {need}" for need in needs),
    ]
    init = f'"""{about.name}: a title for Grognard.  `grognard.load("{about.id}")` plays it."""\n'
    files = {f"{package}/{name}": content for name, content in made.files.items()}
    files[f"{package}/__init__.py"] = init.encode()
    entry = {"entry_points.txt": f"[{ENTRY_POINTS}]\n{about.id} = {package}\n".encode()}
    return _write_wheel(output, package, about.version, "py3-none-any", metadata, files, entry)


def _engine_wheel(package: str, modules: dict[str, bytes], output: Path) -> Path:
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    metadata = [
        f"Name: {_distribution(package)}",
        "Version: 1",
        "Summary: Compiled rules for Grognard, shared by the titles that have them",
        "Requires-Python: >=3.11",
    ]
    files = {f"{package}/{name}": content for name, content in modules.items()}
    files[f"{package}/__init__.py"] = b'"""Compiled rules: loaded by Grognard, never imported."""\n'
    return _write_wheel(output, package, "1", f"{python}-{python}-{platform}", metadata, files, {})


def _write_wheel(
    output: Path,
    package: str,
    version: str,
    tag: str,
    metadata: Iterable[str],
    files: dict[str, bytes],
    info: dict[str, bytes],
) -> Path:
    from wheel.wheelfile import WheelFile

    path = output / f"{package}-{version}-{tag}.whl"
    pure = str(tag.endswith("-any")).lower()
    about = f"Wheel-Version: 1.0\nGenerator: grognard {VERSION}\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    dist_info = f"{package}-{version}.dist-info"
    info = {
        "METADATA": ("\n".join(["Metadata-Version: 2.1", *metadata]) + "\n").encode(),
        "WHEEL": about.encode(),
        **info,
    }
    # Complete or not at all: a wheel that was cut off must not look like one.
    with tempfile.TemporaryDirectory(dir=output) as scratch:
        with WheelFile(Path(scratch) / path.name, "w") as wheel:
            for name, content in [*files.items(), *((f"{dist_info}/{n}", c) for n, c in info.items())]:
                wheel.writestr(name, content)
        (Path(scratch) / path.name).replace(path)
    return path


def _identifier(text: str) -> str:
    return re.sub(r"\W", "_", text, flags=re.ASCII).lower()


def _distribution(package: str) -> str:
    return package.replace("_", "-")
