"""What is shown of a name: its kind and type, where it stands in the rulebook, what later layers change, its values."""

from __future__ import annotations

import re
from collections import Counter

from grognard.compiler.editor.document import Found
from grognard.compiler.editor.meaning import Meaning
from grognard.compiler.editor.names import Names
from grognard.compiler.editor.text import RulesText, Word, rules_text
from grognard.compiler.editor.value_ranges import ValueRanges
from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import FieldInfo
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import SourceFile

#: Sums of dice by the range that they have.
_SUMS = {"2..12": (2, 6), "3..18": (3, 6), "2..20": (2, 10)}


def hover(names: Names, source: SourceFile, found: Found) -> str | None:
    """The text in Markdown; None if there is nothing to say."""
    cell = _cell(names, source, found)
    if cell is not None:
        return cell
    parts = [text for meaning in found.meanings[:4] if (text := _shown(names, meaning)) is not None]
    if parts:
        return "\n\n---\n\n".join(parts)
    return builtin_text(found.text)


def builtin_text(name: str) -> str | None:
    if name in VERBS:
        verb = VERBS[name]
        return f"```grog\n{name}({', '.join(verb.takes)}) -> {verb.answers}\n```\n{verb.says}"
    if name in SOURCES:
        return f"```grog\n{name}({', '.join(SOURCES[name].takes)})\n```\n{SOURCES[name].says}"
    if name in BUILTINS:
        return f"```grog\n{BUILTINS[name].form}\n```\n{BUILTINS[name].says}"
    return None


def signature(entry: Callable_) -> str:
    """The heading of a callable."""
    params = f"({', '.join(f'{name}: {type_}' for name, type_ in entry.params)})" if entry.params else ""
    result = f" -> {entry.result}" if entry.result is not None else ""
    return f"{entry.sort} {entry.name}{params}{result}"


def _shown(names: Names, meaning: Meaning) -> str | None:
    symbol, world = meaning.symbol, names.world
    cites: tuple[str, ...] = ()
    more: list[str] = []
    match symbol.sort:
        case "local":
            return f"```grog\n{symbol.name}: {meaning.type}\n```"
        case "section":
            return section_text(names, symbol.name)
        case "callable":
            entry = world.callables.get(symbol.name) or world.situations[symbol.name]
            heading, cites = signature(entry), entry.cites
            more += _range_of(names, entry)
        case "field":
            heading = f"{symbol.owner}.{symbol.name}: {meaning.type}"
            info = _field(names, symbol.owner, symbol.name)
            if info is not None:
                axes = f"({', '.join(axis.name for axis in info.axes)})" if info.axes else ""
                heading = f"{symbol.owner}.{symbol.name}{axes}: {info.type}"
                if info.decl is not None:
                    cites = info.decl.cites.ids
                    more += [f"reset at `{info.decl.reset_at}`"] if info.decl.reset_at else []
                more += ["secret"] if info.secret else []
        case "member":
            heading = f"{symbol.owner}.{symbol.name}"
            dom = next((d for d in world.doms if d.name == symbol.owner and symbol.name in d.members), None)
            if dom is not None:
                place = dom.members.index(symbol.name)
                title = dom.titles[place] if place < len(dom.titles) else ""
                more += [title] if title and title != symbol.name else []
                more += [f"{dom.sort}, {place + 1} of {len(dom.members):,}"]
        case "type":
            dom = world.types.get(symbol.name)
            heading = f"{dom.sort if dom is not None else 'type'} {symbol.name}"
            if dom is not None:
                cites = dom.cites
                more += [f"{len(dom.members):,} members"] if dom.members else []
        case "record":
            heading = f"record {symbol.name}"
        case "option":
            option = world.options[symbol.name]
            heading = f"option {symbol.name}: {', '.join(option.values)} (here {option.value})"
            cites, more = option.decl.cites.ids, [option.decl.title]
        case _:
            heading = f"{symbol.sort} {symbol.name}"
    declared = names.declared(symbol)
    text = [f"```grog\n{heading}\n```"]
    if declared is not None:
        doc = names.doc(declared)
        text += [doc] if doc else []
        text += [_row(names, declared.file, declared.line)] if symbol.sort == "member" else []
    text += [", ".join(part for part in more if part)] if any(more) else []
    text += [section_text(names, name) for name in cites[:6]]
    text += [f"*{touch.words}*{_cites(touch.cites)}" for touch in names.touched.get(symbol.name, ())[:6]]
    return "\n\n".join(part for part in text if part)


def _field(names: Names, owner: str, name: str) -> FieldInfo | None:
    if owner == "game":
        return names.world.globals.get(name)
    dom = next((d for d in names.world.doms if d.name == owner and name in d.fields), None)
    return dom.fields[name] if dom is not None else names.world.seat_fields.get(name)


def _cites(ids: tuple[str, ...]) -> str:
    return f" [{', '.join(ids)}]" if ids else ""


