"""Rows of kinds, from YAML files or drawn in the rules: their names, their cells, and the errata to both.

Here too is the one reader of values (`CellReader`) that maps, tables and scenarios share, so that the same mistake
gets the same message wherever it is made.  Row names are read before any cell: cells may refer to rows of any kind.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grognard.compiler import syntax as syn
from grognard.compiler.diagnostics import Label, Sink
from grognard.compiler.layers import Merged
from grognard.compiler.map_directions import settle_directions
from grognard.compiler.project import Project
from grognard.compiler.shapes import why_not
from grognard.compiler.source import Span
from grognard.compiler.suggest import as_hint, hint_for
from grognard.compiler.types import INT_HI, INT_LO, Dom, FieldInfo, Type
from grognard.compiler.world import World
from grognard.compiler.yamlfile import (
    YEntry,
    YList,
    YMap,
    YNode,
    YScalar,
    describe,
    expect_flag,
    expect_int,
    expect_map,
    guess_key,
)
from grognard.values import NONE

Value = int | frozenset[int]
Index = tuple[int, ...]
Cells = dict[int, dict[Index, Value]]

#: How authors write an empty optional.
NOTHING = ("-", "NA", "none", "")
#: Keys that every row may have, whatever its columns.
ROW_KEYS = ("name", "cite", "note")
#: Domains whose members only a map or a set-up brings.
LATE_SORTS = ("place", "edge", "piece", "record")


@dataclass(slots=True)
class LateColumn:
    """A cell that names places: it can be read only when a map is loaded."""

    info: FieldInfo
    index: Index
    node: YNode | None
    row_span: Span
    what: str


@dataclass(slots=True)
class Values:
    """Constants by column id, then by index (ordinals, without the bases of domains).

    Integer cells and elements of sets are values of their domain, with its base."""

    columns: Cells = field(default_factory=dict)
    spans: dict[tuple[int, Index], Span] = field(default_factory=dict)
    tables: dict[int, array[int]] = field(default_factory=dict)
    late: list[LateColumn] = field(default_factory=list)
    merged: Merged = field(default_factory=Merged)


# --------------------------------------------------------------------------------------- reading one value


def lowest(type_: Type) -> Value:
    """The value that stands in for one that is not given."""
    if type_.sort == "set":
        return frozenset()
    if type_.sort == "int":
        return type_.lo if type_.lo > INT_LO else min(0, type_.hi)
    if type_.sort == "dom" and type_.dom is not None:
        return first_value(type_.dom)
    return 0


def first_value(dom: Dom) -> int:
    return dom.range_lo if dom.sort == "range" else dom.base


def plain_default(type_: Type) -> Value:
    """The start value where none is written: none, else the lowest that is not below 0."""
    if type_.optional:
        return NONE
    if type_.sort == "int":
        return min(max(0, type_.lo), type_.hi)
    return lowest(type_)


def is_late(type_: Type, axes: Iterable[Dom] = ()) -> bool:
    doms = [*axes, *([type_.dom] if type_.dom is not None else [])]
    return any(dom.sort in LATE_SORTS for dom in doms)


def show_value(type_: Type, value: Value) -> str:
    """A value as the author would write it."""
    if isinstance(value, frozenset):
        names = [show_value(Type("dom", dom=type_.dom), v) for v in sorted(value)]
        return ", ".join(names) or "-"
    if value == NONE:
        return "none"
    if type_.sort == "flag":
        return "yes" if value else "no"
    if type_.sort == "dom" and type_.dom is not None:
        place = value - first_value(type_.dom)
        if 0 <= place < len(type_.dom.members):
            return type_.dom.members[place]
    return str(value)


class CellReader:
    """Turns what authors write into values, with a diagnostic at the very place for what does not fit.

    `names` are named pieces, `aliases` further names of places; both come with a scenario.  On the plain board of
    an example (`lenient`) the places of the real map are missing, which is no fault: they read none."""

    def __init__(
        self,
        world: World,
        names: Mapping[str, int] | None = None,
        aliases: Mapping[int, Mapping[str, int]] | None = None,
        lenient: bool = False,
    ) -> None:
        self.world = world
        self.sink: Sink = world.sink
        self.names = names or {}
        self.aliases = aliases or {}
        self.lenient = lenient
        self._index: dict[int, dict[str, int]] = {}

    # ---- members

    def find(self, dom: Dom, name: str) -> int | None:
        """The value of a member, None if there is none of that name."""
        if dom.sort == "range":
            if re.fullmatch(r"[+-]?\d{1,9}", name):
                value = int(name)
                if dom.range_lo <= value < dom.range_lo + len(dom.members):
                    return value
            return None
        if dom.sort in ("piece", "record"):
            number = self.names.get(name, NONE)
            return number if dom.base <= number < dom.base + dom.up_to else None
        known = self._index.get(dom.id)
        if known is None or len(known) < len(dom.members):
            known = {member: place for place, member in enumerate(dom.members)}
            for alias, place in (*self.aliases.get(dom.id, {}).items(), *dom.renamed.items()):
                known.setdefault(alias, place)
            self._index[dom.id] = known
        found = known.get(name)
        return None if found is None else dom.base + found

    def known(self, dom: Dom) -> list[str]:
        if dom.sort in ("piece", "record"):
            return [n for n, value in self.names.items() if dom.base <= value < dom.base + dom.up_to]
        return dom.members

    def member(self, dom: Dom, name: str, span: Span, code: str = "") -> int | None:
        """The value of a member by name, or a diagnostic."""
        value = self.find(dom, name)
        if value is None and dom.sort in ("place", "edge") and (self.lenient or not dom.members):
            return None  # a map that could not be read has been told of
        if value is None:
            code = code or ("GR0609" if dom.sort in ("place", "edge") else "GR0608")
            hint = None if self.sink.full else hint_for(name, self.known(dom))
            if dom.sort == "range":
                code, hint = "GR0605" if code == "GR0608" else code, None
            unfit = why_not(self.world, dom, name)
            if unfit is not None:
                self.sink.error(code, span, unfit[0], hint=unfit[1])
            else:
                self.sink.error(code, span, f"{dom.name} has no `{name}`", hint=hint)
        elif dom.shape is not None:
            dom.shape.entries[value - dom.base].used = True
        return value

    # ---- values from text: drawn cells, and words in YAML

    def text(self, type_: Type, text: str, span: Span, code: str = "GR0409") -> Value | None:
        """A cell of a drawn row; None after a diagnostic."""
        text = text.strip()
        if type_.sort == "set":
            return self.set_text(type_, text, span, code)
        if text in NOTHING and type_.sort != "flag":
            if type_.optional:
                return NONE
            if text:
                hint = f"a result that may be absent is declared as {type_}?"
                self.sink.error(code, span, f"`{text}` stands here, and {type_} cannot be absent", hint=hint)
            else:
                self.sink.error(
                    code, span, "this cell is empty", hint="write `-` for nothing and `?` for not known"
                )
            return None
        match type_.sort:
            case "int":
                if not re.fullmatch(r"[+-]?\d{1,10}", text):
                    self.sink.error(code, span, f"`{text}` is not a number ({type_} is wanted)")
                    return None
                value = int(text)
                if not type_.lo <= value <= type_.hi:
                    self.sink.error(code, span, f"{value} is outside {type_}")
                    return None
                return value
            case "flag":
                if text in ("yes", "no", "-"):
                    return int(text == "yes")
                self.sink.error(code, span, f"`{text}` must be `yes` or `no`")
                return None
            case "dom":
                assert type_.dom
                return self.member(type_.dom, text, span, code)
        return None

    def set_text(self, type_: Type, text: str, span: Span, code: str = "") -> frozenset[int] | None:
        """`A, B`, `any`, `any but A`, `-`."""
        assert type_.dom
        if text in NOTHING:
            return frozenset()
        every = text == "any" and self.find(type_.dom, "any") is None
        but = text.startswith("any but ")
        named: set[int] = set()
        if not every:
            for word in (text.removeprefix("any but ") if but else text).split(","):
                value = self.member(type_.dom, word.strip(), span, code)
                if value is None:
                    return None
                named.add(value)
        if every or but:
            base = first_value(type_.dom)
            return frozenset(range(base, base + len(type_.dom.members))) - named
        return frozenset(named)

    # ---- values from YAML

    def value(self, type_: Type, node: YNode, what: str) -> Value | None:
        """A YAML value of the type; None after a diagnostic."""
        if type_.sort == "set":
            return self._set(type_, node, what)
        if isinstance(node, YScalar) and (node.value is None or node.text in NOTHING):
            if type_.optional:
                return NONE
        match type_.sort:
            case "int":
                low = type_.lo if type_.lo > INT_LO else None
                high = type_.hi if type_.hi < INT_HI else None
                value = expect_int(node, self.sink, what, low, high)
                if value is not None and not INT_LO <= value <= INT_HI:
                    self.sink.error("GR0605", node.span, f"{what} is too large: {value}")
                    return None
                return value
            case "flag":
                flag = expect_flag(node, self.sink, what)
                return None if flag is None else int(flag)
            case "dom":
                assert type_.dom
                if not isinstance(node, YScalar) or node.value is None:
                    wanted = f"a member of {type_.dom.name}"
                    self.sink.error("GR0604", node.span, f"{what} must be {wanted}, not {describe(node)}")
                    return None
                found = self.member(type_.dom, node.text, node.span)
                return NONE if found is None and self.lenient else found
            case "unknown":
                return None
        self.sink.error("GR0604", node.span, f"{what} cannot be given in data: it is a {type_}")
        return None

    def _set(self, type_: Type, node: YNode, what: str) -> frozenset[int] | None:
        assert type_.dom
        if isinstance(node, YScalar):
            return self.set_text(type_, "" if node.value is None else node.text, node.span)
        if isinstance(node, YMap):
            self.sink.error("GR0604", node.span, f"{what} must be a list of {type_.dom.name}, not a map")
            return None
        values: set[int] = set()
        for item in node.items:
            value = self.value(Type("dom", dom=type_.dom), item, what)
            if isinstance(value, int) and value != NONE:
                values.add(value)
        return frozenset(values)

    # ---- literals in the rules: defaults and errata

    def literal(self, type_: Type, expr: syn.Expr | None) -> Value | None:
        """The value of a plain expression (a number, a member, yes, none, a set); None after a diagnostic."""
        match expr:
            case syn.NoneLit() if type_.optional:
                return NONE
            case syn.FlagLit(value=flag) if type_.sort == "flag":
                return int(flag)
            case syn.Name(id=name, span=span) if type_.sort == "dom" and type_.dom:
                return self.member(type_.dom, name, span)
            case syn.Name(id=name, span=span) if type_.sort == "set":
                return self.set_text(type_, name, span)
            case syn.Text(value=name, span=span) if type_.sort == "dom" and type_.dom:
                return self.member(type_.dom, name, span)
            case syn.Dot(object=syn.Name(id=owner), name=name, name_span=span) if (
                type_.sort == "dom" and type_.dom and owner == type_.dom.name
            ):
                return self.member(type_.dom, name, span)
            case syn.SetLiteral(items=items) if type_.sort == "set":
                parts = [self.literal(Type("dom", dom=type_.dom), item) for item in items]
                return None if None in parts else frozenset(p for p in parts if isinstance(p, int))
            case syn.Number() | syn.UnaryExpr() if type_.sort == "int" or (
                type_.dom is not None and type_.dom.sort in ("range", "place")
            ):
                if type_.dom is not None and isinstance(expr, syn.Number):
                    return self.member(type_.dom, expr.text, expr.span)
                value = plain_number(expr)
                if value is not None:
                    if not type_.lo <= value <= type_.hi:
                        self.sink.error("GR0304", expr.span, f"{value} is outside {type_}")
                        return None
                    return value
        if expr is not None:
            self.sink.error("GR0301", expr.span, f"this is not a plain {type_}")
        return None

    # ---- columns with axes

    def column(
        self,
        info: FieldInfo,
        node: YNode,
        index: Index,
        out: dict[Index, Value],
        what: str,
        spans: dict[tuple[int, Index], Span] | None = None,
    ) -> None:
        """A whole column of one row: a value, or for each axis a map (over numbers also a list) of values."""
        self._axes(info, list(info.axes), node, index, out, what, spans)

    def _axes(
        self,
        info: FieldInfo,
        axes: list[Dom],
        node: YNode,
        index: Index,
        out: dict[Index, Value],
        what: str,
        spans: dict[tuple[int, Index], Span] | None,
    ) -> None:
        if not axes:
            value = self.value(info.type, node, what)
            if value is not None:
                out[index] = value
                if spans is not None and info.column is not None:
                    spans[info.column, index] = node.span
            return
        axis, *rest = axes
        base = first_value(axis)
        given: set[int] = set()
        if isinstance(node, YList) and axis.sort == "range":
            if len(node.items) > len(axis.members):
                extra = node.items[len(axis.members)]
                self.sink.error(
                    "GR0605", extra.span, f"{what} has more values than {axis.name} ({len(node.items)})"
                )
            for place, item in enumerate(node.items[: len(axis.members)]):
                given.add(place)
                self._axes(info, rest, item, (*index, place), out, f"{what}({axis.members[place]})", spans)
        elif isinstance(node, YMap):
            for key, entry in node.entries.items():
                if axis.sort == "range":
                    places = self._range_key(axis, key, entry.key_span)
                else:
                    found = self.member(axis, key, entry.key_span)
                    places = [] if found is None else [found - base]
                given.update(places)
                for place in places:
                    self._axes(info, rest, entry.value, (*index, place), out, f"{what}({key})", spans)
        else:
            self.sink.error(
                "GR0604", node.span, f"{what} must be a map over {axis.name}, not {describe(node)}"
            )
            return
        self._fill(info, axes, given, index, out, what, node.span)

    def _range_key(self, axis: Dom, key: str, span: Span) -> list[int]:
        found = number_key(key)
        last = axis.range_lo + len(axis.members) - 1
        if found is None:
            self.sink.error("GR0604", span, f"`{key}` is no number of {axis.name}")
            return []
        lo = axis.range_lo if found[0] is None else found[0]
        hi = last if found[1] is None else found[1]
        if lo < axis.range_lo or hi > last or lo > hi:
            self.sink.error("GR0605", span, f"`{key}` is outside {axis.name}")
            return []
        return list(range(lo - axis.range_lo, hi - axis.range_lo + 1))

    def _fill(
        self,
        info: FieldInfo,
        axes: list[Dom],
        given: set[int],
        index: Index,
        out: dict[Index, Value],
        what: str,
        span: Span,
    ) -> None:
        """Members of an axis that are not given take the default."""
        axis, *rest = axes
        missing = [place for place in range(len(axis.members)) if place not in given]
        if not missing:
            return
        default = self.default(info)
        if default is None:
            names = ", ".join(axis.members[place] for place in missing)
            self.sink.error("GR0603", span, f"{what} lacks {names}")
            default = lowest(info.type)
        for place in missing:
            self.spread(rest, (*index, place), out, default)

    def spread(self, axes: Sequence[Dom], index: Index, out: dict[Index, Value], value: Value) -> None:
        """The same value for every member of the axes."""
        if not axes:
            out.setdefault(index, value)
            return
        for place in range(len(axes[0].members)):
            self.spread(axes[1:], (*index, place), out, value)

    def default(self, info: FieldInfo) -> Value | None:
        """The default as declared; none for optionals; None if there is none."""
        if info.decl is not None and info.decl.default is not None:
            return self.literal(info.type, info.decl.default)
        return NONE if info.type.optional else None

    def row(
        self,
        fields: Mapping[str, FieldInfo],
        node: YMap,
        what: str,
        extra: Iterable[str] = (),
    ) -> dict[str, YNode]:
        """The cells of a row by column; keys that are not declared are GR0602.

        `fp_red: 4` is gathered with its like under `fp`."""
        found: dict[str, YNode] = {}
        parts: dict[str, dict[str, tuple[Span, YNode]]] = {}
        allowed = set(extra)
        for key, entry in node.entries.items():
            if key in fields:
                found[key] = entry.value
                continue
            if key in allowed:
                continue
            split = self._split(fields, key)
            if split is not None:
                parts.setdefault(split[0], {})[split[1]] = (entry.key_span, entry.value)
                continue
            guess = guess_key(key, [*fields, *allowed], node, self.sink)
            self.sink.error("GR0602", entry.key_span, f"{what} has no column `{key}`", hint=as_hint(guess))
            if guess is not None and guess in fields:
                # It is there, under a misspelt name: that it is missing need not be said too.
                found[guess] = entry.value
        for name, cells in parts.items():
            if name in found:
                span = next(iter(cells.values()))[0]
                self.sink.error("GR0606", span, f"`{name}` is given twice, as a map and in single columns")
                continue
            found[name] = ymap(cells, node.span)
        return found

    def _split(self, fields: Mapping[str, FieldInfo], key: str) -> tuple[str, str] | None:
        for name, info in fields.items():
            if len(info.axes) == 1 and key.startswith(f"{name}_"):
                member = key[len(name) + 1 :]
                if member in info.axes[0].members:
                    return name, member
        return None


def ymap(entries: Mapping[str, tuple[Span, YNode]], span: Span) -> YMap:
    return YMap({key: YEntry(place, node) for key, (place, node) in entries.items()}, span)


def plain_number(expr: syn.Expr) -> int | None:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op in ("neg", "pos") and isinstance(expr.value, syn.Number):
        return -expr.value.value if expr.op == "neg" else expr.value.value
    return None


_KEY = re.compile(r"([+-]?\d{1,9})?\s*\.\.\s*([+-]?\d{1,9})?")


def number_key(text: str) -> tuple[int | None, int | None] | None:
    """`3`, `-5`, `0..3`, `..-1`, `10..`, `5+`, `<=0`, `>=7` as (low, high); an open end is None."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d{1,9}", text):
        return int(text), int(text)
    if match := re.fullmatch(r"([+-]?\d{1,9})\s*\+", text):
        return int(match[1]), None
    if match := re.fullmatch(r"(<=|>=)\s*([+-]?\d{1,9})", text):
        return (None, int(match[2])) if match[1] == "<=" else (int(match[2]), None)
    if match := _KEY.fullmatch(text):
        if match[1] is None and match[2] is None:
            return None
        return (int(match[1]) if match[1] else None), (int(match[2]) if match[2] else None)
    return None


