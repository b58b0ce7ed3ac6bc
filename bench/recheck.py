"""What a change of one body costs a running process that knows a title: for each file of its rules, by phases.

    python bench/recheck.py rulesdef/next_war/strait
    python bench/recheck.py rulesdef/next_war/strait --only combat.grog --profile 30

In each file the last number of some body is changed to another and back, as an editor's buffer; all that `check` does follows.  Times are
processor time in milliseconds: the lowest of all changes of the file, in each phase and in all, and the median of all.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from grognard.compiler.driver import phases
from grognard.compiler.driver.workspace import Workspace

PHASES = ("layers", "merged", "declared", "checked")
#: A line of a body with a number that can be another.
LINE = re.compile(r"^( {2,}[^#\n\[\]\"]*?\b)(\d+)(\b[^\"\n]*)$", re.MULTILINE)


class Clock:
    """Times phases from within: each is worked out when it is first wanted."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._within = 0.0

    def watch(self) -> None:
        for name in PHASES:
            work = getattr(phases.Title, name).func

            def timed(title: phases.Title, name: str = name, work=work) -> object:  # type: ignore[no-untyped-def]
                outer, self._within = self._within, 0.0
                begun = time.process_time()
                made = work(title)
                took = time.process_time() - begun
                self.spent[name] = self.spent.get(name, 0.0) + took - self._within
                self._within = outer + took
                return made

            patched = phases.cached_property(timed)
            patched.__set_name__(phases.Title, name)
            setattr(phases.Title, name, patched)


def changed_texts(text: str, count: int) -> Iterator[str]:
    """The text with one number of a body changed, at places spread over the file."""
    found = list(LINE.finditer(text))
    for match in found[:: max(1, len(found) // count)][:count]:
        other = str(int(match[2]) + 1)
        yield text[: match.start(2)] + other + text[match.end(2) :]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("title")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--profile", type=int, default=0)
    args = parser.parse_args()
    clock = Clock()
    clock.watch()
    workspace = Workspace(args.title)
    begun = time.process_time()
    workspace.check()
    print(f"first look {1000 * (time.process_time() - begun):.0f}")
    workspace.check()
    print(f"{'file':32s}" + "".join(f"{name:>10s}" for name in PHASES) + f"{'all':>10s}{'median':>10s}")
    medians: list[float] = []
    base = workspace.folder
    files = sorted({*base.rglob("*.grog"), *(workspace.files.series or base).glob("*.grog")})
    for path in files:
        shown = workspace.shown(path.resolve())
        if args.only and not any(name in shown for name in args.only):
            continue
        runs: list[dict[str, float]] = []
        text = Path(path).read_text(encoding="utf-8")
        profile = cProfile.Profile() if args.profile else None
        for changed in changed_texts(text, args.changes):
            workspace.set_text(shown, changed)
            clock.spent.clear()
            begun = time.process_time()
            if profile is not None:
                profile.enable()
            workspace.check()
            if profile is not None:
                profile.disable()
            runs.append({**clock.spent, "all": time.process_time() - begun})
            workspace.drop_text(shown)
            workspace.check()
        if not runs:
            continue
        middle = statistics.median(run["all"] for run in runs)
        medians.append(middle)
        cells = [min(run.get(name, 0.0) for run in runs) for name in (*PHASES, "all")] + [middle]
        print(f"{shown:32s}" + "".join(f"{1000 * cell:10.0f}" for cell in cells), flush=True)
        if profile is not None:
            pstats.Stats(profile).sort_stats("tottime").print_stats(args.profile)
    if medians:
        print(f"median of files {1000 * statistics.median(medians):.0f}, highest {1000 * max(medians):.0f}")


if __name__ == "__main__":
    main()
