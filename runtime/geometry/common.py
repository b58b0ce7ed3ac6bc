"""What every geometry module shares: the mark for "nothing there" and the error raised on bad input."""

from __future__ import annotations

from typing import Final

NONE: Final = -(2**31)
"""No hex, no direction, no cost.  The least int32, so that compiled code can use the same mark."""


class GeometryError(ValueError):
    """A map, board, numbering or query argument that makes no sense; the message says why."""
