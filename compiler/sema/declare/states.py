"""Life cycles: the steps that a field may take."""

from __future__ import annotations

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declare.domains import dom_named
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.types import FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for


def declare_states(symbols: Declaring, merged: Merged) -> None:
    """The steps that a field may take; declarations of several layers are united."""
    found: dict[tuple[str, str], FieldInfo] = {}
    for _, decl in merged.decls:
        if not isinstance(decl, syn.StatesDecl):
            continue
        symbols.cite(decl.cites)
        dom = dom_named(symbols, decl.piece, decl.span, ("piece", "record"))
        info = dom.fields.get(decl.owned) if dom is not None else None
        if dom is None or info is None or info.field is None or info.axes or not _cycles(info.type):
            if dom is not None:
                symbols.sink.error(
                    "GR0203",
                    decl.span,
                    f"{dom.name} has no field `{decl.owned}` of an enum, whose states these could be",
                    hint=hint_for(decl.owned, [n for n, i in dom.fields.items() if _cycles(i.type)]),
                )
            continue
        found[decl.piece, decl.owned] = info
        info.steps = info.steps if info.steps is not None else set()
        for line in decl.lines:
            symbols.cite(line.cites)
            before, after = (_states(symbols, info.type, names) for names in (line.before, line.after))
            info.steps |= {(a, b) for a in before for b in after}
    for (piece, _), info in found.items():
        _reachable(symbols, piece, info)


def _states(symbols: Declaring, type_: Type, names: tuple[syn.Name, ...]) -> list[int]:
    assert type_.dom
    places = []
    for name in names:
        place = type_.dom.index(name.id)
        if place is None:
            symbols.sink.error(
                "GR0204",
                name.span,
                f"{type_.dom.name} has no `{name.id}`",
                hint=hint_for(name.id, type_.dom.members),
            )
        else:
            places.append(place)
    return places


def _reachable(symbols: Declaring, piece: str, info: FieldInfo) -> None:
    assert info.type.dom and info.field is not None and info.steps is not None
    start = symbols.fields[info.field].default
    seen, pending = {start}, [start]
    while pending:
        at = pending.pop()
        for a, b in info.steps:
            if a == at and b not in seen:
                seen.add(b)
                pending.append(b)
    lost = [name for place, name in enumerate(info.type.dom.members) if place not in seen]
    if lost:
        first = info.type.dom.members[start]
        symbols.sink.warning(
            "GR0715",
            info.decl.span if info.decl is not None else None,
            f"from `{first}` no step leads to {', '.join(f'`{name}`' for name in lost)} of {piece}.{info.name}",
            hint="add the step to its `states`, or take the member out",
        )


def _cycles(type_: Type) -> bool:
    return type_.sort == "dom" and type_.dom is not None and type_.dom.sort == "enum" and not type_.optional
