"""Counters that are alike are chosen by number: groups with bounds, answers for all at once, their log and their saves."""

from __future__ import annotations

import json
import random
from pathlib import Path

import grognard
import pytest
from engines import BACKENDS
from grognard.bots import make
from grognard.cli.sentences import read_sentence
from grognard.compiler.driver.pipeline import compile_title
from grognard.errors import IllegalChoice
from grognard.play.examples import run_examples
from grognard.support.diagnostics import Sink

RULES = """sides red, blue
kind Make
  name   | cost | size | hits | flies
  foot   |  3   |  1   |  1   | no
  tank   |  6   |  2   |  1   | no
  barge  |  8   |  3   |  2   | no
  plane  |  5   |  1   |  1   | yes
space Land: areas from "land.yaml"
  edge road: flag
each side
  money: 0..99
piece Unit of Make up to 60, interchangeable
  at  : Area?
  hurt: 0..2
  tired, gun: flag
rule heavy(us: set of Unit) -> 0..99 = sum(u in us: u.size)
rule can_hit(g: Unit, v: Unit) -> flag = g.gun or not v.flies

procedure muster(p: Side)
  choose numbers of k in Make where k.flies is no by p "buy" costing k.cost within p.money up to 6 -> bought
  for k in Make where bought(k) > 0
    p.money -= k.cost * bought(k)
    repeat bought(k) times
      create Unit of k with side = p, at = Area.camp
action go "march"
  choose a: Area where any(u in Unit where mine(u) and u.at is a and not u.tired) "from"
  choose some u in Unit where mine(u) and u.at is a and not u.tired "units" at least 1 keeping heavy(us) <= 4 -> us
  choose b in neighbours(a) where count(us) < 3 or b is Area.town "to"
  for u in us
    u.at := b
    u.tired := yes
action convoy "convoy"
  choose some u in Unit where mine(u) and u.at is Area.camp "with"
      such that any(t in us where t.size is 2) and count(f in us where f.size is 1) <= count(t in us where t.size is 2) -> us
  for u in us
    u.tired := yes
procedure suffer(hits: set of Unit, victims: set of Unit, p: Side)
  assign g in hits to v in victims by p "lost" where can_hit(g, v) room v.hits - v.hurt then v.hurt += 1 -> n
  for v in victims where v.hurt >= v.hits
    destroy v
  log "{n} hits"
procedure agree(group: set of Unit)
  choose some u in group by {red, blue} else by blue "who stays" exactly 2 -> stay
  for u in group where u not in stay
    destroy u
sequence
  phase one
    do muster(red)
    red repeats go until done
victory = red

example "what can be paid is bought, by kind"
  scenario "start"
  red.money := 20
  offered foot, tank, barge, done
  answers "2 foot, 1 tank, barge"
  do muster(red)
  expect red.money is 0, count(u in Unit) is 4, count(u in Unit where u.type is foot) is 2

example "so many of each, and the whole weighs no more than four"
  scenario "start"
  counters 3 of red foot at camp
  counters 2 of red tank at camp
  counter red foot as T at camp, tired = yes
  answers "2 foot, tank"
  offer red: go
  expect count(u in Unit where u.at is Area.town) is 3, heavy(set(u in Unit where u.at is Area.town)) is 4
  expect T.at is camp

example "three go to the town alone: what follows bounds the numbers"
  scenario "start"
  counters 3 of red foot at hill
  answers "2 foot"
  offer red: go
  expect count(u in Unit where u.at is Area.camp) is 2

example "what can be completed is tried by numbers: of forty and three there are 164, of sets too many for any machine"
  scenario "start"
  counters 40 of red foot at camp
  counters 3 of red tank at camp
  answers "2 foot, 3 tank"
  offer red: convoy
  expect count(u in Unit where u.tired) is 5

example "who can take two is asked again; each outcome has one way"
  scenario "start"
  counters 2 of blue foot at camp
  counter blue barge as B at camp
  counters 3 of red foot at town
  answers "foot, barge"
  do suffer(set(u in Unit where u.side is red), set(u in Unit where u.side is blue), blue)
  expect not in_play(B), count(u in Unit where u.side is blue) is 1

example "hits that reach no planes are kept off them"
  scenario "start"
  counters 3 of blue foot at camp
  counters 2 of blue plane at camp
  counters 2 of red foot at town
  counter red foot as G at town, gun = yes
  answers "2 foot, 1 plane"
  do suffer(set(u in Unit where u.side is red), set(u in Unit where u.side is blue), blue)
  expect count(u in Unit where u.flies) is 1, count(u in Unit where u.side is blue) is 2

example "who does not agree leaves it to the other"
  scenario "start"
  counters 3 of red foot at camp
  counters 2 of red tank at camp
  answers "1 foot, 1 tank", "2 foot", "2 tank"
  do agree(set(u in Unit where u.at is camp))
  expect count(u in Unit) is 2, all(u in Unit: u.type is tank)
"""
LAND = """areas:
  camp: {adjacent: [town, hill]}
  town: {adjacent: [camp]}
  hill: {adjacent: [camp]}
"""
START = """name: Start
pieces:
  - {Unit: foot, side: red, at: camp, count: 3}
  - {Unit: tank, side: red, at: camp, count: 2}
  - {Unit: foot, side: red, at: camp, tired: yes}
side:
  red: {money: 20}
"""
EMPTY = "name: Empty\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("numbers")
    (made / "title.yaml").write_text("name: Numbers\nscenario: full\n")
    (made / "game.grog").write_text(RULES)
    (made / "land.yaml").write_text(LAND)
    (made / "scenarios").mkdir()
    (made / "scenarios" / "full.yaml").write_text(START)
    (made / "scenarios" / "start.yaml").write_text(EMPTY)
    return made


