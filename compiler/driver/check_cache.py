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
    from grognard.compiler.driver.phases import Title


def check(where: str, errata: Sequence[str] | None = None) -> tuple[str | None, str | None, Sink]:
    """Check a title and all its scenarios: its id and name (None if it cannot be read), and all there is to say."""
    keys = _keys(where)
    name = ""
    if keys is not None:
        name = "check-" + content_key([keys.code_key(variant_of(errata, "check")), keys.whole_key()])
        answer = _load(name)
        if answer is not None:
            found, shown, diagnostics = answer
            sink = Sink()
            for diagnostic in diagnostics:
                sink.add(diagnostic)
            for path in {span.file for diagnostic in diagnostics for span in _spans(diagnostic)}:
                if path in keys.files:
                    base, inside = keys.place.locate(path)
                    load_source(inside, base, sink, shown=path)
            return found, shown, sink
    title, sink = _check(where, errata)
    if title is None:
        return None, None, sink
    project = title.project
    if keys is not None and name:
        write_entry(
            name, pickle.dumps((project.id, project.name, list(sink)), protocol=pickle.HIGHEST_PROTOCOL)
        )
    return project.id, project.name, sink


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


def _check(where: str, errata: Sequence[str] | None) -> tuple[Title | None, Sink]:
    # Imported here: an answer that is known needs no front end.
    from grognard.compiler.driver.checking import check_title

    sink = Sink()
    return check_title(where, sink, errata), sink
