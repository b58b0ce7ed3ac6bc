"""`grognard mutate` and what `grognard coverage` makes of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from cli_running import Cli

TWINS = Path(__file__).parents[1] / "play" / "titles" / "twins"
ALONE = ("--jobs", "1")


def test_survivors_with_place_section_and_diff(cli: Cli) -> None:
    result = cli("mutate", str(TWINS), "--only", "game.grog", "--kind", "exception", *ALONE)
    assert result.status == 0
    head, line, kinds, total = result.out.splitlines()
    assert head == "game.grog:41  exception in untested_value [2]: 1 example ran it"
    assert line == "    -exception to untested_value when n is 0              [2]"
    assert kinds == "survivors: 1 exception"
    assert total.startswith("Twins: 1 killed of 2 valid mutants (50.0 %); 0 equivalent; 2 of")
    assert cli("mutate", str(TWINS), "--kind", "exception", "--at-least", "51", *ALONE).status == 1
    found = json.loads(cli("mutate", str(TWINS), "--sample", "7", "--seed", "3", "--json", *ALONE).out)
    assert found["tried"] == 7 == found["valid"] + len(found["equivalent"])
    assert all(s["file"] and s["line"] and s["before"] != s["after"] for s in found["survivors"])


def test_what_is_recorded_is_what_coverage_shows(cli: Cli, tmp_path: Path) -> None:
    title = str(shutil.copytree(TWINS, tmp_path / "twins"))
    assert "not tried" in cli("coverage", title).out
    assert cli("mutate", title, "--record", *ALONE).status == 0
    found = json.loads(cli("coverage", title, "--json").out)
    assert (found["cited_by_code"], found["run"], found["asserted"], found["declared"]) == (3, 2, 2, 1)
    tried = json.loads(cli("coverage", title, "--json", "--asserted", *ALONE).out)
    assert [s["asserted"] for s in tried["sections"]] == [s["asserted"] for s in found["sections"]]
    for which, section in (("not-asserted", "3"), ("justified", "4")):
        listed = cli("coverage", title, "--list", which).out.splitlines()
        assert [line.split()[0] for line in listed] == [section, "1"], which
    (tmp_path / "twins" / "game.grog").open("a", encoding="utf-8").write("# more\n")
    assert "older than game.grog" in cli("coverage", title).err


def test_a_section_needs_one_mutant_that_is_noticed(cli: Cli, tmp_path: Path) -> None:
    title = str(shutil.copytree(TWINS, tmp_path / "twins"))
    whole = json.loads(cli("mutate", title, "--json", *ALONE).out)
    result = cli("mutate", title, "--sections", "--record", *ALONE)
    assert result.status == 0
    lines = result.out.splitlines()
    # The one section without, with all that could have asserted it.
    assert lines[0] == "[3]" and lines[1].startswith("game.grog:") and lines[1].endswith("no example runs it")
    assert "Twins: 2 of 3 sections asserted" in result.out
    found = json.loads(cli("mutate", title, "--sections", "--json", *ALONE).out)
    assert found["asserted"] == ["1", "2"] == [s for s, (killed, _) in whole["sections"].items() if killed]
    assert found["not_asserted"] == ["3"] and {s["in"] for s in found["survivors"]} == {"unread"}
    assert found["tried"] < whole["tried"] / 2
    assert json.loads(cli("coverage", title, "--json").out)["asserted"] == 2


def test_mistakes(cli: Cli, tmp_path: Path) -> None:
    title = str(shutil.copytree(TWINS, tmp_path / "twins"))
    for words, sentence in (
        (["mutate", title, "--kind", "gaurd"], "there is no kind of change `gaurd`"),
        (["mutate", title, "--only", "gme.grog"], "nothing in `gme.grog` can be changed"),
        (["mutate", title, "--since", "HEAD"], "git cannot compare with `HEAD`"),
        (["mutate", title, "--record", "--sample", "3"], "--record is for all mutants"),
        (["mutate", title, "--sections", "--at-least", "90"], "--at-least is for a share"),
        (["mutate", "no_such_title"], "there is no title `no_such_title`"),
    ):
        result = cli(*words)
        assert result.status == 2, words
        assert sentence in result.err and result.out == "", words
