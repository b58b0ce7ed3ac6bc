"""Log lines that show what is secret, and the paths in the text of a log line."""

from __future__ import annotations

import re
from typing import Any

from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink


def hidden_names(symbols: Symbols) -> set[str]:
    """The names of secret fields."""
    return {
        info.name for dom in symbols.doms for info in dom.fields.values() if info.secret and not info.axes
    }


def check_secrets(symbols: Symbols, sink: Sink, hidden: set[str], body: Any) -> None:
    """Warn of log lines that show secret fields."""
    shown: set[str] = set()
    for node in symbols.facts.of(_logs, body) if hidden else ():
        if isinstance(node, syn.RevealStmt):
            shown |= {part.name for part in walk(node.value) if isinstance(part, syn.Dot)}
            continue
        for path in placeholders(node.text):
            name = path.rsplit(".", 1)[-1]
            if "." in path and name in hidden - shown:
                sink.warning(
                    "GR0712",
                    node.span,
                    f"the log is read by everybody, and `{name}` is secret",
                    hint=f"`reveal {path}` first, or leave it out",
                )


def _logs(body: Any) -> tuple[Any, ...]:
    return tuple(node for node in walk(body) if isinstance(node, syn.RevealStmt | syn.LogStmt))


def placeholders(text: str) -> list[str]:
    """The paths in braces in the text of a log line."""
    return [part.strip() for part in re.findall(r"\{([^}]*)\}", text)]
