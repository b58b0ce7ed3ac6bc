"""Declaration parts of actions and sheets: the statements that are offered only if all of them can be completed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grognard.compiler.sema.declare.forms import form_of
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.syntax import nodes as syn


def declaration_part(symbols: Symbols, entry: Callable_, kept: bool) -> tuple[syn.Stmt, ...]:
    """The statements before the first that rolls, writes or calls.  `kept`: the action is offered under `keep`."""
    part: list[syn.Stmt] = []
    for statement in entry.decl.body:
        match statement:
            case syn.Let(mutable=False) | syn.RequireStmt():
                part.append(statement)
            case syn.ChooseStmt(otherwise=None, by=None, index=()):
                if form_of(symbols, statement.type) is not None:
                    break
                part.append(statement)
            case syn.ChooseSomeStmt(otherwise=None, by=None) if not kept:
                part.append(statement)
                if statement.numbers:
                    # What follows cannot be tried: the numbers are no value.
                    break
            case syn.OfferStmt(optional=False, until_all_pass=False, seat=syn.Name(id="me")):
                part.append(statement)
                break
            case _:
                break
    return tuple(part)


def bound_by(nodes: Iterable[t.Statement]) -> list[Variable]:
    """The names that statements of a declaration part give meaning to."""
    made: list[Variable] = []
    for node in nodes:
        match node:
            case t.Let(variable=variable) | t.Choose(variable=variable) | t.ChooseSome(variable=variable):
                made.append(variable)
    return made


def given_names(nodes: Iterable[t.Statement]) -> list[Variable]:
    """The names that statements of a sheet give meaning to."""
    made: list[Variable] = []
    for node in nodes:
        match node:
            case t.Let() | t.Choose() | t.ChooseSome() | t.ChooseRoute() | t.ChooseForm():
                made.append(node.variable)
    return made


def statement_of(body: t.Body, written: Any) -> t.Statement | None:
    """The statement of a body that was written so."""
    return next((node for node in body.statements if node.written is written), None)
