"""A program under construction: what lowering adds to what is declared.  freeze.py makes an ir.Program of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grognard.compiler.sema.storage import field_of
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.types import Dom, FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span


class ProgramBuilder:
    """The parts of a program.  Numbers are places in the lists, as in ir.Program; declared fields and tables come first."""

    def __init__(self, symbols: Symbols, more_doms: Sequence[Dom]) -> None:
        self.declared = symbols
        #: domains that bodies bring with them, which grow while bodies are checked
        self._more_doms = more_doms
        self.fields: list[ir.Field] = list(symbols.fields)
        self.symbols: list[ir.Symbol] = []
        self._symbol_numbers: dict[str, int] = {}
        self.sites: list[ir.Site] = []
        self.functions: list[ir.Function | None] = []
        self.machines: list[ir.Machine | None] = []
        self.asks: list[ir.AskDecl] = []
        self.actions: list[ir.ActionDecl] = []
        self.movements: list[ir.Movement] = []
        #: (field, mark) -> the field of its snapshot
        self.snapshots: dict[tuple[int, str], int] = {}
        self.fields_by_id: dict[int, FieldInfo] = dict(symbols.fields_by_id)
        #: fields of the compiler's own that no view shows
        self.veiled: set[int] = set()
        self.journal = 0
        self.cited: dict[str, list[Span]] = {name: list(spans) for name, spans in symbols.cited.items()}
        for name in symbols.options:
            self.symbol(f"option {name}")

    @property
    def doms(self) -> list[Dom]:
        return [*self.declared.doms, *self._more_doms]

    def dom(self, number: int) -> Dom:
        declared = self.declared.doms
        return declared[number] if number < len(declared) else self._more_doms[number - len(declared)]

    def new_field(
        self,
        name: str,
        dims: Iterable[Dom],
        type_: Type,
        default: int = 0,
        lo: int | None = None,
        hi: int | None = None,
    ) -> int:
        self.fields.append(field_of(len(self.fields), name, dims, type_, default, lo, hi))
        return len(self.fields) - 1

    def symbol(self, name: str) -> int:
        """An integer fixed when data is loaded: `Kind.member`, `option name`."""
        number = self._symbol_numbers.get(name)
        if number is None:
            number = self._symbol_numbers[name] = len(self.symbols)
            self.symbols.append(ir.Symbol(number, name))
        return number

    def site(
        self,
        kind: str,
        text: str,
        span: Span | None,
        cites: Iterable[str] = (),
        shows: Iterable[str] = (),
        owner: str = "",
    ) -> int:
        number = len(self.sites)
        place = span or Span("", 0, 0, 0, 0)
        self.sites.append(
            ir.Site(
                number, kind, text, place.file, place.line, place.column, tuple(cites), tuple(shows), owner
            )
        )
        return number

    def reserve_function(self) -> int:
        self.functions.append(None)
        return len(self.functions) - 1

    def reserve_machine(self) -> int:
        self.machines.append(None)
        return len(self.machines) - 1

    def cite(self, cites: syn.Cites) -> tuple[str, ...]:
        """Note that these sections are cited here; gives their ids."""
        if cites.span is not None:
            for name in cites.ids:
                self.cited.setdefault(name, []).append(cites.span)
        return cites.ids
