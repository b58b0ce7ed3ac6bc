"""One function or machine under construction, and the printers that it is written by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.optimise.prefilter_analysis import Needs
from grognard.compiler.cython.optimise.prefilter_elements import Prefilters
from grognard.compiler.cython.optimise.scan_cells import FilteredScans
from grognard.compiler.cython.optimise.use_bitboards import Bitboards
from grognard.compiler.cython.optimise.use_direction_bits import DirectionBits
from grognard.compiler.cython.print.aggregates import AggregatePrinter
from grognard.compiler.cython.print.calls import CallPrinter
from grognard.compiler.cython.print.expressions import ExpressionPrinter
from grognard.compiler.cython.print.lines import (
    BUFFER,
    POINTER,
    Lines,
    Rank,
    Value,
    identifier,
)
from grognard.compiler.cython.print.loops import LoopPrinter
from grognard.compiler.cython.print.sets import SetPrinter
from grognard.compiler.cython.print.statements import StatementPrinter
from grognard.compiler.cython.print.texts import Maker
from grognard.compiler.cython.print.writes import WritePrinter
from grognard.compiler.cython.tree import Node
from grognard.contract import ir


class Body:
    """A function or machine under construction: its lines, locals, temporaries and hoisted pointers, and the printers that write to it.

    What differs between functions and machines is where locals lie, and how the body is left."""

    #: whether boards are maintained by writes here; where writes may be undone, they are invalidated
    follows = False
    #: whether this offers candidates until there are enough of them
    finds = False
    #: the statement after which there is nothing more to do
    last: ir.Stmt | None = None

    def __init__(self, plan: Plan, locals_: Sequence[ir.LocalDecl], site: int) -> None:
        self.plan = plan
        self.program = plan.program
        #: the function or machine that this is part of
        self.who = ("", site)
        self.locals = list(locals_)
        #: locals of functions that are written out here: C variables, whatever else the body's locals are
        self.extra: dict[int, str] = {}
        #: whether the body runs only untraced, so that it needs no notes
        self.no_trace = False
        #: sites of notes that have below them what was noted since the function began (or the one that is inlined
        #: here), and the variable that holds how long the trace was then
        self.results: frozenset[int] = frozenset()
        self.since = ""
        #: functions that are written out in this body
        self.inlined = plan.inlined
        #: where nodes without a site of their own fail
        self.site = site
        self.out = Lines()
        self.used: set[str] = set()
        #: routines that this one calls, as often as a call was printed, and constants that it names
        self.callees: list[str] = []
        self.constants: set[str] = set()
        #: temporary sets and lists: name, size; all get their room when the body is entered, so that loops need
        #: no more of it than straight code
        self.rooms: list[tuple[str, str]] = []
        #: locals that are known to hold a value of a domain
        self.bounded: dict[int, int] = {}
        #: pairs of locals of which the second is a neighbour of the first: the text of its direction
        self.beside: dict[tuple[int, int], str] = {}
        #: set locals that can have no members but those of their domain
        self.in_domain: frozenset[int] = frozenset()
        self.effect = Rank.CONST
        self.uses_arena = False
        self.calls = CallPrinter(self)
        self.expressions = ExpressionPrinter(self)
        self.sets = SetPrinter(self)
        self.bitboards = Bitboards(self)
        self.directions = DirectionBits(self)
        self.needs = Needs(self)
        self.prefilters = Prefilters(self)
        self.loops = LoopPrinter(self)
        self.scans = FilteredScans(self)
        self.aggregates = AggregatePrinter(self)
        self.writes = WritePrinter(self)
        self.statements = StatementPrinter(self)

    # -- what functions and machines give

    def leave(self, value: Any) -> None:
        """End the body with a value."""
        raise NotImplementedError

    # -- locals

    def new_local(self, name: str) -> int:
        """A local of a function that is written out here."""
        index = len(self.locals)
        self.locals.append(ir.LocalDecl(name, ir.IntType()))
        self.extra[index] = self.out.variable(f"{identifier(name)}_")
        return index

    def local(self, index: int) -> str:
        """The text of an integer local."""
        raise NotImplementedError

    def local_rank(self) -> Rank:
        raise NotImplementedError

    def set_local(self, index: int) -> str:
        """The pointer to a set local."""
        raise NotImplementedError

    def list_local(self, index: int) -> str:
        """The pointer to a list local."""
        raise NotImplementedError

    def int_local(self, index: int) -> str:
        self.expect(index, ir.IntType)
        return self.extra[index] if index in self.extra else self.local(index)

    def expect(self, index: int, kind: type) -> Any:
        found = self.locals[index].type
        assert isinstance(found, kind)
        return found

    def put_int(self, index: int, value: Value | str) -> None:
        """Assign an integer local."""
        self.out.add(f"{self.int_local(index)} = {value}")

    # -- hoisted pointers and domains

    def h(self, name: str) -> str:
        self.used.add(name)
        return name

    def constant(self, name: str) -> str:
        """A constant that the file must declare."""
        self.constants.add(name)
        return name

    def linked(self, text: str) -> str:
        """A number of the whole program, by name (print/linked_numbers.py)."""
        self.constants.add(text.partition("[")[0])
        return text

    def at(self, site: int) -> str:
        """A site by name."""
        return self.linked(self.plan.numbers.site(site))

    def called(self, routine: str) -> str:
        """A routine that the file must have or declare."""
        self.callees.append(routine)
        return routine

    def offset(self, field: int) -> str:
        """Where the cells of a field begin."""
        return f"{self.h('off')}[{self.constant(self.plan.index_names.fields[field])}]"

    def field_number(self, field: int) -> str:
        return self.constant(self.plan.index_names.fields[field])

    def index_of(self, field: int) -> str:
        """The number of a field's inverted index, and its validity."""
        return ", ".join(self.linked(text) for text in self.plan.index_numbers(field))

    def column_array(self, column: int) -> str:
        return f"{self.h('col')}[{self.constant(self.plan.index_names.columns[column])}]"

    def table(self, table: int) -> str:
        return f"{self.h('tab')}[{self.constant(self.plan.index_names.tables[table])}]"

    def symbol(self, symbol: int) -> str:
        return f"{self.h('sym')}[{self.constant(self.plan.index_names.symbols[symbol])}]"

    def count(self, domain: int) -> str:
        return f"{self.h('cnt')}[{self.constant(self.plan.index_names.domains[domain])}]"

    def first(self, domain: int) -> str:
        """The first value of a domain; a plain 0 where no data can change that."""
        if self.program.domains[domain].zero_based:
            return "0"
        return f"{self.h('base')}[{self.constant(self.plan.index_names.domains[domain])}]"

    def words(self, domain: int) -> str:
        return f"{self.h('words')}[{self.constant(self.plan.index_names.domains[domain])}]"

    def element(self, domain: int, offset: str) -> str:
        """The domain's value at an offset."""
        first = self.first(domain)
        return f"<int32_t>{offset}" if first == "0" else f"<int32_t>({offset} + {first})"

    # -- temporaries

    def temporary(self, room: str, prefix: str = "set") -> str:
        """A buffer of this size, with rubbish in it."""
        self.uses_arena = True
        name = self.out.variable(prefix, BUFFER)
        self.rooms.append((name, room))
        return name

    def temporary_set(self, domain: int) -> str:
        return self.temporary(self.words(domain))

    def keep(self, value: Value) -> Value:
        """The value in a variable of its own, which nothing changes any more."""
        if value.rank == Rank.CONST and not value.state:
            return value
        name = self.out.variable("p" if value.declaration == POINTER else "t", value.declaration)
        self.out.add(f"{name} = {value.text}")
        return Value(name, Rank.CONST, value.declaration, value.room, value.state)

    def keep_content(self, value: Value) -> Value:
        """A copy of a set or list that lies in the position, so that writes do not change it."""
        if not value.state:
            return self.keep(value)
        name = self.temporary(value.room, "copy")
        self.out.add(f"grog_set_copy({name}, {value.text}, {value.room})")
        return Value(name, Rank.CONST, POINTER, value.room)

    # -- order

    def touch(self, rank: Rank) -> Rank:
        """Note what the lines being collected may do."""
        self.effect = max(self.effect, rank)
        return rank

    @contextmanager
    def collected(self) -> Iterator[tuple[list[Node], list[Rank]]]:
        """Collect lines in a buffer; afterwards the list of ranks holds what they may do."""
        before, self.effect = self.effect, Rank.CONST
        did: list[Rank] = []
        with self.out.buffered() as lines:
            yield lines, did
        did.append(self.effect)
        self.effect = max(before, self.effect)

    def sequence(self, makers: Sequence[Maker]) -> list[Value]:
        """Operands in order: whatever a later one could change or overtake is kept in a variable first."""
        values: list[Value] = []
        for maker in makers:
            with self.collected() as (lines, did):
                value = maker()
            self._settle(values, lines, value, did[0])
            self.out.nodes.extend(lines)
            values.append(value)
        return values

    def _settle(self, values: list[Value], lines: list[Node], value: Value, did: Rank) -> None:
        for number, earlier in enumerate(values):
            if did >= Rank.WRITE and earlier.state:
                values[number] = self.keep_content(earlier)
            elif (
                (lines and earlier.rank > Rank.CONST)
                or (did >= Rank.WRITE and earlier.rank >= Rank.READ)
                or (value.rank >= Rank.FAIL and earlier.rank >= Rank.FAIL)
                or (value.rank >= Rank.READ and earlier.rank >= Rank.WRITE)
            ):
                values[number] = self.keep(earlier)
