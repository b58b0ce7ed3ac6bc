"""Errata to rows of kinds, and cells that can be read only when a map is loaded."""

from __future__ import annotations

from grognard.compiler.data.cells import CellReader, read_cell
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.values import Cells, Index, Values, needs_map
from grognard.compiler.sema.types import Dom, FieldInfo
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.suggest import hint_for


def apply_amends(
    ground: Ground, reader: CellReader, columns: Cells, values: Values, *, deferred: bool
) -> None:
    """The errata to rows of kinds, in their order; those to cells that name places wait for the map."""
    for amend in values.merged.data_amends:
        if amend.sort != "kind":
            continue
        dom = ground.symbols.types.get(amend.target)
        if dom is None or not isinstance(dom.decl, syn.KindDecl):
            if not deferred:
                ground.sink.error("GR0504", amend.span, f"`{amend.target}` is not a kind")
            continue
        row, name, *axes = (key for key in amend.key if isinstance(key, syn.Name))
        info = dom.fields.get(name.id)
        if info is None or info.column is None:
            if not deferred:
                known = [n for n, i in dom.fields.items() if i.column is not None]
                hint = hint_for(name.id, known)
                ground.sink.error("GR0602", name.span, f"{dom.name} has no column `{name.id}`", hint=hint)
            continue
        if needs_map(info.type, info.axes) == deferred:
            _amend(ground, reader, columns, values, amend, dom, info, row, axes)


def _amend(
    ground: Ground,
    reader: CellReader,
    columns: Cells,
    values: Values,
    amend: syn.Amend,
    dom: Dom,
    info: FieldInfo,
    row: syn.Name,
    axes: list[syn.Name],
) -> None:
    sink = ground.sink
    assert info.column is not None
    place = reader.member(dom, row.id, row.span)
    if place is None:
        return
    index: Index = (place - ground.base(dom),)
    if len(axes) != len(info.axes):
        sink.error(
            "GR0503", amend.span, f"`{info.name}` has {len(info.axes)} axes, the erratum names {len(axes)}"
        )
        return
    for key, axis in zip(axes, info.axes):
        member = reader.member(axis, key.id, key.span)
        if member is None:
            return
        index += (member - ground.first(axis),)
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
            f"`{row.id}.{info.name}` is {ground.show(info.type, now)}, "
            f"not {ground.show(info.type, old)} as the erratum expects",
            labels=(Label(span, "this is what it finds"),) if span else (),
        )
        return
    columns[info.column][index] = new


def read_deferred(ground: Ground, reader: CellReader, values: Values, columns: Cells) -> None:
    """Read the cells that name places, now that the map is loaded."""
    for cell in values.deferred:
        assert cell.info.column is not None
        out = columns.setdefault(cell.info.column, {})
        read_cell(reader, cell.info, cell.node, cell.index, out, cell.what, cell.row_span)
    apply_amends(ground, reader, columns, values, deferred=True)
