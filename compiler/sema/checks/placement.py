"""Statements where they cannot stand."""

from __future__ import annotations

from typing import Any

from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink

#: Statements of examples and of situations alone.
_OF_EXAMPLES = (
    syn.BoardStmt
    | syn.ScenarioStmt
    | syn.OptionStmt
    | syn.TerrainStmt
    | syn.MapStmt
    | syn.DiceStmt
    | syn.AnswersStmt
    | syn.OddsStmt
    | syn.OutcomeStmt
    | syn.CountersStmt
    | syn.CounterStmt
    | syn.ExpectStmt
)


def check_placement(symbols: Symbols, body: Any, sink: Sink, *, in_example: bool = False) -> None:
    """Report statements that belong elsewhere."""
    for node in symbols.facts.of(_misplaced, body):
        if isinstance(node, syn.RerollStmt):
            sink.error(
                "GR0713",
                node.span,
                "only a handler of `rolled` can have dice thrown again",
                hint="on rolled EVENT(..., die): reroll",
            )
        elif not in_example:
            sink.error("GR0208", node.span, "this belongs to an example of play")


def _misplaced(body: Any) -> tuple[Any, ...]:
    return tuple(node for node in walk(body) if isinstance(node, _OF_EXAMPLES | syn.RerollStmt))
