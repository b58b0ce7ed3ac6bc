"""The types of expressions, read from their words: of names, calls and chains of fields, of what loops run over."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.editor.names import Names, Symbol
from grognard.compiler.editor.text import Chunk
from grognard.compiler.sema.builtins import SOURCES, VERBS
from grognard.compiler.sema.types import FLAG, INT, UNKNOWN, Type, dom_type, int_range, set_type

AGGREGATES = frozenset(
    ("count", "sum", "any", "all", "min", "max", "first", "last", "only", "the", "best", "set", "matched")
)
_COMPARE = frozenset(("is", "not", "<", "<=", ">", ">=", "in", "and", "or"))


@dataclass(frozen=True, slots=True)
class Meaning:
    symbol: Symbol
    type: Type = UNKNOWN


class TypeReader:
    """Reads types; what a name means is said by Reader."""

    def __init__(self, names: Names, file: str, chunk: Chunk) -> None:
        self.names = names
        self.world = names.world
        self.file = file
        self.words = chunk.code
        self.chunk = chunk

    def meanings(self, place: int) -> list[Meaning]:
        """What the word at a place may mean."""
        raise NotImplementedError

    def local(self, name: str, place: int) -> Meaning | None:
        """What binds a name at a place."""
        raise NotImplementedError

    # ---- types

    def type_at(self, number: int) -> Type:
        """A written type."""
        text = self.text(number)
        if text == "set" and self.text(number + 1) == "of":
            inner = self.type_at(number + 2)
            return set_type(inner.dom) if inner.dom is not None else UNKNOWN
        if text == "list" and self.text(number + 1) == "of":
            return Type("list", element=self.type_at(number + 2))
        if text == "name" and self.text(number + 1) == "of":
            form = self.world.forms.get(self.text(number + 2))
            return dom_type(form.names) if form is not None else UNKNOWN
        if text == "flag":
            return FLAG
        if text == "int":
            return INT
        if text in self.world.forms:
            return Type("record", record=self.world.forms[text].record)
        if text in self.world.records:
            return Type("record", record=self.world.records[text])
        dom = self.names.dom(text)
        if dom is not None:
            return dom_type(dom, self.text(number + 1) == "?")
        if text.isdigit() or text == "-":
            return INT
        return UNKNOWN

    def element(self, number: int) -> Type:
        """The type of what a loop over a source takes one after the other."""
        text = self.text(number)
        dom = self.names.dom(text)
        if dom is not None and self.text(number + 1) != ".":
            return dom_type(dom)
        if text in ("sides", "powers", "seats"):
            seats = self.world.sides if text == "sides" else self.world.seats
            return dom_type(seats) if seats is not None else UNKNOWN
        if text in SOURCES and self.text(number + 1) == "(":
            return self._places(number)
        found = self.expression_type(number)
        if found.sort == "list":
            return found.element or UNKNOWN
        if found.sort == "set" and found.dom is not None:
            return int_range(0, 0) if found.dom.sort == "range" else dom_type(found.dom)
        return found if found.sort == "int" else UNKNOWN

    def _places(self, number: int) -> Type:
        """The place that a verb over places begins with."""
        inner = self.expression_type(number + 2)
        if inner.dom is not None and inner.dom.sort == "place":
            return dom_type(inner.dom)
        return dom_type(self.world.spaces[0]) if self.world.spaces else UNKNOWN

    def expression_type(self, number: int) -> Type:
        """The type of the expression that begins at a word."""
        if not 0 <= number < len(self.words):
            return UNKNOWN
        text = self.text(number)
        if text in ("-", "+", "half", "latest") or text == "not":
            return FLAG if text == "not" else INT
        if text in AGGREGATES and self.text(number + 1) == "(":
            return self._aggregate(number)
        if text == "(":
            return self.expression_type(number + 1)
        end = number
        while True:
            after = self.text(end + 1)
            if after == "." and end + 2 < len(self.words):
                end += 2
            elif after == "(" and self.words[end + 1].start == self.words[end].end:
                end = self.closing(end + 1)
            else:
                break
        follows = self.text(end + 1)
        same_line = end + 1 < len(self.words) and self.words[end + 1].line == self.words[end].line
        if same_line and follows in _COMPARE:
            return FLAG
        if same_line and follows in ("+", "-", "*", "/", "mod"):
            found = self.postfix_type(end)
            return found if found.sort == "set" else INT
        return self.postfix_type(end)

    def _aggregate(self, number: int) -> Type:
        text = self.text(number)
        if text in ("count", "sum", "min", "max"):
            return INT
        if text in ("any", "all"):
            return FLAG
        element = self.element(number + 4) if self.text(number + 3) == "in" else UNKNOWN
        if text == "set" and element.dom is not None:
            closed = self.closing(number + 1)
            colon = next((n for n in range(number + 5, closed) if self.text(n) == ":"), None)
            if colon is not None:
                made = self.expression_type(colon + 1)
                return set_type(made.dom) if made.dom is not None else UNKNOWN
            return set_type(element.dom)
        return element

    def postfix_type(self, end: int) -> Type:
        """The type of the name, call or chain of fields that ends with a word."""
        if not 0 <= end < len(self.words):
            return UNKNOWN
        word = self.words[end]
        if word.text == ")":
            opened = self.opened_by(end)
            if opened is None or opened == 0:
                return UNKNOWN
            callee = self.words[opened - 1]
            if callee.kind != "name":
                return self.expression_type(opened + 1)
            if self.text(opened - 2) == ".":
                found = self.meanings(opened - 1)
                return found[0].type if len(found) == 1 else UNKNOWN
            return self._call_type(opened - 1)
        if word.kind == "number":
            spaces = self.world.spaces
            return dom_type(spaces[0]) if spaces and word.text in spaces[0].members else INT
        if word.kind != "name":
            return UNKNOWN
        if word.text in ("me", "my") and self.world.seats is not None:
            return dom_type(self.world.seats)
        if word.text in ("yes", "no"):
            return FLAG
        found = self.meanings(end)
        return found[0].type if found and (len(found) == 1 or word.text in self.world.types) else UNKNOWN

    def _call_type(self, number: int) -> Type:
        name = self.words[number].text
        if name in AGGREGATES:
            return self._aggregate(number)
        entry = self.world.callables.get(name)
        if entry is not None:
            return entry.result or UNKNOWN
        if name in VERBS:
            answers = VERBS[name].answers.removesuffix("?")
            if answers == "place":
                return self._places(number)
            if answers == "edge":
                places = self._places(number).dom
                return dom_type(places.edges) if places is not None and places.edges is not None else UNKNOWN
            if answers == "dir" and self.world.direction is not None:
                return dom_type(self.world.direction)
            return FLAG if answers == "flag" else INT
        if name in self.world.records:
            return Type("record", record=self.world.records[name])
        if name in ("other", "if_none"):
            return self.expression_type(number + 2)
        if name in ("first", "last", "nth"):
            inner = self.expression_type(number + 2)
            return inner.element or UNKNOWN
        if name in ("reach", "path", "line", "within", "neighbours"):
            places = self._places(number).dom
            return set_type(places) if places is not None else UNKNOWN
        bound = self.local(name, number)
        return bound.type if bound is not None else UNKNOWN

    # ---- calls

    def callee(self, place: int) -> tuple[str, int] | None:
        """The call that a place lies in: what is called, and the number of the argument."""
        opened = self.opening(place)
        if opened is None or opened == 0 or self.words[opened - 1].kind != "name":
            return None
        number = depth = 0
        for word in self.words[opened + 1 : place]:
            depth += (word.text in ("(", "{")) - (word.text in (")", "}"))
            number += word.text == "," and depth == 0
        return self.words[opened - 1].text, number

    # ---- words

    def text(self, number: int) -> str:
        return self.words[number].text if 0 <= number < len(self.words) else ""

    def line_start(self, number: int) -> int:
        """The first word of the statement that a word stands in."""
        line = self.words[number].line
        while number > 0 and self.words[number - 1].line == line:
            if self.words[number - 1].text in (";", ":") and self.words[number].text in (
                "do",
                "choose",
                "create",
            ):
                break
            number -= 1
        while self.text(number) == "may":
            number += 1
        return number

    def indent(self, number: int) -> int:
        line = self.words[min(number, len(self.words) - 1)].line
        return next(w.start for w in self.words if w.line == line)

    def opening(self, number: int) -> int | None:
        """The bracket that a word lies in."""
        depth = 0
        for place in range(number - 1, -1, -1):
            text = self.words[place].text
            if text in (")", "}"):
                depth += 1
            elif text in ("(", "{"):
                if depth == 0:
                    return place
                depth -= 1
        return None

    def opened_by(self, number: int) -> int | None:
        return self.opening(number)

    def closing(self, opened: int) -> int:
        depth = 0
        for place in range(opened, len(self.words)):
            text = self.words[place].text
            depth += (text in ("(", "{")) - (text in (")", "}"))
            if depth == 0:
                return place
        return len(self.words) - 1
