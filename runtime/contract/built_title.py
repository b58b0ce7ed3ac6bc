"""A title that was built elsewhere: the files of its package, and what they say.

`grognard export` writes it (compiler/driver/export.py), `grognard.load` reads it (play/built_titles.py).  The package
`grognard_title_ID` holds data alone; its compiled code is in packages of its own, one for each program, so that titles
with the same rules share it.

    title.json       the manifest: what it is, what it needs, whose it is
    head.bin         program without its code, scenarios with their first positions
    sites.bin        places in the rules: for logs and explanations
    code.bin         functions and machines: for the interpreter
    schema.bin       domains, fields, callables, titles of the rulebook's sections
    chance.bin       the chance program with its situations and scenarios: for odds
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from grognard.contract.titles import ScenarioInfo, TitleInfo

#: The form of these files.  A package of another form is refused.
FORMAT: Final = 1
#: The group of entry points by which packages are found: title id = package.
ENTRY_POINTS: Final = "grognard.titles"
MANIFEST: Final = "title.json"
HEAD: Final = "head.bin"
SITES: Final = "sites.bin"
CODE: Final = "code.bin"
SCHEMA: Final = "schema.bin"
CHANCE: Final = "chance.bin"


@dataclass(frozen=True, slots=True)
class EngineRef:
    """A compiled program: its package, and the keys of the two modules in it, which are unique for their content."""

    package: str
    engine: str
    binding: str


@dataclass(frozen=True, slots=True)
class BuiltTitle:
    """The manifest of a built title."""

    id: str
    name: str
    series: str
    version: str
    #: the version of the runtime that it was built with
    runtime: str
    errata: tuple[str, ...]
    scenario: str
    scenarios: tuple[str, ...]
    #: hash of the program, as saves refer to it
    rules_hash: str
    edition: str = ""
    about: str = ""
    #: what the scenarios' files say of them
    scenario_infos: tuple[ScenarioInfo, ...] = ()
    licence: str = ""
    provenance: str = ""
    engine: EngineRef | None = None
    chance_engine: EngineRef | None = None
    odds: bool = False
    format: int = field(default=FORMAT)

    @property
    def info(self) -> TitleInfo:
        return TitleInfo(self.id, self.name, self.series, self.edition, self.scenarios, self.about)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> BuiltTitle:
        """ValueError, with what is wrong, for anything but a manifest of this form."""
        content: Any = json.loads(text)
        if not isinstance(content, dict) or not isinstance(content.get("format"), int):
            raise ValueError("it is not the manifest of a title")
        if content["format"] != FORMAT:
            raise ValueError(f"it has form {content['format']}, and this version reads form {FORMAT}")
        try:
            for name in ("engine", "chance_engine"):
                content[name] = EngineRef(**content[name]) if content.get(name) else None
            for name in ("errata", "scenarios"):
                content[name] = tuple(content[name])
            content["scenario_infos"] = tuple(ScenarioInfo(**info) for info in content["scenario_infos"])
            return cls(**content)
        except (KeyError, TypeError) as error:
            raise ValueError(f"it is damaged: {error}") from error
