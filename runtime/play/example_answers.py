"""Answers as examples of play give them, by name or label and by number, and what is said of those that fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grognard.contract.examples import Answer
from grognard.contract.header import DONE, NONE
from grognard.support.diagnostics import Diagnostic, Label, Severity
from grognard.support.source import Span


@dataclass(slots=True)
class CountsGiven:
    """An answer by number that is being given: what is left of it, the site of its end, and how many have ended there."""

    answer: Answer
    parts: list[tuple[int | None, str]]
    told: tuple[int, int]


def match_answer(text: str, offered: dict[int, tuple[str, str]]) -> int | None:
    """The offered value that a text means: its name, else its label, capitals aside; `done` and `none`."""
    folded = text.strip().casefold()
    for part in (0, 1):
        for value, shown in offered.items():
            if shown[part].casefold() == folded:
                return value
    if folded in ("done", "none", "pass"):
        return next((value for value in offered if value in (DONE, NONE)), None)
    return None


def failure_at(
    code: str,
    span: Span | None,
    message: str,
    *,
    hint: str | None = None,
    notes: Sequence[str] = (),
    labels: Sequence[Label] = (),
) -> Diagnostic:
    return Diagnostic(code, Severity.error, message, span, tuple(labels), hint, tuple(notes))
