"""Terms of a prefilter: sets of elements of a domain that can pass a filter, as far as they can be told at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.header import NONE

#: Calls inside each other that are looked into.
MOST_DEEP = 8
#: Parts of one hint.
MOST_PARTS = 12
#: Locals of rules that are looked into: nothing is known of them.
STRANGE = 1_000_000
#: Numbers that few sums make no trouble of, as in the kernel.
SMALL = 1 << 28


class Wanted(Enum):
    """What must be possible of an expression: anything but 0, 0, more than 0."""

    YES = "yes"
    NO = "no"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class Held:
    """Elements whose own cell holds a value, or another one."""

    cell: ir.Load | ir.Data
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class Somebody:
    """Values that somebody holds in a field."""

    field: int


@dataclass(frozen=True, slots=True)
class Beside:
    """Places beside one."""

    place: ir.Expr


@dataclass(frozen=True, slots=True)
class Fixed:
    """What depends on the data alone."""

    asked: ir.Expr


@dataclass(frozen=True, slots=True)
class Same:
    """Elements of which something that depends on the data alone has a value, or another one."""

    asked: ir.Expr
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Everybody or nobody, by something that is the same for all."""

    condition: ir.Expr


@dataclass(frozen=True, slots=True)
class Both:
    parts: tuple[Hint, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """No parts: nobody."""

    parts: tuple[Hint, ...]


Hint: TypeAlias = Held | Somebody | Beside | Fixed | Same | Everywhere | Both | Either
NOBODY = Either(())


@dataclass(slots=True)
class Look:
    """A filter that is being looked into."""

    domain: int
    var: int
    #: locals that are not the same for all elements
    changed: set[int]
    #: locals that must be members of a domain, and those that must be small numbers, or there is no hint
    inside: dict[int, int] = field(default_factory=dict)
    small: set[int] = field(default_factory=set)
    #: fields that must hold members of their domains, or nothing
    whole: set[int] = field(default_factory=set)
    #: what stands for such a member
    members: dict[int, int] = field(default_factory=dict)
    #: what depends on the data alone and must be possible to ask
    asked: dict[ir.Expr, None] = field(default_factory=dict)
    strangers: int = STRANGE


def both(first: Hint | None, second: Hint | None) -> Hint | None:
    """None is everybody."""
    if first is None or second is None:
        return second if first is None else first
    if NOBODY in (first, second):
        return NOBODY
    parts = [p for hint in (first, second) for p in (hint.parts if isinstance(hint, Both) else (hint,))]
    return Both(tuple(dict.fromkeys(parts)))


def either(first: Hint | None, second: Hint | None) -> Hint | None:
    if first is None or second is None:
        return None
    parts = [p for hint in (first, second) for p in (hint.parts if isinstance(hint, Either) else (hint,))]
    found = tuple(dict.fromkeys(parts))
    return found[0] if len(found) == 1 else Either(found)


def askable(asked: ir.Expr) -> Fixed:
    """True of all, unless it cannot be asked of some."""
    nothing = ir.Binary("eq", asked, ir.Const(NONE), 0)
    return Fixed(ir.Binary("or", nothing, ir.Const(1), 0))


def cost_of(hint: Hint) -> int:
    """What costs least comes first: the others are asked only if anybody is left."""
    if isinstance(hint, Both | Either):
        return sum(map(cost_of, hint.parts))
    return {Everywhere: 0, Fixed: 1, Somebody: 1, Beside: 2, Same: 5, Held: 5}[type(hint)]


def worthwhile(parts: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """The parts that are worth their while: where few can be left, those are asked as soon as all cells are looked at."""
    if any(map(is_selective, parts)):
        return tuple(part for part in parts if not isinstance(part, Held | Same))
    return parts


def is_selective(hint: Hint) -> bool:
    """Whether it is true of few, most likely."""
    if isinstance(hint, Both):
        return any(map(is_selective, hint.parts))
    return isinstance(hint, Somebody | Beside) or (
        isinstance(hint, Either) and all(map(is_selective, hint.parts))
    )


def terms_of(hint: Hint) -> Any:
    if isinstance(hint, Both | Either):
        for part in hint.parts:
            yield from terms_of(part)
    else:
        yield hint
