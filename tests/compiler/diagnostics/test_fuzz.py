"""Texts that nobody wrote: rules derived from the grammar at random, spoilt saves and YAML, on a new seed every day.

Whatever comes in, messages come out.  A failure says its seed: GROGNARD_FUZZ_SEED=N repeats the run, GROGNARD_FUZZ=N
makes it longer.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from golden import Case, compiled
from grognard.compiler.support.yamlfile import load_yaml
from grognard.errors import SaveError
from grognard.play.savefile import parse_save
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile
from random_rules import derived, expansions

#: Another one every day; all runs of a day have the same, so that a run can be repeated.
SEED = int(os.environ.get("GROGNARD_FUZZ_SEED", datetime.now(UTC).date().toordinal()))
TEXTS = int(os.environ.get("GROGNARD_FUZZ", "60"))


@pytest.mark.parametrize("number", range(6))
def test_rules_out_of_the_grammar(number: int, tmp_path: Path) -> None:
    seed = SEED + number
    random = Random(seed)
    named = [name for name in expansions() if name.endswith("_decl")]
    for text_number in range(TEXTS // 6):
        text = "\n".join(derived(random.choice(named), random) for _ in range(random.randint(1, 4)))
        root = Case(tmp_path, "", {"rules.grog": text + "\n"}, "").lay_out(tmp_path / str(text_number))
        try:
            compiled(root)
        except Exception as fault:
            raise AssertionError(f"GROGNARD_FUZZ_SEED={SEED}: {fault!r} on\n{text}") from fault


SAVE = {
    "format": "grognard game", "version": 1, "title": "t", "name": "T", "errata": [], "fingerprint": "f",
    "scenario": "s", "seed": 1, "answers": [{"seat": "a", "ask": "b", "answer": "c", "value": 1}], "hash": "0",
}  # fmt: skip
YAML = (Path(__file__).parent / "base" / "scenarios" / "first.yaml").read_bytes()
JUNK = [b'"', b"\\", b"{", b"}", b"[", b"]", b"\n", b"\t", b"&a ", b"*a", b"!!x ", b"- ", b": ", b"null", b"1e999", b"\xff", b"\0", b"|", b"?"]  # fmt: skip


def _spoilt(data: bytes, random: Random) -> bytes:
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data) + 1)
        cut = random.choice((0, 0, 1, 9))
        data = data[:at] + random.choice(JUNK) * random.choice((1, 1, 1, 300)) + data[at + cut :]
    return data


def test_spoilt_saves_and_yaml() -> None:
    random = Random(SEED)
    for _ in range(TEXTS * 10):
        save, text = _spoilt(json.dumps(SAVE).encode(), random), _spoilt(YAML, random)
        try:
            with contextlib.suppress(SaveError):
                parse_save(save)
            load_yaml(SourceFile.from_text("data.yaml", text.decode("utf-8", "replace")), Sink())
        except Exception as fault:
            raise AssertionError(f"GROGNARD_FUZZ_SEED={SEED}: {fault!r} on {save!r} or {text!r}") from fault
