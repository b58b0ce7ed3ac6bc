"""Layers: series -> title -> scenario -> errata, merged into one list of declarations.

A later layer never edits an earlier file: it adds to, makes an exception to, replaces or amends what is there.
Amendments compare syntax trees, not text, and refuse to apply when the old value is not what they find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grognard.compiler.layers.headings import heading_of
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute
from grognard.compiler.syntax.walk import walk as walk  # also for bots/knowledge.py
from grognard.support.diagnostics import Label, Sink
from grognard.support.lazy_attributes import LazyAttributes
from grognard.support.source import Span
from grognard.support.suggest import hint_for


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer's files.  `rank` orders layers: 0 series, 1 title, 2 scenario, 3 and up errata."""

    rank: int
    name: str
    trees: tuple[syn.FileTree, ...]


@dataclass(slots=True)
class Merged(LazyAttributes):
    """The declarations in force after all layers."""

    decls: list[tuple[int, syn.Decl]] = field(default_factory=list)
    exceptions: list[tuple[int, syn.ExceptionDecl]] = field(default_factory=list)
    examples: list[tuple[int, syn.ExampleDecl]] = field(default_factory=list)
    #: amendments to rows that live in YAML, applied when the file is read
    data_amends: list[syn.Amend] = field(default_factory=list)
    options: dict[str, tuple[str, Span]] = field(default_factory=dict)
    by_design: list[syn.ByDesign] = field(default_factory=list)
    errata: list[str] = field(default_factory=list)


def merge(layers: Sequence[Layer], errata: Sequence[str] | None, sink: Sink) -> Merged:
    """Merge the layers.  `errata` names those in force; None or the word `all`: every one.  They apply in order of their date."""
    if errata is not None and "all" in errata:
        errata = None
    merger = _Merger(sink)
    pending: list[tuple[int, syn.ErrataDecl]] = []
    for layer in layers:
        for tree in layer.trees:
            for decl in tree.decls:
                if isinstance(decl, syn.ErrataDecl):
                    pending.append((layer.rank, decl))
                else:
                    merger.take(layer.rank, decl)
    seen: dict[str, syn.ErrataDecl] = {}
    for _rank, erratum in pending:
        if erratum.name in seen:
            sink.error(
                "GR0505",
                erratum.span,
                f'erratum "{erratum.name}" is declared twice',
                labels=(Label(seen[erratum.name].span, "first declared here"),),
            )
        seen[erratum.name] = erratum
    if errata is not None:
        for name in errata:
            if name not in seen:
                known = ", ".join(f'"{other}"' for other in seen)
                hint = hint_for(name, list(seen)) or (
                    f"there are {known}" if known else "this title has none"
                )
                sink.error("GR0508", None, f'there is no erratum "{name}"', hint=hint)
    for number, (_rank, erratum) in enumerate(sorted(pending, key=lambda entry: entry[1].date)):
        if errata is None or erratum.name in errata:
            merger.merged.errata.append(erratum.name)
            for patch in erratum.patches:
                merger.take(3 + number, patch)
    merger.check_required()
    return merger.merged


def declared_name(decl: syn.Decl) -> tuple[str, str] | None:
    """(name space, name) of a declaration that may stand only once."""
    match decl:
        case syn.EnumDecl() | syn.KindDecl() | syn.PieceDecl() | syn.FormDecl():
            return ("type", decl.name)
        case syn.SpaceDecl():
            return ("type", decl.name)
        case syn.SidesDecl():
            return ("sides", "sides")
        case (
            syn.TableDecl()
            | syn.ModifiersDecl()
            | syn.RuleDecl()
            | syn.ProcedureDecl()
            | syn.ActionDecl()
            | syn.MenuDecl()
            | syn.SightDecl()
            | syn.ArcDecl()
            | syn.MovementDecl()
            | syn.RelationDecl()
        ):
            return ("callable", decl.name)
        case syn.EventDecl():
            return ("event", decl.name)
        case syn.OptionDecl():
            return ("option", decl.name)
        case syn.DieDecl():
            return ("die", decl.name)
        case syn.BagDecl():
            return ("bag", decl.name)
        case syn.PolicyDecl():
            return ("policy", decl.name)
        case syn.SituationDecl():
            return ("situation", decl.name)
        case syn.VictoryDecl():
            return ("victory", "victory")
        case syn.SequenceDecl():
            return ("sequence", decl.name)
    return None


