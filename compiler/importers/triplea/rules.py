"""What a game file says of objectives, politics, events and victory, as rules of a title."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from grognard.compiler.importers.remarks import NotCarried, Remarks
from grognard.compiler.importers.triplea.conditions import Conditions
from grognard.compiler.importers.triplea.game import Attachment, Game, Option

HANDLED = {
    "RulesAttachment", "TriggerAttachment", "PoliticalActionAttachment", "UnitAttachment", "UnitSupportAttachment",
    "TerritoryAttachment", "CanalAttachment", "RelationshipTypeAttachment",
}  # fmt: skip
#: What triggers may do that the series has rules of its own for, or none at all.
EFFECTS = (
    "support", "unitProperty", "territoryProperty", "playerProperty", "frontier", "productionRule", "tech", "availableTech",
    "purchase", "changeOwnership", "removeUnits", "activateTrigger", "relationshipTypeProperty", "technologyProperty",
)  # fmt: skip


@dataclass(slots=True)
class Rules:
    objectives: list[str] = field(default_factory=list)
    #: (who declares, on whom) -> when he may
    declares: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    #: who declares, on whom -> wars that begin with it
    follows: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    events: list[list[str]] = field(default_factory=list)
    victory: dict[str, list[str]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    #: objectives that pay a number of times: power, condition, counter
    limited: list[tuple[str, str, str]] = field(default_factory=list)
    switches: dict[str, bool] = field(default_factory=dict)


def read_rules(game: Game, remarks: Remarks) -> Rules:
    conditions = Conditions(game)
    rules = Rules()
    labels: set[str] = set()
    for a in game.of_kind("RulesAttachment"):
        _attempt(remarks, a, partial(_objective, game, rules, conditions, labels, a))
        for option in a.options:
            if re.match(r"movementRestriction|placement|production|dominating|unlimited", option.name):
                remarks.add(
                    option.line,
                    f"{a.to}: {option.name} {option.value}",
                    "the series restricts no single power so",
                )
    for a in game.of_kind("PoliticalActionAttachment"):
        _attempt(remarks, a, partial(_action, game, rules, conditions, remarks, a))
    for a in game.of_kind("TriggerAttachment"):
        _attempt(remarks, a, partial(_trigger, game, rules, conditions, labels, remarks, a))
    for a in game.attachments:
        if a.kind not in HANDLED and not a.kind.startswith("Tech"):
            remarks.add(
                a.line,
                f"{a.kind or 'attachment'} {a.name} of {a.to}",
                "attachments of this sort are not known",
            )
    research = [a for a in game.attachments if a.kind.startswith("Tech")]
    if research:
        remarks.add(
            research[0].line, f"{len(research)} attachments of research", "the series has no research"
        )
    for name, switch in conditions.switches.items():
        rules.switches[switch] = conditions.known[name].text("switch").lower() == "true"
    return rules


def _attempt(remarks: Remarks, a: Attachment, read: Callable[[], None]) -> None:
    try:
        read()
    except NotCarried as problem:
        remarks.add(problem.line, a.name, problem.why)
    except (KeyError, IndexError, ValueError) as problem:
        # Such as a name that nothing bears: one attachment less, not a game less.
        remarks.add(a.line, a.name, f"it cannot be read ({problem})")


def label_of(name: str, labels: set[str]) -> str:
    text = re.sub(r"^(?:objective|trigger|condition|rules)Attachment_?", "", name)
    text = " ".join(re.sub(r"[^\w]+|_", " ", text).split()) or "objective"
    made, more = text, 2
    while made in labels:
        made, more = f"{text} {more}", more + 1
    labels.add(made)
    return made


def _limit(rules: Rules, a: Attachment) -> str | None:
    """The counter of what happens a number of times only."""
    uses = a.number("uses", -1)
    if uses < 0:
        return None
    counter = f"times_{len(rules.counters) + 1}"
    rules.counters[counter] = max(1, min(uses, 99))
    return counter


def _objective(game: Game, rules: Rules, conditions: Conditions, labels: set[str], a: Attachment) -> None:
    value = a.number("objectiveValue")
    if value == 0 or not game.plays(a.to):
        return
    if not 0 < value <= 99:
        raise NotCarried(f"an objective of {value}", a.line)
    each = conditions.each(a)
    _pay(game, rules, labels, a, a.to, value, conditions.text(a, leave_each=True), each)


def _pay(
    game: Game,
    rules: Rules,
    labels: set[str],
    a: Attachment,
    to: str,
    value: int,
    when: str,
    each: str | None,
) -> None:
    me = game.power(to)
    tests = [f"p is {me}"] + ([f"({when})" if re.search(r"\bor\b", when) else when] if when != "yes" else [])
    counter = _limit(rules, a)
    if counter is not None:
        rules.limited.append((me, when, counter))
        tests.append(f"{counter} < {rules.counters[counter]}")
    times = f" * {each}" if each is not None else ""
    rules.objectives.append(f'+{value}{times} "{label_of(a.name, labels)}" when {" and ".join(tests)}')


def _wars(game: Game, a: Attachment, place: int) -> list[tuple[str, str]]:
    """The wars that an attachment begins between powers of the two sides."""
    found = []
    for option in a.all("relationshipChange"):
        parts = option.parts
        if len(parts) <= place or not game.is_war(parts[place]):
            continue
        p, q = parts[:2]
        if game.plays(p) and game.plays(q) and game.sides[p] != game.sides[q]:
            found.append((p, q))
    return found


def _action(game: Game, rules: Rules, conditions: Conditions, remarks: Remarks, a: Attachment) -> None:
    wars = _wars(game, a, 2)
    if not game.plays(a.to) or not wars:
        remarks.add(
            a.line,
            a.name,
            "of actions only those that begin a war between powers; neutrals have rules of their own",
        )
        return
    if a.option("costPU") or a.option("costResources"):
        remarks.add(a.line, a.name, "declaring war costs nothing in the series")
    own = [(p, q) if p == a.to else (q, p) for p, q in wars if a.to in (p, q)]
    if not own:
        raise NotCarried("it begins a war of others alone", a.line)
    when = conditions.of(a)
    for p, q in own:
        rules.declares.setdefault((p, q), []).append(when)
        others = [war for war in wars if set(war) != {p, q}]
        rules.follows.setdefault((p, q), []).extend(
            war for war in others if war not in rules.follows.get((p, q), [])
        )


def _trigger(
    game: Game, rules: Rules, conditions: Conditions, labels: set[str], remarks: Remarks, a: Attachment
) -> None:
    for name in EFFECTS:
        option = a.option(name)
        switch = name == "playerProperty" and option is not None and option.value == "switch"
        if option is not None and not switch:
            remarks.add(
                option.line,
                f"{a.name}: {name} {option.value}",
                "the series knows no such change of its rules in play",
            )
    effects: list[str] = []
    victory = a.option("victory")
    resource = a.option("resource")
    when = ""
    if victory is not None:
        _victory(game, rules, conditions, a, victory)
        return
    if resource is not None:
        if resource.value != "PUs":
            raise NotCarried(f"the series has no {resource.value}", resource.line)
        value = a.number("resourceCount")
        if not 0 < value <= 99:
            raise NotCarried(f"an income of {value}", resource.line)
        players = a.option("players")
        for player in players.parts if players is not None else [a.to]:
            if game.plays(player):
                _pay(game, rules, labels, a, player, value, conditions.of(a), None)
        return
    effects += _switches(conditions, a)
    for p, q in _wars(game, a, 3) or _wars(game, a, 2):
        x, y = game.power(p), game.power(q)
        effects += [
            f"if not at_war({x}, {y})",
            f"  at_war({x}, {y}) := yes",
            f'  log "{{{x}}} and {{{y}}} are at war"',
        ]
    for option in a.all("placement"):
        effects += _placement(game, a, option)
    if not effects:
        if a.option("relationshipChange"):
            remarks.add(
                a.line,
                a.name,
                "of changes of relations only wars between powers; neutrals have rules of their own",
            )
        return
    when = conditions.of(a)
    counter = _limit(rules, a)
    if counter is not None:
        when = f"{counter} < {rules.counters[counter]}" + (f" and ({when})" if when != "yes" else "")
        effects.append(f"{counter} += 1")
    if a.option("when"):
        remarks.add(
            a.line, f"{a.name}: {a.text('when')}", "it is looked at after each capture and before each income"
        )
    rules.events.append([f"if {when}", *(f"  {line}" for line in effects)])


def _switches(conditions: Conditions, a: Attachment) -> list[str]:
    found = []
    names = a.all("playerAttachmentName") or a.all("rulesAttachmentName")
    for option, name in zip(a.all("playerProperty"), names, strict=False):
        target = next((part for part in (name.count, *name.parts) if part in conditions.known), None)
        if option.value != "switch" or target is None:
            continue
        field_name = conditions.switches.setdefault(target, f"switch_{len(conditions.switches) + 1}")
        found.append(f"{field_name} := {'yes' if option.count.lower() == 'true' else 'no'}")
    return found


def _placement(game: Game, a: Attachment, option: Option) -> list[str]:
    where, *kinds = [part for part in option.parts if not part.isdigit()]
    counted = option.count if option.count.isdigit() else "1"
    if where not in game.ids or game.water[where]:
        raise NotCarried(f"it places units in {where}, which is no land of the map", option.line)
    players = a.option("players")
    owner = players.parts[0] if players is not None and players.parts else a.to
    if not game.plays(owner):
        raise NotCarried(f"it places units of {owner}, who is no power", option.line)
    lines = []
    for kind in dict.fromkeys(kinds):
        unit = game.unit_ids.get(kind, "")
        if not unit.startswith("UnitType."):
            raise NotCarried(f"it places {kind}, which is no unit of the title", option.line)
        number = kinds.count(kind) * int(counted)
        lines += [
            f"repeat {min(number, 40)} times",
            f"  create Unit of {unit} with power = {game.power(owner)}, at = {game.place(where)}, moved = yes",
        ]
    return lines


def _victory(game: Game, rules: Rules, conditions: Conditions, a: Attachment, victory: Option) -> None:
    players = a.option("players")
    names = players.parts if players is not None else [a.to]
    sides = {game.sides.get(name) for name in names} - {None}
    if len(sides) != 1:
        raise NotCarried("it is a victory of no side, or of both", victory.line)
    side = str(sides.pop())
    rules.victory.setdefault(side, []).append(conditions.of(a))
