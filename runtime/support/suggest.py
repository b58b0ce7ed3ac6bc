"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# A word longer than this is no typing slip; the cap also bounds the quadratic distance.
_LONGEST_WORD = 64
#: So many members can all be told.
FEW = 8


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` most likely stands for, or None when nothing is near.

    Spelling that differs only in case, underscores, hyphens or spaces always matches. Otherwise the nearest
    candidate by Damerau-Levenshtein distance wins, if it needs at most one slip per three letters (never more
    than three). Ties go to the same first letter, then to the alphabet, so that the answer never depends on
    the order of the candidates.
    """
    folded = _fold(word)
    known = sorted(set(candidates) - {word})
    for candidate in known:
        if folded and _fold(candidate) == folded:
            return candidate
    if not folded or len(folded) > _LONGEST_WORD:
        return None

    best: tuple[int, bool, str] | None = None
    for candidate in known:
        other = _fold(candidate)
        if not other or len(other) > _LONGEST_WORD:
            continue
        limit = _allowance(max(len(folded), len(other)))
        if best is not None:
            limit = min(limit, best[0])
        distance = _distance(folded, other, limit)
        if distance is None or distance >= max(len(folded), len(other)):
            continue
        rank = (distance, other[0] != folded[0], candidate)
        if best is None or rank < best:
            best = rank
    return None if best is None else best[2]


def hint_for(word: str, candidates: Iterable[str]) -> str | None:
    """The guess as a hint for a diagnostic: ``did you mean `woods`?``."""
    return as_hint(did_you_mean(word, candidates))


def hint_or_all(word: str, candidates: Sequence[str]) -> str | None:
    """The guess; without one all that there is, where that is little."""
    guess = hint_for(word, candidates)
    return guess or (f"there are {', '.join(candidates)}" if 1 < len(candidates) <= FEW else None)


def as_hint(guess: str | None) -> str | None:
    return None if guess is None else f"did you mean `{guess}`?"


def _fold(word: str) -> str:
    return "".join(c for c in word.casefold() if c not in " _-")


def _allowance(length: int) -> int:
    return min(3, max(1, length // 3))


def _distance(a: str, b: str, limit: int) -> int | None:
    """Insertions, deletions, replacements and swaps of neighbours from `a` to `b`; None if above `limit`."""
    if abs(len(a) - len(b)) > limit:
        return None
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        # A swap looks two rows back, so both rows must be beyond the limit before giving up.
        if min(row) > limit and min(above) > limit:
            return None
        before, above = above, row
    return above[-1] if above[-1] <= limit else None
