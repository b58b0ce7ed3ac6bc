"""Charts say what the engine runs, the rulebook page has every section with what cites it, and both print."""

from __future__ import annotations

import re
from html import unescape
from itertools import product
from pathlib import Path

import grognard
import pytest
from engines import engine_for
from grognard.aids import aids_page, book_page, coverage_chart, title_charts
from grognard.aids.tables import shown
from grognard.authoring.beginnings import new_title
from grognard.cli.main import main
from grognard.compiler_access import compile_title, declared_charts, scenario_infos, shipped_titles
from grognard.contract.charts import Chart
from grognard.contract.datablock import table_lookup
from grognard.drawing.scene import source_of
from grognard.engine import Engine
from grognard.play.coverage import Coverage, SectionCoverage, State, measure_coverage

TITLES = sorted(shipped_titles())


def charts_of(engine: Engine) -> list[Chart]:
    folder = str(engine.ruleset.about.folder)
    return title_charts(engine, declared_charts(engine.ruleset), scenario_infos(folder) or [])


def values_of(words: str, engine: Engine, domain: int | None) -> list[int]:
    """The values that the heading of a line or column stands for, read as a person does."""
    if domain is not None:
        data = source_of(engine, None).data.domains[domain]
        titles = list(data.titles or data.names)
        return [data.base + titles.index(part) for part in words.split(" / ")]
    if words == "any":
        return [-3, 0, 7]
    if words.startswith("≤ "):
        return [int(words[2:]), int(words[2:]) - 1]
    if words.endswith("+"):
        return [int(words[:-1]), int(words[:-1]) + 1]
    if (run := re.fullmatch(r"(-?\d+)–(-?\d+)", words)) is not None:
        return list(range(int(run[1]), int(run[2]) + 1))
    return [int(part) for part in words.split(", ")]


@pytest.mark.parametrize("title", TITLES)
def test_a_table_on_the_card_is_the_table_that_is_looked_up(title: str) -> None:
    engine = engine_for(title, "interpreter")
    source = source_of(engine, None)
    tables = {entry.name: entry for entry in engine.ruleset.program.tables}
    looked_up = 0
    for chart in charts_of(engine):
        if chart.sort != "table":
            continue
        declared = engine.ruleset.schema.callables[chart.name]
        assert declared.result is not None
        domains = [
            t.dom.id if t.dom is not None and t.dom.sort != "range" else None for _, t in declared.params
        ]
        for line in chart.lines:
            heads, cells = line.cells[: chart.heads], line.cells[chart.heads :]
            columns = [None] if len(domains) == 1 else list(chart.columns[chart.heads :])
            for column, cell in zip(columns, cells, strict=True):
                axes = [*heads, *([] if column is None else [column])]
                spread = [
                    values_of(words, engine, domain) for words, domain in zip(axes, domains, strict=True)
                ]
                for index in product(*spread):
                    found = table_lookup(source.data.tables[tables[chart.name].id], index)
                    if found is None:
                        # Beyond the end of an axis of any numbers.
                        continue
                    assert shown(source, declared.result, found) == cell, (chart.name, axes)
                    looked_up += 1
    judging = declared_charts(engine.ruleset).judging
    printed = {n for n, c in engine.ruleset.schema.callables.items() if c.sort == "table"} - judging
    assert looked_up or not printed


@pytest.mark.parametrize("title", TITLES)
def test_the_outline_has_every_phase_and_round_that_is_played(title: str) -> None:
    engine = engine_for(title, "interpreter")
    outline = {
        line.cells[0] for chart in charts_of(engine) if chart.sort == "sequence" for line in chart.lines
    }
    phases = {site.text for site in engine.ruleset.program.sites if site.kind == "phase"}
    for phase in phases:
        name = phase.replace(" {0}", "").replace("_", " ")
        assert any(name.casefold() in cell.casefold() for cell in outline), phase


@pytest.mark.parametrize("title", TITLES)
def test_the_book_has_each_section_with_the_lines_that_cite_it(title: str) -> None:
    engine = engine_for(title, "interpreter")
    declared = declared_charts(engine.ruleset)
    page = book_page(engine, declared, charts_of(engine), measure_coverage(engine.ruleset, ()))
    anchors = re.findall(r'<h2 id="([^"]+)">', page)
    assert len(anchors) == len(set(anchors))
    rulebook = engine.ruleset.schema.rulebook
    if rulebook is not None:
        assert len(anchors) >= len(rulebook.sections)
    plain = unescape(re.sub(r"<[^>]+>", "", page))
    assert all(text in plain for text in declared.texts.values())
    for section, spans in engine.ruleset.schema.cited.items():
        cut = {(e.file, line) for e in declared.excerpts[section] for line in e.cited}
        assert len(cut) <= len(spans)
        for excerpt in declared.excerpts[section]:
            assert excerpt.cited and all(0 < n <= excerpt.text.count("\n") + 1 for n in excerpt.cited)
            # What is marked is a line that cites the section, or the head of a declaration whose lines go on.
            if excerpt.sort == "table" and f'id="table-{excerpt.name}"' in page:
                continue
            marked = excerpt.text.split("\n")[excerpt.cited[0] - 1]
            assert marked.strip() in plain


