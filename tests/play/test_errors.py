"""Errors in words: bad titles, rules that fail, and names that do not exist."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import grognard
import pytest
from engines import SKIRMISH
from grognard.contract import header as values
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.engine import Engine
from grognard.errors import rule_error


def variant(folder: Path, old: str, new: str, backend: str = "interpreter") -> Engine:
    shutil.copytree(SKIRMISH, folder)
    rules = folder / "game.grog"
    text = rules.read_text(encoding="utf-8")
    assert old in text
    rules.write_text(text.replace(old, new), encoding="utf-8")
    return grognard.load(folder, backend=backend)  # type: ignore[arg-type]


def test_unknown_titles() -> None:
    with pytest.raises(
        grognard.UnknownTitle, match=r"there is no title `conect_four`: did you mean `connect_four`?"
    ):
        grognard.load("conect_four")
    with pytest.raises(grognard.UnknownTitle, match=r"the shipped titles are .*breakthrough"):
        grognard.load("zzzzzzzzzzzz")


def test_unknown_scenarios() -> None:
    with pytest.raises(grognard.UnknownScenario, match=r"has no scenario `ambsh`: did you mean `ambush`?"):
        grognard.load(SKIRMISH, scenario="ambsh", backend="interpreter")
    engine = grognard.load(SKIRMISH, scenario="ambush", backend="interpreter")
    assert engine.new_game().scenario == "ambush"
    assert engine.fingerprint == engine.fingerprint_of("ambush") != engine.fingerprint_of("meeting")


def test_bad_titles_carry_their_diagnostics(tmp_path: Path) -> None:
    with pytest.raises(grognard.RulesetError) as caught:
        variant(tmp_path / "bad", "  = a.power", "  = a.powr")
    assert caught.value.diagnostics[0].span is not None
    assert "did you mean `power`?" in str(caught.value) and "game.grog:" in str(caught.value)
    with pytest.raises(grognard.RulesetError, match=r"has no title.yaml"):
        grognard.load(tmp_path)


def test_wrong_back_end() -> None:
    with pytest.raises(ValueError, match=r"backend is auto, compiled, python or interpreter"):
        grognard.load("connect_four", backend="fast")  # type: ignore[arg-type]


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    engine = grognard.load("connect_four")
    assert engine.backend == "python"
    assert engine.notices == [
        "running on Python, not on a compiled engine: no C compiler: 'no-such-compiler' was not found"
    ]
    with pytest.raises(
        grognard.BackendUnavailable, match=r"Connect Four cannot be compiled here: no C compiler"
    ):
        grognard.load("connect_four", backend="compiled")


def test_a_rule_that_fails(tmp_path: Path, backend: str) -> None:
    if backend == "compiled":
        from grognard.compiler.build.build import compiler_available

        if (reason := compiler_available()) is not None:
            pytest.skip(reason)
    engine = variant(tmp_path / "failing", "  require my.cards < 2", "  require my.cards < 4", backend)
    game = engine.game(seed=1)
    game.play("hold")
    game.play("hold")
    for answer in (*("draw_card",) * 4, "done"):
        game.play(answer)
    before, log = bytes(game.position), game.log
    with pytest.raises(grognard.RuleError) as caught:
        game.play("draw_card")
    error = caught.value
    assert error.kind == values.FAIL_EMPTY and error.rule == "draw_card" and error.file == "game.grog"
    assert str(error).startswith("in draw_card: Deck is empty")
    assert str(error).endswith(f"(game.grog:{error.line})")
    assert bytes(game.position) == before and game.log == log and len(game.history) == 7
    position = game.position.clone()
    with pytest.raises(grognard.RuleError):
        position.play_inplace("draw_card")
    assert bytes(position) == before
    with pytest.raises(grognard.RuleError):
        engine.play_many([position, position], ["done", "draw_card"])
    game.play("done")


@pytest.mark.parametrize(
    ("kind", "detail", "site", "words"),
    [
        (values.FAIL_RANGE, (31,), ("write", "cap"), "31 is outside the declared range of `cap`"),
        (
            values.FAIL_RANGE,
            (9,),
            ("write", "Unit.steps {0}"),
            "9 is outside the declared range of `Unit.steps` ",
        ),
        (
            values.FAIL_RANGE,
            (values.NONE,),
            ("write", "cap"),
            "none was written to `cap` that must have a value",
        ),
        (
            values.FAIL_RANGE,
            (),
            ("fail", "the result of f is outside 0..9"),
            "the result of f is outside 0..9",
        ),
        (
            values.FAIL_INDEX,
            (values.NONE,),
            ("read", "at"),
            "a value is needed and there is none, reading `at`",
        ),
        (values.FAIL_INDEX, (99,), ("read", ""), "99 is not a member of what it is used for"),
        (
            values.FAIL_TABLE,
            (3, 12),
            ("table", "table crt({0}, {1}) = {2}"),
            "table crt has no cell for (3, 12)",
        ),
        (values.FAIL_BUDGET, (), ("loop", "while"), "too many steps"),
        (values.FAIL_EMPTY, (), ("choice", "x"), "there is nothing to choose from"),
        (values.FAIL_REQUIRE, (), ("fail", "no line of sight"), "not allowed: no line of sight"),
        (values.FAIL_STACK, (), ("enter", "p"), "too many procedures are waiting for each other"),
        (values.FAIL_POOL, (), ("write", "new Unit"), "no counter is left to create a new Unit"),
        (values.FAIL_DIVIDE, (7,), ("arithmetic", "div"), "7 is divided by zero"),
        (values.FAIL_CONFLICT, (0, 1), ("branch", "b"), "leave different values in Unit.hits number 2"),
        (values.FAIL_JOURNAL, (), ("branch", "b"), "too much is written in one simultaneous or secret block"),
        (values.FAIL_UNIQUE, (), ("aggregate", "the"), "must find exactly one and found none or several"),
        (values.FAIL_DICE, (), ("roll", "2d6"), "the dice that were given do not fit"),
        (values.FAIL_LIST, (4,), ("list", ""), "4 does not fit: the list or pool is full"),
        (values.FAIL_OVERFLOW, (2**31 - 1, 1), ("arithmetic", "add"), "too large (2147483647, 1)"),
    ],
)
def test_every_failure_in_words(
    kind: int, detail: tuple[int, ...], site: tuple[str, str], words: str
) -> None:
    place = ir.Site(0, *site, "game.grog", 12, 3, ("7.1",), (), "fire")
    field = ir.Field(0, "Unit.hits", (), ir.IntType())
    program = ir.Program("t", (), (field,), (), (), (), (place,), (), (), (), (), (), 0)
    error = rule_error(RuleFailure(kind, 0, detail), program)
    assert words in str(error)
    assert str(error).startswith("in fire: ") and str(error).endswith(" [7.1] (game.grog:12)")
    assert (error.rule, error.cites, error.file, error.line) == ("fire", ("7.1",), "game.grog", 12)
    assert str(rule_error(RuleFailure(kind, -1, detail), program))


HANDLERS = """title skirmish "Skirmish"
event test_of(u: Unit, die: 2..12)
on rolled test_of(u, die): u.steps(1) := die + 2 - 3
procedure test_it(u: Unit)
  roll die: 2d6 for test_of(u)