# ------------------------------------------------------------------------------------------------- kinds


@dataclass(slots=True)
class _YamlRow:
    id: str
    node: YMap
    key_span: Span
    parent: int | None = None


def load_kinds(world: World, project: Project, merged: Merged) -> Values:
    """Rows of all kinds and powers; after this every name that rules can use is known, directions included."""
    settle_directions(world, project)
    values = Values(merged=merged)
    loader = _KindLoader(world, project, values)
    loader.names()
    _rename(world, merged)
    loader.cells()
    apply_amends(world, CellReader(world), values.columns, values, late=False)
    return values


def _rename(world: World, merged: Merged) -> None:
    """Rows that errata give another name; what was written earlier may go on using the old one."""
    for amend in merged.data_amends:
        if amend.sort != "rename":
            continue
        dom = world.types.get(amend.target)
        old, new = (key for key in amend.key if isinstance(key, syn.Name))
        if dom is None or not isinstance(dom.decl, syn.KindDecl):
            world.sink.error("GR0504", amend.span, f"`{amend.target}` is not a kind")
            continue
        if old.id not in dom.members:
            hint = hint_for(old.id, dom.members)
            world.sink.error("GR0503", old.span, f"{dom.name} has no row `{old.id}` to rename", hint=hint)
        elif new.id in dom.members:
            world.sink.error("GR0205", new.span, f"{dom.name} has a row `{new.id}` already")
        else:
            place = dom.members.index(old.id)
            dom.members[place] = new.id
            if place < len(dom.titles):
                dom.titles[place] = amend.label or new.id.replace("_", " ")
            dom.renamed[old.id] = place


