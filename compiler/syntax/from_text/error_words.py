"""The vocabulary of syntax errors: words of the language, names of its tokens, and signs of other languages."""

from __future__ import annotations

import re

DECLARATION_WORDS = [
    "series",
    "title",
    "use",
    "enum",
    "kind",
    "sides",
    "powers",
    "space",
    "piece",
    "game",
    "each",
    "record",
    "form",
    "states",
    "bag",
    "relation",
    "option",
    "set",
    "die",
    "event",
    "table",
    "modifiers",
    "rule",
    "exception",
    "procedure",
    "action",
    "menu",
    "on",
    "sight",
    "arc",
    "movement",
    "sequence",
    "victory",
    "evaluation",
    "example",
    "situation",
    "policy",
    "errata",
    "add",
    "replace",
    "amend",
    "required",
    "by_design",
]
#: Declarations that others depend on.  If one of them is broken, checking the others makes no sense.
DATA_WORDS = {
    "enum", "kind", "sides", "powers", "space", "piece", "game", "each", "record", "form", "bag", "relation",
    "option", "event", "add", "replace", "errata",
}  # fmt: skip
STATEMENT_WORDS = [
    "let", "var", "if", "elif", "else", "for", "while", "repeat", "until", "phase", "step", "simultaneously", "each",
    "alternate", "offer", "roll", "choose", "may", "assign", "do", "emit", "require", "return", "stop", "pass",
    "destroy", "create", "draw", "put", "reveal", "mark", "log", "end", "expect", "dice", "answers",
    "offered", "counter", "counters", "odds", "outcome", "board", "scenario", "terrain", "map", "show", "walk",
]  # fmt: skip
#: Phrases that authors try and the language has not: a word, a pattern for the text before it, a hint.
FOREIGN_PHRASES = (
    ("if", r"^\s*+else\s*+$", "write `elif`"),
    ("or", r"\bin\s++[A-Z]\w*+\s*+$", "nothing runs over two types at once: write it once for each of them"),
    (
        "seen",
        r"^\s*roll\b",
        "dice fall in the open; what is drawn can be seen by one side: draw c from BAG seen by p",
    ),
    ("to", r"^\s*reveal\b", "`reveal` is for everybody; `show ... to p` tells it to one side"),
    ("for", r"^\s*simultaneously\s*$", "put the loop on a line of its own, indented below `simultaneously`"),
)
#: What was written otherwise before: a pattern for the line, the words in it that are meant, what is written now.
OLD_WORDS = (
    (r"^(deck)\b", "a deck is a bag: `bag NAME of ...`"),
    (r"^\s+(remove)\b", "`remove` is written `destroy` now"),
    (r"\b(repeat[ \t]+while)\b", "`repeat while` is written `while` now"),
    (r'^\s*exception[ \t]+("[^"]*")', "an exception is called by a name now, its text may follow"),
    (r'\b(?:before|after)[ \t]+(?:\w+,[ \t]*)*("[^"]*")', "exceptions are called by their names now"),
    (r'\bwithout[ \t]+(?:\w+,[ \t]*)*("[^"]*")', "entries are called by their names now"),
    (
        r'^\s*amend[ \t]+modifiers\b.*?:[ \t]*(?:drop[ \t]+)?("[^"]*")',
        "entries are called by their names now",
    ),
)
#: Built-in calls that were written otherwise, and what is written now.
OLD_CALLS = {
    "if_none": "`if_none(x, y)` is written `x else y` now",
    "next_to": "`next_to` is written `adjacent` now",
    "border": "`border` is written `side` now",
}
#: Names of terminals of the grammar in messages.
TOKEN_NAMES = {
    "_COMMA": "`,`",
    "_NL": "the end of the line",
    "_INDENT": "an indented line",
    "NAME": "a name",
    "INT": "a number",
    "STRING": "a text in quotes",
    "CITE": "a citation",
    "ROW": "a table row",
    "DICE": "dice such as 2d6",
    "SPACE_SORT": "`hexes`, `squares` or `areas`",
    "EACH_SORT": "`side` or `power`",
    "ROUND": "`up`, `down` or `nearest`",
    "UPDOWN": "`up` or `down`",
}
#: Signs of other languages, with a hint.
FOREIGN_SIGNS = {
    "!=": "to compare write `is not`",
    "<>": "to compare write `is not`",
    "==": "to compare write `is`",
    "&&": "write `and`",
    "&": "write `and`",
    "||": "write `or`",
    "!": "write `not`",
    "%": "the remainder of a division is written `a mod b`",
    "//": "write `a / b rounded down`",
    "'": 'texts are written in double quotes: "..."',
    "“": 'texts are written in straight double quotes: "..."',
    "”": 'texts are written in straight double quotes: "..."',
    "`": "names stand without quotes",
    "@": None,
    "$": None,
    "~": "write `not`",
    "^": None,
    "\\": None,
    "->": "`->` names a result; it stands after the parameters, or after a call",
    "=>": "write `->`",
    "++": "write `+= 1`",
    "--": "write `-= 1`",
}


def is_body(chunk: str) -> bool:
    """Whether a line at the margin looks like a statement of the block above it that should be indented."""
    word = re.match(r"[^\W\d]\w*|.", chunk)
    return word is not None and (
        word.group() in "=+-" or (word.group() in STATEMENT_WORDS and word.group() not in DECLARATION_WORDS)
    )
