"""What comes into an answer before it is given."""

from __future__ import annotations

import random

from engines import engine_for
from grognard.play.wording import Secrecy
from grognard.server.preview import preview


def test_modifiers_one_by_one_before_a_shot() -> None:
    """A shot of MBT: its modifiers with their sections and the number to be rolled, as the rules then reckon it; no die is told."""
    picker = random.Random(5)
    game = engine_for("mbt", "interpreter").game("crossroads", 5)
    shots = 0
    while shots < 2:
        question = game.position.question
        assert question is not None, "a game without a shot"
        choice = picker.choice(game.position.legal())
        before = game.position
        game.play(choice.value)
        reckoned = [r for r in game.why(-1).walk() if r.kind == "modifiers" and r.text.startswith("ap_mods")]
        if not reckoned:
            continue
        told = preview(before, [choice.name], Secrecy())
        assert told["answers"][0] == choice.label and told["rolled"]
        found = {reason["text"]: reason for reason in told["reasons"]}
        assert reckoned[0].text in found
        mods = found[reckoned[0].text]["children"]
        assert [m["text"] for m in mods] == [m.text for m in reckoned[0].children if m.kind == "modifier"]
        assert all(m["cites"] for m in mods)
        assert not any("d100" in text for text in found)
        shots += 1
