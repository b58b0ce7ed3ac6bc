"""Nodes of trees are dataclasses, whenever their methods come to be."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support import frozen_nodes as lazily
from grognard.support.lazy_attributes import LazyAttributes
from grognard.support.source import Span

HERE = Span("a.grog", 1, 1, 1, 2)
EVERY = sorted(
    {
        kind
        for module in (ir, syn)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind.__module__.startswith(module.__name__)
        and hasattr(kind, "__match_args__")
    },
    key=lambda kind: (kind.__module__, kind.__name__),
)


def fresh() -> Any:
    """A class that nobody has used."""

    @lazily.dataclass(frozen=True, slots=True)
    class Point(LazyAttributes):
        """A point."""

        x: int
        y: int = 7
        note: str = dataclasses.field(default="", compare=False, repr=False)

        @property
        def total(self) -> int:
            return self.x + self.y

    return Point


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_node_is_what_the_standard_library_would_make(kind: Any) -> None:
    names = tuple(f.name for f in dataclasses.fields(kind))
    assert kind.__match_args__ == names
    assert tuple(kind.__slots__) == names
    assert dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen


def test_what_it_starts_with_is_the_default() -> None:
    point = fresh()
    assert (point(1).x, point(1).y, point(1).note, point(x=1, y=2).total) == (1, 7, "", 3)
    with pytest.raises(TypeError):
        point()


@pytest.mark.parametrize(
    "first",
    [
        lambda point, p: p == point(1),
        lambda point, p: hash(p) == hash(point(1, note="other")),
        lambda point, p: repr(p).endswith("Point(x=1, y=7)"),
        lambda point, p: dataclasses.replace(p, y=8).y == 8,
        lambda point, p: [f.name for f in dataclasses.fields(p)] == ["x", "y", "note"],
        lambda point, p: p != dataclasses.replace(p, x=2),
        lambda point, p: copy.copy(p) == p,
        lambda point, p: p.__doc__ == "A point.",
    ],
)
def test_any_method_may_be_the_first(first: Any) -> None:
    point = fresh()
    # Made as a pickle makes it: without its own methods.
    made = object.__new__(point)
    for name, value in (("x", 1), ("y", 7), ("note", "")):
        object.__setattr__(made, name, value)
    assert first(point, made)


def test_it_cannot_be_changed_even_before_it_is_used() -> None:
    for change in (lambda p: setattr(p, "x", 2), lambda p: delattr(p, "x")):
        point = fresh()
        made = object.__new__(point)
        object.__setattr__(made, "x", 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            change(made)
    with pytest.raises(AttributeError):
        object.__setattr__(object.__new__(fresh()), "z", 1)


def test_a_pickle_of_a_node_is_the_node() -> None:
    name = syn.Name("a", HERE)
    again = pickle.loads(pickle.dumps(name))
    assert again == name and again.span == HERE


def test_reading_a_kept_tree_makes_no_methods() -> None:
    """The point of it all: a process that only reads trees never writes the methods of their classes."""
    data = pickle.dumps(syn.Name("a", HERE))
    script = (
        "import dataclasses, pickle\n"
        "import grognard.support.source\n"
        "made, real = [], dataclasses._process_class\n"
        "def counted(kind, *args):\n"
        "    made.append(kind.__name__)\n"
        "    return real(kind, *args)\n"
        "dataclasses._process_class = counted\n"
        "import grognard.contract.ir, grognard.compiler.syntax.nodes\n"
        f"node = pickle.loads({data!r})\n"
        "print(*made)\n"
        "print(node)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    made, node = run.stdout.splitlines()
    # One of them is made on import: the citations of what has none.
    assert made.split() == ["Cites"]
    assert node.startswith("Name(id='a'")
