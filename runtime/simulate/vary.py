"""`--vary`: the variants of a study.

snow = on, off                        an optional rule
soviet.cap = 3, 5, 7                  a field of a side, a seat, a place or a counter when the game begins; `round = 2`: of the game
table crt (4, 9) = hit, miss          a cell of a table
kind Terrain woods.cover = 1, 2       a cell of a kind
modifiers drm river = -1, -2        a line of a list of modifiers
rule hour = 5, 6                      a rule of one value
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from grognard.simulate.study import StudyError, Variant

#: What is changed in the rules themselves.
_AMENDED = re.compile(r"(?:amend\s+)?(table|kind|modifiers|rule)\b")
#: More combinations than anybody compares.
MOST = 100

#: From statements to the folder of rules with them in force, and the errata there.
Amend = Callable[[list[str]], tuple[str, tuple[str, ...]]]


def variants(
    base: Variant, given: Sequence[str], options: Sequence[str], amend: Amend
) -> tuple[Variant, ...]:
    """All combinations of what varies; the rules as they are where nothing does.  StudyError."""
    axes = [_axis(text) for text in given]
    count = 1
    for _what, values in axes:
        count *= len(values)
    if count > MOST:
        raise StudyError(f"--vary gives {count:,} variants: more than {MOST} say nothing clear")
    made: list[Variant] = []
    for chosen in itertools.product(*(values for _what, values in axes)):
        variant = base
        statements: list[str] = []
        for (what, _), value in zip(axes, chosen):
            if match := _AMENDED.match(what):
                text = what if what.startswith("amend") else f"amend {what}"
                del match
                statements.append(f"{text} = {value}")
            elif what.removeprefix("option ").strip() in options:
                name = what.removeprefix("option ").strip()
                variant = replace(variant, options=(*variant.options, (name, value)))
            elif what.startswith("option "):
                raise StudyError(
                    f"there is no option `{what.removeprefix('option ').strip()}`: {_listed(options)}"
                )
            else:
                variant = replace(
                    variant, fields=(*variant.fields, (what.removeprefix("field ").strip(), value))
                )
        if statements:
            where, errata = amend(statements)
            variant = replace(variant, where=where, errata=errata)
        name = ", ".join(f"{_short(what)} {value}" for (what, _), value in zip(axes, chosen))
        made.append(replace(variant, name=name or base.name))
    return tuple(made)


def _axis(text: str) -> tuple[str, list[str]]:
    what, equals, values = text.rpartition("=")
    found = [value.strip() for value in values.split(",")]
    if not equals or not what.strip() or not all(found):
        raise StudyError(f"--vary `{text}` gives nothing to compare: --vary 'NAME = a, b, c'")
    if len(set(found)) != len(found):
        raise StudyError(f"--vary `{text}` names a value twice")
    return " ".join(what.split()), found


def _short(what: str) -> str:
    return re.sub(r"^(amend )?(table|kind|modifiers|rule|option|field) ", "", what)


def _listed(options: Sequence[str]) -> str:
    return f"there are {', '.join(options)}" if options else "the title has none"
