"""What the keys and values of a YAML file name: rows, columns, members, fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grognard.compiler.editor.names import Names, Symbol, yaml_tree
from grognard.compiler.sema.types import UNKNOWN, Dom, Type, dom_type
from grognard.compiler.support.yamlfile import YList, YMap, YNode, YScalar
from grognard.support.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Named:
    """A word of a YAML file with its meaning."""

    symbol: Symbol
    span: Span
    type: Type
    is_key: bool


@dataclass(frozen=True, slots=True)
class _At:
    """What a node stands for: the rows of a domain, one row, the value of a type; or nothing that is known."""

    rows: Dom | None = None
    row: Dom | None = None
    value: Type = UNKNOWN
    axes: tuple[Dom, ...] = ()


def names_in(names: Names, source: SourceFile) -> Iterator[Named]:
    """All that is named in a file, in its order."""
    tree = yaml_tree(source)
    if tree is not None:
        yield from _walk(names, tree, start_of(names, source.path))


def start_of(names: Names, file: str) -> _At:
    """What the whole file stands for: the rows of the kind that names it, or anything."""
    base = file.rsplit("/", 1)[-1]
    for dom in names.world.doms:
        written = getattr(dom.decl, "source", None)
        if dom.sort in ("kind", "power") and written is not None and written.rsplit("/", 1)[-1] == base:
            return _At(rows=dom)
    return _At()


def inside(names: Names, at: _At, key: str) -> _At:
    """What stands below a key."""
    world = names.world
    if key in world.types:
        dom = world.types[key]
        if dom.sort in ("kind", "power", "place"):
            return _At(rows=dom)
        if dom.sort == "piece" and dom.kind is not None:
            return _At(value=dom_type(dom.kind))
        return _At(value=dom_type(dom))
    if at.rows is not None and key in at.rows.members:
        return _At(row=at.rows)
    if at.axes and key in at.axes[0].members:
        return _At(value=at.value, axes=at.axes[1:])
    found = field_named(names, at.row, key)
    if found is not None:
        info = found.fields[key]
        return _At(value=info.type, axes=info.axes)
    if key in world.globals:
        return _At(value=world.globals[key].type)
    option = world.options.get(key)
    if option is not None and option.dom is not None:
        return _At(value=dom_type(option.dom))
    if key in ("side", "power") and world.seats is not None:
        seats = world.sides if key == "side" else world.seats
        return _At(value=dom_type(seats)) if seats is not None else _At()
    place = next(
        (dom for dom in names.members.get(key.split(",")[0].strip(), ()) if dom.sort == "place"), None
    )
    return _At(row=place) if place is not None else _At(rows=at.rows if key == "rows" else None)


def field_named(names: Names, row: Dom | None, key: str) -> Dom | None:
    """The domain whose field a key is: that of the row, else the only one that has it."""
    if row is not None:
        dom: Dom | None = row
        while dom is not None:
            if key in dom.fields:
                return dom
            dom = next((inner for inner in dom.classes if key in inner.fields), None) or dom.parent
        within = [d for d in names.fields.get(key, ()) if d.within is row]
        return within[0] if within else None
    found = [dom for dom in names.fields.get(key, ()) if dom.sort in ("place", "edge", "piece", "kind")]
    places = [dom for dom in found if dom.sort in ("place", "edge")]
    return found[0] if len(found) == 1 else places[0] if len(places) == 1 else None


def _walk(names: Names, node: YNode, at: _At) -> Iterator[Named]:
    if isinstance(node, YMap):
        for key, entry in node.entries.items():
            below = inside(names, at, key)
            yield from _key(names, at, key, entry.key_span)
            yield from _walk(names, entry.value, below)
    elif isinstance(node, YList):
        for item in node.items:
            yield from _walk(names, item, at)
    elif isinstance(node, YScalar) and at.value.dom is not None and node.text:
        dom = at.value.dom
        owner = next((one for one in (dom, *dom.classes) if node.text in one.members), None)
        if owner is not None:
            yield Named(Symbol("member", owner.name, node.text), node.span, dom_type(owner), False)


def _key(names: Names, at: _At, key: str, span: Span) -> Iterator[Named]:
    world = names.world
    if key in world.types:
        yield Named(Symbol("type", "", key), span, dom_type(world.types[key]), True)
        return
    if at.rows is not None and key in at.rows.members:
        yield Named(Symbol("member", at.rows.name, key), span, dom_type(at.rows), True)
        return
    if at.axes and key in at.axes[0].members:
        yield Named(Symbol("member", at.axes[0].name, key), span, dom_type(at.axes[0]), True)
        return
    owner = field_named(names, at.row, key)
    if owner is not None:
        yield Named(Symbol("field", owner.name, key), span, owner.fields[key].type, True)
        return
    if key in world.globals:
        yield Named(Symbol("field", "game", key), span, world.globals[key].type, True)
        return
    if key in world.options:
        yield Named(Symbol("option", "", key), span, UNKNOWN, True)
        return
    for name in (part.strip() for part in key.split(",")):
        place = next((dom for dom in names.members.get(name, ()) if dom.sort == "place"), None)
        if place is not None:
            found = names.word_at(span, name)
            at_name = Span(span.file, found.line + 1, found.start + 1, found.line + 1, found.end + 1)
            yield Named(Symbol("member", place.name, name), at_name, dom_type(place), True)


def path_at(lines: list[str], line: int, column: int) -> tuple[list[str], bool]:
    """The keys above a place, read from the indentation and the braces before it, and whether a value stands there.

    For files that are not finished, which no parser reads."""
    path: list[tuple[int, str]] = []
    for number in range(line + 1):
        text = lines[number] if number < line else lines[number][:column]
        stripped = text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        indent = len(text) - len(text.lstrip())
        while path and path[-1][0] >= indent:
            path.pop()
        body = stripped.removeprefix("- ")
        key, colon, _ = body.partition(":")
        if colon and not key.startswith("{"):
            path.append((indent, key.strip().strip("\"'")))
    here = lines[line][:column] if line < len(lines) else ""
    keys = [key for _, key in path]
    brace = here.rfind("{")
    if brace > here.rfind("}"):
        keys = [key for indent, key in path]
        opened = [part.strip() for part in here[brace + 1 :].split(",")]
        last = opened[-1]
        if here[:brace].lstrip().startswith("- ") or not here[:brace].strip():
            keys = keys[:-1] if keys and keys[-1].startswith("{") else keys
        if ":" in last:
            return [*keys, last.partition(":")[0].strip()], True
        return keys, False
    if ":" in here:
        return keys, True
    return keys, False
