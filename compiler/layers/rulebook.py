"""rulebook.yaml: the sections of the rulebook, against which citations and coverage are measured.

prefixes: [err, faq, card, A]          # citations that start so are not sections
sections:
  "7.1": {title: Fire, status: rule}
  "1.2": {title: Components, status: component, why: nothing to compute}

rulebook_text.yaml: what they say, in the author's words; a section may go without.

"7.1": A unit that has not moved may fire at an enemy that it sees.
"""

from __future__ import annotations

from grognard.compiler.layers.amended_data import load_amended
from grognard.compiler.layers.project import Project
from grognard.compiler.support.yamlfile import (
    YList,
    YMap,
    YScalar,
    check_keys,
    expect_map,
    expect_text,
)
from grognard.contract.rulebook import NOT_APPLICABLE, Rulebook, Section
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def load_rulebook(project: Project, sink: Sink) -> Rulebook | None:
    """The rulebook of the series, with what the title's adds; None without either."""
    if project.find("rulebook.yaml") is None:
        return None
    node = load_amended(project, "rulebook.yaml", None, sink)
    top = expect_map(node, sink, "rulebook.yaml") if node is not None else None
    if top is None:
        return None
    check_keys(top, sink, "rulebook.yaml", required=("sections",), optional=("prefixes", "title"))
    prefixes = top.get("prefixes")
    known = prefixes.items if isinstance(prefixes, YList) else ()
    book = Rulebook(prefixes=tuple(item.text for item in known if isinstance(item, YScalar)))
    sections = top.get("sections")
    if isinstance(sections, YMap):
        for name, entry in sections.entries.items():
            _section(book, name, entry.value, entry.key_span, sink)
    return book


def _section(book: Rulebook, name: str, node: object, span: Span, sink: Sink) -> None:
    if isinstance(node, YScalar):
        book.sections[name] = Section(name, node.text, "rule", "", span)
        return
    if not isinstance(node, YMap):
        sink.error("GR0604", span, f"section {name} must be a title or a map")
        return
    check_keys(node, sink, f"section {name}", required=("title",), optional=("status", "why", "lines"))
    words = {
        key: part.text if isinstance(part := node.get(key), YScalar) else ""
        for key in ("title", "status", "why")
    }
    status = words["status"] or "rule"
    if status not in ("rule", *NOT_APPLICABLE):
        sink.error(
            "GR0608",
            span,
            f"`{status}` is not a status of a section",
            hint=hint_for(status, ("rule", *NOT_APPLICABLE)),
        )
    book.sections[name] = Section(name, words["title"], status, words["why"], span)


TEXTS = "rulebook_text.yaml"


def load_section_texts(project: Project, rulebook: Rulebook, sink: Sink) -> dict[str, str]:
    """What the sections say, by their ids: the series' file with the title's on top."""
    if project.find(TEXTS) is None:
        return {}
    node = load_amended(project, TEXTS, None, sink)
    top = expect_map(node, sink, TEXTS) if node is not None else None
    texts: dict[str, str] = {}
    for name, entry in top.entries.items() if top is not None else ():
        if name not in rulebook.sections:
            sink.error(
                "GR0801",
                entry.key_span,
                f"the rulebook has no section `{name}`",
                hint=hint_for(name, rulebook.sections) or "rulebook.yaml lists the sections",
            )
        elif (text := expect_text(entry.value, sink, f"section {name}")) is not None:
            texts[name] = text
    return texts
