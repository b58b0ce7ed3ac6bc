"""Numbers that every part agrees on: the empty value, special answers, the head of a position.

A position is one flat block of signed 32-bit cells.  The first `HEADER` cells mean the same in every title.
"""

from __future__ import annotations

from typing import Final

#: The value of an empty optional (`none`), of every type.
NONE: Final = -0x8000_0000
#: The answer "I am done" / "I pass" to a decision that allows it; no number that a rule chooses among.
DONE: Final = -0x7FFF_FFFF

#: Cells at the head of every position.
H_STATUS: Final = 0  # one of the STATUS_ values
H_CHOOSER: Final = 1  # seat (side or power) that decides now, NONE if none does
H_PLY: Final = 2  # actions completed so far
H_OUTCOME: Final = 3  # winner's seat or side, NONE for a draw or an unfinished game
H_RNG_LO: Final = 4  # state of the generator, low and high half
H_RNG_HI: Final = 5
H_SP: Final = 6  # cells used on the stack
H_FP: Final = 7  # stack offset of the running frame
H_ASK: Final = 8  # id of the pending Ask, NONE if none
H_JOURNAL: Final = 9  # entries in the journal of a simultaneous block
H_BRANCH: Final = 10  # journal position where the running branch began, NONE outside such a block
H_EPOCH: Final = 11  # counts decisions taken, for views and undo
HEADER: Final = 16

STATUS_RUNNING: Final = 0
STATUS_DECISION: Final = 1
STATUS_OVER: Final = 2

#: Cells at the head of every frame on the stack: machine, block to continue at, the caller's frame,
#: the caller's local that takes the result (or NONE).
FRAME_HEADER: Final = 4

#: Kinds of failure a running rule can meet; the engine turns them into RuleError with the site's place.
FAIL_NONE: Final = 0
FAIL_RANGE: Final = 1  # a value outside the declared range of what it is written to
FAIL_INDEX: Final = 2  # an index outside its domain, or none where a value is needed
FAIL_TABLE: Final = 3  # a table has no such row or column
FAIL_BUDGET: Final = 4  # too many steps: a runaway rule
FAIL_EMPTY: Final = 5  # a mandatory choice with nothing to choose
FAIL_REQUIRE: Final = 6  # a `require` in a running procedure does not hold
FAIL_STACK: Final = 7  # the stack of the sequence of play is full
FAIL_POOL: Final = 8  # no free counter left to create
FAIL_DIVIDE: Final = 9  # division by zero
FAIL_CONFLICT: Final = 10  # two simultaneous branches wrote different values
FAIL_JOURNAL: Final = 11  # the journal is full
FAIL_UNIQUE: Final = 12  # `the(...)` found none or several
FAIL_DICE: Final = 13  # a scripted die is missing or not a face of this die
FAIL_LIST: Final = 14  # a list or pool is full
FAIL_OVERFLOW: Final = 15  # arithmetic left 32 bits
