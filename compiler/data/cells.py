"""The reader of cells: drawn cells, YAML and literals of the rules, by the type that is wanted.

Kinds, maps, tables and scenarios share it, so that the same error gets the same message everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.values import NOTHING, Index, Value, number_key, plain_number
from grognard.compiler.sema.callable_types import why_not
from grognard.compiler.sema.types import (
    INT_HI,
    INT_LO,
    Dom,
    FieldInfo,
    Type,
)
from grognard.compiler.support.yamlfile import (
    YEntry,
    YList,
    YMap,
    YNode,
    YScalar,
    describe,
    expect_flag,
    expect_int,
    guess_key,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract.header import NONE
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import as_hint, hint_or_all


class CellReader:
    """Turns what authors write into values, with a diagnostic at the very place for what does not fit.

    `names` are named pieces, `aliases` further names of places; both come with a scenario.  On the plain board of
    an example (`lenient`) the places of the real map are missing, which is no fault: they read none."""

    def __init__(
        self,
        ground: Ground,
        names: Mapping[str, int] | None = None,
        aliases: Mapping[int, Mapping[str, int]] | None = None,
        lenient: bool = False,
    ) -> None:
        self.ground = ground
        self.sink: Sink = ground.sink
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
                if dom.range_lo <= value < dom.range_lo + len(self.ground.members(dom)):
                    return value
            return None
        if dom.sort in ("piece", "record"):
            number = self.names.get(name, NONE)
            return number if self.ground.base(dom) <= number < self.ground.base(dom) + dom.up_to else None
        known = self._index.get(dom.id)
        if known is None or len(known) < len(self.ground.members(dom)):
            known = {member: place for place, member in enumerate(self.ground.members(dom))}
            for alias, place in (*self.aliases.get(dom.id, {}).items(), *dom.renamed.items()):
                known.setdefault(alias, place)
            self._index[dom.id] = known
        found = known.get(name)
        return None if found is None else self.ground.base(dom) + found

    def known(self, dom: Dom) -> list[str]:
        if dom.sort in ("piece", "record"):
            return [
                n
                for n, value in self.names.items()
                if self.ground.base(dom) <= value < self.ground.base(dom) + dom.up_to
            ]
        return self.ground.members(dom)

    def member(self, dom: Dom, name: str, span: Span, code: str = "") -> int | None:
        """The value of a member by name, or a diagnostic."""
        value = self.find(dom, name)
        if value is None and dom.sort in ("place", "edge") and (self.lenient or not self.ground.members(dom)):
            return None  # a map that could not be read has been reported
        if value is None and dom.name in self.ground.unread:
            return None  # and so has a file of rows
        if value is None:
            code = code or ("GR0609" if dom.sort in ("place", "edge") else "GR0608")
            hint = None if self.sink.full else hint_or_all(name, self.known(dom))
            if dom.sort == "range":
                code, hint = "GR0605" if code == "GR0608" else code, None
            unfit = why_not(self.ground.symbols, dom, name)
            if unfit is not None:
                self.sink.error(code, span, unfit[0], hint=unfit[1])
            else:
                self.sink.error(code, span, f"{dom.name} has no `{name}`", hint=hint)
        elif dom.callable_type is not None:
            self.ground.used.add(dom.members[value])
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
            base = self.ground.first(type_.dom)
            return frozenset(range(base, base + len(self.ground.members(type_.dom)))) - named
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
        base = self.ground.first(axis)
        given: set[int] = set()
        if isinstance(node, YList) and axis.sort == "range":
            if len(node.items) > len(self.ground.members(axis)):
                extra = node.items[len(self.ground.members(axis))]
                self.sink.error(
                    "GR0605", extra.span, f"{what} has more values than {axis.name} ({len(node.items)})"
                )
            for place, item in enumerate(node.items[: len(self.ground.members(axis))]):
                given.add(place)
                self._axes(
                    info,
                    rest,
                    item,
                    (*index, place),
                    out,
                    f"{what}({self.ground.members(axis)[place]})",
                    spans,
                )
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
        last = axis.range_lo + len(self.ground.members(axis)) - 1
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
        missing = [place for place in range(len(self.ground.members(axis))) if place not in given]
        if not missing:
            return
        default = self.default(info)
        if default is None:
            names = ", ".join(self.ground.members(axis)[place] for place in missing)
            self.sink.error("GR0603", span, f"{what} lacks {names}")
            default = self.ground.lowest(info.type)
        for place in missing:
            self.spread(rest, (*index, place), out, default)

    def spread(self, axes: Sequence[Dom], index: Index, out: dict[Index, Value], value: Value) -> None:
        """The same value for every member of the axes."""
        if not axes:
            out.setdefault(index, value)
            return
        for place in range(len(self.ground.members(axes[0]))):
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
                # The key is misspelt: that the column is missing is not reported too.
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
                if member in self.ground.members(info.axes[0]):
                    return name, member
        return None


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
        default = reader.ground.lowest(info.type)
    reader.spread(info.axes, index, out, default)


def ymap(entries: Mapping[str, tuple[Span, YNode]], span: Span) -> YMap:
    return YMap({key: YEntry(place, node) for key, (place, node) in entries.items()}, span)
