"""What the printers of a body have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grognard.compiler.cython.print.body import Body


class Printer:
    """One part of the work on a body: it writes to the body's lines, and asks the body's other printers for their parts."""

    def __init__(self, body: Body) -> None:
        self.body = body
