"""Building and the build cache: what is found, what is built anew, and what happens at the same time."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engines import engine_for
from grognard.compiler.build import build
from grognard.compiler.build.build import (
    BuildError,
    BuildUnavailable,
    build_engine,
    build_key,
    compiler_available,
    compiler_command,
)
from grognard.compiler.build.cache import BuildCache
from grognard.compiler.build.cythonize import Translators
from grognard.compiler.build.includes import binding_source, needed, read_includes
from grognard.compiler.cython import modules
from grognard.compiler.cython.in_c import routine_in_c
from grognard.compiler.cython.modules import (
    MODULE_NAME,
    Part,
    SourceFile,
    emit_source,
    emit_sources,
)
from grognard.contract import ir
from grognard.kernels import include_dir
from grognard.support.content_cache import RECORD, content_key
from grognard.support.userdirs import cache_dir, engines_dir

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))


def tiny(value: int = 7) -> ir.Program:
    """A program with one function."""
    function = ir.Function(0, "lucky number", 0, (), ir.IntType(), (ir.Return(ir.Const(value)),), 0, True)
    machine = ir.Machine(0, "main", 0, (), False, (ir.Block((), ir.ReturnMachine()),), 0)
    site = ir.Site(0, "rule", "luck", "tiny.grog", 12, 1, ("3.14",))
    domain = ir.Domain(0, "side", "side")
    return ir.Program("tiny", (domain,), (), (), (), (), (site,), (function,), (machine,), (), (), (), 0)


class Maker:
    """Makes entries that are plain files, and counts them."""

    def __init__(self, content: bytes = b"module") -> None:
        self.made = 0
        self.content = content

    def __call__(self, work: Path) -> Path:
        self.made += 1
        path = work / "module.so"
        path.write_bytes(self.content)
        return path


# ------------------------------------------------------------------------------------------------- cache


def test_an_entry_is_made_once(tmp_path: Path) -> None:
    cache, make = BuildCache(tmp_path), Maker()
    assert cache.find("k") is None
    first = cache.get("k", make)
    assert cache.get("k", make) == first == cache.find("k")
    assert make.made == 1
    assert first.read_bytes() == b"module"


@pytest.mark.parametrize("damage", ["changed", "cut", "gone", "no record", "bad record"])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: str) -> None:
    cache, make = BuildCache(tmp_path), Maker()
    path = cache.get("k", make)
    match damage:
        case "changed":
            path.write_bytes(b"modulf")
        case "cut":
            path.write_bytes(b"mod")
        case "gone":
            path.unlink()
        case "no record":
            (path.parent / RECORD).unlink()
        case _:
            (path.parent / RECORD).write_text("{", encoding="utf-8")
    assert cache.find("k") is None
    assert cache.get("k", make).read_bytes() == b"module"
    assert make.made == 2


@pytest.mark.skipif(os.name != "posix", reason="owners and modes of files are those of Unix")
def test_what_others_could_have_written_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, make = BuildCache(tmp_path / "cache"), Maker()
    entry = cache.get("k", make).parent
    entry.chmod(0o777)
    assert cache.find("k") is None
    assert cache.get("k", make).parent.stat().st_mode & 0o077 == 0 and make.made == 2
    cache.root.chmod(0o777)
    assert cache.find("k") is None
    # A module that the record looks for elsewhere, where anybody may have put it.
    cache.root.chmod(0o700)
    record = (entry / RECORD).read_text(encoding="utf-8")
    (tmp_path / "module.so").write_bytes(make.content)
    (entry / RECORD).write_text(record.replace("module.so", "../../module.so"), encoding="utf-8")
    assert cache.find("k") is None
    # A cache that was made under a mask for groups is closed when an engine is built.
    monkeypatch.setenv("GROGNARD_CACHE", str(cache.root))
    cache.root.chmod(0o775)
    assert engines_dir() == (cache.root, None)
    assert cache.root.stat().st_mode & 0o022 == 0


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path)

    def fail(work: Path) -> Path:
        (work / "half").write_text("x", encoding="utf-8")
        raise BuildError("no")

    with pytest.raises(BuildError):
        cache.get("k", fail)
    assert [path.name for path in tmp_path.iterdir()] in ([], ["k.lock"])
    assert cache.get("k", Maker()).exists()


def test_threads_that_want_the_same_wait_for_one(tmp_path: Path) -> None:
    cache, make = BuildCache(tmp_path), Maker()
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(cache.get("k", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
    assert make.made == 1


def test_keys_tell_contents_apart() -> None:
    assert content_key(["ab", "c"]) != content_key(["a", "bc"])
    assert content_key(["ab"]) == content_key([b"ab"])


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.delenv("GROGNARD_CACHE")
    assert cache_dir().name == "grognard"


# ------------------------------------------------------------------------------------------------ sources


def test_source_names_the_rule_and_its_section() -> None:
    text = emit_source(tiny())
    assert "# function lucky number (tiny.grog:12) [3.14]" in text
    assert "f_lucky_number" in text


def test_names_cannot_break_out_of_the_source() -> None:
    program = tiny()
    nasty = dataclasses.replace(program.functions[0], name='x\nimport os\n"""\\ def')
    text = emit_source(dataclasses.replace(program, functions=(nasty,), name="a\n\x0cimport os\r#"))
    assert not any(line.strip().startswith("import") for line in text.splitlines())


