"""What differs between the scenarios of two versions: those that come and go, and where games begin otherwise.  And whether
saves of the one can be loaded by the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grognard.compare.report import Saves
from grognard.contract.differences import Change, ChangedSection
from grognard.errors import GrognardError

if TYPE_CHECKING:
    from grognard.play.engine import Engine

#: Differences of one scenario that are told; the rest follows from them, or is too much to read.
TOLD = 40


def compare_set_ups(old: Engine, new: Engine) -> tuple[ChangedSection, Saves]:
    """The scenarios of both."""
    section = ChangedSection("scenarios")
    alike: list[str] = []
    changed: list[str] = []
    gone: list[str] = []
    there = set(new.scenarios)
    for name in old.scenarios:
        if name not in there:
            section.changes.append(Change("scenario", name, "", "a scenario", None))
            gone.append(name)
            continue
        try:
            same = old.fingerprint_of(name) == new.fingerprint_of(name)
            states = None if same else [engine.new_game(name, 1).state() for engine in (old, new)]
        except GrognardError as problem:
            section.notes.append(f"scenario {name} cannot be compared: {str(problem).splitlines()[0]}")
            changed.append(name)
            continue
        (alike if same else changed).append(name)
        if states is not None:
            found = list(_differing("", *states))
            for path, before, after in found[:TOLD]:
                section.changes.append(Change("scenario", name, path, before, after))
            if len(found) > TOLD:
                section.notes.append(f"scenario {name}: {len(found) - TOLD} more differences")
    section.changes += [
        Change("scenario", name, "", None, "a scenario")
        for name in new.scenarios
        if name not in old.scenarios
    ]
    return section, Saves(tuple(alike), tuple(changed), tuple(gone))


def _differing(path: str, a: Any, b: Any) -> Iterator[tuple[str, str | None, str | None]]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            below = f"{path}.{key}" if path else str(key)
            if key not in b:
                yield below, _shown(a[key]), None
            elif key not in a:
                yield below, None, _shown(b[key])
            else:
                yield from _differing(below, a[key], b[key])
    elif a != b:
        yield path, _shown(a), _shown(b)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{key} {_shown(inner)}" for key, inner in value.items() if inner not in (None, False, 0, [], {})
        )
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
