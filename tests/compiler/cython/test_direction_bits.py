"""Questions about directions that are asked for all at once give what they give one by one, and random games that are
played without stopping at decisions are those that are played step by step."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.modules import emit_source
from small_titles import write_small_title

RULES = """\
title rows "Rows"

sides red, blue

space Board: SHAPE from "maps/board.yaml"
  state mark: Side?
  rough: flag

rule owned(h: PLACE?, p: Side) -> flag
  = h is not none and h.mark is p

rule run(h: PLACE, d: Direction, p: Side) -> 0..3
  = 0 when not owned(toward(h, d, 1), p)
  = 1 when not owned(toward(h, d, 2), p)
  = 2 when not owned(toward(h, d, 3), p)
  = 3 otherwise

# Every way to look along directions: rows through a place, the edge of the map, turned directions, data of places, how many.
rule row(h: PLACE, p: Side) -> flag
  = any(d in {n, se} where run(h, d, p) + run(h, opposite(d), p) >= 2)

rule rim(h: PLACE) -> flag
  = any(d in Direction where toward(h, d, 2) is none and neighbour(h, turned(d, 1)) is not none)

rule is_rough(h: PLACE?) -> flag
  = h is not none and h.rough

rule rough_beside(h: PLACE) -> 0..8
  = count(d in Direction where is_rough(neighbour(h, d)))

rule wins(h: PLACE, p: Side) -> flag
  = yes when row(h, p) and rough_beside(h) > 1
  = max(run(h, n, p), 1) < run(h, s, p) when rim(h)
  = any(d in {n, ne} where run(h, d, p) > run(h, turned(d, 2), p) and (p is red or not owned(neighbour(h, d), red))) otherwise

action take "take"
  choose h: PLACE where h.mark is none "a place"
  h.mark := me
  end game won by me if wins(h, me) and not h.rough
  end game if not any(x in PLACE where x.mark is none)

sequence
  alternate p from red until all pass
    offer p: take

victory
  = none
"""


def rules_for(shape: str) -> str:
    return RULES.replace("SHAPE", shape).replace("PLACE", "Hex" if shape == "hexes" else "Square")


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
@pytest.mark.parametrize("shape, columns, rows", [("squares", 6, 7), ("hexes", 7, 9), ("hexes", 25, 16)])
def test_directions_at_once_give_what_single_questions_give(
    tmp_path: Path, shape: str, columns: int, rows: int
) -> None:
    folder = str(write_small_title(tmp_path / "rows", rules_for(shape), columns, rows))
    fast, slow = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    text = emit_source(fast.ruleset.program)
    assert "grog_directions_opposite" in text and "grog_directions_turned" in text and "grog_ones(" in text
    report = grognard.compare_backends(fast.ruleset, games=2, seed=3, max_answers=60)
    assert report.agree, str(report)
    # The run is untraced, so that the engine asks all directions at once where the map allows it.
    played = [engine.playouts(6, seed=5, max_answers=90) for engine in (fast, slow)]
    assert played[0] == played[1]
    for seed in range(4):
        rules = [engine.new_game(seed=seed) for engine in (fast, slow)]
        for _ in range(40):
            if rules[0].over:
                break
            choice = rules[0].values()[seed * 7 % len(rules[0].values())]
            rules = [position.play(choice) for position in rules]
            assert bytes(rules[0]) == bytes(rules[1])


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_random_games_stop_where_they_are_told_to(tmp_path: Path) -> None:
    folder = str(write_small_title(tmp_path / "rows", rules_for("squares"), 6, 7))
    fast, slow = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    for most in (0, 1, 2, 7):
        played = [engine.playouts(5, seed=2, max_answers=most) for engine in (fast, slow)]
        assert played[0] == played[1]
        assert played[0].answers == 5 * most and played[0].unfinished == 5