def test_source_holds_no_sizes_of_data() -> None:
    """The same program for more sides, rows or hexes is the same text: data is loaded, not compiled."""
    assert emit_sources(tiny()) == emit_sources(tiny())


def test_a_large_program_is_split() -> None:
    program = tiny()
    functions = tuple(dataclasses.replace(program.functions[0], id=n, name=f"f{n}") for n in range(100))
    large = dataclasses.replace(program, functions=functions)
    parts = emit_sources(large, part_lines=30)
    assert len(parts) > 2
    assert len({part.name for part in parts}) == len(parts)
    assert sum(part.text.count("\nint32_t f_f") for part in parts) == 100


def test_an_engine_includes_nothing_of_odds_and_bots() -> None:
    """So a change there builds no title anew."""
    found, every = needed(read_includes(), emit_sources(tiny())), needed(read_includes(), [binding_source()])
    for name in ("outcomes.h", "transition_cache.h", "attrition.h", "rollout.h", "engine.pxi"):
        assert name not in found and name in every
    assert found.keys() < every.keys() == read_includes().keys()


@needs_compiler
def test_each_header_compiles_by_itself(tmp_path: Path) -> None:
    headers = sorted(Path(include_dir()).glob("*.h"))
    (tmp_path / "all.c").write_text("int nothing;\n", encoding="utf-8")
    strict = [
        "-std=gnu11",
        "-fsyntax-only",
        "-Wall",
        "-Werror",
        "-Wno-unused-function",
        "-Wno-unused-variable",
    ]
    for header in headers:
        command = [*compiler_command(), *strict, "-include", str(header), str(tmp_path / "all.c")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr


# ------------------------------------------------------------------------------------------------- builds


@needs_compiler
def test_the_key_covers_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = emit_sources(tiny())
    key = build_key(sources)
    assert key == build_key(sources)
    assert key != build_key(sources, flavour="sanitized")
    kernels = read_includes()
    assert key == build_key(sources, includes=kernels)
    assert key != build_key(sources, includes={**kernels, "engine.h": kernels["engine.h"] + b"\n"})
    assert key != build_key([SourceFile(sources[0].name, sources[0].text + "#")])
    assert key != build_key([*sources, SourceFile("more.pyx", "")])
    with monkeypatch.context() as patch:
        patch.setattr(build, "FLAGS", (*build.FLAGS, "-DX"))
        assert key != build_key(sources)
    with monkeypatch.context() as patch:
        patch.setattr("Cython.__version__", "0")
        assert key != build_key(sources)
    with monkeypatch.context() as patch:
        patch.setenv("CC", "cc -DX")
        assert key != build_key(sources)


@needs_compiler
def test_a_module_is_built_once_and_loaded_from_the_cache(tmp_path: Path) -> None:
    said: list[str] = []
    program = tiny(8)
    module = build_engine(program, progress=said.append, cache=BuildCache(tmp_path))
    assert any(" lines in 1 part(s)" in line for line in said)
    said.clear()
    assert build_engine(program, progress=said.append, cache=BuildCache(tmp_path)) is module
    assert said == []
    assert module.__name__.endswith(MODULE_NAME)
    other = build_engine(tiny(9), cache=BuildCache(tmp_path))
    assert other is not module and other.__name__ != module.__name__


@needs_compiler
def test_a_changed_function_compiles_its_part_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "emit_sources", partial(emit_sources, part_lines=100))
    monkeypatch.setenv("GROGNARD_QUICK", "1")
    longer = (*(ir.Yield(ir.Const(n)) for n in range(2)), ir.Return(ir.Const(8)))
    said: list[str] = []
    written: list[str] = []

    def noted(params: str, body: Sequence[Any]) -> list[str]:
        written.append(params)
        return routine_in_c(params, body)

    monkeypatch.setattr(modules, "routine_in_c", noted)
    for body in (tiny().functions[0].body, longer):
        functions = tuple(
            dataclasses.replace(
                tiny().functions[0], id=n, name=f"f{n}", **({"body": body} if n == 125 else {})
            )
            for n in range(300)
        )
        program = dataclasses.replace(tiny(), functions=functions)
        said.clear()
        written.clear()
        build_engine(program, progress=said.append, cache=BuildCache(tmp_path))
    parts = len(emit_sources(program, part_lines=100))
    assert parts > 2
    assert any(f"in 1 part(s) ({parts - 1} of {parts} parts are as before)" in line for line in said), said
    # The other parts were not even written as C.
    assert 0 < len(written) < 100
    # The kernels' headers were read once, for the many parts of the first build and for the one of the second.
    assert len(list(tmp_path.glob("*/engine.h.gch"))) == 1


