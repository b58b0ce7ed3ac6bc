"""The sections of a title's rulebook: what citations refer to and what coverage is measured against."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.support.source import Span

#: A section is a rule to encode, or one of these, which need no code.
NOT_APPLICABLE = ("component", "advice", "example", "design")


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    title: str
    #: "rule", or one of NOT_APPLICABLE
    status: str
    #: why a section that is no rule needs no code
    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rulebook:
    #: by id, in the order of the rulebook
    sections: dict[str, Section] = field(default_factory=dict)
    #: citations that start with one of these are not sections of the book
    prefixes: tuple[str, ...] = ()
