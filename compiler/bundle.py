"""Compiled rulesets kept between runs, so that a title starts at once and a changed cell needs no compiling.

If a title's code and all its files are as before (contents.py), the kept ruleset is the answer.  If only data changed,
rows, tables and maps are read anew into the kept ruleset, and the program stays.  Should the new data change what rules
may rely on (names of rows, the reach of a table), everything is compiled anew.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Sequence

from grognard.compiler import syntax as syn
from grognard.compiler.contents import Contents, read_contents, variant_of
from grognard.compiler.diagnostics import Sink
from grognard.compiler.project import open_project
from grognard.compiler.ruleset import Ruleset
from grognard.compiler.treecache import read_entry, write_entry
from grognard.compiler.world import World


def load_ruleset(
    where: str,
    sink: Sink,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
) -> Ruleset | None:
    """As compile_title, from what is kept of earlier runs where that is the same."""
    project = open_project(where, Sink())
    contents = read_contents(project.folder, project.series) if project is not None else None
    if contents is None:
        return _compile(where, sink, errata, examples, chance)
    code_key = contents.code_key(variant_of(errata, f"examples {examples}" + (" chance" if chance else "")))
    whole_key = contents.whole_key()
    kept = _load(code_key)
    if kept is not None:
        known_key, known_files, ruleset = kept
        if known_key == whole_key:
            return _hand_over(ruleset, sink)
        files = contents.digests()
        changed = [name for name in files if known_files.get(name) != files[name]]
        if set(known_files) == set(files) and _refresh(ruleset, changed):
            # Not kept again: writing takes longer than reading the data anew next time.
            return _hand_over(ruleset, sink)
    made = _compile(where, sink, errata, examples, chance)
    if made is not None:
        made.code_key = code_key
        if not sink.has_errors:
            _store(code_key, whole_key, contents, made)
    return made


def _compile(
    where: str, sink: Sink, errata: Sequence[str] | None, examples: bool, chance: bool
) -> Ruleset | None:
    # Imported here: what is kept needs no front end, and half of a warm start would be reading it.
    from grognard.compiler.compile import compile_title

    return compile_title(where, sink, errata=errata, examples=examples, chance=chance)


def _hand_over(ruleset: Ruleset, sink: Sink) -> Ruleset:
    """Give the caller's sink what was said of the ruleset."""
    for diagnostic in ruleset.sink:
        sink.add(diagnostic)
    sink.sources.update(ruleset.sink.sources)
    ruleset.sink = ruleset.world.sink = sink
    return ruleset


# ----------------------------------------------------------------------------------------------------- store


def _load(code_key: str) -> tuple[str, dict[str, str], Ruleset] | None:
    data = read_entry(f"ruleset-{code_key}")
    if data is None:
        return None
    collecting = gc.isenabled()
    # Nothing of what is read is rubbish: looking for some would take a third of the time.
    gc.disable()
    try:
        whole_key, digests, ruleset = pickle.loads(data)
    except Exception:
        # A pickle can fail in any way; it is only a cache.
        return None
    finally:
        if collecting:
            gc.enable()
    return (whole_key, digests, ruleset) if isinstance(ruleset, Ruleset) else None


def _store(code_key: str, whole_key: str, contents: Contents, ruleset: Ruleset) -> None:
    try:
        data = pickle.dumps((whole_key, contents.digests(), ruleset), protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return
    write_entry(f"ruleset-{code_key}", data)


# --------------------------------------------------------------------------------------------------- refresh


def _refresh(ruleset: Ruleset, changed: Sequence[str]) -> bool:
    """Read the data anew into a kept ruleset; False if the program might have to change, or something is wrong."""
    from grognard.compiler.dataload import load_kinds, load_tables, table_ranges

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
    from grognard.compiler.parse import parse

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
