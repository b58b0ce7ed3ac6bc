"""What others are told of a declaration, as a number that changes when that does.

A callable by itself (sema/typed/units.py) depends on its own text and on

- the *ground*: types, fields, members, options and the like, which nearly everything depends on; one number for all of it;
- the signatures of the callables and events that its text names: parameters, result, effects.  Of some callables more is
  told than their heading: a rule that a condition asks narrows types, a list spans an interval, a menu is its lines;
- the signatures of the numbers that its text names: fields of pieces, kinds and the like that hold one, with their intervals.

Cells of kinds are none of these: rules know the names of rows and the types of columns alone.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Hashable, Iterator
from typing import Any

from grognard.compiler.driver.memo import Versions
from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import INT, FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk

#: Declarations that others know by their signature alone; all other declarations are ground.
BY_SIGNATURE = (
    syn.RuleDecl
    | syn.ProcedureDecl
    | syn.ActionDecl
    | syn.ModifiersDecl
    | syn.TableDecl
    | syn.MenuDecl
    | syn.SightDecl
    | syn.ArcDecl
    | syn.MovementDecl
    | syn.OnDecl
    | syn.OnChangeDecl
    | syn.EventDecl
    | syn.PolicyDecl
    | syn.SituationDecl
    | syn.VictoryDecl
    | syn.SequenceDecl
)
_WORD = re.compile(r"[^\W\d]\w*")


class Signatures:
    """The signatures of the callables of a title at one moment."""

    def __init__(
        self, symbols: Symbols, merged: Merged, bounds: dict[int, Any], versions: Versions, places_known: bool
    ) -> None:
        self.symbols = symbols
        self.bounds = bounds
        self.versions = versions
        self._known: dict[str, int] = {}
        self._headings: dict[str, int] = {}
        self._told: dict[str, frozenset[str]] = {}
        self._numbers = _numbers(symbols)
        self.names = frozenset((*symbols.callables, *symbols.events, *symbols.dispatched, *self._numbers))
        self.ground = versions.of_value(tuple(self._ground(merged, places_known)))
        #: the same with all intervals and cells, which the data of scenarios depend on
        self.ground_of_data = versions.of_value((self.ground, *self._written(merged)))

    def all(self) -> dict[str, int]:
        """The signatures of everything that has one."""
        return {name: self.of(name) for name in self.names}

    def named_in(self, tree: Any) -> frozenset[str]:
        """The callables and events that a piece of syntax names."""
        return self.symbols.facts.of(words_of, tree) & self.names

    def of(self, name: str) -> int:
        """The signature of what bears this name, with all that is told with it."""
        known = self._known.get(name)
        if known is not None:
            return known
        if not self._told_with(name):
            made = self.heading(name)
        else:
            told = {name}
            pending = [name]
            while pending:
                for more in self._told_with(pending.pop()) - told:
                    told.add(more)
                    pending.append(more)
            made = self.versions.of_value(tuple((more, self.heading(more)) for more in sorted(told)))
        self._known[name] = made
        return made

    # ------------------------------------------------------------------------------------------------------ parts

    def _told_with(self, name: str) -> frozenset[str]:
        """What else is told to those who name this."""
        found = self._told.get(name)
        if found is None:
            found = self._told[name] = frozenset(self._find_told_with(name))
        return found

    def _find_told_with(self, name: str) -> Iterator[str]:
        symbols = self.symbols
        entry = symbols.callables.get(name)
        if entry is not None and self._told_whole(entry):
            for tree in (entry.decl, *(exception for _, exception in entry.exceptions)):
                yield from self.named_in(tree)
        if name in symbols.events:
            for when in (name, f"rolling {name}", f"rolled {name}"):
                for _, handler in symbols.handlers.get(when, ()):
                    if handler.condition is not None:
                        yield from self.named_in(handler.condition)
        for dom in symbols.dispatched.get(name, ()):
            assert dom.callable_type is not None
            yield from (found.name for found in dom.callable_type.entries)

    def heading(self, name: str) -> int:
        """The signature of what bears this name, alone."""
        known = self._headings.get(name)
        if known is None:
            known = self._headings[name] = self.versions.of_value((name, *self._parts(name)))
        return known

    def _parts(self, name: str) -> Iterator[Hashable]:
        symbols = self.symbols
        entry = symbols.callables.get(name)
        if entry is not None:
            yield from self._callable(entry)
        event = symbols.events.get(name)
        if event is not None:
            yield tuple((param, type_key(type_)) for param, type_ in event.params)
            for when in (name, f"rolling {name}", f"rolled {name}"):
                for place, (rank, handler) in enumerate(symbols.handlers.get(when, ())):
                    made = symbols.callables.get(f"on {when} {place + 1}")
                    yield when, rank, made is not None and made.asks
                    yield self.versions.of_tree(("handler", when, place), handler)
        for dom in symbols.dispatched.get(name, ()):
            assert dom.callable_type is not None
            yield dom.name, tuple(found.name for found in dom.callable_type.entries)
        yield from self._numbers.get(name, ())

    def _callable(self, entry: Callable_) -> Iterator[Hashable]:
        yield entry.sort, entry.layer, entry.asks, entry.writes, entry.uses_me
        yield tuple(sorted(entry.changeable))
        yield tuple((param, type_key(type_)) for param, type_ in entry.params)
        yield None if entry.result is None else type_key(entry.result)
        yield entry.name in self.symbols.in_branches
        if entry.sort == "table":
            yield tuple((axis.name, axis.clamp) for axis in entry.decl.axes)
            if entry.table is not None:
                yield tuple(self.bounds.get(entry.table, ()))
            return
        if self._told_whole(entry):
            for tree in (entry.decl, *(exception for _, exception in entry.exceptions)):
                yield self.version(entry, tree)

    def _told_whole(self, entry: Callable_) -> bool:
        """Whether others depend on its body."""
        match entry.sort:
            case "rule":
                return entry.result is not None and entry.result.sort == "flag"
            case "modifiers":
                return entry.result is None or entry.result == INT
        return entry.sort in ("menu", "movement", "form", "sight", "arc")

    def version(self, entry: Callable_, tree: Any) -> int:
        """The number of a declaration of this callable: its own or that of an exception."""
        place = next((n for n, (_, found) in enumerate(entry.exceptions) if found is tree), -1)
        return self.versions.of_tree((entry.sort, entry.name, place), tree)

    def _ground(self, merged: Merged, places_known: bool) -> Iterator[Hashable]:
        symbols, versions = self.symbols, self.versions
        for place, (rank, decl) in enumerate(
            (rank, decl) for rank, decl in merged.decls if not isinstance(decl, BY_SIGNATURE)
        ):
            yield rank, versions.of_tree(("ground", place), symbols.facts.of(without_numbers, decl))
        # Columns that are drawn have the types that their cells give them.
        yield tuple(
            (dom.name, name, type_key(info.type), tuple(axis.name for axis in info.axes))
            for dom in symbols.doms
            for name, info in dom.fields.items()
            if info.column is not None and not _is_number(info)
        )
        for place, amend in enumerate(merged.data_amends):
            yield versions.of_tree(("amend", place), amend)
        yield tuple((dom.name, dom.sort, tuple(dom.members), tuple(dom.renamed)) for dom in symbols.doms)
        yield tuple((name, info.value) for name, info in symbols.options.items())
        yield tuple(sorted(symbols.broken)), tuple(sorted(symbols.unread)), places_known, symbols.chance
        yield tuple(sorted(symbols.marks)), tuple(sorted(symbols.points)), symbols.asks_during
        yield tuple(sorted((point, tuple(sorted(names))) for point, names in symbols.schedules.items()))

    def _written(self, merged: Merged) -> Iterator[int]:
        for place, (_, decl) in enumerate(merged.decls):
            if isinstance(decl, _WITH_NUMBERS):
                yield self.versions.of_tree(("written", place), decl)


#: Declarations that may have fields of numbers, or cells.
_WITH_NUMBERS = syn.KindDecl | syn.PieceDecl | syn.OwnerDecl | syn.SpaceDecl | syn.ClassDecl


def _is_number(info: FieldInfo) -> bool:
    return info.type.sort == "int" and not info.axes and not info.secret


def _numbers(symbols: Symbols) -> dict[str, tuple[Hashable, ...]]:
    """The fields that hold a number, by their names: whose they are, and the interval."""
    found: dict[str, list[Hashable]] = {}
    for dom in (*symbols.doms, None):
        for name, info in (symbols.globals if dom is None else dom.fields).items():
            if _is_number(info):
                found.setdefault(name, []).append((None if dom is None else dom.name, type_key(info.type)))
    return {name: tuple(made) for name, made in found.items()}


def without_numbers(decl: Any) -> Any:
    """A declaration without what only those need to know who name it: intervals of numbers, cells of rows."""
    if not isinstance(decl, _WITH_NUMBERS) or (isinstance(decl, syn.PieceDecl) and decl.record):
        return decl
    if isinstance(decl, syn.KindDecl):
        decl = dataclasses.replace(decl, rows=())
    return dataclasses.replace(decl, fields=tuple(map(_without_interval, decl.fields)))


def _without_interval(entry: syn.FieldDecl) -> syn.FieldDecl:
    base = entry.type.base
    if not isinstance(base, syn.RangeExpr) or entry.type.sort != "plain" or entry.axes or entry.secret:
        return entry
    anything = dataclasses.replace(entry.type, base=syn.Name("int", base.span))
    start = None if entry.default is None else syn.Number("0", base.span)
    return dataclasses.replace(entry, type=anything, default=start)


def type_key(type_: Type) -> Hashable:
    """A type by the names of what it is made of, for comparisons between two looks at a title."""
    return (
        type_.sort,
        type_.lo,
        type_.hi,
        type_.optional,
        type_.dom.name if type_.dom is not None else None,
        type_.record.name if type_.record is not None else None,
        type_key(type_.element) if type_.element is not None else None,
        type_.capacity,
    )


def words_of(tree: Any) -> frozenset[str]:
    """All words that stand in a piece of syntax, also those within texts."""
    found: set[str] = set()

    def take(value: Any) -> None:
        if type(value) is str:
            if value.isidentifier():
                found.add(value)
            else:
                found.update(_WORD.findall(value))
        elif type(value) is tuple:
            for part in value:
                take(part)

    for node in walk(tree):
        for name in _text_fields(type(node)):
            take(getattr(node, name))
    return frozenset(found)


_TEXT_FIELDS: dict[type, tuple[str, ...]] = {}


def _text_fields(kind: type) -> tuple[str, ...]:
    """The fields of a node that may hold words."""
    known = _TEXT_FIELDS.get(kind)
    if known is None:
        known = tuple(
            f.name for f in dataclasses.fields(kind) if f.name not in ("span", "cites", "name_span", "op")
        )
        _TEXT_FIELDS[kind] = known
    return known
