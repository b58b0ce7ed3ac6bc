"""Examples of play and situations: their boards, options and places, and what they have to have."""

from __future__ import annotations

from typing import Any

from grognard.compiler.sema.checks.names import check_names
from grognard.compiler.sema.checks.placement import check_placement
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for


def check_example(symbols: Symbols, sink: Sink, decl: syn.ExampleDecl) -> None:
    """Report what is wrong with an example before anything in it has a type."""
    _check_ground(symbols, decl.body, "example", sink)
    for node in walk(decl.body):
        if isinstance(node, syn.OddsStmt | syn.OutcomeStmt):
            sink.error("GR0208", node.span, "this belongs to a situation")
    if not any(isinstance(node, syn.ExpectStmt) for node in walk(decl.body)):
        sink.warning(
            "GR0906", decl.span, f'example "{decl.title}" expects nothing', hint="end it with `expect ...`"
        )


def check_situation(symbols: Symbols, sink: Sink, decl: syn.SituationDecl) -> None:
    """The same for a situation."""
    _check_parameters(decl, sink)
    _check_ground(symbols, decl.body, "situation", sink)
    if not any(isinstance(node, syn.OddsStmt) for node in walk(decl.body)):
        sink.error(
            "GR0721",
            decl.span,
            f"situation `{decl.name}` does not say what its odds are of",
            hint="add `odds of fire(a, t)`",
        )


def _check_ground(symbols: Symbols, body: Any, what: str, sink: Sink) -> None:
    check_placement(symbols, body, sink, in_example=True)
    check_names(symbols, body, sink)
    nodes = list(walk(body))
    board = any(isinstance(node, syn.BoardStmt) for node in nodes)
    marked = next((node for node in nodes if isinstance(node, syn.MapStmt)), None)
    if marked is not None and not board:
        sink.error("GR0902", marked.span, f"`map` draws on a `board`, and this {what} has none")
    for node in nodes:
        match node:
            case syn.BoardStmt():
                _check_terrain(symbols, node, sink)
            case syn.OptionStmt():
                _check_option(symbols, node, sink)
            case syn.TerrainStmt(places=places):
                _check_terrain(symbols, node, sink)
                _check_places(places, sink)
            case syn.MapStmt(places=places):
                _check_places(places, sink)
                if node.along and len(places) < 2:
                    sink.error("GR0902", node.span, "`along` needs two places or more")


def _check_parameters(decl: syn.SituationDecl, sink: Sink) -> None:
    """The board is laid out before anybody says what the parameters are."""
    given = {param.name for param in decl.params}
    for node in walk(decl.body):
        if not isinstance(node, syn.TerrainStmt | syn.MapStmt):
            continue
        value = node.value if isinstance(node, syn.MapStmt) else None
        for name in walk((node.places, value)):
            if not isinstance(name, syn.Name) or name.id not in given:
                continue
            sink.error(
                "GR0902",
                name.span,
                f"the board is laid out before `{name.id}` has a value",
                hint="write a place and what it is; a parameter can decide where counters stand",
            )


def _check_terrain(symbols: Symbols, statement: syn.BoardStmt | syn.TerrainStmt, sink: Sink) -> None:
    """What the board or some of it is must be a row of the kind that its places are of, if they are of one."""
    space = next((s for s in symbols.spaces if s.space_sort in ("hexes", "squares")), None)
    columns = (
        [info for info in space.fields.values() if info.column is not None or info.printed is not None]
        if space is not None
        else []
    )
    kind = next((i.type.dom for i in columns if i.type.dom is not None and i.type.dom.sort == "kind"), None)
    if kind is not None and kind.index(statement.terrain) is None:
        there = ", ".join(kind.members[:8])
        sink.error(
            "GR0608",
            statement.span,
            f"{kind.name} has no `{statement.terrain}`",
            hint=hint_for(statement.terrain, kind.members)
            or f"it has {there}: {_laid_out(statement, kind.members[0])}"
            if kind.members
            else None,
        )


def _laid_out(statement: syn.BoardStmt | syn.TerrainStmt, terrain: str) -> str:
    return f"board {terrain} 8x8" if isinstance(statement, syn.BoardStmt) else f"terrain {terrain} at 0101"


def _check_option(symbols: Symbols, statement: syn.OptionStmt, sink: Sink) -> None:
    option = symbols.options.get(statement.name)
    if option is None:
        hint = hint_for(statement.name, list(symbols.options))
        sink.error("GR0510", statement.span, f"there is no option `{statement.name}`", hint=hint)
    elif statement.value not in option.values:
        sink.error(
            "GR0510",
            statement.span,
            f"option `{statement.name}` has no value `{statement.value}`",
            hint=hint_for(statement.value, option.values) or f"it is one of {', '.join(option.values)}",
        )


def _check_places(exprs: tuple[syn.Expr, ...], sink: Sink) -> None:
    """Places are called by their names, as the board has them."""
    for expr in exprs:
        if not isinstance(expr, syn.Number | syn.Text | syn.Name):
            sink.error("GR0609", expr.span, "a place by its name is needed here")