def nested_keys(dom: Dom) -> list[str]:
    """The keys under which rows of a nested kind may sit in the rows of its parent."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", dom.name).lower()
    keys: list[str] = []
    for name in (dom.name.lower(), snake):
        plural = name[:-1] + "ies" if re.search(r"[^aeiou]y$", name) else name + "s"
        keys += [plural, name, name + "es"]
    return list(dict.fromkeys(keys))


class _KindLoader:
    def __init__(self, world: World, project: Project, values: Values) -> None:
        self.world = world
        self.project = project
        self.values = values
        self.sink = world.sink
        self.rows: dict[int, list[_YamlRow]] = {}
        self.doms = [dom for dom in dict.fromkeys(world.types.values()) if isinstance(dom.decl, syn.KindDecl)]

    # ---- names of rows

    def names(self) -> None:
        for dom in self.doms:
            decl = dom.decl
            assert isinstance(decl, syn.KindDecl)
            if decl.source and not decl.source.startswith("scenario."):
                self._file(dom, decl)
            elif not decl.rows and dom.within is None and not decl.source:
                self.sink.warning(
                    "GR0613",
                    dom.span,
                    f"kind `{dom.name}` has no rows",
                    hint=f'draw them here, or say: kind {dom.name} from "file.yaml"',
                )
        pending = [dom for dom in self.doms if dom.within is not None and dom.id not in self.rows]
        pending = [dom for dom in pending if isinstance(dom.decl, syn.KindDecl) and not dom.decl.rows]
        while pending:
            ready = [dom for dom in pending if dom.within not in pending]
            if not ready:  # kinds that lie in each other have no rows at all
                break
            for dom in ready:
                self._nested(dom)
                pending.remove(dom)

    def _file(self, dom: Dom, decl: syn.KindDecl) -> None:
        assert decl.source
        node = self.project.load_data(decl.source, decl.span, self.sink)
        if node is None:
            self.world.unread.add(dom.name)
            return
        self.rows[dom.id] = []
        what = f'"{decl.source}"'
        if isinstance(node, YScalar) and node.value is None:
            self.sink.error("GR0613", decl.span, f"{what} has no rows for {dom.name}")
            return
        table = expect_map(node, self.sink, what)
        if table is None:
            self.world.unread.add(dom.name)
            return
        for key in (dom.name, dom.name.lower()):
            below = table.get(key)
            # A row may bear the name of its kind, and rows that of a column: a section holds nothing but rows.
            if isinstance(below, YMap) and (
                not any(k in dom.fields or k in ROW_KEYS for k in below.entries)
                or (
                    all(isinstance(e.value, YMap) for e in below.entries.values())
                    and not all(k in dom.fields for k in below.entries)
                )
            ):
                self._check_sections(table, decl.source)
                table = below
                break
        for key, entry in table.entries.items():
            row: YNode = entry.value
            if isinstance(row, YScalar) and row.value is None:
                row = YMap({}, entry.key_span)
            cells = expect_map(row, self.sink, f"{dom.name} {key}")
            if cells is not None:
                self.rows[dom.id].append(_YamlRow(key, cells, entry.key_span))
        self._take_names(dom)

    def _check_sections(self, table: YMap, source: str) -> None:
        """Of a file that several kinds or tables share: every section must belong to one of them."""
        known = ["about", "note", "cite"]
        for dom in self.doms:
            if isinstance(dom.decl, syn.KindDecl) and dom.decl.source == source:
                known += [dom.name, dom.name.lower()]
        for entry in self.world.callables.values():
            if entry.sort == "table" and entry.decl.source == source:
                known.append(entry.name)
        for key, section in table.entries.items():
            if key not in known:
                self.sink.error(
                    "GR0602",
                    section.key_span,
                    f'"{source}" has a section `{key}` that no kind reads',
                    hint=hint_for(key, known),
                )

    def _nested(self, dom: Dom) -> None:
        assert dom.within is not None
        found: list[_YamlRow] = []
        for place, row in enumerate(self.rows.get(dom.within.id, [])):
            for key in nested_keys(dom):
                node = row.node.get(key)
                if node is None or (isinstance(node, YScalar) and node.value is None):
                    continue
                table = expect_map(node, self.sink, f"{dom.within.name} {row.id}: {key}")
                for name, entry in table.entries.items() if table else ():
                    cells = expect_map(entry.value, self.sink, f"{dom.name} {name}")
                    if cells is not None:
                        found.append(_YamlRow(name, cells, entry.key_span, place))
        counts: dict[str, int] = {}
        for row in found:
            counts[row.id] = counts.get(row.id, 0) + 1
        for row in found:
            if counts[row.id] > 1 and row.parent is not None:
                row.id = f"{self.rows[dom.within.id][row.parent].id}_{row.id}"
        self.rows[dom.id] = found
        self._take_names(dom)

    def _take_names(self, dom: Dom) -> None:
        rows = self.rows[dom.id]
        seen: dict[str, Span] = {}
        for row in rows:
            if row.id in seen:
                self.sink.error(
                    "GR0606",
                    row.key_span,
                    f"{dom.name} has two rows `{row.id}`",
                    labels=(Label(seen[row.id], "first given here"),),
                )
            seen.setdefault(row.id, row.key_span)
        dom.members = [row.id for row in rows]
        dom.titles = []
        for row in rows:
            title = row.node.get("name")
            shown = title.text if isinstance(title, YScalar) and title.value is not None else ""
            dom.titles.append(shown or row.id.replace("_", " "))
        if not rows and dom.within is None:
            self.sink.error("GR0613", dom.span, f"kind `{dom.name}` has no rows")

    # ---- cells

    def cells(self) -> None:
        reader = CellReader(self.world)
        for dom in self.doms:
            for info in dom.fields.values():
                if info.column is not None:
                    self.values.columns.setdefault(info.column, {})
            if dom.id in self.rows:
                for place, row in enumerate(self.rows[dom.id]):
                    self._row(reader, dom, place, row)
            elif isinstance(dom.decl, syn.KindDecl) and dom.decl.rows:
                self._inline(reader, dom, dom.decl)

    def _row(self, reader: CellReader, dom: Dom, place: int, row: _YamlRow) -> None:
        extra = list(ROW_KEYS)
        for child in self.doms:
            if child.within is dom:
                extra += nested_keys(child)
        fields = {name: info for name, info in dom.fields.items() if info.column is not None}
        back = dom.within.name.lower() if dom.within is not None and row.parent is not None else ""
        if back:
            fields.pop(back, None)
            info = dom.fields[back]
            assert info.column is not None and row.parent is not None
            self.values.columns[info.column][(place,)] = row.parent
        found = reader.row(fields, row.node, f"{dom.name} {row.id}", extra)
        for name, info in fields.items():
            assert info.column is not None
            node = found.get(name)
            what = f"{dom.name} {row.id}: {name}"
            if is_late(info.type, info.axes):
                self.values.late.append(LateColumn(info, (place,), node, row.key_span, what))
                continue
            out = self.values.columns[info.column]
            read_cell(reader, info, node, (place,), out, what, row.key_span, self.values.spans)

    def _inline(self, reader: CellReader, dom: Dom, decl: syn.KindDecl) -> None:
        heading, *rows = decl.rows
        columns: list[tuple[int, FieldInfo, Index]] = []
        for place, (text, _span) in enumerate(heading.cells[1:], start=1):
            match = re.fullmatch(r"([A-Za-z_]\w*)(?:\((\w+)\))?", text)
            info = dom.fields.get(match[1]) if match else None
            if match is None or info is None or info.column is None:
                continue
            if info.decl is not None and not decl.typed:
                continue
            axis: Index = ()
            if info.axes:
                found = reader.find(info.axes[0], match[2] or "")
                if found is None:
                    continue
                axis = (found - first_value(info.axes[0]),)
            columns.append((place, info, axis))
        for row in rows:
            members = [dom.index(name.strip()) for name in row.cells[0][0].split("/")]
            for place, info, axis in columns:
                if place >= len(row.cells):
                    continue
                text, span = row.cells[place]
                if text == "?":
                    self.sink.note(
                        "GR0410", span, f"{dom.name} {row.cells[0][0]}: `{info.name}` is not given"
                    )
                    value: Value | None = lowest(info.type)
                else:
                    value = None if info.type.sort == "unknown" else reader.text(info.type, text, span)
                for member in members:
                    if member is not None and value is not None:
                        assert info.column is not None
                        self.values.columns[info.column][(member, *axis)] = value
                        self.values.spans[info.column, (member, *axis)] = span
        for info in dom.fields.values():  # columns that a later layer added: only their defaults are known
            if (
                info.column is None
                or (info.decl is None and dom.within is None)
                or info in [c[1] for c in columns]
            ):
                continue
            for member, name in enumerate(dom.members):
                what = f"{dom.name} {name}: {info.name}"
                span = dom.span or heading.span
                read_cell(reader, info, None, (member,), self.values.columns[info.column], what, span)


def read_cell(
    reader: CellReader,
    info: FieldInfo,
    node: YNode | None,
    index: Index,
    out: dict[Index, Value],
    what: str,
    row_span: Span,
    spans: dict[tuple[int, Index], Span] | None = None,
) -> None:
    """One column of one row; a column that is not given takes its default, without one it is a GR0603."""
    if info.type.sort == "unknown":
        return
    if node is not None:
        reader.column(info, node, index, out, what, spans)
        return
    default = reader.default(info)
    if default is None:
        if info.decl is None or info.decl.default is None:
            where, _, name = what.rpartition(": ")
            reader.sink.error("GR0603", row_span, f"{where} lacks `{name}`")
        default = lowest(info.type)
    reader.spread(info.axes, index, out, default)


# ---------------------------------------------------------------------------------------------- amendments


def apply_amends(world: World, reader: CellReader, columns: Cells, values: Values, *, late: bool) -> None:
    """The errata to rows of kinds, in their order; those to cells that name places wait for the map."""
    for amend in values.merged.data_amends:
        if amend.sort != "kind":
            continue
        dom = world.types.get(amend.target)
        if dom is None or not isinstance(dom.decl, syn.KindDecl):
            if not late:
                world.sink.error("GR0504", amend.span, f"`{amend.target}` is not a kind")
            continue
        row, name, *axes = (key for key in amend.key if isinstance(key, syn.Name))
        info = dom.fields.get(name.id)
        if info is None or info.column is None:
            if not late:
                known = [n for n, i in dom.fields.items() if i.column is not None]
                hint = hint_for(name.id, known)
                world.sink.error("GR0602", name.span, f"{dom.name} has no column `{name.id}`", hint=hint)
            continue
        if is_late(info.type, info.axes) == late:
            _amend(world, reader, columns, values, amend, dom, info, row, axes)


def _amend(
    world: World,
    reader: CellReader,
    columns: Cells,
    values: Values,
    amend: syn.Amend,
    dom: Dom,
    info: FieldInfo,
    row: syn.Name,
    axes: list[syn.Name],
) -> None:
    sink = world.sink
    assert info.column is not None
    place = reader.member(dom, row.id, row.span)
    if place is None:
        return
    index: Index = (place - dom.base,)
    if len(axes) != len(info.axes):
        sink.error(
            "GR0503", amend.span, f"`{info.name}` has {len(info.axes)} axes, the erratum names {len(axes)}"
        )
        return
    for key, axis in zip(axes, info.axes):
        member = reader.member(axis, key.id, key.span)
        if member is None:
            return
        index += (member - first_value(axis),)
    old, new = reader.literal(info.type, amend.old), reader.literal(info.type, amend.new)
    if old is None or new is None:
        return
    now = columns.get(info.column, {}).get(index)
    if now is None:
        return  # the cell itself was in error
    if now != old:
        span = values.spans.get((info.column, index))
        sink.error(
            "GR0503",
            amend.span,
            f"`{row.id}.{info.name}` is {show_value(info.type, now)}, "
            f"not {show_value(info.type, old)} as the erratum expects",
            labels=(Label(span, "this is what it finds"),) if span else (),
        )
        return
    columns[info.column][index] = new


def settle_late(world: World, reader: CellReader, values: Values, columns: Cells) -> None:
    """Read the cells that name places, now that the map is loaded."""
    for late in values.late:
        assert late.info.column is not None
        out = columns.setdefault(late.info.column, {})
        read_cell(reader, late.info, late.node, late.index, out, late.what, late.row_span)
    apply_amends(world, reader, columns, values, late=True)
