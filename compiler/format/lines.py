"""The text of a file as logical lines: tokens with their place in the tree, comments, blank lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grognard.compiler.syntax.from_text.all_tokens import parse_tokens
from lark import Token, Tree


@dataclass(frozen=True, slots=True)
class Piece:
    """A token, and what its production says of it."""

    kind: str
    text: str
    owner: str
    """The production that it belongs to."""
    leads: bool
    """Whether the production begins with it."""
    between: bool
    """Whether its neighbours in the production are tokens, too: the `/` of `3/2`."""
    start: int
    end: int

    @property
    def opens_body(self) -> bool:
        """Whether a body follows that may also stand on lines of its own: the colon of `if a: b`, the `=` of a rule."""
        return self.leads and (self.kind, self.owner) in (("COLON", "block"), ("EQUAL", "rule_inline"))


@dataclass(slots=True)
class Remark:
    """A comment on a line of its own."""

    text: str
    column: int


@dataclass(slots=True)
class Blank:
    """One blank line or several."""


@dataclass(slots=True)
class Line:
    """A logical line: its tokens, on one line of the file or on several."""

    depth: int
    column: int
    pieces: list[Piece] = field(default_factory=list)
    comment: str = ""
    #: comments inside brackets: after so many pieces, the text and whether it has a line of its own
    inside: list[tuple[int, str, bool]] = field(default_factory=list)
    #: the rows of a table, each with its line break and comment
    rows: list[str] = field(default_factory=list)
    #: lines that are indented more belong to it
    leads_block: bool = False


Item = Line | Remark | Blank


def pieces_of(tree: Tree[Token]) -> Iterator[Piece]:
    """All tokens in the order of the text."""
    stack: list[tuple[Tree[Token] | Token, Tree[Token] | None, int]] = [(tree, None, 0)]
    while stack:
        node, parent, place = stack.pop()
        if isinstance(node, Tree):
            stack.extend((child, node, n) for n, child in reversed(list(enumerate(node.children))))
            continue
        assert parent is not None
        around = parent.children[max(0, place - 1) : place + 2]
        start = node.start_pos or 0
        # A comma behind which the line goes on is one token with the line break: here that lies between two tokens.
        text = "," if node.type == "_COMMA" else str(node)
        yield Piece(
            node.type,
            text,
            str(parent.data),
            place == 0,
            place > 0 and len(around) == 3 and all(isinstance(n, Token) for n in around),
            start,
            start + len(text),
        )


def read_items(text: str) -> list[Item]:
    """The lines of a text without errors that ends with a line break; lark's exceptions for another."""
    items: list[Item] = []
    depth = 0
    line: Line | None = None
    end = 0
    for piece in pieces_of(parse_tokens(text)):
        if piece.kind == "_INDENT":
            depth += 1
            latest = next((item for item in reversed(items) if isinstance(item, Line)), None)
            if latest is not None:
                latest.leads_block = True
            continue
        if piece.kind == "_DEDENT":
            depth -= 1
            continue
        between = text[end : piece.start]
        end = max(end, piece.end)
        if piece.kind == "_NL":
            if line is not None:
                line.comment = between.strip()
                line = None
            else:
                items += _apart(between)  # the first line of the file is a comment
            items += _apart(piece.text.split("\n", 1)[1])
            continue
        if piece.kind == "ROW":
            assert line is not None
            if not line.rows:
                line.comment = between.strip()
            line.rows.append(piece.text)
            continue
        if line is None:
            line = Line(depth, piece.start - text.rfind("\n", 0, piece.start) - 1)
            items.append(line)
        elif "#" in between:
            line.inside += _inner(len(line.pieces), between)
        line.pieces.append(piece)
    items += _apart(text[end:])
    while items and isinstance(items[-1], Blank):
        items.pop()
    while items and isinstance(items[0], Blank):
        items.pop(0)
    return items


def _apart(text: str) -> Iterator[Item]:
    """Comments and blank lines between two lines of code; `text` begins after a line break."""
    lines = text.split("\n")
    blank = False
    for number, content in enumerate(lines):
        found = content.strip()
        if found:
            yield Remark(found, len(content) - len(content.lstrip()))
            blank = False
        elif number < len(lines) - 1 and not blank:
            # What follows the last line break is the indentation of what comes next.
            yield Blank()
            blank = True


def _inner(place: int, text: str) -> Iterator[tuple[int, str, bool]]:
    for number, content in enumerate(text.split("\n")):
        if content.strip():
            yield place, content.strip(), number > 0
