"""The codes of family 03: types and ranges."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0301",
    "type mismatch",
    """
    A value of one type stands where another is needed. Types never turn into each other by themselves: a flag is
    not a number, and a member of one enum is not a member of another. The message names both types.

        t.facing := 3                       # facing is a Direction, not a number
    """,
)
register(
    "GR0302",
    "wrong number of arguments",
    """
    A rule, table or procedure is called with more or fewer values than it declares. The label shows its
    declaration. For a table, each axis is one argument.

        rule defence(t: Unit, from: Hex) -> int [7.2]
        ... defence(t)                      # defence(t, a.at)
    """,
)
register(
    "GR0303",
    "not comparable",
    """
    The two sides of a comparison can never be compared: they have different types, or their type has no order
    for `<` and `>`. Numbers and enums are ordered; pieces, places and sets are only equal or not.

        if u.at < v.at                      # places have no order; compare a distance
    """,
)
register(
    "GR0304",
    "value out of range",
    """
    The value can lie outside the range that was declared for it. At play this would be an error that stops the
    game, never a silent clamp. Widen the range, or bound the value with `min` and `max`, if the rulebook does.

        cap: 0..30
        my.cap := my.cap + 40               # write: min(30, my.cap + 40), or widen the range
    """,
)
register(
    "GR0305",
    "possibly none",
    """
    The value may be `none`, and here one is needed: its field is read, or it goes where `none` is not allowed.
    Check it first; inside the branch it is known to be there. `x else y` gives a value for the other case.

        if t.at is not none: do move_to(t.at)
    """,
)
register(
    "GR0306",
    "condition is not a flag",
    """
    After `if`, `when`, `where`, `require` and beside `and`, `or`, `not` stands a condition, which is yes or no.
    Numbers and members are no conditions; say what they are compared with.

        if t.hits: do destroy(t)            # write: if t.hits > 0
    """,
)
register(
    "GR0307",
    "cannot be assigned",
    """
    What stands left of `:=`, `+=` or `-=` cannot change: a column of a kind, a parameter, a `let`, or the value
    of a rule. Only fields of pieces, places, sides, records and the game change, and locals declared with `var`.

        t.front := 0                        # a column of the counter; declare a field for what changes
    """,
)
register(
    "GR0308",
    "empty range",
    """
    The lower end of a range is above its upper end, so that no value fits. Ends count as inside. Exchange them,
    or guard the place where the range is computed.

        level: 9..-2                        # -2..9
    """,
)
register(
    "GR0309",
    "result missing",
    """
    A rule or procedure declares a result, but on some way through it no value is given. End a rule with a line
    without condition or with `otherwise`, unless its lines name every member of one value.

        rule cost(h: Hex) -> int [5.1]
          = 1 when h.terrain is open        # and otherwise?
    """,
)
register(
    "GR0310",
    "division without rounding",
    """
    Values are whole numbers, so a division must say how it rounds. Rulebooks differ, and it changes results:
    look up which way yours rounds. Write `rounded up`, `rounded down` or `rounded nearest`.

        = t.front / 2                       # write: t.front / 2 rounded up, or half of t.front rounded up
    """,
)
register(
    "GR0311",
    "always true or always false",
    """
    Because of the declared types and ranges this condition can have only one outcome, so part of the rule never
    applies. Often a comparison is the wrong way round, or a range is too narrow.

        round: 1..20
        ... when round > 20
    """,
)
register(
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
register(
    "GR0313",
    "set expected",
    """
    After `in`, in `for` and in aggregates stands something to go through: a type, a set, a range or a list of
    values. A single value is not a set. To compare with one value, use `is`.

        for u in t.at                       # write: for u in Unit where u.at is t.at
    """,
)
register(
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
register(
    "GR0315",
    "division by zero possible",
    """
    The divisor can be zero within its declared range. At play that would stop the game with an error. Guard it,
    narrow its range, or bound it from below.

        = a.strength / d.strength rounded down          # write: ... / max(1, d.strength) ...
    """,
)
