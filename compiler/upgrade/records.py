"""Lines of rules that are written in YAML: `before` and `after` of a title's record of equivalent mutants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from grognard.compiler.syntax.lines import joined_lines
from grognard.compiler.upgrade.parsers import FIRST_VERSION, LATEST, Unreadable, tree_of_declaration
from grognard.compiler.upgrade.rewrite import Edit, applied, rewritten
from grognard.contract.upgrades import Problem

RECORD = "mutants.yaml"
_KEYS = ("before", "after")
#: Declarations in which a line can stand, and how far it is indented there.
_AROUND = (
    ("", 0),
    ("procedure x()\n", 2),
    ("modifiers x() -> int\n", 2),
    ("movement x() on X\n", 2),
    ("movement x() on X\n  gait x\n", 4),
    ("form x\n", 2),
    ("form x\n  member x\n", 4),
    ("sight x() on X\n", 2),
    ("piece x\n", 2),
    ("space x: hexes\n", 2),
    ("menu x\n", 2),
    ('errata "x"\n', 2),
    ("policy x\n", 2),
    ("procedure x()\n  if yes: stop\n", 2),
    ("procedure x()\n  repeat\n    stop\n", 2),
)
#: What a line that begins a block needs below it.
_BELOW = ("", "    stop\n")
_LOST = "this line of the record can be read neither as it was written before nor as it is written now"


def upgrade_record(
    text: str, file: str, own: frozenset[str], source_of: Callable[[str], str | None]
) -> tuple[str, list[Problem]]:
    """The record with its lines rewritten; `source_of` gives the text of a file of rules as it was before."""
    try:
        top = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return text, [Problem(file, line, column, "this is not YAML")]
    edits: list[Edit] = []
    problems: list[Problem] = []
    for entry in _entries(top):
        before, after = entry.get("before"), entry.get("after")
        told = entry.get("file")
        if before is None or after is None:
            continue
        whole = _whole(before.value, source_of(told.value) if told is not None else None)
        for node in (before, after):
            old = node.value
            line = whole.replace(before.value, old) if whole is not None else old
            try:
                new = line if line.strip() in ("", "...") else upgraded_line(line, own)
            except Unreadable:
                mark = node.start_mark
                problems.append(Problem(file, mark.line + 1, mark.column + 1, _LOST))
                continue
            if new != old:
                edits.append(Edit(node.start_mark.index, node.end_mark.index, _scalar(new)))
    return applied(text, edits), problems


def upgraded_line(text: str, own: frozenset[str]) -> str:
    """A line, or a few, that stand somewhere inside a declaration."""
    lines = text.rstrip("\n").split("\n")
    least = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    for version in (FIRST_VERSION, LATEST):
        for head, indent in _AROUND:
            margin = " " * indent
            body = "\n".join(margin + line[least:] for line in lines) + "\n"
            for below in _BELOW if head else ("", "  stop\n", "  x | 1\n"):
                whole = head + body + below
                try:
                    tree = tree_of_declaration(whole, version)
                except Unreadable:
                    continue
                new = rewritten(whole, tree, own)
                made = new[len(head) : len(new) - len(below)].rstrip("\n").split("\n")
                out = [" " * least + line[len(margin) :] for line in made]
                return "\n".join(out) + ("\n" if text.endswith("\n") else "")
    raise Unreadable(1, 1)


def _entries(top: Any) -> list[dict[str, yaml.ScalarNode]]:
    made = []
    for key, value in top.value if isinstance(top, yaml.MappingNode) else ():
        if getattr(key, "value", "") != "equivalent" or not isinstance(value, yaml.SequenceNode):
            continue
        for item in value.value:
            if isinstance(item, yaml.MappingNode):
                made.append({k.value: v for k, v in item.value if isinstance(v, yaml.ScalarNode)})
    return made


def _whole(line: str, source: str | None) -> str | None:
    """The statement that a line is a part of, on one line; None if the line is a whole one."""
    if source is None or "\n" in line:
        return None
    lines = source.split("\n")
    heads = joined_lines(lines)
    wanted = " ".join(line.split())
    for number, text in enumerate(lines):
        if " ".join(text.split()) == wanted and heads.count(heads[number]) > 1:
            parts = [lines[n].strip() for n, head in enumerate(heads) if head == heads[number]]
            return " ".join(part for part in parts if part and not part.startswith("#")).replace(wanted, line)
    return None


def _scalar(text: str) -> str:
    return (
        "'" + text.replace("'", "''") + "'"
        if "\n" not in text
        else yaml.safe_dump(text, width=10_000).strip()
    )