def section_text(names: Names, name: str) -> str:
    """A section of the rulebook: its title, and what it says."""
    book = names.rulebook
    section = book.sections.get(name) if book is not None else None
    if section is None:
        return f"[{name}]"
    status = (
        f" *({section.status}{': ' + section.why if section.why else ''})*"
        if section.status != "rule"
        else ""
    )
    says = names.section_texts.get(name)
    return f"[{name}] {section.title}{status}" + (f": {says}" if says else "")


def _row(names: Names, file: str, line: int) -> str:
    """The line of a row, which has its values."""
    source = names.sources.get(file)
    text = source.line(line + 1).strip() if source is not None else ""
    return f"```\n{text[:300]}\n```" if text and ("{" in text or "|" in text) else ""


def _range_of(names: Names, entry: Callable_) -> list[str]:
    """What the lines of a modifiers list add up to at the least and at the most, before its own bounds."""
    decl = entry.decl
    if not isinstance(decl, syn.ModifiersDecl):
        return []
    ranges = ValueRanges(names, dict(entry.params))
    low = high = unknown = 0
    adding = [line for line in decl.entries if line.sort == "add"]
    for line in adding:
        found = ranges.of(line.value) if line.value is not None else None
        if found is None:
            unknown += 1
            continue
        low += found[0] if line.condition is None else min(0, found[0])
        high += found[1] if line.condition is None else max(0, found[1])
    count = len(decl.entries)
    text = f"{count} line{'s' * (count != 1)}, together {low:+d}..{high:+d}"
    if unknown:
        text += f" and {unknown} of any size"
    return [text + (", then what multiplies or limits" if len(adding) < count else "")]


# ------------------------------------------------------------------------------------------------------ cells


def _cell(names: Names, source: SourceFile, found: Found) -> str | None:
    """A cell of a drawn table: its row and column, and how often its column or row has this result."""
    text: RulesText | None = rules_text(source.text) if source.path.endswith(".grog") else None
    chunk = text.chunk_at(found.place.line) if text is not None else None
    if chunk is None or chunk.heading not in ("table", "replace"):
        return None
    heading = [w for w in chunk.code if w.line == chunk.first]
    entry = next((names.world.callables[w.text] for w in heading if w.text in names.world.callables), None)
    if entry is None or not isinstance(entry.decl, syn.TableDecl):
        return None
    rows = _rows(chunk.words)
    lines = sorted(rows)
    if found.place.line not in rows or len(lines) < 2 or found.place.line == lines[0]:
        return None
    row = rows[found.place.line]
    column = next((n for n, word in enumerate(row) if word.start <= found.place.start <= word.end), None)
    top = rows[lines[0]]
    if column is None or column == 0:
        return None
    offset = len(row) - len(top)  # the first cell of the heading is often empty
    if not 0 <= column - offset < len(top):
        return None
    value = row[column].text
    said = [f"```grog\n{entry.name}({row[0].text}; {top[column - offset].text}) = {value}\n```"]
    said += _shares(entry, row[1:], [w.text for w in top[-len(row) + 1 :]], value, -1)
    down = [(rows[n][0].text, rows[n][column]) for n in lines[1:] if len(rows[n]) > column]
    said += _shares(entry, [w for _, w in down], [key for key, _ in down], value, 0)
    said += [section_text(names, name) for name in entry.cites[:3]]
    return "\n\n".join(said)


def _shares(entry: Callable_, cells: list[Word], keys: list[str], value: str, axis: int) -> list[str]:
    """How likely the result is along an axis that dice are read on."""
    name, type_ = entry.params[axis]
    die = type_.sort == "int" and re.search(r"die|dice|roll|throw", name)
    if not die:
        return []
    weights: Counter[str] = Counter()
    total = 0
    sums = _SUMS.get(str(type_))
    for key, cell in zip(keys, cells, strict=False):
        lo, _, hi = key.partition("..")
        for number in range(_int(lo), _int(hi or lo) + 1):
            weight = _ways(number, *sums) if sums else 1
            weights[cell.text] += weight
            total += weight
    if not total:
        return []
    what = f"{sums[0]}d{sums[1]}" if sums else f"each of {total} values of `{name}` alike"
    spread = ", ".join(f"{text} {count}/{total}" for text, count in weights.most_common())
    percent = 100 * weights[value] / total
    return [f"{value}: {weights[value]} of {total}, {percent:.1f} % ({what})", f"all: {spread}"]


def _int(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        return 0


def _ways(total: int, dice: int, faces: int) -> int:
    if dice == 0:
        return int(total == 0)
    return sum(_ways(total - face, dice - 1, faces) for face in range(1, faces + 1))


def _rows(words: tuple[Word, ...]) -> dict[int, list[Word]]:
    found: dict[int, list[Word]] = {}
    barred = {w.line for w in words if w.text == "|"}
    for word in words:
        if word.line in barred and word.kind in ("cell", "text"):
            found.setdefault(word.line, []).append(word)
    return found
