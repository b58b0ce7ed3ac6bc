"""The codes of family 08: citations and coverage."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0801",
    "citation unknown to the rulebook",
    """
    A citation names a section that `rulebook.yaml` does not list. Citations are how the engine answers "why?"
    and how coverage is counted, so they must be real. Correct the number, or add the section to the list.

        rule defence(t: Unit) -> int [7.22] # 7.2.2
    """,
)
register(
    "GR0802",
    "citation missing",
    """
    A declaration says nothing about where in the rulebook it comes from. It works, but the log and `why` cannot
    name its section. Add the number in square brackets.

        rule defence(t: Unit) -> int [7.2]
    """,
)
register(
    "GR0804",
    "citation prefix not declared",
    """
    A citation begins with a word, such as `errata` or `card`, that is not declared as a source. Prefixes keep the
    section numbers of several books apart. Declare it in `rulebook.yaml`, or correct its spelling.

        [erata 3]                           # [errata 3]
    """,
)
