"""Terminators: how a block of a machine ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from grognard.contract.ir.values import AnyExpr, Expr

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class Jump:
    block: int


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Expr
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class CallMachine:
    """Push a frame; when it returns, its integer result goes to `local` and the caller goes on at `block`."""

    machine: int
    args: tuple[AnyExpr, ...]
    local: int | None
    block: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Stop for a decision.

    The candidates are what function `candidates` yields for `args`, in order, plus NONE or DONE (last) when
    `extra` says so and `extra_when` (if any) holds.  No candidate (or, where `empty` is given, none but the extra):
    go on at `empty` without a word, or FAIL_EMPTY.  One candidate and `lone`: taken without asking (noted in the log like any choice).  The answer is written to
    `local`, the machine goes on at `block`.  `chooser` is the seat that decides.
    """

    ask: int  # index into Program.asks
    candidates: int
    args: tuple[AnyExpr, ...]
    chooser: Expr
    local: int
    block: int
    empty: int | None
    extra: int | None  # NONE or DONE
    extra_when: Expr | None
    lone: bool
    #: deduplicate interchangeable pieces of this domain
    distinct: int | None
    #: seats that see the answer in the log: None all, else a mask
    seen: Expr | None
    site: int


@dataclass(frozen=True, slots=True)
class ReturnMachine:
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class EndGame:
    """The game is over; `outcome` is the winner (seat or side) or NONE."""

    outcome: Expr


Terminator: TypeAlias = Jump | Branch | CallMachine | Ask | ReturnMachine | EndGame
