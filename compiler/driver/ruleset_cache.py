"""The ruleset cache: compiled rulesets of earlier runs, so that a title starts at once and a changed cell needs no compiling.

If a title's code and all its files are as before (store/keys.py), the cached ruleset is the answer.  If only data changed,
rows, tables and maps are read anew into the cached ruleset, and the program stays.  Should the new data change what rules
may rely on (names of rows, the reach of a table), everything is compiled anew.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from grognard.compiler.layers.title_paths import find_title, series_of
from grognard.compiler.store.keys import (
    CacheKeys,
    read_cache_keys,
    variant_of,
)
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.store.sections import CachedRuleset, pack
from grognard.compiler.support.disk_cache import read_entry, write_entry
from grognard.support.diagnostics import Sink


def load_ruleset(
    where: str,
    sink: Sink,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
) -> CompiledRuleset | None:
    """As compile_title, from the ruleset cache where nothing changed."""
    folder = find_title(where)
    keys = read_cache_keys(folder, series_of(folder)) if folder is not None else None
    if keys is None:
        return _compile(where, sink, errata, examples, chance)
    code_key = keys.code_key(variant_of(errata, f"examples {examples}" + (" chance" if chance else "")))
    whole_key = keys.whole_key()
    cached = _load(code_key)
    if cached is not None:
        known_key, known_files = cached.key
        if known_key == whole_key:
            return _hand_over(cached, code_key, sink)
        files = keys.digests()
        changed = [name for name in files if known_files.get(name) != files[name]]
        if set(known_files) == set(files):
            # Imported here: without changes nothing of the front end is needed.
            from grognard.compiler.store.refresh import refresh

            if refresh(cached, changed):
                # Not cached again: writing takes longer than reading the data anew next time.
                return _hand_over(cached, code_key, sink)
    made = _compile(where, sink, errata, examples, chance)
    if made is not None:
        made.code_key = code_key
        if not sink.has_errors:
            _store(code_key, whole_key, keys, made)
    return made


def code_key(where: str, errata: Sequence[str] | None) -> str | None:
    """The key of what decides the program without examples; None if the files cannot be read."""
    folder = find_title(where)
    keys = read_cache_keys(folder, series_of(folder)) if folder is not None else None
    return keys.code_key(variant_of(errata, "examples False")) if keys is not None else None


def _compile(
    where: str, sink: Sink, errata: Sequence[str] | None, examples: bool, chance: bool
) -> CompiledRuleset | None:
    # Imported here: a cached ruleset needs no front end, and half of a warm start would be reading it.
    from grognard.compiler.driver.pipeline import compile_title

    return compile_title(where, sink, errata=errata, examples=examples, chance=chance)


def _hand_over(cached: CachedRuleset, code_key: str, sink: Sink) -> CompiledRuleset:
    """Give the caller's sink the diagnostics of the ruleset."""
    ruleset = cached.ruleset
    for diagnostic in cached.diagnostics:
        sink.add(diagnostic)
    cached.report_to(sink)
    ruleset.code_key = code_key
    return ruleset


# ----------------------------------------------------------------------------------------------------- store


def _load(code_key: str) -> CachedRuleset | None:
    data = read_entry(f"ruleset-{code_key}")
    if data is None:
        return None
    try:
        return CachedRuleset(data)
    except Exception:
        # A pickle can fail in any way; it is only a cache.
        return None


def _store(code_key: str, whole_key: str, keys: CacheKeys, ruleset: CompiledRuleset) -> None:
    _prepare(ruleset)
    try:
        data = pack((whole_key, keys.digests()), ruleset)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return
    write_entry(f"ruleset-{code_key}", data)


def _prepare(ruleset: CompiledRuleset) -> None:
    """Lay the scenarios that are known out for compiled engines, so that the next start need not."""
    from grognard.contract.prepared_data import DataError, prepare

    for scenario in ruleset.loaded.values():
        try:
            scenario.prepared = prepare(ruleset.program, scenario.layout, scenario.data)
        except DataError:
            # Starting an engine reports it.
            continue
