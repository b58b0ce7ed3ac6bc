"""What an engine memoises: values of functions and searches of movements.

Rules ask the same things over and over while little changes: each step of a search asks which units are in a place, each menu
asks again what could be asked a moment ago.  A function that only reads gives the same value for the same arguments until one
of the fields that it reads is written.  So every such function has a validity, and writes of a field invalidate the
validities of its readers.  A hit takes the steps from the budget that it saves, so that only the clock shows the difference.
The protocol at run time is stated in runtime/kernels/README.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.call_classes import WRITES
from grognard.contract.ir.walk import conjuncts, nodes

#: Validities that there are, as in the kernel.
VALIDITIES = 256
#: Arguments of a memoised function: with more the same call seldom comes twice.
MOST_GIVEN = 3
#: The same of movements.
MOST_GIVEN_MOVEMENTS = 2
#: Calls that a memoised function may be deep, itself included, as in the kernel.
DEEPEST = 100

#: Code whose value can depend on more than fields and arguments, or that does more than find a value.
_ELSEWHERE = (ir.Alike, ir.AtBest, ir.Head, ir.Do)
_RESTLESS = (*WRITES, *_ELSEWHERE)
#: Code that looks at many things.
_MANY = (ir.OverDomain, ir.OverSet, ir.OverList, ir.ReachCost, ir.ReachSet)
#: Code that runs over something.
_LOOPS = (ir.Aggregate, ir.SetBuild, ir.For, ir.ForLine, ir.While, ir.Coverable, ir.Meeting)


#: Fields with an inverted index, as in the kernel.
MOST_INDICES = 32
#: Domains with so many members that few elements hold the same one.
MANY_MEMBERS = ("place", "edge", "piece", "record")

#: What is to be memoised: "function", "movement", "index" or "view", its number, the fields that it reads.
Wanted: TypeAlias = tuple[str, int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Memoised:
    """Which functions and movements are memoised, each with the number of its validity, and the validities that a write of
    each field invalidates.  Of the view of a seat it is memoised that there is nothing to mask."""

    functions: dict[int, int]
    movements: dict[int, int]
    #: fields with an inverted index: which elements hold each value
    indices: dict[int, int]
    view: int | None
    invalidated_by: dict[int, int]

    @property
    def next_validity(self) -> int:
        """The first validity that is free."""
        view = () if self.view is None else (self.view,)
        known = (*self.functions.values(), *self.movements.values(), *self.indices.values(), *view)
        return max(known, default=-1) + 1

    def of_fields(self, fields: Iterable[int]) -> int:
        """The validities that writes of these fields invalidate."""
        validities = 0
        for field in fields:
            validities |= self.invalidated_by.get(field, 0)
        return validities


NOTHING_MEMOISED = Memoised({}, {}, {}, None, {})


def fields_read(program: ir.Program) -> list[frozenset[int] | None]:
    """The fields that each function reads, by itself or by what it calls; None if it does more than read them (the view
    may write besides)."""
    own: list[set[int] | None] = []
    calls: list[set[int]] = []
    for function in program.functions:
        read: set[int] | None = set()
        below: set[int] = set()
        for node in nodes(function.body):
            if isinstance(node, _ELSEWHERE if function.id == program.view else _RESTLESS):
                read = None
                break
            match node:
                case ir.Load(field=field) | ir.SetLoad(field=field) | ir.ListLoad(field=field):
                    assert read is not None
                    read.add(field)
                case ir.OverDomain(domain=domain):
                    alive = program.domains[domain].alive
                    if alive is not None:
                        assert read is not None
                        read.add(alive)
                case ir.Call(function=number) | ir.SetCall(function=number):
                    below.add(number)
                case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                    below |= _parts(program.movements[number])
        own.append(read)
        calls.append(below)
    found: list[frozenset[int] | None] = []
    for start in range(len(own)):
        seen = {start}
        stack = [start]
        total: set[int] | None = set()
        while stack and total is not None:
            number = stack.pop()
            mine = own[number]
            total = None if mine is None else total | mine
            stack += calls[number] - seen
            seen |= calls[number]
        found.append(None if total is None else frozenset(total))
    return found


def call_depths(program: ir.Program, bounded_cost: Collection[int]) -> list[int | None]:
    """The call depth of each function, itself included; functions of bounded cost do not count.  None: it is recursive."""
    depths: dict[int, int | None] = {}

    def depth(number: int) -> int | None:
        if number not in depths:
            depths[number] = None  # met again on the way down, it is recursive
            below: list[int | None] = [0]
            for node in nodes(program.functions[number].body):
                match node:
                    case ir.Call(function=called) | ir.SetCall(function=called) | ir.Do(function=called):
                        below.append(depth(called))
                    case ir.ReachCost(movement=movement) | ir.ReachSet(movement=movement):
                        below += [depth(part) for part in _parts(program.movements[movement])]
            known = [found for found in below if found is not None]
            if len(known) == len(below):
                depths[number] = max(known) + (number not in bounded_cost)
        return depths[number]

    return [depth(function.id) for function in program.functions]


def _parts(movement: ir.Movement) -> set[int]:
    used = (movement.start, movement.allowance, movement.cost, movement.stop, movement.ends)
    return {number for number in used if number is not None}


def asked_repeatedly(program: ir.Program) -> set[int]:
    """Functions that are called in several places, in a loop, in a search, or to say what can be chosen."""
    places: Counter[int] = Counter()
    again: set[int] = set()

    def calls(code: Any) -> list[int]:
        return [node.function for node in nodes(code) if isinstance(node, ir.Call | ir.SetCall)]

    for function in program.functions:
        found = calls(function.body)
        places.update(found)
        if any(isinstance(node, ir.Yield) for node in nodes(function.body)):
            again.update(found)
        for node in nodes(function.body):
            if isinstance(node, _LOOPS):
                again.update(calls(node))
    for machine in program.machines:
        places.update(calls(machine.blocks))
    searched: set[int] = set()
    waiting = [number for movement in program.movements for number in _parts(movement)]
    while waiting:
        number = waiting.pop()
        if number not in searched:
            searched.add(number)
            waiting += calls(program.functions[number].body)
    return again | searched | {number for number, count in places.items() if count > 1}


def memoised(
    program: ir.Program,
    bounded_cost: Collection[int],
    untraced_clones: Collection[int],
    unread: list[frozenset[int]],
) -> Memoised:
    """What is memoised of a program.  A function of bounded cost costs less than a lookup, an untraced clone is called instead of
    its function; unread parameters make no difference."""
    reads = fields_read(program)
    depths = call_depths(program, bounded_cost)
    asked = asked_repeatedly(program)
    wanted: list[Wanted] = []
    for function in program.functions:
        number = function.id
        fields = reads[number]
        given = [
            local for n, local in enumerate(function.locals[: function.params]) if n not in unread[number]
        ]
        if (
            fields is not None
            and number in asked
            and number not in bounded_cost
            and number not in untraced_clones
            and _within(depths[number])
            and isinstance(function.result, ir.IntType | ir.SetType)
            and len(given) <= MOST_GIVEN
            and all(isinstance(local.type, ir.IntType) for local in given)
        ):
            wanted.append(("function", number, fields))
    for movement in program.movements:
        below = [reads[number] for number in _parts(movement)]
        deep = all(_within(depths[number]) for number in _parts(movement))
        if movement.params <= MOST_GIVEN_MOVEMENTS and deep and all(fields is not None for fields in below):
            wanted.append(("movement", movement.id, frozenset().union(*(fields or () for fields in below))))
    if (
        program.view is not None
        and (fields := reads[program.view]) is not None
        and _within(depths[program.view])
    ):
        wanted.append(("view", program.view, fields))
    if wanted:
        wanted += [("index", field, frozenset({field})) for field in indexed_fields(program)[:MOST_INDICES]]
    return _with_validities(wanted)


def indexed_fields(program: ir.Program) -> list[int]:
    """The fields by which elements are looked for, one value out of many: which units are in a place, which are aboard.  Those that
    most loops ask for come first."""
    asked: Counter[int] = Counter()
    for node in nodes((program.functions, program.machines)):
        match node:
            case (
                ir.For(over=ir.OverDomain(domain=domain), var=var, where=where)
                | ir.Aggregate(over=ir.OverDomain(domain=domain), var=var, where=where)
                | ir.SetBuild(over=ir.OverDomain(domain=domain), var=var, where=where)
            ):
                for part in nodes(where):
                    if isinstance(part, ir.Binary) and part.op == "eq":
                        for cell in (part.left, part.right):
                            if isinstance(cell, ir.Load) and cell.index == (ir.Local(var),):
                                if value_range(program, cell.field, domain) is not None:
                                    asked[cell.field] += 1
    return [field for field, _ in sorted(asked.items(), key=lambda item: (-item[1], item[0]))]


def value_range(program: ir.Program, field: int, domain: int) -> int | None:
    """The domain of the values of a field, where each element of a domain has one value out of many; else None."""
    entry = program.fields[field]
    if entry.dims != (domain,) or not isinstance(entry.type, ir.IntType):
        return None
    shown = ir.shown_domains(entry.type.show)
    return shown[0] if len(shown) == 1 and program.domains[shown[0]].sort in MANY_MEMBERS else None


def is_costly(function: ir.Function) -> bool:
    """Whether it is memoised even in short runs."""
    return any(isinstance(node, _MANY) for node in nodes(function.body))


def is_index_lookup(function: ir.Function, indices: Collection[int]) -> bool:
    """Whether a function does nothing but look up which elements hold a value."""
    loops = [node for node in nodes(function.body) if isinstance(node, _LOOPS)]
    if any(isinstance(node, ir.Call | ir.SetCall) for node in nodes(function.body)) or len(loops) != 1:
        return False
    match loops[0]:
        case ir.Aggregate(var=var, where=where) | ir.SetBuild(var=var, where=where):
            return any(_lookup(part, var, indices) is not None for part in conjuncts(where))
    return False


def index_lookup(function: ir.Function, indices: Collection[int]) -> tuple[int, int] | None:
    """The field, and the parameter, of a function that finds nothing (0, or an empty set) where no element holds the parameter's
    value in the field, whatever else it asks of those that do; None: it is no such function."""
    rest = [node for node in function.body if not isinstance(node, ir.Note)]
    match rest:
        case [ir.Assign(local=local, value=found), ir.Return(value=ir.Local(index=index))] if local == index:
            pass
        case [ir.Return(value=found)]:
            pass
        case _:
            return None
    match found:
        case ir.Aggregate(op="any" | "count", var=var, over=ir.OverDomain(), where=where):
            pass
        case ir.SetBuild(var=var, over=ir.OverDomain(), where=where):
            pass
        case _:
            return None
    first = conjuncts(where)[:1]
    found_by = _lookup(first[0], var, indices) if first else None
    if found_by is None or not isinstance(found_by[1], ir.Local) or found_by[1].index >= function.params:
        return None
    return found_by[0], found_by[1].index


def _lookup(part: ir.Expr, var: int, indices: Collection[int]) -> tuple[int, ir.Expr] | None:
    """The field and the value by which a part of a filter can be looked up."""
    if isinstance(part, ir.Binary) and part.op == "eq":
        for cell, value in ((part.left, part.right), (part.right, part.left)):
            if isinstance(cell, ir.Load) and cell.index == (ir.Local(var),) and cell.field in indices:
                return cell.field, value
    return None


def _within(depth: int | None) -> bool:
    return depth is not None and depth < DEEPEST


def _with_validities(wanted: list[Wanted]) -> Memoised:
    """Those that read the same share a validity.  Where there are not enough, those share one whose fields differ least; it is then
    invalidated more often than it must be, never too seldom."""
    #: what is read under each validity, one bit for each field, and where each set of fields went
    read_under: list[int] = []
    place: dict[frozenset[int], int] = {}
    for fields in sorted(
        {fields for _, _, fields in wanted}, key=lambda fields: (len(fields), sorted(fields))
    ):
        bits = sum(1 << field for field in fields)
        place[fields] = len(read_under)
        read_under.append(bits)
    gone: dict[int, int] = {}
    standing = list(range(len(read_under)))
    nearest = {number: _nearest(read_under, standing, number) for number in standing}
    while len(standing) > VALIDITIES:
        first = min(standing, key=lambda number: nearest[number])
        second = nearest[first][1]
        read_under[first] |= read_under[second]
        gone[second] = first
        standing.remove(second)
        for number in standing:
            if number == first or nearest[number][1] in (first, second):
                nearest[number] = _nearest(read_under, standing, number)
    numbers = {number: validity for validity, number in enumerate(standing)}

    def validity_of(fields: frozenset[int]) -> int:
        number = place[fields]
        while number in gone:
            number = gone[number]
        return numbers[number]

    functions = {number: validity_of(fields) for what, number, fields in wanted if what == "function"}
    movements = {number: validity_of(fields) for what, number, fields in wanted if what == "movement"}
    indices = {number: validity_of(fields) for what, number, fields in wanted if what == "index"}
    view = next((validity_of(fields) for what, _, fields in wanted if what == "view"), None)
    invalidated_by: dict[int, int] = {}
    for number, validity in numbers.items():
        bits = read_under[number]
        while bits:
            field = (bits & -bits).bit_length() - 1
            bits &= bits - 1
            invalidated_by[field] = invalidated_by.get(field, 0) | 1 << validity
    return Memoised(functions, movements, indices, view, invalidated_by)


def _nearest(read_under: list[int], standing: list[int], number: int) -> tuple[int, int]:
    """How many fields differ from the validity that differs least, and which it is."""
    mine = read_under[number]
    return min(
        (((mine ^ read_under[other]).bit_count(), other) for other in standing if other != number),
        default=(0, number),
    )
