"""The weights of a title's evaluation: the table that it looks its terms up in, and the file that keeps them.

An evaluation is the sum of its terms, each multiplied by its weight.  The weights are cells of a table with one axis, the
names of the terms, that only the evaluation reads; the cells stand in a YAML file of the title, or of its series.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.contract import ir
from grognard.contract.datablock import AXIS_CELLS, TABLE_HEAD
from grognard.contract.ir.walk import nodes
from grognard.errors import GrognardError

if TYPE_CHECKING:
    from grognard.contract.backend import Backend
    from grognard.contract.datablock import Scenario
    from grognard.engine import Engine

#: A line of the file: a term and its weight.
LINE = re.compile(r"^(?P<before>\s+(?P<name>\w+):\s*)(?P<value>-?\d+)", re.MULTILINE)
#: What `tune` says of its work, in a comment of the file.
RECORD = re.compile(r"^# Tuned: .*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Weights:
    """The table of an engine's evaluation: its number, the terms in the order of its cells, and what they count."""

    table: int
    name: str
    terms: tuple[str, ...]
    values: tuple[int, ...]

    def changed(self, scenario: Scenario, values: Sequence[int]) -> Scenario:
        """The scenario with other weights."""
        tables = list(scenario.data.tables)
        cells = array("i", tables[self.table])
        first = cells[1]
        for number, value in enumerate(values):
            cells[first + number] = value
        tables[self.table] = cells
        return replace(scenario, data=replace(scenario.data, tables=tables), prepared=None)

    def backend(self, engine: Engine, scenario: Scenario, values: Sequence[int]) -> Backend:
        """What runs the rules with other weights; code is the same, only data differ."""
        return engine.backend_for(self.changed(scenario, values))


def tables_of_evaluation(program: ir.Program) -> list[ir.Table]:
    """Tables with one axis that the evaluation reads, and nothing else."""
    if program.evaluation is None:
        return []
    called = _reached(program, program.evaluation)
    inside = {n.table for f in called for n in nodes(program.functions[f]) if isinstance(n, ir.TableGet)}
    others = [f for f in program.functions if f.id not in called]
    outside = {n.table for f in [*others, *program.machines] for n in nodes(f) if isinstance(n, ir.TableGet)}
    return [table for table in program.tables if table.axes == 1 and table.id in inside - outside]


def _reached(program: ir.Program, start: int) -> set[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += [
                n.function for n in nodes(program.functions[here]) if isinstance(n, ir.Call | ir.SetCall)
            ]
    return found


def weights_of(engine: Engine, scenario: str | None = None) -> Weights:
    """The weights of a title's evaluation; GrognardError with a hint where there are none."""
    program = engine.ruleset.program
    if program.evaluation is None:
        raise GrognardError(f"{engine.title} declares no `evaluation`, so there is nothing to tune")
    data = engine.new_game(scenario).setting.scenario.data
    for table in tables_of_evaluation(program):
        cells = data.tables[table.id]
        lo, hi, _, rows, _ = cells[TABLE_HEAD : TABLE_HEAD + AXIS_CELLS]
        file = weights_file(engine, table.name)
        if file is None or rows != hi - lo + 1:
            continue
        known = read_weights(file, table.name)
        for domain in data.domains:
            if domain.base == lo and domain.count == rows and set(known) == set(domain.names):
                at = TABLE_HEAD + AXIS_CELLS
                order = [cells[at + number] for number in range(rows)]
                terms = [""] * rows
                for number, row in enumerate(order):
                    terms[row] = domain.names[number]
                return Weights(table.id, table.name, tuple(terms), tuple(cells[cells[1] : cells[1] + rows]))
    raise GrognardError(
        f"the evaluation of {engine.title} reads no table of weights: "
        "name its terms in an enum, and keep their weights in a table of the terms `from` a YAML file"
    )


def weights_file(engine: Engine, table: str) -> Path | None:
    """The file with the section of the table: the title's own, else the series'."""
    folder = engine.ruleset.about.folder
    for base in (folder, folder.parent):
        for path in sorted(base.glob("*.yaml")):
            if re.search(rf"^{re.escape(table)}:\s*$", path.read_text("utf-8"), re.MULTILINE):
                return path
    return None


def read_weights(path: Path, table: str) -> dict[str, int]:
    text = path.read_text("utf-8")
    begin, end = _section(text, table)
    return {m["name"]: int(m["value"]) for m in LINE.finditer(text, begin, end)}


def written_weights(text: str, table: str, values: Mapping[str, int], record: str) -> str:
    """The text of the file with other weights and one line that says where they are from; comments stay."""
    begin, end = _section(text, table)
    section = LINE.sub(lambda m: m["before"] + str(values.get(m["name"], int(m["value"]))), text[begin:end])
    head = RECORD.sub("", text[:begin])
    at = head.rindex(f"{table}:")
    return head[:at] + f"# Tuned: {record}\n" + head[at:] + section + text[end:]


def _section(text: str, table: str) -> tuple[int, int]:
    head = re.search(rf"^{re.escape(table)}:\s*\n", text, re.MULTILINE)
    assert head is not None
    after = re.search(r"^\S", text[head.end() :], re.MULTILINE)
    return head.end(), head.end() + after.start() if after else len(text)
