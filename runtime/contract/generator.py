"""The dice: generator "pcg32/1", its state in two cells of the position.

The generator is the PCG XSH RR 64/32 with a fixed stream.  Its name and version are part of every recorded
game: any change to this file that changes a single number needs a new name.
"""

from __future__ import annotations

from typing import Final

RNG_NAME: Final = "pcg32/1"
MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
_MASK64: Final = 0xFFFF_FFFF_FFFF_FFFF
_MASK32: Final = 0xFFFF_FFFF


def step(state: int) -> int:
    """The state after this one."""
    return (state * MULTIPLIER + INCREMENT) & _MASK64


def output(state: int) -> int:
    """The 32-bit number that a draw from this state gives (the state itself moves on by `step`)."""
    shifted = (((state >> 18) ^ state) >> 27) & _MASK32
    turn = state >> 59
    return ((shifted >> turn) | (shifted << (-turn & 31))) & _MASK32


def signed(word: int) -> int:
    """An unsigned 32-bit word as a cell holds it."""
    return word - 0x1_0000_0000 if word & 0x8000_0000 else word


def split(state: int) -> tuple[int, int]:
    """A state as the two cells H_RNG_LO, H_RNG_HI."""
    return signed(state & _MASK32), signed(state >> 32)


def joined(lo: int, hi: int) -> int:
    """The state that two cells hold."""
    return (lo & _MASK32) | ((hi & _MASK32) << 32)


def seeded(seed: int) -> tuple[int, int]:
    """The two cells of a generator seeded with a 64-bit number."""
    return split(step((step(0) + seed) & _MASK64))


def draw(state: int, n: int) -> tuple[int, int]:
    """A number 0 .. n - 1, every one equally likely, and the state after it (Lemire's method)."""
    product = output(state) * n
    state = step(state)
    low = product & _MASK32
    if low < n:
        # Only here can the number be one of the few that would make some results likelier than others.
        threshold = (0x1_0000_0000 - n) % n
        while low < threshold:
            product = output(state) * n
            state = step(state)
            low = product & _MASK32
    return product >> 32, state
