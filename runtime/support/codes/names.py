"""The codes of family 02: names."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0201",
    "unknown name",
    """
    Nothing of this name is declared, or not here: parameters and `let` names are known only in their own rule or
    procedure, after the line that makes them. Correct the spelling or declare it.

        rule cost(h: Hex) -> int [5.1]
          = terain_cost(h)                  # terrain_cost
    """,
)
register(
    "GR0202",
    "unknown type",
    """
    No type has this name. Types are `int`, `flag`, ranges such as `0..7`, sets, and whatever `enum`, `kind`,
    `piece`, `record`, `space` and `sides` declare. Capitals count.

        facing: direction                   # Direction
    """,
)
register(
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
register(
    "GR0204",
    "unknown member",
    """
    The enum or kind that is expected here has no member of this name. An unknown member would never match, and
    silently drop a unit or a terrain from the game, so it is an error.

        enum Order: fire, move
        ... when u.order is moves           # move
    """,
)
register(
    "GR0205",
    "duplicate definition",
    """
    The same name is declared twice in one layer. Which of the two holds would depend on the order of the files.
    Rename one, or delete it; to change what an earlier layer declares, use `exception to`, `replace` or `amend`.

        rule cost(h: Hex) -> int [5.1] = 1
        rule cost(h: Hex) -> int [5.2] = 2
    """,
)
register(
    "GR0206",
    "name shadows another",
    """
    A parameter, a `let` or a binder takes a name that already means something here. A reader could not tell
    which of the two is meant further down. Choose another name.

        rule best_shot(u: Unit) -> int [7.1]
          = max(u in Unit: u.range)         # write: max(v in Unit: v.range)
    """,
)
register(
    "GR0207",
    "unknown procedure, rule or table",
    """
    Something is called that no layer declares. It may be misspelt, or belong to a module that this title does
    not use. Correct the name, declare it, or add the module to `title.yaml`.

        do resolve_fier(a, t)               # resolve_fire
    """,
)
register(
    "GR0208",
    "name cannot be used here",
    """
    The name exists but is of the wrong sort for this place: a type where a value is wanted, a table without its
    arguments, `base` outside an exception. The message says what it is and what would fit.

        let x = Unit                        # a type; write count(u in Unit) or choose x: Unit
    """,
)
register(
    "GR0209",
    "ambiguous member",
    """
    Several enums or kinds have a member of this name, and nothing here says which is meant. Write the type
    before it. Where a type is expected, as beside `is` or in an assignment, the bare name is enough.

        let m = fire                        # write: let m = Order.fire
    """,
)
register(
    "GR0210",
    "never used",
    """
    Something is declared and never used. That is harmless to the game, but often a sign of a misspelling
    elsewhere, or of a rule that was written and not connected. Use it or delete it.

        let range = distance(a.at, t.at)    # and `range` does not occur again
    """,
)

register(
    "GR0211",
    "evaluation of something else than a side",
    """
    `evaluation` tells players that are programs how well a side stands, in one number: the more, the better. It
    is asked for every side in turn, so it takes a side and nothing else.

        evaluation(u: Unit)                 # write: evaluation(p: Side)
          = u.vp
    """,
)
