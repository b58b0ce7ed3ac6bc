"""Every code block in docs/ is tried, or says why not.

Snippets of the language are compiled in their surroundings.  The blocks of a page that is worked through are tried in their
order, in one folder: files are written, Python is run in one namespace, commands in a shell, and what they print
is compared with what the page shows."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest
from grognard.compiler.driver.pipeline import compile_title
from grognard.play.examples import run_example
from grognard.support.diagnostics import Sink, format_text
from snippets import DOCS, Block, blocks, write_surrounded

PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.glob("**/*.md"))
BLOCKS = [block for page in PAGES for block in blocks(page)]
SNIPPETS = [block for block in BLOCKS if block.says("with")]
#: pages that are worked through, and the folder that their files are in
WORKED = {
    "tutorial.md": "hill200",
    "embedding.md": ".",
    "commands.md": ".",
    "language.md": ".",
    "architecture.md": ".",
    "titles.md": ".",
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_every_block_is_tried_or_says_why_not() -> None:
    assert [block.name for block in BLOCKS if not tried(block)] == []


def tried(block: Block) -> bool:
    if (
        block.says("not run") or block.says("apply") or block.says("with the diff")
    ):  # test_added_statement.py has these two
        return True
    if block.language in ("grog", "yaml") and block.says("with"):
        return True
    if block.page not in WORKED:
        return False
    return block.language in ("python", "console") or (
        block.language in ("grog", "yaml") and bool(block.file)
    )


@pytest.mark.parametrize("block", SNIPPETS, ids=lambda block: block.name)
def test_snippets_compile(block: Block, tmp_path: Path) -> None:
    title = write_surrounded(tmp_path / "title", str(block.says("with")), block.text)
    sink = Sink()
    ruleset = compile_title(str(title), sink)
    assert ruleset is not None and not sink.has_errors, format_text(sink.sorted(), sink.sources, False)
    for example in ruleset.examples:
        result = run_example(ruleset, example, "interpreter")
        assert result.passed, result.failures


@pytest.mark.parametrize("page", WORKED)
def test_pages_can_be_worked_through(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        if any(block.says(other) for other in ("not run", "with", "apply", "with the diff")):
            continue
        if block.file:
            path = tmp_path / WORKED[page] / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text(encoding="utf-8") if block.added else ""
            path.write_text(before + block.text, encoding="utf-8")
        elif block.language == "python":
            run_python(block, names)
        else:
            run_commands(block, tmp_path)


def run_python(block: Block, names: dict[str, object]) -> None:
    example = doctest.DocTestParser().get_doctest(block.text, names, block.name, block.name, block.line)
    assert example.examples, f"{block.name}: no example"
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert result.failed == 0, "".join(said)


def run_commands(block: Block, folder: Path) -> None:
    """`$ command`, which a backslash may continue, and below it what it prints, if that is shown."""
    status = int(block.says("status") or 0)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for part in ("\n" + block.text).split("\n$ ")[1:]:
        lines = part.split("\n")
        last = next(number for number, line in enumerate(lines) if not line.endswith("\\"))
        command, shown = "\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :]).strip()
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, f"{block.name}: {command}\n{done.stdout}{done.stderr}"
        if shown:
            checker = doctest.OutputChecker()
            assert checker.check_output(shown + "\n", done.stdout, FLAGS), (
                f"{block.name}: {command}\n{done.stdout}"
            )
