"""Rules, tables, procedures, actions, events and handlers, with the types of their parameters and results."""

from __future__ import annotations

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.callable_types import resolve_callable_types
from grognard.compiler.sema.declare.fields import check_carriers
from grognard.compiler.sema.declare.forms import sheets
from grognard.compiler.sema.declare.types import resolve_type
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.suggest import hint_for


def declare_callables(symbols: Declaring, merged: Merged) -> None:
    for rank, decl in merged.decls:
        match decl:
            case syn.RuleDecl():
                entry = _callable(symbols, "rule", decl, rank, resolve_type(symbols, decl.result))
                if decl.name == syn.EVALUATION and entry is not None:
                    _check_evaluation(symbols, entry)
                if decl.name == syn.PLAUSIBLE and entry is not None:
                    _check_plausible(symbols, entry)
            case syn.ModifiersDecl():
                _callable(symbols, "modifiers", decl, rank, resolve_type(symbols, decl.result))
            case syn.ProcedureDecl():
                result = resolve_type(symbols, decl.result) if decl.result else None
                _callable(symbols, "procedure", decl, rank, result)
            case syn.ActionDecl():
                _callable(symbols, "action", decl, rank, None)
            case syn.MenuDecl():
                _callable(symbols, "menu", decl, rank, None)
            case syn.SightDecl():
                _callable(symbols, "sight", decl, rank, FLAG)
            case syn.ArcDecl():
                _callable(symbols, "arc", decl, rank, FLAG)
            case syn.MovementDecl():
                _callable(symbols, "movement", decl, rank, None)
            case syn.VictoryDecl():
                assert symbols.sides
                rule = syn.RuleDecl(
                    "victory",
                    (),
                    syn.TypeExpr("plain", syn.Name("Side", decl.span), None, 0, True, decl.span),
                    decl.body,
                    decl.cites,
                    decl.span,
                )
                _callable(symbols, "rule", rule, rank, dom_type(symbols.sides, optional=True))
            case syn.TableDecl():
                params = [
                    (axis.name or f"axis {n + 1}", resolve_type(symbols, axis.type))
                    for n, axis in enumerate(decl.axes)
                ]
                entry = _callable(symbols, "table", decl, rank, resolve_type(symbols, decl.result), params)
                if entry is not None:
                    entry.table = len(symbols.tables)
                    symbols.tables.append(ir.Table(entry.table, decl.name, len(decl.axes)))
            case syn.EventDecl():
                params = [(p.name, resolve_type(symbols, p.type)) for p in decl.params]
                symbols.events[decl.name] = Callable_(
                    decl.name, "event", params, None, decl, decl.span, symbols.cite(decl.cites), rank
                )
            case syn.PolicyDecl():
                symbols.policies[decl.name] = (rank, decl)
            case syn.SituationDecl():
                made = _callable(symbols, "situation", decl, rank, None)
                if made is not None:
                    symbols.situations[decl.name] = symbols.callables.pop(decl.name)
            case syn.OnChangeDecl():
                symbols.change_handlers.append((rank, decl))
            case syn.OnDecl():
                symbols.handlers.setdefault(decl.event, []).append((rank, decl))
    sheets(symbols)
    resolve_callable_types(symbols)
    check_carriers(symbols)
    for name, handlers in symbols.handlers.items():
        event = name.rpartition(" ")[2]
        if event not in symbols.events:
            for _rank, handler in handlers:
                symbols.sink.error(
                    "GR0207",
                    handler.span,
                    f"there is no event `{event}`",
                    hint=hint_for(event, list(symbols.events)),
                )


def _callable(
    symbols: Declaring,
    sort: str,
    decl: object,
    rank: int,
    result: Type | None,
    params: list[tuple[str, Type]] | None = None,
) -> Callable_ | None:
    name, span = decl.name, decl.span  # type: ignore[attr-defined]
    if params is None:
        params = []
        for param in decl.params:  # type: ignore[attr-defined]
            if any(param.name == known for known, _ in params):
                symbols.sink.error("GR0205", param.span, f"parameter `{param.name}` stands twice")
            params.append((param.name, resolve_type(symbols, param.type)))
    if result is not None and result.sort in ("list", "record"):
        where = decl.result.span  # type: ignore[attr-defined]
        symbols.sink.error(
            "GR0309",
            where,
            f"a {sort} gives back one value or a set, not {result.words}",
            hint="write it to a field, or give back what it is made from",
        )
        result = UNKNOWN
    entry = Callable_(name, sort, params, result, decl, span, symbols.cite(decl.cites), rank)  # type: ignore[attr-defined]
    symbols.callables[name] = entry
    return entry


def _check_evaluation(symbols: Declaring, entry: Callable_) -> None:
    sides = symbols.sides
    kinds = [kind for _, kind in entry.params]
    result = entry.result
    fits = len(kinds) == 1 and kinds[0].sort == "dom" and kinds[0].dom is sides and not kinds[0].optional
    if not fits or result is None or result.sort != "int" or result.optional:
        symbols.sink.error(
            "GR0211",
            entry.span,
            "`evaluation` says in one number how well a side stands: it takes a side and nothing else",
            hint="write `evaluation(p: Side)`",
        )


def _check_plausible(symbols: Declaring, entry: Callable_) -> None:
    if not is_plausible_rule(entry):
        symbols.sink.error(
            "GR0940",
            entry.span,
            "`plausible` says whether a hidden counter can be where it is: it takes a counter and says yes or no",
            hint="write `rule plausible(u: Unit) -> flag`, or give the rule another name",
        )


def is_plausible_rule(entry: Callable_) -> bool:
    """Whether a rule takes one counter and answers yes or no."""
    kinds = [kind for _, kind in entry.params]
    return (
        len(kinds) == 1
        and kinds[0].sort == "dom"
        and kinds[0].dom is not None
        and kinds[0].dom.sort == "piece"
        and not kinds[0].optional
        and entry.result is not None
        and entry.result.sort == "flag"
    )


def declare_exceptions(symbols: Declaring, merged: Merged) -> None:
    for rank, decl in merged.exceptions:
        target = symbols.callables.get(decl.target)
        if target is None or target.sort not in (
            "rule",
            "procedure",
            "arc",
            "sight",
            "modifiers",
            "action",
            "menu",
        ):
            known = [c.name for c in symbols.callables.values() if c.sort in ("rule", "procedure")]
            symbols.sink.error(
                "GR0501",
                decl.span,
                f"there is no rule or procedure `{decl.target}` to except",
                hint=hint_for(decl.target, known),
            )
            continue
        symbols.cite(decl.cites)
        target.exceptions.append((rank, decl))
