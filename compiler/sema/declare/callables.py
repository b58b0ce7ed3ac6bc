"""Rules, tables, procedures, actions, events and handlers, with the types of their parameters and results."""

from __future__ import annotations

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.callable_types import resolve_callable_types
from grognard.compiler.sema.declare.fields import check_carriers
from grognard.compiler.sema.declare.forms import sheets
from grognard.compiler.sema.declare.types import resolve_type
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Type,
    dom_type,
)
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.suggest import hint_for


def declare_callables(world: World, merged: Merged) -> None:
    for rank, decl in merged.decls:
        match decl:
            case syn.RuleDecl():
                entry = _callable(world, "rule", decl, rank, resolve_type(world, decl.result))
                if decl.name == syn.EVALUATION and entry is not None:
                    _check_evaluation(world, entry)
                if decl.name == syn.PLAUSIBLE and entry is not None:
                    _check_plausible(world, entry)
            case syn.ModifiersDecl():
                _callable(world, "modifiers", decl, rank, resolve_type(world, decl.result))
            case syn.ProcedureDecl():
                result = resolve_type(world, decl.result) if decl.result else None
                _callable(world, "procedure", decl, rank, result)
            case syn.ActionDecl():
                _callable(world, "action", decl, rank, None)
            case syn.MenuDecl():
                _callable(world, "menu", decl, rank, None)
            case syn.SightDecl():
                _callable(world, "sight", decl, rank, FLAG)
            case syn.ArcDecl():
                _callable(world, "arc", decl, rank, FLAG)
            case syn.MovementDecl():
                _callable(world, "movement", decl, rank, None)
            case syn.VictoryDecl():
                assert world.sides
                rule = syn.RuleDecl(
                    "victory",
                    (),
                    syn.TypeExpr("plain", syn.Name("Side", decl.span), None, 0, True, decl.span),
                    decl.body,
                    decl.cites,
                    decl.span,
                )
                _callable(world, "rule", rule, rank, dom_type(world.sides, optional=True))
            case syn.TableDecl():
                params = [
                    (axis.name or f"axis {n + 1}", resolve_type(world, axis.type))
                    for n, axis in enumerate(decl.axes)
                ]
                entry = _callable(world, "table", decl, rank, resolve_type(world, decl.result), params)
                if entry is not None:
                    entry.table = len(world.tables)
                    world.tables.append(ir.Table(entry.table, decl.name, len(decl.axes)))
            case syn.EventDecl():
                params = [(p.name, resolve_type(world, p.type)) for p in decl.params]
                world.events[decl.name] = Callable_(
                    decl.name, "event", params, None, decl, decl.span, world.cite(decl.cites), rank
                )
            case syn.PolicyDecl():
                world.policies[decl.name] = (rank, decl)
            case syn.SituationDecl():
                made = _callable(world, "situation", decl, rank, None)
                if made is not None:
                    world.situations[decl.name] = world.callables.pop(decl.name)
            case syn.OnChangeDecl():
                world.change_handlers.append((rank, decl))
            case syn.OnDecl():
                world.handlers.setdefault(decl.event, []).append((rank, decl))
    sheets(world)
    resolve_callable_types(world)
    check_carriers(world)
    for name, handlers in world.handlers.items():
        event = name.rpartition(" ")[2]
        if event not in world.events:
            for _rank, handler in handlers:
                world.sink.error(
                    "GR0207",
                    handler.span,
                    f"there is no event `{event}`",
                    hint=hint_for(event, list(world.events)),
                )


def _callable(
    world: World,
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
                world.sink.error("GR0205", param.span, f"parameter `{param.name}` stands twice")
            params.append((param.name, resolve_type(world, param.type)))
    if result is not None and result.sort in ("list", "record"):
        where = decl.result.span  # type: ignore[attr-defined]
        world.sink.error(
            "GR0309",
            where,
            f"a {sort} gives back one value or a set, not {result.words}",
            hint="write it to a field, or give back what it is made from",
        )
        result = UNKNOWN
    entry = Callable_(name, sort, params, result, decl, span, world.cite(decl.cites), rank)  # type: ignore[attr-defined]
    world.callables[name] = entry
    return entry


def _check_evaluation(world: World, entry: Callable_) -> None:
    sides = world.sides
    kinds = [kind for _, kind in entry.params]
    result = entry.result
    fits = len(kinds) == 1 and kinds[0].sort == "dom" and kinds[0].dom is sides and not kinds[0].optional
    if not fits or result is None or result.sort != "int" or result.optional:
        world.sink.error(
            "GR0211",
            entry.span,
            "`evaluation` says in one number how well a side stands: it takes a side and nothing else",
            hint="write `evaluation(p: Side)`",
        )


def _check_plausible(world: World, entry: Callable_) -> None:
    if not is_plausible_rule(entry):
        world.sink.error(
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


def declare_exceptions(world: World, merged: Merged) -> None:
    for rank, decl in merged.exceptions:
        target = world.callables.get(decl.target)
        if target is None or target.sort not in (
            "rule",
            "procedure",
            "arc",
            "sight",
            "modifiers",
            "action",
            "menu",
        ):
            known = [c.name for c in world.callables.values() if c.sort in ("rule", "procedure")]
            world.sink.error(
                "GR0501",
                decl.span,
                f"there is no rule or procedure `{decl.target}` to except",
                hint=hint_for(decl.target, known),
            )
            continue
        world.cite(decl.cites)
        target.exceptions.append((rank, decl))
