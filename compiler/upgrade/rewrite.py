"""What is written otherwise in the language as it is now: changes of a text, by the places of its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.syntax.identifiers import identifier
from lark import Token, Tree

#: Built-in calls with two names, and the one that is left.
RENAMED_CALLS = {"next_to": "adjacent", "border": "side"}
#: Built-in calls that went or were renamed; a title may have rules of these names.
OLD_CALLS = (*RENAMED_CALLS, "if_none")
#: What a text is called where it stands for an entry or an exception.
_WITHOUT_VALUE = ("entry_without", "amend_entry", "drop_entry", "order_before", "order_after")
#: Where an expression stands alone, so that `x else y` needs no brackets.
_ALONE = {
    "args",
    "atom",
    "named_arg",
    "named_at",
    "named",
    "let_stmt",
    "var_stmt",
    "array_stmt",
    "assign_stmt",
    "add_stmt",
    "sub_stmt",
    "rule_inline",
    "return_stmt",
    "agg_each",
    "outcome_stmt",
    "items",
}
#: A line with a citation or comment apart from it.
_APART = re.compile(r'(.*?\S)( {2,})((?:\[[^\]"]*\]|#[^"]*)+)$')
_ENTRIES = ("entry_add", "entry_set", "entry_half", "entry_times", "entry_bar")


@dataclass(frozen=True, slots=True)
class Edit:
    start: int
    end: int
    new: str


@dataclass(slots=True)
class Rewriter:
    """Collects the edits of one declaration."""

    text: str
    #: names of OLD_CALLS that the title declares itself, so that they are its own
    own: frozenset[str] = frozenset()
    edits: list[Edit] = field(default_factory=list)

    def visit(self, node: Tree, parent: str = "", place: int = 0) -> None:
        handler = getattr(self, f"on_{node.data}", None)
        if handler is not None:
            handler(node)
        if node.data in _WITHOUT_VALUE:
            self._named_by_text(node)
        if node.data == "call" and self._callee(node) == "if_none":
            if self._or_else(node, parent, place):
                return
        for n, child in enumerate(node.children):
            if isinstance(child, Tree):
                self.visit(child, str(node.data), n)

    def replace(self, token: Token, new: str) -> None:
        assert token.start_pos is not None and token.end_pos is not None
        self.edits.append(Edit(token.start_pos, token.end_pos, new))

    def insert(self, at: int, new: str) -> None:
        self.edits.append(Edit(at, at, new))

    # ---- calls

    def _callee(self, node: Tree) -> str:
        callee = node.children[0]
        if isinstance(callee, Tree) and callee.data == "name":
            name = str(callee.children[0])
            return "" if name in self.own else name
        return ""

    def on_call(self, node: Tree) -> None:
        new = RENAMED_CALLS.get(self._callee(node))
        if new is not None:
            self.replace(_first(node), new)

    def on_choose_joined(self, node: Tree) -> None:
        name = node.children[-1]
        if isinstance(name, Token) and str(name) in RENAMED_CALLS and str(name) not in self.own:
            self.replace(name, RENAMED_CALLS[str(name)])

    def _or_else(self, node: Tree, parent: str, place: int) -> bool:
        """`if_none(x, y)` as `x else y`; False if it is not such a call."""
        given = node.children[2]
        if not isinstance(given, Tree) or given.data != "args":
            return False
        parts = [p for p in given.children if isinstance(p, Tree)]
        commas = [p for p in given.children if isinstance(p, Token) and str(p).startswith(",")]
        if len(parts) != 2 or len(commas) != 1 or any(str(p.data).startswith("named") for p in parts):
            return False
        name, opened, closed = _first(node), node.children[1], node.children[-1]
        assert isinstance(opened, Token) and isinstance(closed, Token) and closed.end_pos is not None
        alone = parent in _ALONE or (parent == "case_stmt" and place == 1)
        if alone and "\n" not in self.text[name.start_pos : closed.end_pos]:
            self.edits.append(Edit(_start(name), _end(opened), ""))
            self.replace(closed, "")
        else:
            self.edits.append(Edit(_start(name), _start(opened), ""))
        at = _start(commas[0])
        self.edits.append(Edit(at, at + 1, " else" if self.text[at + 1 : at + 2].isspace() else " else "))
        for n, part in enumerate(parts):
            if part.data == "ternary":
                self.insert(_start(_first(part)), "(")
                self.insert(_end(_last(part)), ")")
            # In front of another `else` the first of two would want its brackets.
            self.visit(part, "args" if n else "", 0)
        return True

    # ---- words

    def on_bag_decl(self, node: Tree) -> None:
        if str(node.children[0]) == "deck":
            self.replace(_first(node), "bag")

    def on_destroy_stmt(self, node: Tree) -> None:
        if str(node.children[0]) == "remove":
            self.replace(_first(node), "destroy")

    def on_while_stmt(self, node: Tree) -> None:
        first, second = node.children[0], node.children[1]
        if str(first) == "repeat" and isinstance(second, Token):
            self.edits.append(Edit(_start(_first(node)), _start(second), ""))

    # ---- names of entries and exceptions

    def _named_by_text(self, node: Tree) -> None:
        for child in node.children:
            if isinstance(child, Token) and child.type == "STRING":
                self.replace(child, identifier(str(child)[1:-1]))

    def on_exception_decl(self, node: Tree) -> None:
        label = next((c for c in node.children if isinstance(c, Token) and c.type == "STRING"), None)
        if label is not None:
            text = str(label)[1:-1]
            name = identifier(text)
            self.replace(label, name if name.replace("_", " ") == text else f'{name} "{text}"')

    def on_modifiers_decl(self, node: Tree) -> None:
        """Entries whose texts differ, but not their names: the later ones get a name of their own."""
        called: dict[str, str] = {}
        for entry in node.find_pred(lambda part: part.data in _ENTRIES):
            if any(isinstance(c, Tree) and c.data == "named_as" for c in entry.children):
                continue
            label = next((c for c in entry.children if isinstance(c, Token) and c.type == "STRING"), None)
            if label is None:
                continue
            name, number = identifier(str(label)[1:-1]), 1
            while called.setdefault(name, str(label)) != str(label):
                number += 1
                name = f"{identifier(str(label)[1:-1])}_{number}"
            if number > 1:
                self.insert(_end(label), f" as {name}")


def rewritten(text: str, tree: Tree, own: frozenset[str] = frozenset()) -> str:
    """The text of a declaration with what is written otherwise now."""
    made = Rewriter(text, own)
    made.visit(tree)
    return _aligned(text, applied(text, made.edits))


def _aligned(old: str, new: str) -> str:
    """The new text with citations and comments that stand apart in the columns that they had."""
    lines = []
    for before, after in zip(old.split("\n"), new.split("\n"), strict=True):
        was, now = _APART.match(before), _APART.match(after)
        if before != after and was is not None and now is not None:
            after = now[1].ljust(max(len(now[1]) + 2, was.start(3))) + now[3]
        lines.append(after)
    return "\n".join(lines)


def applied(text: str, edits: list[Edit]) -> str:
    for _, edit in sorted(enumerate(edits), key=lambda n: (n[1].start, n[1].end, n[0]), reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def declared(text: str) -> frozenset[str]:
    """Which of the old calls' names a text declares."""
    names = "|".join(OLD_CALLS)
    return frozenset(
        re.findall(rf"^(?:rule|table|modifiers|relation|sight|arc)[ \t]+({names})\b", text, re.M)
    )


def _tokens(node: Any) -> Iterator[Token]:
    for child in node.children:
        if isinstance(child, Token):
            if child.type not in ("_NL", "_INDENT", "_DEDENT"):
                yield child
        else:
            yield from _tokens(child)


def _first(node: Tree) -> Token:
    return next(_tokens(node))


def _last(node: Tree) -> Token:
    *_, last = _tokens(node)
    return last


def _start(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def _end(token: Token) -> int:
    assert token.end_pos is not None
    return token.end_pos
