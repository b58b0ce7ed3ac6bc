"""Conditions of a game file as expressions of the language.  What they cannot say is NotCarried, with the line."""

from __future__ import annotations

import re

from grognard.compiler.importers.remarks import NotCarried
from grognard.compiler.importers.triplea.game import Attachment, Game, Option

#: Options that change nothing of what a condition says.
SILENT = {
    "conditions", "trigger", "conditionType", "invert", "objectiveValue", "uses", "unitPresence", "notification",
    "countEach", "eachMultiple",
}  # fmt: skip
_DEEPEST = 30


#: Words for places that stand where names of places could: what of a land `t`, and of a space `u.at`, is asked.
GROUPS = {
    "original": ("t.owner is {me}", "owner_of_space(u.at) is {me}"),
    "controlled": ("t.controller is {me}", "controller_of(u.at) is {me}"),
    "enemy": ("at_war(t.controller, {me})", "at_war(controller_of(u.at), {me})"),
    "map": ("not t.barred", "u.at is not none"),
    "all": ("not t.barred", "u.at is not none"),
}


def many_places(names: list[str]) -> tuple[str, str] | None:
    """What a word for many places asks; None for names of places."""
    return GROUPS.get(names[0].removesuffix("NoWater")) if len(names) == 1 else None


class Conditions:
    """Those of a game, by name; `switches` are those that triggers turn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.known = {a.name: a for a in game.of_kind("RulesAttachment")}
        #: condition -> the field that says how its switch stands
        self.switches: dict[str, str] = {}
        self._open: list[str] = []

    def named(self, option: Option, joined: str) -> str:
        """The conditions that an attachment names, joined as it says."""
        texts = []
        for name in option.parts:
            if name not in self.known:
                raise NotCarried(f"it names the condition {name}, which is not there", option.line)
            texts.append(self.text(self.known[name]))
        return join(texts, joined, option.line)

    def of(self, attachment: Attachment) -> str:
        """What an attachment that is no condition itself waits for; `yes` without any."""
        options = [*attachment.all("conditions"), *attachment.all("trigger")]
        kind = attachment.text("conditionType", "AND")
        texts = [self.named(option, kind) for option in options]
        text = join(texts, "AND", attachment.line) if texts else "yes"
        return f"not ({text})" if attachment.yes("invert") else text

    def text(self, a: Attachment, *, leave_each: bool = False) -> str:
        """A condition.  With `leave_each` what it counts each of is left out: it is paid for, not tested."""
        if a.name in self._open or len(self._open) > _DEEPEST:
            raise NotCarried("its conditions name each other in a circle", a.line)
        self._open.append(a.name)
        try:
            texts = [self.of_named(a)] if a.option("conditions") else []
            for option in a.options:
                if option.name in SILENT or (leave_each and is_each(option)):
                    continue
                texts.append(self._option(a, option))
        finally:
            self._open.pop()
        text = join(texts, "AND", a.line) if texts else "yes"
        return f"not ({text})" if a.yes("invert") else text

    def of_named(self, a: Attachment) -> str:
        kind = a.text("conditionType", "AND")
        return join([self.named(option, kind) for option in a.all("conditions")], "AND", a.line)

    def each(self, a: Attachment) -> str | None:
        """What an objective pays for each of; None if it pays once."""
        options = [option for option in a.options if is_each(option)]
        if len(options) > 1:
            raise NotCarried("it counts two things", options[1].line)
        return self._counted(a, options[0]) if options else None

    # ---- single options

    def _option(self, a: Attachment, option: Option) -> str:
        if not self.game.plays(a.to) and option.name != "switch":
            raise NotCarried(f"it is about {a.to}, who is no power of the series", option.line)
        me = self.game.power(a.to) if self.game.plays(a.to) else ""
        if option.name == "atWarPlayers":
            names, count = number_first(option)
            powers = [self._player(name, option) for name in names]
            least = 0 if count is None else count
            enemies = f"{{{', '.join(powers)}}}"
            if least <= 0:
                return f"not any(x in {enemies} where at_war({me}, x))"
            return f"count(x in {enemies} where at_war({me}, x)) >= {least}"
        if option.name == "relationship":
            return self._relation(option)
        if option.name in ("rounds", "turns"):
            return rounds(option)
        if option.name == "switch":
            return self.switches.setdefault(a.name, f"switch_{len(self.switches) + 1}")
        if option.name == "chance" and option.value in ("1:1", "1"):
            return "yes"
        counted = self._counted(a, option)
        names, count = number_first(option)
        most = self._total(a, names, option)
        wanted = most if count is None else str(count)
        if wanted == "0":
            return "yes"
        return f"{counted} >= {wanted}"

    def _total(self, a: Attachment, names: list[str], option: Option) -> str:
        many = many_places(names)
        if many is not None:
            if not option.name.endswith("OwnershipTerritories"):
                return "1"
            return f"count(t in Territory where {many[0].format(me=self.game.power(a.to))})"
        return str(len(names))

    def _counted(self, a: Attachment, option: Option) -> str:
        """How many of the places that an option names are as it says."""
        found = re.fullmatch(
            r"(direct|allied|enemy|enemySurface)(Ownership|Exclusion|Presence)Territories", option.name
        )
        if found is None:
            raise NotCarried(f"the series has no words for `{option.name}`", option.line)
        who, what = found.groups()
        names, _ = number_first(option)
        many = many_places(names)
        if not self.game.plays(a.to):
            raise NotCarried(f"it is about {a.to}, who is no power of the series", option.line)
        me = self.game.power(a.to)
        side = self.game.sides[a.to]
        if what == "Ownership":
            test = f"t.controller is {me}" if who == "direct" else f"held(t, {side})"
            if who.startswith("enemy"):
                test = f"at_war(t.controller, {me})"
            if many is not None:
                return f"count(t in Territory where {many[0].format(me=me)} and {test})"
            return f"count(t in {self._places(names, option, sea=False)} where {test})"
        there = self._units(a, who, option)
        if many is not None:
            home = many[1].format(me=me)
            held = f"any(u in Unit where {'' if home.startswith('u.at') else 'u.at is not none and '}{home} and {there})"
            return f"(1 if {'not ' if what == 'Exclusion' else ''}{held} else 0)"
        negated = "not " if what == "Exclusion" else ""
        seas = [name for name in names if self.game.water.get(name)]
        parts = []
        for group, sort, var in ((seas, "sea", "z"), ([n for n in names if n not in seas], "land", "t")):
            if group:
                places = self._places(group, option, sea=sort == "sea")
                parts.append(
                    f"count({var} in {places} where {negated}any(u in Unit where u.at is {var} and {there}))"
                )
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    def _units(self, a: Attachment, who: str, option: Option) -> str:
        me = self.game.power(a.to)
        side = self.game.sides[a.to]
        tests = {
            "direct": f"u.power is {me}",
            "allied": f"u.power is not none and u.power.side is {side} and u.power is not {me}",
            "enemy": f"at_war(u.power, {me})",
            "enemySurface": f"u.surface and at_war(u.power, {me})",
        }
        test = tests[who]
        presence = a.all("unitPresence")
        if len(presence) > 1:
            raise NotCarried("it asks for two sorts of units", presence[1].line)
        if presence:
            names, _ = number_first(presence[0])
            kinds = []
            for name in names:
                if name in ("any", "ANY"):
                    return test
                if not self.game.unit_ids.get(name, "").startswith("UnitType."):
                    raise NotCarried(f"it looks for {name}, which is no unit of the title", presence[0].line)
                kinds.append(self.game.unit_ids[name])
            test += f" and u.type in {{{', '.join(kinds)}}}"
        return test

    def _places(self, names: list[str], option: Option, *, sea: bool) -> str:
        for name in names:
            if name not in self.game.ids or name not in self.game.water:
                raise NotCarried(f"it names `{name}`, which is no place of the map", option.line)
            if self.game.water[name] is not sea:
                raise NotCarried(f"`{name}` is {'land' if sea else 'sea'}", option.line)
        return f"{{{', '.join(self.game.place(name) for name in names)}}}"

    def _player(self, name: str, option: Option) -> str:
        if not self.game.plays(name):
            raise NotCarried(f"it is about {name}, who is no power of the series", option.line)
        return self.game.power(name)

    def _with_neutrals(self, neutral: str, side: str | None, sort: str, option: Option) -> str:
        """How the lands of a neutral stand to a side: the series keeps it with each land."""
        lands = [
            n
            for n, owner in self.game.owners.items()
            if owner == neutral and not self.game.water.get(n, True)
        ]
        if side is None or not lands:
            raise NotCarried(f"it is about {neutral}, who has no land or stands to nobody", option.line)
        if self.game.is_war(sort) or sort.startswith("unfriendly"):
            stands = f"other(Side.{side})"
        elif sort in ("anyneutral", "neutrality") or sort.startswith("strict"):
            stands = "none"
        else:
            stands = f"Side.{side}"
        return (
            f"any(t in {self._places(lands, option, sea=False)} where neutral(t) and leaning(t) is {stands})"
        )

    def _relation(self, option: Option) -> str:
        parts = option.parts
        if len(parts) < 3:
            raise NotCarried("it is no relationship of two", option.line)
        neutral = next(
            (name for name in parts[:2] if name in self.game.sides and not self.game.plays(name)), None
        )
        if neutral is not None:
            other = parts[1] if parts[0] == neutral else parts[0]
            return self._with_neutrals(neutral, self.game.sides.get(other), parts[2].lower(), option)
        a, b = (self._player(name, option) for name in parts[:2])
        if len(parts) > 3 and parts[3] not in ("-1", "1", "0"):
            raise NotCarried("it asks how long a relationship has lasted", option.line)
        return f"at_war({a}, {b})" if self.game.is_war(parts[2]) else f"not at_war({a}, {b})"


def is_each(option: Option) -> bool:
    return option.count == "each" or option.value.startswith("each:")


def number_first(option: Option) -> tuple[list[str], int | None]:
    """Names and how many of them count: in an attribute, or before the names."""
    parts = option.parts
    if option.count.isdigit():
        return parts, int(option.count)
    if parts and parts[0].isdigit() and len(parts) > 1:
        return parts[1:], int(parts[0])
    if parts and parts[0] == "each":
        return parts[1:], None
    return parts, None


def rounds(option: Option) -> str:
    found = re.fullmatch(r"(\d+)(?:-(\d+|\+))?", option.value.strip())
    if found is None:
        raise NotCarried(f"`{option.value}` is no range of rounds", option.line)
    first, last = found.groups()
    if int(first) == 0 and last in (None, "0"):
        raise NotCarried("it waits for round 0, which never comes", option.line)
    if last is None:
        return f"round is {first}"
    return f"round >= {first}" + ("" if last == "+" else f" and round <= {last}")


def join(texts: list[str], kind: str, line: int) -> str:
    """Conditions together: all of them, any, or as many as a number says."""
    if len(texts) == 1:
        return texts[0]
    if kind.upper() in ("AND", "OR"):
        known = dict.fromkeys(texts)
        if kind.upper() == "AND":
            known.pop("yes", None)
        word = f" {kind.lower()} "
        return word.join(f"({text})" if re.search(r" (?:and|or) ", text) else text for text in known) or "yes"
    if kind.isdigit():
        return f"({' + '.join(f'(1 if {text} else 0)' for text in texts)}) >= {kind}"
    bounds = re.fullmatch(r"(\d+)-(\d+)", kind)
    if bounds is not None:
        number = f"({' + '.join(f'(1 if {text} else 0)' for text in texts)})"
        return f"{number} >= {bounds[1]} and {number} <= {bounds[2]}"
    raise NotCarried(f"conditions joined by `{kind}`", line)
