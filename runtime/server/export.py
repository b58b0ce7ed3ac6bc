"""A finished game as one page, to be read without a server: its log with reasons and sections, and the board if it can be
drawn.  No script: what is folded is opened by the browser itself."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from grognard.drawing.board import draw_map
from grognard.drawing.look import look_of
from grognard.errors import GrognardError
from grognard.play.game import why_played
from grognard.play.why import Reason

if TYPE_CHECKING:
    from grognard.server.live import Live

#: Answers whose reasons are told; of longer games the later ones have their log only.
MAX_REASONS = 4000
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}"
    "h1{font-size:1.6rem}svg{max-width:100%;height:auto}li{margin:.15rem 0}.cite{color:#666;font-size:.85em}"
    ".answer{font-weight:600}ol{padding-left:2.5rem}details>ul{border-left:2px solid #ddd}summary{cursor:pointer}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}.cite{color:#999}}"
)


def export_page(live: Live) -> str:
    """All seats' secrets are in it: it is made of games that are over."""
    line = live.line
    title = line.engine.title
    ended = line.ending
    winner = ended.winner if ended is not None else line.here.outcome
    how = f" ({ended.how})" if ended is not None else ""
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style></head><body>',
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(live.setting.scenario.title)}, {len(line.history)} answers. "
        f"{escape(_called(live, winner)) + ' wins' if winner else 'A draw'}{escape(how)}.</p>",
        _board(live),
        "<h2>What happened</h2><ol>",
    ]
    for number, step in enumerate(line.steps):
        if step.played is None:
            parts += [f"<li>{_cited(entry.text, entry.cites)}</li>" for entry in step.lines]
            continue
        reasons = ""
        if number <= MAX_REASONS:
            reasons = _reasons(why_played(line.step(number - 1), step.played).children)
        played = step.played
        # The line that tells of the answer heads what came of it.
        said = next((entry for entry in step.lines if entry.kind == "choice"), None)
        told = "".join(
            f"<div>{_cited(entry.text, entry.cites)}</div>" for entry in step.lines if entry is not said
        )
        text = f"{played.seat}: {played.name}" if said is None else said.text
        head = f'<span class="answer">{_cited(text, said.cites if said is not None else ())}</span>'
        parts.append(f"<li><details><summary>{head}{told}</summary>{reasons}</details></li>")
    parts.append("</ol>")
    sections = _sections(live)
    if sections:
        parts.append(f"<h2>Sections</h2><ul>{sections}</ul>")
    parts.append("</body></html>")
    return "\n".join(parts)


def _called(live: Live, winner: str) -> str:
    """A seat or side as people call it."""
    named = look_of(live.line.engine).names.get(winner)
    return str(named) if named else winner.replace("_", " ").capitalize()


def _cited(text: str, cites: tuple[str, ...]) -> str:
    told = f' <span class="cite">[{escape(", ".join(cites))}]</span>' if cites else ""
    return escape(text) + told


def _reasons(reasons: list[Reason]) -> str:
    if not reasons:
        return ""
    items = "".join(f"<li>{_cited(r.text, r.cites)}{_reasons(r.children)}</li>" for r in reasons)
    return f"<ul>{items}</ul>"


def _sections(live: Live) -> str:
    book = live.setting.schema.rulebook
    if book is None:
        return ""
    cited = {cite for step in live.line.steps for entry in step.lines for cite in entry.cites}
    return "".join(
        f"<li>{escape(key)} {escape(section.title)}</li>"
        for key, section in book.sections.items()
        if key in cited
    )


def _board(live: Live) -> str:
    """The last position, as far as it can be drawn."""
    line = live.line
    with memoryview(line.here.cells) as raw, raw.cast("i") as cells:
        try:
            return draw_map(line.engine, live.header["scenario"], cells=cells.tolist())
        except GrognardError:
            return ""