@needs_compiler
def test_machines_have_parts_of_their_own() -> None:
    """They are compiled in less time, and functions never are."""
    program = engine_for("mbt", "interpreter").ruleset.program
    parts = [source for source in emit_sources(program) if isinstance(source, Part)]
    of_machines = [part for part in parts if part.between_questions]
    assert 0 < len(of_machines) < len(parts)
    for part in parts:
        routines = re.findall(r"(?m)^(?:void|int32_t) (\w+)\(.*\{$", part.text)
        prefixes = ("m_", "offer_", "take_", "frameless_")
        assert part.stem.endswith("_dispatch") or {name.startswith(prefixes) for name in routines} == {
            part.between_questions
        }
    flags = {build_key([dataclasses.replace(of_machines[0], between_questions=on)]) for on in (True, False)}
    assert len(flags) == 2
    quick = {
        build_key([dataclasses.replace(of_machines[0], between_questions=on)], flavour="quick")
        for on in (True, False)
    }
    assert len(quick) == 1


BUILD = """
import sys, dataclasses
from pathlib import Path
from grognard.compiler.build.cache import BuildCache
from grognard.compiler.build.build import build_engine
sys.path.insert(0, {tests!r})
from test_build import tiny
module = build_engine(tiny(10), cache=BuildCache(Path({root!r})))
print("built", module.SHAPE)
"""


@needs_compiler
def test_two_processes_build_the_same_at_once(tmp_path: Path) -> None:
    code = BUILD.format(tests=str(Path(__file__).parent), root=str(tmp_path))
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for run in runs:
        out, err = run.communicate(timeout=300)
        assert run.returncode == 0, err
        assert out.startswith("built")
    entries = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(entries) == 2  # the engine and the binding
    # Damage one entry: the next process builds it anew.
    for entry in entries:
        for module in entry.glob("*.so"):
            module.write_bytes(module.read_bytes()[:-1])
    again = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert again.returncode == 0, again.stderr


@needs_compiler
def test_code_that_does_not_compile_is_reported(tmp_path: Path) -> None:
    bad, store = [SourceFile("bad.pyx", "cdef int x = ")], BuildCache(tmp_path / "cache")
    with Translators() as translators:
        with pytest.raises(BuildError, match=r"failed(.|\n)*bad\.pyx:1:13"):
            build._module(bad, "bad", store, {}, "fast", lambda text: None, translators)
        assert not [path for path in store.root.iterdir() if path.is_dir()]
        # What one file did wrong does not harm the next, which the same process translates.
        (tmp_path / "good.pyx").write_text("cdef int x = 1\n", encoding="utf-8")
        translators.translate(tmp_path / "good.pyx")
    assert (tmp_path / "good.c").exists()


def test_no_compiler_is_a_reason_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler-anywhere")
    reason = compiler_available()
    assert reason is not None
    with pytest.raises(BuildUnavailable):
        build_engine(tiny())


def test_no_cython_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Cython", None)
    reason = compiler_available()
    assert reason is not None and (os.name == "nt" or "Cython" in reason)
