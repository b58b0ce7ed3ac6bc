"""The grammar of the IR as data: for every class of nodes its parts in order, and what each part must be.

A part's kind is one of

* `int`, `set`, `list`, `over`, `stmt`, `end`: a node of that class of nodes; with `*` a tuple of them;
* `arg*`: a tuple of integers, sets and lists; `loop*`: statements inside a loop;
* `local:int`, `local:set`, `local:list`: the index of a local of that type;
* `domain`, `field`, ..., `site`: the id of a declaration; `block`: the number of a block of the machine;
* `word`: a 32-bit integer; `bool`; `head`: a cell of the header; `fail`: a kind of failure; `level` of a note;
* `text`: a word that another rule looks at; `value`: what the function returns, which another rule looks at.

`?` at the end: or None.
"""

from __future__ import annotations

from typing import TypeAlias, get_args, get_type_hints

from grognard.contract import ir

Parts: TypeAlias = tuple[tuple[str, str], ...]


def _parts(text: str) -> Parts:
    """`field=field index=int*` as pairs of an attribute and its kind."""
    return tuple((name, kind) for name, _, kind in (word.partition("=") for word in text.split()))


_INT = {
    ir.Const: "value=word",
    ir.Sym: "symbol=symbol",
    ir.DomainCount: "domain=domain",
    ir.DomainBase: "domain=domain",
    ir.Local: "index=local:int",
    ir.Load: "field=field index=int* site=site",
    ir.Head: "cell=head",
    ir.Data: "column=column index=int* site=site",
    ir.TableGet: "table=table index=int* site=site",
    ir.Unary: "op=op value=int",
    ir.Binary: "op=op left=int right=int site=site",
    ir.If: "condition=int then=int otherwise=int",
    ir.Call: "function=function args=arg*",
    ir.Verb: "name=text args=int* site=site",
    ir.Aggregate: "op=op var=local:int over=over where=int? value=int? site=site",
    ir.In: "value=int set=set",
    ir.SetCount: "set=set",
    ir.SetNext: "set=set after=int",
    ir.SetEqual: "left=set right=set",
    ir.Subset: "left=set right=set",
    ir.ListLength: "list=list",
    ir.ListItem: "list=list n=int site=site",
    ir.Coverable: "left_var=local:int left=set right_var=local:int fits=int chosen=local:list extra=int",
    ir.Meeting: (
        "left_var=local:int left=set left_at=set right_var=local:int right=set right_at=set room=int site=site"
    ),
    ir.ReachCost: "movement=movement args=int* to=int",
    ir.AtBest: "machine=machine args=int* enough=int? site=site",
}
_SET = {
    ir.SetLocal: "index=local:set",
    ir.SetLoad: "field=field index=int* site=site",
    ir.SetData: "column=column index=int* site=site",
    ir.SetBuild: "domain=domain var=local:int over=over where=int? value=int?",
    ir.SetBinary: "op=op left=set right=set",
    ir.SetOf: "domain=domain items=int*",
    ir.SetIf: "condition=int then=set otherwise=set",
    ir.SetCall: "function=function args=arg*",
    ir.ReachSet: "movement=movement args=int* domain=domain",
    ir.Alike: "domain=domain within=set",
}
_LIST = {
    ir.ListLocal: "index=local:list",
    ir.ListLoad: "field=field index=int* site=site",
}
_OVER = {
    ir.OverDomain: "domain=domain",
    ir.OverRange: "lo=int hi=int",
    ir.OverSet: "set=set",
    ir.OverItems: "items=int*",
    ir.OverList: "list=list",
    ir.OverVerb: "name=text args=int* site=site",
}
_STMT = {
    ir.Assign: "local=local:int value=int",
    ir.AssignSet: "local=local:set value=set",
    ir.AssignList: "local=local:list value=list",
    ir.ListAppend: "local=local:list value=int site=site",
    ir.ListClear: "local=local:list",
    ir.SetChange: "local=local:set value=int add=bool",
    ir.Store: "field=field index=int* value=int op=op clamp=bool site=site",
    ir.StoreSet: "field=field index=int* value=set site=site",
    ir.StoreSetChange: "field=field index=int* value=int add=bool site=site",
    ir.StoreList: "field=field index=int* value=list site=site",
    ir.Enqueue: "field=field value=int site=site",
    ir.StoreHead: "cell=head value=int",
    ir.Reset: "field=field",
    ir.CopyField: "source=field target=field",
    ir.IfStmt: "condition=int then=stmt* otherwise=stmt*",
    ir.While: "condition=int body=loop* site=site",
    ir.For: "var=local:int over=over domain=domain? where=int? key=int? highest=bool body=loop* site=site",
    ir.ForLine: (
        "kind_var=local:int first_var=local:int second_var=local:int a=int b=int body=loop* site=site "
        "crossings=bool"
    ),
    ir.Break: "",
    ir.Continue: "",
    ir.Return: "value=value?",
    ir.Do: "function=function args=arg* local=local:int?",
    ir.Roll: "count=int lo=int hi=int total=local:int? pool=local:list? site=site",
    ir.Create: "domain=domain local=local:int site=site",
    ir.Destroy: "domain=domain value=int site=site",
    ir.Yield: "value=int",
    ir.Note: "level=level site=site args=int* seen=int?",
    ir.Fail: "kind=fail site=site",
    ir.BranchBegin: "site=site",
    ir.BranchNext: "site=site",
    ir.BranchEnd: "site=site",
}
_END = {
    ir.Jump: "block=block",
    ir.Branch: "condition=int then=block otherwise=block",
    ir.CallMachine: "machine=machine args=arg* local=local:int? block=block",
    ir.Ask: (
        "ask=ask candidates=function args=arg* chooser=int local=local:int block=block empty=block? extra=word? "
        "extra_when=int? lone=bool distinct=domain? seen=int? site=site"
    ),
    ir.ReturnMachine: "value=int?",
    ir.EndGame: "outcome=int",
}

