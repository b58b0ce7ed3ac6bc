"""The commands at the keyboard, and what `:help` says of them."""

from __future__ import annotations

HELP = """\
Type the number or the name of a choice; the tabulator completes it.  Empty input shows the choices again.
A whole action goes in a sentence: "3 infantry, 1 tank from Germany to Poland".  A route goes by its end: "0904".
  :undo [N]      take back the last answer (or N)        :redo [N]    play it again
  :save FILE     save the game                           :load FILE   go on with a saved game
  :log [N]       the log (its last N lines)              :why [N]     explain the last answer (or the N-th)
  :map [SIZE]    draw the map again (large or small)     :look PLACE  all about a place (or a counter)
  :ask RULE(X)   what a rule says, and why               :odds        what each choice promises
  :view SIDE     see what a side may see (all: everything, unless a bot plays)
  :hint [BOT]    what a bot would answer                 :random [N]  let chance answer (N times)
  :help          this text                               :quit        end (also Ctrl-D)"""
COMMANDS = (
    ":undo", ":redo", ":save", ":load", ":log", ":why", ":map", ":look", ":ask", ":view", ":odds", ":hint", ":random", ":help",
    ":quit",
)  # fmt: skip
#: those that make sense when nothing is asked any more
AFTERWARDS = tuple(name for name in COMMANDS if name not in (":odds", ":hint", ":random"))
