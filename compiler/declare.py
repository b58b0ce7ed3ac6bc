"""Merged declarations -> the world: domains, fields, columns, callables with their types.

Nothing is lowered here; after this pass every name that rules can use is known with its type.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grognard.compiler import syntax as syn
from grognard.compiler.diagnostics import Label
from grognard.compiler.forms import declare_forms, names_kind, sheets
from grognard.compiler.layers import Merged
from grognard.compiler.shapes import fill_shapes, shape_type
from grognard.compiler.source import Span
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import (
    FLAG,
    FLAT_DIRECTIONS,
    INT,
    INT_HI,
    INT_LO,
    SQUARE_DIRECTIONS,
    UNKNOWN,
    Dom,
    FieldInfo,
    RecordInfo,
    Type,
    dom_type,
    int_range,
    set_type,
)
from grognard.compiler.world import BagInfo, Callable_, OptionInfo, World
from grognard.values import NONE

DEFAULT_PIECES = 200
#: Room in the position is fixed, and found when the rules are compiled: these keep it within reason.
MAX_PIECES = 10_000
MAX_VALUES = 10_000
MAX_CELLS = 1_000_000
MAX_NUMBER = 999_999_999


def declare(world: World, merged: Merged) -> None:
    """Fill the world from the merged layers."""
    builder = _Declarer(world, merged)
    builder.domains()
    builder.kinds_inline()
    builder.fields()
    builder.options()
    builder.life_cycles()
    builder.callables()
    builder.exceptions()


class _Declarer:
    def __init__(self, world: World, merged: Merged) -> None:
        self.world = world
        self.merged = merged
        self.sink = world.sink

    def _each(self, kind: type) -> list[tuple[int, object]]:
        return [(rank, decl) for rank, decl in self.merged.decls if isinstance(decl, kind)]

    # ------------------------------------------------------------------------------------------- domains

    def domains(self) -> None:
        world = self.world
        sides = [d for _, d in self.merged.decls if isinstance(d, syn.SidesDecl)]
        if sides:
            world.sides = self._named_dom("Side", "side", sides[0].members, sides[0].span, sides[0].cites)
        for _, decl in self.merged.decls:
            match decl:
                case syn.EnumDecl():
                    self._named_dom(decl.name, "enum", decl.members, decl.span, decl.cites)
                case syn.KindDecl():
                    dom = self._new_type(decl.name, "power" if decl.powers else "kind", decl.span, decl.cites)
                    dom.from_code = False
                    dom.decl = decl
                    if decl.powers:
                        world.seats = dom
                case syn.FormDecl():
                    dom = self._new_type(decl.name, "kind", decl.span, decl.cites)
                    dom.from_code = False
                    dom.decl = names_kind(decl, self.sink)
                case syn.SpaceDecl():
                    self._space(decl)
                case syn.PieceDecl():
                    if decl.record and decl.up_to is None:
                        world.records[decl.name] = RecordInfo(decl.name, {}, decl.span)
                        continue
                    dom = self._new_type(
                        decl.name, "record" if decl.record else "piece", decl.span, decl.cites
                    )
                    dom.from_code = False
                    dom.interchangeable = decl.interchangeable
                    dom.secret_all = decl.secret_all
                    dom.decl = decl
                    dom.up_to = self._constant(decl.up_to) if decl.up_to is not None else DEFAULT_PIECES
                    if not 1 <= dom.up_to <= MAX_PIECES:
                        place = decl.up_to.span if decl.up_to is not None else decl.span
                        self.sink.error(
                            "GR0611",
                            place,
                            f"of {decl.name} there can be 1 to {MAX_PIECES:,}, not {dom.up_to:,}",
                        )
                        dom.up_to = 1
        if world.sides is None:
            world.sides = self._named_dom("Side", "side", (), Span("", 0, 0, 0, 0), syn.NO_CITES)
            if world.seats is None:
                self.sink.error(
                    "GR0709", None, "no sides are declared", hint="write for example: sides red, blue"
                )
        if world.seats is None:
            world.seats = world.sides
        for dom in world.doms:
            if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind:
                dom.kind = self._dom(dom.decl.kind, dom.decl.span, ("kind",))
            if isinstance(dom.decl, syn.KindDecl) and dom.decl.parent:
                dom.within = self._dom(dom.decl.parent, dom.decl.span, ("kind",))

    def _constant(self, expr: syn.Expr) -> int:
        if isinstance(expr, syn.Number):
            return expr.value
        if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
            return -expr.value.value
        self.sink.error("GR0301", expr.span, "a plain number is needed here")
        return 1

    def _dom(self, name: str, span: Span, sorts: tuple[str, ...]) -> Dom | None:
        dom = self.world.types.get(name)
        if dom is None or dom.sort not in sorts:
            known = [d.name for d in self.world.types.values() if d.sort in sorts]
            what = sorts[0] if len(sorts) < 3 else "type"
            self.sink.error("GR0202", span, f"there is no {what} `{name}`", hint=hint_for(name, known))
            return None
        return dom

    def _new_type(self, name: str, sort: str, span: Span, cites: syn.Cites) -> Dom:
        if name in self.world.types:
            first = self.world.types[name].span
            self.sink.error(
                "GR0205",
                span,
                f"type `{name}` is defined twice",
                labels=(Label(first, "first defined here"),) if first else (),
            )
        dom = self.world.new_dom(name, sort, span, self.world.cite(cites))
        self.world.types[name] = dom
        return dom

    def _named_dom(
        self, name: str, sort: str, members: Sequence[syn.Member], span: Span, cites: syn.Cites
    ) -> Dom:
        dom = self._new_type(name, sort, span, cites)
        for member in members:
            if member.name in dom.members:
                self.sink.error("GR0205", member.span, f"`{member.name}` stands twice in {name}")
                continue
            dom.members.append(member.name)
            dom.titles.append(member.title or member.name.replace("_", " "))
        return dom

    def _space(self, decl: syn.SpaceDecl) -> None:
        world = self.world
        default = {"hexes": "Hex", "areas": "Area", "boxes": "Box", "track": "Box", "squares": "Square"}[
            decl.sort
        ]
        place = self._new_type(decl.place or default, "place", decl.span, decl.cites)
        place.space_sort = decl.sort
        place.from_code = False
        place.decl = decl
        if decl.name not in world.types:
            world.types[decl.name] = place
        world.spaces.append(place)
        for part in decl.classes:
            sub = self._new_type(part.name, "place", part.span, part.cites)
            sub.parent = place
            sub.space_sort = decl.sort
            sub.from_code = False
            sub.decl = part
            place.classes.append(sub)
        edge_name = {"hexes": "Hexside", "areas": "Border"}.get(decl.sort, "Link")
        if edge_name in world.types:
            edge_name = f"{decl.name}{edge_name}"
        edge = self._new_type(edge_name, "edge", decl.span, syn.NO_CITES)
        edge.from_code = False
        place.edges = edge
        if decl.sort in ("hexes", "squares") and world.direction is None:
            world.direction = self._new_type("Direction", "direction", decl.span, syn.NO_CITES)
            world.direction.members = list(FLAT_DIRECTIONS if decl.sort == "hexes" else SQUARE_DIRECTIONS)

    # --------------------------------------------------------------------------------------- inline kinds

    def kinds_inline(self) -> None:
        """Kinds drawn as tables: the types of their columns are what the cells show."""
        for dom in list(self.world.types.values()):
            decl = dom.decl
            if isinstance(decl, syn.KindDecl) and decl.rows:
                heading, *rows = decl.rows
                dom.members = []
                for row in rows:
                    name, span = row.cells[0]
                    for key in (part.strip() for part in name.split("/")):
                        if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", key):
                            self.sink.error(
                                "GR0110",
                                span,
                                f"`{name}` cannot be the name of a row",
                                hint="a name has no spaces: stone_house",
                            )
                        elif key in dom.members:
                            self.sink.error("GR0205", span, f"row `{key}` stands twice in {dom.name}")
                        else:
                            dom.members.append(key)
                            dom.titles.append(key.replace("_", " "))
                for row in rows:
                    if len(row.cells) != len(heading.cells):
                        self.sink.error(
                            "GR0404",
                            row.span,
                            f"{len(row.cells)} cells in this row, {len(heading.cells)} in the heading",
                            labels=(Label(heading.span, "the heading"),),
                        )

    def _inline_columns(self, dom: Dom, decl: syn.KindDecl) -> None:
        heading, *rows = decl.rows
        groups: dict[str, list[tuple[int, str]]] = {}
        for place, (text, span) in enumerate(heading.cells[1:], start=1):
            match = re.fullmatch(r"([A-Za-z_]\w*)(?:\((\w+)\))?", text)
            if match is None:
                self.sink.error("GR0411", span, f"`{text}` cannot be the heading of a column")
                continue
            group = groups.setdefault(match.group(1), [])
            if any(key == (match.group(2) or "") for _, key in group):
                self.sink.error("GR0414", span, f"column `{text}` stands twice")
            group.append((place, match.group(2) or ""))
        declared = {field.name for field in decl.fields} if decl.typed else set()
        for name, columns in groups.items():
            if name in declared:
                continue
            cells = [row.cells[place] for place, _ in columns for row in rows if place < len(row.cells)]
            type_ = self._infer(cells + self._amended(dom, name))
            axes: tuple[Dom, ...] = ()
            if columns[0][1]:
                axis = self._axis_of([key for _, key in columns])
                if axis is None:
                    self.sink.error(
                        "GR0411", heading.span, f"the columns `{name}(...)` are not the members of one enum"
                    )
                    continue
                axes = (axis,)
            column = self.world.new_column(f"{dom.name}.{name}", (dom, *axes), type_)
            dom.fields[name] = FieldInfo(name, type_, axes, None, dom, column=column)

    def _amended(self, dom: Dom, column: str) -> list[tuple[str, Span]]:
        """What errata write into a drawn column: its type must hold that too."""
        found: list[tuple[str, Span]] = []
        for amend in self.merged.data_amends:
            if amend.sort != "kind" or amend.target != dom.name or amend.new is None:
                continue
            if len(amend.key) < 2 or not isinstance(amend.key[1], syn.Name) or amend.key[1].id != column:
                continue
            match amend.new:
                case syn.Number(text=text) | syn.Name(id=text):
                    found.append((text, amend.new.span))
                case syn.UnaryExpr(op="neg", value=syn.Number(text=text)):
                    found.append((f"-{text}", amend.new.span))
                case syn.FlagLit(value=value):
                    found.append(("yes" if value else "no", amend.new.span))
                case syn.NoneLit():
                    found.append(("-", amend.new.span))
        return found

    def _axis_of(self, keys: list[str]) -> Dom | None:
        for dom in self.world.types.values():
            if dom.sort in ("enum", "side") and set(keys) == set(dom.members):
                return dom
        return None

    def _infer(self, cells: list[tuple[str, Span]]) -> Type:
        if not cells:
            return UNKNOWN  # rows that are too short, or none at all: told elsewhere
        texts = [text for text, _ in cells]
        optional = any(text in ("-", "NA", "") for text in texts)
        real = [text for text in texts if text not in ("-", "NA", "", "?")]
        if real and all(re.fullmatch(r"[+-]?\d+", text) for text in real):
            values = [int(text[:12]) for text in real]
            # A number beyond all bounds is told when its cell is read, and fits no other type either.
            lo, hi = max(min(values), -MAX_NUMBER), min(max(values), MAX_NUMBER)
            return Type("int", min(lo, hi), max(lo, hi), optional=optional)
        if real and all(text in ("yes", "no") for text in real):
            return FLAG
        for dom in self.world.types.values():
            if dom.sort in ("enum", "kind", "side") and real and all(text in dom.members for text in real):
                return dom_type(dom, optional)
        for dom in self.world.types.values():
            if dom.sort in ("enum", "kind") and real:
                words = [word.strip() for text in real for word in re.sub(r"^any but ", "", text).split(",")]
                if all(word in dom.members or word == "any" for word in words):
                    return set_type(dom)
        bad = next(
            ((t, s) for t, s in cells if not re.fullmatch(r"[+-]?\d+|yes|no|-", t)),
            cells[0] if cells else ("", Span("", 0, 0, 0, 0)),
        )
        self.sink.error("GR0409", bad[1], f"`{bad[0]}` does not fit with the other cells of its column")
        return UNKNOWN

    # --------------------------------------------------------------------------------------------- fields

    def fields(self) -> None:
        world = self.world
        declare_forms(world, self.merged, self.resolve)
        for form in world.forms.values():
            titles = {member.name: member.title for member in form.decl.members}
            form.names.titles = [titles.get(n) or n.replace("_", " ") for n in form.names.members]
        for dom in list(world.types.values()):
            if dom.sort in ("piece", "record") and dom.alive is None:
                dom.alive = world.new_field(f"{dom.name}.alive", (dom,), FLAG)
            if dom.sort == "piece":
                if dom.kind is not None:
                    self._type_field(dom)
                if world.seats is world.sides and not any(f.name == "side" for f in self._declared(dom)):
                    self._field(dom, "side", dom_type(world.sides))  # type: ignore[arg-type]
        for dom in dict.fromkeys(world.types.values()):
            decl = dom.decl
            match decl:
                case syn.KindDecl():
                    if decl.rows:
                        self._inline_columns(dom, decl)
                    for entry in decl.fields:
                        self._declare_field(dom, entry, data=True)
                    if dom.within is not None:
                        name = dom.within.name.lower()
                        column = world.new_column(f"{dom.name}.{name}", (dom,), dom_type(dom.within))
                        dom.fields[name] = FieldInfo(name, dom_type(dom.within), (), None, dom, column=column)
                case syn.SpaceDecl():
                    for entry in decl.fields:
                        if entry.edge:
                            assert dom.edges
                            self._declare_field(dom.edges, entry, data=not entry.state)
                        else:
                            self._declare_field(dom, entry, data=not entry.state)
                case syn.ClassDecl():
                    for entry in decl.fields:
                        self._declare_field(dom, entry, data=not entry.state)
                case syn.PieceDecl():
                    for entry in decl.fields:
                        self._declare_field(dom, entry, data=False)
                    if decl.reset_at:
                        assert dom.alive is not None
                        world.reset_at.setdefault(decl.reset_at, []).append(dom.alive)
        for _, decl in self.merged.decls:
            match decl:
                case syn.OwnerDecl(sort="game"):
                    for entry in decl.fields:
                        self._declare_field(None, entry, data=False)
                case syn.OwnerDecl():
                    owner = world.sides if decl.sort == "side" else world.seats
                    assert owner
                    for entry in decl.fields:
                        self._declare_field(owner, entry, data=False)
                case syn.PieceDecl(record=True, up_to=None):
                    self._record(decl)
                case syn.RelationDecl():
                    self._relation(decl)
                case syn.BagDecl():
                    self._bag(decl)
                case syn.DieDecl():
                    self._die(decl)
        world.passed_field = world.new_field("(passed)", (), FLAG)

    def _die(self, decl: syn.DieDecl) -> None:
        """A range renumbers a die; a list of numbers or of members gives it faces of its own."""
        world = self.world
        world.cite(decl.cites)
        if isinstance(decl.faces, syn.RangeExpr) and re.fullmatch(r"d\d+", decl.name):
            world.dice[decl.name] = (self._constant(decl.faces.lo), self._constant(decl.faces.hi))
            return
        faces: tuple[syn.Expr, ...] = decl.faces.items if isinstance(decl.faces, syn.Items) else (decl.faces,)
        if isinstance(decl.faces, syn.RangeExpr):
            lo, hi = self._constant(decl.faces.lo), self._constant(decl.faces.hi)
            faces = tuple(
                syn.Number(str(n), decl.faces.span) for n in range(lo, min(hi, lo + 999) + 1) if n >= 0
            )
        if re.fullmatch(r"\d*d\d+", decl.name):
            self.sink.error("GR0301", decl.faces.span, "the faces of a die are a range, such as 0..9")
            return
        names = [face.id for face in faces if isinstance(face, syn.Name)]
        if len(faces) < 2:
            self.sink.error("GR0308", decl.span, f"die `{decl.name}` has no two faces")
        elif len(names) == len(faces):
            found = [
                dom
                for dom in world.types.values()
                if dom.sort in ("enum", "kind", "direction", "side") and set(names) <= set(dom.members)
            ]
            if found:
                world.faces[decl.name] = (faces, dom_type(found[0]))
            else:
                self.sink.error(
                    "GR0204", decl.faces.span, f"the faces of `{decl.name}` are not members of one enum"
                )
        elif names:
            self.sink.error(
                "GR0301", decl.faces.span, "the faces of a die are all numbers, or all members of one enum"
            )
        else:
            values = [self._constant(face) for face in faces]
            world.faces[decl.name] = (faces, int_range(min(values), max(values)))

    def _declared(self, dom: Dom) -> tuple[syn.FieldDecl, ...]:
        return dom.decl.fields if isinstance(dom.decl, syn.PieceDecl) else ()

    def _field(self, dom: Dom, name: str, type_: Type) -> None:
        number = self.world.new_field(f"{dom.name}.{name}", (dom,), type_)
        info = FieldInfo(name, type_, (), None, dom, field=number)
        dom.fields[name] = info
        self.world.fields_by_id[number] = info

    def _type_field(self, dom: Dom) -> None:
        """Which row a counter is; it can be secret while its place is known (a counter face down)."""
        assert dom.kind
        decl = dom.decl
        hidden = decl.secret_type if isinstance(decl, syn.PieceDecl) else None
        if hidden is None:
            self._field(dom, "type", dom_type(dom.kind))
            return
        self.world.cite(hidden.cites)
        kind = syn.TypeExpr("plain", syn.Name(dom.kind.name, hidden.span), None, 0, False, hidden.span)
        entry = syn.FieldDecl(
            "type", (), kind, None, True, hidden.condition, False, False, False, None, None, None, hidden.cites, hidden.span,
        )  # fmt: skip
        number = self.world.new_field(f"{dom.name}.type", (dom,), dom_type(dom.kind, True))
        self.world.fields[number] = replace(self.world.fields[number], default=0)
        info = FieldInfo("type", dom_type(dom.kind), (), entry, dom, field=number, secret=True, veiled=True)
        info.known = self.world.new_field(f"{dom.name}.type (known)", (dom,), FLAG)
        dom.fields["type"] = info
        self.world.fields_by_id[number] = info

    def _declare_field(self, owner: Dom | None, entry: syn.FieldDecl, data: bool) -> None:
        world = self.world
        world.cite(entry.cites)
        type_ = self.resolve(entry.type)
        axes = tuple(axis for axis in (self.axis(a) for a in entry.axes) if axis is not None)
        dims = ((owner,) if owner is not None else ()) + axes
        room = 1
        for dom in dims:
            room *= max(1, dom.up_to if dom.sort in ("piece", "record") else len(dom.members))
        if room > MAX_CELLS:
            self.sink.error(
                "GR0611", entry.span, f"`{entry.name}` would take {room:,} values, at most {MAX_CELLS:,} fit"
            )
            return
        table = owner.fields if owner is not None else world.globals
        if entry.name in table:
            first = table[entry.name].decl
            self.sink.error(
                "GR0205",
                entry.span,
                f"`{entry.name}` is declared twice",
                labels=(Label(first.span, "first declared here"),) if first else (),
            )
            return
        if owner is not None and entry.name == "side" and "side" in owner.fields:
            return
        if type_.sort == "record":
            self._form_field(owner, entry, type_, axes, data)
            return
        info = self._store_field(owner, entry, type_, axes, data)
        table[entry.name] = info
        if owner is not None and owner.seat:
            world.seat_fields[entry.name] = info

    def _form_field(
        self, owner: Dom | None, entry: syn.FieldDecl, type_: Type, axes: tuple[Dom, ...], data: bool
    ) -> None:
        """A field that holds a form: one field for its name and one for each of its parts."""
        form = type_.form
        if form is None or data or axes:
            what = "a record" if form is None else "a form"
            self.sink.error(
                "GR0301",
                entry.span,
                f"{what} cannot be kept here",
                hint="a form is kept in a field of a piece, a side or the game"
                if form
                else "declare a `form`",
            )
            return
        if not type_.optional and form.decl.members and form.filled.get(form.decl.members[0].name):
            missing = ", ".join(sorted(form.filled[form.decl.members[0].name]))
            self.sink.error(
                "GR0304",
                entry.span,
                f"at the start this is `{form.decl.members[0].name}`, which needs {missing}",
                hint=f"put a member without fields first, or write {entry.name}: {form.name}?",
            )
        info = FieldInfo(entry.name, type_, (), entry, owner, secret=entry.secret, parts={})
        table = owner.fields if owner is not None else self.world.globals
        table[entry.name] = info
        assert info.parts is not None
        for key, kind in form.record.fields.items():
            if key == "name":
                kind = dom_type(form.names, type_.optional)
            part = replace(
                entry, name=f"{entry.name}.{key}", default=entry.default if key == "name" else None
            )
            info.parts[key] = self._store_field(owner, part, kind, (), False)
            table[part.name] = info.parts[key]

    def _store_field(
        self, owner: Dom | None, entry: syn.FieldDecl, type_: Type, axes: tuple[Dom, ...], data: bool
    ) -> FieldInfo:
        world = self.world
        dims = ((owner,) if owner is not None else ()) + axes
        label = f"{owner.name if owner else 'game'}.{entry.name}"
        info = FieldInfo(
            entry.name,
            type_,
            axes,
            entry,
            owner,
            secret=entry.secret,
            follows=entry.follows,
            clamped=entry.clamped,
            edge=entry.edge,
        )
        if data:
            info.column = world.new_column(label, dims, type_)
        else:
            default = self.default(entry, type_)
            info.field = world.new_field(label, dims, type_, default)
            world.fields_by_id[info.field] = info
            if entry.edge:
                info.printed = world.new_column(f"{label} (printed)", dims, type_)
            if entry.secret:
                info.known = world.new_field(f"{label} (known)", dims, FLAG)
            if entry.reset_at:
                world.reset_at.setdefault(entry.reset_at, []).append(info.field)
            if entry.per:
                world.reset_per.setdefault(entry.per, []).append(info.field)
        return info

    def default(self, entry: syn.FieldDecl, type_: Type) -> int:
        """The start value: as written, else none for optionals, else the lowest value that is not below 0."""
        if entry.default is not None:
            expr = entry.default
            if isinstance(expr, syn.NoneLit) and type_.optional:
                return NONE
            if isinstance(expr, syn.FlagLit) and type_.sort == "flag":
                return int(expr.value)
            if isinstance(expr, syn.Name) and type_.sort == "dom" and type_.dom and type_.dom.from_code:
                place = type_.dom.index(expr.id)
                if place is not None:
                    return place
                self.sink.error(
                    "GR0204",
                    expr.span,
                    f"{type_.dom.name} has no `{expr.id}`",
                    hint=hint_for(expr.id, type_.dom.members),
                )
                return 0
            if type_.sort == "int" and isinstance(expr, syn.Number | syn.UnaryExpr):
                value = self._constant(expr)
                if not type_.lo <= value <= type_.hi:
                    self.sink.error("GR0304", expr.span, f"{value} is outside {type_}")
                return value
            self.sink.error("GR0301", expr.span, f"this is not a {type_}")
            return 0
        if type_.optional:
            return NONE
        if type_.sort == "int":
            return min(max(0, type_.lo), type_.hi)
        return 0

    def _record(self, decl: syn.PieceDecl) -> None:
        record = self.world.records[decl.name]
        for entry in decl.fields:
            if entry.name in record.fields:
                self.sink.error("GR0205", entry.span, f"`{entry.name}` is declared twice")
            if entry.axes:
                axis = self.axis(entry.axes[0])
                if axis is not None:
                    for member in axis.members:
                        record.fields[f"{entry.name}({member})"] = self.resolve(entry.type)
                continue
            record.fields[entry.name] = self.resolve(entry.type)

    def _relation(self, decl: syn.RelationDecl) -> None:
        world = self.world
        left = self._dom(decl.left, decl.span, ("power", "side", "kind", "enum", "place", "piece"))
        right = self._dom(decl.right, decl.span, ("power", "side", "kind", "enum", "place", "piece"))
        if left is None or right is None:
            world.broken.add(decl.name)
            return
        world.cite(decl.cites)
        info = FieldInfo(decl.name, FLAG, (left, right), None, None)
        info.field = world.new_field(decl.name, (left, right), FLAG)
        world.fields_by_id[info.field] = info
        info.follows = "mutual" if decl.mutual else None
        world.relations[decl.name] = info
        if decl.reset_at:
            world.reset_at.setdefault(decl.reset_at, []).append(info.field)

    def _bag(self, decl: syn.BagDecl) -> None:
        world = self.world
        kind = self._dom(decl.kind, decl.span, ("kind", "enum"))
        if kind is None:
            world.broken.add(decl.name)
            return
        world.cite(decl.cites)
        info = FieldInfo(decl.name, int_range(0, 999), (kind,), None, None)
        info.field = world.new_field(decl.name, (kind,), int_range(0, 999))
        world.fields_by_id[info.field] = info
        world.bags[decl.name] = BagInfo(decl.name, kind, info, decl)

    # ---------------------------------------------------------------------------------------------- types

    def axis(self, expr: syn.TypeExpr) -> Dom | None:
        return axis_dom(self.world, expr)

    def resolve(self, expr: syn.TypeExpr) -> Type:
        return resolve_type(self.world, expr)

    # -------------------------------------------------------------------------------------------- options

    def options(self) -> None:
        world = self.world
        for _, decl in self.merged.decls:
            if not isinstance(decl, syn.OptionDecl):
                continue
            world.cite(decl.cites)
            values = [m.name for m in decl.values] or ["off", "on"]
            value, span = self.merged.options.get(decl.name, (decl.default, decl.span))
            if value not in values:
                self.sink.error(
                    "GR0510",
                    span,
                    f"option `{decl.name}` has no value `{value}`",
                    hint=hint_for(value, values) or f"it can be {' or '.join(values)}",
                )
            dom = None
            if decl.values:
                dom = world.new_dom(decl.name, "enum", decl.span)
                dom.members = list(values)
            world.options[decl.name] = OptionInfo(
                decl.name, values, value, world.symbol(f"option {decl.name}"), decl, dom
            )
        for name, (_value, span) in self.merged.options.items():
            if name not in world.options:
                self.sink.error(
                    "GR0510", span, f"there is no option `{name}`", hint=hint_for(name, list(world.options))
                )

    # ---------------------------------------------------------------------------------------- life cycles

    def life_cycles(self) -> None:
        """Which steps a field may take; several declarations (of later layers) are taken together."""
        found: dict[tuple[str, str], FieldInfo] = {}
        for _, decl in self.merged.decls:
            if not isinstance(decl, syn.StatesDecl):
                continue
            self.world.cite(decl.cites)
            dom = self._dom(decl.piece, decl.span, ("piece", "record"))
            info = dom.fields.get(decl.owned) if dom is not None else None
            if dom is None or info is None or info.field is None or info.axes or not _cycles(info.type):
                if dom is not None:
                    self.sink.error(
                        "GR0203",
                        decl.span,
                        f"{dom.name} has no field `{decl.owned}` of an enum, whose states these could be",
                        hint=hint_for(decl.owned, [n for n, i in dom.fields.items() if _cycles(i.type)]),
                    )
                continue
            found[decl.piece, decl.owned] = info
            info.steps = info.steps if info.steps is not None else set()
            info.made = info.made if info.made is not None else set()
            for line in decl.lines:
                self.world.cite(line.cites)
                before, after = (self._states(info.type, names) for names in (line.before, line.after))
                info.steps |= {(a, b) for a in before for b in after}
        for (piece, _), info in found.items():
            self._reachable(piece, info)

    def _states(self, type_: Type, names: tuple[syn.Name, ...]) -> list[int]:
        assert type_.dom
        places = []
        for name in names:
            place = type_.dom.index(name.id)
            if place is None:
                self.sink.error(
                    "GR0204",
                    name.span,
                    f"{type_.dom.name} has no `{name.id}`",
                    hint=hint_for(name.id, type_.dom.members),
                )
            else:
                places.append(place)
        return places

    def _reachable(self, piece: str, info: FieldInfo) -> None:
        assert info.type.dom and info.field is not None and info.steps is not None
        start = self.world.fields[info.field].default
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
            self.sink.warning(
                "GR0715",
                info.decl.span if info.decl is not None else None,
                f"from `{first}` no step leads to {', '.join(f'`{name}`' for name in lost)} of {piece}.{info.name}",
                hint="add the step to its `states`, or take the member out",
            )

    # ------------------------------------------------------------------------------------------ callables

    def callables(self) -> None:
        world = self.world
        for rank, decl in self.merged.decls:
            match decl:
                case syn.RuleDecl():
                    entry = self._callable("rule", decl, rank, self.resolve(decl.result))
                    if decl.name == syn.EVALUATION and entry is not None:
                        self._check_evaluation(entry)
                    if decl.name == syn.PLAUSIBLE and entry is not None:
                        self._check_plausible(entry)
                case syn.ModifiersDecl():
                    self._callable("modifiers", decl, rank, self.resolve(decl.result))
                case syn.ProcedureDecl():
                    result = self.resolve(decl.result) if decl.result else None
                    self._callable("procedure", decl, rank, result)
                case syn.ActionDecl():
                    self._callable("action", decl, rank, None)
                case syn.MenuDecl():
                    self._callable("menu", decl, rank, None)
                case syn.SightDecl():
                    self._callable("sight", decl, rank, FLAG)
                case syn.ArcDecl():
                    self._callable("arc", decl, rank, FLAG)
                case syn.MovementDecl():
                    self._callable("movement", decl, rank, None)
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
                    self._callable("rule", rule, rank, dom_type(world.sides, optional=True))
                case syn.TableDecl():
                    params = [
                        (axis.name or f"axis {n + 1}", self.resolve(axis.type))
                        for n, axis in enumerate(decl.axes)
                    ]
                    entry = self._callable("table", decl, rank, self.resolve(decl.result), params)
                    if entry is not None:
                        from grognard.compiler import ir

                        entry.table = len(world.tables)
                        world.tables.append(ir.Table(entry.table, decl.name, len(decl.axes)))
                case syn.EventDecl():
                    params = [(p.name, self.resolve(p.type)) for p in decl.params]
                    world.events[decl.name] = Callable_(
                        decl.name, "event", params, None, decl, decl.span, world.cite(decl.cites), rank
                    )
                case syn.PolicyDecl():
                    world.policies[decl.name] = (rank, decl)
                case syn.SituationDecl():
                    made = self._callable("situation", decl, rank, None)
                    if made is not None:
                        world.situations[decl.name] = world.callables.pop(decl.name)
                case syn.OnChangeDecl():
                    world.change_handlers.append((rank, decl))
                case syn.OnDecl():
                    world.handlers.setdefault(decl.event, []).append((rank, decl))
        sheets(world)
        fill_shapes(world)
        for name, handlers in world.handlers.items():
            event = name.rpartition(" ")[2]
            if event not in world.events:
                for _rank, handler in handlers:
                    self.sink.error(
                        "GR0207",
                        handler.span,
                        f"there is no event `{event}`",
                        hint=hint_for(event, list(world.events)),
                    )

    def _callable(
        self,
        sort: str,
        decl: object,
        rank: int,
        result: Type | None,
        params: list[tuple[str, Type]] | None = None,
    ) -> Callable_ | None:
        world = self.world
        name, span = decl.name, decl.span  # type: ignore[attr-defined]
        if params is None:
            params = []
            for param in decl.params:  # type: ignore[attr-defined]
                if any(param.name == known for known, _ in params):
                    self.sink.error("GR0205", param.span, f"parameter `{param.name}` stands twice")
                params.append((param.name, self.resolve(param.type)))
        if result is not None and result.sort in ("list", "record"):
            where = decl.result.span  # type: ignore[attr-defined]
            self.sink.error(
                "GR0309",
                where,
                f"a {sort} gives back one value or a set, not {result.words}",
                hint="write it to a field, or give back what it is made from",
            )
            result = UNKNOWN
        entry = Callable_(name, sort, params, result, decl, span, world.cite(decl.cites), rank)  # type: ignore[attr-defined]
        world.callables[name] = entry
        return entry

    def _check_evaluation(self, entry: Callable_) -> None:
        sides = self.world.sides
        kinds = [kind for _, kind in entry.params]
        result = entry.result
        fits = len(kinds) == 1 and kinds[0].sort == "dom" and kinds[0].dom is sides and not kinds[0].optional
        if not fits or result is None or result.sort != "int" or result.optional:
            self.sink.error(
                "GR0211",
                entry.span,
                "`evaluation` says in one number how well a side stands: it takes a side and nothing else",
                hint="write `evaluation(p: Side)`",
            )

    def _check_plausible(self, entry: Callable_) -> None:
        if not is_plausible_rule(entry):
            self.sink.error(
                "GR0940",
                entry.span,
                "`plausible` says whether a hidden counter can be where it is: it takes a counter and says yes or no",
                hint="write `rule plausible(u: Unit) -> flag`, or give the rule another name",
            )

    def exceptions(self) -> None:
        world = self.world
        for rank, decl in self.merged.exceptions:
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
                self.sink.error(
                    "GR0501",
                    decl.span,
                    f"there is no rule or procedure `{decl.target}` to except",
                    hint=hint_for(decl.target, known),
                )
                continue
            world.cite(decl.cites)
            target.exceptions.append((rank, decl))


def axis_dom(world: World, expr: syn.TypeExpr) -> Dom | None:
    """The domain that a written axis ranges over; None after an error."""
    type_ = resolve_type(world, expr)
    if type_.sort == "dom":
        return type_.dom
    if type_.form is not None:
        return type_.form.names
    if type_.sort == "int" and type_.lo > INT_LO and type_.hi < INT_HI:
        if type_.hi - type_.lo >= MAX_VALUES:
            world.sink.error("GR0611", expr.span, f"an axis has at most {MAX_VALUES:,} values")
            return None
        return world.range_dom(type_.lo, type_.hi)
    if type_.sort != "unknown":
        world.sink.error("GR0202", expr.span, f"{type_} cannot be the axis of a column")
    return None


def _cycles(type_: Type) -> bool:
    return type_.sort == "dom" and type_.dom is not None and type_.dom.sort == "enum" and not type_.optional


def resolve_type(world: World, expr: syn.TypeExpr) -> Type:
    """What a written type means; UNKNOWN after an error, so that one mistake gives one message."""
    sink = world.sink
    if expr.sort == "set":
        assert expr.element
        element = resolve_type(world, expr.element)
        if element.dom is not None and element.dom.parts:
            sink.error("GR0202", expr.span, f"there are no sets of {element}", hint="one set for each type")
            return UNKNOWN
        if element.form is not None:
            return set_type(element.form.names)
        if element.sort != "dom" or element.dom is None:
            if element.sort == "int" and element.hi < INT_HI and element.lo > INT_LO:
                if element.hi - element.lo >= MAX_VALUES:
                    sink.error("GR0611", expr.span, f"a set can be of at most {MAX_VALUES:,} numbers")
                    return UNKNOWN
                return set_type(world.range_dom(element.lo, element.hi))
            if element.sort != "unknown":
                sink.error("GR0202", expr.span, f"there are no sets of {element}")
            return UNKNOWN
        return set_type(element.dom)
    if expr.sort == "list":
        assert expr.element
        if not 1 <= expr.capacity <= MAX_VALUES:
            sink.error("GR0611", expr.span, f"a list has room for 1 to {MAX_VALUES:,} values")
            return UNKNOWN
        return Type("list", element=resolve_type(world, expr.element), capacity=expr.capacity)
    base = expr.base
    if expr.sort == "name":
        assert isinstance(base, syn.Name)
        if base.id in world.forms:
            return dom_type(world.forms[base.id].names, expr.optional)
        sink.error(
            "GR0202", base.span, f"there is no form `{base.id}`", hint=hint_for(base.id, list(world.forms))
        )
        return UNKNOWN
    if expr.sort == "shape":
        assert isinstance(base, syn.Name)
        params = [resolve_type(world, part) for part in expr.parts]
        result = resolve_type(world, expr.element) if expr.element is not None else None
        if any(t.sort == "unknown" for t in (*params, *([result] if result else []))):
            return UNKNOWN
        if base.id != "procedure" and (base.id == "rule") != (result is not None):
            sink.error(
                "GR0309",
                expr.span,
                "a rule gives a result" if base.id == "rule" else f"an {base.id} gives no result",
                hint="rule(Unit) -> flag" if base.id == "rule" else f"{base.id}(...)",
            )
            return UNKNOWN
        return shape_type(world, base.id, params, result, expr.span, expr.optional)
    if expr.sort == "union":
        return _union(world, expr)
    match base:
        case syn.Name(id="int"):
            return Type("int", optional=expr.optional)
        case syn.Name(id="flag"):
            return FLAG
        case syn.Name(id=name):
            if name in world.forms:
                return Type("record", record=world.forms[name].record, optional=expr.optional)
            if name in world.types:
                return dom_type(world.types[name], expr.optional)
            if name in world.records:
                return Type("record", record=world.records[name])
            known = [*world.types, *world.records, "int", "flag"]
            sink.error("GR0202", base.span, f"there is no type `{name}`", hint=hint_for(name, known))
            return UNKNOWN
        case syn.RangeExpr():
            lo, hi = _bound(base.lo), _bound(base.hi)
            if lo is None or hi is None:
                return replace_optional(INT, expr.optional)
            if lo > hi:
                sink.error("GR0308", base.span, f"{lo}..{hi} is empty", hint=f"did you mean {hi}..{lo}?")
                return UNKNOWN
            return Type("int", lo, hi, optional=expr.optional)
    sink.error(
        "GR0202", expr.span, "a type is needed here", hint="a name, a range such as 0..9, or `set of` a type"
    )
    return UNKNOWN


def _union(world: World, expr: syn.TypeExpr) -> Type:
    """`Unit or Leader`: counters of several types, or places of several spaces."""
    parts: list[Dom] = []
    for part in expr.parts:
        type_ = resolve_type(world, part)
        if type_.sort == "unknown":
            return UNKNOWN
        if type_.sort != "dom" or type_.dom is None or type_.dom.sort not in ("piece", "place"):
            world.sink.error(
                "GR0202",
                part.span,
                f"only pieces and places can stand in an `or`, this is {type_.words}",
                hint="a set is of one type: take one set for each" if type_.sort == "set" else None,
            )
            return UNKNOWN
        if type_.dom.interchangeable:
            world.sink.error("GR0202", part.span, f"{type_} is interchangeable and cannot stand in an `or`")
            return UNKNOWN
        parts += [dom for dom in type_.dom.parts or (type_.dom,) if dom not in parts]
    if len({dom.sort for dom in parts}) > 1:
        world.sink.error("GR0202", expr.span, "pieces and places do not mix")
        return UNKNOWN
    if len(parts) == 1:
        return dom_type(parts[0], expr.optional)
    name = " or ".join(dom.name for dom in parts)
    if name not in world.unions:
        # No domain of the program: a value of it belongs to one of its parts.
        world.unions[name] = Dom(-1, name, parts[0].sort, expr.span, parts=tuple(parts))
    return dom_type(world.unions[name], expr.optional)


def replace_optional(type_: Type, optional: bool) -> Type:
    return type_.maybe() if optional else type_


def _bound(expr: syn.Expr) -> int | None:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
        return -expr.value.value
    return None


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
