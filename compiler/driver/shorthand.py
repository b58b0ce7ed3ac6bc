"""A change in short, written out as an erratum is: with the old text, which a sheet must name and a quick question need not.

    before:  amend table crt (4, 9) = miss
    after:   amend table crt: (4, 9) hit -> miss

What has an arrow already, or is no amendment, stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grognard.compiler.driver.diff_rulesets import kind_cells, modifier_text, table_cell, table_names
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract.errata import AmendmentError
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.store.ruleset import CompiledRuleset

_TABLE = re.compile(r"amend\s+table\s+(\w+)\s*:?\s*\(([^()]*)\)\s*=(?!=)\s*(.+)")
_ENTRY = re.compile(r'amend\s+modifiers\s+(\w+)\s*:?\s*("[^"]*"|\w+)\s*=(?!=)\s*(.+)')
_KIND = re.compile(r"amend\s+kind\s+(\w+)\s*:?\s*(\w+)\.(\w+)\s*(?:\((\w+)\))?\s*=(?!=)\s*(.+)")
_RULE = re.compile(r"amend\s+rule\s+(\w+)\s*:?\s*=(?!=)\s*(.+)")


def full_amendment(ruleset: CompiledRuleset, text: str) -> str:
    """The change with what is there now; AmendmentError if there is no such thing."""
    line = text.strip()
    if "->" in line or "\n" in line:
        return text
    if match := _TABLE.fullmatch(line):
        return _table(ruleset, *match.groups())
    if match := _ENTRY.fullmatch(line):
        return _entry(ruleset, *match.groups())
    if match := _KIND.fullmatch(line):
        return _kind(ruleset, *match.groups())
    if match := _RULE.fullmatch(line):
        return _rule(ruleset, *match.groups())
    if line.startswith("amend") and "=" in line:
        raise AmendmentError(
            f"`{line}` is not a change in short",
            'amend table crt (4, 9) = miss; amend kind Terrain woods.cover = 2; amend modifiers drm "river" = -3; '
            "amend rule hour = 5",
        )
    return text


def _table(ruleset: CompiledRuleset, name: str, keys: str, new: str) -> str:
    known = table_names(ruleset)
    if name not in known:
        raise AmendmentError(f"{ruleset.name} has no table `{name}`", hint_for(name, known))
    parts = [part.strip() for part in keys.split(",")]
    try:
        # A row without an end is found by the end that it has.
        old = table_cell(ruleset, name, [part.removesuffix("..").removeprefix("..") for part in parts])
    except (LookupError, ValueError) as wrong:
        raise AmendmentError(f"table `{name}` has no cell ({keys})", str(wrong) or None) from None
    if old is None:
        raise AmendmentError(f"table `{name}` has no cell ({keys})", None)
    return f"amend table {name}: ({', '.join(parts)}) {old} -> {new}"


def _entry(ruleset: CompiledRuleset, name: str, label: str, new: str) -> str:
    lists = {d.name: d for _, d in ruleset.merged.decls if isinstance(d, syn.ModifiersDecl)}
    if name not in lists:
        raise AmendmentError(f"{ruleset.name} has no list of modifiers `{name}`", hint_for(name, list(lists)))
    entries = {entry.name: entry for entry in lists[name].entries if entry.name}
    # As it is called in rules, or as it is shown in games.
    by_label = {entry.label: entry.name for entry in entries.values()}
    wanted = label.strip('"')
    wanted = by_label.get(wanted, wanted)
    if wanted not in entries:
        raise AmendmentError(f"`{name}` has no line {label}", hint_for(wanted, list(entries)))
    return f"amend modifiers {name}: {wanted} {modifier_text(entries[wanted])} -> {new}"


def _kind(ruleset: CompiledRuleset, name: str, row: str, column: str, axis: str | None, new: str) -> str:
    cells = kind_cells(ruleset)
    wanted = f"{column}({axis})" if axis else column
    kinds = sorted({kind for kind, _, _ in cells})
    if name not in kinds:
        raise AmendmentError(f"{ruleset.name} has no kind `{name}`", hint_for(name, kinds))
    rows = sorted({r for kind, r, _ in cells if kind == name})
    if row not in rows:
        raise AmendmentError(f"kind `{name}` has no row `{row}`", hint_for(row, rows))
    if (name, row, wanted) not in cells:
        columns = sorted({c for kind, _, c in cells if kind == name and c != "name"})
        raise AmendmentError(f"kind `{name}` has no column `{wanted}`", hint_for(wanted, columns))
    place = f"{row}.{column}" + (f"({axis})" if axis else "")
    return f"amend kind {name}: {place} {cells[name, row, wanted]} -> {new}"


def _rule(ruleset: CompiledRuleset, name: str, new: str) -> str:
    rules = {d.name: d for _, d in ruleset.merged.decls if isinstance(d, syn.RuleDecl)}
    if name not in rules:
        raise AmendmentError(f"{ruleset.name} has no rule `{name}`", hint_for(name, list(rules)))
    body = rules[name].body
    single = len(body) == 1 and getattr(body[0], "condition", None) is None
    value = getattr(body[0], "value", None) if single else None
    if value is None:
        raise AmendmentError(
            f"rule `{name}` has several cases", "write what is there: amend rule NAME: OLD -> NEW"
        )
    return f"amend rule {name}: {unparse(value)} -> {new}"
