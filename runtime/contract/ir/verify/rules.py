"""The rules of well-formedness by number, and what is said of a program that breaks one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Rule -> what holds in every well-formed program.  README.md lists the same rules by section.
RULES: dict[str, str] = {
    "W1": "the id of a declaration is its position",
    "W2": "every id that is used names a declaration",
    "W3": "every node is of the kind that its place needs",
    "W4": "operators and flags are those of the grammar, numbers fit into 32 bits",
    "W5": "`show` is int, signed, flag, action, dom:<id> or doms:<id>,<id>",
    "W6": "a field's range has a value and holds its default; lists have room for an item; columns hold no lists",
    "W7": "an `alive` field, and what remembers it, is an integer field over its domain alone",
    "W8": "parameters are the first locals; a function gives an integer, a set or nothing",
    "W9": "a node that names a local names a declared one of its type",
    "W10": "a node that names a field or column names one of its type",
    "W11": "as many indices as the field or column has dims and the table has axes",
    "W12": "sets that are combined, compared, assigned or returned are over one domain",
    "W13": "as many arguments as parameters",
    "W14": "an argument has the type of its parameter, a set its domain",
    "W15": "a callee gives what its caller takes",
    "W16": "built-in queries and sources are known and get their number of arguments",
    "W17": "an aggregate has a value if and only if its operator needs one",
    "W18": "a header cell is one of the header's",
    "W19": "a failure is one of the kinds that there are",
    "W20": "break and continue stand in a loop",
    "W21": "return stands in a function and gives its result, nothing in a procedure",
    "W22": "a queue is a list field without dims",
    "W23": "a field is copied to one of the same dims and type",
    "W24": "what is created or destroyed is of a domain with an `alive` field",
    "W25": "simultaneous branches stand in programs with a journal",
    "W26": "a note has the arguments that its site shows and names",
    "W27": "a pure function neither writes nor rolls, nor calls one that does",
    "W28": "a loop over a domain or set names the domain of its elements or none",
    "W45": "the variable of a loop, an aggregate or a search is not written inside it, nor is it that of another one there",
    "W29": "a machine has a block; targets are blocks of the machine",
    "W30": "a block that cannot be reached from the first is empty: merging leaves it behind",
    "W31": "a machine without a result returns no value",
    "W32": "candidates come from a procedure",
    "W33": "the extra answer is NONE or DONE; a condition on it stands beside one",
    "W34": "a decision on the chooser's view stands in a program with a view",
    "W35": "candidates are deduplicated, and pieces compared, over a domain of interchangeable pieces",
    "W36": "what a decision says of the asking machine names locals of the right types",
    "W37": "a hypothetical starts a machine that takes integers",
    "W38": "the sequence of play takes no arguments",
    "W39": "a view takes a seat and gives nothing",
    "W40": "evaluation and measure take a side and give an integer",
    "W41": "plausibility takes a piece and gives an integer",
    "W42": "a policy answers decisions that there are; its functions take a chooser and a candidate and give integers, those of a line take the same",
    "W43": "the functions of a movement take its arguments and places, and give integers",
    "W44": "seats and sides, where there are decisions, are domains of sides or powers; spaces and what movements reach are domains of places",
    "W46": "what simultaneous branches create is of domains of pieces, each named once, in programs with a journal",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a program breaks, and where."""

    rule: str
    #: function, machine or declaration, and the path to the node inside it
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.rule} {self.where}: {self.message}"


class Report:
    """The violations of one program in the order in which they are found."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def add(self, rule: str, where: str, message: str) -> None:
        assert rule in RULES, rule
        self.violations.append(Violation(rule, where, message))


class InvalidProgram(ValueError):
    """A program that is not well-formed, with everything that is wrong with it."""

    def __init__(self, name: str, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        lines = [f"  {found}\n      ({RULES[found.rule]})" for found in violations]
        super().__init__("\n".join([f"program {name} is not well-formed:", *lines]))
