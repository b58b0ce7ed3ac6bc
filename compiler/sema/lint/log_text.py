"""Log lines that show what is secret, and the paths in the text of a log line."""

from __future__ import annotations

import re
from typing import Any

from grognard.compiler.sema.world import World
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk


def check_secrets(world: World, nodes: list[Any]) -> None:
    """Warn of log lines that show secret fields."""
    hidden = {
        info.name for dom in world.doms for info in dom.fields.values() if info.secret and not info.axes
    }
    shown: set[str] = set()
    for node in nodes if hidden else ():
        if isinstance(node, syn.RevealStmt):
            shown |= {part.name for part in walk(node.value) if isinstance(part, syn.Dot)}
        elif isinstance(node, syn.LogStmt):
            for path in placeholders(node.text):
                name = path.rsplit(".", 1)[-1]
                if "." in path and name in hidden - shown:
                    world.sink.warning(
                        "GR0712",
                        node.span,
                        f"the log is read by everybody, and `{name}` is secret",
                        hint=f"`reveal {path}` first, or leave it out",
                    )


def placeholders(text: str) -> list[str]:
    """The paths in braces in the text of a log line."""
    return [part.strip() for part in re.findall(r"\{([^}]*)\}", text)]
