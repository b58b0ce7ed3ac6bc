"""All there is to say of a title and its scenarios."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from grognard.compiler.driver.memo import Memo
from grognard.compiler.driver.phases import Title
from grognard.compiler.layers.project import Project, open_project
from grognard.support.diagnostics import Sink
from grognard.support.gc_pause import gc_paused

#: Frames of Python for rules that call each other, and the declarations in them; main threads have room for more.
DEEPEST = 12_000


@gc_paused()
def check_title(
    where: str,
    sink: Sink,
    errata: Sequence[str] | None = None,
    buffers: Mapping[str, str] | None = None,
    memo: Memo | None = None,
) -> Title | None:
    """Check a title (a folder, or the id of a shipped one); None if it cannot be found or read far enough.

    With a memo, what did not change since the last time is not looked at again."""
    memo = memo or Memo()
    memo.begin()
    project = open_project(where, sink, buffers, memo.shelf)
    if project is None:
        return None
    title = Title(project, sink, errata=errata, memo=memo)
    with room_for_rules(project, sink):
        if title.unreadable:
            return None
        _ = title.checked
        return title
    return None


@contextmanager
def room_for_rules(project: Project, sink: Sink) -> Iterator[None]:
    """Room on the stack for rules that call each other; one more call than that is an error of the title."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        yield
    except RecursionError:
        sink.error(
            "GR0010",
            None,
            f"the rules of {project.name} call each other too deeply to be compiled",
            hint="join rules that only pass a value on",
        )
    finally:
        sys.setrecursionlimit(limit)
