"""The codes of family 00: files and sources."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0000",
    "more messages than are shown",
    """
    Only the first 200 messages are shown; the last line says how many more there were. Often one mistake near
    the top causes many below it. Mend the first few errors and check again.

        note[GR0000]: 31 more not shown
    """,
)
register(
    "GR0001",
    "file not found",
    """
    A file is named that does not exist. Paths are seen from the folder of the ruleset, with `/` between folders,
    and capitals count on every system, so that a ruleset works for everybody. Correct the name or add the file.

        kind UnitType from "unit.yaml"      # the file is called units.yaml
    """,
)
register(
    "GR0002",
    "not readable",
    """
    The file is there but cannot be read: it is a folder, a pipe or a device, or its permissions forbid it. Only
    regular files can be part of a ruleset. Name a file, or allow yourself to read it.

        kind UnitType from "units"          # units is a folder
    """,
)
register(
    "GR0003",
    "path leaves the ruleset",
    """
    A path is absolute, climbs above the folder of the ruleset with `..`, or passes through a link that leads
    outside. A ruleset may only read its own files: then one from a stranger is safe to compile, and it still
    works when it is moved. Copy the file into the ruleset and write its path from there.

        kind UnitType from "../other/units.yaml"
    """,
)
register(
    "GR0004",
    "not UTF-8",
    """
    The file contains a byte that is not valid UTF-8, the only encoding that is read. Usually an older editor has
    saved it as Windows-1252 or UTF-16. Save it again with the encoding UTF-8.

        "Gefährdung" saved as Windows-1252  # the byte E4 stands where UTF-8 has C3 A4
    """,
)
register(
    "GR0005",
    "NUL byte",
    """
    The file contains a zero byte, which no text does. It is probably a picture, an archive or a damaged file
    with the wrong name. Replace it with the text it should be.

        map "board_1.png"                   # a picture where a YAML file is wanted
    """,
)
register(
    "GR0006",
    "file too large",
    """
    Rules may have up to 4 MiB and 8,000 declarations a file, YAML data up to 32 MiB, and both up to a million
    lines. The limits keep the time and memory of a check bounded, whoever wrote the ruleset. Split the file.

        maps/all.yaml                       # better: one file for each board
    """,
)
register(
    "GR0007",
    "line too long",
    """
    A line has more than 100,000 characters. Nobody can read it, and messages could not point into it. Break it
    into several lines: inside brackets a line may end anywhere, and YAML lists can have one item a line.

        hexes: [0101, 0102, 0103, ...]      # better: a line for each row of the map
    """,
)
register(
    "GR0008",
    "tab in indentation",
    """
    A line is indented with a tab. Indentation carries meaning, and a tab has no agreed width, so only spaces are
    allowed there. Most editors can convert tabs to spaces, and can be set to do so for every new line.

        rule cost(h: Hex) -> int [5.1]
        <tab>= 2
    """,
)
register(
    "GR0009",
    "invisible direction control",
    """
    The text contains an invisible character that changes the direction in which text is shown. Such characters
    can make a line look different from what is compiled, so they are refused even in comments and labels. Delete
    the character; the message gives its number, by which editors can search.

        "ground support" + U+202E           # everything after it is shown backwards
    """,
)
register(
    "GR0010",
    "nesting too deep",
    """
    Brackets may be nested 100 deep and blocks 60 deep, and one expression may have up to 250 operators. The
    limits are far beyond what can be read, and keep the compiler's own needs bounded. Give a part of the
    expression or of the block a name of its own, as a rule, a `let` or a procedure.

        = ((((((((((((((((((((((((((((((((((((((((... + 1
    """,
)
register(
    "GR0011",
    "include cycle",
    """
    A file includes itself, directly or by way of others. No order of reading would then be right. Take one of
    the includes out, or move what both files need into a third one.

        use "b.grog"                        # in a.grog
        use "a.grog"                        # in b.grog
    """,
)
register(
    "GR0012",
    "control character",
    """
    The text contains a control character other than a newline or a tab, or a line separator that only some
    programs know. Terminals obey such characters instead of showing them, and programs disagree about the
    numbers of the lines after them. Delete the character; form feeds copied from a PDF are the usual case.

        U+000C between two pages of a copied table
    """,
)
