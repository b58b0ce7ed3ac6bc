"""Code blocks of the pages in docs/, and how each is tried.

A comment before a block says how, where its language does not:

    <!-- with: NAME -->         a snippet of the language, in the title tests/docs/surroundings/NAME.txt
    <!-- not run: REASON -->    shown only

A surrounding is one text of several files: `=== PATH` begins each.  The line `# SNIPPET` stands where the snippet is put,
as deep as that line is; without such a line the snippet is a file of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SURROUNDINGS = Path(__file__).parent / "surroundings"
BLOCK = re.compile(r"(?:^<!-- (?P<how>[^\n]*?) -->\n+)?^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
TITLE = re.compile(r'title="([^" ]+)( \(added\))?"')


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page and line, its language, what the comment before it says."""

    page: str
    line: int
    language: str
    #: the file that it is, and whether it is added to what that file has already
    file: str
    added: bool
    how: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    def says(self, key: str) -> str | None:
        return self.how.removeprefix(f"{key}:").strip() if self.how.startswith(f"{key}:") else None


def blocks(page: str) -> list[Block]:
    text = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("info")) + 1
        title = TITLE.search(match["info"])
        file, added = (title[1], bool(title[2])) if title else ("", False)
        language = match["info"].split(" ")[0]
        found.append(Block(page, line, language, file, added, match["how"] or "", match["text"]))
    return found


def write_surrounded(folder: Path, surrounding: str, snippet: str) -> Path:
    """The title of a surrounding with the snippet in it."""
    parts = re.split(
        r"^=== (\S+)\n", (SURROUNDINGS / f"{surrounding}.txt").read_text(encoding="utf-8"), flags=re.M
    )
    files = dict(zip(parts[1::2], parts[2::2]))
    files.setdefault("title.yaml", f"name: {surrounding}\n")
    of_series = "\nseries:" in files["title.yaml"]  # which has a sequence
    if not of_series and not any(re.search(r"^sequence", text, re.M) for text in [*files.values(), snippet]):
        files["sequence.grog"] = 'sequence\n  phase play: log "play"\n'
    spot = re.compile(r"^( *)# SNIPPET\n", re.M)
    if any(spot.search(text) for text in files.values()):
        for name, text in files.items():
            files[name] = spot.sub(lambda match: indented(snippet, match[1]), text)
    else:
        files["snippet.grog"] = snippet
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def indented(text: str, space: str) -> str:
    return "".join(f"{space}{line}\n" if line.strip() else "\n" for line in text.splitlines())
