"""What is bought by number is planned to its end, also where there are more kinds than answers of a plan."""

from __future__ import annotations

from pathlib import Path

import grognard
from grognard.bots import make

KINDS = 15
RULES = """sides red, blue
kind Make
  name   | cost | worth
{rows}
piece Unit of Make up to 20, interchangeable
each side
  money: 0..99
evaluation(s: Side) = sum(u in Unit where u.side is s: u.worth)
procedure muster(p: Side)
  choose numbers of k in Make by p "buy" costing k.cost within p.money -> bought
  for k in Make where bought(k) > 0
    p.money -= k.cost * bought(k)
    repeat bought(k) times
      create Unit of k with side = p
sequence
  do muster(red)
  do muster(blue)
victory = none
"""


def test_the_last_kind_is_bought_if_it_is_the_best(tmp_path: Path) -> None:
    rows = "\n".join(f"  make_{n:02} | 3 | {9 if n == KINDS else 1}" for n in range(1, KINDS + 1))
    (tmp_path / "title.yaml").write_text("name: Shopping\n", "utf-8")
    (tmp_path / "game.grog").write_text(RULES.format(rows=rows), "utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "start.yaml").write_text(
        "name: Start\nside: {red: {money: 12}, blue: {money: 12}}\n", "utf-8"
    )
    game = grognard.load(tmp_path, backend="python").game(seed=1)
    bot = make("greedy", seed=1)
    while game.position.to_move == "red":
        game.play(bot.choose(game.position))
    bought = [unit.name for unit in game.position.view("red").pieces("Unit")]
    kinds = [str(game.position.get("Unit", name, "type")) for name in bought]
    assert kinds.count(f"make_{KINDS}") >= 3, kinds
