"""Long lines of emitted code, broken where Cython and C allow it: inside brackets, behind a comma or before an operator."""

from __future__ import annotations

from collections.abc import Iterator

#: No line of an engine's source is longer, where it can be broken at all.
WIDTH = 120
#: A line goes on before these, when it is inside brackets.
_BEFORE = (" and ", " or ", " + ", " | ", " & ", " == ", " if ", " else ")

#: What a comment's next line begins with.
_GOES_ON = "#   "


def wrapped(line: str) -> Iterator[str]:
    """The line, or the lines that it is broken into.  Comments are cut at the last word that fits."""
    if len(line) <= WIDTH:
        yield line
        return
    margin = line[: len(line) - len(line.lstrip())]
    head, rest = margin, line.lstrip()
    if rest.startswith("#"):
        # A cut within the margin of what goes on would leave as much as there was.
        while len(head) + len(rest) > WIDTH and (cut := rest.rfind(" ", 2, WIDTH - len(head))) > len(
            _GOES_ON
        ):
            yield head + rest[:cut]
            rest = f"{_GOES_ON}{rest[cut + 1 :]}"
        yield head + rest
        return
    depth = 0
    while len(head) + len(rest) > WIDTH:
        cut, depth = _last_break(rest, WIDTH - len(head), depth)
        if cut == 0:
            break
        yield (head + rest[:cut]).rstrip()
        head, rest = f"{margin}        ", rest[cut:].lstrip()
    yield head + rest


def _last_break(text: str, room: int, depth: int) -> tuple[int, int]:
    """The last place before `room` at which a line inside brackets may end, else behind an opening bracket, and how
    deep inside brackets it is; 0: there is none."""
    found, opened, quote = (0, depth), (0, depth), ""
    for place, letter in enumerate(text):
        if place >= room and (found[0] or opened[0]):
            break
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
            opened = (place + 1, depth)
        elif letter in ")]}":
            depth -= 1
        elif letter == " " and depth > 0 and place > 0:
            if text[place - 1] == "," or any(text.startswith(word, place) for word in _BEFORE):
                found = (place, depth)
    return found if found[0] else opened
