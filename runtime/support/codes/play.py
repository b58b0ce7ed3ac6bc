"""The codes of family 07: procedures, choices, sequences."""

from __future__ import annotations

from grognard.support.codes.codebook import register

register(
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
register(
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
register(
    "GR0703",
    "choice may be empty",
    """
    In the middle of a procedure a choice may find no candidates, and the game would be stuck. In the declaration
    part of an action this is fine, because then the action is not offered. Elsewhere add `else`, use `may
    choose`, or check before that there is one.

        choose u: Unit where mine(u) and u.spent, else stop
    """,
)
register(
    "GR0704",
    "choose not allowed here",
    """
    Nobody can be asked at this place: in the `then` of an `assign`, or while something is only tried out. Choose
    before it, and hand the choice over as an argument.

        assign h in Hits to u in Unit where fits(h, u) then do pick(u)      # and pick asks
    """,
)
register(
    "GR0705",
    "no one to ask",
    """
    It is not clear which side makes this choice: no side is active here, and no `by` says who. Name the side.

        choose first: Side by top           # top: the winner of the roll
    """,
)
register(
    "GR0706",
    "unreachable statement",
    """
    A statement comes after one that always leaves the procedure, so it is never carried out. Move it up, or put
    a condition around what leaves.

        stop
        do destroy(t)
    """,
)
register(
    "GR0707",
    "action cannot be begun",
    """
    The conditions of an action, or the candidates of its first choice, can never be met, so that it is never
    offered. Usually two conditions contradict each other, or a misspelt member is compared.

        choose u: Unit where mine(u) and enemy(u)
    """,
)
register(
    "GR0708",
    "event never emitted",
    """
    A handler waits for an event that no procedure emits, so it never runs. Perhaps the name is misspelt, or the
    `emit` was forgotten where the thing happens. The other way round, an event is emitted that has handlers of
    rolls only (`on rolled`): they wait for a roll for it, and nothing happens.

        on fired(a, t) ...                  # and nowhere: emit fired(a, t)
    """,
)
register(
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
register(
    "GR0710",
    "procedure in an expression",
    """
    Procedures change the state and may ask, so they are called on a line of their own with `do`, never inside an
    expression. A result is named with `->`. For something that is only computed, use a rule.

        let r = fire(a, t)                  # write: do fire(a, t) -> r
    """,
)
register(
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
register(
    "GR0712",
    "secret read in a public place",
    """
    Something hidden decides what everybody can see: a public choice, a log line, the offer of an action. An
    attentive opponent could conclude the secret from it. Reveal it first, ask `quietly`, or do not depend on it.

        secret hit: HitChit? to owner
        log "{u} has {u.hit}"               # reveal u.hit first
    """,
)
register(
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
register(
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
register(
    "GR0716",
    "a game that nobody can win",
    """
    A title with scenarios and a sequence of play, but without `victory` and without any `end game`: whatever
    happens, the game is drawn, and bots do not know what they play for. Where that is meant, say so: `= none
    otherwise` alone.

        victory [2.4]
          = german when german.vp > soviet.vp
          = none otherwise
    """,
)

register(
    "GR0717",
    "modifiers that leave their bounds",
    """
    The constants of a modifiers list add up to more, or to less, than the list may hold, and their conditions do
    not plainly exclude each other (`x is a` and `x is b`, `c` and `not c`, one `once` for both). Where they meet,
    the rule fails. Declare the result wider, or bound it.

        modifiers drm(u: Unit) -> -2..2 [9.6]
          +2 "road"   when u.on_road
          +1 "scouts" when u.scouts      # 3 together
          at most 2
    """,
)

register(
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
register(
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
