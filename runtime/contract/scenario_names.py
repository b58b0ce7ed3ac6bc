"""Scenarios with other options than their file sets: known by one name, so that games, saves and pickles carry them.

`landing` is the scenario as its file has it, `landing+snow=on+zoc=strict` the same with two options set otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping


def split_scenario(name: str) -> tuple[str, dict[str, str]]:
    """The scenario's own name, and the options that are set otherwise."""
    base, *parts = name.split("+")
    options: dict[str, str] = {}
    for part in parts:
        option, equals, value = part.partition("=")
        if not equals:
            return name, {}
        options[option] = value
    return base, options


def scenario_with(name: str, options: Mapping[str, str]) -> str:
    """The name of a scenario with these options; those that the name has already stay unless they are set anew."""
    base, known = split_scenario(name)
    return base + "".join(f"+{option}={value}" for option, value in sorted({**known, **options}.items()))
