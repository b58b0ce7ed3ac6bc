"""The Cython back end's emitter: an IR program to the text of one or several files.

Routines come from print/ as trees; the templates lay them out.  A large program is spread over several files that are compiled side by
side and linked into one module.  Only the first is a module to Python and Cython's; the others hold nothing but C functions and are
C at once (in_c.py), each of them unless something in it is left to Cython.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import jinja2
from grognard.binding.load import MODULE_NAME
from grognard.compiler.cython.analysis.plan import (
    Plan,
    nodes,
)
from grognard.compiler.cython.in_c import NotInC, routine_in_c, tree_of
from grognard.compiler.cython.optimise.inline_single_calls import force_inline_declarations
from grognard.compiler.cython.optimise.memoise_functions import memo_routines
from grognard.compiler.cython.optimise.share_bitboards import SharedBitboards, share_bitboards
from grognard.compiler.cython.print.frameless import FramelessBody
from grognard.compiler.cython.print.functions import FunctionBody
from grognard.compiler.cython.print.machines import MachineBody, frame_constants
from grognard.compiler.cython.print.member_names import MemberNames
from grognard.compiler.cython.print.movements import movement_routines
from grognard.compiler.cython.print.offers import offer_call, routine_name
from grognard.compiler.cython.print.questions import AskBody
from grognard.compiler.cython.print.routine import Routine
from grognard.compiler.cython.print.wrap import wrapped
from grognard.compiler.cython.tree import Block
from grognard.compiler.passes.switches import switched_off
from grognard.contract import ir
from grognard.contract.layout import shape
from grognard.support.content_cache import content_key
from grognard.support.gc_pause import gc_paused

#: Lines of routines in one file, about: enough that the fixed cost of a file does not matter.
PART_LINES = 3000
#: A file ends behind a routine whose name is one of so many, once it is long enough.
ENDS_ONE_OF = 8


_HEAD = re.compile(r"cdef (?:public )?(\w+) (\w+)\((.*)\) noexcept nogil:")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file whose text is there."""

    name: str
    text: str

    @property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def basis(self) -> str:
        """What decides what is made of it."""
        return self.text

    @property
    def between_questions(self) -> bool:
        return False


@dataclass(frozen=True)
class Part:
    """A part of a large engine.  It is written as C, or as Cython if something in it is refused, when somebody asks for its text: of an
    engine in which one rule changed that is one part of many, and the first can be compiled while the others are written."""

    stem: str
    #: its routines as they were printed, and what reads them: equal parts become equal files
    basis: str
    write: Callable[[], SourceFile] = field(compare=False, repr=False)
    #: whether it is code of machines, which runs between two questions and has no loops that are worth much work
    between_questions: bool = False

    @cached_property
    def file(self) -> SourceFile:
        return self.write()

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def text(self) -> str:
        return self.file.text


Source: TypeAlias = SourceFile | Part


@dataclass(frozen=True, slots=True)
class Question:
    """An Ask as the dispatcher needs it."""

    number: int
    offer: str
    take: str
    block: int


