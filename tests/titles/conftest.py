"""The title that a test module names in TITLE, compiled once for the module."""

from __future__ import annotations

import pytest
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.ruleset import Ruleset
from grognard.support.diagnostics import Sink, format_text


@pytest.fixture(scope="module")
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    sink = Sink()
    made = compile_title(str(shipped_titles()[request.module.TITLE]), sink)
    assert made is not None and not list(sink), format_text(sink.sorted(), sink.sources, False)
    return made
