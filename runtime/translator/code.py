"""What every translation needs: values as source text with their bounds, lines, temporaries, locals, places, calls.

A node becomes the text of a Python expression.  What does not fit into one (loops, above all) is written as lines before it;
`settle` then takes care that what was to be evaluated before those lines is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.translator.facts import Facts
from grognard.translator.state import State

#: The largest number; the smallest is its negative, because one below that is NONE.
MOST = 0x7FFF_FFFF

CONSTANT, NAME, TEXT = range(3)


class Value:
    """The text of an expression, between which numbers its value lies, and its text as a condition, if that is another."""

    __slots__ = ("condition", "hi", "lo", "sort", "text")

    def __init__(
        self, text: str, sort: int = TEXT, lo: int = NONE, hi: int = MOST, condition: str | None = None
    ) -> None:
        self.text = text
        self.sort = sort
        self.lo = lo
        self.hi = hi
        self.condition = condition or text

    @property
    def number(self) -> int | None:
        """The value, if it is a constant."""
        return self.lo if self.sort == CONSTANT else None


def constant(number: int) -> Value:
    return Value(str(number) if number >= 0 else f"({number})", CONSTANT, number, number)


def truth(condition: str) -> Value:
    return Value(f"(1 if {condition} else 0)", TEXT, 0, 1, condition)


class Unit:
    """A program with everything that its translation needs; `names` is what the translated code knows."""

    def __init__(self, state: State, facts: Facts, names: dict[str, Any]) -> None:
        self.state = state
        self.program = state.program
        self.layout = state.layout
        self.data = state.data
        self.facts = facts
        self.names = names

    def given(self, name: str, make: Callable[[], Any]) -> str:
        """A name in the translated code, made when it is first used."""
        if name not in self.names:
            self.names[name] = make()
        return name

    def function(self, number: int, level: int) -> str:
        """The name of a function, as it is called under a trace of this level."""
        return f"f{number}_{self.facts.level_of(number, level)}"


class Scope(ABC):
    """The translation of one function or machine for one trace level."""

    def __init__(
        self,
        unit: Unit,
        level: int,
        locals: Sequence[ir.LocalDecl],
        offsets: Sequence[int] | None,
        site: int,
        loops: tuple[frozenset[int], frozenset[int]],
    ) -> None:
        self.unit = unit
        self.program = unit.program
        self.layout = unit.layout
        self.facts = unit.facts
        self.level = level
        self.locals = locals
        self.offsets = offsets
        #: where nodes without a site of their own fail
        self.site = site
        #: variables that only their loops know, and those that others read too
        self.own, self.shared = loops
        self.bounds: dict[int, tuple[int, int]] = {}
        #: what the parameters of a function that is written in place stand for
        self.inlined: Sequence[Value] | None = None
        self.lines: list[str] = []
        self.indent = 1
        self._temporaries = 0

    # ------------------------------------------------------------------------------------------------- lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines under a line that ends in a colon."""
        self.line(head)
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Lines that are written later, one step further in, if there are any."""
        kept, self.lines = self.lines, []
        self.indent += 1
        made = self.lines
        yield made
        self.indent -= 1
        self.lines = kept

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def atom(self, value: Value) -> Value:
        """The value under a name, so that it can stand in several places."""
        if value.sort != TEXT:
            return value
        name = self.temporary()
        self.line(f"{name} = {value.text}")
        return Value(name, NAME, value.lo, value.hi)

    def copy(self, value: Value) -> Value:
        """The value under a name that nothing else is written to."""
        return value if value.sort == CONSTANT else self.atom(Value(value.text, TEXT, value.lo, value.hi))

    def bound(self, value: Value) -> tuple[str, str]:
        """The text for the place that is evaluated first, and for those after it."""
        if value.sort != TEXT:
            return value.text, value.text
        name = self.temporary()
        return f"({name} := {value.text})", name

    def settle(self, values: list[Value], mark: int) -> None:
        """Give names to values that must be known before the lines from `mark` on run."""
        for number, value in enumerate(values):
            if value.sort == TEXT:
                name = self.temporary()
                self.lines.insert(mark, "    " * self.indent + f"{name} = {value.text}")
                mark += 1
                values[number] = Value(name, NAME, value.lo, value.hi)

    def several(self, nodes: Sequence[Any]) -> list[Value]:
        """Values that are evaluated one after the other."""
        made: list[Value] = []
        for node in nodes:
            mark = len(self.lines)
            value = self.value(node)
            if len(self.lines) > mark:
                self.settle(made, mark)
            made.append(value)
        return made

    def condition(self, node: ir.Expr) -> str:
        return self.value(node).condition

    # ------------------------------------------------------------------------------------------------ locals

    def name(self, index: int) -> str:
        """The text of an integer local, to read and to write."""
        if self.offsets is None or index in self.own:
            return f"v{index}"
        return f"c[p + {self.offsets[index]}]"

    def local(self, index: int) -> Value:
        if self.inlined is not None:
            return self.inlined[index]
        lo, hi = self.bounds.get(index, (NONE, MOST))
        # What an inner loop may change must be read when its turn comes.
        return Value(self.name(index), TEXT if index in self.shared else NAME, lo, hi)

    @contextmanager
    def looping(self, index: int, lo: int = NONE, hi: int = MOST) -> Iterator[None]:
        """Inside, a loop's variable has a value between these; afterwards it is 0."""
        known = self.bounds.get(index)
        if index in self.own:
            self.bounds[index] = lo, hi
        yield
        if known is None:
            self.bounds.pop(index, None)
        else:
            self.bounds[index] = known

    def leave(self, *variables: int) -> None:
        for index in variables:
            if index in self.shared:
                self.line(f"{self.name(index)} = 0")

    # ------------------------------------------------------------------------------------------------ places

    def place(
        self, dims: Sequence[int], index: Sequence[ir.Expr], site: int, start: int, words: int
    ) -> Value:
        """The first cell of an element.  An index that may lie outside is checked."""
        if not index:
            return constant(start)
        factor = words
        factors = []
        for domain in reversed(dims):
            factors.append(factor)
            factor *= self.layout.count[domain]
        values: list[Value] = []
        open_checks: list[int] = []
        for number, node in enumerate(index):
            mark = len(self.lines)
            value = self.value(node)
            if len(self.lines) > mark:
                self._check_now(values, open_checks, dims, site, mark)
                open_checks = []
            values.append(value)
            if not self._inside(value, dims[number]):
                open_checks.append(number)
        fixed = start
        parts: list[str] = []
        tests: list[tuple[str, str]] = []
        for number, (value, domain, factor) in enumerate(zip(values, dims, reversed(factors))):
            base, count = self.layout.base[domain], self.layout.count[domain]
            if value.number is not None and number not in open_checks:
                fixed += (value.number - base) * factor
                continue
            fixed -= base * factor
            text = value.text
            # Among checks every index is evaluated where it stands in their order.
            if number in open_checks or (open_checks and value.sort == TEXT):
                first, text = self.bound(value)
                tests.append((f"{base} <= {first} < {base + count}", text))
            parts.append(text if factor == 1 else f"{text} * {factor}")
        if fixed or not parts:
            parts.append(str(fixed))
        made = " + ".join(parts)
        for test, text in reversed(tests):
            made = f"({made} if {test} else failed_index({site}, {text}))"
        return Value(made if tests else f"({made})")

    def _inside(self, value: Value, domain: int) -> bool:
        base = self.layout.base[domain]
        return base <= value.lo and value.hi < base + self.layout.count[domain]

    def _check_now(
        self, values: list[Value], open_checks: list[int], dims: Sequence[int], site: int, mark: int
    ) -> None:
        """Evaluate and check indices before the lines from `mark` on."""
        later = self.lines[mark:]
        del self.lines[mark:]
        for number, value in enumerate(values):
            values[number] = self.atom(value)
            if number in open_checks:
                base, text = self.layout.base[dims[number]], values[number].text
                with self.block(f"if not {base} <= {text} < {base + self.layout.count[dims[number]]}:"):
                    self.line(f"failed_index({site}, {text})")
        self.lines += later

    def field_place(self, field: int, index: Sequence[ir.Expr], site: int) -> Value:
        layout = self.layout
        return self.place(
            self.program.fields[field].dims,
            index,
            site,
            layout.field_offset[field],
            layout.field_words[field],
        )

    # ------------------------------------------------------------------------------------------------- calls

    def arguments(self, args: Sequence[Any], params: Sequence[ir.LocalDecl]) -> list[Value]:
        """The arguments of a call; lists are copied, so that the callee may change its own."""
        made: list[Value] = []
        for arg, param in zip(args, params):
            mark = len(self.lines)
            value = self.value(arg)
            if isinstance(param.type, ir.ListType):
                value = Value(f"copied({value.text}, {param.type.capacity}, {self.site})")
            if len(self.lines) > mark:
                self.settle(made, mark)
            made.append(value)
        return made

    def call(self, function: int, args: Sequence[Any]) -> Value:
        callee = self.program.functions[function]
        made = self.arguments(args, callee.locals[: callee.params])
        body = self.facts.inlined(function, self.level)
        if body is not None:
            return self._in_place(callee, made, body)
        name = self.unit.function(function, self.level)
        return Value(f"{name}({', '.join(value.text for value in made)})")

    def _in_place(self, callee: ir.Function, made: list[Value], body: ir.Expr) -> Value:
        known = self.inlined, self.site
        self.inlined, self.site = [self.atom(value) for value in made], callee.site
        value = self.value(body)
        self.inlined, self.site = known
        return value

    # ----------------------------------------------------------------------------- translated by the families

    @abstractmethod
    def value(self, node: Any) -> Value:
        """Translate an expression: an integer, a set as a bit mask, or a list that must not be changed."""

    @abstractmethod
    def set_domain(self, node: Any) -> int:
        """The domain of a set expression."""
