"""Between which numbers an expression can come to lie, as far as declared types say it."""

from __future__ import annotations

from grognard.compiler.editor.names import Names
from grognard.compiler.sema.types import INT_HI, INT_LO, Type
from grognard.compiler.syntax import nodes as syn

Range = tuple[int, int]


class ValueRanges:
    """Least and greatest values of expressions over some parameters; None where nothing is known."""

    def __init__(self, names: Names, params: dict[str, Type]) -> None:
        self.names = names
        self.world = names.world
        self.params = params

    def of(self, expr: syn.Expr) -> Range | None:
        match expr:
            case syn.Number(text=text):
                return int(text), int(text)
            case syn.UnaryExpr(op="neg", value=value):
                inner = self.of(value)
                return (-inner[1], -inner[0]) if inner is not None else None
            case syn.BinaryExpr(op=op, left=left, right=right) if op in ("add", "sub", "mul"):
                return _computed(op, self.of(left), self.of(right))
            case syn.Ternary(then=then, otherwise=otherwise):
                return _joined(self.of(then), self.of(otherwise))
            case syn.OrElse(value=value, otherwise=otherwise):
                return _joined(self.of(value), self.of(otherwise))
            case syn.CallExpr(callee=syn.Name(id="min" | "max" as name), args=args) if args:
                return self._limited(name, args)
        return _bounds(self._type(expr))

    def _limited(self, name: str, args: tuple[syn.Expr, ...]) -> Range | None:
        """The lesser or greater of several: one that is known bounds the result at one end."""
        found = [self.of(arg) for arg in args]
        known = [span for span in found if span is not None]
        if len(known) != len(found):
            return None
        pick = min if name == "min" else max
        return pick(low for low, _ in known), pick(high for _, high in known)

    def _type(self, expr: syn.Expr) -> Type | None:
        match expr:
            case syn.Name(id=name):
                if name in self.params:
                    return self.params[name]
                info = self.world.globals.get(name)
                return info.type if info is not None else None
            case syn.Dot(object=owner, name=name):
                of = self._type(owner)
                field, _ = self.names.field_of(of, name) if of is not None else (None, None)
                return field.type if field is not None else None
            case syn.CallExpr(callee=syn.Name(id=name)):
                entry = self.world.callables.get(name)
                return entry.result if entry is not None else None
        return None


def _bounds(type_: Type | None) -> Range | None:
    if type_ is None or type_.sort != "int" or type_.lo <= INT_LO or type_.hi >= INT_HI:
        return None
    return type_.lo, type_.hi


def _computed(op: str, one: Range | None, other: Range | None) -> Range | None:
    if one is None or other is None:
        return None
    if op == "add":
        return one[0] + other[0], one[1] + other[1]
    if op == "sub":
        return one[0] - other[1], one[1] - other[0]
    products = [a * b for a in one for b in other]
    return min(products), max(products)


def _joined(one: Range | None, other: Range | None) -> Range | None:
    return (min(one[0], other[0]), max(one[1], other[1])) if one is not None and other is not None else None
