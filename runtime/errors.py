"""Everything that can go wrong, in words: one exception for each kind of trouble, all of them GrognardError."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from grognard.contract.header import (
    DONE,
    FAIL_BUDGET,
    FAIL_CONFLICT,
    FAIL_DICE,
    FAIL_DIVIDE,
    FAIL_EMPTY,
    FAIL_INDEX,
    FAIL_JOURNAL,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_POOL,
    FAIL_RANGE,
    FAIL_REQUIRE,
    FAIL_STACK,
    FAIL_TABLE,
    FAIL_UNIQUE,
    NONE,
)

if TYPE_CHECKING:
    from grognard.contract import ir
    from grognard.contract.backend import RuleFailure
    from grognard.contract.questions import Choice
    from grognard.support.diagnostics import Diagnostic
    from grognard.support.source import SourceFile

#: More legal choices than this are not listed in a message.
LISTED = 20


class GrognardError(Exception):
    """Whatever this package raises on purpose."""


class UnknownTitle(GrognardError):
    """There is no such title."""

    def __init__(self, name: str, hint: str | None, known: Sequence[str]) -> None:
        self.name = name
        self.known = list(known)
        offered = f"; the shipped titles are {', '.join(known)}" if known and hint is None else ""
        super().__init__(f"there is no title `{name}`" + (f": {hint}" if hint else offered))


class BrokenTitle(GrognardError):
    """A title that was built elsewhere cannot be used as it is."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"{name} cannot be loaded: {why}")


class CannotImport(GrognardError):
    """A file of another program that no title can be made of; `line` is 0 where it is about the whole file."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class UnknownScenario(GrognardError):
    """The title has no such scenario."""

    def __init__(self, name: str, title: str, hint: str | None, known: Sequence[str]) -> None:
        self.name = name
        self.known = list(known)
        listed = hint or (f"it has {', '.join(known)}" if known else "it has none")
        super().__init__(f"{title} has no scenario `{name}`: {listed}")


class UnknownName(GrognardError, KeyError):
    """A field, piece, place, side or rule that the title does not have."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message + (f": {hint}" if hint else ""))

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a sentence is meant to be read.
        return str(self.args[0])


