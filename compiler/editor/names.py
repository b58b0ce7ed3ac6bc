"""What can be meant by a name: the symbols of a title, and where each is declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grognard.compiler.driver.phases import Title
from grognard.compiler.editor.text import Word, rules_text
from grognard.compiler.layers.merge import Layer
from grognard.compiler.layers.rulebook import load_section_texts
from grognard.compiler.sema.types import Dom, FieldInfo, Type
from grognard.compiler.support.yamlfile import YMap, YNode, load_yaml
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something with a name.  `owner` is the type that a field or member belongs to, or the place that binds a local."""

    sort: str  # type record callable event option field member local section
    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one line of a file; lines and columns count from 0."""

    file: str
    line: int
    start: int
    end: int


class Names:
    """The names of a title as it was last read."""

    def __init__(self, title: Title) -> None:
        self.world = title.declared.symbols
        self.merged = title.merged
        self.rulebook = title.declared.rulebook
        #: what sections say, where the author wrote it down
        self.section_texts = load_section_texts(title.project, self.rulebook, Sink()) if self.rulebook else {}
        #: name of a declaration -> what later layers change about it
        self.touched = touched_by(title.layers)
        self.sources: dict[str, SourceFile] = {**title.sink.sources, **title.project.sources}
        #: member -> the domains that have it
        self.members: dict[str, list[Dom]] = {}
        #: field -> the domains that have it
        self.fields: dict[str, list[Dom]] = {}
        for dom in self.world.doms:
            if dom.sort in ("range", "record"):
                continue
            for name in dom.members:
                if dom.sort not in ("piece", "edge"):
                    self.members.setdefault(name, []).append(dom)
            for name in dom.fields:
                self.fields.setdefault(name, []).append(dom)
        self._members_at: dict[str, dict[str, Span]] | None = None

    # ---- looking up

    def dom(self, name: str) -> Dom | None:
        return self.world.types.get(name)

    def field_of(self, type_: Type, name: str) -> tuple[FieldInfo | None, Dom | None]:
        """A field of a value of a type, and the domain that declares it."""
        for dom in type_.dom.parts if type_.dom is not None and type_.dom.parts else (type_.dom,):
            while dom is not None:
                if name in dom.fields:
                    return dom.fields[name], dom
                for inner in dom.classes:
                    if name in inner.fields:
                        return inner.fields[name], inner
                if dom.kind is not None and name in dom.kind.fields:
                    return dom.kind.fields[name], dom.kind
                if dom.seat and name in self.world.seat_fields:
                    return self.world.seat_fields[name], dom
                dom = dom.parent
        return None, None

    def fields_of(self, type_: Type) -> Iterator[tuple[str, Type, FieldInfo | None]]:
        """What can stand after a dot."""
        if type_.record is not None:
            for name, part in type_.record.fields.items():
                yield name, part, None
            return
        seen: set[str] = set()
        for dom in type_.dom.parts if type_.dom is not None and type_.dom.parts else (type_.dom,):
            while dom is not None:
                owners = [dom, *dom.classes, *([dom.kind] if dom.kind is not None else [])]
                found = {name: info for owner in owners for name, info in owner.fields.items()}
                if dom.seat:
                    found |= self.world.seat_fields
                for name, info in found.items():
                    if name not in seen:
                        seen.add(name)
                        yield name, info.type, info
                dom = dom.parent

    # ---- declarations

    def declared(self, symbol: Symbol) -> Place | None:
        """Where a symbol is declared."""
        span, name = self._span(symbol), symbol.name
        if span is None:
            return None
        return self.word_at(span, name)

    def word_at(self, span: Span, name: str) -> Place:
        """The place of a word in the lines of a span; the start of the span if it is not there."""
        source = self.sources.get(span.file)
        if source is not None:
            for line in range(span.line, min(max(span.end_line, span.line + 1), span.line + 40) + 1):
                text = source.line(line)
                start = span.column - 1 if line == span.line else 0
                found = _word_in(text, name, start)
                if found is not None:
                    return Place(span.file, line - 1, found, found + len(name))
                if line >= span.end_line:
                    break
        return Place(span.file, span.line - 1, span.column - 1, span.column - 1 + len(name))

    def _span(self, symbol: Symbol) -> Span | None:
        world = self.world
        match symbol.sort:
            case "callable":
                entry = world.callables.get(symbol.name) or world.situations.get(symbol.name)
                return entry.span if entry is not None else None
            case "event":
                entry = world.events.get(symbol.name)
                return entry.span if entry is not None else None
            case "record":
                record = world.records.get(symbol.name)
                form = world.forms.get(symbol.name)
                return form.decl.span if form is not None else record.span if record is not None else None
            case "option":
                return world.options[symbol.name].decl.span if symbol.name in world.options else None
            case "type":
                dom = world.types.get(symbol.name)
                return dom.span if dom is not None else None
            case "member":
                return self._places_of_members().get(symbol.owner, {}).get(symbol.name)
            case "field":
                return self._field_span(symbol)
            case "section":
                book = self.rulebook
                section = book.sections.get(symbol.name) if book is not None else None
                return section.span if section is not None else None
        return None

    def _field_span(self, symbol: Symbol) -> Span | None:
        world = self.world
        record = world.records.get(symbol.owner)
        if record is not None:
            return record.span
        if symbol.owner == "game":
            info: FieldInfo | None = world.globals.get(symbol.name)
        else:
            dom = next((d for d in world.doms if d.name == symbol.owner and symbol.name in d.fields), None)
            info = dom.fields[symbol.name] if dom is not None else world.seat_fields.get(symbol.name)
            if info is not None and info.decl is None and dom is not None:
                return dom.span  # a column of a drawn table
        return info.decl.span if info is not None and info.decl is not None else None

    def _places_of_members(self) -> dict[str, dict[str, Span]]:
        """Domain -> member -> where it is named: in rules, in the rows of drawn tables, in YAML."""
        if self._members_at is None:
            found: dict[str, dict[str, Span]] = {}
            for _, decl in self.merged.decls:
                match decl:
                    case syn.EnumDecl():
                        found[decl.name] = {m.name: m.span for m in decl.members}
                    case syn.SidesDecl() if self.world.sides is not None:
                        found[self.world.sides.name] = {m.name: m.span for m in decl.members}
                    case syn.FormDecl():
                        found[decl.name] = {m.name: m.span for m in decl.members}
                    case syn.KindDecl(source=None):
                        found[decl.name] = {row.cells[0][0]: row.cells[0][1] for row in decl.rows[1:]}
            for file in self.sources:
                if file.endswith(".yaml") and "/scenarios/" not in file:
                    for owner, spans in self._members_in(file).items():
                        for name, span in spans.items():
                            found.setdefault(owner, {}).setdefault(name, span)
            self._members_at = found
        return self._members_at

    def _members_in(self, file: str) -> dict[str, dict[str, Span]]:
        tree = yaml_tree(self.sources[file])
        found: dict[str, dict[str, Span]] = {}
        if not isinstance(tree, YMap):
            return found
        base = file.rsplit("/", 1)[-1]
        for dom in self.world.doms:
            if dom.sort not in ("kind", "power", "place") or dom.from_code:
                continue
            source = getattr(dom.decl, "source", None)
            rows = tree.get(dom.name)
            if not isinstance(rows, YMap):
                rows = tree if source is not None and source.rsplit("/", 1)[-1] == base else None
            spots: dict[str, Span] = {}
            if isinstance(rows, YMap):
                _keys(rows, set(dom.members), spots, 4)
            if dom.sort == "place" and "maps/" in file:
                _keys(tree, set(dom.members), spots, 3)
            if spots:
                found[dom.name] = spots
        return found

    def doc(self, place: Place) -> str:
        """The comment above a declaration."""
        source = self.sources.get(place.file)
        lines: list[str] = []
        number = place.line
        while source is not None and number >= 1 and source.line(number).lstrip().startswith("#"):
            lines.insert(0, source.line(number).lstrip().lstrip("#").strip())
            number -= 1
        return "\n".join(lines) if len(lines) < 12 else ""


@dataclass(frozen=True, slots=True)
class Touch:
    """A change of a declaration by a later layer: an exception, an amendment, an addition."""

    words: str
    span: Span
    cites: tuple[str, ...]


def touched_by(layers: Sequence[Layer]) -> dict[str, list[Touch]]:
    """Name of a declaration -> its exceptions, and what titles and errata change about it."""
    found: dict[str, list[Touch]] = {}

    def note(decl: Any, by: str) -> None:
        match decl:
            case syn.ExceptionDecl(target=name):
                label = f" {decl.label}" if decl.label else ""
                words = f"exception{label}"
            case syn.Amend(target=name):
                words = "amended"
            case syn.AddTo(target=name):
                words = "added to"
            case syn.Replace():
                name, words = decl.decl.name, "replaced"
            case _:
                return
        cites = getattr(decl, "cites", None)
        found.setdefault(name, []).append(
            Touch(words + by, decl.span, cites.ids if cites is not None else ())
        )

    for layer in layers:
        for tree in layer.trees:
            for decl in tree.decls:
                if isinstance(decl, syn.ErrataDecl):
                    for patch in decl.patches:
                        note(patch, f' by erratum "{decl.name}"')
                else:
                    note(decl, "" if isinstance(decl, syn.ExceptionDecl) else f" by {layer.name}")
    return found


def _word_in(text: str, name: str, start: int) -> int | None:
    end = start
    while (end := text.find(name, end)) >= 0:
        before, after = text[end - 1 : end], text[end + len(name) : end + len(name) + 1]
        if not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_"):
            return end
        end += 1
    return None


def _keys(node: YNode, wanted: set[str], found: dict[str, Span], depth: int) -> None:
    """The first place of each wanted key in a tree of maps."""
    if not isinstance(node, YMap) or depth == 0:
        return
    for key, entry in node.entries.items():
        for name in (part.strip() for part in key.split(",")):
            if name in wanted:
                found.setdefault(name, entry.key_span)
        _keys(entry.value, wanted, found, depth - 1)


_TREES: dict[tuple[str, str], Any] = {}


def yaml_tree(source: SourceFile) -> YNode | None:
    """The tree of a YAML file, remembered by its content."""
    key = (source.path, source.sha256)
    if key not in _TREES:
        if len(_TREES) > 200:
            _TREES.clear()
        _TREES[key] = load_yaml(source, Sink())
    return _TREES[key]


def words_named(source: SourceFile, name: str) -> Iterator[Word]:
    """All words of a rules file with this text, in code and cells."""
    if name not in source.text:
        return
    for chunk in rules_text(source.text).chunks:
        for word in chunk.words:
            if word.text == name and word.kind in ("name", "number"):
                yield word
            elif word.kind == "cell" and _word_in(word.text, name, 0) is not None:
                at = _word_in(word.text, name, 0) or 0
                yield Word("cell", name, word.line, word.start + at)
