"""The codes of family 09: examples of play."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
    "GR0901",
    "example fails",
    """
    An example of play ends differently from what it expects. The message shows the expected and the actual
    values, and the steps with their sections. Either a rule is wrong, or the example was copied wrongly, or an
    erratum changed the result and must restate the example.

        expect av(a, t) is 12               # it is 11: firepower [7.1] gave 2
    """,
)
register(
    "GR0902",
    "example cannot start",
    """
    The set-up of an example does not work: a piece, place or side does not exist, or the position breaks the
    rules. Nothing was played. Mend the set-up.

        board open 200x300                  # at most 100x100
    """,
)
register(
    "GR0903",
    "dice left over",
    """
    The example gives more dice than were rolled. Something that should have been rolled did not happen, or a die
    is written twice. Compare the log with the text of the rulebook.

        dice 4 5 6                          # only two were rolled
    """,
)
register(
    "GR0904",
    "dice missing",
    """
    The example rolls more dice than it gives. Examples must not depend on chance, so every die has to be
    written. Add the missing ones, or find out why more is rolled than the rulebook says.

        dice 4                              # 2d6 need two
    """,
)
register(
    "GR0905",
    "choice not offered",
    """
    The example picks something that the engine does not offer at that point. The message lists what was offered,
    and the reason if a condition excluded it. Either the rules are too strict, or an earlier step went another
    way than in the rulebook.

        answers shoot, B, A                 # A is not in range of B
    """,
)
register(
    "GR0906",
    "expectation is not a condition",
    """
    After `expect` stands something that is not yes or no. Compare a value with what it should be.

        expect A.hits                       # write: expect A.hits is 1
    """,
)

register(
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

# What titles tell players that are programs.

register(
    "GR0940",
    "plausible of something else than a counter",
    """
    `plausible` tells players that are programs where a counter that they cannot see may be. It is asked for
    hidden counters put somewhere, so it takes a counter and answers yes or no.

        rule plausible(h: Hex) -> flag = h.cover        # write: plausible(u: Unit) ... u.at.cover
    """,
)
register(
    "GR0941",
    "balance does not add up",
    """
    `balance` in a scenario records how games between equal players ended: wins of each side, and draws. Together
    they must be as many as the games.

        balance: {bot: greedy, games: 60, seed: 1, red: 31, blue: 25}       # and `drawn: 4`
    """,
)
