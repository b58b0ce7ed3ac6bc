"""A page for each shipped title, made of its data while the site is built: map, scenarios, figures, charts.

Nothing of it is kept in the repository.  With GROGNARD_DOCS_BOOKS=1 the living rulebooks are made, too: all examples of play are
run for them, which takes minutes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grognard.contract.titles import ScenarioInfo, TitleInfo
    from grognard.play.coverage import Coverage

#: where the pages are on the site
FOLDER = "games"
INDEX = f"{FOLDER}/index.md"


def title_files() -> dict[str, str]:
    """The files by their paths on the site: a page with a map, charts and a rulebook for each title, and a list of all."""
    from grognard.compiler_access import library_info, shipped_titles

    shipped = shipped_titles()
    known = {info.id: info for info in library_info()}
    files = {INDEX: _index([known[name] for name in shipped])}
    for name, folder in shipped.items():
        files |= _files_of(known[name], folder)
    return files


def title_nav() -> list[str]:
    """The pages in their order."""
    from grognard.compiler_access import shipped_titles

    return [INDEX, *(page_of(name) for name in shipped_titles())]


def page_of(name: str) -> str:
    return f"{FOLDER}/{name}.md"


def _index(titles: Sequence[TitleInfo]) -> str:
    rows = [
        f"| [{title.name}]({title.id}.md) | {title.series or '–'} | {len(title.scenarios)} | {_cell(title.about)} |"
        for title in titles
    ]
    head = (
        "# Titles\n\nThe titles that come with Grognard. Their pages are made of the rules and data that run."
    )
    return "\n".join([head, "", "| title | series | scenarios | |", "| --- | --- | --- | --- |", *rows, ""])


def _files_of(info: TitleInfo, folder: Path) -> dict[str, str]:
    from grognard.aids import aids_page, book_page, coverage_chart, title_charts
    from grognard.compiler_access import declared_charts, load_ruleset, scenario_infos
    from grognard.drawing import draw_map
    from grognard.engine import Engine
    from grognard.play.coverage import exercised_by, measure_coverage
    from grognard.play.examples import run_examples
    from grognard.play.mutation.score import read_record
    from grognard.support.diagnostics import Sink, format_text

    books = os.environ.get("GROGNARD_DOCS_BOOKS") == "1"
    sink = Sink()
    ruleset = load_ruleset(str(folder), sink, examples=books)
    if ruleset is None or sink.has_errors:
        raise SystemExit(format_text(sink.sorted(), sink.sources, False))
    engine = Engine(ruleset, backend="interpreter")
    scenarios = scenario_infos(str(folder)) or []
    declared = declared_charts(ruleset)
    charts = title_charts(engine, declared, scenarios, None)
    recorded = read_record(ruleset)
    exercised = exercised_by(ruleset, run_examples(ruleset, "interpreter")) if books else ()
    coverage = measure_coverage(ruleset, exercised, recorded.sections if recorded is not None else None)
    start = f"{FOLDER}/{info.id}"
    files = {
        f"{start}.md": "\n".join(_page(info, scenarios, coverage, books)),
        f"{start}.svg": draw_map(engine, None, ""),
        f"{start}-aids.html": aids_page(engine, [*charts, coverage_chart(coverage)], None, False),
    }
    if books:
        files[f"{start}-book.html"] = book_page(engine, declared, charts, coverage)
    return files


def _page(
    info: TitleInfo, scenarios: Sequence[ScenarioInfo], coverage: Coverage, books: bool
) -> Iterator[str]:
    yield f"# {info.name}\n"
    yield f"{info.about}\n"
    facts = [f"Series: {info.series}."] if info.series else []
    facts += [f"Edition: {info.edition}."] if info.edition else []
    if facts:
        yield " ".join(facts) + "\n"
    yield f"![The map of {info.name}]({info.id}.svg)\n"
    yield f"- [Charts for beside the board]({info.id}-aids.html): tables, modifiers, sequence of play, counters (`grognard aids {info.id}`)"
    book = f"[The living rulebook]({info.id}-book.html)" if books else "The living rulebook"
    yield f"- {book}: each section with what carries it out (`grognard book {info.id}`)"
    yield f"- Play: `grognard play {info.id} --against greedy`, in the browser `grognard serve {info.id}`\n"
    yield "## Scenarios\n"
    yield "| scenario | | how it plays |"
    yield "| --- | --- | --- |"
    for scenario in scenarios:
        about = f"{scenario.name}. {scenario.about}" if scenario.about else scenario.name
        yield f"| `{scenario.id}` | {_cell(about)} | {_cell(_balance(scenario.balance))} |"
    yield "\n## How far it is written\n"
    words = f"{coverage.encoded} of {coverage.rules} sections of the rulebook that are rules are encoded."
    if books:
        words += f" Examples of play run {coverage.exercised} of them."
    if coverage.asserted is not None:
        words += f" {coverage.asserted} are proved: an example notices when they are changed."
    yield words
    yield ""


def _balance(balance: dict[str, str]) -> str:
    if not balance:
        return "not measured"
    ended = ", ".join(f"{key} {n}" for key, n in balance.items() if key not in ("bot", "games", "seed"))
    return f"{ended} of {balance.get('games')} games ({balance.get('bot')})"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
