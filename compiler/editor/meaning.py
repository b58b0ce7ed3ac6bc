"""What a word of the rules means: the symbol, and the type of its value.

Read from the words before it, so that it works in text that is not finished.  What cannot be told is left open; rename asks the
compiler afterwards whether all is still well.
"""

from __future__ import annotations

from grognard.compiler.editor.expression_types import AGGREGATES, Meaning, TypeReader
from grognard.compiler.editor.names import Symbol
from grognard.compiler.editor.text import Word
from grognard.compiler.sema.types import FLAG, INT, UNKNOWN, Dom, Type, dom_type, set_type

_SETTERS = frozenset(("is", "not", "in", "=", ":=", "{", ",", "+=", "-=", "<", "<=", ">", ">=", "->", "when"))
_OWNERS = frozenset(("piece", "kind", "record", "space", "class", "game", "each", "powers", "form", "add"))


class Reader(TypeReader):
    """Reads the words of one declaration."""

    def index(self, word: Word) -> int | None:
        for number, other in enumerate(self.words):
            if other.line == word.line and other.start <= word.start and word.end <= other.end:
                return number
        return None

    # ---- what a word means

    def meanings(self, place: int) -> list[Meaning]:
        """What the word may mean; several where the words alone do not tell."""
        words = self.words
        word = words[place]
        if word.kind == "cell":
            return self.cell_meanings(place, word.text)
        if word.kind not in ("name", "number"):
            return []
        if self.text(place - 1) == ".":
            owner = self.postfix_type(place - 2)
            base = words[place - 2] if place >= 2 else None
            if base is not None and base.text in ("game", "scenario") and word.text in self.world.globals:
                info = self.world.globals[word.text]
                return [Meaning(Symbol("field", "game", word.text), info.type)]
            dom = self.names.dom(base.text) if base is not None and base.kind == "name" else None
            if dom is not None and self.local(base.text, place - 2) is None:  # type: ignore[union-attr]
                return [Meaning(Symbol("member", dom.name, word.text), dom_type(dom))]
            return self._field(owner, word.text)
        named = self._named_argument(place)
        if named:
            return named
        declared = self._field_declared(place)
        if declared:
            return declared
        local = self.local(word.text, place)
        if local is not None:
            return [local]
        wanted = self.wanted_at(place)
        if wanted is not None and word.text in wanted.members:
            return self._member(word.text, wanted)
        return self._global(word.text)

    def cell_meanings(self, place: int, name: str) -> list[Meaning]:
        """What a word in a cell of a drawn table means: the name of a row or column, a member."""
        kind = self.names.dom(self.text(1)) if self.chunk.heading == "kind" else None
        if kind is None and self.chunk.heading == "add":
            kind = self.names.dom(self.text(3))
        if kind is not None:
            first = place == 0 or self.words[place - 1].line != self.words[place].line
            if first and name in kind.members:
                return self._member(name, kind)
            if name in kind.fields:
                return [Meaning(Symbol("field", kind.name, name), kind.fields[name].type)]
            return self._member(name, None)
        entry = self.world.callables.get(self.text(1))
        wanted = [type_ for _, type_ in entry.params] if entry is not None else []
        wanted += [entry.result] if entry is not None and entry.result is not None else []
        for type_ in wanted:
            if type_.dom is not None and name in type_.dom.members:
                return self._member(name, type_.dom)
        return self._member(name, None)

    def _field(self, owner: Type, name: str) -> list[Meaning]:
        if owner.record is not None:
            part = owner.record.fields.get(name)
            return [Meaning(Symbol("field", owner.record.name, name), part)] if part is not None else []
        info, dom = self.names.field_of(owner, name)
        if info is not None and dom is not None:
            return [Meaning(Symbol("field", dom.name, name), info.type)]
        return self._field_anywhere(name) if owner.sort == "unknown" else []

    def _field_anywhere(self, name: str) -> list[Meaning]:
        found = [
            Meaning(Symbol("field", dom.name, name), dom.fields[name].type)
            for dom in self.names.fields.get(name, ())
        ]
        found += [
            Meaning(Symbol("field", record.name, name), record.fields[name])
            for record in self.world.records.values()
            if name in record.fields
        ]
        return found

    def _member(self, name: str, dom: Dom | None) -> list[Meaning]:
        doms = [dom] if dom is not None else self.names.members.get(name, [])
        return [Meaning(Symbol("member", one.name, name), dom_type(one)) for one in doms]

    def _global(self, name: str) -> list[Meaning]:
        world = self.world
        if name == "me" and world.seats is not None:
            return []
        if name in world.types:
            return [Meaning(Symbol("type", "", name), dom_type(world.types[name]))]
        if name in world.records or name in world.forms:
            return [Meaning(Symbol("record", "", name))]
        if name in world.callables or name in world.situations:
            entry = world.callables.get(name) or world.situations[name]
            return [Meaning(Symbol("callable", "", name), entry.result or UNKNOWN)]
        if name in world.globals:
            return [Meaning(Symbol("field", "game", name), world.globals[name].type)]
        if name in world.options:
            option = world.options[name]
            return [Meaning(Symbol("option", "", name), dom_type(option.dom) if option.dom else FLAG)]
        if name in world.events:
            return [Meaning(Symbol("event", "", name))]
        return self._member(name, None)

    def _named_argument(self, place: int) -> list[Meaning]:
        """`left` of `counter german rifles as A at 0404, left = 2`, of `create Unit of rifles with left = 2`."""
        if self.text(place + 1) != "=" or self.text(place - 1) not in (",", "with", "("):
            return []
        line = self.words[place].line
        start = place
        while start > 0 and self.words[start - 1].line == line:
            start -= 1
        if self.words[start].text in ("counter", "counters"):
            rows = [w.text for w in self.words[start:place] if w.kind == "name"]
            for row in rows:
                for dom in self.names.members.get(row, ()):
                    for piece in self.world.doms:
                        if piece.sort == "piece" and piece.kind is dom:
                            return self._field(dom_type(piece), self.words[place].text)
        for number in range(place, start, -1):
            if self.words[number - 1].text == "create":
                made = self.names.dom(self.words[number].text)
                return self._field(dom_type(made), self.words[place].text) if made is not None else []
        if self.text(place - 1) == "(" or self.text(place - 1) == ",":
            callee = self.callee(place)
            record = self.world.records.get(callee[0]) if callee is not None else None
            if record is not None and self.words[place].text in record.fields:
                name = self.words[place].text
                return [Meaning(Symbol("field", record.name, name), record.fields[name])]
        return []

    def _field_declared(self, place: int) -> list[Meaning]:
        """A name in front of the colon of a field that is declared here."""
        if self.chunk.heading not in _OWNERS or self.words[place].line == self.chunk.first:
            return []
        end = place + 1
        while self.text(end) in (",", "(", ")") or (
            self.text(end) != ":" and self.text(end - 1) in (",", "(") and end < len(self.words)
        ):
            end += 1
        first = place
        while first > 0 and self.words[first - 1].line == self.words[place].line:
            if self.words[first - 1].text in (":", ";"):
                break
            first -= 1
        if self.text(end) != ":" or any(w.text in (":", "=") for w in self.words[first:place]):
            return []
        name = self.words[place].text
        for owner in self._owners_above(place):
            if owner == "game" and name in self.world.globals:
                return [Meaning(Symbol("field", "game", name), self.world.globals[name].type)]
            dom = next((d for d in self.world.doms if d.name == owner), None)
            if dom is not None:
                found = next(
                    (d for d in (dom, dom.edges, *dom.classes) if d is not None and name in d.fields), None
                )
                if found is not None:
                    return [Meaning(Symbol("field", found.name, name), found.fields[name].type)]
            record = self.world.records.get(owner)
            if record is not None and name in record.fields:
                return [Meaning(Symbol("field", owner, name), record.fields[name])]
        if name in self.world.seat_fields and self.world.seats is not None:
            return [Meaning(Symbol("field", self.world.seats.name, name), self.world.seat_fields[name].type)]
        return []

    def _owners_above(self, place: int) -> list[str]:
        found: list[str] = []
        for number, word in enumerate(self.words[:place]):
            if word.text == "class" and number + 1 < len(self.words):
                found.insert(0, self.words[number + 1].text)
        heading = [w.text for w in self.words if w.line == self.chunk.first and w.kind == "name"]
        if "of" in heading and heading[0] == "space":
            found.append(heading[heading.index("of") + 1])
        found += [name for name in heading if name[:1].isupper()]
        if heading and heading[0] == "space" and "hexes" in heading:
            found.append("Hex")
        if heading and heading[0] == "space" and "squares" in heading:
            found.append("Square")
        if heading and heading[0] == "game":
            found.append("game")
        return found

    def wanted_at(self, place: int) -> Dom | None:
        """The domain that a member is wanted of: of what it is compared with or given to."""
        number = place - 1
        if self.text(number) not in _SETTERS:
            return None
        while (number > 0 and self.text(number) in ("is", "not", "in", "{", ",", "=", ":=")) or (
            number > 0 and self.text(number - 1) in (",", "{")
        ):
            number -= 1
        found = self.postfix_type(number) if number >= 0 else UNKNOWN
        return found.dom if found.sort in ("dom", "set") else None

    # ---- locals

    def local(self, name: str, place: int) -> Meaning | None:
        """What binds a name at a place, the nearest first."""
        if name in self.world.types:
            return None
        words = self.words
        indent = self.indent(place)
        for number in range(min(place, len(words) - 1), -1, -1):
            word = words[number]
            if word.text != name or word.kind != "name":
                continue
            type_ = self._bound(number, place)
            if type_ is not None and (
                words[number].line == self.chunk.first
                or self.indent(number) <= indent
                or words[number].line == words[place].line
            ):
                owner = f"{self.file}:{word.line}:{word.start}"
                return Meaning(Symbol("local", owner, name), type_)
        return None

    def locals_at(self, place: int) -> dict[str, Meaning]:
        """All names that are bound at a place."""
        found: dict[str, Meaning] = {}
        for number in range(place - 1, -1, -1):
            word = self.words[number]
            if word.kind == "name" and word.text not in found and self._bound(number, place) is not None:
                meaning = self.local(word.text, place)
                if meaning is not None:
                    found[word.text] = meaning
        return found

    def _bound(self, number: int, place: int) -> Type | None:
        """The type that the word at `number` is bound with, if it is bound there and known at `place`."""
        before, after = self.text(number - 1), self.text(number + 1)
        words = self.words
        line_start = self.line_start(number)
        first = words[line_start].text
        if after == ":":
            if before == "roll":
                return INT
            heading = words[number].line == self.chunk.first and self.chunk.heading not in (
                "table",
                "enum",
                "option",
            )
            if before in ("let", "var", "choose") or (before in ("(", ",", "for") and heading):
                return self.type_at(number + 2)
            if before == "," and first == "on":
                return self.type_at(number + 2)
            return None
        if after == "in":
            if before in ("for", "choose", "some", "assign") or (before == "to" and first == "assign"):
                return self.element(number + 2)
            opened = self.opening(number)
            if opened is not None and words[opened - 1].text in AGGREGATES:
                if before == "(" or (before == "," and words[opened - 1].text == "matched"):
                    closed = self.closing(opened)
                    if place == number or opened < place <= closed:
                        return self.element(number + 2)
            return None
        if before in ("let", "var"):
            return self.expression_type(number + 2) if after == "=" else INT if after == "(" else None
        if before == "->" and first in ("do", "choose", "create", "assign", "odds"):
            return self._result(line_start, number)
        if before == "roll":
            return INT
        if before == "repeat" and after == "from":
            return INT
        if before in ("from", "to") and first == "step":
            return self._place_type()
        if before in ("hex", "for") and first in ("hex", "hindrance"):
            return self._place_type()
        if before == "hexside" and first == "hexside":
            place_type = self._place_type()
            edges = place_type.dom.edges if place_type is not None and place_type.dom is not None else None
            return dom_type(edges) if edges is not None else UNKNOWN
        if before == "alternate" and self.world.seats is not None:
            return dom_type(self.world.seats)
        if before == "entering":
            return self._place_type()
        if before == "as" and first == "counter":
            for dom in self.names.members.get(self.text(number - 2), ()):
                for piece in self.world.doms:
                    if piece.sort == "piece" and piece.kind is dom:
                        return dom_type(piece)
            return UNKNOWN
        if self.chunk.heading == "on" and words[number].line == self.chunk.first and before in ("(", ","):
            event = next((w.text for w in words[1:4] if w.text in self.world.events), None)
            if event is not None:
                names = [w for w in words[:number] if w.text == ","]
                params = self.world.events[event].params
                return params[len(names)][1] if len(names) < len(params) else UNKNOWN
        return None

    def _place_type(self) -> Type:
        """The places of the space that a movement, sight or arc is on."""
        words = self.words
        for number, word in enumerate(words):
            if word.text == "on" and word.line == self.chunk.first and number + 1 < len(words):
                for dom in self.world.spaces:
                    declared = getattr(dom.decl, "name", "")
                    if words[number + 1].text in (dom.name, declared):
                        return dom_type(dom)
        return dom_type(self.world.spaces[0]) if self.world.spaces else UNKNOWN

    def _result(self, start: int, number: int) -> Type:
        words = self.words
        kind = words[start].text
        if kind == "do":
            entry = self.world.callables.get(words[start + 1].text)
            return entry.result or UNKNOWN if entry is not None else UNKNOWN
        if kind == "create":
            dom = self.names.dom(words[start + 1].text)
            return dom_type(dom) if dom is not None else UNKNOWN
        if kind == "choose":  # choose some u in SOURCE -> set
            source = self.element(start + 4)
            return set_type(source.dom) if source.dom is not None else UNKNOWN
        return UNKNOWN
