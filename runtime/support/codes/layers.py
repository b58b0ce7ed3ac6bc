"""The codes of family 05: layers, exceptions, errata."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0501",
    "nothing to except",
    """
    An `exception to` names a rule or procedure that no layer below defines. Exceptions change something that is
    there. Correct the name, or define the rule itself if this title is the first to have it.

        exception to defense when t.bogged  # defence
    """,
)
register(
    "GR0502",
    "two exceptions at once",
    """
    Two exceptions in one layer can apply to the same case, and nothing says which wins. Which one held would
    depend on the order of the files. Make their conditions exclude each other, or order them with `before` or
    `after`.

        exception road to cost when h.road [5.3] = 1
        exception to cost when rain after road [5.4] = base + 1
    """,
)
register(
    "GR0503",
    "erratum does not find the old value",
    """
    An erratum says what it replaces, and finds something else there. Perhaps it was applied already, belongs to
    another edition, or a misprint was corrected by hand. Compare both with the rulebook; the label shows what
    was found.

        amend table crt: (3, 2:1) 1 -> 2    # the cell holds 0
    """,
)
register(
    "GR0504",
    "nothing to amend",
    """
    An `amend`, `replace` or `drop` names something that the layers below do not have: a rule, a table, a cell or
    an entry. Correct the name, or check that the erratum is meant for this title.

        amend modifiers attack_drm: drop odd             # odds
    """,
)
register(
    "GR0505",
    "duplicate erratum",
    """
    Two errata have the same name, or two errata of the same date change the same thing. Errata are chosen by
    name and applied by date, so both must be clear. Rename one, or give the dates of publication.

        errata "living rules 1.1" 2009-03-01
        errata "living rules 1.1" 2009-06-01
    """,
)
register(
    "GR0507",
    "two of one name",
    """
    Two titles, or two series, that are found by their id have the same one, so that it is not clear which is
    meant. Ids are the `id` of title.yaml and series.yaml, else the names of the folders. Name a title by its
    folder, or give one of the two another `id`.

        grognard play mbt           # shipped, and a copy of it below $GROGNARD_PATH
    """,
)
register(
    "GR0508",
    "unknown layer",
    """
    A series, module or erratum is named that cannot be found. Names are those of the folders and of the `errata`
    declarations. Correct the spelling, or install what is missing.

        series: armor                       # armour
    """,
)
register(
    "GR0509",
    "signature differs from base",
    """
    A later layer restates a rule, table or procedure with other parameters or another result than the one it
    takes the place of. Everything that calls it relies on the first form. Keep names, order and types.

        rule defence(t: Unit, from: Hex) -> int         # in the series
        replace rule defence(t: Unit) -> int            # in the title
    """,
)
register(
    "GR0510",
    "unknown option",
    """
    An option is set or asked for that no layer declares, or is given a reading that it does not have. It would
    have no effect. Correct the name, or declare it with `option`.

        options: {cautious_move: on}        # cautious_movement
    """,
)
register(
    "GR0511",
    "cycle of before and after",
    """
    The `before` and `after` of several exceptions, handlers or modifiers contradict each other: each would have
    to come before the others. Take one of them out.

        exception a to cost when h.road after b = 1
        exception b to cost when rain after a = 2
    """,
)
register(
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
