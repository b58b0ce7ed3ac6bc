"""What the site adds to the pages in docs/: the packages' READMEs, and colours for the language.

A README stays where it is and is a page of the site, too.  Links between pages are written as they work in the
repository (`../compiler/README.md`, `../../docs/glossary.md`); here they are turned into links between pages of the site.
A link to a file of the repository that is no page becomes plain text, one to a file that does not exist stays, so that
the strict build fails."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
#: pages that are made of files outside docs/, by their path in the site
OUTSIDE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```.*?^```\s*?$|`[^`\n]+`)", re.S | re.M)


def on_files(files: Files, config: Any) -> Files:
    packages = readmes()
    for page, source in {**OUTSIDE, **packages}.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    inside = next(part["Inside"] for part in config.nav if "Inside" in part)
    inside[-1] = {"Decisions": sorted(f.src_uri for f in files if f.src_uri.startswith("decisions/"))}
    inside[-1]["Decisions"].sort(key=lambda uri: (not uri.endswith("index.md"), uri))
    inside.append({"Changes": "changelog.md"})
    config.nav.append({"Packages": [{name_of(source): page} for page, source in packages.items()]})
    return files


def readmes() -> dict[str, str]:
    """The READMEs below the top level, as far as they are written, by the pages they become."""
    found = sorted(
        path.relative_to(ROOT).as_posix()
        for top in ("compiler", "runtime", "rulesdef", "bench", "tests", "generated")
        for path in (ROOT / top).glob("**/README.md")
    )
    return {f"packages/{name_of(path).replace('/', '.')}.md": path for path in found}


def name_of(readme: str) -> str:
    return posixpath.dirname(readme)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    sources = {**OUTSIDE, **readmes()}
    here = sources.get(page.file.src_uri) or f"docs/{page.file.src_uri}"
    pages = {source: uri for uri, source in sources.items()}

    def link(match: re.Match[str]) -> str:
        image, text, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if not path or "://" in path or path.startswith("mailto:"):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        if (ROOT / place).is_dir() and f"{place}/README.md" in pages:
            place += "/README.md"
        uri = pages.get(place) or (place.removeprefix("docs/") if place.startswith("docs/") else None)
        if uri is None:
            # A package whose README is still to be written is no broken link.
            written = place.removesuffix("/README.md")
            return text if (ROOT / written).exists() else match[0]
        start = posixpath.dirname(page.file.src_uri) or "."
        return f"{image}[{text}]({posixpath.relpath(uri, start)}{hash_}{anchor})"

    # Code is left alone: what looks like a link there is a citation and a call.
    parts = FENCE.split(markdown)
    return "".join(part if FENCE.fullmatch(part) else LINK.sub(link, part) for part in parts)
