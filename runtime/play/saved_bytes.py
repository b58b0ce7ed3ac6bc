"""Positions as bytes: their form, and whether bytes from outside can be a position."""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any

from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_JOURNAL,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.layout import JOURNAL_ENTRY
from grognard.errors import PositionError

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: At the start of the bytes of a position: what they are and in which form.
MAGIC = b"GROGPOS1"
#: Bytes of a fingerprint.
FINGERPRINT = 16


def portable(cells: bytes | bytearray) -> bytes:
    """Cells in little-endian order, whatever this machine has."""
    if sys.byteorder == "little":
        return bytes(cells)
    swapped = array("i", bytes(cells))
    swapped.byteswap()
    return swapped.tobytes()


def check_head(setting: Setting, cells: bytearray) -> None:
    """PositionError unless a seat is asked or the game is over, and stack and journal lie within their bounds."""
    program, layout = setting.program, setting.scenario.layout
    seats = range(layout.base[program.seats], layout.base[program.seats] + layout.count[program.seats])
    with memoryview(cells) as raw, raw.cast("i") as c:
        asked = c[H_STATUS] == STATUS_DECISION
        entries = c[H_JOURNAL]
        good = (
            (asked or c[H_STATUS] == STATUS_OVER)
            and (0 <= c[H_ASK] < len(program.asks) if asked else c[H_ASK] == NONE)
            and (c[H_CHOOSER] in seats or (c[H_CHOOSER] == NONE and not asked))
            and 0 <= c[H_SP] <= layout.stack_cells
            and (0 <= c[H_FP] < c[H_SP] if asked else c[H_FP] == NONE)
            and 0 <= entries <= layout.journal_entries
            and (c[H_BRANCH] == NONE or 0 <= c[H_BRANCH] <= entries)
            # What a branch wrote is taken back from where the journal says.
            and all(
                c[layout.journal_offset + entry * JOURNAL_ENTRY] < layout.journal_offset
                for entry in range(max(entries, 0))
            )
            and (not asked or _check_stack(setting, c))
        )
    if not good:
        raise PositionError("the position is damaged: its head makes no sense")


def _check_stack(setting: Setting, c: Any) -> bool:
    """Whether every frame is one of a machine that there is, called by the one below it."""
    program, layout = setting.program, setting.scenario.layout
    top, place = c[H_SP], c[H_FP]
    while place != NONE:
        machine, block, caller, local = c[layout.stack_offset + place : layout.stack_offset + place + 4]
        if not (0 <= machine < len(layout.frames) and place + layout.frames[machine].size <= top):
            return False
        # Compiled code sees for itself that there is no such block; to look takes all of the program's code.
        if setting.engine.module is None and not 0 <= block < len(program.machines[machine].blocks):
            return False
        if caller != NONE:
            if not 0 <= caller < place:
                return False
            below = c[layout.stack_offset + caller]
            if not 0 <= below < len(layout.frames):
                return False
            if local != NONE and not 0 <= local < len(layout.frames[below].offsets):
                return False
        top, place = place, caller
    return True
