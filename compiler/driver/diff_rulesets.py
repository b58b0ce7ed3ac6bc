"""What differs between two compiled rulesets: an erratum in force or not, or two versions of a title's folder.

Rules are compared as trees, tables and kinds cell by cell.  `compare_rulesets` takes further comparisons, which add
sections of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import product, repeat
from typing import Any

from grognard.compiler.data.ground import Ground
from grognard.compiler.driver.errata_sheets import cites_in, written
from grognard.compiler.driver.whose_change import Declarations, attributed, called, patches_of
from grognard.compiler.sema.types import INT_HI, INT_LO, Dom, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract.datablock import (
    AXIS_CELLS,
    TABLE_HEAD,
    table_lookup,
)
from grognard.contract.differences import Change, ChangedSection
from grognard.support.diagnostics import Sink
from grognard.support.source import Span

#: Cells of one table that are compared; larger ones are compared as a whole.
MAX_CELLS = 50_000


Comparison = Callable[[Declarations, Declarations], ChangedSection]


def compare_rulesets(
    old: Declarations, new: Declarations, more: Sequence[Comparison] = ()
) -> list[ChangedSection]:
    """All differences, in sections; those without any are left out."""
    sections = [
        compare(old, new) for compare in (compare_rules, compare_tables, compare_data, restated, *more)
    ]
    by_sheet = [patches_of(new, set(new.merged.errata) - set(old.merged.errata))]
    by_sheet.append(patches_of(old, set(old.merged.errata) - set(new.merged.errata)))
    for section in sections:
        section.changes[:] = [attributed(change, by_sheet) for change in section.changes]
    return [section for section in sections if section.changes or section.notes]


# -------------------------------------------------------------------------------------------------- rules


def compare_rules(old: Declarations, new: Declarations) -> ChangedSection:
    section = ChangedSection("rules")
    before, after = _declarations(old), _declarations(new)
    for key in dict.fromkeys([*before, *after]):
        one, other = before.get(key), after.get(key)
        if one is other or one == other:
            continue
        what, name = key
        for change in _declaration(what, name, one, other, old, new):
            section.changes.append(change)
    return section


def _declarations(ruleset: Declarations) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for _rank, decl in ruleset.merged.decls:
        what, name = called(decl)
        place = 2
        label = (what, name)
        while label in found:
            label = (what, f"{name} ({place})".lstrip())
            place += 1
        found[label] = decl
    count: dict[str, int] = {}
    for _rank, exception in ruleset.merged.exceptions:
        count[exception.target] = count.get(exception.target, 0) + 1
        found["exception", f"{exception.target} {exception.label or count[exception.target]}"] = exception
    for name, (value, _span) in ruleset.merged.options.items():
        found["option in force", name] = value
    return found


def _declaration(
    what: str, name: str, one: Any, other: Any, old: Declarations, new: Declarations
) -> Iterator[Change]:
    if one is None or other is None:
        decl = one if other is None else other
        side = old if other is None else new
        text = written(side.project, decl.span) if hasattr(decl, "span") else unparse(decl)
        place = decl.span if hasattr(decl, "span") else Span("", 0, 0, 0, 0)
        yield Change(
            what,
            name,
            "",
            text if other is None else None,
            text if one is None else None,
            place.file,
            place.line,
            cites_in(decl),
        )
        return
    heads = tuple(i for decl in (one, other) for i in _own_cites(decl))
    if isinstance(one, syn.ModifiersDecl) and isinstance(other, syn.ModifiersDecl):
        yield from _entries(name, one, other, old, new)
        one, other = dataclasses.replace(one, entries=()), dataclasses.replace(other, entries=())
    if isinstance(one, syn.TableDecl | syn.KindDecl) and type(one) is type(other):
        # Their cells are compared one by one.
        one, other = dataclasses.replace(one, rows=()), dataclasses.replace(other, rows=())
    for before, after, place in differences(one, other, None):
        where = f"line {place.line}" if place is not None else ""
        yield Change(
            what,
            name,
            where,
            _text(before, old),
            _text(after, new),
            place.file if place else "",
            place.line if place else 0,
            tuple(dict.fromkeys([*heads, *cites_in((before, after))])),
        )


def _own_cites(decl: Any) -> tuple[str, ...]:
    """What the heading of a declaration cites."""
    cites = getattr(decl, "cites", None)
    return cites.ids if isinstance(cites, syn.Cites) else ()


def _entries(
    name: str, one: syn.ModifiersDecl, other: syn.ModifiersDecl, old: Declarations, new: Declarations
) -> Iterator[Change]:
    before = {_label(entry, n): entry for n, entry in enumerate(one.entries)}
    after = {_label(entry, n): entry for n, entry in enumerate(other.entries)}
    for label in dict.fromkeys([*before, *after]):
        a, b = before.get(label), after.get(label)
        if a == b:
            continue
        place = (b or a).span  # type: ignore[union-attr]
        yield Change(
            "modifiers",
            name,
            label,
            _entry(a) if a is not None else None,
            _entry(b) if b is not None else None,
            place.file,
            place.line,
            tuple(dict.fromkeys(i for part in (one, other, a, b) for i in _own_cites(part))),
        )


def _label(entry: syn.Entry, number: int) -> str:
    """What a line of a list is called: its name; one that takes others out, by those."""
    if entry.sort == "without":
        return "without " + ", ".join(entry.struck)
    return entry.name or entry.label or f"line {number + 1}"


def _entry(entry: syn.Entry) -> str:
    value = modifier_text(entry)
    when = f" when {unparse(entry.condition)}" if entry.condition is not None else ""
    return f"{value}{when}"


def modifier_text(entry: syn.Entry) -> str:
    """What a line of a list does, without its condition."""
    value = unparse(entry.value) if entry.value is not None else entry.sort
    if entry.sort == "add":
        value = value if value.startswith("-") else f"+{value}"
    elif entry.sort == "times":
        value = f"times {entry.numerator}/{entry.denominator} {entry.rounding}"
    elif entry.sort == "without":
        value = "without " + ", ".join(entry.struck)
    elif entry.value is not None:
        value = f"{entry.sort} {value}"
    return value


def differences(a: Any, b: Any, place: Span | None) -> Iterator[tuple[Any, Any, Span | None]]:
    """The smallest parts in which two trees differ; None for a part that the other lacks."""
    if a == b:
        return
    place = getattr(b, "span", None) or getattr(a, "span", None) or place
    if isinstance(a, tuple) and isinstance(b, tuple):
        yield from _tuples(a, b, place)
        return
    if type(a) is not type(b) or not dataclasses.is_dataclass(a):
        yield a, b, place
        return
    apart = [
        (getattr(a, f.name), getattr(b, f.name))
        for f in dataclasses.fields(a)
        if f.compare and getattr(a, f.name) != getattr(b, f.name)
    ]
    small = isinstance(
        a, syn.BinaryExpr | syn.CallExpr | syn.Ternary | syn.OrElse | syn.AggregateExpr | syn.UnaryExpr
    )
    plain = any(not dataclasses.is_dataclass(x) and not isinstance(x, tuple) for pair in apart for x in pair)
    if (len(apart) != 1 and (small or plain)) or (plain and small):
        yield a, b, place
        return
    for one, other in apart:
        yield from differences(one, other, place)


def _tuples(
    a: tuple[Any, ...], b: tuple[Any, ...], place: Span | None
) -> Iterator[tuple[Any, Any, Span | None]]:
    left, right = [repr(_bare(x)) for x in a], [repr(_bare(x)) for x in b]
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for n in range(max(j - i, m - k)):
            one = a[i + n] if i + n < j else None
            other = b[k + n] if k + n < m else None
            if one is None or other is None:
                yield one, other, getattr(one if other is None else other, "span", place)
            else:
                yield from differences(one, other, place)


def _bare(node: Any) -> Any:
    """The tree without its places."""
    if isinstance(node, tuple):
        return tuple(_bare(x) for x in node)
    if dataclasses.is_dataclass(node):
        return (
            type(node).__name__,
            *(_bare(getattr(node, f.name)) for f in dataclasses.fields(node) if f.compare),
        )
    return node


def _line(ruleset: Declarations, node: Any) -> str:
    source = ruleset.project.sources.get(node.span.file)
    return source.line(node.span.line).strip() if source is not None else unparse(node)


def _text(node: Any, ruleset: Declarations) -> str | None:
    if node is None:
        return None
    if isinstance(node, bool):
        return "yes" if node else "no"
    expression = isinstance(node, (*_EXPRESSIONS, str, int))
    return unparse(node) if expression or not hasattr(node, "span") else _line(ruleset, node)


_EXPRESSIONS = (
    syn.Name, syn.Number, syn.Text, syn.NoneLit, syn.FlagLit, syn.Dot, syn.CallExpr, syn.NamedArg, syn.UnaryExpr,
    syn.BinaryExpr, syn.Ternary, syn.OrElse, syn.RangeExpr, syn.Items, syn.SetLiteral, syn.AggregateExpr, syn.AsOf, syn.Latest,
    syn.AtBest, syn.MatchedExpr, syn.TypeExpr, syn.Param, syn.Member, syn.Use,
)  # fmt: skip

# ------------------------------------------------------------------------------------------------- tables


def compare_tables(old: Declarations, new: Declarations) -> ChangedSection:
    """Tables that both have, cell by cell."""
    section = ChangedSection("tables")
    before, after = _tables(old), _tables(new)
    for name in before:
        if name in after:
            _compare_table(section, name, before[name], after[name])
    return section


def _tables(ruleset: Declarations) -> dict[str, tuple[Any, Any, Ground]]:
    found = {}
    ground = Ground.of_default(ruleset.symbols, Sink())
    for entry in ruleset.symbols.callables.values():
        if entry.sort == "table" and entry.table is not None and entry.table in ruleset.values.tables:
            found[entry.name] = (entry, ruleset.values.tables[entry.table], ground)
    return found


def _compare_table(
    section: ChangedSection, name: str, one: tuple[Any, Any, Ground], other: tuple[Any, Any, Ground]
) -> None:
    (entry, old, ground), (later, new, ground_now) = one, other
    types = [type_ for _, type_ in entry.params]
    if [str(t) for t in types] != [str(t) for _, t in later.params]:
        return  # told among the rules
    keys = [
        list(dict.fromkeys([*_keys(old, axis, entry), *_keys(new, axis, later)]))
        for axis in range(len(types))
    ]
    size = 1
    for axis in keys:
        size *= len(axis)
    if size > MAX_CELLS:
        if old != new:
            section.notes.append(f"table {name} differs; it is too large to be compared cell by cell")
        return
    for shown in product(*keys):
        a = table_lookup(
            old, tuple(_number(text, t) for text, (_, t) in zip(shown, entry.params, strict=True))
        )
        b = table_lookup(
            new, tuple(_number(text, t) for text, (_, t) in zip(shown, later.params, strict=True))
        )
        before = _cell(ground, entry.result, a)
        after = _cell(ground_now, later.result, b)
        if before != after:
            section.changes.append(
                Change(
                    "table",
                    name,
                    f"({', '.join(map(_row_text, shown, range(len(types)), types, repeat(old)))})",
                    before,
                    after,
                    later.span.file,
                    later.span.line,
                    tuple(dict.fromkeys([*entry.cites, *later.cites])),
                )
            )


def table_names(ruleset: Declarations) -> list[str]:
    return list(_tables(ruleset))


def table_cell(ruleset: Declarations, name: str, keys: Sequence[str]) -> str | None:
    """What stands in a cell, as authors write it; None for nothing.  LookupError, ValueError: there is no such cell."""
    entry, table, ground = _tables(ruleset)[name]
    if len(keys) != len(entry.params):
        raise LookupError(f"it has {len(entry.params)} axes")
    for key, axis, (_, type_) in zip(keys, range(len(keys)), entry.params, strict=True):
        if key not in _keys(table, axis, entry):
            raise LookupError(f"{key} is not on its axis of {type_}")
    return _cell(
        ground,
        entry.result,
        table_lookup(table, tuple(_number(k, t) for k, (_, t) in zip(keys, entry.params))),
    )


def _keys(table: Any, axis: int, entry: Any) -> list[str]:
    lo, hi = table[TABLE_HEAD + AXIS_CELLS * axis : TABLE_HEAD + AXIS_CELLS * axis + 2]
    type_ = entry.params[axis][1]
    if type_.sort == "dom" and type_.dom is not None:
        return list(type_.dom.members)
    return [str(value) for value in range(lo, hi + 1)]


def _row_text(key: str, axis: int, type_: Type, table: Any) -> str:
    """A key as rows of tables have it: `..8` and `12..` where an axis of any numbers ends."""
    lo, hi = table[TABLE_HEAD + AXIS_CELLS * axis : TABLE_HEAD + AXIS_CELLS * axis + 2]
    if type_.sort != "int" or lo == hi:
        return key
    if type_.lo <= INT_LO and int(key) == lo:
        return f"..{key}"
    return f"{key}.." if type_.hi >= INT_HI and int(key) == hi else key


def _number(text: str, type_: Type) -> int:
    if type_.sort == "dom" and type_.dom is not None:
        place = type_.dom.index(text)
        return (place or 0) + (type_.dom.range_lo if type_.dom.from_code else type_.dom.base)
    return int(text)


def _cell(ground: Ground, type_: Type | None, value: int | None) -> str | None:
    return None if value is None or type_ is None else ground.show(type_, value)


# -------------------------------------------------------------------------------------------------- kinds


def compare_data(old: Declarations, new: Declarations) -> ChangedSection:
    """The cells of all kinds, by the names of rows and columns."""
    section = ChangedSection("data")
    before, after = kind_cells(old), kind_cells(new)
    for dom in new.symbols.doms:
        for was, place in dom.renamed.items():
            now = dom.members[place]
            if (dom.name, was, "name") in before and (dom.name, now, "name") not in before:
                section.changes.append(Change("kind", dom.name, "row", was, now))
                before = {
                    (kind, now if (kind, row) == (dom.name, was) else row, column): value
                    for (kind, row, column), value in before.items()
                    if (kind, row, column) != (dom.name, was, "name")
                }
                before[dom.name, now, "name"] = now
    gone = [key for key in dict.fromkeys((kind, row) for kind, row, _ in before) if key not in _rows(after)]
    come = [key for key in dict.fromkeys((kind, row) for kind, row, _ in after) if key not in _rows(before)]
    section.changes += [Change("kind", kind, row, "a row", None) for kind, row in gone]
    section.changes += [Change("kind", kind, row, None, "a row") for kind, row in come]
    for key in dict.fromkeys([*before, *after]):
        kind, row, column = key
        if (kind, row) in gone or (kind, row) in come:
            continue
        if before.get(key) != after.get(key):
            section.changes.append(Change("kind", kind, f"{row}.{column}", before.get(key), after.get(key)))
    return section


def _rows(cells: dict[tuple[str, str, str], str]) -> set[tuple[str, str]]:
    return {(kind, row) for kind, row, _ in cells}


def kind_cells(ruleset: Declarations) -> dict[tuple[str, str, str], str]:
    """(kind, row, column) -> what stands there, as authors write it."""
    found: dict[tuple[str, str, str], str] = {}
    ground = Ground.of_default(ruleset.symbols, Sink())
    for dom in ruleset.symbols.doms:
        if dom.sort not in ("kind", "power"):
            continue
        for member in dom.members:
            found[dom.name, member, "name"] = member
        for info in dom.fields.values():
            if info.column is None:
                continue
            for index, value in sorted(ruleset.values.columns.get(info.column, {}).items()):
                row = dom.members[index[0]]
                axes = ", ".join(_axis(axis, n) for axis, n in zip(info.axes, index[1:]))
                column = f"{info.name}({axes})" if axes else info.name
                found[dom.name, row, column] = ground.show(info.type, value)
    return found


def _axis(axis: Dom, number: int) -> str:
    return axis.members[number] if number < len(axis.members) else str(number)


# ---------------------------------------------------------------------------------------------- examples


def restated(old: Declarations, new: Declarations) -> ChangedSection:
    """Examples of play that only one side has, and those that it words otherwise."""
    section = ChangedSection("examples of play")
    before, after = (
        {example.title: example for _rank, example in ruleset.merged.examples} for ruleset in (old, new)
    )
    for title in dict.fromkeys([*before, *after]):
        one, other = before.get(title), after.get(title)
        if one == other:
            continue
        decl = other or one
        assert decl is not None
        section.changes.append(
            Change(
                "example", title, "",
                None if one is None else written(old.project, one.span),
                None if other is None else written(new.project, other.span),
                decl.span.file, decl.span.line, cites_in((one, other)),
            )
        )  # fmt: skip
    return section