def test_examples_hold_on_both_back_ends(folder: Path) -> None:
    ruleset = compile_title(folder, Sink())
    assert ruleset is not None
    results = run_examples(ruleset)
    assert [(r.example.title, r.failures) for r in results if r.failures] == []
    assert len(results) == 7


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_answer_for_all_groups(folder: Path, backend: str, tmp_path: Path) -> None:
    game = grognard.load(folder, backend=backend).game(seed=1)
    offered = game.position.legal()
    assert game.position.question is not None and game.position.question.kind == "numbers"
    groups = [(g.name, g.least, g.most, g.cost) for g in offered.groups]
    assert groups == [("foot", 0, 6, 3), ("tank", 0, 3, 6), ("barge", 0, 2, 8)]
    assert (offered.budget, offered.most) == (20, 6)
    game.play("1 barge, 2 foot and 1 tank")
    game.play("go")
    offered = game.position.legal()
    # One counter is tired: no rule takes it for one of the others, and it is not asked for.
    assert [(g.name, g.least, g.most) for g in offered.groups] == [
        ("foot", 0, 4),
        ("tank", 0, 2),
        ("barge", 0, 1),
    ]
    assert (offered.fewest, len(offered.groups[0].members)) == (1, 5)
    for wrong in ("2 tank, 1 foot", "5 foot", "none", "2 ship", {"foot": 3, "barge": 1}):
        with pytest.raises(IllegalChoice):
            game.play(wrong)
    before = game.position
    after = game.play({"tank": 1, "foot": 2})
    assert before.play("1 tank, 2 foots") == after == before.play("2 Foot; tank")
    assert [(p.question, p.name) for p in game.history] == [
        ("muster.k", "2 foot, 1 tank, 1 barge"),
        ("go", "go"),
        ("go.u", "2 foot, 1 tank"),
    ]
    told = [line.text for line in game.log if "foot" in line.text]
    assert told == ["red: buy 2 foot, 1 tank, 1 barge", "red: units 2 foot, 1 tank"]
    # A save has it as one answer, and gives the same game; by the name alone where rules have changed.
    path = tmp_path / "game.json"
    game.save(path)
    assert [a["answer"] for a in json.loads(path.read_text())["answers"]] == [p.name for p in game.history]
    engine = grognard.load(folder, backend=backend)
    assert grognard.load_game(path, engine=engine).position == game.position
    path.write_text(path.read_text().replace(game.setting.fingerprint, "0" * 32))
    assert grognard.load_game(path, engine=engine, allow_changed=True).position == game.position
    assert game.replay().position == game.position


@pytest.mark.parametrize("backend", BACKENDS)
def test_step_by_step_gives_the_same(folder: Path, backend: str) -> None:
    """The numbers of one group after the other, as programs give them, are the same answer."""
    start = grognard.load(folder, backend=backend).new_game(seed=1).play("none").play("go")
    assert [choice.name for choice in start.legal()] == [f"{n} of foot" for n in (3, 2, 1, 0)]
    one = start.play("2 of foot")
    assert one.play(1) == start.play("2 foot, 1 tank")
    # What is left over has one way only: nobody is asked.
    assert start.play(3) == start.play("3 foot")
    # Every vector has one way: each of those that random steps lead to is played as a whole, too.
    chance = random.Random(2)
    for _ in range(20):
        here, numbers = start, []
        while here.question is not None and here.question.name == "go.u":
            numbers.append(chance.choice(here.values()))
            here = here.play(numbers[-1])
        names = ("foot", "tank")
        assert start.play(dict(zip(names, [*numbers, 0]))) == here


def test_bots_answer_for_all_groups(folder: Path) -> None:
    position = grognard.load(folder, backend="interpreter").new_game(seed=1)
    for name in ("random", "greedy"):
        bot = make(name, 3)
        here, seen = position, []
        for _ in range(6):
            if here.over:
                break
            choice = bot.choose(here)
            if here.question is not None and here.question.kind == "numbers":
                seen.append(choice.name)
            here = here.play(choice)
        assert seen and all(not text.split()[0].isdigit() or " of " not in text for text in seen)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("2 foot from the camp to hill", ["go", "2 foot", "hill"]),
        ("to HILL, 2 foot", ["go", "2 foot", "hill"]),
        ("march 1 tank and 2 foot to town", ["go", "2 foot, 1 tank"]),
        ("march with 2 foot", ["go", "2 foot"]),
        ("2 foot, 1 tank to hill", None),
        ("9 foot to hill", None),
        ("2 foot to the moon", None),
        ("march", None),
    ],
)
def test_a_whole_action_is_a_sentence(folder: Path, text: str, answers: list[str] | None) -> None:
    game = grognard.load(folder, backend="interpreter").game(seed=1)
    game.play("none")
    said = read_sentence(game.position, text)
    if answers is None:
        assert said is None
        return
    assert isinstance(said, list)
    for asked, answer in said:
        assert game.position.question is not None and game.position.question.name == asked
        game.play(answer)
    assert [p.name for p in game.history[1:]] == answers
    # Where there is one way only nobody is asked, but it may be said; what is not said is asked.
    assert (game.position.question.name == "go.b") == (text == "march with 2 foot")
