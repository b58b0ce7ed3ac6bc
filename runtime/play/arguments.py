"""Arguments from outside, as the engine has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import Argument
from grognard.contract.header import NONE
from grognard.errors import UnknownName
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.setting import Setting


def function_named(setting: Setting, rule: str) -> ir.Function:
    """The function of a rule, list or procedure; UnknownName if there is none."""
    # Of a rule with exceptions the outermost function has the lowest number.
    wanted_names = (rule, f"{rule} (exception)")
    found = next((f for f in setting.program.functions if f.name in wanted_names), None)
    if found is None:
        names = [f.name for f in setting.program.functions if f.name.isidentifier()]
        raise UnknownName(f"{setting.engine.title} has no rule `{rule}`", hint_for(rule, names))
    return found


def arguments(
    setting: Setting, name: str, code: ir.Function | ir.Machine, args: Iterable[Any]
) -> list[Argument]:
    """Arguments from outside as the engine has them; ValueError if they do not fit."""
    params = code.locals[: code.params]
    given = list(args)
    if len(given) != len(params):
        wanted = ", ".join(param.name for param in params) or "nothing"
        raise ValueError(f"`{name}` takes ({wanted}), {len(given)} values were given")
    return [argument(setting, value, param) for value, param in zip(given, params)]


def argument(setting: Setting, value: Any, param: ir.LocalDecl) -> Argument:
    match param.type:
        case ir.IntType(show=show):
            return raw_value(setting, value, show, param.name)
        case ir.SetType(domain=domain):
            return frozenset(raw_value(setting, item, f"dom:{domain}", param.name) for item in value)
        case ir.ListType(show=show):
            return [raw_value(setting, item, show, param.name) for item in value]


def raw_value(setting: Setting, value: Any, show: str, name: str) -> int:
    """A member's name, a number, yes or no, or None as the engine has it."""
    if value is None:
        return NONE
    if isinstance(value, int):
        return int(value)
    domains = ir.shown_domains(show)
    if isinstance(value, str) and domains:
        for domain in domains:
            number = setting.number_of(domain, value)
            data = setting.scenario.data.domains[domain]
            if number is not None:
                return data.base + number
        dom = " or ".join(setting.program.domains[domain].name for domain in domains)
        raise UnknownName(f"there is no {dom} `{value}` for `{name}`", hint_for(value, data.names))
    raise ValueError(f"`{name}` is a number or a name, not {value!r}")