def test_odds_to_try_stand_with_the_tables_and_modifiers_that_they_come_of() -> None:
    ruleset = compile_title("mbt")
    assert ruleset is not None
    (shot,) = declared_charts(ruleset).situations
    name, _, sections = shot
    assert name == "shot" and len(sections) == len(set(sections))
    # Its own section, the hit table's, those of modifiers of fire, the wreck's; but nothing of who moves first.
    assert {"F17", "par 4.4.3.2.3", "F14", "F16", "M13"} <= set(sections)
    assert not {"V1", "I1", "A4"} & set(sections)


def test_what_the_book_says_to_try_can_be_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    title = new_title("Ridge", tmp_path).title
    page = tmp_path / "book.html"
    assert main(["book", str(title), "--output", str(page), "--no-examples"]) == 0
    commands = set(re.findall(r"<code>grognard (odds [^<]+)</code>", page.read_text("utf-8")))
    assert commands == {"odds ridge fire"}
    capsys.readouterr()
    for command in commands:
        words = command.replace(" ridge ", f" {title} ").split()
        assert main([*words, "--with", "weapon=guns", "--with", "in_woods=1"]) == 0
    assert "41.6667 %" in capsys.readouterr().out


def test_what_bots_judge_by_is_no_chart_for_players() -> None:
    engine = engine_for("storms_of_steel", "interpreter")
    declared = declared_charts(engine.ruleset)
    tables = {entry.name for entry in engine.ruleset.program.tables}
    assert tables & declared.judging
    assert not {chart.name for chart in charts_of(engine)} & declared.judging


def test_errata_in_force_are_what_the_card_says() -> None:
    printed = charts_of(grognard.load("europe_1940", backend="interpreter", errata=[]))
    amended = charts_of(engine_for("europe_1940", "interpreter"))
    lists = [
        {line.cells[1]: line.cells[0] for line in chart.lines}
        for charts in (printed, amended)
        for chart in charts
        if (chart.sort, chart.name) == ("modifiers", "attack_value")
    ]
    assert lists[0]["artillery support"] == "+2" and lists[1]["artillery support"] == "+1"


def test_the_page_needs_nothing_beside_it_and_no_script() -> None:
    engine = engine_for("storms_of_steel", "interpreter")
    page = aids_page(engine, charts_of(engine))
    assert "<script" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    used = set(re.findall(r'<use href="#([^"]+)"', page))
    assert used and used <= set(re.findall(r'id="([^"]+)"', page))


def test_the_rulebook_by_chapters() -> None:
    def section(name: str, state: State, asserted: bool | None = None) -> SectionCoverage:
        return SectionCoverage(name, f"Title {name}", state, "", (), asserted=asserted)

    sections = (
        section("7", "encoded", True), section("7.1", "exercised"), section("7.2.1", "missing"),
        section("CB-1", "encoded", True), section("par 4.4", "missing"), section("par 4.5", "not applicable"),
        section("card 12", "exercised", False),
    )  # fmt: skip
    chart = coverage_chart(Coverage(sections, True))
    assert [line.cells for line in chart.lines] == [
        ("7", "Title 7", "3", "2", "1", "7.2.1", ""),
        ("CB", "", "1", "1", "1", "", ""),
        ("par 4", "", "1", "0", "0", "par 4.4", "1"),
        ("card", "", "1", "1", "0", "", ""),
    ]
    assert "4 of 6 sections" in chart.notes[0] and "of 2 an example" in chart.notes[0]


def test_commands_write_pages_and_say_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("aids", "book"):
        target = tmp_path / f"{command}.html"
        assert main([command, "connect_four", "--output", str(target)]) == 0
        page = target.read_text("utf-8")
        assert page.startswith("<!doctype html>") and ("Coverage of the rulebook" in page) is (
            command == "aids"
        )
        assert main([command, "connect_four", "--output", str(tmp_path / "page.doc")]) == 2
        assert main([command, "connect_four", "--output", str(tmp_path / "no" / "page.html")]) == 2
        assert main([command, "connect_fuor"]) == 2
    told = capsys.readouterr().err
    assert ".html or .pdf" in told and "connect_four" in told and "Traceback" not in told


def test_lists_of_a_card_are_told_by_what_they_are_for() -> None:
    """Dice by class and strength, read off the chart, are the cells that the rules look up; what is left out is none."""
    engine = engine_for("hot_war", "interpreter")
    position = engine.new_game()
    data = source_of(engine, None).data
    domains = {dom.name: data.domains[dom.id] for dom in engine.ruleset.schema.doms}
    chart = next(chart for chart in charts_of(engine) if chart.sort == "kind" and chart.name == "Card")
    column = chart.columns.index("dice")
    told = 0
    for number, line in enumerate(chart.lines):
        lists = dict(part.rsplit(" ", 1) for part in line.cells[column].split("; ") if part)
        for place, title in enumerate(domains["Class"].titles or domains["Class"].names):
            values = [int(value) for value in lists.get(title, "").split("/") if value]
            told += len(values)
            for strength in range(1, 11):
                dice = position.get("Card", number, "dice", place, strength)
                assert dice == (values[strength - 1] if strength <= len(values) else 0), (
                    line.cells[0],
                    title,
                )
    assert told > 100
