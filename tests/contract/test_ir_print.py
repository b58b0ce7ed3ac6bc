"""The printed IR: a golden piece of it, and that nothing that matters is left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import programs
import pytest
from grognard.contract import ir
from grognard.contract.ir.print import (
    print_function,
    print_machine,
    print_program,
)
from grognard.contract.ir.print.values import CAN_FAIL
from programs import function_id, machine_id

HIT = """\
impure function hit(u: int, n: int): @0  # duel.grog:1
  $hp[u] += neg(n) clamped @5  # duel.grog:6 [4.4, errata 2]
  $hits += n @5  # duel.grog:6 [4.4, errata 2]
  note 1 (u, n) @5  # duel.grog:6 [4.4, errata 2]
  if ($hp[u]@5 <= 0):
    destroy unit u @5  # duel.grog:6 [4.4, errata 2]
"""

BLOCK_1 = """\
  block 1:
    target = ask s fire.target from targets(s) -> 2 @3  # duel.grog:4 [4.2]
      or done when ($shields[s]@1 > 0)
      empty -> 6
      lone
      distinct unit
  block 2:
"""

HEAD = """\
program duel
  main main
  seats side, sides side
  view view

domain side: side = 0..1  # red blue
domain unit: piece, alive alive, interchangeable, not from 0 = 10..15  # r1 r2 r3 b1 b2 b3

field alive[unit]: flag 0..1 = 1
field hp[unit]: int 0..9 = 4
field shields[side]: int 0..9 = 2
field aimed: unit optional = none
field hits: int 0..1000 = 0
field marked[side]: set of unit
field queue: list of 2 unit

column owner[unit]: int  # 6 cells

ask fire.target 'fire.target': unit, on_view @3  # duel.grog:4 [4.2]
"""


def test_golden() -> None:
    program, _, data, _ = programs.duel()
    assert print_function(program, function_id(program, "hit")) == HIT
    assert BLOCK_1 in print_machine(program, machine_id(program, "main"))
    text = print_program(program, data)
    assert text.startswith(HEAD)
    assert HIT in text
    assert text.endswith("site @6: log 'shields left {0}' at duel.grog:7:1 in duel\n")


def test_data_is_optional() -> None:
    program, _, data, _ = programs.kitchen()
    assert "symbol answer = 42\n" in print_program(program, data)
    assert "symbol answer\n" in print_program(program)
    assert "and 62 more" in print_program(program, data)


def test_names_that_occur_twice() -> None:
    b = programs.Builder("twins")
    b.domain("side", "side", "red blue")
    first = b.expr("same", 1, (("x", programs.INT),), ir.Local(0))
    b.expr("same", 2, (("x", programs.INT), ("x", programs.INT)), ir.Call(first, (ir.Local(1),)))
    text = print_program(b.build()[0])
    assert "function same#0(x: int) -> int:" in text
    assert "function same#1(x#0: int, x#1: int) -> int:" in text
    assert "return same#0(x#1)" in text


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_stable_and_plain(name: str) -> None:
    first, second = programs.PROGRAMS[name](), programs.PROGRAMS[name]()
    text = print_program(first[0], first[2])
    assert text == print_program(second[0], second[2])
    assert "object at" not in text and "IntType" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())


def variants(node: Any) -> Iterator[Any]:
    """Every node that differs from this one in a single flag, number, choice or part left out."""
    if isinstance(node, tuple):
        for place, part in enumerate(node):
            for changed in variants(part):
                yield (*node[:place], changed, *node[place + 1 :])
        if node and not isinstance(node[0], str | int):
            yield node[:-1]
        return
    if not dataclasses.is_dataclass(node) or isinstance(node, ir.LocalDecl):
        return
    quiet = isinstance(node, ir.Binary) and node.op not in CAN_FAIL
    for entry in dataclasses.fields(node):
        value = getattr(node, entry.name)
        if entry.name == "id" or (entry.name == "site" and quiet):
            continue
        # Without a key it does not matter which end comes first.
        if isinstance(node, ir.For) and entry.name == "highest" and node.key is None:
            continue
        if isinstance(value, bool):
            yield dataclasses.replace(node, **{entry.name: not value})  # type: ignore[type-var]
        elif isinstance(value, int):
            yield dataclasses.replace(node, **{entry.name: value - 1 if value > 0 else 1})  # type: ignore[type-var]
        else:
            for changed in variants(value):
                yield dataclasses.replace(node, **{entry.name: changed})  # type: ignore[type-var]
            if entry.name in ("where", "key", "seen", "extra_when") and value is not None:
                yield dataclasses.replace(node, **{entry.name: None})  # type: ignore[type-var]


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_complete(name: str) -> None:
    program = programs.PROGRAMS[name]()[0]
    tried = 0
    for part in ("functions", "machines"):
        for number, whole in enumerate(getattr(program, part)):
            show = print_function if part == "functions" else print_machine
            text = show(program, number)
            for changed in variants(whole):
                parts: Any = {part: tuple(changed if old is whole else old for old in getattr(program, part))}
                try:
                    other = show(dataclasses.replace(program, **parts), number)
                except IndexError:
                    continue  # names nothing: there is only one of these
                assert other != text, changed
                tried += 1
    assert tried > 10
