"""Titles as wheels: the runtime plays them in an environment that has neither the compiler's packages nor its code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler_access import export_title
from grognard.contract.built_title import MANIFEST

ROOT = Path(__file__).resolve().parents[2]
DUEL = ROOT / "tests" / "odds" / "titles" / "duel"

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="needs a C compiler")

#: What the runtime does alone: a whole game, its log and reasons, a save, odds, bots; nothing of the compiler is there.
ALONE = """
import json, random, sys
import grognard
for name in ("lark", "yaml", "jinja2", "Cython", "filelock"):
    assert name not in sys.modules
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} is installed here")
assert not any(name.startswith("grognard.compiler.") for name in sys.modules)
engine = grognard.load("connect_four")
assert engine.backend == "compiled", engine.notices
game, picker = engine.game(seed=3), random.Random(3)
while not game.position.over:
    game.play(picker.choice(game.position.legal()))
game.save("game.json")
assert grognard.load_game("game.json").position == game.position
slow = grognard.load("connect_four", backend="interpreter").game(seed=3)
for played in game.history:
    slow.play(played.name)
assert bytes(slow.position) == bytes(game.position)
duel = grognard.load("duel")
odds = duel.weigh("clash", {"pikes": 3, "guns": 2, "foes": 4}, policy="steady").as_json()["distributions"]
print(json.dumps({"hash": game.position.hash, "why": str(game.why()), "odds": odds, "duel": duel.new_game().hash}))
"""


def _site(environment: Path) -> Path:
    return environment / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but the runtime and the wheels of two titles, unpacked as pip does."""
    base = tmp_path_factory.mktemp("alone")
    wheels = [
        *export_title("connect_four", base / "dist"),
        *export_title(str(DUEL), base / "dist"),
    ]
    venv.create(base / "venv", with_pip=False, symlinks=True)
    site = _site(base / "venv")
    shutil.copytree(
        ROOT / "runtime",
        site / "grognard",
        ignore=shutil.ignore_patterns("__pycache__", "*.h", "*.pyx", "*.pxi"),
    )
    (site / "grognard" / "generated").mkdir()
    (site / "grognard" / "generated" / "__init__.py").write_text("")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(site)
    return base


@needs_compiler
def test_the_runtime_plays_titles_that_were_built_elsewhere(alone: Path) -> None:
    python = alone / "venv" / "bin" / "python"
    done = subprocess.run([python, "-c", ALONE], cwd=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    engine = grognard.load("connect_four")
    game = grognard.load_game(alone / "game.json", engine)
    assert game.position.hash == told["hash"]
    assert str(game.why()) == told["why"]
    duel = grognard.load(DUEL)
    odds = duel.weigh("clash", {"pikes": 3, "guns": 2, "foes": 4}, policy="steady").as_json()
    assert odds["distributions"] == told["odds"]
    assert duel.new_game().hash == told["duel"]


@needs_compiler
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["titles"], 0, "Connect Four"),
        (["play", "connect_four", "--auto", "4"], 0, "4 answers so far"),
        (["replay", "game.json"], 0, "replayed and verified"),
        (["check", "connect_four"], 2, "grognard[compiler]"),
        (["play", "nothing"], 2, "there is no title"),
        (["odds", "duel", "clash", "--with", "pikes=2", "--with", "foes=2", "--policy", "steady"], 0, "%"),
    ],
)
def test_the_command_line_alone(alone: Path, words: list[str], status: int, said: str) -> None:
    python = alone / "venv" / "bin" / "python"
    command = [python, "-m", "grognard", *words]
    done = subprocess.run(
        command, cwd=alone, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@needs_compiler
def test_titles_with_the_same_rules_share_their_engine(tmp_path: Path) -> None:
    other = tmp_path / "second_duel"
    shutil.copytree(DUEL, other)
    title = other / "title.yaml"
    title.write_text(title.read_text().replace("id: duel", "id: second_duel"))
    first = export_title(str(DUEL), tmp_path / "one", odds=False)
    second = export_title(str(other), tmp_path / "two", odds=False)
    assert first[1].name == second[1].name
    assert first[0].name != second[0].name


@needs_compiler
def test_a_wheel_says_whose_it_is(tmp_path: Path) -> None:
    wheel = export_title("connect_four", tmp_path, odds=False)[0]
    with zipfile.ZipFile(wheel) as packed:
        manifest = json.loads(packed.read(f"grognard_title_connect_four/{MANIFEST}"))
        assert manifest["licence"] and manifest["provenance"]
        assert "Provenance:" in packed.read("grognard_title_connect_four/PROVENANCE.md").decode()
        names = packed.namelist()
    assert any(name.endswith("entry_points.txt") for name in names)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "cannot be loaded"),
        ('{"format": 99}', "form 99"),
        ('{"format": 1}', "damaged"),
        ("[]", "not the manifest"),
    ],
)
def test_a_broken_package_is_told_in_words(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(grognard.BrokenTitle, match=why):
        grognard.load(tmp_path)
