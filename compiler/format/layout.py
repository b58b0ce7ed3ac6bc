"""The one layout: indentation, citations and comments in their columns, long lines broken."""

from __future__ import annotations

from dataclasses import replace

from grognard.compiler.format.breaks import break_line
from grognard.compiler.format.lines import Blank, Item, Line, Piece, Remark
from grognard.compiler.format.rows import layout_rows
from grognard.compiler.format.spaces import joined

#: Lines are kept below this width where the language allows it.
WIDTH = 110
INDENT = "  "
#: The column (from 0) of citations at the end of a line, where there is room.
CITES = 67
#: Spaces before a citation or comment that has no room in its column.
GAP = 3


def layout(items: list[Item]) -> str:
    """The text of a file's lines in the one layout."""
    depths = _depths_of_remarks(items)
    shown: list[_Shown] = []
    for number, item in enumerate(items):
        if isinstance(item, Blank):
            shown.append(_Shown([""]))
        elif isinstance(item, Remark):
            shown.append(_Shown([INDENT * depths[number] + item.text]))
        else:
            shown += _line(item)
    _align_comments(shown)
    text = "\n".join(line for part in shown for line in part.lines)
    return text + "\n" if text else ""


class _Shown:
    """Lines as they will stand in the file; the comment at the end of the first is still to be put in its column."""

    def __init__(self, lines: list[str], comment: str = "", column: int = 0) -> None:
        self.lines, self.comment, self.column = lines, comment, column


def _depths_of_remarks(items: list[Item]) -> dict[int, int]:
    """Comments between two lines belong to the block whose indentation they have."""
    depths: dict[int, int] = {}
    # The column at which each open block begins, outermost first.
    opened: list[int] = []
    for number, item in enumerate(items):
        if isinstance(item, Line):
            del opened[item.depth :]
            opened.append(item.column)
        elif isinstance(item, Remark):
            after = next((later for later in items[number:] if isinstance(later, Line)), None)
            least = after.depth if after is not None else 0
            if least >= len(opened):
                depths[number] = least
                continue
            depth = least
            while depth + 1 < len(opened) and opened[depth + 1] <= item.column:
                depth += 1
            depths[number] = depth
    return depths


def _line(line: Line) -> list[_Shown]:
    indent = INDENT * line.depth
    code, cites = _split(line.pieces)
    tail = joined(cites)
    text = _cited(indent + joined(code), tail, _is_titled(line, code))
    column = max(len(text) + GAP, 0 if tail else CITES) if line.comment else 0
    shown: list[_Shown] = []
    if line.comment and not line.inside and column + len(line.comment) > WIDTH:
        # The comment has no room: it goes before the line, unless it has no room there either.
        if len(indent) + len(line.comment) <= WIDTH or len(text) > WIDTH:
            shown.append(_Shown([indent + line.comment]))
            line = replace(line, comment="")
    if len(text) > WIDTH or line.inside:
        bodies = [n for n, piece in enumerate(line.pieces) if piece.opens_body]
        # A body that has bodies itself stays: an `else` below might then belong to another `if`.
        if (
            len(bodies) == 1
            and 0 < bodies[0] < len(line.pieces) - 1
            and not line.rows
            and not line.leads_block
        ):
            return shown + _apart(line, bodies[0])
        lines = break_line(line, code, tail, indent, WIDTH)
        if lines is not None:
            return [*shown, _Shown(lines)]
    shown.append(_Shown([text], line.comment, column))
    if line.rows:
        shown.append(_Shown(layout_rows(line.rows, indent + INDENT)))
    return shown


def _split(pieces: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The tokens of a line, and the citations at its end."""
    end = len(pieces)
    while end > 1 and pieces[end - 1].kind == "CITE":
        end -= 1
    return pieces[:end], pieces[end:]


def _is_titled(line: Line, code: list[Piece]) -> bool:
    """Whether it is the heading of something that has a text for a name, such as an example of play."""
    return line.depth == 0 and len(code) >= 2 and all(p.kind in ("STRING", "DATE") for p in code[1:])


def _cited(code: str, tail: str, close: bool) -> str:
    if not tail:
        return code
    if close:
        return f"{code} {tail}"
    return code + " " * (CITES - len(code) if len(code) < CITES else GAP) + tail


def _apart(line: Line, place: int) -> list[_Shown]:
    """A heading with its body on a line of its own: after the colon, before the `=`."""
    cut = place + 1 if line.pieces[place].kind == "COLON" else place
    head = Line(line.depth, line.column, line.pieces[:cut])
    body = Line(line.depth + 1, line.column, line.pieces[cut:], line.comment)
    for at, text, own in line.inside:
        if at >= cut:
            body.inside.append((at - cut, text, own))
        else:
            head.inside.append((at, text, own))
    return _line(head) + _line(body)


def _align_comments(shown: list[_Shown]) -> None:
    """Put comments at the ends of neighbouring lines below each other, where they have room."""
    start = 0
    while start < len(shown):
        if not shown[start].comment:
            start += 1
            continue
        end = start
        while end < len(shown) and shown[end].comment:
            end += 1
        run = shown[start:end]
        column = max(part.column for part in run)
        together = all(column + len(part.comment) <= WIDTH for part in run)
        for part in run:
            at = column if together else part.column
            part.lines[0] = part.lines[0].ljust(at) + part.comment
        start = end
