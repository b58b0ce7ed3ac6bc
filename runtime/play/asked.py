"""A rule asked by its name, with what it is asked of: `spots(U1, S1, spot_move)`.

It runs on what its asker may know, as an overlay does, so that its answer tells nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.contract.backend import TRACE_WHY, Io, RuleFailure
from grognard.contract.header import NONE
from grognard.errors import UnknownName
from grognard.play.arguments import function_named
from grognard.play.view import View
from grognard.play.wording import Records, Secrecy
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import CallableSchema, Schema, ValueType
    from grognard.play.reader import Reader

#: Lines that explain an answer.
MAX_LINES = 20
_SORTS = ("rule", "sight", "arc", "modifiers")
_PLAIN = ("int", "flag", "dom")
_WRITTEN = re.compile(r"\s*(\w+)\s*(?:\((.*)\)|(.*))\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a rule says, and the steps that lead to it, each with its sections."""

    rule: str
    says: str
    cites: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]


def rules_to_ask(schema: Schema) -> list[str]:
    """The rules that can be asked by what one can write: members, counters, places, numbers, yes and no."""
    return [name for name in schema.callables if _askable(schema.callables[name])]


def asked(reader: Reader, text: str) -> Asked:
    """What a rule says of the position as the reader has it; UnknownName where it cannot be asked so."""
    setting = reader.setting
    found = _WRITTEN.match(text)
    rules = rules_to_ask(setting.schema)
    if found is None:
        raise UnknownName("ask which rule?", f"for example {rules[0]}(...)" if rules else "")
    rule, inside = found[1], found[2] if found[2] is not None else found[3]
    if rule not in rules:
        known = setting.schema.callables.get(rule)
        raise UnknownName(
            f"there is no rule `{rule}`" if known is None else f"`{rule}` cannot be asked by itself",
            hint_for(rule, rules),
        )
    entry = setting.schema.callables[rule]
    words = inside.replace(",", " ").split()
    if len(words) != len(entry.params):
        wanted = ", ".join(f"{name}: {kind}" for name, kind in entry.params)
        raise UnknownName(f"`{rule}` is asked with ({wanted})", "")
    values = [_value(reader, word, name, kind) for word, (name, kind) in zip(words, entry.params)]
    cells = bytearray(reader.rule_cells if isinstance(reader, View) else reader.cells)
    io = Io(TRACE_WHY)
    try:
        result = setting.backend.call(cells, function_named(setting, rule).id, values, io)
    except RuleFailure:
        raise UnknownName(f"`{rule}` says nothing of these: it fails", "") from None
    assert isinstance(result, int)
    with memoryview(reader.cells) as raw, raw.cast("i") as shown:
        records = list(Records(setting.program, io.trace, Secrecy(), ()))[:MAX_LINES]
        lines = tuple(
            (setting.names.text(one.site, one.args, shown), tuple(one.site.cites)) for one in records
        )
    return Asked(rule, _words(reader, result, entry.result), entry.cites, lines)


def _askable(entry: CallableSchema) -> bool:
    return (
        entry.sort in _SORTS
        and not (entry.writes or entry.asks or entry.uses_me)
        and (entry.result is None or entry.result.sort in _PLAIN)
        and all(kind.sort in _PLAIN for _, kind in entry.params)
    )


def _value(reader: Reader, word: str, name: str, kind: ValueType) -> int:
    if kind.optional and word == "none":
        return NONE
    if kind.sort == "flag" and word in ("yes", "no"):
        return int(word == "yes")
    if kind.sort == "int" and re.fullmatch(r"-?\d{1,9}", word) and kind.lo <= int(word) <= kind.hi:
        return int(word)
    known: list[str] = []
    for dom in (kind.dom, *kind.dom.alternatives) if kind.dom is not None else ():
        # Of counters only those that the asker sees are there.
        seen = [piece.name for piece in reader.pieces(dom.name)] if dom.sort == "piece" else None
        data = reader.setting.scenario.data.domains[dom.id]
        known += data.names if seen is None else seen
        number = reader.setting.number_of(dom.id, word)
        if number is not None and (seen is None or word in seen):
            return data.base + number
    raise UnknownName(f"`{name}` is {kind}, not `{word[:80]}`", hint_for(word, known))


def _words(reader: Reader, result: int, kind: ValueType | None) -> str:
    if kind is None or kind.sort == "flag":
        return "yes" if result else "no"
    if result == NONE:
        return "none"
    for dom in (kind.dom, *kind.dom.alternatives) if kind.dom is not None else ():
        data = reader.setting.scenario.data.domains[dom.id]
        if data.base <= result < data.base + data.count:
            return data.names[result - data.base]
    return str(result)
