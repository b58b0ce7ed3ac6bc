"""What is known of a piece of syntax alone, worked out once for each piece.

Whole-program analyses ask every declaration the same questions: what does it call, which phases does it name?  The answers
depend on the tree and on nothing else, so they are kept with the tree for as long as it is in use: a declaration that did not
change is not walked again when another one did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_Known = tuple[Any, dict[Callable[[Any], Any], Any]]


class Facts:
    """Answers about trees, by the identity of the tree.  What nobody asked for since the last `rotate` but one is dropped."""

    def __init__(self) -> None:
        self._new: dict[int, _Known] = {}
        self._old: dict[int, _Known] = {}

    def of(self, ask: Callable[[Any], T], tree: Any) -> T:
        """The answer of a function of this tree alone."""
        place = id(tree)
        known = self._new.get(place)
        if known is None:
            known = self._old.get(place)
            if known is None or known[0] is not tree:
                # The tree is kept with its answers, so that no other gets its identity.
                known = (tree, {})
            self._new[place] = known
        answers = known[1]
        if ask not in answers:
            answers[ask] = ask(tree)
        found: T = answers[ask]
        return found

    def rotate(self) -> None:
        """Begin a new round: what the round before did not ask for is dropped at the end of this one."""
        self._old, self._new = self._new, {}

    def __reduce__(self) -> tuple[type[Facts], tuple[()]]:
        # What is known is worked out again sooner than it is written down.
        return Facts, ()
