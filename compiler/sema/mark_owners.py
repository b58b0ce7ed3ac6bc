"""What marks belong to, and whose marks are asked for: `mark turn_end of p`, `held(t) ever since turn_end of p`."""

from __future__ import annotations

from grognard.compiler.sema.types import Dom, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink


class MarkOwners:
    def __init__(self) -> None:
        self._owners: dict[str, Type] = {}
        self._claims: dict[tuple[syn.EverSince, int], tuple[syn.EverSince, Dom]] = {}

    def owner(self, mark: str, type_: Type) -> Type:
        """What a mark belongs to; the first that it is made for says it."""
        return self._owners.setdefault(mark, type_)

    def claim(self, wish: syn.EverSince, of: Dom) -> None:
        """Something has held since the mark of such a one."""
        self._claims.setdefault((wish, of.id), (wish, of))

    def check(self, sink: Sink) -> None:
        """What held ever since a mark of somebody: the mark must be of such a one."""
        for wish, of in self._claims.values():
            owner = self._owners.get(wish.mark)
            if owner is None:
                problem = f"`{wish.mark}` belongs to nobody: it is marked without `of`"
                hint = f"leave `of` away here, or write `mark {wish.mark} of ...` with a {of.name}"
            elif owner.dom is not of:
                problem = f"`{wish.mark}` is marked for a {owner}, not for a {of.name}"
                hint = f"mark {wish.mark} of ..., where the {of.name} is known"
            else:
                continue
            sink.error("GR0301", wish.span, problem, hint=hint)
