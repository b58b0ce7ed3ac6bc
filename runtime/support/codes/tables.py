"""The codes of family 04: tables and modifiers."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0401",
    "gap in table",
    """
    The rows or columns of a table leave out values that can occur. A lookup there would have no answer. Add the
    missing row or column, let a neighbour reach further, or declare the axis `clamped` if the rulebook treats
    what lies beyond the ends as the ends.

        1..3 | 0 | 1
        5..6 | 1 | 2                        # 4 is missing
    """,
)
register(
    "GR0402",
    "overlap in table",
    """
    Two rows or columns claim the same value, and would give different answers. Usually one end of a range is a
    copying slip. Correct the ranges so that each value lies in exactly one of them.

        1..4 | 0 | 1
        4..6 | 1 | 2                        # 4 lies in both
    """,
)
register(
    "GR0403",
    "unreachable row",
    """
    No value that can occur leads to this row, so its cells never count. Either the row is mistaken, or what
    feeds the table cannot become as large as the rulebook expects: a modifier may be missing.

        table losses(die: 1..6) -> Result
          7 | eliminated                    # a die has no 7
    """,
)
register(
    "GR0404",
    "wrong number of cells",
    """
    A row has more or fewer cells than the table has columns. Count the `|`: there is one between two
    neighbours. Write `-` for a cell without a result and `?` for one that the rulebook does not give.

             | 1:1 | 2:1 | 3:1
        1..2 |  0  |  1                     # the cell for 3:1 is missing
    """,
)
register(
    "GR0405",
    "die total outside the table",
    """
    With all modifiers that can apply, the die can end below the first or above the last row. Declare the axis
    `clamped` if the rulebook says so, add open rows such as `..0` and `10..`, or bound the modifiers.

        roll d: d10
        crt(d + drm(u))                     # rows 0..9, but drm can give -3
    """,
)
register(
    "GR0406",
    "column shift outside the table",
    """
    The shifts that can apply move beyond the first or the last column. Rulebooks usually stop at the end column:
    say so with `clamped`. Otherwise bound the shifts, or add columns.

        table crt(die: 1..6, odds: 1..7 clamped) -> Result
    """,
)
register(
    "GR0407",
    "unhandled result",
    """
    A table can give a result that the procedure which reads it does not deal with. The game would go on as if
    nothing had been rolled. Add a case for it, or an `otherwise`.

        let r = crt(d)                      # can give `exchange`
        if r is retreat: ...                # and nothing for exchange
    """,
)
register(
    "GR0408",
    "better column, worse result",
    """
    Along a table whose results otherwise only rise or only fall, one cell goes the other way. Some rulebooks
    mean it so, but more often it is a copying slip. Compare the cell with the printed table.

        4 | 1 | 2 | 1 | 3                   # is the second 1 right?
    """,
)
register(
    "GR0409",
    "bad cell",
    """
    A cell cannot be read as a value of the table's type. The message says what is expected. Text in cells needs
    no quotes, but must be a member of the enum, or a number in the range.

        table crt ... -> Result
        3 | DR | D2                         # Result has dr and d2
    """,
)
register(
    "GR0410",
    "missing cell",
    """
    The cell is `?`: the rulebook at hand does not give its value. The ruleset compiles, and a lookup of this
    cell at play is an error that names it. Fill it in from the printed table when you have it.

        5 | 2 | ? | 4
    """,
)
register(
    "GR0411",
    "unknown row or column key",
    """
    A row or a column is headed by something that is no value of its axis. Headings must be members of the kind
    or enum, or numbers and ranges within the axis.

        table cost(by: Speed, on: Terrain) -> 0..9
               | open | wood                # woods
    """,
)
register(
    "GR0412",
    "duplicate label in modifiers",
    """
    Two entries of a list of modifiers have the same label. Labels are how later layers, `without` and the log
    name an entry, so they must differ. Change one of them.

        -1 "terrain" when woods(t.at)
        -2 "terrain" when town(t.at)        # "town"
    """,
)
register(
    "GR0413",
    "`without` names no entry",
    """
    `without` strikes an entry by its name, and the list has none of this name. Nothing would be struck, which
    is surely not meant. The name is made of the entry's text, unless `as NAME` gives another.

        +1 "trench"  when t.at.trench
        without trenches when t.flanked     # trench
    """,
)
register(
    "GR0414",
    "duplicate column heading",
    """
    Two columns of a table have the same heading, so that a lookup could mean either. One of them is probably a
    copying slip. Correct the heading.

           | 1:1 | 2:1 | 2:1 | 4:1          # the third should be 3:1
    """,
)
