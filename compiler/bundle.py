"""Compiled rulesets kept between runs, so that a title starts at once and a changed cell needs no compiling.

Two keys.  The *code key* covers everything that decides the program: the rules without the rows of their tables, and
this compiler.  The *whole key* covers every file.  If both are as before, the kept ruleset is the answer.  If only
the whole key differs, then only data changed: rows, tables and maps are read anew into the kept ruleset, and the
program stays.  Should the new data change what rules may rely on (names of rows, the reach of a table), everything is
compiled anew.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from grognard.compiler import syntax as syn
from grognard.compiler.compile import Ruleset, compile_title
from grognard.compiler.dataload import load_kinds, load_tables, table_ranges
from grognard.compiler.diagnostics import Sink
from grognard.compiler.parse import parse
from grognard.compiler.project import Project, open_project
from grognard.compiler.treecache import content_key, read_entry, write_entry
from grognard.compiler.world import World

#: Files that belong to the code although they are YAML.
CODE_YAML = ("title.yaml", "series.yaml", "rulebook.yaml")
_ROW = re.compile(r'^[ \t]+[^"#|\n]*\|.*$', re.M)
_TABLE = re.compile(r"^table\b.*(?:\n(?![^\s]).*)*", re.M)


def load_ruleset(
    where: str, sink: Sink, *, errata: Sequence[str] | None = None, examples: bool = True
) -> Ruleset | None:
    """As compile_title, from what is kept of earlier runs where that is the same."""
    project = open_project(where, Sink())
    if project is None:
        return compile_title(where, sink, errata=errata, examples=examples)
    files = _read(project)
    if files is None:
        return compile_title(where, sink, errata=errata, examples=examples)
    variant = f"{project.root}\0{project.id}\0{errata!r}\0{examples}"
    code_key = content_key([_compiler_key(), variant, *_code(files)])
    whole_key = content_key([name + "\0" + text for name, text in files.items()])
    kept = _load(code_key)
    if kept is not None:
        known_key, known_files, ruleset = kept
        if known_key == whole_key:
            return _hand_over(ruleset, sink)
        changed = [name for name, text in files.items() if known_files.get(name) != _digest(text)]
        if set(known_files) == set(files) and _refresh(ruleset, changed):
            ruleset.code_key = code_key
            _store(code_key, whole_key, files, ruleset)
            return _hand_over(ruleset, sink)
    made = compile_title(where, sink, errata=errata, examples=examples)
    if made is not None:
        made.code_key = code_key
        if not sink.has_errors:
            _store(code_key, whole_key, files, made)
    return made


def _hand_over(ruleset: Ruleset, sink: Sink) -> Ruleset:
    """Give the caller's sink what was said of the ruleset."""
    for diagnostic in ruleset.sink:
        sink.add(diagnostic)
    sink.sources.update(ruleset.sink.sources)
    ruleset.sink = ruleset.world.sink = sink
    return ruleset


# ------------------------------------------------------------------------------------------------------ keys


@lru_cache(maxsize=1)
def _compiler_key() -> str:
    """The compiler itself: kept rulesets are of no use to another version."""
    here = Path(__file__).resolve().parent
    files = sorted(here.glob("*.py"))
    return content_key(path.read_text(encoding="utf-8") for path in files)


def _read(project: Project) -> dict[str, str] | None:
    """Every file that can matter, by its place; None if one cannot be read as text."""
    paths = [p for p in project.folder.rglob("*") if p.suffix in (".grog", ".yaml")]
    if project.series is not None:
        paths += [p for p in project.series.glob("*") if p.suffix in (".grog", ".yaml")]
        for folder in project.series.iterdir():
            if folder.is_dir() and not (folder / "title.yaml").exists():
                paths += [p for p in folder.rglob("*") if p.suffix in (".grog", ".yaml")]
    found: dict[str, str] = {}
    try:
        for path in sorted(set(paths)):
            found[project.shown(path)] = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    return found


def _code(files: dict[str, str]) -> Iterable[str]:
    """The files' text as far as it decides the program; lines keep their numbers."""
    for name, text in files.items():
        if name.endswith(".grog"):
            yield name + "\0" + _TABLE.sub(lambda table: _ROW.sub("", table.group()), text)
        elif Path(name).name in CODE_YAML:
            yield name + "\0" + text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# ----------------------------------------------------------------------------------------------------- store


def _load(code_key: str) -> tuple[str, dict[str, str], Ruleset] | None:
    data = read_entry(f"ruleset-{code_key}")
    if data is None:
        return None
    try:
        whole_key, digests, ruleset = pickle.loads(data)
    except Exception:
        # A pickle can fail in any way; it is only a cache.
        return None
    return (whole_key, digests, ruleset) if isinstance(ruleset, Ruleset) else None


def _store(code_key: str, whole_key: str, files: dict[str, str], ruleset: Ruleset) -> None:
    digests = {name: _digest(text) for name, text in files.items()}
    try:
        data = pickle.dumps((whole_key, digests, ruleset), protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return
    write_entry(f"ruleset-{code_key}", data)


# --------------------------------------------------------------------------------------------------- refresh


def _refresh(ruleset: Ruleset, changed: Sequence[str]) -> bool:
    """Read the data anew into a kept ruleset; False if the program might have to change, or something is wrong."""
    world, project, merged = ruleset.world, ruleset.project, ruleset.merged
    sink = Sink()
    # What was said of the rules still holds; what was said of data is said anew.
    for diagnostic in ruleset.sink:
        if not diagnostic.code.startswith(("GR04", "GR06")):
            sink.add(diagnostic)
    world.sink = ruleset.sink = sink
    for name in changed:
        project.sources.pop(name, None)
    sink.sources.update(project.sources)
    before = _names(world), table_ranges(world, ruleset.values)
    for name in changed:
        if name.endswith(".grog") and not _new_tables(ruleset, name, sink):
            return False
    for dom in world.doms:
        if isinstance(dom.decl, syn.KindDecl) and dom.decl.source is not None:
            dom.members, dom.titles = [], []
    values = load_kinds(world, project, merged)
    load_tables(world, project, merged, values)
    ruleset.values = values
    ruleset._scenarios.clear()
    # The default scenario's map gives the names of places, which rules may use.
    default = ruleset.default_scenario
    if default and ruleset.scenario(default) is None:
        return False
    return not sink.has_errors and (_names(world), table_ranges(world, values)) == before


def _names(world: World) -> list[tuple[str, list[str]]]:
    return [(dom.name, list(dom.members)) for dom in world.doms]


def _new_tables(ruleset: Ruleset, name: str, sink: Sink) -> bool:
    """Put the tables of a changed file in the place of those that are known."""
    source = ruleset.project.load(name, sink)
    tree = parse(source, sink) if source is not None else None
    if tree is None:
        return False
    tables = {decl.name: decl for decl in tree.decls if isinstance(decl, syn.TableDecl)}
    for place, (rank, decl) in enumerate(ruleset.merged.decls):
        if isinstance(decl, syn.TableDecl) and decl.span.file == name:
            if decl.name not in tables:
                return False
            ruleset.merged.decls[place] = (rank, tables[decl.name])
            ruleset.world.callables[decl.name].decl = tables[decl.name]
    return True
