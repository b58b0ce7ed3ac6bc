"""Choices: of one thing, of several, of numbers, of a form, of a route; menus of actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.nodes.aggregates import Source
from grognard.compiler.sema.typed.nodes.calls import MovementUse
from grognard.compiler.sema.typed.nodes.deciders import Decider, Question
from grognard.compiler.sema.typed.nodes.values import Member, Typed
from grognard.compiler.sema.typed.nodes.written import Written
from grognard.compiler.sema.types import Dom, FieldInfo, FormInfo
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.nodes.statements import Statement


@dataclass(slots=True, eq=False)
class OverParts:
    """A choice among counters of several types: one after the other."""

    parts: tuple[Dom, ...]


@dataclass(slots=True, eq=False)
class Element:
    """An element of an array of the procedure."""

    info: FieldInfo
    index: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class Choose(Written):
    written: syn.ChooseStmt
    source: Source | OverParts
    #: one of those on offer, as the filter knows it; what is chosen, as all that follows knows it
    candidate: Variable
    variable: Variable
    where: Typed | None
    prefer: tuple[tuple[str, Typed], ...]
    #: what the filter reads of the surrounding block
    captured: tuple[Variable, ...]
    seat: Decider
    question: Question
    #: what is done if there is nothing to choose
    otherwise: tuple[Statement, ...] | None
    #: what is chosen is written to it
    into: Element | None


@dataclass(slots=True, eq=False)
class ChooseForm(Written):
    """A question for the member, then the questions of its sheet."""

    written: syn.ChooseStmt
    form: FormInfo
    #: what it is filled in for
    given: tuple[Typed, ...]
    seat: Typed
    variable: Variable
    #: a member, as the filter knows it
    tag: Variable
    where: Typed | None
    members: tuple[tuple[syn.FormMember, Member], ...]
    #: what the filter reads of the surrounding block
    captured: tuple[Variable, ...]
    question: Question
    otherwise: tuple[Statement, ...] | None


@dataclass(slots=True, eq=False)
class Joined:
    """Whether one member of a set is next to another, both ways."""

    name: str
    one: Variable
    other: Variable
    there: Typed
    back: Typed


@dataclass(slots=True, eq=False)
class Limits:
    at_least: Typed | None
    exactly: Typed | None
    up_to: Typed | None


@dataclass(slots=True, eq=False)
class ChooseSome(Written):
    written: syn.ChooseSomeStmt
    source: Source
    candidate: Variable
    #: the set
    variable: Variable
    where: Typed | None
    #: who chooses; or the owner of a candidate, if each seat chooses among its own
    seat: Decider | None
    owner: Typed | None
    limits: Limits
    #: the set, as its conditions know it: that of the finished set, and that of every set on the way
    chosen: Variable
    such_that: Typed | None
    keeping: Typed | None
    joined: Joined | None
    #: what these conditions read of the surrounding block
    captured: tuple[Variable, ...]
    question: Question
    otherwise: tuple[Statement, ...] | None


@dataclass(slots=True, eq=False)
class ChooseNumbers(Written):
    """How many of each member, within a budget."""

    written: syn.ChooseSomeStmt
    source: Source
    candidate: Variable
    #: the numbers; their field gets its number where it is lowered
    info: FieldInfo
    where: Typed | None
    seat: Typed
    limits: Limits
    cost: Typed | None
    budget: Typed | None
    #: what the price reads of the surrounding block
    captured: tuple[Variable, ...]
    question: Question
    otherwise: tuple[Statement, ...] | None


@dataclass(slots=True, eq=False)
class ChooseRoute(Written):
    written: syn.ChooseRouteStmt
    use: MovementUse
    space: Dom
    goal: Typed | None
    seat: Typed
    variable: Variable
    question: Question
    otherwise: tuple[Statement, ...] | None


# ------------------------------------------------------------------------------------------------------------ menus


@dataclass(slots=True, eq=False)
class MenuAction:
    use: syn.Use
    entry: Callable_
    args: tuple[Typed, ...]
    #: its arguments are all locals, so that its name alone may say enough
    of_locals: bool


@dataclass(slots=True, eq=False)
class MenuNamed:
    """The action that data names: the field, and each that it may name."""

    use: syn.Use
    tag: Typed
    actions: tuple[MenuAction, ...]


@dataclass(slots=True, eq=False)
class MenuLine:
    written: syn.MenuItem
    condition: Typed | None
    uses: tuple[MenuUse, ...]


@dataclass(slots=True, eq=False)
class MenuOf:
    """A menu in a menu: its parameters stand for what it was given."""

    given: tuple[tuple[Variable, Typed], ...]
    lines: tuple[MenuLine, ...]


MenuUse: TypeAlias = MenuAction | MenuNamed | MenuOf


@dataclass(slots=True, eq=False)
class Offer(Written):
    """A seat picks an action, or several seats in rotation until all pass."""

    written: syn.OfferStmt
    seats: tuple[Typed, ...]
    menu: tuple[MenuUse, ...]


@dataclass(slots=True, eq=False)
class Repeats(Written):
    written: syn.RepeatsStmt
    seat: Typed
    done_when: Typed | None
    menu: tuple[MenuUse, ...]
    #: what a condition that must stay true reads of the surrounding block
    kept: tuple[Variable, ...]


ChoiceStatement: TypeAlias = Choose | ChooseForm | ChooseSome | ChooseNumbers | ChooseRoute | Offer | Repeats
