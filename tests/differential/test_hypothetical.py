"""AtBest: the greatest outcome on a scratch copy, and nothing of it in the position."""

from __future__ import annotations

from grognard.contract.backend import Io
from grognard.contract.header import (
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_OVER,
)
from grognard.interpreter.machine import Interpreter
from programs import function_id, hypothetical


def test_the_best_answers_count_and_nothing_stays() -> None:
    program, layout, data, cells = hypothetical()
    engine = Interpreter(program, layout, data)
    gold, best = (next(f.id for f in program.fields if f.name == name) for name in ("gold", "best"))

    def value(field: int) -> int:
        with memoryview(cells) as raw, raw.cast("i") as view:
            return view[layout.field_offset[field]]

    def head(cell: int) -> int:
        with memoryview(cells) as raw, raw.cast("i") as view:
            return view[cell]

    engine.start(cells, program.main, (), Io())
    # Two helpings of 3 and a die of 2 make 8: with 0 now that is not 9, with 1, 2 or 3 it is.
    assert engine.candidates(cells) == [1, 2, 3]
    engine.answer(cells, 2, Io(level=2))
    assert value(gold) == 2
    assert value(best) == 10
    assert engine.candidates(cells) == [0, 1, 2, 3]
    before = bytes(cells)
    io = Io(level=2)
    engine.call(cells, function_id(program, "can"), (), io)
    assert bytes(cells) == before
    assert not io.trace
    assert head(H_STATUS) != STATUS_OVER
    assert head(H_OUTCOME) == NONE
