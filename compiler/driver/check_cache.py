"""A cache of the answers of `check`, by the keys of a title's files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grognard.compiler.layers.title_paths import find_title, series_of
from grognard.compiler.store.keys import (
    CacheKeys,
    read_cache_keys,
    variant_of,
)
from grognard.compiler.support.disk_cache import (
    content_key,
    read_entry,
    write_entry,
)
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.source import Span, load_source

if TYPE_CHECKING:
    from grognard.compiler.store.ruleset import CompiledRuleset


def check(where: str, errata: Sequence[str] | None = None) -> tuple[str | None, str | None, Sink]:
    """Check a title and all its scenarios: its id and name (None if it cannot be read), and all there is to say."""
    keys = _keys(where)
    name = ""
    if keys is not None:
        name = "check-" + content_key([keys.code_key(variant_of(errata, "check")), keys.whole_key()])
        answer = _load(name)
        if answer is not None:
            title, shown, diagnostics = answer
            sink = Sink()
            for diagnostic in diagnostics:
                sink.add(diagnostic)
            for path in {span.file for diagnostic in diagnostics for span in _spans(diagnostic)}:
                if path in keys.files:
                    base, inside = keys.place.locate(path)
                    load_source(inside, base, sink, shown=path)
            return title, shown, sink
    ruleset, sink = _compile(where, errata)
    if keys is not None and name and ruleset is not None:
        write_entry(
            name, pickle.dumps((ruleset.id, ruleset.name, list(sink)), protocol=pickle.HIGHEST_PROTOCOL)
        )
    return (ruleset.id, ruleset.name, sink) if ruleset is not None else (None, None, sink)


def _spans(diagnostic: Diagnostic) -> Iterator[Span]:
    if diagnostic.span is not None:
        yield diagnostic.span
    for label in diagnostic.labels:
        yield label.span


def _keys(where: str) -> CacheKeys | None:
    folder = find_title(where)
    if folder is None or not (folder / "title.yaml").is_file():
        return None
    return read_cache_keys(folder, series_of(folder))


def _load(name: str) -> tuple[str, str, list[Diagnostic]] | None:
    data = read_entry(name)
    if data is None:
        return None
    try:
        title, shown, diagnostics = pickle.loads(data)
    except Exception:
        # A pickle can fail in any way; it is only a cache.
        return None
    return title, shown, diagnostics


def _compile(where: str, errata: Sequence[str] | None) -> tuple[CompiledRuleset | None, Sink]:
    from grognard.compiler.driver.pipeline import compile_title

    sink = Sink()
    ruleset = compile_title(where, sink, errata=errata, to_run=False)
    if ruleset is not None and ruleset.readable:
        for name in ruleset.scenario_names():
            ruleset.scenario(name, sink)
    return ruleset, sink
