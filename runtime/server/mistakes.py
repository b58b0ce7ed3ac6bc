"""What a client did wrong, in words: a status of 4xx, a code for programs, a sentence and a hint for people."""

from __future__ import annotations

from typing import Any


class Mistake(Exception):
    """Refuses a request; nothing has been changed."""

    def __init__(self, status: int, code: str, message: str, hint: str | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.more = more

    def body(self) -> dict[str, Any]:
        made: dict[str, Any] = {"error": self.code, "message": self.message}
        if self.hint:
            made["hint"] = self.hint
        return {**made, **self.more}


def missing(what: str, hint: str | None = None) -> Mistake:
    return Mistake(404, "missing", what, hint)


def refused(what: str, hint: str | None = None) -> Mistake:
    return Mistake(403, "refused", what, hint)


def malformed(what: str, hint: str | None = None) -> Mistake:
    return Mistake(400, "malformed", what, hint)


def conflict(what: str, hint: str | None = None, code: str = "conflict") -> Mistake:
    return Mistake(409, code, what, hint)
