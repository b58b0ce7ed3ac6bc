"""Long lines broken where the language lets them go on below."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grognard.compiler.syntax.lines import GOES_ON, brackets, code_of, depth_after, is_row

#: How far a line is indented that goes on from the one above.
FURTHER = 4
_LEAD = re.compile(r"([ \t]*#+[ \t]*)(.*)")
_TOKEN = re.compile(r'"[^"\n]*"?|\[[^\]\n]*\]?|[^\s"\[]+')
#: Inside brackets a line goes on anyway; it reads best in front of these words, and behind a comma.
_INSIDE = re.compile(r"(?:and|or|where|by|if|else|at|room)\b|[-+*/](?=\s)")


def broken(text: str, width: int) -> str:
    """The text with lines of more than `width` columns broken, where that can be done."""
    made: list[str] = []
    depth = 0
    indent = ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        row = depth == 0 and is_row(line)
        if depth == 0:
            indent = line[: len(line) - len(line.lstrip())]
        if len(line) <= width or row:
            made.append(line)
        elif not code_of(line).strip():
            *whole, rest = _wrapped(line.strip(), line[: len(line) - len(line.lstrip())], width)
            made += whole
            below = _LEAD.match(lines[number + 1]) if number + 1 < len(lines) else None
            lead = _LEAD.match(rest)
            if below is not None and lead is not None and below[1] == lead[1] and below[2][:1].islower():
                # The sentence goes on in the next line of the comment.
                lines[number + 1] = f"{rest} {below[2]}"
            else:
                made.append(rest)
        else:
            made += _broken(line, width, depth, indent)
        if not row:
            depth = depth_after(code_of(line), depth)
    return "\n".join(made)


def _broken(line: str, width: int, depth: int, indent: str) -> Iterator[str]:
    code = code_of(line)
    comment = line[len(code) :].strip()
    own = line[: len(line) - len(line.lstrip())]
    if comment:
        yield from _wrapped(comment, own, width) if len(own + comment) > width else [own + comment]
    further = own if depth or GOES_ON.match(code.lstrip()) else indent + " " * FURTHER
    while len(code) > width:
        at = _place(code, width, depth, len(own) + 16)
        if at is None:
            break
        head, code = code[:at].rstrip(), further + code[at:]
        depth = depth_after(head, depth)
        yield head
    yield code


def _place(code: str, width: int, depth: int, least: int) -> int | None:
    """Where to break: outside of brackets if that can be, as far to the right as it fits."""
    changes = dict(brackets(code, depth))
    found: list[tuple[int, int]] = []
    now, last = depth, 0
    for token in _TOKEN.finditer(code):
        start = token.start()
        for place in [p for p in sorted(changes) if last <= p < start]:
            now = changes[place]
        last = start
        if start > width:
            # The head ends before the blanks in front of the break.
            break
        if start < least or not code[start - 1].isspace() or not code[:start].strip():
            continue
        comma = code[:start].rstrip().endswith(",")
        rest = code[start:]
        if comma or (GOES_ON.match(rest) if now == 0 else _INSIDE.match(rest)):
            found.append((now, -start))
    return -min(found)[1] if found else None


def _wrapped(comment: str, indent: str, width: int) -> Iterator[str]:
    sign = re.match(r"#+[ \t]*", comment)
    assert sign is not None
    lead = indent + sign.group()
    now = ""
    for word in re.findall(r"\s*\S+", comment[sign.end() :]):
        if now and len(lead) + len(now) + len(word) > width:
            yield lead + now
            now = word.lstrip()
        else:
            now += word
    yield (lead + now).rstrip()
