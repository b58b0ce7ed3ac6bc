"""What the verdicts on mutants come to: a score, the survivors, the sections that are asserted; and a record of it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grognard.contract.mutants import Equivalent, Mutant
from grognard.contract.ruleset import Ruleset
from grognard.play.mutation.trial import Verdict

#: The record of the last run, in the folder of the title.
RECORD = "mutation.json"
#: Standard deviations of the interval that is given for a sample: 95 %.
DEVIATIONS = 1.96


@dataclass(slots=True)
class Score:
    """The verdicts on some or all mutants of a title.  Equivalent ones are counted apart."""

    killed: list[Verdict] = field(default_factory=list)
    survived: list[Verdict] = field(default_factory=list)
    equivalent: list[tuple[Verdict, Equivalent]] = field(default_factory=list)
    #: recorded as equivalent, but an example notices them
    refuted: list[tuple[Verdict, Equivalent]] = field(default_factory=list)
    #: records that no mutant of the title matches any more
    stale: list[Equivalent] = field(default_factory=list)
    #: mutants of the title, tried or not
    of: int = 0
    #: whether those that were tried are a random sample
    sampled: bool = False

    @property
    def valid(self) -> int:
        return len(self.killed) + len(self.survived)

    @property
    def tried(self) -> int:
        return self.valid + len(self.equivalent)

    @property
    def share(self) -> float:
        """The part of the valid mutants that was noticed; 1 if there are none."""
        return len(self.killed) / self.valid if self.valid else 1.0

    def interval(self) -> tuple[float, float]:
        """Between what the share of all mutants is, if these are a random sample: Wilson's interval, 95 %."""
        n, p, z = self.valid, self.share, DEVIATIONS
        if not n:
            return 0.0, 1.0
        middle, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        scale = 1 + z * z / n
        return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)

    def sections(self) -> dict[str, tuple[int, int]]:
        """Section -> how many mutants of lines that cite it were noticed, of how many."""
        found: dict[str, tuple[int, int]] = {}
        for verdicts, add in ((self.killed, 1), (self.survived, 0)):
            for verdict in verdicts:
                for cite in verdict.mutant.cites:
                    killed, valid = found.get(cite, (0, 0))
                    found[cite] = killed + add, valid + 1
        return dict(sorted(found.items()))

    def __str__(self) -> str:
        text = f"{len(self.killed):,} killed of {self.valid:,} valid mutants ({100 * self.share:.1f} %"
        if self.sampled:
            low, high = self.interval()
            text += f", 95 % interval {100 * low:.0f}..{100 * high:.0f} %"
        text += f"); {len(self.equivalent):,} equivalent"
        return text + (f"; {self.tried:,} of {self.of:,} tried" if self.tried < self.of else "")


def score(
    verdicts: Iterable[Verdict],
    all_mutants: Sequence[Mutant],
    known: Sequence[Equivalent],
    *,
    sampled: bool = False,
) -> Score:
    """Count verdicts; `known` are the changes that the title says to be equivalent."""
    made = Score(of=len(all_mutants), sampled=sampled)
    for verdict in sorted(verdicts, key=lambda v: v.mutant.number):
        record = next((record for record in known if record.matches(verdict.mutant)), None)
        if record is None:
            (made.killed if verdict.killed else made.survived).append(verdict)
        elif verdict.killed:
            made.killed.append(verdict)
            made.refuted.append((verdict, record))
        else:
            made.equivalent.append((verdict, record))
    made.stale = [record for record in known if not any(map(record.matches, all_mutants))]
    return made


# ------------------------------------------------------------------------------------------------------ the record


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a record says: sections with (noticed, of how many), and the files that have changed since."""

    sections: dict[str, tuple[int, int]]
    changed: tuple[str, ...]
    path: Path

    @property
    def asserted(self) -> frozenset[str]:
        return frozenset(name for name, (killed, _) in self.sections.items() if killed)


def record(made: Score, ruleset: Ruleset) -> Path:
    """Write the score to the folder of the title; OSError if that cannot be done."""
    folder = ruleset.about.folder
    found: dict[str, Any] = {
        "title": ruleset.id,
        "mutants": made.of,
        "killed": len(made.killed),
        "valid": made.valid,
        "equivalent": len(made.equivalent),
        "sections": {name: list(counts) for name, counts in made.sections().items()},
        "survivors": [told(verdict) for verdict in made.survived],
        "files": _digests(ruleset),
    }
    path = folder / RECORD
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def told(verdict: Verdict) -> dict[str, Any]:
    """A verdict for programs."""
    mutant = verdict.mutant
    return {
        "kind": mutant.kind,
        "file": mutant.file,
        "line": mutant.line,
        "in": mutant.owner,
        "cites": list(mutant.cites),
        "before": mutant.before,
        "after": mutant.after,
        "examples": verdict.candidates,
    }


def read_record(ruleset: Ruleset) -> Recorded | None:
    """The record of a title; None if there is none that can be read."""
    path = ruleset.about.folder / RECORD
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        sections = {str(name): (int(k), int(n)) for name, (k, n) in found["sections"].items()}
        files = {str(name): str(digest) for name, digest in found["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    now = _digests(ruleset)
    changed = {name for name in files.keys() | now.keys() if files.get(name) != now.get(name)}
    return Recorded(sections, tuple(sorted(changed)), path)


def _digests(ruleset: Ruleset) -> dict[str, str]:
    """The rules, examples and data of a title by their content; the record itself and scenarios aside."""
    folder, series = ruleset.about.folder, ruleset.about.series
    own = [*folder.rglob("*.grog"), *folder.glob("*.yaml")]
    found = {
        f"{folder.name}/" * (series is not None) + path.relative_to(folder).as_posix(): path for path in own
    }
    if series is not None:
        shared = [*series.glob("*.grog"), *(series / "errata").glob("*.grog"), *series.glob("*.yaml")]
        found |= {path.relative_to(series).as_posix(): path for path in shared}
    return {name: hashlib.sha256(found[name].read_bytes()).hexdigest()[:16] for name in sorted(found)}
