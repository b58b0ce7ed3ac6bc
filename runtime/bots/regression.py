"""Logistic regression by iteratively reweighted least squares, small enough to need no library."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Rounds of Newton's method; it converges in a handful.
ROUNDS = 25
CLOSE = 1e-7


def probability(score: float) -> float:
    return 1 / (1 + math.exp(-max(-35.0, min(35.0, score))))


def loss(rows: Sequence[Sequence[float]], results: Sequence[float], weights: Sequence[float]) -> float:
    """The mean cross-entropy of the results, 0.693 for a coin."""
    total = 0.0
    for row, result in zip(rows, results, strict=True):
        p = min(max(probability(sum(map(float.__mul__, row, weights))), 1e-12), 1 - 1e-12)
        total -= result * math.log(p) + (1 - result) * math.log(1 - p)
    return total / max(len(results), 1)


def fit(
    rows: Sequence[Sequence[float]],
    results: Sequence[float],
    start: Sequence[float],
    stiffness: Sequence[float],
) -> list[float]:
    """The weights with the least loss; `stiffness` holds each to where it starts, as a quadratic penalty."""
    size = len(start)
    weights = list(start)
    number = max(len(results), 1)
    for _ in range(ROUNDS):
        gradient = [s * (w - b) for s, w, b in zip(stiffness, weights, start, strict=True)]
        curvature = [[stiffness[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
        for row, result in zip(rows, results, strict=True):
            p = probability(sum(map(float.__mul__, row, weights)))
            error, slope = (p - result) / number, p * (1 - p) / number
            for i, x in enumerate(row):
                if x:
                    gradient[i] += error * x
                    line, scaled = curvature[i], slope * x
                    for j in range(i, size):
                        line[j] += scaled * row[j]
        for i in range(size):
            for j in range(i):
                curvature[i][j] = curvature[j][i]
        step = solve(curvature, gradient)
        weights = [w - s for w, s in zip(weights, step, strict=True)]
        if max(map(abs, step), default=0.0) < CLOSE:
            break
    return weights


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """A system of linear equations, by elimination with pivots; what the rows say nothing about is 0."""
    size = len(right)
    lines = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda n: abs(lines[n][column]))
        lines[column], lines[pivot] = lines[pivot], lines[column]
        head = lines[column][column]
        if abs(head) < 1e-14:
            continue
        for n in range(column + 1, size):
            share = lines[n][column] / head
            if share:
                lines[n] = [a - share * b for a, b in zip(lines[n], lines[column], strict=True)]
    found = [0.0] * size
    for column in reversed(range(size)):
        head = lines[column][column]
        rest = lines[column][size] - sum(lines[column][n] * found[n] for n in range(column + 1, size))
        found[column] = rest / head if abs(head) >= 1e-14 else 0.0
    return found