"""


def test_handlers_are_called_as_their_author_calls_them(tmp_path: Path) -> None:
    engine = variant(tmp_path / "title", 'title skirmish "Skirmish"\n', HANDLERS)
    with pytest.raises(grognard.RuleError) as caught:
        engine.call("test_it", ["A"])
    assert caught.value.rule == "on rolled test_of"
    assert "in on rolled test_of: " in str(caught.value)
    assert "is outside the declared range of `Unit.steps` (" in str(caught.value)


def test_illegal_choices_have_a_hint(skirmish: Engine) -> None:
    position = skirmish.new_game()
    with pytest.raises(grognard.IllegalChoice) as caught:
        position.play("advence")
    assert str(caught.value) == "`advence` is not offered; did you mean `advance`?\nlegal: hold, advance"
    assert position.play("Advance") == position.play("advance")


def test_reading_by_name(skirmish: Engine) -> None:
    position = skirmish.new_game()
    assert position.get("Unit", "A", "at") == "0101" and position.get("Unit", 0, "at") == "0101"
    assert position.get("Unit", "A", "type") == "rifles" and position.get("Unit", "T", "armour") == 11
    assert position.get("Unit", "A", "steps", 2) == 0 and position.piece("Unit", "A").steps("2") == 0
    assert position.piece("Unit", "H").hidden is True and position.piece("Unit", "H").label == "Rifles H"
    assert (
        position.place("Board", "0201").terrain == "woods" and position.place("Hex", "0201").burning is False
    )
    assert position.game("round") == 1 and position.side("german", "vp") == 0
    assert len(position.places("Board")) == 12
    assert position.bag("Deck") == {"smoke": 2, "haste": 2}
    for read, words in (
        (lambda: position.get("Unit", "A", "hti"), "Unit has no field `hti`: did you mean `hit`?"),
        (lambda: position.get("Unt", "A", "hit"), "Skirmish has no `Unt`: did you mean `Unit`?"),
        (lambda: position.get("Unit", "X", "hit"), "there is no Unit `X`"),
        (lambda: position.get("Unit", 8, "hit"), "Unit has 8 members: there is no number 8"),
        (lambda: position.get("Unit", "A", "steps"), "is read with 1..2 beside its owner, not 0 values"),
        (lambda: position.game("rund"), "Skirmish has no game field `rund`: did you mean `round`?"),
        (lambda: position.side("german", "vpp"), "has no field `vpp`: did you mean `vp`?"),
        (lambda: position.bag("Dek"), "Skirmish has no bag `Dek`: did you mean `Deck`?"),
        (lambda: position.relation("war", 0, 1), "Skirmish has no relation `war`"),
    ):
        with pytest.raises(grognard.UnknownName) as caught:
            read()  # type: ignore[no-untyped-call]
        assert words in str(caught.value)
    with pytest.raises(AttributeError, match=r"Unit has no field `spnt`: did you mean `spent`?"):
        position.piece("Unit", "A").spnt  # noqa: B018


def test_calling_one_rule(skirmish: Engine) -> None:
    assert skirmish.call("firepower", ["T"]) == 5
    assert skirmish.call("fire_mods", ["A", "B"]) == 0
    position = skirmish.new_game()
    before = bytes(position)
    skirmish.call("fire", ["T", "B"], position)
    assert bytes(position) == before
    with pytest.raises(grognard.UnknownName, match=r"has no rule `firpower`: did you mean `firepower`?"):
        skirmish.call("firpower", ["T"])
    with pytest.raises(ValueError, match=r"`firepower` takes \(a\), 2 values were given"):
        skirmish.call("firepower", ["T", "A"])
    with pytest.raises(grognard.UnknownName, match=r"there is no Unit `Z` for `a`"):
        skirmish.call("firepower", ["Z"])


def test_exceptions_count_when_a_rule_is_called(skirmish: Engine) -> None:
    for seed in range(30):
        game = skirmish.game(seed=seed)
        for answer in ("hold", "hold", "shoot", "T"):
            game.play(answer)
        if game.position.get("Unit", "B", "hit") is not None and not game.position.over:
            assert skirmish.call("firepower", ["B"], game.position) == 1
            return
    raise AssertionError("B was never hit")


def test_searching(connect_four: Engine) -> None:
    assert [connect_four.perft(depth) for depth in range(5)] == [1, 7, 49, 343, 2401]
    assert connect_four.perft(2, connect_four.new_game().play("D1")) == 49
    found = connect_four.playouts(5, seed=3)
    assert found.games == 5 and found.unfinished == 0 and found.answers >= 5 * 7
    with pytest.raises(ValueError):
        connect_four.perft(-1)
    with pytest.raises(ValueError):
        connect_four.playouts(-1)


def test_importing_is_quick() -> None:
    code = (
        "import sys, grognard; print([m for m in sys.modules if m.startswith(('grognard.', 'lark', 'yaml'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_all_exported_names_exist() -> None:
    for name in grognard.__all__:
        assert getattr(grognard, name) is not None
    with pytest.raises(AttributeError):
        grognard.no_such_name  # noqa: B018


def test_playouts_are_the_same_in_several_threads(connect_four: Engine) -> None:
    alone = connect_four.playouts(2_500, seed=3, max_answers=12)
    assert alone == connect_four.playouts(2_500, seed=3, max_answers=12, threads=3)
    assert alone.games == alone.unfinished + sum(alone.wins.values()) + alone.draws == 2_500
    assert alone.answers == sum(
        connect_four.playouts(games, seed=seed, max_answers=12).answers
        for games, seed in (
            (1_000, 3),
            (1_000, 3 + 0x9E37_79B9_7F4A_7C15),
            (500, 3 + 2 * 0x9E37_79B9_7F4A_7C15),
        )
    )
    with pytest.raises(ValueError, match="thread"):
        connect_four.playouts(1, threads=0)
