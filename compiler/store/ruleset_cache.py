"""The ruleset cache: compiled rulesets on disk, so that a title starts at once and a changed cell needs no compiling.

If both keys of a title are unchanged (keys.py), the cached ruleset is the answer.  If only data changed, its rows, tables
and maps are read again into the cached ruleset, and the program stays.  If the new data changes an assumption of the
rules (names of rows, the range of a table), the title is compiled again.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Protocol

from grognard.compiler.layers.title_paths import find_title, series_of
from grognard.compiler.store.keys import TitleFiles, read_title_files, variant_of
from grognard.compiler.store.ruleset import Ruleset
from grognard.compiler.store.sections import CachedRuleset, pack_ruleset
from grognard.compiler.support.disk_cache import read_entry, write_entry
from grognard.support.diagnostics import Sink


class Compile(Protocol):
    """How a title is compiled that is not in the cache (driver/pipeline.py, compile_title)."""

    def __call__(
        self, where: str, sink: Sink, *, errata: Sequence[str] | None, examples: bool, chance: bool
    ) -> Ruleset | None: ...


def cached_ruleset(
    where: str,
    sink: Sink,
    compile_title: Compile,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
) -> Ruleset | None:
    """The ruleset that `compile_title` gives, from the cache if it is there and still valid."""
    folder = find_title(where)
    files = read_title_files(folder, series_of(folder)) if folder is not None else None
    if files is None:
        return compile_title(where, sink, errata=errata, examples=examples, chance=chance)
    code_key = files.code_key(variant_of(errata, f"examples {examples}" + (" chance" if chance else "")))
    files_key = files.files_key()
    cached = _load(code_key)
    if cached is not None:
        known_key, known_files = cached.key
        if known_key == files_key:
            return _hand_over(cached, code_key, sink)
        digests = files.digests()
        changed = [name for name in digests if known_files.get(name) != digests[name]]
        if set(known_files) == set(digests):
            # Imported here: without changes nothing of the front end is needed.
            from grognard.compiler.store.refresh import refresh

            if refresh(cached, changed):
                # Not stored again: writing takes longer than reading the data again next time.
                return _hand_over(cached, code_key, sink)
    made = compile_title(where, sink, errata=errata, examples=examples, chance=chance)
    if made is not None:
        made.code_key = code_key
        if not sink.has_errors:
            _store(code_key, files_key, files, made)
    return made


def _hand_over(cached: CachedRuleset, code_key: str, sink: Sink) -> Ruleset:
    """Copy the cached diagnostics to the caller's sink, and let later ones go there too."""
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


def _store(code_key: str, files_key: str, files: TitleFiles, ruleset: Ruleset) -> None:
    _prepare(ruleset)
    try:
        data = pack_ruleset((files_key, files.digests()), ruleset)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return
    write_entry(f"ruleset-{code_key}", data)


def _prepare(ruleset: Ruleset) -> None:
    """Lay out the scenarios read so far for compiled engines, so that the next start need not."""
    from grognard.native.engine import DataError, prepare

    for scenario in ruleset.scenarios.values():
        try:
            scenario.prepared = prepare(ruleset.program, scenario.layout, scenario.data)
        except DataError:
            # The error is raised again when an engine is started.
            continue
