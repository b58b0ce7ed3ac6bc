"""Every pass alone: the code it makes is there with it and not without it, and what is played is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grognard
import pytest
import test_bitboards
import test_direction_bits
import test_in_domain_sets
import test_prefilter
from grognard.compiler import __path__ as compiler_path
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis import plan as emit_plan
from grognard.compiler.cython.modules import emit_source
from grognard.compiler.passes.switches import NAMES, VARIABLE, checked
from grognard.contract.build import UnknownPass
from small_titles import write_small_title, write_title_of_units


def _sound(folder: Path) -> Path:
    return write_title_of_units(folder, test_in_domain_sets.RULES, ("....", "...."), ("0101", "0201", "0302"))


def _sowing(folder: Path) -> Path:
    return write_small_title(folder, test_bitboards.SOWING, 7, 9)


def _twice(folder: Path) -> Path:
    """What is counted is asked for twice."""
    rules = test_bitboards.SOWING.replace("  return held(p)", "  return doubled(p)").replace(
        "procedure clear", "rule doubled(p: Side) -> 0..126 = held(p) + held(p)\n\nprocedure clear"
    )
    return write_small_title(folder, rules.replace("-> 0..63\n  if", "-> 0..126\n  if"), 7, 9)


def _rows(folder: Path) -> Path:
    return write_small_title(folder, test_direction_bits.rules_for("squares"), 6, 7)


@dataclass(frozen=True)
class Shown:
    """Where a pass shows: a title, whether it is compiled as large ones are, and how often a text is there with and without it."""

    write: Callable[[Path], Path]
    text: str
    large: bool = False


LARGE = {"write": test_prefilter.write_title, "large": True}
#: Text that is there more often with the pass; behind `!`, more often without it.
SHOWN = {
    "merge_blocks": Shown(**LARGE, text="!grog_step(ctx"),
    "share_calls": Shown(_twice, "v_asked"),
    "inline_functions": Shown(_rows, "!f_can_take_from_1(ctx"),
    "clone_untraced": Shown(_sowing, "untraced_f_"),
    "memoise_functions": Shown(**LARGE, text="grog_memo_find"),
    "drop_parameters": Shown(**LARGE, text="!int32_t v_me"),
    "skip_frames": Shown(_sowing, "frameless_"),
    "skip_depth_counts": Shown(**LARGE, text="!grog_enter"),
    "skip_member_checks": Shown(_sound, "!grog_set_members(ctx"),
    "check_parameters_once": Shown(**LARGE, text="grog_member(ctx"),
    "write_out_blocks": Shown(**LARGE, text="!pc == "),
    "hold_integers": Shown(**LARGE, text="!fr["),
    "ask_directly": Shown(_sowing, "!grog_offer(ctx"),
    "fill_fields": Shown(**LARGE, text="grog_fill(ctx"),
    "scan_cells": Shown(**LARGE, text="grog_scan_test("),
    "prefilter_elements": Shown(**LARGE, text="grog_prefilter_"),
    "use_bitboards": Shown(_sowing, "grog_board1_"),
    "use_direction_bits": Shown(_rows, "grog_rays_of("),
    "share_bitboards": Shown(_sowing, "grog_board_store("),
    "inline_single_calls": Shown(_sowing, "GROG_FORCE_INLINE"),
}


def test_every_pass_has_its_pair() -> None:
    assert SHOWN.keys() == NAMES


def test_every_pass_is_a_file_of_its_name() -> None:
    files = [path.stem for path in Path(compiler_path[0]).rglob("*.py")]
    assert {name: files.count(name) for name in NAMES} == dict.fromkeys(NAMES, 1)


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_pass_shows_in_the_code_and_not_in_play(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROGNARD_QUICK", "1")
    shown = SHOWN[name]
    if shown.large:
        monkeypatch.setattr(emit_plan, "SMALL_PROGRAM", 0)
    folder = str(shown.write(tmp_path / "shown"))
    more = emit_source(grognard.load(folder, backend="interpreter").ruleset.program).count(
        shown.text.strip("!")
    )
    monkeypatch.setenv(VARIABLE, name)
    engine = grognard.load(folder, backend="compiled")
    fewer = emit_source(engine.ruleset.program).count(shown.text.strip("!"))
    assert fewer > more if shown.text.startswith("!") else more > fewer, (more, fewer)
    report = grognard.compare_backends(engine.ruleset, games=3, seed=5, max_answers=60)
    assert report.agree, str(report)
    oracle = grognard.load(folder, backend="interpreter")
    assert engine.playouts(4, seed=4, max_answers=60) == oracle.playouts(4, seed=4, max_answers=60)


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_the_dead_are_skipped_without_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other passes narrow what a loop visits, too: counters that are off the map are in none of it."""
    monkeypatch.setenv("GROGNARD_QUICK", "1")
    monkeypatch.setenv(VARIABLE, "scan_cells")
    engine = grognard.load("mbt", backend="compiled")
    report = grognard.compare_backends(engine.ruleset, games=1, seed=3, max_answers=60)
    assert report.agree, str(report)


def test_names_of_passes() -> None:
    assert checked(["prefilter", "merge_blocks"]) == {"prefilter_elements", "merge_blocks"}
    with pytest.raises(UnknownPass) as found:
        checked(["prefliter_elements"])
    assert found.value.hint == "did you mean prefilter_elements?"
    with pytest.raises(UnknownPass):
        checked(["skip"])  # three begin so
