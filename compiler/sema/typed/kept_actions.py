"""Actions under `keep`: only what can end with a condition holding is offered.

For each such action there is one that nobody has written: its choices are tried to the end, by procedures that do the rest of the
action and give the condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.declaration_parts import bound_by, declaration_part, statement_of
from grognard.compiler.sema.types import FLAG
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.trees import Trees


@dataclass(frozen=True, slots=True)
class KeptAction:
    action: Callable_
    #: what follows the first n statements of its declaration part, each with the condition at its end
    trials: tuple[Callable_, ...]


def offered(menu: tuple[t.MenuUse, ...]) -> Iterator[Callable_]:
    """All actions on offer."""
    for use in menu:
        match use:
            case t.MenuAction(entry=entry):
                yield entry
            case t.MenuNamed(actions=actions):
                yield from (action.entry for action in actions)
            case t.MenuOf(lines=lines):
                for line in lines:
                    yield from offered(line.uses)


def keep_name(node: t.Repeats, entry: Callable_) -> str:
    keep = node.written.keep
    assert keep is not None
    return f"{entry.name} (keep {keep.span.line}:{keep.span.column})"


def keep_action(trees: Trees, node: t.Repeats, entry: Callable_) -> KeptAction:
    """The offering block's names that the condition reads are passed along as parameters."""
    keep = node.written.keep
    assert keep is not None
    span, key = keep.span, keep_name(node, entry)
    # Sets cannot be handed to a trial: what follows the choice of one is tried as a whole.
    declared = declaration_part(trees.symbols, entry, trees.is_kept(entry.name))
    part = tuple(itertools.takewhile(lambda s: not isinstance(s, syn.ChooseSomeStmt), declared))
    params = [*((variable.name, variable.type) for variable in node.kept), *entry.params]
    trials: list[Callable_] = []
    body: list[syn.Stmt] = []
    names = list(params)
    checked = trees.body_for(entry, None)
    for place in range(len(part) + 1):
        # The rest of the action after `place` statements, then the condition.
        rest = (*map(_or_fail, entry.decl.body[place:]), syn.CaseStmt(keep, None, syn.NO_CITES, span))
        trial = syn.ProcedureDecl(f"{key} trial {place}", (), None, rest, entry.decl.cites, span)
        made = Callable_(trial.name, "procedure", list(names), FLAG, trial, span, entry.cites, entry.layer)
        made.asks = made.writes = made.uses_me = True
        trials.append(made)
        if place == len(part):
            break
        found = statement_of(checked, part[place])
        names += [(variable.name, variable.type) for variable in bound_by((found,) if found else ())]
    for place, statement in enumerate(part):
        if isinstance(statement, syn.ChooseStmt):
            given_names = tuple(syn.Name(name, span) for name, _ in trials[place + 1].params)
            test = syn.AtBest(syn.Use(trials[place + 1].name, given_names, span), 1, span)
            where = test if statement.where is None else syn.BinaryExpr("and", statement.where, test, span)
            statement = replace(statement, where=where)
        body.append(statement)
    decl = replace(entry.decl, body=(*body, *entry.decl.body[len(part) :]))
    kept = replace(entry, name=key, params=params, decl=decl)
    kept.asks = kept.uses_me = True
    return KeptAction(kept, tuple(trials))


def _or_fail(statement: Any) -> Any:
    """In a trial, a choice with nothing to choose means that this way leads nowhere."""
    asks = isinstance(statement, syn.ChooseSomeStmt) or (
        isinstance(statement, syn.ChooseStmt) and not statement.may
    )
    if asks and statement.otherwise is None:
        nothing = syn.ReturnStmt(syn.FlagLit(False, statement.span), syn.NO_CITES, statement.span)
        return replace(statement, otherwise=nothing)
    return statement
