"""How often each production of the grammar and each of its words is used by the rules of a folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from grognard.compiler.syntax.from_text.indenter import LineIndenter
from grognard.grammar import LATEST, grammar_text
from lark import Lark, Token, Tree
from lark.grammar import NonTerminal
from lark.load_grammar import GrammarBuilder


@dataclass(slots=True)
class Uses:
    """Uses of productions, which are called by their alias or else `rule/number`, and of words."""

    productions: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


class CountingParser:
    """A parser of the language that marks every alternative of every rule in its trees."""

    def __init__(self, version: int = LATEST) -> None:
        builder = GrammarBuilder()
        builder.load_grammar(grammar_text(version), "<grognard>")
        grammar = builder.build()
        #: mark in the tree -> name of the production
        self._names: dict[str, str] = {}
        for rule, _params, alternatives, options in grammar.rule_defs:
            options.expand1 = False
            options.keep_all_tokens = True
            count = len(alternatives.children)
            for place, alternative in enumerate(alternatives.children):
                body, alias = alternative, None
                if alternative.data == "alias":
                    body, alias = alternative.children
                mark = f"{str(rule).strip('_?')}__{place}"
                alternatives.children[place] = Tree("alias", [body, NonTerminal(mark)])
                if alias is not None:
                    self._names[mark] = f"{rule}: {alias.name}"
                elif not _is_one_rule(body):
                    # An alternative that is nothing but another rule is counted there.
                    self._names[mark] = str(rule) if count == 1 else f"{rule}/{place + 1}"
        self._lark = Lark(grammar, parser="lalr", postlex=LineIndenter(), keep_all_tokens=True)
        self._words = {
            t.name: t.pattern.value
            for t in self._lark.terminals
            if t.pattern.type == "str" and t.pattern.value.replace("_", "").isalpha()
        }

    @property
    def productions(self) -> set[str]:
        return set(self._names.values())

    @property
    def words(self) -> set[str]:
        return set(self._words.values())

    def count(self, folder: Path) -> Uses:
        made = Uses()
        for path in sorted(folder.rglob("*.grog")):
            tree = self._lark.parse(path.read_text(encoding="utf-8") + "\n")
            for node in tree.iter_subtrees():
                if node.data in self._names:
                    made.productions[self._names[node.data]] += 1
                for child in node.children:
                    if isinstance(child, Token) and child.type in self._words:
                        made.words[self._words[child.type]] += 1
        return made


def _is_one_rule(body: Tree) -> bool:
    parts = body.children
    return len(parts) == 1 and isinstance(parts[0], Tree) and _symbol_is_rule(parts[0])


def _symbol_is_rule(value: Tree) -> bool:
    return value.data == "value" and isinstance(value.children[0], NonTerminal)
