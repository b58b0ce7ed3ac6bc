"""The site builds strictly: no broken link, anchor or page outside the navigation, and nothing fetched from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from grognard.compiler_access import shipped_titles
from grognard.play.catalogue import scenarios_of

ROOT = Path(__file__).resolve().parents[2]
FETCHED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_hooks", ROOT / "docs" / "site" / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_and_every_readme_can_be_found(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    docs = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")]
    wanted = {*docs, *hooks().OUTSIDE, *hooks().readmes(), *hooks().title_pages().title_nav()}
    assert {uri.removesuffix("index.md").removesuffix(".md").rstrip("/") for uri in wanted} == {
        location.rstrip("/") for location in found
    }


def test_every_shipped_title_has_a_page_made_of_its_data(site: Path) -> None:
    for name in shipped_titles():
        page = (site / "games" / name / "index.html").read_text(encoding="utf-8")
        assert f'src="../{name}.svg"' in page and f'href="../{name}-aids.html"' in page, name
        assert (site / "games" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
    page = (site / "games" / "storms_of_steel" / "index.html").read_text(encoding="utf-8")
    scenarios = scenarios_of("storms_of_steel") or []
    assert len(scenarios) > 3 and all(f"<code>{scenario.id}</code>" in page for scenario in scenarios)
    measured = next(scenario for scenario in scenarios if scenario.balance)
    assert f"of {measured.balance['games']} games" in page
    # The charts stand by themselves, with the numbers of the data.
    charts = (site / "games" / "mbt-aids.html").read_text(encoding="utf-8")
    assert "<table" in charts and "not found" not in charts


def test_snippets_have_colours(site: Path) -> None:
    page = (site / "language" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="k">modifiers</span>', page)


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = list(site.glob("**/*.html"))
    assert len(pages) > 10
    for page in pages:
        assert FETCHED.findall(page.read_text(encoding="utf-8")) == [], page
    for sheet in site.glob("**/*.css"):
        assert not re.search(r"url\((?!['\"]?data:)['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), (
            sheet
        )


def test_links_work_in_the_repository_and_on_the_site() -> None:
    """To pages and READMEs: to the page; to other files: the bare text; to what is not there: left for the strict build."""
    page = SimpleNamespace(file=SimpleNamespace(src_uri="architecture.md"))
    text = "[a](glossary.md#ir) [b](../compiler/README.md) [c](../setup.py) [d](../no/such.md) `[e](x)`"
    made = hooks().on_page_markdown(text, page, None, None)
    assert made == "[a](glossary.md#ir) [b](packages/compiler.md) c [d](../no/such.md) `[e](x)`"
