"""Long lines are broken where the language lets them go on below: inside brackets, behind commas, before certain words."""

from __future__ import annotations

from grognard.compiler.format.lines import Line, Piece
from grognard.compiler.format.spaces import joined, spaced
from grognard.compiler.syntax.lines import GOES_ON

#: A continued line is indented by this much more than the line that it continues.
CONTINUED = "    "
#: Words before which a line is better broken than before others.
_GOOD = {"where": 0, "when": 0, "if": 0, "else": 0, "or": 1, "and": 2, "by": 2, "at": 2, "as": 2, "->": 3}
#: Of these, words that join what is whole by itself, whatever its last word is.
_JOINING = frozenset({"where", "when", "if", "else", "or", "and"})
#: What a break before another word costs: what stands before that belongs to it.
_OTHER = 12
#: The least part of the width that should be used before a break, and what a line costs that uses none of it.
_LEAST = 0.5
_EMPTY = 30
_SPACE_BEFORE_CITES = 3
#: Brackets with less in them are broken only if nothing else can be.
_SHORT = 30


def break_line(line: Line, code: list[Piece], tail: str, indent: str, width: int) -> list[str] | None:
    """The lines of a logical line that is too long or has comments in brackets; None if it cannot be broken."""
    places = _places(code)
    if not places and not line.inside:
        return None
    forced = {at for at, _, _ in line.inside}
    ends = {"": 0, tail: len(tail) + _SPACE_BEFORE_CITES} if tail else {"": 0}
    made: list[str] = []
    start = 0
    while start < len(code):
        lead = indent if start == 0 else indent + CONTINUED
        made += [lead + text for at, text, own in line.inside if at == start and own]
        stop = min((at for at in forced if at > start), default=len(code))
        last = stop == len(code)
        room = width - len(lead) - (ends[tail] if last and not line.comment else 0)
        cut = _cut(code, places, start, stop, room)
        text = lead + joined(code[start:cut])
        beside = [text for at, text, own in line.inside if at == cut and not own] if cut == stop else []
        made.append(text + "".join(f"   {comment}" for comment in beside))
        start = cut
    made += [indent + CONTINUED + text for at, text, own in line.inside if at >= len(code) and own]
    if tail:
        made[-1] += " " * _SPACE_BEFORE_CITES + tail
    if line.comment:
        made[-1] += " " * _SPACE_BEFORE_CITES + line.comment
    return made


def _places(code: list[Piece]) -> dict[int, int]:
    """Before which tokens the line may be broken, with the cost of each: within deeper brackets it is worse."""
    found: dict[int, int] = {}
    #: the brackets that are open, with what a break in each costs
    opened: list[int] = []
    for number, piece in enumerate(code):
        if piece.text in (")", "}"):
            opened.pop()
        before = code[number - 1]
        if not number or before.text == ".":
            pass  # the field of something may be called like a word of the language
        elif not opened:
            if before.text == ",":
                found[number] = 0
            elif GOES_ON.match(joined(code[number : number + 3])):
                found[number] = _GOOD.get(piece.text, _OTHER)
        else:
            cost = sum(opened)
            if before.text == ",":
                found[number] = cost
            elif _joins(before, piece) and spaced(before, piece) and before.text != ":":
                found[number] = cost + _GOOD.get(piece.text, _OTHER)
        if piece.text in ("(", "{"):
            opened.append(10 if _width_of_bracket(code, number) > _SHORT else 50)
    return found


def _width_of_bracket(code: list[Piece], start: int) -> int:
    depth = 0
    for number in range(start, len(code)):
        depth += (code[number].text in ("(", "{")) - (code[number].text in (")", "}"))
        if depth == 0:
            return len(joined(code[start : number + 1])) - 2
    return 0


def _joins(before: Piece, piece: Piece) -> bool:
    """Whether a part of an expression begins with this word of the language, and not only goes on: `is not none and ...`."""
    return _is_word(piece) and (piece.text in _JOINING or not _is_word(before))


def _is_word(piece: Piece) -> bool:
    """Whether it is a word of the language."""
    return piece.text.isalpha() and piece.kind not in ("NAME", "STRING")


def _cut(code: list[Piece], places: dict[int, int], start: int, stop: int, room: int) -> int:
    """Where the line that begins with token `start` ends, if it must be no longer than `room`."""
    widths: list[int] = []
    total = 0
    for number in range(start, stop):
        total += len(code[number].text) + (number > start and spaced(code[number - 1], code[number]))
        widths.append(total)
    if total <= room:
        return stop
    # widths[n - start - 1] is the width of what stands before a break at n.
    inside = [n for n in places if start < n < stop]
    fitting = [n for n in inside if widths[n - start - 1] <= room]

    def cost(n: int) -> float:
        return places[n] + _EMPTY * max(0.0, 1 - widths[n - start - 1] / (room * _LEAST))

    if fitting:
        return min(fitting, key=lambda n: (cost(n), -n))
    return inside[0] if inside else stop
