"""Who can take which slot: maximum matching between left elements and right elements with room.

Each left element needs one slot; right element j has room[j] of them.  Row i is an integer whose
bit j says that left element i may use right element j.

Left elements are served in index order, and each search tries the right elements in index order, so
that the same question always gives the same assignment.
"""

from __future__ import annotations

from collections.abc import Sequence

from .common import NONE


def match(rows: Sequence[int], room: Sequence[int]) -> tuple[int, list[int]]:
    """How many left elements can be placed at most, and where each one goes (NONE: nowhere)."""
    assigned = [NONE] * len(rows)
    used = [0] * len(room)
    size = 0
    for root in range(len(rows)):
        slot, reached_by = _free_slot(rows, room, used, assigned, root)
        if slot == NONE:
            continue
        size += 1
        used[slot] += 1
        # Every left element on the way moves on to the slot it found and leaves its own to the one before.
        while slot != NONE:
            left = reached_by[slot]
            assigned[left], slot = slot, assigned[left]
    return size, assigned


def _free_slot(
    rows: Sequence[int], room: Sequence[int], used: Sequence[int], assigned: Sequence[int], root: int
) -> tuple[int, list[int]]:
    """The right element where a slot comes free for root, and which left element reached each right one."""
    reached_by = [NONE] * len(room)
    queue = [root]
    for left in queue:
        for right in range(len(room)):
            if not rows[left] >> right & 1 or room[right] <= 0 or reached_by[right] != NONE:
                continue
            reached_by[right] = left
            if used[right] < room[right]:
                return right, reached_by
            # Full: those who hold its slots may be able to go elsewhere.
            queue += [holder for holder in range(root) if assigned[holder] == right]
    return NONE, reached_by


def matchable(rows: Sequence[int], need: Sequence[int]) -> bool:
    """Whether distinct left elements can cover need[j] slots of every right element j."""
    wanted = sum(max(0, count) for count in need)
    return wanted <= len(rows) and match(rows, need)[0] == wanted


def bit_words(rows: Sequence[int], right_count: int) -> list[int]:
    """The rows as the uint32 words that the C kernel reads, row after row, lowest bits first."""
    words = (right_count + 31) // 32
    return [row >> (32 * word) & 0xFFFFFFFF for row in rows for word in range(words)]
