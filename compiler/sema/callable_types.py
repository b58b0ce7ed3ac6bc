"""Columns and fields that name a procedure, a rule or an action: a card's effect, a unit's special move.

`effect: procedure(Side)` holds the name of a procedure that takes a side.  All procedures of that shape are the members
of an enum, so what is in the data can only be one of them; doing it goes through them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.compiler.sema.types import Type, accepts

if TYPE_CHECKING:
    from grognard.compiler.sema.types import Dom
    from grognard.compiler.sema.world import Callable_, World
    from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Shape:
    sort: str  # procedure rule action
    params: list[Type]
    result: Type | None
    span: Span
    entries: list[Callable_] = field(default_factory=list)
    #: only columns hold it, so that the data tell which entries are used
    constant: bool = True


def shape_type(
    world: World, sort: str, params: list[Type], result: Type | None, span: Span, optional: bool
) -> Type:
    """The type of a name of such a callable."""
    name = f"{sort}({', '.join(map(str, params))})" + (f" -> {result}" if result is not None else "")
    dom = world.shapes.get(name)
    if dom is None:
        dom = world.shapes[name] = world.new_dom(name, "enum", span)
        dom.shape = Shape(sort, params, result, span)
    return Type("dom", dom=dom, optional=optional)


def fill_shapes(world: World) -> None:
    """Find what has each shape; tell of shapes that nothing has."""
    for dom in world.shapes.values():
        shape = dom.shape
        assert shape is not None
        for entry in list(world.callables.values()):
            if entry.sort == shape.sort and _fits(entry, shape):
                shape.entries.append(entry)
                dom.members.append(entry.name)
                dom.titles.append(entry.name.replace("_", " "))
        if not shape.entries:
            world.sink.error("GR0207", shape.span, f"there is no {dom.name}")
    for owner in [*world.doms, None]:
        fields = world.globals if owner is None else owner.fields
        for info in fields.values():
            if info.type.dom is not None and info.type.dom.shape is not None:
                info.type.dom.shape.constant &= info.field is None
                world.dispatched.setdefault(info.name, []).append(info.type.dom)


def why_not(world: World, dom: Dom, name: str) -> tuple[str, str] | None:
    """What keeps something of that name from being one of a shape, with a hint; None if there is no such thing."""
    shape, entry = dom.shape, world.callables.get(name)
    if shape is None or entry is None:
        return None
    if entry.sort != shape.sort:
        article = "an" if entry.sort[0] in "aeiou" else "a"
        return f"`{name}` is {article} {entry.sort}, and the column is {dom.name}", f"name a {shape.sort}"
    given = ", ".join(f"{parameter}: {type_}" for parameter, type_ in entry.params) or "nothing"
    result = f" and gives {entry.result}" if entry.result is not None else ""
    wanted = ", ".join(map(str, shape.params)) or "nothing"
    promised = f" and gives {shape.result}" if shape.result is not None else ""
    return (
        f"`{name}` is no {dom.name}: it takes {given}{result}",
        f"what stands here takes {wanted}{promised}",
    )


def _fits(entry: Callable_, shape: Shape) -> bool:
    given = [type_ for _, type_ in entry.params]
    if len(given) != len(shape.params) or (entry.result is None) != (shape.result is None):
        return False
    if not all(accepts(want, got) for want, got in zip(given, shape.params, strict=True)):
        return False
    return shape.result is None or (entry.result is not None and _within(entry.result, shape.result))


def _within(made: Type, wanted: Type) -> bool:
    return accepts(wanted, made) and (wanted.sort != "int" or wanted.lo <= made.lo <= made.hi <= wanted.hi)


def targets(world: World, name: str) -> list[Callable_]:
    """What a call by this name may reach: a callable, or all that a dotted name may stand for."""
    entry = world.callables.get(name)
    if entry is not None:
        return [entry]
    doms = world.dispatched.get(name.rpartition(".")[2], []) if "." in name else []
    return [found for dom in doms if dom.shape is not None for found in dom.shape.entries]
