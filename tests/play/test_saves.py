"""Saved games: what is written, and every way in which one is refused."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grognard
import pytest
from engines import SKIRMISH, engine_for, random_game
from grognard.contract import header as values
from grognard.engine import Engine
from grognard.play.saved_bytes import FINGERPRINT, MAGIC
from grognard.play.savefile import MAX_BYTES


@pytest.fixture
def engine() -> Engine:
    return engine_for("connect_four", "interpreter")


@pytest.fixture
def save(engine: Engine, tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    random_game(engine, 3, 8).save(path)
    return path


def change(path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def refused(path: Path, engine: Engine) -> str:
    with pytest.raises(grognard.SaveError) as caught:
        grognard.load_game(path, engine)
    return str(caught.value)


def test_a_save_is_readable(save: Path, engine: Engine) -> None:
    content = json.loads(save.read_text(encoding="utf-8"))
    assert content["format"] == "grognard game" and content["version"] == 1
    assert content["title"] == "connect_four" and content["scenario"] == "standard" and content["seed"] == 3
    assert content["fingerprint"] == engine.fingerprint
    assert set(content["answers"][0]) == {"seat", "ask", "answer", "value"}
    assert len(save.read_text(encoding="utf-8").splitlines()) == len(content["answers"]) + 13


def test_the_shipped_title_is_found_by_itself(save: Path) -> None:
    assert len(grognard.load_game(save).history) == 8


def test_a_new_game_can_be_saved(engine: Engine, tmp_path: Path) -> None:
    engine.game(seed=-5).save(tmp_path / "new.json")
    assert grognard.load_game(tmp_path / "new.json", engine).position == engine.new_game(seed=-5)


def test_a_failing_write_leaves_the_old_save(
    save: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = save.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match=r"disk full"):
        engine.game().save(save)
    assert save.read_bytes() == before and list(save.parent.iterdir()) == [save]


def test_refused_truncated(save: Path, engine: Engine) -> None:
    text = save.read_bytes()
    for size in (len(text) // 2, len(text) - 5):
        save.write_bytes(text[:size])
        assert "is truncated: it breaks off in the middle" in refused(save, engine)
    save.write_bytes(b"")
    assert "is empty: the save was lost" in refused(save, engine)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x80\x04\x95garbage", "is not a saved game: it is not text"),
        (b"once upon a time", "is not a saved game: it is not JSON"),
        (b"[" * 100_000, "is not a saved game: its brackets are nested too deeply"),
        (b"[1, 2]", 'its format is not "grognard game"'),
        (b'{"format": "chess"}', 'its format is not "grognard game"'),
        (b'{"format": "grognard game", "version": 1' + b"0" * 6000 + b"}", "it is not JSON"),
    ],
)
def test_refused_something_else(save: Path, engine: Engine, data: bytes, words: str) -> None:
    save.write_bytes(data)
    assert words in refused(save, engine)


def test_refused_version(save: Path, engine: Engine) -> None:
    change(save, lambda content: content.update(version=2))
    assert "has version 2, this Grognard reads version 1: use a newer Grognard" in refused(save, engine)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("seed", "7", '"seed" has the wrong type'),
        ("answers", None, '"answers" has the wrong type'),
        ("answers", [{"seat": "red"}], "answer 1 cannot be read"),
        (
            "answers",
            [{"seat": "red", "ask": "drop.q", "answer": "A1", "value": 2**40}],
            "answer 1 cannot be read",
        ),
        ("hash", 12, '"hash" has the wrong type'),
        ("errata", [1], '"errata" has the wrong type'),
    ],
)
def test_refused_damaged_fields(save: Path, engine: Engine, key: str, value: object, words: str) -> None:
    change(save, lambda content: content.update({key: value}))
    assert f"is damaged: {words}" in refused(save, engine)
    change(save, lambda content: content.pop(key))
    assert "is missing" in refused(save, engine)


def test_refused_tampered(save: Path, engine: Engine) -> None:
    original = save.read_text(encoding="utf-8")
    change(save, lambda content: content["answers"].pop())
    assert "the game ends in another position than the one that was saved" in refused(save, engine)
    save.write_text(original, encoding="utf-8")
    change(save, lambda content: content["answers"][2].update(answer="A6", value=0))
    assert "answer 3 (red, drop.q: A6) is not legal" in refused(save, engine)
    save.write_text(original, encoding="utf-8")
    change(save, lambda content: content["answers"][0].update(seat="yellow"))
    assert "answer 1 (yellow, drop.q" in refused(save, engine)
    save.write_text(original, encoding="utf-8")
    change(save, lambda content: content.update(seed=4))
    assert "was changed since it was saved, or is damaged" in refused(save, engine)


def test_refused_other_errata(save: Path, engine: Engine) -> None:
    change(save, lambda content: content.update(errata=["second printing"]))
    words = refused(save, engine)
    assert 'was saved under "second printing", and Connect Four is loaded without errata' in words
    with pytest.raises(grognard.SaveError, match=r'Connect Four does not have: there is no erratum "second'):
        grognard.load_game(save)
    assert grognard.load_game(save, engine, allow_changed=True).no_longer_legal is None


def test_refused_another_title(save: Path) -> None:
    other = engine_for("breakthrough", "interpreter")
    assert "is a game of Connect Four, not of Breakthrough" in refused(save, other)


def test_refused_unknown_title_and_scenario(save: Path, engine: Engine) -> None:
    original = save.read_text(encoding="utf-8")
    change(save, lambda content: content.update(scenario="standrd"))
    assert "Connect Four has no scenario `standrd`: did you mean `standard`?" in refused(save, engine)
    save.write_text(original, encoding="utf-8")
    change(save, lambda content: content.update(title="../../etc"))
    with pytest.raises(grognard.SaveError, match=r"which is not found here: load the title's folder"):
        grognard.load_game(save)


def test_refused_not_a_file(tmp_path: Path, engine: Engine) -> None:
    assert "is not a file" in refused(tmp_path, engine)
    assert "cannot be read" in refused(tmp_path / "nothing.json", engine)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "is not a file" in refused(tmp_path / "pipe", engine)


def test_refused_too_large(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "is larger than any saved game (64 MiB)" in refused(path, engine)


def changed_title(folder: Path, old: str, new: str) -> Engine:
    import shutil

    shutil.copytree(SKIRMISH, folder)
    rules = folder / "game.grog"
    text = rules.read_text(encoding="utf-8")
    assert old in text
    rules.write_text(text.replace(old, new), encoding="utf-8")
    return grognard.load(folder, backend="interpreter")


def test_rules_that_changed(tmp_path: Path) -> None:
    engine = engine_for(str(SKIRMISH), "interpreter")
    game = engine.game(seed=4)
    for answer in ("hold", "advance", "shoot", "A", "done"):
        game.play(answer)
    path = tmp_path / "game.json"
    game.save(path)

    same = changed_title(tmp_path / "comment", "# Skirmish", "# A comment more\n# Skirmish")
    assert same.fingerprint == engine.fingerprint
    assert grognard.load_game(path, same).position == game.position

    stricter = changed_title(tmp_path / "stricter", "where t.side is not me and", "where t.side is me and")
    words = refused(path, stricter)
    assert "changed since" in words and "allow_changed=True" in words
    again = grognard.load_game(path, stricter, allow_changed=True)
    assert [played.name for played in again.history] == ["hold", "advance", "shoot", "A"]
    assert again.no_longer_legal is not None
    assert str(again.no_longer_legal) == (
        "answer 5 (german, shoot, march, draw_card: done) is no longer legal: "
        "the question is now shoot.t to german"
    )
    assert again.no_longer_legal.number == 4

    milder = changed_title(tmp_path / "milder", "vp   : 0..20", "vp   : 0..30")
    assert milder.fingerprint != engine.fingerprint
    again = grognard.load_game(path, milder, allow_changed=True)
    assert again.no_longer_legal is None and len(again.history) == 5


def test_positions_in_bytes_are_checked(engine: Engine) -> None:
    data = bytes(engine.new_game())
    for bad, words in (
        (b"", "they do not begin as one"),
        (b"x" + data[1:], "they do not begin as one"),
        (data[:-4], "is damaged: "),
        (data + b"\0", "is damaged: "),
        (data[:8] + bytes(16) + data[24:], "other rules or data"),
        (data[:24] + b"\x09" + data[25:], "its head makes no sense"),
    ):
        with pytest.raises(grognard.PositionError, match=words):
            engine.position(bad)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        *((values.H_STATUS, v) for v in (0, 3, -1)),
        *((values.H_ASK, v) for v in (values.NONE, 9999)),
        *((values.H_CHOOSER, v) for v in (values.NONE, 99)),
        *((values.H_SP, v) for v in (-1, 1 << 20)),
        *((values.H_FP, v) for v in (-4, 1 << 20)),
        *((values.H_JOURNAL, v) for v in (-1, 1 << 20)),
        *((values.H_BRANCH, v) for v in (5, -7)),
    ],
)
def test_a_head_that_no_position_has_is_refused(engine: Engine, cell: int, value: int) -> None:
    data = bytearray(bytes(engine.new_game()))
    at = len(MAGIC) + FINGERPRINT + 4 * cell
    data[at : at + 4] = value.to_bytes(4, "little", signed=True)
    with pytest.raises(grognard.PositionError, match="its head makes no sense"):
        engine.position(bytes(data))


def test_bytes_from_a_stranger_fail_as_errors_of_grognard_or_not_at_all(engine: Engine) -> None:
    dice = random.Random(5)
    position = engine.new_game(seed=5)
    known = [bytes(position)]
    for _ in range(12):
        position = position.play(dice.choice(position.legal()))
        known.append(bytes(position))
    head, refused = len(MAGIC) + FINGERPRINT, 0
    for _ in range(300):
        data = bytearray(dice.choice(known))
        at = head + 4 * dice.randrange((len(data) - head) // 4)
        data[at : at + 4] = dice.randrange(-(2**31), 2**31).to_bytes(4, "little", signed=True)
        try:
            strange = engine.position(bytes(data))
            for seat in engine.seats:
                strange.view(seat).legal()
            if strange.legal():
                strange.play(strange.legal()[0])
        except grognard.GrognardError:
            refused += 1
    assert refused


def test_answers_seats_and_seeds_of_the_wrong_type(engine: Engine) -> None:
    position: Any = engine.new_game()
    for wrong in (None, 1.5, ["hold"]):
        with pytest.raises(TypeError, match="an answer is a Choice"):
            position.play(wrong)
    with pytest.raises(TypeError, match="by its name"):
        position.view(None)
    anything: Any = engine
    with pytest.raises(TypeError, match="a seed is a whole number"):
        anything.new_game(seed="seven")
