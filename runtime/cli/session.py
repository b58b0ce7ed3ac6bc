"""A game at the keyboard: shows the position, asks, obeys the commands that begin with a colon."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from grognard.cli.board.showing import (
    Parts,
    changed_parts,
    is_pick,
    log_texts,
    position_parts,
)
from grognard.cli.console import Console, plural
from grognard.cli.counting import offer, read_answer
from grognard.cli.errors import UserError, quoted
from grognard.cli.game_text import outcome_line
from grognard.cli.prompting import Asker, question_line
from grognard.cli.prospects import (
    print_asked,
    print_odds,
    print_place,
)
from grognard.cli.reasons import reason_lines
from grognard.cli.routes import way_to
from grognard.cli.sentences import read_sentence
from grognard.cli.session_help import AFTERWARDS, COMMANDS, HELP
from grognard.contract.questions import Choice
from grognard.errors import IllegalChoice, RuleError

if TYPE_CHECKING:
    from grognard.bots import Bot
    from grognard.cli.autosave import Autosave
    from grognard.contract.questions import Answer
    from grognard.play.game import Game
    from grognard.play.reader import Reader
    from grognard.play.wording import LogLine


class Session:
    """One game and the people and chances that play it."""

    def __init__(
        self,
        game: Game,
        console: Console,
        asker: Asker,
        *,
        humans: Sequence[str],
        picker: random.Random,
        bots: Mapping[str, Bot],
        reload: Callable[[str], Game],
        autosave: Autosave,
    ) -> None:
        self.game = game
        self.console = console
        self.asker = asker
        self.humans = list(humans)
        self.picker = picker
        #: who answers for the seats that no person plays; by chance where there is none
        self.bots = dict(bots)
        self.reload = reload
        self.autosave = autosave
        self._troubled: str | None = None
        self.size = "auto"
        #: whose view is shown; None: that of the seat which decides, "all": everything
        self.viewer: str | None = self.humans[0] if len(self.humans) == 1 else None
        self._drawn = Parts()
        self._told = 0
        #: notices of the engine that have been shown: the first ones when it was loaded
        self._noticed = len(game.engine.notices)

    # ---- the loop

    def run(self) -> None:
        self.console.print(f"{self.console.style('title', self.game.engine.title)}, {self._setting()}")
        self.console.print("Type a number or a name, :help for help, :quit to end.")
        while True:
            self._tell()
            seat = self.game.position.to_move
            if self.game.position.over:
                self._draw()
                self.console.print(outcome_line(self.game, self.console))
                if not self._ask_afterwards():
                    return
                continue
            if seat is None or seat not in self.humans:
                self._play_bot(seat)
                continue
            self.autosave.catch_up(self.game)
            self._draw()
            if not self._ask():
                self.console.print(f"Good-bye. {self._where()}")
                return

    def _setting(self) -> str:
        return f"scenario {self.game.scenario}, seed {self.game.seed}"

    def _where(self) -> str:
        return f"The game stands after {plural(len(self.game.history), 'answer')}."

    def _play_random(self) -> None:
        choices = self.game.position.legal()
        while choices:
            choice = self.picker.choice(choices)
            if self._play(choice, at_once=False):
                return
            # Where a rule fails upon one answer, another may do.
            choices.remove(choice)
        raise UserError(
            "rules fail upon every answer that chance or a bot could give, so the game cannot go on",
            f"the position is saved in {self.autosave.where}" if self.autosave.where else None,
        )

    def _play_bot(self, seat: str | None) -> None:
        bot = self.bots.get(seat or "")
        if bot is None:
            self._play_random()
            return
        try:
            with self.console.progress(f"{seat} is thinking"):
                choice = bot.choose(self.game.position)
        except RuleError as error:
            self._tell_failure(error, f"{seat} was thinking")
        else:
            if self._play(choice, at_once=False):
                return
        self._play_random()

    def _play(self, choice: Answer, at_once: bool = True) -> bool:
        """Play an answer and keep the game; False if a rule failed, or if it is not offered: then all stands as before it."""
        seat = self.game.position.to_move
        try:
            position = self.game.play(choice)
            try:
                # What can be answered next is worked out by rules, too.
                position.values()
            except RuleError:
                self.game.undo()
                raise
        except RuleError as error:
            name = choice.name if isinstance(choice, Choice) else choice
            self._tell_failure(error, f"{seat} answered {name}")
            return False
        except IllegalChoice:
            # Looked up ahead where the seat cannot know better: here it is not so.
            return False
        self._keep(at_once)
        return True

    def _keep(self, at_once: bool = True) -> None:
        """Save the game as it goes; trouble with that is told once."""
        self.autosave.keep(self.game, at_once=at_once)
        if self.autosave.trouble != self._troubled:
            self._troubled = self.autosave.trouble
            if self._troubled is not None:
                self.console.note(f"the game is not saved as it goes on: {self._troubled}")

    def _tell_failure(self, error: RuleError, when: str) -> None:
        """A rule failed: a mistake in the ruleset.  The position before it stands, and is saved."""
        self.autosave.keep(self.game)
        saved = self.autosave.where
        where = f", saved in {saved}" if saved else ""
        self.console.print(f"A rule failed {error}.")
        self.console.print(f"The position before it stands{where}.")
        self.console.print(
            "This is a mistake in the rules: please report it"
            + (" with that file" if saved else "")
            + f" and with what happened: after {plural(len(self.game.history), 'answer')}, {when}."
        )

    def _tell(self) -> None:
        """The lines of the log that are new since the last time, and what the engine has to say."""
        for notice in self.game.engine.notices[self._noticed :]:
            self.console.note(notice)
        self._noticed = len(self.game.engine.notices)
        lines = self.game.log
        seat = self._watching()
        new = lines[min(self._told, len(lines)) :]
        # What others answered is told once it is known whether it may be, and nothing before it.
        kept = (n for n, line in enumerate(new) if line.pending and seat and not line.visible_to(seat))
        new = new[: next(kept, len(new))]
        if new and is_pick(new[-1]) and not self.game.position.over:
            # It is told together with what comes of it.
            new = new[:-1]
        self._told = min(self._told, len(lines)) + len(new)
        for text in log_texts([line for line in new if seat is None or line.visible_to(seat)], self.console):
            self.console.print(text)

    def _log(self) -> list[LogLine]:
        seat = self._watching()
        return self.game.log if seat is None else self.game.log_for(seat)

    def _watching(self) -> str | None:
        """Whose eyes the screen has; None: everybody's, where nothing is hidden."""
        if self.viewer == "all" or self.game.engine.ruleset.program.view is None:
            return None
        return self.viewer or self.game.position.to_move

    def _reader(self) -> Reader:
        seat = self._watching()
        return self.game.position if seat is None else self.game.position.view(seat)

    def _draw(self, again: bool = False) -> None:
        """What of the position looks otherwise than when it was shown last; all of it at first, where much has changed, and
        in a terminal where the map looks otherwise."""
        now = position_parts(self._reader(), self.console, self.size)
        before, self._drawn = self._drawn, now
        moved = self.console.terminal and now.maps != before.maps
        shown = changed_parts(before, now, whole=again or moved)
        if shown:
            self.console.print()
            for line in shown:
                self.console.print(line)

    # ---- asking

    def _ask(self) -> bool:
        """One answer or command; False to end."""
        position = self.game.position
        question = position.question
        assert question is not None
        choices = position.legal()
        self.console.print()
        actions = {action.name: action.text for action in position.setting.program.actions}
        self.console.print(
            question_line(question, self.console, question.seat, self.game.subjects(), actions)
        )
        lines, words = offer(position, choices, self._reader(), question.kind, self.console)
        for line in lines:
            self.console.print(line)
        while True:
            try:
                text = self.asker.ask(f"{question.seat}> ", [*words, *COMMANDS])
            except (EOFError, KeyboardInterrupt):
                return False
            if not text:
                return True
            if text.startswith(":") or text == "?":
                if (going := self._obey(text)) is None:
                    continue
                return going
            chosen = read_answer(position, text, choices, COMMANDS)
            if isinstance(chosen, str):
                said = None if self._take_way(text) else self._take_sentence(text) or chosen
                if not isinstance(said, str):
                    return True
                self.console.print(said)
                continue
            self._play(chosen)
            return True

    def _take_way(self, text: str) -> bool:
        """A route that was entered by its end: its legs are answered one after the other, and the way is told."""
        legs = way_to(self.game.position, text)
        if not legs:
            return False
        way = [leg.label for leg in legs if leg.name not in ("done", "none")]
        self.console.print(f"by {', '.join(way)}")
        for leg in legs:
            if not self._play(leg):
                break
        return True

    def _take_sentence(self, text: str) -> bool | str | None:
        """A whole action in a sentence: its answers are given one after the other, as long as they are asked for."""
        said = read_sentence(self.game.position, text)
        if not isinstance(said, list):
            return said
        for asked, answer in said:
            question = self.game.position.question
            if question is None or question.name != asked or not self._play(answer):
                break
        return True

    def _ask_afterwards(self) -> bool:
        """Commands on a game that is over: to save it, to read it, to take something back; False to end."""
        while True:
            try:
                text = self.asker.ask("over> ", AFTERWARDS)
            except (EOFError, KeyboardInterrupt):
                return False
            if not text:
                return False
            if not text.startswith(":") and text != "?":
                self.console.print(
                    "The game is over; :undo takes back, :save keeps it, :quit ends, :help lists more."
                )
            elif (going := self._obey(text)) is not None:
                return going

    def _obey(self, text: str) -> bool | None:
        """A command as `_command` takes it; what is wrong with it is told."""
        try:
            return self._command(text)
        except UserError as mistake:
            self.console.print(mistake.message + (f" ({mistake.hint})" if mistake.hint else ""))
            return None

    def _hint(self, name: str) -> None:
        from grognard.cli.commands.match import checked_bot

        bot = checked_bot(name or "greedy", self.game.seed)
        try:
            with self.console.progress(f"{bot.name} is thinking"):
                choice = bot.choose(self.game.position)
        except RuleError as error:
            raise UserError(f"{bot.name} cannot say: a rule failed {error}") from None
        self.console.print(f"{bot.name} would answer {choice.label}.")

    # ---- commands

    def _command(self, text: str) -> bool | None:
        """True: go on with the game as it is now, False: end, None: ask the same again."""
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        name = self._full_name(word)
        if self.game.position.over and name not in AFTERWARDS:
            raise UserError("the game is over", ":undo takes something back")
        match name:
            case ":quit":
                return False
            case ":help":
                self.console.print(HELP)
                return None
            case ":undo" | ":redo":
                self._step(name, _count(rest))
                self._keep()
            case ":save":
                self._save(rest)
                return None
            case ":load":
                self._load(rest)
                self._keep()
            case ":log":
                lines = self._log()
                for line in log_texts(lines[-_count(rest) :] if rest else lines, self.console):
                    self.console.print(line)
                return None
            case ":why":
                self._why(rest)
                return None
            case ":view":
                self._view(rest)
                self._draw(again=True)
                return None
            case ":map":
                self._map(rest)
                return None
            case ":look":
                print_place(self._reader(), rest, self.console)
                return None
            case ":ask":
                print_asked(self._reader(), rest, self.console)
                return None
            case ":odds":
                print_odds(self.game.position, self.console)
                return None
            case ":hint":
                self._hint(rest)
                return None
            case ":random":
                for _ in range(_count(rest)):
                    if not self.game.position.over:
                        self._play_random()
        return True

    def _full_name(self, word: str) -> str:
        from grognard.support.suggest import did_you_mean

        if word in ("?", ":?"):
            return ":help"
        if word == ":q":
            return ":quit"
        begun = [name for name in COMMANDS if name.startswith(word.lower())] if len(word) > 1 else []
        if len(begun) == 1 or (begun and begun[0] == word):
            return begun[0]
        guess = did_you_mean(word, COMMANDS)
        raise UserError(
            f"there is no command {quoted(word)}", f"did you mean {guess}?" if guess else ":help lists them"
        )

    def _step(self, name: str, times: int) -> None:
        """Undo or redo; against chance, back to a decision of a person."""
        from grognard.errors import NothingToUndo

        move = self.game.undo if name == ":undo" else self.game.redo
        done = 0
        try:
            for _ in range(times):
                self._fairly(name)
                move()
                done += 1
                while self.game.position.to_move not in self.humans and not self.game.position.over:
                    self._fairly(name)
                    move()
        except NothingToUndo as end:
            if not done:
                raise UserError(str(end)) from None
            while (
                self.game.position.to_move not in self.humans
                and name == ":undo"
                and not self.game.position.over
            ):
                # The start itself belongs to chance: forward again to the first decision of a person.
                self.game.redo()
        except _Unfair as why:
            while self.game.position.to_move not in self.humans and not self.game.position.over:
                self.game.redo()
            if not done:
                raise UserError(str(why), "what is known cannot be unlearnt") from None
            self.console.print(f"{why}.")
        lines = self.game.log
        self._told = min(self._told, len(lines) - (1 if lines and is_pick(lines[-1]) else 0))

    def _fairly(self, name: str) -> None:
        """Against a bot an answer stands once dice have fallen or something hidden has come to light."""
        if name == ":undo" and self.bots and self.game.history and not self.game.can_undo_fairly():
            raise _Unfair("dice have fallen or something hidden came to light since")

    def _save(self, path: str) -> None:
        if not path:
            raise UserError("save to which file?", "for example :save game.json")
        try:
            self.game.save(path)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
        self.console.print(f"Saved to {path} after {plural(len(self.game.history), 'answer')}.")

    def _load(self, path: str) -> None:
        if not path:
            raise UserError("load which file?", "for example :load game.json")
        self.game = self.reload(path)
        self._told = len(self.game.log)
        self._drawn = Parts()
        self.console.print(f"{path}: {self._setting()}. {self._where()}")

    def _why(self, rest: str) -> None:
        played = len(self.game.history)
        if not played:
            raise UserError("nothing was played yet")
        number = played
        if rest:
            number = _count(rest)
            if number > played:
                raise UserError(f"only {plural(played, 'answer')} so far")
        for line in reason_lines(self.game.why(number - 1, self._watching()), self.console):
            self.console.print(line)

    def _view(self, rest: str) -> None:
        from grognard.support.suggest import did_you_mean

        seats = self.game.engine.seats
        if rest in ("all", "everything"):
            self._may_look_as(None)
            self.viewer = "all"
            return
        found = next((seat for seat in seats if seat.lower() == rest.lower()), None)
        if found is None:
            guess = did_you_mean(rest, seats)
            raise UserError(
                f"there is no side {quoted(rest)}" if rest else "whose view?",
                f"did you mean {guess}?" if guess else f"{', '.join(seats)} or all",
            )
        self._may_look_as(found)
        self.viewer = found

    def _may_look_as(self, seat: str | None) -> None:
        """Who plays some sides of a game with hidden information sees as they do; once it is over, everything."""
        game = self.game
        if game.engine.ruleset.program.view is None or game.position.over:
            return
        if seat not in self.humans and len(self.humans) < len(game.engine.seats):
            whose = "everything" if seat is None else f"what {seat} may see"
            raise UserError(
                f"{whose} is not shown while the game goes on", f"you play {', '.join(self.humans)}"
            )

    def _map(self, size: str) -> None:
        if size and size not in ("large", "small", "auto"):
            raise UserError("maps are large or small")
        self.size = size or self.size
        self._draw(again=True)


class _Unfair(Exception):
    """An answer that cannot be taken back."""


def _count(text: str) -> int:
    """How often; once if nothing is said."""
    if not text:
        return 1
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:6]) <= 100_000:
        raise UserError(f"{quoted(text)} is not a number from 1 up")
    return int(text[:6])
