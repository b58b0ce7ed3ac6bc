"""`grognard errata`: the sheets of errata of a title, and a new one to write into."""

from __future__ import annotations

import argparse
import datetime
import re
from typing import TYPE_CHECKING, Any

from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError, listed, quoted
from grognard.cli.loading import add_json, add_title, missing_title

if TYPE_CHECKING:
    from grognard.contract.errata import Sheet, Sheets

ACTIONS = ("list", "show", "new")
#: Characters of a file's name that a sheet gets.
LONGEST = 60

NEW = """\
# {heading}
# A change says what the printed rules say now and what is right; if the old text is not what it finds, `grognard check` says so.
# Behind a change, in brackets, stand the sections that it belongs to.  `grognard diff` shows what it does in play.
errata "{name}" {date}{cites}
{notes}  # A cell of a table or of a kind, a line of a list of modifiers, part of a rule:
  #   amend table crt: (better, 0) miss -> hit            [9.2]
  #   amend kind Terrain: woods.cover 1 -> 2              [4.3]
  #   amend modifiers attack_drm: river -2 -> -3        [9.6]
  #   amend modifiers attack_drm: drop suppressed       [9.6]
  #   amend rule defence: t.rear -> t.rear - 1            [7.2]
  # Something that was forgotten:
  #   add to modifiers attack_drm                         [9.6]
  #     -1 "at night" when night
  #   exception to los when smoke(a) > 0                  [8.1]
  #     = no
  #   replace rule may_enter(u: Unit) -> flag [5.2] = u.moved is no
  # The example of play of that title as it is now:
  #   example "7.1 rifles B fire at A"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help="list, show or new")
    add_title(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", help="the sheet (for show and new)")
    parser.add_argument(
        "--date", metavar="YYYY-MM-DD", help="of a new sheet: when it was published (default: today)"
    )
    parser.add_argument("--source", metavar="TEXT", help="of a new sheet: who published it, and where")
    parser.add_argument("--reason", metavar="TEXT", help="of a new sheet: why the rules are changed")
    parser.add_argument(
        "--cite",
        metavar="ID",
        action="append",
        default=[],
        help="of a new sheet: what it is cited as (repeatable)",
    )
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    sheets = _sheets(args.title, console)
    if args.action == "list":
        if args.name is not None:
            raise UserError(
                f"{quoted(args.name)} is one argument too many",
                f"grognard errata show {args.title} {quoted(args.name)} shows one sheet",
            )
        return _list(sheets, args, console)
    if args.name is None:
        raise UserError(
            f"which sheet? `errata {args.action}` needs its name",
            f'grognard errata {args.action} {args.title} "NAME"',
        )
    return _new(sheets, args, console) if args.action == "new" else _show(sheets, args, console)


def _sheets(title: str, console: Console) -> Sheets:
    from grognard.compiler_access import errata_sheets
    from grognard.support.diagnostics import Sink, format_text

    sink = Sink()
    found = errata_sheets(title, sink)
    if found is None:
        problems = list(sink)
        alone = missing_title(title, problems)
        if alone is not None:
            raise alone
        console.note(format_text(problems, sink.sources, console.err_color))
        raise UserError(
            f"the files of {quoted(title)} cannot be read", f"`grognard check {title}` shows everything"
        )
    return found


# ----------------------------------------------------------------------------------------------- list, show


def _list(sheets: Sheets, args: argparse.Namespace, console: Console) -> int:
    if args.json:
        console.json({"title": sheets.title, "errata": [_plain(sheet) for sheet in sheets.sheets]})
        return OK
    if not sheets.sheets:
        console.print(f"{sheets.name} has no errata")
        console.print(f'grognard errata new {args.title} "NAME" begins a sheet')
        return OK
    console.print(
        f"{console.style('title', sheets.name)}: {plural(len(sheets.sheets), 'sheet')}, in the order in which they apply"
    )
    rows = [
        (
            str(number),
            sheet.name,
            sheet.date or "no date",
            plural(len(sheet.changes), "change"),
            "yes" if sheet.in_force else "no",
            f"{sheet.file}:{sheet.line}",
        )
        for number, sheet in enumerate(sheets.sheets, 1)
    ]
    console.table(("", "sheet", "date", "changes", "in force", "file"), rows, right=(0,))
    for sheet in sheets.sheets:
        for word, text in (("source", sheet.source), ("reason", sheet.reason)):
            if text:
                console.print(f"{sheet.name}, {word}: {text}")
    return OK


def _show(sheets: Sheets, args: argparse.Namespace, console: Console) -> int:
    sheet = _named(sheets, args.name)
    if args.json:
        console.json({"title": sheets.title, **_plain(sheet)})
        return OK
    place = sheets.sheets.index(sheet) + 1
    console.print(f"{console.style('title', sheet.name)} of {sheets.name}")
    console.print(f"  date      {sheet.date or 'none'}; number {place} of {len(sheets.sheets)} in order")
    for word, text in (("source", sheet.source), ("reason", sheet.reason)):
        console.print(f"  {word}    {text or 'not given'}")
    console.print(f"  in force  {'yes' if sheet.in_force else 'no: title.yaml names others'}")
    console.print(f"  file      {sheet.file}:{sheet.line}")
    for change in sheet.changes:
        console.print()
        for line in change.text.splitlines():
            console.print(f"  {line}")
        for section in change.cites:
            if section in sheets.sections:
                console.print(console.style("dim", f"    {section}: {sheets.sections[section]}"))
    console.print()
    if not sheet.changes:
        console.print(f"it changes nothing yet: write into {sheet.place}")
        return OK
    console.print(f'grognard diff {args.title} --errata "{sheet.name}" shows what it changes in play')
    return OK


def _named(sheets: Sheets, wanted: str) -> Sheet:
    """By its name, its number, or the beginning of its name."""
    from grognard.support.suggest import hint_for

    names = [sheet.name for sheet in sheets.sheets]
    if wanted in names:
        return sheets.sheets[names.index(wanted)]
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:6]) <= len(names):
        return sheets.sheets[int(wanted[:6]) - 1]
    begins = [n for n, name in enumerate(names) if name.casefold().startswith(wanted.casefold())]
    if len(begins) == 1:
        return sheets.sheets[begins[0]]
    if len(begins) > 1:
        raise UserError(f"{quoted(wanted)} can be several sheets", listed([names[n] for n in begins]))
    there = f"there are {listed(names)}" if names else f"{sheets.name} has none"
    raise UserError(f"{sheets.name} has no erratum {quoted(wanted)}", hint_for(wanted, names) or there)


def _plain(sheet: Sheet) -> dict[str, Any]:
    return {
        "name": sheet.name,
        "date": sheet.date,
        "source": sheet.source,
        "reason": sheet.reason,
        "cites": list(sheet.cites),
        "in_force": sheet.in_force,
        "file": sheet.file,
        "line": sheet.line,
        "changes": [{"text": c.text, "cites": list(c.cites), "line": c.line} for c in sheet.changes],
    }


# ------------------------------------------------------------------------------------------------------ new


def _new(sheets: Sheets, args: argparse.Namespace, console: Console) -> int:
    name = " ".join(args.name.split())
    for word, text in (("name", name), ("source", args.source or ""), ("reason", args.reason or "")):
        if '"' in text or not text.isprintable():
            raise UserError(f"the {word} of a sheet is one line without double quotes", None)
    if not name:
        raise UserError("a sheet needs a name", f'grognard errata new {args.title} "living rules 1.1"')
    if any(sheet.name == name for sheet in sheets.sheets):
        raise UserError(
            f"{sheets.name} has an erratum {quoted(name)} already",
            f'grognard errata show {args.title} "{name}" shows it; take another name',
        )
    date = _date(args.date)
    wrong = [cite for cite in args.cite if not re.fullmatch(r"[^\[\],\n]+", cite)]
    if wrong:
        raise UserError(
            f"--cite {quoted(wrong[0])} is no citation", "brackets and commas are left out: --cite err"
        )
    stem = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:LONGEST] or "sheet"
    place = sheets.folder / "errata" / f"{stem}.grog"
    if place.exists():
        raise UserError(f"{place} is there already", "take another name, or write into that file")
    notes = "".join(
        f'  {word} "{text}"\n' for word, text in (("source", args.source), ("reason", args.reason)) if text
    )
    missing = [word for word in ("source", "reason") if not getattr(args, word)]
    notes += "".join(f'  # {word} "..."\n' for word in missing)
    text = NEW.format(
        heading=f"{name}, {date}",
        name=name,
        date=date,
        cites=f" [{', '.join(args.cite)}]" if args.cite else "",
        notes=notes,
    )
    place.parent.mkdir(exist_ok=True)
    place.write_text(text, encoding="utf-8")
    in_force = sheets.chosen is None
    if args.json:
        console.json(
            {"title": sheets.title, "name": name, "date": date, "file": str(place), "in_force": in_force}
        )
        return OK
    console.print(f"{place}: an empty sheet, {name}, {date}")
    if missing:
        console.print(f"still to be written there: {' and '.join(missing)}")
    if not in_force:
        console.print("title.yaml names the errata in force: add this one to `errata:`")
    console.print(f'write the changes there; then grognard diff {args.title} --errata "{name}"')
    return OK


def _date(given: str | None) -> str:
    if given is None:
        return datetime.date.today().isoformat()
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", given, re.ASCII):
            return datetime.date.fromisoformat(given).isoformat()
    except ValueError:
        pass
    raise UserError(f"--date {quoted(given)} is no date", "write it as 2009-03-01")