def emit_source(
    program: ir.Program,
    without: frozenset[str] | None = None,
    members: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """All that is generated, for people to read; `members`: what the members of enumerations are called."""
    sources = emit_sources(program, commented=True, without=without, members=members)
    return "\n".join(f"# ---- {source.name}\n{source.text}" for source in sources)


@gc_paused()
def emit_sources(
    program: ir.Program,
    part_lines: int = PART_LINES,
    *,
    commented: bool = False,
    without: frozenset[str] | None = None,
    members: Mapping[int, Sequence[str]] | None = None,
) -> list[Source]:
    """The files of the program's engine; the first is the module itself, the last the numbers that the others have by name.
    `commented`: with what stands where in the rules;
    `without`: passes that are switched off, instead of those of the environment."""
    names = MemberNames(members or {})
    if members:
        program = names.named(program)
    plan = Plan(program, switched_off() if without is None else without, names)
    functions, machines = _of_functions(plan), _of_machines(plan)
    boards = share_bitboards(plan, [*functions, *machines])
    functions, machines = ([boards.finished(one) for one in some] for some in (functions, machines))
    routines = [*functions, *machines]
    several = len(_split(routines, part_lines)) > 1
    # Functions and machines are compiled differently.
    groups = (functions, machines) if several else (routines,)
    parts = [(group is machines, part) for group in groups for part in _split(group, part_lines) if part]
    files: list[Source] = []
    if several:
        # What knows all routines is a part of its own, and so is what Python loads.
        dispatch = _dispatch_values(plan, boards)
        driven = _driven(dispatch)
        module = {"title": "the module: what Python loads", "driven": driven, **dispatch}
        files.append(_file(f"{MODULE_NAME}.pyx", "module.pyx", module))
        values = _part_values(plan, driven, routines, several) | {
            "foreign": routines,
            "title": "what the driver calls by number",
        }
        files.append(_part("dispatch", driven, values, commented))
    for of_machines, part in parts:
        shown = part if commented else [routine.bare for routine in part]
        values = _part_values(plan, shown, routines, several)
        if several:
            files.append(_part(part[0].name, shown, values, commented, of_machines))
        else:
            files.append(_file(f"{MODULE_NAME}.pyx", "engine.pyx", values | _dispatch_values(plan, boards)))
    if several:
        numbers = [plan.numbers.known[name] for name in sorted(plan.numbers.known)]
        files.append(_file(f"{MODULE_NAME}_numbers.c", "numbers.c", {"numbers": numbers}))
    return files


def _part(
    name: str,
    routines: Sequence[Routine],
    values: dict[str, Any],
    commented: bool,
    between_questions: bool = False,
) -> Source:
    """A part of an engine, in C if all of it can be; what people read is in Cython's notation."""
    stem = f"{MODULE_NAME}_{name}"

    def in_cython() -> SourceFile:
        return _file(f"{stem}.pyx", "part.pyx", values)

    def write() -> SourceFile:
        with suppress(NotInC):
            written = [(routine, routine_in_c(routine.params, routine.body)) for routine in routines]
            return SourceFile(f"{stem}.c", _render("part.c", values | {"written": written}))
        return in_cython()

    if commented:
        return in_cython()
    printed = [(routine, routine.lines) for routine in routines]
    basis = _render("part.c", values | {"written": printed})
    return Part(stem, f"{_reader()}\n{basis}", write, between_questions)


@lru_cache(maxsize=1)
def _reader() -> str:
    """What stands for the modules and templates that make files of parts: with others the same part is another file."""
    here = Path(__file__).resolve().parent
    made_by = [
        here / "modules.py",
        here / "in_c.py",
        here / "c_expressions.py",
        *here.glob("templates/*"),
        here / "print" / "wrap.py",
    ]
    return content_key(path.read_bytes() for path in sorted(made_by))


def _driven(dispatch: dict[str, Any]) -> list[Routine]:
    """What the driver calls by number, as routines."""
    made = []
    for block in tree_of(_render("dispatch.pyx", dispatch)):
        assert isinstance(block, Block)
        found = _HEAD.fullmatch(block.head)
        assert found is not None, block.head
        result, name, params = found.groups()
        made.append(Routine((), result, name, params, tuple(block.body)))
    return made


def _file(name: str, template: str, values: dict[str, Any]) -> SourceFile:
    text = _render(template, values)
    return SourceFile(name, "\n".join(piece for line in text.split("\n") for piece in wrapped(line)))


def _of_functions(plan: Plan) -> list[Routine]:
    program = plan.program
    groups = [_function(plan, function) for function in program.functions]
    groups.append(
        [
            FunctionBody(plan, program.functions[n], untraced_clone=True).routine()
            for n in sorted(plan.untraced_clones)
        ]
    )
    groups += [movement_routines(plan, movement) for movement in program.movements]
    return [routine for group in groups for routine in group]


def _of_machines(plan: Plan) -> list[Routine]:
    routines: list[Routine] = []
    for machine in plan.program.machines:
        for number, block in enumerate(machine.blocks):
            if isinstance(block.end, ir.Ask):
                routines.append(AskBody(plan, machine, number, block.end).offer())
                routines.append(AskBody(plan, machine, number, block.end).take())
        if machine.id in plan.frameless:
            routines.append(FramelessBody(plan, machine).routine())
        routines.append(MachineBody(plan, machine).routine())
    return routines


def _function(plan: Plan, function: ir.Function) -> list[Routine]:
    routine = FunctionBody(plan, function).routine()
    if function.id in plan.memoised.functions:
        return [routine, *memo_routines(plan, routine, function)]
    return [routine]


def _split(routines: Sequence[Routine], part_lines: int) -> list[list[Routine]]:
    """Routines in order, in parts of roughly equal size.

    Where a part ends is decided by names, as far as its size allows: a routine that grows or shrinks changes its own part, and not
    where all the others begin.  What did not change is not compiled again (build/build.py)."""
    least, most = 3 * part_lines // 4, 3 * part_lines // 2
    parts: list[list[Routine]] = [[]]
    size = 0
    for routine in routines:
        own = routine.size
        if size and size + own > most:
            parts.append([])
            size = 0
        parts[-1].append(routine)
        size += own
        if size >= least and crc32(routine.name.encode()) % ENDS_ONE_OF == 0:
            parts.append([])
            size = 0
    if len(parts) > 1 and size < least // 3:
        # The rest is not worth a file.
        rest = parts.pop()
        parts[-1] += rest
    return parts


def _part_values(
    plan: Plan, part: Sequence[Routine], routines: Sequence[Routine], several: bool
) -> dict[str, Any]:
    program = plan.program
    own = {routine.name for routine in part}
    called = {name for routine in part for name in routine.calls}
    constants = {name for routine in part for name in routine.constants}
    return {
        "title": f"the part from {part[0].name} on" if several else "the whole engine",
        "several": several,
        "numbers": [plan.numbers.known[name] for name in sorted(constants & plan.numbers.known.keys())],
        "verbs": sorted(ir.VERBS.items()),
        "foreign": [routine for routine in routines if routine.name not in own and routine.name in called],
        "linkage": "public " if several else "",
        "declarations": _declarations(plan, part, routines, several),
        "constants": [
            (name, place)
            for machine in program.machines
            for name, place in frame_constants(plan, machine)
            if name in constants
        ],
        "indexes": [
            (name, number)
            for name, number in (*plan.index_names.constants, *plan.members.constants)
            if name in constants
        ],
        "routines": part,
    }


def _declarations(
    plan: Plan, part: Sequence[Routine], routines: Sequence[Routine], several: bool
) -> list[str]:
    """What C is told of routines beside what Cython tells it."""
    if several:
        return [f"GROG_NOINLINE {routine.prototype};" for routine in part if routine.noinline]
    inlines = plan.is_small and plan.uses("inline_single_calls")
    return force_inline_declarations(routines) if inlines else []


def _dispatch_values(plan: Plan, boards: SharedBitboards) -> dict[str, Any]:
    program = plan.program
    questions = []
    for machine in program.machines:
        asks = [
            Question(
                number,
                offer_call(plan, machine, number, block.end, "chooser"),
                routine_name("take", plan, machine, number),
                block.end.block,
            )
            for number, block in enumerate(machine.blocks)
            if isinstance(block.end, ir.Ask)
        ]
        if asks:
            questions.append((machine.id, asks))
    return {
        "machines": plan.machines,
        "questions": questions,
        "view": _view_call(plan),
        "calls": [_outside_call(plan, function) for function in program.functions],
        "spare": _spare(program),
        "memo_kinds": int(plan.memoised.next_validity > 0) | int(boards.kept) << 1,
        "view_validity": -1 if plan.memoised.view is None else plan.memoised.view,
        "sizes": {
            "domains": len(program.domains),
            "fields": len(program.fields),
            "columns": len(program.columns),
            "tables": len(program.tables),
        },
        "shape": repr(shape(program)),
    }


def _view_call(plan: Plan) -> str:
    number = plan.program.view
    if number is None:
        return ""
    return f"{plan.functions[number]}(ctx, seat)"


def _outside_call(plan: Plan, function: ir.Function) -> str:
    """The call of a function by number; arguments come as arrays."""
    args = ["ctx"]
    if isinstance(function.result, ir.SetType):
        args.append("out")
    for index, local in enumerate(function.locals[: function.params]):
        if index in plan.unread[function.id]:
            continue
        args.append(f"given[{index}]" + ("[0]" if isinstance(local.type, ir.IntType) else ""))
    call = f"{plan.functions[function.id]}({', '.join(args)})"
    return call if isinstance(function.result, ir.SetType) else f"return {call}"


def _spare(program: ir.Program) -> int:
    """Cells that the largest list and the largest note need."""
    most = 64
    for node in nodes((program.fields, program.functions, program.machines)):
        match node:
            case ir.ListType(capacity=capacity):
                most = max(most, capacity + 1)
            case ir.Note(args=args):
                most = max(most, len(args) + 3)
            case ir.TableGet(index=index):
                most = max(most, len(index) + 4)
    return most


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _render(template: str, values: dict[str, Any]) -> str:
    return _templates().get_template(f"{template}.j2").render(values)
