"""The registry of diagnostic codes.

A code never changes its meaning and is never used again. The first two digits say what it is about:

    00 files and sources        05 layers, exceptions, errata
    01 syntax                   06 data: YAML, maps, scenarios
    02 names                    07 procedures, choices, sequences
    03 types and ranges         08 citations and coverage
    04 tables and modifiers     09 examples of play

How grave a message is belongs to the place that reports it, not to the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Code:
    """A kind of diagnostic: its number, a short title, and what `grognard explain` says about it."""

    code: str
    title: str
    explanation: str


CODES: dict[str, Code] = {}


def _code(code: str, title: str, explanation: str) -> None:
    assert code not in CODES, f"{code} is defined twice"
    CODES[code] = Code(code, title, dedent(explanation).strip())


# -------------------------------------------------------------------------------------- 00 files and sources

_code(
    "GR0000",
    "more messages than are shown",
    """
    Only the first 200 messages are shown; the last line says how many more there were. Often one mistake near
    the top causes many below it. Mend the first few errors and check again.

        note[GR0000]: 31 more not shown
    """,
)
_code(
    "GR0001",
    "file not found",
    """
    A file is named that does not exist. Paths are seen from the folder of the ruleset, with `/` between folders,
    and capitals count on every system, so that a ruleset works for everybody. Correct the name or add the file.

        kind UnitType from "unit.yaml"      # the file is called units.yaml
    """,
)
_code(
    "GR0002",
    "not readable",
    """
    The file is there but cannot be read: it is a folder, a pipe or a device, or its permissions forbid it. Only
    regular files can be part of a ruleset. Name a file, or allow yourself to read it.

        kind UnitType from "units"          # units is a folder
    """,
)
_code(
    "GR0003",
    "path leaves the ruleset",
    """
    A path is absolute, climbs above the folder of the ruleset with `..`, or passes through a link that leads
    outside. A ruleset may only read its own files: then one from a stranger is safe to compile, and it still
    works when it is moved. Copy the file into the ruleset and write its path from there.

        kind UnitType from "../other/units.yaml"
    """,
)
_code(
    "GR0004",
    "not UTF-8",
    """
    The file contains a byte that is not valid UTF-8, the only encoding that is read. Usually an older editor has
    saved it as Windows-1252 or UTF-16. Save it again with the encoding UTF-8.

        "Gefährdung" saved as Windows-1252  # the byte E4 stands where UTF-8 has C3 A4
    """,
)
_code(
    "GR0005",
    "NUL byte",
    """
    The file contains a zero byte, which no text does. It is probably a picture, an archive or a damaged file
    with the wrong name. Replace it with the text it should be.

        map "board_1.png"                   # a picture where a YAML file is wanted
    """,
)
_code(
    "GR0006",
    "file too large",
    """
    Rules may have up to 4 MiB and 8,000 declarations a file, YAML data up to 32 MiB, and both up to a million
    lines. The limits keep the time and memory of a check bounded, whoever wrote the ruleset. Split the file.

        maps/all.yaml                       # better: one file for each board
    """,
)
_code(
    "GR0007",
    "line too long",
    """
    A line has more than 100,000 characters. Nobody can read it, and messages could not point into it. Break it
    into several lines: inside brackets a line may end anywhere, and YAML lists can have one item a line.

        hexes: [0101, 0102, 0103, ...]      # better: a line for each row of the map
    """,
)
_code(
    "GR0008",
    "tab in indentation",
    """
    A line is indented with a tab. Indentation carries meaning, and a tab has no agreed width, so only spaces are
    allowed there. Most editors can convert tabs to spaces, and can be set to do so for every new line.

        rule cost(h: Hex) -> int [5.1]
        <tab>= 2
    """,
)
_code(
    "GR0009",
    "invisible direction control",
    """
    The text contains an invisible character that changes the direction in which text is shown. Such characters
    can make a line look different from what is compiled, so they are refused even in comments and labels. Delete
    the character; the message gives its number, by which editors can search.

        "ground support" + U+202E           # everything after it is shown backwards
    """,
)
_code(
    "GR0010",
    "nesting too deep",
    """
    Brackets may be nested 100 deep and blocks 60 deep, and one expression may have up to 250 operators. The
    limits are far beyond what can be read, and keep the compiler's own needs bounded. Give a part of the
    expression or of the block a name of its own, as a rule, a `let` or a procedure.

        = ((((((((((((((((((((((((((((((((((((((((... + 1
    """,
)
_code(
    "GR0011",
    "include cycle",
    """
    A file includes itself, directly or by way of others. No order of reading would then be right. Take one of
    the includes out, or move what both files need into a third one.

        use "b.grog"                        # in a.grog
        use "a.grog"                        # in b.grog
    """,
)
_code(
    "GR0012",
    "control character",
    """
    The text contains a control character other than a newline or a tab, or a line separator that only some
    programs know. Terminals obey such characters instead of showing them, and programs disagree about the
    numbers of the lines after them. Delete the character; form feeds copied from a PDF are the usual case.

        U+000C between two pages of a copied table
    """,
)

# ------------------------------------------------------------------------------------------------- 01 syntax

_code(
    "GR0101",
    "unexpected token",
    """
    At the caret stands something that cannot stand there; the message lists what could. Look at the end of what
    comes before it as well: a missing comma or bracket is often noticed only at the next word.

        rule cost(h: Hex) int               # `->` is missing before `int`
    """,
)
_code(
    "GR0102",
    "bad indentation",
    """
    A line is indented to a depth that fits none of the blocks around it, or deeper without a block that begins
    there. Lines of one block must begin in the same column. Line it up with its neighbours.

        if hit: do damage(t)
          else: do miss(t)                  # `else` belongs under `if`
    """,
)
_code(
    "GR0103",
    "unterminated string",
    """
    A text begins with a quote and has no second quote before the end of its line. Texts cannot run over several
    lines. Add the missing `"`.

        require can_see(a, t) else "no line of sight
    """,
)
_code(
    "GR0104",
    "unclosed bracket",
    """
    A bracket is opened and never closed, or closed by one of another kind. Inside round brackets a line may end
    anywhere, so the mistake can show far below its cause; the label points at the bracket that was left open.

        = max(1, (a + b)                    # one `)` is missing
    """,
)
_code(
    "GR0105",
    "unknown declaration keyword",
    """
    A line at the left margin must begin with a keyword that declares something: `enum`, `kind`, `piece`, `rule`,
    `table`, `procedure` and so on. Check its spelling, or indent the line if it belongs to the block above.

        ruel defence(t: Unit) -> int [7.2]  # rule
    """,
)
_code(
    "GR0106",
    "unexpected end of file",
    """
    The file ends in the middle of a declaration. Perhaps a body has not been written yet, a bracket is open, or
    the file was cut off when it was copied. Complete the last declaration or delete it.

        rule defence(t: Unit) -> int [7.2]
        (end of the file)
    """,
)
_code(
    "GR0107",
    "bad number",
    """
    A number is not a whole decimal number within 32 bits. There are no fractions and no floats, so that results
    are the same on every machine: write halves with explicit rounding, or count in smaller units.

        = t.front * 1.5                     # write: t.front * 3 / 2 rounded down
    """,
)
_code(
    "GR0108",
    "malformed citation",
    """
    Square brackets hold a citation: the number of a section of the rulebook, if need be after a declared prefix,
    several separated by commas. They are used for nothing else; lookups are written with round brackets.

        rule defence(t: Unit) -> int [7.2, errata 3]
        = crt(odds, die)                    # not crt[odds, die]
    """,
)
_code(
    "GR0109",
    "missing block",
    """
    This line announces a block, but no deeper line follows and nothing stands after its colon. Write the body,
    indented below it or in the same line, or delete the line.

        if t.spent:
        do fire(a, t)                       # must be indented
    """,
)
_code(
    "GR0110",
    "malformed table row",
    """
    A row of a table must be its key, then its cells, separated by `|`. Keys are single values, ranges such as
    `2..4`, `..0` and `10..`, or members. Check that no `|` is missing or doubled.

        2..4 | 1 | 2 | 3
        5..  | 0   1 | 2                    # a `|` is missing
    """,
)

# -------------------------------------------------------------------------------------------------- 02 names

_code(
    "GR0201",
    "unknown name",
    """
    Nothing of this name is declared, or not here: parameters and `let` names are known only in their own rule or
    procedure, after the line that makes them. Correct the spelling or declare it.

        rule cost(h: Hex) -> int [5.1]
          = terain_cost(h)                  # terrain_cost
    """,
)
_code(
    "GR0202",
    "unknown type",
    """
    No type has this name. Types are `int`, `flag`, ranges such as `0..7`, sets, and whatever `enum`, `kind`,
    `piece`, `record`, `space` and `sides` declare. Capitals count.

        facing: direction                   # Direction
    """,
)
_code(
    "GR0203",
    "unknown field",
    """
    The value before the dot has no field of this name. A piece has its own fields and the columns of its kind; a
    place has the fields of its space. Correct the spelling, or declare the field where the type is declared.

        piece Unit of UnitType
          spent: flag
        ... when u.spnet                    # u.spent
    """,
)
_code(
    "GR0204",
    "unknown member",
    """
    The enum or kind that is expected here has no member of this name. An unknown member would never match, and
    silently drop a unit or a terrain from the game, so it is an error.

        enum Order: fire, move
        ... when u.order is moves           # move
    """,
)
_code(
    "GR0205",
    "duplicate definition",
    """
    The same name is declared twice in one layer. Which of the two holds would depend on the order of the files.
    Rename one, or delete it; to change what an earlier layer declares, use `exception to`, `replace` or `amend`.

        rule cost(h: Hex) -> int [5.1] = 1
        rule cost(h: Hex) -> int [5.2] = 2
    """,
)
_code(
    "GR0206",
    "name shadows another",
    """
    A parameter, a `let` or a binder takes a name that already means something here. A reader could not tell
    which of the two is meant further down. Choose another name.

        rule best_shot(u: Unit) -> int [7.1]
          = max(u in Unit: u.range)         # write: max(v in Unit: v.range)
    """,
)
_code(
    "GR0207",
    "unknown procedure, rule or table",
    """
    Something is called that no layer declares. It may be misspelt, or belong to a module that this title does
    not use. Correct the name, declare it, or add the module to `title.yaml`.

        do resolve_fier(a, t)               # resolve_fire
    """,
)
_code(
    "GR0208",
    "name cannot be used here",
    """
    The name exists but is of the wrong sort for this place: a type where a value is wanted, a table without its
    arguments, `base` outside an exception. The message says what it is and what would fit.

        let x = Unit                        # a type; write count(u in Unit) or choose x: Unit
    """,
)
_code(
    "GR0209",
    "ambiguous member",
    """
    Several enums or kinds have a member of this name, and nothing here says which is meant. Write the type
    before it. Where a type is expected, as beside `is` or in an assignment, the bare name is enough.

        let m = fire                        # write: let m = Order.fire
    """,
)
_code(
    "GR0210",
    "never used",
    """
    Something is declared and never used. That is harmless to the game, but often a sign of a misspelling
    elsewhere, or of a rule that was written and not connected. Use it or delete it.

        let range = distance(a.at, t.at)    # and `range` does not occur again
    """,
)

_code(
    "GR0211",
    "evaluation of something else than a side",
    """
    `evaluation` tells players that are programs how well a side stands, in one number: the more, the better. It
    is asked for every side in turn, so it takes a side and nothing else.

        evaluation(u: Unit)                 # write: evaluation(p: Side)
          = u.vp
    """,
)

# --------------------------------------------------------------------------------------- 03 types and ranges

_code(
    "GR0301",
    "type mismatch",
    """
    A value of one type stands where another is needed. Types never turn into each other by themselves: a flag is
    not a number, and a member of one enum is not a member of another. The message names both types.

        t.facing := 3                       # facing is a Direction, not a number
    """,
)
_code(
    "GR0302",
    "wrong number of arguments",
    """
    A rule, table or procedure is called with more or fewer values than it declares. The label shows its
    declaration. For a table, each axis is one argument.

        rule defence(t: Unit, from: Hex) -> int [7.2]
        ... defence(t)                      # defence(t, a.at)
    """,
)
_code(
    "GR0303",
    "not comparable",
    """
    The two sides of a comparison can never be compared: they have different types, or their type has no order
    for `<` and `>`. Numbers and enums are ordered; pieces, places and sets are only equal or not.

        if u.at < v.at                      # places have no order; compare a distance
    """,
)
_code(
    "GR0304",
    "value out of range",
    """
    The value can lie outside the range that was declared for it. At play this would be an error that stops the
    game, never a silent clamp. Widen the range, or bound the value with `min` and `max`, if the rulebook does.

        cap: 0..30
        my.cap := my.cap + 40               # write: min(30, my.cap + 40), or widen the range
    """,
)
_code(
    "GR0305",
    "possibly none",
    """
    The value may be `none`, and here one is needed: its field is read, or it goes where `none` is not allowed.
    Check it first; inside the branch it is known to be there. `if_none(x, y)` gives a value for the other case.

        if t.at is not none: do move_to(t.at)
    """,
)
_code(
    "GR0306",
    "condition is not a flag",
    """
    After `if`, `when`, `where`, `require` and beside `and`, `or`, `not` stands a condition, which is yes or no.
    Numbers and members are no conditions; say what they are compared with.

        if t.hits: do destroy(t)            # write: if t.hits > 0
    """,
)
_code(
    "GR0307",
    "cannot be assigned",
    """
    What stands left of `:=`, `+=` or `-=` cannot change: a column of a kind, a parameter, a `let`, or the value
    of a rule. Only fields of pieces, places, sides, records and the game change, and locals declared with `var`.

        t.front := 0                        # a column of the counter; declare a field for what changes
    """,
)
_code(
    "GR0308",
    "empty range",
    """
    The lower end of a range is above its upper end, so that no value fits. Ends count as inside. Exchange them,
    or guard the place where the range is computed.

        level: 9..-2                        # -2..9
    """,
)
_code(
    "GR0309",
    "result missing",
    """
    A rule or procedure declares a result, but on some way through it no value is given. End a rule with a line
    without condition or with `otherwise`, unless its lines name every member of one value.

        rule cost(h: Hex) -> int [5.1]
          = 1 when h.terrain is open        # and otherwise?
    """,
)
_code(
    "GR0310",
    "division without rounding",
    """
    Values are whole numbers, so a division must say how it rounds. Rulebooks differ, and it changes results:
    look up which way yours rounds. Write `rounded up`, `rounded down` or `rounded nearest`.

        = t.front / 2                       # write: t.front / 2 rounded up, or half of t.front rounded up
    """,
)
_code(
    "GR0311",
    "always true or always false",
    """
    Because of the declared types and ranges this condition can have only one outcome, so part of the rule never
    applies. Often a comparison is the wrong way round, or a range is too narrow.

        round: 1..20
        ... when round > 20
    """,
)
_code(
    "GR0312",
    "a rule may not change the state",
    """
    Rules, modifiers and tables only compute: they may be asked at any time, by the log, by odds and by players
    who try something out. They cannot write, roll, draw, choose or call procedures. Do that in a procedure or an
    action, and let the rule read the result.

        rule firepower(u: Unit) -> int [7.1]
          u.spent := yes                    # belongs into a procedure
    """,
)
_code(
    "GR0313",
    "set expected",
    """
    After `in`, in `for` and in aggregates stands something to go through: a type, a set, a range or a list of
    values. A single value is not a set. To compare with one value, use `is`.

        for u in t.at                       # write: for u in Unit where u.at is t.at
    """,
)
_code(
    "GR0314",
    "recursion in a rule",
    """
    A rule needs its own value to compute its value, directly or by way of others. It might never end; rules are
    promised to end. Use an aggregate, a loop in a procedure, or the verbs `reach` and `cost_to`, which search a
    map safely.

        rule supplied(h: Hex) -> flag [10.1]
          = any(n in neighbours(h) where supplied(n))
    """,
)
_code(
    "GR0315",
    "division by zero possible",
    """
    The divisor can be zero within its declared range. At play that would stop the game with an error. Guard it,
    narrow its range, or bound it from below.

        = a.strength / d.strength rounded down          # write: ... / max(1, d.strength) ...
    """,
)

# --------------------------------------------------------------------------------- 04 tables and modifiers

_code(
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
_code(
    "GR0402",
    "overlap in table",
    """
    Two rows or columns claim the same value, and would give different answers. Usually one end of a range is a
    copying slip. Correct the ranges so that each value lies in exactly one of them.

        1..4 | 0 | 1
        4..6 | 1 | 2                        # 4 lies in both
    """,
)
_code(
    "GR0403",
    "unreachable row",
    """
    No value that can occur leads to this row, so its cells never count. Either the row is mistaken, or what
    feeds the table cannot become as large as the rulebook expects: a modifier may be missing.

        table losses(die: 1..6) -> Result
          7 | eliminated                    # a die has no 7
    """,
)
_code(
    "GR0404",
    "wrong number of cells",
    """
    A row has more or fewer cells than the table has columns. Count the `|`: there is one between two
    neighbours. Write `-` for a cell without a result and `?` for one that the rulebook does not give.

             | 1:1 | 2:1 | 3:1
        1..2 |  0  |  1                     # the cell for 3:1 is missing
    """,
)
_code(
    "GR0405",
    "die total outside the table",
    """
    With all modifiers that can apply, the die can end below the first or above the last row. Declare the axis
    `clamped` if the rulebook says so, add open rows such as `..0` and `10..`, or bound the modifiers.

        roll d: d10
        crt(d + drm(u))                     # rows 0..9, but drm can give -3
    """,
)
_code(
    "GR0406",
    "column shift outside the table",
    """
    The shifts that can apply move beyond the first or the last column. Rulebooks usually stop at the end column:
    say so with `clamped`. Otherwise bound the shifts, or add columns.

        table crt(die: 1..6, odds: 1..7 clamped) -> Result
    """,
)
_code(
    "GR0407",
    "unhandled result",
    """
    A table can give a result that the procedure which reads it does not deal with. The game would go on as if
    nothing had been rolled. Add a case for it, or an `otherwise`.

        let r = crt(d)                      # can give `exchange`
        if r is retreat: ...                # and nothing for exchange
    """,
)
_code(
    "GR0408",
    "better column, worse result",
    """
    Along a table whose results otherwise only rise or only fall, one cell goes the other way. Some rulebooks
    mean it so, but more often it is a copying slip. Compare the cell with the printed table.

        4 | 1 | 2 | 1 | 3                   # is the second 1 right?
    """,
)
_code(
    "GR0409",
    "bad cell",
    """
    A cell cannot be read as a value of the table's type. The message says what is expected. Text in cells needs
    no quotes, but must be a member of the enum, or a number in the range.

        table crt ... -> Result
        3 | DR | D2                         # Result has dr and d2
    """,
)
_code(
    "GR0410",
    "missing cell",
    """
    The cell is `?`: the rulebook at hand does not give its value. The ruleset compiles, and a lookup of this
    cell at play is an error that names it. Fill it in from the printed table when you have it.

        5 | 2 | ? | 4
    """,
)
_code(
    "GR0411",
    "unknown row or column key",
    """
    A row or a column is headed by something that is no value of its axis. Headings must be members of the kind
    or enum, or numbers and ranges within the axis.

        table cost(by: Speed, on: Terrain) -> 0..9
               | open | wood                # woods
    """,
)
_code(
    "GR0412",
    "duplicate label in modifiers",
    """
    Two entries of a list of modifiers have the same label. Labels are how later layers, `without` and the log
    name an entry, so they must differ. Change one of them.

        -1 "terrain" when woods(t.at)
        -2 "terrain" when town(t.at)        # "town"
    """,
)
_code(
    "GR0413",
    "`without` names no entry",
    """
    `without` strikes an entry by its label, and the list has none of this label. Nothing would be struck, which
    is surely not meant. Copy the label exactly as the entry has it.

        +1 "trench"  when t.at.trench
        without "trenches" when t.flanked   # "trench"
    """,
)
_code(
    "GR0414",
    "duplicate column heading",
    """
    Two columns of a table have the same heading, so that a lookup could mean either. One of them is probably a
    copying slip. Correct the heading.

           | 1:1 | 2:1 | 2:1 | 4:1          # the third should be 3:1
    """,
)

# ------------------------------------------------------------------------- 05 layers, exceptions, errata

_code(
    "GR0501",
    "nothing to except",
    """
    An `exception to` names a rule or procedure that no layer below defines. Exceptions change something that is
    there. Correct the name, or define the rule itself if this title is the first to have it.

        exception to defense when t.bogged  # defence
    """,
)
_code(
    "GR0502",
    "two exceptions at once",
    """
    Two exceptions in one layer can apply to the same case, and nothing says which wins. Which one held would
    depend on the order of the files. Make their conditions exclude each other, or order them with `before` or
    `after`.

        exception "road" to cost when h.road [5.3] = 1
        exception to cost when rain after "road" [5.4] = base + 1
    """,
)
_code(
    "GR0503",
    "erratum does not find the old value",
    """
    An erratum says what it replaces, and finds something else there. Perhaps it was applied already, belongs to
    another edition, or a misprint was corrected by hand. Compare both with the rulebook; the label shows what
    was found.

        amend table crt: (3, 2:1) 1 -> 2    # the cell holds 0
    """,
)
_code(
    "GR0504",
    "nothing to amend",
    """
    An `amend`, `replace` or `drop` names something that the layers below do not have: a rule, a table, a cell or
    a label. Correct the name, or check that the erratum is meant for this title.

        amend modifiers attack_drm: drop "odds"         # "odds remainder"
    """,
)
_code(
    "GR0505",
    "duplicate erratum",
    """
    Two errata have the same name, or two errata of the same date change the same thing. Errata are chosen by
    name and applied by date, so both must be clear. Rename one, or give the dates of publication.

        errata "living rules 1.1" 2009-03-01
        errata "living rules 1.1" 2009-06-01
    """,
)
_code(
    "GR0508",
    "unknown layer",
    """
    A series, module or erratum is named that cannot be found. Names are those of the folders and of the `errata`
    declarations. Correct the spelling, or install what is missing.

        series: armor                       # armour
    """,
)
_code(
    "GR0509",
    "signature differs from base",
    """
    A later layer restates a rule, table or procedure with other parameters or another result than the one it
    takes the place of. Everything that calls it relies on the first form. Keep names, order and types.

        rule defence(t: Unit, from: Hex) -> int         # in the series
        replace rule defence(t: Unit) -> int            # in the title
    """,
)
_code(
    "GR0510",
    "unknown option",
    """
    An option is set or asked for that no layer declares, or is given a reading that it does not have. It would
    have no effect. Correct the name, or declare it with `option`.

        options: {cautious_move: on}        # cautious_movement
    """,
)
_code(
    "GR0511",
    "cycle of before and after",
    """
    The `before` and `after` of several exceptions, handlers or modifiers contradict each other: each would have
    to come before the others. Take one of them out.

        exception "a" to cost when h.road after "b" = 1
        exception "b" to cost when rain after "a" = 2
    """,
)
_code(
    "GR0512",
    "something required is not there",
    """
    A series can leave a rule, table, list, procedure, action or menu to its titles: `required rule cover(h:
    Hex) -> 0..9`. The title lacks it, or defines it with other parameters or another result. The hint shows the
    line to write.

        required rule cover(h: Hex) -> 0..9              # in the series
        rule cover(h: Hex) -> 0..9 = h.terrain.cover     # in the title
    """,
)

# --------------------------------------------------------------------------- 06 data: YAML, maps, scenarios

_code(
    "GR0601",
    "YAML syntax",
    """
    The file is not valid YAML, or uses a part of YAML that is not supported here: tags, several documents, `<<`,
    or keys that are lists. Most cases are wrong indentation, a bracket or quote that is not closed, or a text
    with `: ` or ` #` in it that needs quotes.

        name: Panzer: the beginning         # write: name: "Panzer: the beginning"
    """,
)
_code(
    "GR0602",
    "unknown column",
    """
    The data has a key that is not declared. It would be ignored, and what you wrote there would be missing from
    the game without a word, so it is an error. Correct the spelling, or declare the column.

        t34: {fp_armor: 3}                  # fp_armour
    """,
)
_code(
    "GR0603",
    "missing column",
    """
    A row or section lacks a key that it must have. Give it, or declare the column with a default (`= 0`) or as
    one that may be absent (`0..9?`).

        t34: {front: 12}                    # rear is missing
    """,
)
_code(
    "GR0604",
    "wrong type of value",
    """
    A value is not of the declared type: a text for a number, a list for a single value, a word that is no member
    of the enum. The message says what is expected and what was found. Numbers must be whole.

        front: twelve                       # front: 12
    """,
)
_code(
    "GR0605",
    "value out of range",
    """
    A number lies outside the range that is declared for its column, or has more digits than any number here can
    have. Check it against the printed counter; if it is right, widen the range.

        front: 0..40                        # declared
        front: 120                          # in the data
    """,
)
_code(
    "GR0606",
    "duplicate key",
    """
    A key occurs twice in the same map. YAML parsers silently keep one of the two, and a unit or a hex would be
    lost. The label shows the first one. Rename or delete one of them.

        t34: {front: 12}
        t34: {front: 13}
    """,
)
_code(
    "GR0607",
    "alias bomb, or data too deep",
    """
    With its aliases written out the data has more than 2,000,000 values, or is nested more than 60 deep, or an
    anchor contains itself. A few lines of aliases can stand for billions of values, so there is a limit.

        a: &a [x, x, x]
        b: &b [*a, *a, *a]                  # and so on
    """,
)
_code(
    "GR0608",
    "unknown row",
    """
    The data refers to a row of a kind that does not exist: a unit type, a terrain, a card. Correct the spelling,
    or add the row to its file.

        - {type: t-34, at: 0404}            # the row is called t34
    """,
)
_code(
    "GR0609",
    "unknown place",
    """
    A hex, area or box is named that is not on the map of the scenario. Check the number, and whether the map
    that contains it is in use.

        at: 9901                            # the map ends at 3020
    """,
)
_code(
    "GR0610",
    "missing file section",
    """
    A file lacks a section that files of its kind must have, such as the name in `title.yaml` or the map of a
    scenario. The message names it.

        name: Meeting engagement            # and no `map:`
    """,
)
_code(
    "GR0611",
    "too many rows or values",
    """
    A kind, map or set-up has more rows than the declarations or the engine allow. Pieces declared `up to N` are
    at most N, because their room in the position is fixed. Raise the bound, or split the data. Axes, sets and
    lists of numbers have at most 10,000 values, and there are at most 10,000 counters of a sort.

        piece Marker up to 20               # and the scenario places 25
    """,
)
_code(
    "GR0612",
    "adjacency is one-sided",
    """
    One area names another as its neighbour, but not the other way round. Movement would be possible in one
    direction only. Add the missing entry, or mark the border as one-way if it really is.

        ukraine: {next: [russia]}
        russia:  {next: [novgorod]}         # ukraine is missing
    """,
)
_code(
    "GR0613",
    "empty data",
    """
    The file, or a section that must not be empty, has no content. A kind without rows or a map without places
    would make every rule about it pointless. Fill it in, or remove what refers to it.

        units:                              # and nothing below
    """,
)
_code(
    "GR0614",
    "scenario does not fit",
    """
    A scenario contradicts the rules it is played by: a side that is not declared, a stack above its limit, a
    piece on terrain it cannot enter, more turns than the track has. The game could not start or would stop at
    once. Mend the scenario, or the declaration.

        sides: {german: ..., polish: ...}   # declared: german, soviet
    """,
)

# ------------------------------------------------------------------- 07 procedures, choices, sequences

_code(
    "GR0701",
    "unreachable phase",
    """
    No way through the sequence of play leads to this phase or step. Perhaps it stands after an endless repeat,
    under a condition that never holds, or in a repeat that would have to count down. Move it, or take it out.

        repeat
          phase fire
        phase movement                      # the repeat never ends
    """,
)
_code(
    "GR0702",
    "never terminates",
    """
    A loop has no way out: nothing in it changes what its condition reads, and nobody can choose to stop. At play
    the step budget would end it with an error. Add an `until`, a bound, or the change that was forgotten.
    A handler of a change that always changes the same field again never ends either, nor does one that always
    throws the dice again.

        repeat
          do fire(a, t)
        until t.hits > 3                    # and fire never changes t.hits
    """,
)
_code(
    "GR0703",
    "choice may be empty",
    """
    In the middle of a procedure a choice may find no candidates, and the game would be stuck. In the declaration
    part of an action this is fine, because then the action is not offered. Elsewhere add `else`, use `may
    choose`, or check before that there is one.

        choose u: Unit where mine(u) and u.spent, else stop
    """,
)
_code(
    "GR0704",
    "choose not allowed here",
    """
    Nobody can be asked at this place: in the `then` of an `assign`, or while something is only tried out. Choose
    before it, and hand the choice over as an argument.

        assign h in Hits to u in Unit where fits(h, u) then do pick(u)      # and pick asks
    """,
)
_code(
    "GR0705",
    "no one to ask",
    """
    It is not clear which side makes this choice: no side is active here, and no `by` says who. Name the side.

        choose first: Side by top           # top: the winner of the roll
    """,
)
_code(
    "GR0706",
    "unreachable statement",
    """
    A statement comes after one that always leaves the procedure, so it is never carried out. Move it up, or put
    a condition around what leaves.

        stop
        do destroy(t)
    """,
)
_code(
    "GR0707",
    "action cannot be begun",
    """
    The conditions of an action, or the candidates of its first choice, can never be met, so that it is never
    offered. Usually two conditions contradict each other, or a misspelt member is compared.

        choose u: Unit where mine(u) and enemy(u)
    """,
)
_code(
    "GR0708",
    "event never emitted",
    """
    A handler waits for an event that no procedure emits, so it never runs. Perhaps the name is misspelt, or the
    `emit` was forgotten where the thing happens. The other way round, an event is emitted that has handlers of
    rolls only (`on rolled`): they wait for a roll for it, and nothing happens.

        on fired(a, t) ...                  # and nowhere: emit fired(a, t)
    """,
)
_code(
    "GR0709",
    "sequence missing",
    """
    The title has no `sequence`, neither its own nor one from its series, so that no game could begin. Write the
    sequence of play.

        sequence [3.0]
          repeat round from 1 to scenario.rounds
            phase fire [4.4]
    """,
)
_code(
    "GR0710",
    "procedure in an expression",
    """
    Procedures change the state and may ask, so they are called on a line of their own with `do`, never inside an
    expression. A result is named with `->`. For something that is only computed, use a rule.

        let r = fire(a, t)                  # write: do fire(a, t) -> r
    """,
)
_code(
    "GR0711",
    "write in a declaration part",
    """
    An action promises that whoever begins it can finish it, and that holds for its declaration part: everything
    before its first roll, draw, write or `do`. A choice after a write is no longer covered by the promise. Make
    all choices first, or make sure that the later one always has a candidate.

        a.spent := yes
        choose t: Unit where in_range(a, t) # move it above the write
    """,
)
_code(
    "GR0712",
    "secret read in a public place",
    """
    Something hidden decides what everybody can see: a public choice, a log line, the offer of an action. An
    attentive opponent could conclude the secret from it. Reveal it first, ask `quietly`, or do not depend on it.

        secret hit: HitChit? to owner
        log "{u} has {u.hit}"               # reveal u.hit first
    """,
)
_code(
    "GR0713",
    "a roll and the event it is rolled for",
    """
    `roll die: 2d6 for shot(a, t)` lets others react: handlers `on rolling shot(a, t)` run before the dice fall,
    handlers `on rolled shot(a, t, die)` after. So the event tells one thing more than the roll is given: the
    result, as its last parameter, with a type that every possible result fits. `reroll` stands in a handler of
    `rolled` alone; `reroll die 2` throws one die of a pool, of a total all are thrown again.

        event shot(a: Unit, t: Unit, die: 2..12)
        on rolled shot(a, t, die) when die is 2: reroll
    """,
)
_code(
    "GR0715",
    "a state that is never reached",
    """
    `states` name the steps that a field of a piece may take. A member that no step leads to from the first one
    can never be reached; a statement that makes the field such a member could only fail; a step that nothing
    takes is idle.

        states Unit.mission
          ready -> flying
          flying -> landed            # and from there?
    """,
)

_code(
    "GR0720",
    "policy for a choice that does not exist",
    """
    A line of a policy names the choice that it answers: the procedure or action that asks, a dot, and the
    variable of the `choose`, `choose some` or `assign`. The names of all choices of a procedure are listed by
    `grognard odds` when one of them has no answer.

        policy stubborn
          combat.retreat_to: none           # procedure combat: may choose retreat_to: Area
    """,
)
_code(
    "GR0721",
    "situation that cannot be weighed",
    """
    A situation sets up a position, says once what its odds are of, and then names outcomes: numbers, flags or
    members. A procedure that speaks of `me` needs to be told who acts.

        situation ambush()
          counter german rifles as A at 0404
          counter soviet rifles as B at 0405
          odds of fire(A, B) by german -> hits
          outcome "B is hit" = B.hit is not none
    """,
)

# ---------------------------------------------------------------------------------- 08 citations and coverage

_code(
    "GR0801",
    "citation unknown to the rulebook",
    """
    A citation names a section that `rulebook.yaml` does not list. Citations are how the engine answers "why?"
    and how coverage is counted, so they must be real. Correct the number, or add the section to the list.

        rule defence(t: Unit) -> int [7.22] # 7.2.2
    """,
)
_code(
    "GR0802",
    "citation missing",
    """
    A declaration says nothing about where in the rulebook it comes from. It works, but the log and `why` cannot
    name its section. Add the number in square brackets.

        rule defence(t: Unit) -> int [7.2]
    """,
)
_code(
    "GR0804",
    "citation prefix not declared",
    """
    A citation begins with a word, such as `errata` or `card`, that is not declared as a source. Prefixes keep the
    section numbers of several books apart. Declare it in `rulebook.yaml`, or correct its spelling.

        [erata 3]                           # [errata 3]
    """,
)

# -------------------------------------------------------------------------------------- 09 examples of play

_code(
    "GR0901",
    "example fails",
    """
    An example of play ends differently from what it expects. The message shows the expected and the actual
    values, and the steps with their sections. Either a rule is wrong, or the example was copied wrongly, or an
    erratum changed the result and must restate the example.

        expect av(a, t) is 12               # it is 11: firepower [7.1] gave 2
    """,
)
_code(
    "GR0902",
    "example cannot start",
    """
    The set-up of an example does not work: a piece, place or side does not exist, or the position breaks the
    rules. Nothing was played. Mend the set-up.

        board open 200x300                  # at most 100x100
    """,
)
_code(
    "GR0903",
    "dice left over",
    """
    The example gives more dice than were rolled. Something that should have been rolled did not happen, or a die
    is written twice. Compare the log with the text of the rulebook.

        dice 4 5 6                          # only two were rolled
    """,
)
_code(
    "GR0904",
    "dice missing",
    """
    The example rolls more dice than it gives. Examples must not depend on chance, so every die has to be
    written. Add the missing ones, or find out why more is rolled than the rulebook says.

        dice 4                              # 2d6 need two
    """,
)
_code(
    "GR0905",
    "choice not offered",
    """
    The example picks something that the engine does not offer at that point. The message lists what was offered,
    and the reason if a condition excluded it. Either the rules are too strict, or an earlier step went another
    way than in the rulebook.

        answers shoot, B, A                 # A is not in range of B
    """,
)
_code(
    "GR0906",
    "expectation is not a condition",
    """
    After `expect` stands something that is not yes or no. Compare a value with what it should be.

        expect A.hits                       # write: expect A.hits is 1
    """,
)

_code(
    "GR0907",
    "broken promise",
    """
    A sight declares `same both ways`, but on the map of the default scenario there are two places of which one
    sees the other and not the reverse. Mend the clauses that look at only one of the ends, or take the promise
    out.

        same both ways
        hex h blocks when top(h) > a.level      # looks at one end: write max(a.level, b.level)
    """,
)

# ---------------------------------------------------------------------------------- 094 for players that are programs

_code(
    "GR0940",
    "plausible of something else than a counter",
    """
    `plausible` tells players that are programs where a counter that they cannot see may be. It is asked for
    hidden counters put somewhere, so it takes a counter and answers yes or no.

        rule plausible(h: Hex) -> flag = h.cover        # write: plausible(u: Unit) ... u.at.cover
    """,
)
_code(
    "GR0941",
    "balance does not add up",
    """
    `balance` in a scenario records how games between equal players ended: wins of each side, and draws. Together
    they must be as many as the games.

        balance: {bot: greedy, games: 60, seed: 1, red: 31, blue: 25}       # and `drawn: 4`
    """,
)
