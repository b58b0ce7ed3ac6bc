"""Merged declarations -> the symbols: domains, fields, columns, callables with their types.

Nothing is lowered here; after this pass every name that rules can use is known with its type.
"""

from __future__ import annotations

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declare.callables import declare_callables, declare_exceptions
from grognard.compiler.sema.declare.domains import declare_domains
from grognard.compiler.sema.declare.fields import declare_fields
from grognard.compiler.sema.declare.kinds import declare_rows
from grognard.compiler.sema.declare.states import declare_states
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import OptionInfo
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for


def declare(symbols: Declaring, merged: Merged) -> None:
    """Fill the symbols from the merged layers."""
    declare_domains(symbols, merged)
    declare_rows(symbols)
    declare_fields(symbols, merged)
    _declare_options(symbols, merged)
    declare_states(symbols, merged)
    declare_callables(symbols, merged)
    declare_exceptions(symbols, merged)


def _declare_options(symbols: Declaring, merged: Merged) -> None:
    for _, decl in merged.decls:
        if not isinstance(decl, syn.OptionDecl):
            continue
        symbols.cite(decl.cites)
        values = [m.name for m in decl.values] or ["off", "on"]
        value, span = merged.options.get(decl.name, (decl.default, decl.span))
        if value not in values:
            symbols.sink.error(
                "GR0510",
                span,
                f"option `{decl.name}` has no value `{value}`",
                hint=hint_for(value, values) or f"it can be {' or '.join(values)}",
            )
        dom = None
        if decl.values:
            dom = symbols.new_dom(decl.name, "enum", decl.span)
            dom.members = list(values)
        symbols.options[decl.name] = OptionInfo(decl.name, values, value, decl, dom)
    for name, (_value, span) in merged.options.items():
        if name not in symbols.options:
            symbols.sink.error(
                "GR0510", span, f"there is no option `{name}`", hint=hint_for(name, list(symbols.options))
            )
