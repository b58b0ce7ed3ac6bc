"""What is not worth a second message: what follows from something that was reported, or that could not be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grognard.support.diagnostics import Diagnostic
    from grognard.support.source import Span

#: What a message quotes.
QUOTED = re.compile(r'`([^`]*)`|"([^"]*)"')


class Withheld:
    """What a sink withholds."""

    def __init__(self) -> None:
        #: names whose declaration could not be read: that they are unknown is not worth a second message
        self.muted: set[str] = set()
        #: values that are wrong in themselves: that they do not fit where they stand is not worth a second message
        self.spoilt: set[Span] = set()
        #: declarations with a syntax error (file, first and last line): what else is said of them may only come from that
        self.unread: list[tuple[str, int, int]] = []

    def withholds(self, diagnostic: Diagnostic) -> bool:
        span = diagnostic.span
        if span in self.spoilt:
            return True
        if not (self.muted or self.unread) or diagnostic.code.startswith(("GR00", "GR01")):
            return False
        if any(name in self.muted for name, _text in QUOTED.findall(diagnostic.message)):
            return True
        return span is not None and any(
            file == span.file and first <= span.line <= last for file, first, last in self.unread
        )
