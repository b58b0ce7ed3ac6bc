"""Stamps of files: whether a file is the one that was read before, without reading it again.

The time of the last change of the inode cannot be set by hand, so a file with the same stamp has the same content, unless it was
written again within the clock tick of its times.  So a stamp counts only if the file had been at rest for a while when it was
read.
"""

from __future__ import annotations

import os
import time

#: Nanoseconds that a file must have been at rest: more than a tick of any file system's clock (FAT: 2 seconds).
AT_REST = 2_500_000_000

#: Size, times of last change, inode.
Stamp = tuple[int, int, int, int]


def stamp_from(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def stamp_of(path: str) -> Stamp | None:
    """The stamp of a file; None if it is not there."""
    try:
        return stamp_from(os.stat(path))
    except OSError:
        return None


def at_rest(stamp: Stamp) -> bool:
    """Whether a file was left alone for so long that whatever changes it next changes its stamp."""
    return max(stamp[1], stamp[2]) + AT_REST < time.time_ns()