#: Class of nodes -> the nodes in it -> the parts of each.
GRAMMAR: dict[str, dict[type, Parts]] = {
    name: {node: _parts(text) for node, text in nodes.items()}
    for name, nodes in (
        ("int", _INT),
        ("set", _SET),
        ("list", _LIST),
        ("over", _OVER),
        ("stmt", _STMT),
        ("end", _END),
    )
}

#: What each class of nodes is called.
NAMES = {
    "int": "an integer",
    "set": "a set",
    "list": "a list",
    "over": "a source of elements",
    "stmt": "a statement",
    "end": "a terminator",
}

#: Node -> the operators that it may have.
OPERATORS: dict[type, frozenset[str]] = {
    node: frozenset(get_args(get_type_hints(node)["op"]))
    for node in (ir.Unary, ir.Binary, ir.Aggregate, ir.SetBinary, ir.Store)
}

#: Aggregates that only look at their elements; the others need a value.
WITHOUT_VALUE = frozenset({"count", "any", "first", "last", "only", "the"})

#: Nodes with variables of their own: part -> the variables that it is evaluated with, once for each element.
BINDERS: dict[type, dict[str, tuple[str, ...]]] = {
    ir.Aggregate: {"where": ("var",), "value": ("var",)},
    ir.SetBuild: {"where": ("var",), "value": ("var",)},
    ir.For: {"where": ("var",), "key": ("var",), "body": ("var",)},
    ir.ForLine: {"body": ("kind_var", "first_var", "second_var")},
    ir.Coverable: {"fits": ("left_var", "right_var")},
    ir.Meeting: {"left_at": ("left_var",), "right_at": ("right_var",)},
}

#: Parts that name a local which the node writes.
WRITTEN_LOCALS = frozenset(
    {"local", "total", "var", "kind_var", "first_var", "second_var", "left_var", "right_var"}
)
