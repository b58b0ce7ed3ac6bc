"""The codes of family 01: syntax."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0101",
    "unexpected token",
    """
    At the caret stands something that cannot stand there; the message lists what could. Look at the end of what
    comes before it as well: a missing comma or bracket is often noticed only at the next word.

        rule cost(h: Hex) int               # `->` is missing before `int`
    """,
)
register(
    "GR0102",
    "bad indentation",
    """
    A line is indented to a depth that fits none of the blocks around it, or deeper without a block that begins
    there. Lines of one block must begin in the same column. Line it up with its neighbours.

        if hit: do damage(t)
          else: do miss(t)                  # `else` belongs under `if`
    """,
)
register(
    "GR0103",
    "unterminated string",
    """
    A text begins with a quote and has no second quote before the end of its line. Texts cannot run over several
    lines. Add the missing `"`.

        require can_see(a, t) else "no line of sight
    """,
)
register(
    "GR0104",
    "unclosed bracket",
    """
    A bracket is opened and never closed, or closed by one of another kind. Inside round brackets a line may end
    anywhere, so the mistake can show far below its cause; the label points at the bracket that was left open.

        = max(1, (a + b)                    # one `)` is missing
    """,
)
register(
    "GR0105",
    "unknown declaration keyword",
    """
    A line at the left margin must begin with a keyword that declares something: `enum`, `kind`, `piece`, `rule`,
    `table`, `procedure` and so on. Check its spelling, or indent the line if it belongs to the block above.

        ruel defence(t: Unit) -> int [7.2]  # rule
    """,
)
register(
    "GR0106",
    "unexpected end of file",
    """
    The file ends in the middle of a declaration. Perhaps a body has not been written yet, a bracket is open, or
    the file was cut off when it was copied. Complete the last declaration or delete it.

        rule defence(t: Unit) -> int [7.2]
        (end of the file)
    """,
)
register(
    "GR0107",
    "bad number",
    """
    A number is not a whole decimal number within 32 bits. There are no fractions and no floats, so that results
    are the same on every machine: write halves with explicit rounding, or count in smaller units.

        = t.front * 1.5                     # write: t.front * 3 / 2 rounded down
    """,
)
register(
    "GR0108",
    "malformed citation",
    """
    Square brackets hold a citation: the number of a section of the rulebook, if need be after a declared prefix,
    several separated by commas. They are used for nothing else; lookups are written with round brackets.

        rule defence(t: Unit) -> int [7.2, errata 3]
        = crt(odds, die)                    # not crt[odds, die]
    """,
)
register(
    "GR0109",
    "missing block",
    """
    This line announces a block, but no deeper line follows and nothing stands after its colon. Write the body,
    indented below it or in the same line, or delete the line.

        if t.spent:
        do fire(a, t)                       # must be indented
    """,
)
register(
    "GR0110",
    "malformed table row",
    """
    A row of a table must be its key, then its cells, separated by `|`. Keys are single values, ranges such as
    `2..4`, `..0` and `10..`, or members. Check that no `|` is missing or doubled.

        2..4 | 1 | 2 | 3
        5..  | 0   1 | 2                    # a `|` is missing
    """,
)
