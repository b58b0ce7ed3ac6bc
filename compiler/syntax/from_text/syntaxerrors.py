"""Messages for syntax errors.  Frequent ones (signs of other languages, open brackets, misspelt words) have their own.

Within a declaration the line in error is blanked and the rest parsed again, so that several errors are reported at once.
"""

from __future__ import annotations

import re
from typing import Any

from grognard.compiler.syntax.from_text.brackets import blanked, report_brackets, rest_of_line, span_at
from grognard.compiler.syntax.from_text.error_words import (
    DECLARATION_WORDS,
    FOREIGN_PHRASES,
    FOREIGN_SIGNS,
    OLD_WORDS,
    STATEMENT_WORDS,
    TOKEN_NAMES,
    is_body,
)
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile, Span
from grognard.support.suggest import hint_for
from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

#: Errors reported for one declaration; a page of prose would give one for each line.
MAX_IN_DECLARATION = 8


#: A line that is nothing but a call.
_CALL = re.compile(r"\s*+([^\W\d]\w*+)\(.*\)\s*+$")


class SyntaxErrorReporter:
    """Reports the errors of lark, one declaration at a time."""

    def __init__(self, source: SourceFile, parser: Lark, sink: Sink) -> None:
        self.source = source
        self.parser = parser
        self.sink = sink
        self.keywords = {word for t in parser.terminals if (word := self._keyword(t.name)).isalpha()}

    def not_a_declaration(self, start: int, chunk: str) -> None:
        if self._old(start):
            return
        line = self.source.line(start)
        found = re.match(r"[^\W\d]\w*", line)
        word = found.group() if found else line[:1]
        hint = hint_for(word, DECLARATION_WORDS)
        if hint is None:
            if word in ("include", "import", "require"):
                hint = 'another file is read with `use "..."`; those beside this one are read anyway'
            elif is_body(chunk):
                hint = "indent the line if it belongs to the block above"
            else:
                hint = "at the margin stands `rule`, `table`, `procedure`, `enum` or another declaration"
        self.sink.error(
            "GR0105", self._span(start, 1, len(word)), f"a declaration cannot start with `{word}`", hint=hint
        )

    def chunk(self, start: int, chunk: str, error: Exception) -> None:
        """Report the errors of one declaration: after each, its line is blanked and the rest is parsed again."""
        if report_brackets(self.source, start, chunk, self.sink):
            return
        lines = chunk.split("\n")
        reported = 0
        while True:
            line = self.report(error, start - 1)
            reported += 1
            if line is None or reported >= MAX_IN_DECLARATION:
                return
            place = line - start
            if not 0 < place < len(lines):
                return  # the heading itself: the rest cannot be parsed without it
            lines[place] = "#"  # a comment keeps the block intact
            following = self._next_error("\n".join(lines), start, line)
            if following is None:
                return
            error = following

    def _next_error(self, text: str, start: int, after: int) -> Exception | None:
        """The next error below a line; None if there is none, or it may only come from blanking that line."""
        try:
            self.parser.parse(text)
        except UnexpectedToken as error:
            if error.token.type in ("_NL", "_INDENT", "_DEDENT", "$END", "ELIF", "ELSE"):
                return None
            return error if (error.token.line or 0) + start - 1 > after else None
        except UnexpectedCharacters as error:
            return error if error.line + start - 1 > after else None
        except DedentError:
            return None
        return None

    # ---- one error

    def report(self, error: Exception, offset: int) -> int | None:
        """Report one of lark's errors, `offset` lines down; the line that it is about."""
        if isinstance(error, DedentError):
            return self._dedent(offset)
        if isinstance(error, UnexpectedCharacters):
            return self._character(error.line + offset, error.column)
        assert isinstance(error, UnexpectedToken)
        return self._token(error, offset)

    def _dedent(self, offset: int) -> int | None:
        """Report the first line that lines up with none above it: lark does not say where."""
        widths = [0]
        depth = 0
        for number in range(offset + 1, self.source.line_count + 1):
            line = self.source.line(number)
            plain = blanked(line)
            if not plain.strip() or plain.lstrip().startswith("|"):
                continue
            width = len(line) - len(line.lstrip(" "))
            if depth == 0 and "|" not in plain:
                while widths[-1] > width:
                    widths.pop()
                if widths[-1] != width and number > offset + 1:
                    above = self._previous(number)
                    if width < above:
                        self.sink.error(
                            "GR0102",
                            rest_of_line(self.source, number),
                            "this line lines up with no line above it",
                            hint="indent it like the lines of the block that it belongs to",
                        )
                        return None
                    widths.append(width)
            depth = max(0, depth + sum(plain.count(c) for c in "({") - sum(plain.count(c) for c in ")}"))
        self.sink.error(
            "GR0102", self._span(offset + 1, 1, 1), "the indentation of this declaration is uneven"
        )
        return None

    def _previous(self, number: int) -> int:
        for above in range(number - 1, 0, -1):
            line = self.source.line(above)
            if line.strip() and not line.lstrip().startswith("#"):
                return len(line) - len(line.lstrip(" "))
        return 0

    def _character(self, number: int, column: int) -> int:
        line = self.source.line(number)
        character = line[column - 1 : column]
        if character == '"':
            self.sink.error(
                "GR0103",
                self._span(number, column, max(1, len(line.rstrip()) - column + 1)),
                "this text is not closed",
                hint='a text starts and ends with " on one line',
            )
        elif character == "[":
            self.sink.error(
                "GR0108",
                self._span(number, column, max(1, len(line.rstrip()) - column + 1)),
                "this citation is not closed",
                hint="a citation is written [7.1] on one line",
            )
        elif character == "]":
            self.sink.error(
                "GR0108",
                self._span(number, column, 1),
                "`]` closes nothing",
                hint="square brackets are citations only; lookups are written table(row, column)",
            )
        else:
            self._sign(number, column)
        return number

    def _sign(self, number: int, column: int) -> bool:
        """Report a sign of another language."""
        line = self.source.line(number)
        for sign in sorted(FOREIGN_SIGNS, key=len, reverse=True):
            if line.startswith(sign, column - 1):
                self.sink.error(
                    "GR0101",
                    self._span(number, column, len(sign)),
                    f"`{sign}` has no meaning here",
                    hint=FOREIGN_SIGNS[sign],
                )
                return True
        self.sink.error(
            "GR0101", self._span(number, column, 1), f"`{line[column - 1 : column]}` has no meaning here"
        )
        return True

    def _token(self, error: UnexpectedToken, offset: int) -> int | None:
        token = error.token
        expected = set(error.accepts or error.expected)
        line = (token.line or 1) + offset
        column = token.column or 1
        if token.type == "$END" or (token.type == "_DEDENT" and "_INDENT" not in expected):
            return self._end(expected, offset)
        if token.type in ("_NL", "_INDENT", "_DEDENT", "ROW"):
            return self._line_end(token, expected, line, column)
        return self._word(error, expected, line, column)

    def _end(self, expected: set[str], offset: int) -> int | None:
        """The declaration that begins below `offset` ends too early."""
        line = offset + 1
        for number in range(offset + 2, self.source.line_count + 1):
            text = self.source.line(number)
            if text and text[0] not in " \t#|)}":
                break
            if blanked(text).strip():
                line = number
        if "_INDENT" in expected:
            return self._no_block(line)
        if not self._goes_on(line):
            return self._cut_off(line, self._wanted(expected))
        end = len(blanked(self.source.line(line)).rstrip())
        self.sink.error(
            "GR0101",
            self._span(line, end + 1, 1),
            "the declaration ends too early",
            hint=self._wanted(expected),
        )
        return None

    def _line_end(self, token: Any, expected: set[str], line: int, column: int) -> int | None:
        text = self.source.line(line).rstrip()
        comment = len(blanked(text).rstrip())
        at = self._span(line, min(column, comment + 1), 1)
        if token.type == "ROW":
            row = line + (len(str(token)) - len(str(token).lstrip("\r\n")))
            return self._row(row, expected)
        if token.type == "_INDENT":
            below = line + 1
            while below < self.source.line_count and not blanked(self.source.line(below)).strip():
                below += 1
            self.sink.error(
                "GR0102",
                rest_of_line(self.source, below),
                "this line is indented for no reason",
                hint="line it up with the line above; only a block is indented",
            )
            return None
        if "_INDENT" in expected:
            return self._no_block(line if token.type == "_NL" else self._above(line))
        hint = self._wanted(expected)
        words = re.findall(r"[^\W\d]\w*", blanked(text))
        if "ELSE" in expected and "if" in words:
            hint = "`a if c else b` needs its `else`; a line that holds only sometimes is `= value when condition`"
        elif {"NAME", "INT"} <= expected:
            hint = "a value is missing at its end"
        if self._in_statement(expected) and (called := _CALL.match(blanked(text))):
            hint = f"to carry a procedure out write `do {called.group(1)}(...)`"
        if "ROUNDED" in expected:
            self._rounding(line, comment)
            return line
        if self._in_statement(expected) and self._misspelt(line, column):
            return line
        self.sink.error("GR0101", at, "the line ends too early", hint=hint)
        return line

    def _no_block(self, heading: int) -> int:
        text = blanked(self.source.line(heading)).rstrip()
        start = len(text) - len(text.lstrip()) + 1
        if not self._goes_on(heading):
            return self._cut_off(heading, "the indented block that belongs to this line is missing")
        self.sink.error(
            "GR0109",
            self._span(heading, start, max(1, len(text) - start + 1)),
            "the indented block that belongs to this line is missing",
            hint="indent the lines that belong to it",
        )
        return heading

    def _goes_on(self, line: int) -> bool:
        """Whether the file has text below a line."""
        return any(blanked(self.source.line(n)).strip() for n in range(line + 1, self.source.line_count + 1))

    def _cut_off(self, line: int, hint: str | None) -> int:
        end = len(blanked(self.source.line(line)).rstrip())
        message = "the file ends in the middle of a declaration"
        self.sink.error("GR0106", self._span(line, end + 1, 1), message, hint=hint)
        return line

    def _keyword_as_name(self, error: UnexpectedToken, line: int, before: str) -> bool:
        """Whether the word before is a keyword that the lexer took for a name."""
        found = re.search(r"(?<!\w)([^\W\d]\w*+)\s*+$", before)
        history = error.token_history or []
        if found is None or not history or history[-1].type != "NAME" or str(history[-1]) != found.group(1):
            return False
        if found.group(1) not in self.keywords:
            return False
        word = found.group(1)
        self.sink.error(
            "GR0101",
            self._span(line, found.start() + 1, len(word)),
            f"`{word}` cannot stand here",
            hint=f"`{word}` is a word of the language, so nothing else can have this name here",
        )
        return True

    def _above(self, line: int) -> int:
        """The last line with content above the one that the lexer stopped at."""
        number = line
        while number > 1 and not blanked(self.source.line(number)).strip():
            number -= 1
        return number

    def _row(self, line: int, expected: set[str]) -> int:
        text = self.source.line(line)
        if "||" in text:
            self._sign(line, text.index("||") + 1)
        else:
            self.sink.error(
                "GR0110",
                rest_of_line(self.source, line),
                "a table row cannot stand here",
                hint="rows belong below a `table` or `kind`; nothing else contains `|`",
            )
        return line

    def _word(self, error: UnexpectedToken, expected: set[str], line: int, column: int) -> int:
        token = error.token
        text = self.source.line(line)
        if self._old(line):
            return line
        before, shown = text[: column - 1], str(token)
        number = re.search(r"(?<!\d)\d++\.$", before)
        if shown == "." and (found := re.match(r"\.\d+", text[column - 1 :])):
            number, shown = re.search(r"(?<!\d)\d++$", before), found.group()
        if number and shown.lstrip(".").isdigit():
            self.sink.error(
                "GR0107",
                self._span(line, number.start() + 1, number.end() - number.start() + len(shown)),
                "there are no fractions",
                hint="write halves with rounding: `x * 3 / 2 rounded down`",
            )
            return line
        if token.type == "CITE" and column > 1 and (text[column - 2].isalnum() or text[column - 2] in "_)"):
            self.sink.error(
                "GR0108",
                self._span(line, column, len(shown)),
                "square brackets are citations only",
                hint="a lookup is written with round brackets: table(row, column)",
            )
            return line
        if "ROUNDED" in expected and shown != "rounded":
            self._rounding(line, column - 1)
            return line
        for sign in ("==", "!=", "<>", "=>", "//", "++", "--"):
            if text.startswith(sign, column - 1):
                self._sign(line, column)
                return line
        if self._in_statement(expected) and self._misspelt(line, column):
            return line
        if "_INDENT" in expected and token.type != "STRING":
            return self._no_block(self._above(line - 1))
        if self._keyword_as_name(error, line, before):
            return line
        span = self._span(line, column, max(1, len(shown.split("\n")[0])))
        hint = self._hint(token, expected, text, before)
        self.sink.error("GR0101", span, f"`{shown}` cannot stand here", hint=hint)
        return line

    def _old(self, line: int) -> bool:
        """Whether the line holds what was written otherwise before."""
        text = self.source.line(line)
        for pattern, told in OLD_WORDS:
            found = re.search(pattern, text)
            if found is not None:
                span = self._span(line, found.start(1) + 1, len(found[1]))
                self.sink.error(
                    "GR0101", span, told, hint=f"`grognard upgrade {self.source.path}` rewrites it"
                )
                return True
        return False

    def _hint(self, token: Any, expected: set[str], text: str, before: str) -> str | None:
        shown = str(token)
        if shown == "=":
            return "to change a value write `:=`" if self._in_statement(expected) else "to compare write `is`"
        if shown == "/" and before.rstrip(" ").endswith("/"):
            return "a division is `a / b rounded down`; a comment begins with `#`"
        for word, behind, hint in FOREIGN_PHRASES:
            if shown == word and re.search(behind, before):
                return hint
        words = [word for word in (self._keyword(name) for name in sorted(expected)) if word.isalpha()]
        if token.type == "NAME" and (near := hint_for(shown, words)):
            return near
        if token.type == "NAME" and "_COMMA" in expected and "WHERE" not in expected:
            return "is a comma missing before it?"
        if "WHERE" in expected and re.search(r"\bin\b", before):
            return "is `where` missing here?"
        if "OTHERWISE" in expected and "WHEN" in expected:
            return "after the value stands `when` with a condition, `otherwise` or the end of the line"
        if "_NL" in expected:
            return "the line is complete before it: delete it, or put what is missing (an operator, a comma) before it"
        return self._wanted(expected)

    def _in_statement(self, expected: set[str]) -> bool:
        """Whether the parser is inside a statement: then `:=` could follow."""
        return ":=" in {self._keyword(name) for name in expected}

    def _rounding(self, line: int, end: int) -> None:
        text = blanked(self.source.line(line))
        start = text.rfind("half", 0, end) if "half" in text[:end] else text.rfind("/", 0, end)
        start = max(0, start)
        self.sink.error(
            "GR0310",
            self._span(line, start + 1, max(1, len(text[start:end].rstrip()))),
            "a division must say how it rounds",
            hint="add `rounded up`, `rounded down` or `rounded nearest`",
        )

    def _misspelt(self, line: int, column: int) -> bool:
        """Whether the line's first word is a misspelt keyword: lark takes it for a name, and stops after it."""
        text = self.source.line(line)
        found = re.match(
            r"(\s+)([^\W\d]\w*)[ \t]+(?=[^\W\d]|\d|$)", text[: column - 1] + text[column - 1 : column]
        )
        if found is None or found.group(2) in STATEMENT_WORDS:
            return False
        hint = hint_for(found.group(2), STATEMENT_WORDS)
        if hint is None:
            return False
        word = found.group(2)
        self.sink.error(
            "GR0101",
            self._span(line, len(found.group(1)) + 1, len(word)),
            f"there is no statement `{word}`",
            hint=hint,
        )
        return True

    def _keyword(self, name: str) -> str:
        try:
            pattern = self.parser.get_terminal(name).pattern
        except KeyError:
            return ""
        return pattern.value if pattern.type == "str" else ""

    def _wanted(self, expected: set[str]) -> str | None:
        words: list[str] = []
        for name in sorted(expected, key=lambda name: name.replace("_COMMA", "COMMA")):
            if name in ("_NL", "CITE") and len(expected) > 2:
                continue  # allowed nearly everywhere: not what is missing
            keyword = self._keyword(name)
            word = TOKEN_NAMES.get(name) or (f"`{keyword}`" if keyword else "")
            if word and word not in words:
                words.append(word)
        if not words or len(words) > 6:
            return None
        return "expected " + (words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1])

    def _span(self, line: int, column: int, length: int) -> Span:
        return span_at(self.source, line, column, length)
