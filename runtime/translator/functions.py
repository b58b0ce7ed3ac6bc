"""Functions to source: how a call takes steps, marks the trace, and finds values that are still known.

A function has one translation for each trace level under which it leaves records; where it leaves none, that of level 0 is
called.  Each is made when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.trace import CALL, RETURN, marked_functions
from grognard.translator.code import Unit
from grognard.translator.facts import CALL_DEPTH, bound_variables, is_single
from grognard.translator.statements import Statements

#: Arguments of a function whose values are kept: with more the same call seldom comes twice.
MOST_GIVEN = 4
#: Values of one function that are kept at once.
MOST_KEPT = 1 << 15
#: A function of bounded cost is kept only if it is longer than a lookup.
LONG = 40
#: After so many values that had to be worked out, it is asked how often one was found.
TRIAL = 2_000
#: Of so many values one at least must be found, or they are no longer kept.
WORTH = 4


class Functions:
    """Translates the functions of a program."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.program = unit.program
        self.facts = unit.facts
        #: the source of what was translated, for whoever wants to read it
        self.sources: dict[str, str] = {}
        for number in range(len(unit.program.functions)):
            for level in (0, 1, 2):
                name = f"f{number}_{level}"
                unit.names[name] = self._lazy(number, level, name)

    def _lazy(self, number: int, level: int, name: str) -> Callable[..., Any]:
        """Translates at the first call: a game needs few functions of its title at once."""

        def first(*args: Any) -> Any:
            if self.unit.names[name] is first:
                self.unit.names[name] = self.translate(self.program.functions[number], level)
            return self.unit.names[name](*args)

        return first

    def translate(self, function: ir.Function, level: int) -> Any:
        name = f"f{function.id}_{level}"
        loops = bound_variables(function.body, function.params)
        make = Statements(self.unit, level, function.locals, None, function.site, loops)
        make.finds = function.id in self.facts.finders
        make.nothing = {ir.IntType: str(NONE), ir.SetType: "0"}.get(type(function.result), "None")
        marks = marked_functions(self.program)[function.id]
        single = is_single(function)
        if not single:
            make.results = marks.results
        params = ", ".join(f"v{n}" for n in range(function.params))
        self._begin(make, function, loops)
        if make.results and level:
            make.line("since = len(S.trace)")
        make.body(function.body)
        if not function.body or not isinstance(function.body[-1], ir.Return):
            make.line(f"return {make.nothing}")
        brackets = level >= 2 and not single and marks.brackets and not marks.results
        deep = function.id not in self.facts.bounded and self.facts.depth(function.id) is None
        fields = self.facts.reads(function.id) if level == 0 and self._worth_keeping(function) else None
        plain = not brackets and not deep and fields is None
        inner = name if plain else f"{name}_body"
        text = "\n".join([f"def {inner}({params}):", *make.lines])
        if not plain:
            text += "\n" + self._around(function, name, inner, params, brackets, deep, fields)
        self.sources[name] = text
        exec(compile(text, f"<{function.name}>", "exec"), self.unit.names)
        return self.unit.names[name]

    def _begin(self, make: Statements, function: ir.Function, loops: tuple[frozenset[int], ...]) -> None:
        """Take the step of the call, and set the locals to 0."""
        if function.id not in self.facts.bounded:
            make.line("S.steps += 1")
        empty = []
        for number in range(function.params, len(function.locals)):
            if isinstance(function.locals[number].type, ir.ListType):
                make.line(f"v{number} = []")
            elif number not in loops[0]:
                empty.append(f"v{number}")
        if empty:
            make.line(f"{' = '.join(empty)} = 0")

    def _worth_keeping(self, function: ir.Function) -> bool:
        if function.result is None or not 0 <= function.params <= MOST_GIVEN:
            return False
        if not all(
            isinstance(local.type, ir.IntType | ir.SetType) for local in function.locals[: function.params]
        ):
            return False
        if self.facts.depth(function.id) is None:
            return False
        return function.id not in self.facts.bounded or self.facts.summary(function.id).size > LONG

    def _around(
        self,
        function: ir.Function,
        name: str,
        inner: str,
        params: str,
        brackets: bool,
        deep: bool,
        fields: frozenset[int] | None,
    ) -> str:
        """What runs before and after the function's own code."""
        lines = [f"def {name}({params}):"]
        if deep:
            # Nearer to the limit than any function without recursion goes, the interpreter counts.
            lines += [
                f"    if S.depth >= {CALL_DEPTH // 2} or S.steps > S.budget:",
                "        uncounted()",
                "    S.depth += 1",
            ]
        if brackets:
            lines.append(f"    S.trace.extend(({CALL}, {function.site}))")
        if fields is None:
            lines.append(f"    r = {inner}({params})")
        else:
            lines += self._kept(function, name, inner, params, fields)
        if brackets:
            lines.append(f"    S.trace.append({RETURN})")
        if deep:
            lines.append("    S.depth -= 1")
        lines.append("    return r")
        return "\n".join(lines)

    def _kept(
        self, function: ir.Function, name: str, inner: str, params: str, fields: frozenset[int]
    ) -> list[str]:
        """Look for the value among those that are kept; one that is found takes the steps that working it out took."""
        kept = f"{name}_kept"
        self.unit.names[kept] = self.unit.state.keep(fields)
        self.unit.names[f"{name}_tried"] = tried = [0, 0]
        key = params if function.params == 1 else f"({params})"
        find = ["    if S.dirty:", "        flush()"] if fields else []
        if function.params != 1:
            find.append(f"    k = {key}")
            key = "k"
        self.unit.names[f"{name}_doubt"] = lambda: self._doubt(function, name, tried)
        return [
            *find,
            f"    r = {kept}.get({key})",
            "    if r is not None:",
            "        S.steps += r[1]",
            f"        {name}_tried[0] += 1",
            "        return r[0]",
            "    s = S.steps",
            f"    r = {inner}({params})",
            f"    {kept}[{key}] = r, S.steps - s",
            f"    {name}_tried[1] += 1",
            f"    if not {name}_tried[1] % {TRIAL}:",
            f"        {name}_doubt()",
        ]

    def _doubt(self, function: ir.Function, name: str, tried: list[int]) -> None:
        """Stop keeping values that are seldom asked for again."""
        kept = self.unit.names[f"{name}_kept"]
        if len(kept) > MOST_KEPT:
            kept.clear()
        if tried[0] * WORTH < tried[1]:
            self.unit.names[name] = self.unit.names[f"{name}_body"]
            kept.clear()
        tried[0] = tried[1] = 0
