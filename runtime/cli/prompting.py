"""Asking the person at the keyboard: numbered choices, forgiving reading of answers, completion in terminals."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from grognard.cli.console import Console, wide
from grognard.cli.errors import quoted

if TYPE_CHECKING:
    from grognard.contract.questions import Choice, Question

#: Up to so many choices stand below each other, unless all are this narrow.
ONE_COLUMN = 9
NARROW = 10


class Asker(Protocol):
    """Reads a line; EOFError at the end of the input."""

    def ask(self, prompt: str, words: Sequence[str]) -> str: ...


class PlainAsker:
    """Lines from standard input, as they come."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        self.console.out.write(prompt)
        self.console.out.flush()
        line = sys.stdin.readline()
        if not line:
            self.console.print()
            raise EOFError
        if not sys.stdin.isatty():
            # A recorded session should read like a played one.
            self.console.print(line.rstrip("\n"))
        return line.strip()


class CompletingAsker:
    """prompt_toolkit: history and completion with the tabulator."""

    def __init__(self, session: Any, completer: Any) -> None:
        self.session = session
        self.completer = completer

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        made = self.completer(list(words), ignore_case=True, sentence=True)
        line: str = self.session.prompt(prompt, completer=made, complete_while_typing=False)
        return line.strip()


def make_asker(console: Console) -> Asker:
    """The best way of asking that this terminal has."""
    if not console.plain and console.terminal and sys.stdin.isatty():
        try:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.completion import WordCompleter
        except ImportError:
            return PlainAsker(console)
        return CompletingAsker(PromptSession(), WordCompleter)
    return PlainAsker(console)


# --------------------------------------------------------------------------------------------------- choices


def keys_of(choices: Sequence[Choice]) -> list[str]:
    """What to type for each: its place in the list; its own name where names are numbers, as of hexes."""
    if any(choice.name.lstrip("-").isdigit() for choice in choices):
        return [choice.name for choice in choices]
    return [str(number) for number in range(1, len(choices) + 1)]


def list_choices(
    choices: Sequence[Choice],
    console: Console,
    notes: Sequence[str] = (),
    where: Mapping[str, str] | None = None,
    shown_as: Sequence[str] = (),
) -> list[str]:
    """The choices with their keys and a note on each, in columns if there are many; `where`: places by label; `shown_as`:
    what is shown instead of their labels."""
    keys = keys_of(choices)
    room = max((wide(key) for key in keys), default=0)
    cells: list[tuple[str, int]] = []
    for number, (key, choice) in enumerate(zip(keys, choices, strict=True)):
        label = shown_as[number] if shown_as else choice.label
        if label == key:
            label = ""
        if where and choice.label in where:
            label += f", {where[choice.label]}"
        if number < len(notes) and notes[number]:
            label = f"{label}  ({notes[number]})".lstrip()
        plain = f"{key:>{room}}" + (f"  {label}" if label else "")
        shown = console.style("number", f"{key:>{room}}") + (f"  {label}" if label else "")
        cells.append((shown, wide(plain)))
    if len(cells) <= ONE_COLUMN and (len(cells) < 4 or max(width for _, width in cells) > NARROW):
        return [f"  {shown}" for shown, _ in cells]
    pitch = max(width for _, width in cells) + 3
    across = max(1, (min(console.width, 100) - 2) // pitch)
    down = -(-len(cells) // across)
    lines = []
    for line in range(down):
        parts = cells[line::down]
        lines.append("  " + "".join(shown + " " * (pitch - width) for shown, width in parts).rstrip())
    return lines


def read_choice(text: str, choices: Sequence[Choice], commands: Sequence[str] = ()) -> Choice | str:
    """The choice that was meant, or a sentence that says why none is; `commands` may have been meant, too."""
    folded = text.casefold()
    keys = keys_of(choices)
    for choice, key in zip(choices, keys, strict=True):
        if folded in (key.casefold(), choice.name.casefold(), choice.label.casefold()):
            return choice
    if folded in ("done", "pass", "none", "no"):
        last = [choice for choice in choices if choice.name in ("done", "none")]
        if last:
            return last[0]
    if folded.isdigit():
        return f"{quoted(text)} is not in the list"
    begun = [
        c for c in choices if c.name.casefold().startswith(folded) or c.label.casefold().startswith(folded)
    ]
    if len(begun) == 1:
        return begun[0]
    if begun:
        names = ", ".join(choice.name for choice in begun[:8])
        return f"{quoted(text)} may be {names}{' ...' if len(begun) > 8 else ''}"
    from grognard.support.suggest import did_you_mean

    if (command := f":{folded.partition(' ')[0]}") in commands or command == ":q":
        return f"{quoted(text)} is not offered; commands begin with a colon: {':quit' if command == ':q' else command}"
    guess = did_you_mean(text, [w for c in choices for w in (c.name, c.label)])
    return f"{quoted(text)} is not offered" + (f"; did you mean {quoted(guess)}?" if guess else "")


def question_line(
    question: Question,
    console: Console,
    seat: str,
    about: Sequence[str] = (),
    actions: Mapping[str, str] | None = None,
) -> str:
    """Who is asked what, about what, under which section; `actions`: what people call actions."""
    cites = f" {console.style('cite', '[' + ', '.join(question.cites) + ']')}" if question.cites else ""
    label = question.label or question.name
    action, dot, _ = question.name.rpartition(".")
    # A procedure's name is the author's; what an action is called has just been picked.
    called = (actions or {}).get(action, "") if dot else ""
    where = f"{called}, " if called and called not in label else ""
    # What the label names already is not said again.
    unsaid = [name for name in about if name not in label]
    subject = f" ({', '.join(unsaid)})" if unsaid else ""
    return f"{seat}: {console.style('bold', where + label)}{subject}?{cites}"
