"""Trees kept between runs: the same as parsed ones, and never more than the user's own files are trusted."""

from __future__ import annotations

import os
import pickle
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from golden import BASE
from grognard.compiler.support import disk_cache
from grognard.compiler.syntax.from_text import treecache
from grognard.compiler.syntax.nodes import FileTree
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile

TEXT = (BASE / "base.grog").read_text(encoding="utf-8")
needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs owners and modes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path))
    return tmp_path / "trees"


def source(text: str = TEXT, path: str = "base.grog") -> SourceFile:
    return SourceFile.from_text(path, text)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("tree-*"))


def read(text: str = TEXT, path: str = "base.grog") -> FileTree:
    sink = Sink()
    asked = source(text, path)
    tree = treecache.cached_tree(asked) or treecache.parsed_tree(asked, sink)
    assert tree is not None and not sink.has_errors
    return tree


def spans(tree: FileTree) -> str:
    return repr(tree)  # unlike `==`, with every place


def test_found_is_parsed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = read()
    assert len(entries(folder)) == 1
    monkeypatch.setitem(
        sys.modules, "grognard.compiler.syntax.from_text.parse", None
    )  # a second parse would fail
    assert spans(read()) == spans(parsed)


def test_the_content_and_the_path_count(folder: Path) -> None:
    read()
    assert len(read(TEXT + "enum More: one, two\n").decls) == len(read().decls) + 1
    assert read(path="other.grog").path == "other.grog"
    assert len(entries(folder)) == 3


def test_files_with_mistakes_are_not_kept(folder: Path) -> None:
    for _ in range(2):
        sink = Sink()
        broken = source("rule r -> int = 99999999999\n")
        assert treecache.cached_tree(broken) is None
        treecache.parsed_tree(broken, sink)
        assert [d.code for d in sink] == ["GR0107"]
    assert entries(folder) == []


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign", "other object"])
def test_damaged_entries_are_made_anew(folder: Path, damage: str) -> None:
    parsed = spans(read())
    (entry,) = entries(folder)
    data = entry.read_bytes()
    if damage == "other object":
        disk_cache.write_entry(entry.name, pickle.dumps({"not": "a tree"}))
    else:
        entry.write_bytes(
            {
                "empty": b"",
                "cut": data[:-9],
                "flipped": data[:-1] + bytes([data[-1] ^ 1]),
                "foreign": b"x" * 99,
            }[damage]
        )
    assert spans(read()) == parsed
    assert entry.read_bytes() == data


@needs_owners
def test_what_others_may_write_is_not_read(folder: Path) -> None:
    read()
    (entry,) = entries(folder)
    assert disk_cache.read_entry(entry.name) is not None
    entry.chmod(0o666)
    assert disk_cache.read_entry(entry.name) is None
    entry.chmod(0o600)
    folder.chmod(0o777)
    assert disk_cache.read_entry(entry.name) is None
    folder.chmod(0o700)
    assert disk_cache.read_entry(entry.name) is not None


@needs_owners
def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    read()
    (entry,) = entries(folder)
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert disk_cache.read_entry(entry.name) is None
    assert read().decls


@needs_owners
def test_the_folder_is_private(folder: Path) -> None:
    read()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "file"))
    assert read().decls


def test_many_at_once(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda n: spans(read(TEXT + f"enum E{n % 3}: a, b\n")), range(24)))
    assert len(set(trees)) == 3 and len(entries(folder)) == 3
    assert not list(folder.glob("*.tmp"))


def test_the_oldest_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "MAX_ENTRIES", 10)
    for n in range(25):
        disk_cache.write_entry(f"tree-{n}", b"x")
    assert len(entries(folder)) <= 11
    assert disk_cache.read_entry("tree-24") == b"x"
