"""Mutants: each means what its diff says, is noticed where an example asserts the rule, and survives where none does."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from engines import SKIRMISH
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.project import open_project
from grognard.compiler.mutate.mutants import equivalents, mutants_of
from grognard.contract import ir
from grognard.contract.ir.verify import verify
from grognard.contract.mutants import KINDS, Equivalent, Mutant, Mutants, edited
from grognard.play.coverage import measure_coverage
from grognard.play.examples import run_examples
from grognard.play.mutation.score import Score, read_record, record, score
from grognard.play.mutation.selection import changed_lines, in_file, sample, since
from grognard.play.mutation.trial import Trial, trials
from grognard.support.diagnostics import Sink

WARGAMES = ("europe_1940", "hot_war", "mbt", "storms_of_steel", "strait")
TWINS = SKIRMISH.parent / "twins"
#: The loops of both twins never end without these lines, which is noticed whoever looks.
RUNAWAY = {"left := left - 1", "while left > 0"}


def found_in(folder: Path) -> Mutants:
    sink = Sink()
    found = mutants_of(str(folder), sink)
    assert found is not None, [d.message for d in sink]
    return found


@cache
def twins() -> tuple[Mutants, Trial]:
    found = found_in(TWINS)
    return found, Trial(found.ruleset)


@cache
def twins_score() -> Score:
    found, trial = twins()
    return score([trial.run(mutant) for mutant in found.mutants], found.mutants, found.equivalent)


def is_tested(mutant: Mutant) -> bool:
    return mutant.owner.lower().startswith("tested")


def test_every_kind_is_noticed_where_it_is_asserted_and_survives_where_it_is_not() -> None:
    made = twins_score()
    assert {v.mutant.kind for v in made.killed if is_tested(v.mutant)} == set(KINDS)
    assert not [v.mutant for v in made.survived if is_tested(v.mutant)]
    survivors = [v for v in made.survived if v.mutant.owner.lower().startswith("untested")]
    assert {v.mutant.kind for v in survivors} == set(KINDS)
    noticed = {v.mutant.before.strip() for v in made.killed if not is_tested(v.mutant)}
    assert noticed <= RUNAWAY and "left := left - 1" in noticed
    # Nothing is run twice for nothing: what no example reaches is not tried.
    assert {v.mutant.owner for v in made.survived if not v.candidates} == {"unread", "sequence"}


def test_numbers_behind_a_minus_are_changed_too() -> None:
    found, _ = twins()
    lines = {(mutant.kind, mutant.after.strip()) for mutant in found.mutants}
    for number in ("-2", "-4"):
        assert ("constant", f"= {number} when n is 9 or n is 8") in lines
    assert ("sign", "= 3 when n is 9 or n is 8") in lines
    assert {("constant", "tally -= 49"), ("constant", "tally -= 51"), ("sign", "tally += 50")} <= lines


def test_equivalent_mutants_are_counted_apart() -> None:
    found, trial = twins()
    made = twins_score()
    assert [known.why for _, known in made.equivalent] == [known.why for known in found.equivalent]
    assert made.valid + len(made.equivalent) == len(found.mutants) and not made.stale and not made.refuted
    # A record whose line is gone is stale, one that an example notices is refuted and counts as noticed.
    gone = replace(found.equivalent[0], before="= 1 otherwise")
    wrong = replace(found.equivalent[1], after="= n / 1 rounded up + 20 when any(m in 1..2 where m is n)")
    again = score([trial.run(m) for m in found.mutants if m.line == 31], found.mutants, [gone, wrong])
    assert again.stale == [gone]
    assert [known for _, known in again.refuted] == [wrong] and not again.equivalent
    assert again.refuted[0][0] in again.killed


def test_a_mutant_means_what_its_diff_says(tmp_path: Path) -> None:
    """Write each change into the file: the title is refused, or its examples say the same as of the mutant."""
    made = twins_score()
    lines = (TWINS / "game.grog").read_text(encoding="utf-8").splitlines()
    shutil.copytree(TWINS, tmp_path / "twins")
    compared: Counter[str] = Counter()
    everyone = [*made.killed, *made.survived, *(v for v, _ in made.equivalent)]
    for verdict in everyone:
        mutant = verdict.mutant
        if mutant.file != "game.grog" or mutant.kind == "column":
            continue
        old, new = mutant.before.splitlines(), mutant.after.splitlines()
        start = mutant.line - 1
        assert lines[start : start + len(old)] == old
        text = "\n".join([*lines[:start], *new, *lines[start + len(old) :]]) + "\n"
        (tmp_path / "twins" / "game.grog").write_text(text, encoding="utf-8")
        ruleset = compile_title(str(tmp_path / "twins"))
        if ruleset is None or ruleset.sink.has_errors or "left" in mutant.before:
            continue
        noticed = not all(result.passed for result in run_examples(ruleset, "interpreter"))
        assert noticed == verdict.killed, mutant
        compared[mutant.kind] += 1
    # Without its row a table has a gap, which is refused.
    assert set(compared) == set(KINDS) - {"row", "column"}
    assert sum(compared.values()) > 100


def test_an_event_that_does_not_happen_calls_nobody(tmp_path: Path) -> None:
    """Handlers that ask are called from blocks of their own, with a condition or without: all of them are left out."""
    folder = Path(shutil.copytree(TWINS, tmp_path / "twins"))
    with (folder / "game.grog").open("a", encoding="utf-8") as file:
        file.write(
            "\nevent rung(n: 0..9)\n"
            "on rung(n)\n  choose k in 1..2 by red, else return\n  tally += k + n\n"
            "on rung(n) when n + 0 > 2\n  choose k in 1..2 by blue, else return\n  tally += 10 * k\n"
            "on rung(n)\n  tally += 40\n"
            "procedure tested_ring(n: 0..9) [1]\n  emit rung(n + 1)\n  weather := wet\n"
        )
    with (folder / "examples" / "values.grog").open("a", encoding="utf-8") as file:
        file.write(
            '\nexample "rung"\n  scenario "only"\n  answers 1, 2\n  do tested_ring(3)\n  expect tally is 65\n'
        )
    found = found_in(folder)
    trial = Trial(found.ruleset)
    assert not trial.failing
    (dropped,) = (m for m in found.mutants if m.kind == "effect" and "emit" in m.before)
    made = found.ruleset.example_program
    for change in dropped.code:
        kept = edited(made.machines[change.number], change.edits)
        assert not [b for b in kept.blocks if isinstance(b.end, ir.CallMachine)]
        assert not [s for b in kept.blocks for s in b.body if isinstance(s, ir.Do)]
    assert trial.run(dropped).killed


def test_mutants_are_well_formed_programs() -> None:
    found, _ = twins()
    program = found.ruleset.example_program
    for mutant in found.mutants[::3]:
        functions, machines = list(program.functions), list(program.machines)
        for change in mutant.code:
            if change.sort == "function":
                functions[change.number] = edited(functions[change.number], change.edits)
            else:
                machines[change.number] = edited(machines[change.number], change.edits)
        verify(replace(program, functions=tuple(functions), machines=tuple(machines)))


def test_a_sample_of_the_day() -> None:
    """Not what the score is: that whatever is drawn can be tried, by one process and by two alike."""
    found = found_in(SKIRMISH)
    chosen = sample(found.mutants, 24, seed=datetime.date.today().toordinal())
    trial = Trial(found.ruleset)
    assert not trial.failing and len(chosen) == 24
    alone = score(trials(trial, chosen, 1), found.mutants, found.equivalent)
    together = score(trials(trial, chosen, 2), found.mutants, found.equivalent)
    assert alone == together
    low, high = alone.interval()
    assert 0 <= low <= alone.share <= high <= 1 and alone.tried == 24 < alone.of == len(found.mutants)
    # The title is as it was: nothing of a mutant stays behind.
    assert all(result.passed for result in run_examples(found.ruleset, "interpreter"))


def test_the_interval_of_a_sample() -> None:
    verdict = twins_score().killed[0]
    made = Score(killed=[verdict] * 45, survived=[verdict] * 15, of=1000, sampled=True)
    low, high = made.interval()
    assert (round(low, 3), round(high, 3)) == (0.628, 0.842)
    assert str(made) == (
        "45 killed of 60 valid mutants (75.0 %, 95 % interval 63..84 %); 0 equivalent; 60 of 1,000 tried"
    )


def test_only_changed_lines(tmp_path: Path) -> None:
    folder = tmp_path / "twins"
    shutil.copytree(TWINS, folder)

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x", *words],
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    rules = folder / "game.grog"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace('+2 "three" when n is 3', '+2 "three" when n is 4', 1), encoding="utf-8")
    found = found_in(folder)
    chosen = since(found.mutants, found.ruleset.sources, folder, "HEAD")
    assert {mutant.owner for mutant in chosen} == {"tested_mods"} and {m.line for m in chosen} == {45}
    assert in_file(found.mutants, "kinds.yaml") == [m for m in found.mutants if m.kind == "column"]
    assert changed_lines("+++ b/a b.grog\n@@ -3,2 +3,0 @@\n@@ -9 +7,2 @@\n") == {"a b.grog": {7, 8}}


def test_a_title_in_a_repository_apart_from_its_series(tmp_path: Path) -> None:
    """The title's lines are compared in its repository, the series' in theirs; without one nothing of it has changed."""
    series = tmp_path / "series"
    folder = Path(shutil.copytree(TWINS, series / "twins"))
    (series / "series.yaml").write_text("name: Series\n", encoding="utf-8")
    shared = series / "shared.grog"
    shared.write_text(
        "rule shared_value(n: 0..9) -> 0..9 [1]\n  = 3 when n is 1\n  = 4 otherwise\n", encoding="utf-8"
    )
    with (folder / "examples" / "values.grog").open("a", encoding="utf-8") as file:
        file.write('\nexample "shared"\n  scenario "only"\n  expect shared_value(1) is 3\n')

    def git(where: Path, *words: str) -> None:
        names = ("-c", "user.name=n", "-c", "user.email=e@x", "-c", "diff.noprefix=true")
        subprocess.run(["git", "-C", str(where), *names, *words], check=True, capture_output=True)

    git(folder, "init", "-q")
    git(folder, "config", "diff.noprefix", "true")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    rules = folder / "game.grog"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace('+2 "three" when n is 3', '+2 "three" when n is 4', 1), encoding="utf-8")

    def owners() -> set[str]:
        found = found_in(folder)
        return {m.owner for m in since(found.mutants, found.ruleset.sources, folder, "HEAD")}

    assert owners() == {"tested_mods"}
    git(series, "init", "-q")
    git(series, "add", "shared.grog", "series.yaml")
    git(series, "commit", "-qm", "first")
    assert owners() == {"tested_mods"}
    shared.write_text(shared.read_text(encoding="utf-8").replace("= 4", "= 5"), encoding="utf-8")
    assert owners() == {"tested_mods", "shared_value"}
    # What the title adds to its series can be chosen by its folder.
    found = found_in(folder).mutants
    assert {m.owner for m in found} - {m.owner for m in in_file(found, "twins")} == {"shared_value"}


def test_helpers_of_examples_are_no_rules(tmp_path: Path) -> None:
    """What stands in a file of examples is neither changed nor counted as encoded."""
    folder = Path(shutil.copytree(TWINS, tmp_path / "twins"))
    (folder / "examples" / "helped.grog").write_text(
        "rule doubled(n: 0..9) -> 0..99 [5] = helped(n) * 2\n"
        "table helped(n: 0..9) -> 0..9 [5]\n  0..4 | 1\n  5..9 | 2\n"
        'example "helped"\n  scenario "only"\n  expect doubled(4) is 2, doubled(5) is 4\n',
        encoding="utf-8",
    )
    found = found_in(folder)
    assert {m.file for m in found.mutants} == {"game.grog", "kinds.yaml"}
    assert [m.before for m in found.mutants] == [m.before for m in twins()[0].mutants]
    told = {s.id: s.state for s in measure_coverage(found.ruleset).sections}
    assert told["5"] == "missing" and told["1"] == "exercised"


def test_what_only_bots_use_is_no_rule() -> None:
    assert not {mutant.owner for mutant in twins()[0].mutants} & {"judged", "weighed", "evaluation"}


@pytest.mark.parametrize("title", WARGAMES)
def test_records_can_be_read(title: str) -> None:
    sink = Sink()
    project = open_project(title, sink)
    assert project is not None
    assert equivalents(project, sink)
    assert not list(sink)


def test_coverage_tells_four_things_apart(tmp_path: Path) -> None:
    folder = tmp_path / "twins"
    shutil.copytree(TWINS, folder)
    ruleset = compile_title(str(folder))
    assert ruleset is not None
    bare = measure_coverage(ruleset)
    assert bare.asserted is None and read_record(ruleset) is None
    record(twins_score(), ruleset)
    recorded = read_record(ruleset)
    assert recorded is not None and not recorded.changed and "1" in recorded.asserted
    found = measure_coverage(ruleset, noticed=recorded.sections)
    told = {s.id: (s.state, s.code, s.run, s.asserted, s.why) for s in found.sections}
    assert told == {
        "1": ("exercised", True, True, True, ""),
        # Run, and yet nothing but a loop without end would be noticed.
        "2": ("exercised", True, True, True, ""),
        "3": ("encoded", True, False, False, ""),
        # Words alone, which do nothing; and a section that only the heading of an example names.
        "4": ("encoded", False, False, False, "words alone, which do nothing"),
        "5": ("missing", False, False, False, ""),
        "6": ("not applicable", False, False, False, "nothing to compute"),
    }
    assert (found.rules, found.code, found.declared, found.run, found.asserted) == (5, 3, 1, 2, 2)
    # Of what is not asserted one has a reason; one that is asserted needs none.
    assert found.justified == 1
    (folder / "examples" / "values.grog").write_text("", encoding="utf-8")
    again = read_record(ruleset)
    assert again is not None and again.changed == ("examples/values.grog",)


LINE = "rule far(a: Hex) -> flag = distance(a, b) > 2 and (a.open or b.open)   # far  [3.1]"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("rule far(a: Hex) -> flag = distance(a,b)>2\n  and ( a.open or b.open )", ">= 2", True),
        ("= distance(a, b) > 2 and (a.open or b.open)", ">= 2", True),
        ("= distance(a, b) > 2 and (a.open or b.open)", ">= 3", False),
        ("distance(a, b) > 2 and (a.open or b.open)", ">= 2", False),  # no body begins there
        ("= distance(a, b) > 2 and (a.open or c.open)", ">= 2", False),
    ],
)
def test_a_record_is_known_in_any_layout(before: str, after: str, same: bool) -> None:
    def changed(text: str, to: str) -> str:
        return text.replace(">2", "> 2").replace("> 2", to)

    known = Equivalent("a.grog", before, changed(before, after), "", "")
    mutant = Mutant(1, "comparison", "a.grog", 3, (), "far", LINE, changed(LINE, ">= 2"))
    assert known.matches(mutant) == same
    assert not replace(known, file="b.grog").matches(mutant)
    assert not replace(known, owner="near").matches(mutant)


def test_a_statement_that_is_left_out_is_known_in_any_layout() -> None:
    def same(one: str, other: str) -> bool:
        mutant = Mutant(1, "effect", "a.grog", 3, (), "p", other, "")
        return Equivalent("a.grog", one, "", "", "").matches(mutant)

    assert same("if ready: do fire(u)", "    do fire( u )")
    assert same("for u in Unit\n  a\n  b\n...", "for u in Unit\n  a\n  b\n  c\n...")
    assert not same("for u in Unit\n  a\n  b\n...", "for u in Unit\n  a\n  c\n...")
    assert not same("if ready: do fire(u)", "do fire(t)")


@pytest.mark.parametrize(
    "what", ["equivalent: 3", "equivalent:\n  - {file: game.grog, before: a}", "same: []"]
)
def test_a_record_that_cannot_be_read(what: str, tmp_path: Path) -> None:
    shutil.copytree(TWINS, tmp_path / "twins")
    (tmp_path / "twins" / "mutants.yaml").write_text(what, encoding="utf-8")
    sink = Sink()
    assert mutants_of(str(tmp_path / "twins"), sink) is None
    assert any(d.span is not None and d.span.file == "mutants.yaml" for d in sink)
