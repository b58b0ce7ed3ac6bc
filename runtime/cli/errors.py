"""Mistakes of the user: one sentence, a hint, an exit status; never a traceback."""

from __future__ import annotations

#: Exit statuses of every command.
OK = 0
FAILED = 1  # the work was done and the answer is no: an example fails, a game differs
MISUSE = 2  # the work could not be done: a bad argument, an unreadable file, rules with errors
INTERNAL = 3  # a fault of Grognard itself
BROKEN_PIPE = 141  # as the shell counts a program that ends by SIGPIPE
INTERRUPTED = 130


class UserError(Exception):
    """Something the user can mend."""

    def __init__(self, message: str, hint: str | None = None, status: int = MISUSE) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status


def quoted(text: str, limit: int = 80) -> str:
    """A word that came from outside, safe to show: nothing in it moves the cursor, and it has an end."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return f"`{shown if len(shown) <= limit else shown[: limit - 3] + '...'}`"


def listed(names: list[str], limit: int = 12) -> str:
    """`a`, `b` and `c`; long lists are cut."""
    shown = [quoted(name) for name in names[:limit]]
    if len(names) > limit:
        return ", ".join(shown) + f" and {len(names) - limit} more"
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]
