"""What all statements have."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn


class Written:
    """What a statement is written as."""

    __slots__ = ()
    written: Any

    @property
    def origin(self) -> syn.Stmt:
        made: syn.Stmt = self.written
        return made
