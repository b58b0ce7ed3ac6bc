"""What a warm start does without: files read again, the front end, the interpreter, a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build import build
from grognard.compiler.driver import ruleset_cache as bundle
from grognard.compiler.store import digests
from grognard.compiler.store.digests import digests_of
from grognard.support.diagnostics import Sink

NOT_NEEDED = [
    "lark",
    "yaml",
    "jinja2",
    "Cython",
    "filelock",
    "grognard.interpreter.machine",
    "grognard.compiler.syntax.nodes",
    "grognard.compiler.syntax.from_text.parse",
    "grognard.compiler.sema.symbols",
    "grognard.compiler.sema.declare.declare",
    "grognard.compiler.data.load",
    "grognard.compiler.driver.pipeline",
    "grognard.compiler.cython.modules",
    "grognard.compiler.build.build",
]
WARM = """
import sys
import grognard
engine = grognard.load("connect_four")
engine.new_game().legal()
print(engine.backend, *(name for name in sys.argv[1:] if name in sys.modules))
"""
RULES = """\
sides red, blue
table result(total: 0..20) -> 0..9
  0..9   | 0
  10..20 | 1
rule outcome(total: 0..20) -> 0..9 = result(total)
action stand
  pass
sequence
  alternate p from red until all pass
    offer p: stand
"""


@pytest.mark.skipif(build.compiler_available() is not None, reason="no C compiler")
def test_a_warm_start_imports_only_what_plays() -> None:
    grognard.load("connect_four").new_game()
    run = subprocess.run(
        [sys.executable, "-c", WARM, *NOT_NEEDED], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["compiled"]


@pytest.fixture
def title(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "title.yaml").write_text("name: Small\nscenario: s\n", encoding="utf-8")
    (folder / "game.grog").write_text(RULES, encoding="utf-8")
    (folder / "scenarios" / "s.yaml").write_text("name: s\n", encoding="utf-8")
    return folder


@pytest.mark.skipif(build.compiler_available() is not None, reason="no C compiler")
def test_a_changed_cell_needs_no_compiler(title: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = grognard.load(title, backend="compiled")
    assert before.call("outcome", [12]) == 1
    monkeypatch.setattr(build, "_make", lambda *_: pytest.fail("nothing may be compiled"))
    rules = title / "game.grog"
    rules.write_text(RULES.replace("10..20 | 1", "10..20 | 7"), encoding="utf-8")
    after = grognard.load(title, backend="compiled")
    assert (before.call("outcome", [12]), after.call("outcome", [12])) == (1, 7)
    assert after.call("outcome", [3]) == 0
    # The new row is everywhere where the old one was.
    ruleset = after.ruleset
    declared = ruleset.symbols.callables["result"].decl
    assert any(decl is declared for _, decl in ruleset.merged.decls)


def test_what_is_read_later_is_what_was_compiled(
    title: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    made, kept = (bundle.load_ruleset(str(title), Sink()) for _ in range(2))
    assert made is not None and kept is not None and made is not kept
    assert kept.program == made.program
    assert kept.merged.decls == made.merged.decls
    assert [f.name for f in kept.symbols.fields] == [f.name for f in made.symbols.fields]
    assert kept.symbols.callables.keys() == made.symbols.callables.keys()
    for name, entry in made.symbols.callables.items():
        assert kept.symbols.callables[name].decl == entry.decl
    assert kept.symbols.handlers_of.keys() == made.symbols.handlers_of.keys()
    with pytest.raises(AttributeError):
        _ = kept.symbols.nothing_of_the_kind  # type: ignore[attr-defined]


# ---------------------------------------------------------------------------------------- what files hold


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "a.yaml"
    path.write_text("one", encoding="utf-8")
    return path


def whole(path: Path) -> str:
    found = digests_of([str(path)], "test")
    assert found is not None
    return found[str(path)].whole


def test_a_file_at_rest_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "AT_REST", -(10**12))
    first = whole(file)
    with monkeypatch.context() as patch:
        patch.setattr(digests, "_read", lambda *_: pytest.fail("it has not changed"))
        assert whole(file) == first
    # Touched, it is read, and found to be the same.
    os.utime(file)
    assert whole(file) == first


def test_the_same_size_and_time_do_not_hide_a_change(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "AT_REST", -(10**12))
    first, status = whole(file), file.stat()
    file.write_text("two", encoding="utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert whole(file) != first


def test_a_clock_that_stands_still_does_not_hide_a_change(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "stamp_from", lambda status: (status.st_size, 0, 0, 0))
    first = whole(file)
    file.write_text("two", encoding="utf-8")
    assert whole(file) != first