class RulesetError(GrognardError):
    """A title with mistakes.  `diagnostics` holds them as values; `str()` is the text an author reads."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> None:
        super().__init__(len(diagnostics))
        self.diagnostics = list(diagnostics)
        self.sources = dict(sources)

    def format(self, color: bool = False) -> str:
        """The diagnostics with excerpts, as `grognard check` prints them."""
        from grognard.support.diagnostics import format_text

        return format_text(self.diagnostics, self.sources, color)

    def __str__(self) -> str:
        return self.format()


class BackendUnavailable(GrognardError):
    """The compiled back end was asked for and cannot be had here; the message says why."""


class CompilerMissing(GrognardError):
    """Something was asked that needs the compiler, and it is not installed here, or a package that it needs is not."""

    def __init__(self, module: str) -> None:
        #: what could not be imported
        self.module = module
        super().__init__(
            f"this needs the compiler, and {module} is not installed: pip install "
            f"'grognard[{'import' if module == 'defusedxml' else 'compiler'}]'"
        )


class PositionError(GrognardError):
    """Bytes that are no position of this engine."""


class SaveError(GrognardError):
    """A saved game that cannot be read.  The message says what is wrong and what to do."""


class NothingToUndo(GrognardError):
    """Undo at the start of a game, or redo at its end."""


class IllegalChoice(GrognardError, ValueError):
    """A choice that is not offered.  `legal` holds what is."""

    def __init__(self, asked: object, legal: Sequence[Choice], why: str = "") -> None:
        self.asked = asked
        self.legal = list(legal)
        if why:
            super().__init__(why)
            return
        from grognard.support.suggest import did_you_mean

        names = [choice.name for choice in legal]
        guess = did_you_mean(asked, names) if isinstance(asked, str) else None
        shown = f"`{asked}`" if isinstance(asked, str) else repr(asked)
        hint = f"; did you mean `{guess}`?" if guess else ""
        listed = ", ".join(names[:LISTED]) + (
            f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        )
        super().__init__(f"{shown} is not offered{hint}\nlegal: {listed}")


class EditError(GrognardError):
    """A change of a position by hand that cannot be made; `hint` may say what can."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class RuleError(GrognardError):
    """A rule that cannot go on: a mistake in the ruleset, not in the program that runs it.

    The position is as it was before.  `kind` is one of the FAIL_ values, `rule` the declaration it happened in,
    `cites` its sections, `file` and `line` the place in the ruleset."""

    def __init__(
        self, message: str, kind: int, rule: str, cites: tuple[str, ...], file: str, line: int
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.rule = rule
        self.cites = cites
        self.file = file
        self.line = line


def rule_error(
    failure: RuleFailure, program: ir.Program, field_element: Callable[[int, int], str] | None = None
) -> RuleError:
    """A failure of a back end as an error for people.  `field_element` names an element of a state field."""
    from grognard.contract import ir

    # Calls from outside may fail at no place at all, and data may be loaded into a shorter program than it names.
    known = 0 <= failure.site < len(program.sites)
    site = program.sites[failure.site] if known else ir.Site(-1, "nowhere", "", "", 0, 0)
    words = _in_words(failure, site, program, field_element)
    rule = declared(site.owner or (site.text if site.kind in ("enter", "exception", "movement") else ""))
    where = f"in {rule}: " if rule else ""
    cited = f" [{', '.join(site.cites)}]" if site.cites else ""
    place = f" ({site.file}:{site.line})" if site.file else ""
    return RuleError(f"{where}{words}{cited}{place}", failure.kind, rule, site.cites, site.file, site.line)


def declared(name: str) -> str:
    """The name of a rule as its author knows it: handlers of one event are numbered by the compiler, not by the author."""
    return re.sub(r"^(on .+) \d+\b", r"\1", name)


def _number(value: int) -> str:
    return "none" if value == NONE else "done" if value == DONE else str(value)


def _in_words(
    failure: RuleFailure,
    site: ir.Site,
    program: ir.Program,
    field_element: Callable[[int, int], str] | None,
) -> str:
    detail = failure.detail
    first = _number(detail[0]) if detail else ""
    spoken = site.text if site.kind == "fail" else ""
    # In the log the text of a write is filled with the value.
    name = re.sub(r"\s*\{\d+\}", "", site.text)
    what = f" `{name}`" if name and site.kind in ("read", "write") else ""
    match failure.kind:
        case k if k == FAIL_RANGE:
            if spoken:
                return spoken + (f" (it is {first})" if first else "")
            if first == "none":
                return f"none was written to{what or ' something'} that must have a value"
            return f"{first or 'a value'} is outside the declared range of{what or ' what it is written to'}"
        case k if k == FAIL_INDEX:
            if first in ("", "none"):
                return f"a value is needed and there is none{f', reading{what}' if what else ''}"
            return f"{first} is not a member of what it is used for{f', reading{what}' if what else ''}"
        case k if k == FAIL_TABLE:
            table = site.text.partition("(")[0] or "the table"
            return f"{table} has no cell for ({', '.join(map(_number, detail))})"
        case k if k == FAIL_BUDGET:
            return "too many steps: this never ends, or calls itself without end"
        case k if k == FAIL_EMPTY:
            return spoken or "there is nothing to choose from, and a choice must be made"
        case k if k == FAIL_REQUIRE:
            return f"not allowed: {spoken}" if spoken else "a requirement does not hold"
        case k if k == FAIL_STACK:
            return "too many procedures are waiting for each other"
        case k if k == FAIL_POOL:
            return f"no counter is left to create{f' a {site.text}' if site.text.startswith('new ') else ''}"
        case k if k == FAIL_DIVIDE:
            return f"{first or 'a number'} is divided by zero"
        case k if k == FAIL_CONFLICT:
            if len(detail) == 2 and 0 <= detail[0] < len(program.fields):
                name = program.fields[detail[0]].name
                shown = (
                    field_element(detail[0], detail[1]) if field_element else f"{name} number {detail[1] + 1}"
                )
                return f"two things that happen at the same time leave different values in {shown}"
            return "two things that happen at the same time write different values"
        case k if k == FAIL_JOURNAL:
            return "too much is written in one simultaneous or secret block"
        case k if k == FAIL_UNIQUE:
            return "`the(...)` must find exactly one and found none or several"
        case k if k == FAIL_DICE:
            return "the dice that were given do not fit: one is missing or shows no face of this die"
        case k if k == FAIL_LIST:
            return f"{first or 'something'} does not fit: the list or pool is full"
        case k if k == FAIL_OVERFLOW:
            return f"the result of the arithmetic is too large ({', '.join(map(_number, detail))})"
    return spoken or f"the rule failed (kind {failure.kind})"
