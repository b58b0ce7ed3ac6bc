"""Callable types: columns and fields that name a procedure, a rule or an action, such as the effect of a card.

`effect: procedure(Side)` holds the name of a procedure that takes a side.  All procedures of that type become the members
of an enum, so that data can name only these.  A call dispatches over them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.compiler.sema.types import Type, accepts

if TYPE_CHECKING:
    from grognard.compiler.sema.declare.types import DomMaker
    from grognard.compiler.sema.declaring import Declaring
    from grognard.compiler.sema.symbols import Callable_, Symbols
    from grognard.compiler.sema.types import Dom
    from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class CallableType:
    """The type of a callable, and the callables that have it."""

    sort: str  # procedure rule action
    params: list[Type]
    result: Type | None
    span: Span
    entries: list[Callable_] = field(default_factory=list)
    #: only columns hold it, so that the data decides which entries are used
    constant: bool = True


def callable_type_of(
    makes: DomMaker, sort: str, params: list[Type], result: Type | None, span: Span, optional: bool
) -> Type:
    """The type of a value that names such a callable."""
    name = f"{sort}({', '.join(map(str, params))})" + (f" -> {result}" if result is not None else "")
    dom = makes.callable_dom(name, span)
    if dom.callable_type is None:
        dom.callable_type = CallableType(sort, params, result, span)
    return Type("dom", dom=dom, optional=optional)


def resolve_callable_types(symbols: Declaring) -> None:
    """Find the callables of each callable type.  A type without any is an error."""
    for dom in symbols.callable_types.values():
        wanted = dom.callable_type
        assert wanted is not None
        for entry in list(symbols.callables.values()):
            if entry.sort == wanted.sort and _fits(entry, wanted):
                wanted.entries.append(entry)
                dom.members.append(entry.name)
                dom.titles.append(entry.name.replace("_", " "))
        if not wanted.entries:
            symbols.sink.error("GR0207", wanted.span, f"there is no {dom.name}")
    for owner in [*symbols.doms, None]:
        fields = symbols.globals if owner is None else owner.fields
        for info in fields.values():
            if info.type.dom is not None and info.type.dom.callable_type is not None:
                info.type.dom.callable_type.constant &= info.field is None
                symbols.dispatched.setdefault(info.name, []).append(info.type.dom)


def why_not(symbols: Symbols, dom: Dom, name: str) -> tuple[str, str] | None:
    """Why the callable of that name has not this type, with a hint; None if there is no such callable."""
    wanted, entry = dom.callable_type, symbols.callables.get(name)
    if wanted is None or entry is None:
        return None
    if entry.sort != wanted.sort:
        article = "an" if entry.sort[0] in "aeiou" else "a"
        return f"`{name}` is {article} {entry.sort}, and the column is {dom.name}", f"name a {wanted.sort}"
    given = ", ".join(f"{parameter}: {type_}" for parameter, type_ in entry.params) or "nothing"
    result = f" and gives {entry.result}" if entry.result is not None else ""
    takes = ", ".join(map(str, wanted.params)) or "nothing"
    gives = f" and gives {wanted.result}" if wanted.result is not None else ""
    return (
        f"`{name}` is no {dom.name}: it takes {given}{result}",
        f"what stands here takes {takes}{gives}",
    )


def _fits(entry: Callable_, wanted: CallableType) -> bool:
    given = [type_ for _, type_ in entry.params]
    if len(given) != len(wanted.params) or (entry.result is None) != (wanted.result is None):
        return False
    if not all(accepts(want, got) for want, got in zip(given, wanted.params, strict=True)):
        return False
    return wanted.result is None or (entry.result is not None and _within(entry.result, wanted.result))


def _within(made: Type, wanted: Type) -> bool:
    return accepts(wanted, made) and (wanted.sort != "int" or wanted.lo <= made.lo <= made.hi <= wanted.hi)


def targets(symbols: Symbols, name: str) -> list[Callable_]:
    """The callables that a call by this name may reach: one, or all that a dotted name may stand for."""
    entry = symbols.callables.get(name)
    if entry is not None:
        return [entry]
    doms = symbols.dispatched.get(name.rpartition(".")[2], []) if "." in name else []
    return [found for dom in doms if dom.callable_type is not None for found in dom.callable_type.entries]
