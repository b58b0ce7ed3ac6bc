"""The codes of family 06: data: YAML, maps, scenarios."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0601",
    "YAML syntax",
    """
    The file is not valid YAML, or uses a part of YAML that is not supported here: tags, several documents, `<<`,
    or keys that are lists. Most cases are wrong indentation, a bracket or quote that is not closed, or a text
    with `: ` or ` #` in it that needs quotes.

        name: Panzer: the beginning         # write: name: "Panzer: the beginning"
    """,
)
register(
    "GR0602",
    "unknown column",
    """
    The data has a key that is not declared. It would be ignored, and what you wrote there would be missing from
    the game without a word, so it is an error. Correct the spelling, or declare the column.

        t34: {fp_armor: 3}                  # fp_armour
    """,
)
register(
    "GR0603",
    "missing column",
    """
    A row or section lacks a key that it must have. Give it, or declare the column with a default (`= 0`) or as
    one that may be absent (`0..9?`).

        t34: {front: 12}                    # rear is missing
    """,
)
register(
    "GR0604",
    "wrong type of value",
    """
    A value is not of the declared type: a text for a number, a list for a single value, a word that is no member
    of the enum. The message says what is expected and what was found. Numbers must be whole.

        front: twelve                       # front: 12
    """,
)
register(
    "GR0605",
    "value out of range",
    """
    A number lies outside the range that is declared for its column, or has more digits than any number here can
    have. Check it against the printed counter; if it is right, widen the range.

        front: 0..40                        # declared
        front: 120                          # in the data
    """,
)
register(
    "GR0606",
    "duplicate key",
    """
    A key occurs twice in the same map. YAML parsers silently keep one of the two, and a unit or a hex would be
    lost. The label shows the first one. Rename or delete one of them.

        t34: {front: 12}
        t34: {front: 13}
    """,
)
register(
    "GR0607",
    "alias bomb, or data too deep",
    """
    With its aliases written out the data has more than 2,000,000 values, or is nested more than 60 deep, or an
    anchor contains itself. A few lines of aliases can stand for billions of values, so there is a limit.

        a: &a [x, x, x]
        b: &b [*a, *a, *a]                  # and so on
    """,
)
register(
    "GR0608",
    "unknown row",
    """
    The data refers to a row of a kind that does not exist: a unit type, a terrain, a card. Correct the spelling,
    or add the row to its file.

        - {type: t-34, at: 0404}            # the row is called t34
    """,
)
register(
    "GR0609",
    "unknown place",
    """
    A hex, area or box is named that is not on the map of the scenario. Check the number, and whether the map
    that contains it is in use.

        at: 9901                            # the map ends at 3020
    """,
)
register(
    "GR0610",
    "missing file section",
    """
    A file lacks a section that files of its kind must have, such as the name in `title.yaml` or the map of a
    scenario. The message names it.

        name: Meeting engagement            # and no `map:`
    """,
)
register(
    "GR0611",
    "too many rows or values",
    """
    A kind, map or set-up has more rows than the declarations or the engine allow. Pieces declared `up to N` are
    at most N, because their room in the position is fixed. Raise the bound, or split the data. Axes, sets and
    lists of numbers have at most 10,000 values, and there are at most 10,000 counters of a sort.

        piece Marker up to 20               # and the scenario places 25
    """,
)
register(
    "GR0612",
    "adjacency is one-sided",
    """
    One area names another as its neighbour, but not the other way round. Movement would be possible in one
    direction only. Add the missing entry, or mark the border as one-way if it really is.

        ukraine: {next: [russia]}
        russia:  {next: [novgorod]}         # ukraine is missing
    """,
)
register(
    "GR0613",
    "empty data",
    """
    The file, or a section that must not be empty, has no content. A kind without rows or a map without places
    would make every rule about it pointless. Fill it in, or remove what refers to it.

        units:                              # and nothing below
    """,
)
register(
    "GR0614",
    "scenario does not fit",
    """
    A scenario contradicts the rules it is played by: a side that is not declared, a stack above its limit, a
    piece on terrain it cannot enter, more turns than the track has. The game could not start or would stop at
    once. Mend the scenario, or the declaration.

        sides: {german: ..., polish: ...}   # declared: german, soviet
    """,
)
