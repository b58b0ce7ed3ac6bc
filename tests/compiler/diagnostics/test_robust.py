"""Files from strangers: whatever they contain there is a clear message, in bounded time and memory, no traceback."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from golden import Case
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.project import MAX_INCLUDES
from grognard.support.diagnostics import (
    MAX_SHOWN,
    Diagnostic,
    Sink,
    format_text,
)

SECONDS = 10.0
MEGABYTES = 1500


def check(folder: Path, files: dict[str, str | bytes], **options: object) -> list[Diagnostic]:
    """Compile the base with these files laid over it, within the limits."""
    root = Case(folder, "", {}, "").lay_out(folder)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    sink = Sink()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    compile_title(str(root), sink, **options)  # type: ignore[arg-type]
    spent = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    text = format_text(sink.sorted(), sink.sources, color=False)
    assert spent < SECONDS, f"{spent:.1f} s"
    assert grown < MEGABYTES, f"{grown} MB"
    assert len(text) < 200_000
    return sink.sorted()


def codes(found: list[Diagnostic]) -> set[str]:
    return {d.code for d in found}


def _chain(rules: int) -> str:
    """Rules that each call the next."""
    calls = [f"rule r{n}(a: 0..9) -> 0..9 = r{n + 1}(a)\n" for n in range(rules)]
    return "".join([*calls, f"rule r{rules}(a: 0..9) -> 0..9 = a\n"])


BODY = "rule r(u: Unit) -> int\n  = "
HOSTILE: dict[str, tuple[Callable[[], str | bytes], set[str]]] = {
    "invalid UTF-8": (lambda: b"rule r -> int = 1\n\xff\xfe\xfa\n", {"GR0004"}),
    "UTF-16": (lambda: "rule r -> int = 1\n".encode("utf-16"), {"GR0004"}),
    "NUL bytes": (lambda: b"\0" * 100_000, {"GR0005"}),
    "a line of 10 MB": (lambda: "# " + "x" * 10_000_000, {"GR0006"}),
    "a line of 1 MB": (lambda: "# " + "x" * 1_000_000, {"GR0007"}),
    "a line of 1 MB without sense": (lambda: "x" * 1_000_000, {"GR0007"}),
    "10,000 brackets": (lambda: BODY + "(" * 10_000 + "1" + ")" * 10_000 + "\n", {"GR0010"}),
    "10,000 open brackets": (lambda: BODY + "(" * 10_000 + "\n", {"GR0010"}),
    "100 brackets": (lambda: BODY + "(" * 99 + "1" + ")" * 99 + "\n", set()),
    "10,000 closing brackets": (lambda: BODY + ")" * 10_000 + "\n", {"GR0104"}),
    "not not not": (lambda: BODY.replace("int", "flag") + "not " * 10_000 + "yes\n", {"GR0010"}),
    "200 times not": (lambda: BODY.replace("int", "flag") + "not " * 200 + "yes\n", set()),
    "a + a + a": (lambda: BODY + " + ".join(["1"] * 10_000) + "\n", {"GR0010"}),
    "200 sums": (lambda: BODY + " + ".join(["1"] * 200) + "\n", set()),
    "200 powers of two": (lambda: BODY + " * ".join(["2"] * 200) + "\n", set()),
    "a chain of fields": (lambda: BODY + "u" + ".at" * 10_000 + "\n", {"GR0010"}),
    "a chain of 400 rules": (lambda: _chain(400), set()),
    "a chain of 5,000 rules": (lambda: _chain(5_000), {"GR0010"}),
    "an indented line and nothing else": (lambda: "   x: 0..9", {"GR0101"}),
    "a name of 300 letters": (lambda: f'kind K from "{"n" * 300}.yaml" [1]\n  fp: 0..9\n', {"GR0001"}),
    "400 exceptions": (
        lambda: (
            "rule r(k: 0..999) -> 0..9 = 1\n"
            + "".join(f"exception to r when k is {n}\n  = {n % 9}\n" for n in range(400))
        ),
        set(),
    ),
    "a line of blanks": (lambda: "table t(a: 0..3) -> int\n" + " " * 90_000 + "x\n", {"GR0102"}),
    "a word without an end": (lambda: BODY + "a" * 90_000 + "! =\n", {"GR0101"}),
    "nested conditions": (lambda: BODY + "1 if yes else " * 120 + "1\n", set()),
    "nested blocks": (
        lambda: (
            "procedure p(u: Unit)\n"
            + "".join("  " * (n + 1) + "if u.spent\n" for n in range(55))
            + "  " * 56
            + "u.hits := 1\n"
        ),
        set(),
    ),
    "too many nested blocks": (
        lambda: "procedure p(u: Unit)\n" + "".join(" " * (n + 1) + "if u.spent\n" for n in range(300)),
        {"GR0010"},
    ),
    "100,000 declarations": (
        lambda: "".join(f"rule r{n} -> int = {n}\n" for n in range(100_000)),
        {"GR0006"},
    ),
    "100,000 bad declarations": (
        lambda: "".join(f"rul r{n} -> int = {n}\n" for n in range(100_000)),
        {"GR0006"},
    ),
    "5,000 bad declarations": (lambda: "".join(f"rul r{n} -> int = {n}\n" for n in range(5_000)), {"GR0105"}),
    "5,000 declarations": (lambda: "".join(f"rule r{n} -> int = {n}\n" for n in range(5_000)), set()),
    "10,000 members": (lambda: "enum Big: " + ", ".join(f"m{n}" for n in range(10_000)) + "\n", set()),
    "a very long name": (lambda: f"rule {'x' * 90_000} -> int = {'y' * 9_000}\n", {"GR0201"}),
    "a huge number": (lambda: BODY + "9" * 50_000 + "\n", {"GR0107"}),
    "the largest number squared": (lambda: BODY + "999999999 * 999999999 * 999999999\n", set()),
    "a huge board": (lambda: 'example "x"\n  board open 99999999999x1\n  expect yes\n', {"GR0902"}),
    "huge dice": (
        lambda: "procedure p(u: Unit)\n  roll d: 999999999d6\n  roll e: 1d99999999999\n  u.hits := d + e\n",
        {"GR0308"},
    ),
    "a huge range to choose from": (
        lambda: 'procedure p(s: Side)\n  choose n: 0..999999999 by s "how many"\n  log "{n}"\n',
        set(),
    ),
    "a huge range to run over": (lambda: BODY + "count(n in 0..999999999 where n > 3)\n", set()),
    "a huge set": (lambda: BODY + "count(set(n in 0..999999999 where n > 3))\n", set()),
    "a huge axis": (lambda: "game\n  f(0..999999999): flag\n", {"GR0611"}),
    "many huge axes": (lambda: "game\n  f(0..9999, 0..9999, 0..9999): flag\n", {"GR0611"}),
    "a table with a huge axis": (lambda: "table t(a: 0..999999999) -> int\n  1 | 1\n", {"GR0611"}),
    "a table of many axes": (
        lambda: (
            "table t("
            + ", ".join("0..99" for _ in range(5))
            + ") -> int\n  1, 1, 1, 1 | 1\n  2, 2, 2, 2 | 1\n"
        ),
        {"GR0611"},
    ),
    "many counters": (lambda: "piece Ant up to 999999999\n  at: Hex?\n", {"GR0611"}),
    "no counters": (lambda: "piece Ant up to 0\n  at: Hex?\n", {"GR0611"}),
    "a long list": (lambda: "game\n  l: list of 0..9 up to 999999999\n", {"GR0611"}),
    "many handlers": (
        lambda: (
            "event e(u: Unit)\n"
            + "".join("on e(u)\n  emit e(u)\n" for _ in range(12))
            + "procedure p(u: Unit)\n  emit e(u)\n"
        ),
        set(),
    ),
    "a menu in itself": (
        lambda: "menu m\n  m, m, m, m, shoot\nprocedure p(s: Side)\n  offer s: m\n",
        {"GR0314"},
    ),
    "a table of 100,000 bars": (lambda: "table t(a: 1..2) -> int\n  1 " + "| 1 " * 20_000 + "\n", {"GR0404"}),
    "only quotes": (lambda: '"' * 50_001, {"GR0105"}),
    "only citations": (lambda: "[" * 50_001, {"GR0010"}),
    "unclosed everything": (lambda: 'rule r(u: Unit -> int [7.1\n  = "a + (b * {c\n' * 500, {"GR0010"}),
    "white space": (lambda: " \n" * 200_000, set()),
    "a byte order mark": (lambda: b"\xef\xbb\xbfrule r -> int = 1\n", set()),
    "carriage returns": (lambda: b"rule r -> int\r\n  = 1\r\nrule q -> int\r  = 2\r", set()),
    "nothing": (lambda: "", set()),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rules(name: str, tmp_path: Path) -> None:
    make, expected = HOSTILE[name]
    found = codes(check(tmp_path, {"rules.grog": make()}))
    assert expected <= found
    if not expected:
        assert not {c for c in found if c.startswith(("GR00", "GR01"))}


YAML: dict[str, tuple[Callable[[], str], set[str]]] = {
    "a bomb": (
        lambda: (
            "a: &a [x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"{y}: &{y} [{', '.join([f'*{x}'] * 9)}]\n" for x, y in zip("abcdefgh", "bcdefghi"))
        ),
        {"GR0607"},
    ),
    "an anchor in itself": (lambda: "a: &a [*a]\n", {"GR0607"}),
    "deep nesting": (lambda: "a: " + "[" * 40_000 + "]" * 40_000 + "\n", {"GR0607"}),
    "a tag": (lambda: "!!python/object/apply:os.system ['true']\n", {"GR0601"}),
    "a huge number": (lambda: f"rifles: {{fp: {'9' * 50_000}, range: 4}}\n", {"GR0605"}),
    "many rows": (lambda: "".join(f"r{n}: {{fp: 1, range: 1}}\n" for n in range(20_000)), set()),
    "a bad escape": (lambda: 'a: "\\xZZ"\n', {"GR0601"}),
}


@pytest.mark.parametrize("name", YAML)
def test_hostile_data(name: str, tmp_path: Path) -> None:
    make, expected = YAML[name]
    assert expected <= codes(check(tmp_path, {"units.yaml": make()}))


@pytest.mark.parametrize("file", ["title.yaml", "maps/board.yaml", "scenarios/first.yaml", "rulebook.yaml"])
@pytest.mark.parametrize("text", ["", "[]", "7", "a: {b: [c]}", "name: [x]\nsections: 3\nmaps: 4\ngrid: 5\n"])
def test_data_of_another_shape(file: str, text: str, tmp_path: Path) -> None:
    assert codes(check(tmp_path, {file: text}))


def test_huge_maps(tmp_path: Path) -> None:
    text = "grid: {columns: 99999999, rows: 99999999}\n"
    assert codes(check(tmp_path, {"maps/board.yaml": text}))


def test_long_chains_of_includes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"rules.grog": 'use "parts/p0.grog"\n'}
    for n in range(200):
        files[f"parts/p{n}.grog"] = f'use "p{n + 1}.grog"\nenum E{n}: a{n}\n'
    files["parts/p200.grog"] = "enum Last: z\n"
    found = check(tmp_path, files)
    assert codes(found) == {"GR0010"} and str(MAX_INCLUDES) in found[0].message


def test_each_file_is_read_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.grog": 'use "parts/common.grog"\nuse "b.grog"\n',
        "b.grog": 'use "parts/common.grog"\n',
        "parts/common.grog": "enum Common: x, y\nrule is_x(c: Common) -> flag = c is x\n",
    }
    assert check(tmp_path, files) == []


def test_many_errors_are_counted(tmp_path: Path) -> None:
    text = "".join(f"rule r{n}(u: Unit) -> int = u.nothing{n}\n" for n in range(MAX_SHOWN + 31))
    found = check(tmp_path, {"rules.grog": text})
    assert len(found) == MAX_SHOWN + 1
    assert found[-1].code == "GR0000" and found[-1].message == "31 more not shown"


def test_unknown_errata(tmp_path: Path) -> None:
    text = 'errata "living rules" 2009-03-01\n  add to enum Order: wait\n'
    found = check(tmp_path, {"rules.grog": text}, errata=["living rulse"])
    assert [(d.code, d.hint) for d in found] == [("GR0508", "did you mean `living rules`?")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_not_a_file(tmp_path: Path) -> None:
    root = Case(tmp_path, "", {}, "").lay_out(tmp_path)
    os.mkfifo(root / "pipe.grog")
    (root / "folder.grog").mkdir()
    (root / "loop.grog").symlink_to(root / "loop.grog")
    (root / "out.grog").symlink_to("/etc/hostname")
    sink = Sink()
    compile_title(str(root), sink)
    assert codes(sink.sorted()) >= {"GR0002", "GR0003"}


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
@pytest.mark.parametrize("target", ["units.yaml", "/etc/hostname", "nowhere.yaml"])
def test_links_of_data_that_lead_nowhere(tmp_path: Path, target: str) -> None:
    root = Case(tmp_path, "", {}, "").lay_out(tmp_path)
    (root / "units.yaml").unlink()
    (root / "units.yaml").symlink_to(target)
    sink = Sink()
    compile_title(str(root), sink)
    assert codes(sink.sorted()) == {"GR0003"}


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
@pytest.mark.parametrize("name", ["examples", "errata", "rulebook.yaml", "look.yaml", "mutants.yaml"])
@pytest.mark.parametrize("target", ["nowhere", "/etc"])
def test_links_are_not_passed_over(tmp_path: Path, name: str, target: str) -> None:
    root = Case(tmp_path, "", {}, "").lay_out(tmp_path)
    (root / name).symlink_to(target)
    sink = Sink()
    compile_title(str(root), sink)
    assert codes(sink.sorted()) == {"GR0003"}
    assert name in next(iter(sink)).message


@pytest.mark.parametrize("where", ["", ".", "no such title", "\0", "x" * 5000, "/"])
def test_titles_that_are_none(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sink = Sink()
    assert compile_title(where, sink) is None
    assert codes(sink.sorted()) == {"GR0001"}