class _Merger:
    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.merged = Merged()
        self.index: dict[tuple[str, str], int] = {}
        #: places of the examples with a title
        self.examples: dict[str, list[int]] = {}
        self.required: dict[str, syn.Required] = {}

    def _example(self, rank: int, decl: syn.ExampleDecl) -> None:
        """A later layer restates an example by its title, in its place."""
        places = self.examples.setdefault(decl.title, [])
        for place in places:
            if self.merged.examples[place][0] < rank:
                self.merged.examples[place] = (rank, decl)
                return
        places.append(len(self.merged.examples))
        self.merged.examples.append((rank, decl))

    def take(self, rank: int, decl: syn.Decl) -> None:
        match decl:
            case syn.Header() | syn.Include():
                return
            case syn.ByDesign():
                self.merged.by_design.append(decl)
            case syn.ExampleDecl():
                self._example(rank, decl)
            case syn.ExceptionDecl():
                self.merged.exceptions.append((rank, decl))
            case syn.SetOption():
                self.merged.options[decl.name] = (decl.value, decl.span)
            case syn.AddTo():
                self._add_to(decl)
            case syn.Required():
                self._require(decl)
            case syn.Replace():
                self._replace(rank, decl)
            case syn.Amend():
                self._amend(decl)
            case _:
                self._declare(rank, decl)

    def _declare(self, rank: int, decl: syn.Decl) -> None:
        key = declared_name(decl)
        if key is not None:
            if key in self.index:
                first = self.merged.decls[self.index[key]][1]
                what = f"`{key[1]}`" if key[1] else "the sequence of play"
                self.sink.error(
                    "GR0205",
                    decl.span,
                    f"{what} is defined twice",
                    labels=(Label(first.span, "first defined here"),),
                    hint="a later layer says `replace`, `add to` or `exception to`",
                )
                return
            self.index[key] = len(self.merged.decls)
        self.merged.decls.append((rank, decl))

    # ---- definitions that a series requires of its titles

    def _require(self, wanted: syn.Required) -> None:
        first = self.required.get(wanted.decl.name)
        if first is not None:
            self.sink.error(
                "GR0205",
                wanted.span,
                f"`{wanted.decl.name}` is required twice",
                labels=(Label(first.span, "first required here"),),
            )
            return
        self.required[wanted.decl.name] = wanted

    def check_required(self) -> None:
        """Report what is required and missing, or defined with another heading."""
        for name, wanted in self.required.items():
            place = self.index.get(("callable", name))
            what = type(wanted.decl).__name__.removesuffix("Decl").lower()
            if place is None:
                self.sink.error(
                    "GR0512",
                    wanted.span,
                    f"the title must define {what} `{name}`, which is required here",
                    hint=f"write in the title: {heading_of(what, wanted.decl)}",
                )
                self.sink.muted.add(name)
                continue
            made = self.merged.decls[place][1]
            same = all(
                getattr(made, part, None) == getattr(wanted.decl, part, None)
                for part in ("params", "axes", "result")
            )
            if type(made) is not type(wanted.decl) or not same:
                self.sink.error(
                    "GR0512",
                    made.span,
                    f"`{name}` is required with another heading",
                    labels=(Label(wanted.span, "required here"),),
                    hint=f"write {heading_of(what, wanted.decl)}",
                )

    def _find(self, space: str, name: str, span: Span, code: str, what: str) -> int | None:
        place = self.index.get((space, name))
        if place is None:
            known = [n for (s, n) in self.index if s == space]
            self.sink.error(code, span, f"there is no {what} `{name}`", hint=hint_for(name, known))
        return place

    def _update(self, place: int, decl: Any) -> None:
        self.merged.decls[place] = (self.merged.decls[place][0], decl)

    def _replace(self, rank: int, decl: syn.Replace) -> None:
        new = decl.decl
        space = "policy" if isinstance(new, syn.PolicyDecl) else "callable"
        place = self._find(space, new.name, decl.span, "GR0504", "definition to replace called")
        if place is None:
            return
        old = self.merged.decls[place][1]
        if type(old) is not type(new):
            self.sink.error(
                "GR0509",
                decl.span,
                f"`{new.name}` is not the same sort of thing as what it replaces",
                labels=(Label(old.span, "this is replaced"),),
            )
            return
        if getattr(old, "params", ()) != getattr(new, "params", ()):
            self.sink.error(
                "GR0509",
                decl.span,
                f"`{new.name}` takes other parameters than what it replaces",
                labels=(Label(old.span, "this is replaced"),),
            )
            return
        self.merged.decls[place] = (rank, new)
        amends, gone = self.merged.data_amends, ("table", new.name)  # cells go with the table that had them
        amends[:] = [amend for amend in amends if (amend.sort, amend.target) != gone]

    def _add_to(self, add: syn.AddTo) -> None:
        match add.sort:
            case "modifiers" | "menu":
                place = self._find("callable", add.target, add.span, "GR0504", add.sort)
                if place is None:
                    return
                old = self.merged.decls[place][1]
                if isinstance(old, syn.ModifiersDecl) and add.sort == "modifiers":
                    entries = tuple(replace(e, cites=e.cites or add.cites) for e in add.entries)
                    self._update(place, replace(old, entries=old.entries + entries))
                elif isinstance(old, syn.MenuDecl) and add.sort == "menu":
                    self._update(place, replace(old, items=old.items + add.items))
                else:
                    self.sink.error("GR0504", add.span, f"`{add.target}` is not a {add.sort} list")
            case "enum":
                place = self._find("type", add.target, add.span, "GR0504", "enum")
                if place is not None:
                    enum = self.merged.decls[place][1]
                    if isinstance(enum, syn.EnumDecl):
                        self._update(place, replace(enum, members=enum.members + add.members))
                    else:
                        self.sink.error("GR0504", add.span, f"`{add.target}` is not an enum")
            case "rows" | "kind" | "piece" | "record" | "space":
                place = self._find("type", add.target, add.span, "GR0504", add.sort)
                if place is None:
                    return
                old = self.merged.decls[place][1]
                if add.sort == "rows" and isinstance(old, syn.KindDecl):
                    self._update(place, replace(old, rows=old.rows + add.rows))
                elif add.up_to is not None:
                    self._make_room(place, old, add)
                elif isinstance(old, syn.KindDecl | syn.PieceDecl | syn.SpaceDecl):
                    self._update(place, replace(old, fields=old.fields + add.fields))
                else:
                    self.sink.error("GR0504", add.span, f"fields cannot be added to `{add.target}`")
            case "form":
                place = self._find("type", add.target, add.span, "GR0504", "form")
                form = self.merged.decls[place][1] if place is not None else None
                if place is not None and isinstance(form, syn.FormDecl):
                    self._update(
                        place,
                        replace(
                            form,
                            columns=form.columns
                            + tuple(p for p in add.parts if isinstance(p, syn.FieldDecl)),
                            members=form.members
                            + tuple(p for p in add.parts if isinstance(p, syn.FormMember)),
                            body=form.body
                            + tuple(p for p in add.parts if isinstance(p, syn.RequireStmt | syn.FormField)),
                        ),
                    )
                elif place is not None:
                    self.sink.error("GR0504", add.span, f"`{add.target}` is not a form")
            case "movement":
                place = self._find("callable", add.target, add.span, "GR0504", "movement")
                move = self.merged.decls[place][1] if place is not None else None
                if place is not None and isinstance(move, syn.MovementDecl):
                    clauses = tuple(p for p in add.parts if isinstance(p, syn.MoveClause))
                    gaits = tuple(p for p in add.parts if isinstance(p, syn.Gait))
                    self._update(
                        place, replace(move, clauses=move.clauses + clauses, gaits=move.gaits + gaits)
                    )
                elif place is not None:
                    self.sink.error("GR0504", add.span, f"`{add.target}` is not a movement")
            case "policy":
                place = self._find("policy", add.target, add.span, "GR0504", "policy")
                if place is not None:
                    policy = self.merged.decls[place][1]
                    assert isinstance(policy, syn.PolicyDecl)
                    # The first line that applies decides, and later layers have precedence.
                    self._update(place, replace(policy, lines=add.lines + policy.lines))
            case "class":
                self._add_to_class(add)
            case "sequence":
                self._add_to_sequence(add)

    def _make_room(self, place: int, old: syn.Decl, add: syn.AddTo) -> None:
        """How many there can be is said by the title as well: its scenarios are larger or smaller than others."""
        if not isinstance(old, syn.PieceDecl) or old.record is not (add.sort == "record"):
            self.sink.error("GR0504", add.span, f"`{add.target}` is not a {add.sort}")
        elif old.record and old.up_to is None:
            self.sink.error(
                "GR0504",
                add.span,
                f"`{add.target}` is a bundle of values, of which any number can be made",
                labels=(Label(old.span, "declared without `up to`"),),
            )
        else:
            self._update(place, replace(old, up_to=add.up_to, fields=old.fields + add.fields))

    def _add_to_sequence(self, add: syn.AddTo) -> None:
        """Insert phases before or after an existing one."""
        for place, (_rank, decl) in enumerate(self.merged.decls):
            if isinstance(decl, syn.SequenceDecl) and (not add.target or decl.name == add.target):
                body, done = _insert(decl.body, add)
                if done:
                    self._update(place, replace(decl, body=body))
                    return
        names = [
            node.name
            for _, decl in self.merged.decls
            if isinstance(decl, syn.SequenceDecl)
            for node in walk(decl)
            if isinstance(node, syn.PhaseStmt)
        ]
        self.sink.error(
            "GR0504",
            add.span,
            f"no sequence has a phase `{add.around[1]}`",
            hint=hint_for(add.around[1], names),
        )

    def _add_to_class(self, add: syn.AddTo) -> None:
        for place, (_rank, decl) in enumerate(self.merged.decls):
            if isinstance(decl, syn.SpaceDecl) and any(c.name == add.target for c in decl.classes):
                classes = tuple(
                    replace(c, fields=c.fields + add.fields) if c.name == add.target else c
                    for c in decl.classes
                )
                self._update(place, replace(decl, classes=classes))
                return
        self.sink.error("GR0504", add.span, f"there is no class `{add.target}`")

    # ---- amendments

    def _amend(self, amend: syn.Amend) -> None:
        match amend.sort:
            case "entry" | "drop":
                self._amend_entry(amend)
            case "rule":
                self._amend_rule(amend)
            case "table":
                place = self._find("callable", amend.target, amend.span, "GR0504", "table")
                if place is not None:
                    if isinstance(self.merged.decls[place][1], syn.TableDecl):
                        self.merged.data_amends.append(amend)
                    else:
                        self.sink.error("GR0504", amend.span, f"`{amend.target}` is not a table")
            case "kind" | "rename":
                if self._find("type", amend.target, amend.span, "GR0504", "kind") is not None:
                    self.merged.data_amends.append(amend)

    def _amend_entry(self, amend: syn.Amend) -> None:
        place = self._find("callable", amend.target, amend.span, "GR0504", "modifiers list")
        if place is None:
            return
        decl = self.merged.decls[place][1]
        if not isinstance(decl, syn.ModifiersDecl):
            self.sink.error("GR0504", amend.span, f"`{amend.target}` is not a modifiers list")
            return
        names = [e.name for e in decl.entries]
        if amend.label not in names:
            self.sink.error(
                "GR0504",
                amend.span,
                f"`{amend.target}` has no entry `{amend.label}`",
                hint=hint_for(amend.label, names),
            )
            return
        number = names.index(amend.label)
        entry = decl.entries[number]
        if amend.sort == "drop":
            entries = decl.entries[:number] + decl.entries[number + 1 :]
        else:
            if entry.value != amend.old:
                self.sink.error(
                    "GR0503",
                    amend.span,
                    f"`{amend.label}` does not have the value that the erratum expects",
                    labels=(Label(entry.span, "this is what it finds"),),
                )
                return
            changed = replace(entry, value=amend.new, cites=amend.cites or entry.cites)
            entries = (*decl.entries[:number], changed, *decl.entries[number + 1 :])
        self._update(place, replace(decl, entries=entries))

    def _amend_rule(self, amend: syn.Amend) -> None:
        place = self._find("callable", amend.target, amend.span, "GR0504", "rule")
        if place is None:
            return
        decl = self.merged.decls[place][1]
        if not isinstance(decl, syn.RuleDecl):
            self.sink.error("GR0504", amend.span, f"`{amend.target}` is not a rule")
            return
        body, count = substitute(decl.body, amend.old, amend.new)
        if count == 0:
            self.sink.error(
                "GR0503",
                amend.span,
                f"rule `{amend.target}` does not contain what the erratum expects",
                labels=(Label(decl.span, "the rule as it is now"),),
            )
            return
        self._update(place, replace(decl, body=body, cites=_more(decl.cites, amend.cites)))


def _more(a: syn.Cites, b: syn.Cites) -> syn.Cites:
    return syn.Cites(a.ids + tuple(i for i in b.ids if i not in a.ids), a.span or b.span)


def _insert(body: tuple[Any, ...], add: syn.AddTo) -> tuple[tuple[Any, ...], bool]:
    """The statements with the additions beside the phase they name, at any depth."""
    made: list[Any] = []
    done = False
    for statement in body:
        if not done and isinstance(statement, syn.PhaseStmt) and statement.name == add.around[1]:
            made += [*add.body, statement] if add.around[0] == "before" else [statement, *add.body]
            done = True
            continue
        inner = getattr(statement, "body", None)
        if not done and isinstance(inner, tuple):
            inside, done = _insert(inner, add)
            statement = replace(statement, body=inside) if done else statement
        made.append(statement)
    return tuple(made), done
