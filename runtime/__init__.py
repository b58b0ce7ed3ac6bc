"""Grognard: board-wargame rulebooks that run.

    import grognard

    engine = grognard.load("connect_four")
    position = engine.new_game(seed=7)
    while not position.over:
        position = position.play(position.legal()[0])
    print(position.outcome)

See docs/embedding.md.  The names below are loaded when they are first used, so that importing costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grognard.contract.questions import Choice as Choice
    from grognard.contract.questions import Question as Question
    from grognard.engine import Engine as Engine
    from grognard.engine import load as load
    from grognard.engine import load_game as load_game
    from grognard.errors import BackendUnavailable as BackendUnavailable
    from grognard.errors import BrokenTitle as BrokenTitle
    from grognard.errors import CompilerMissing as CompilerMissing
    from grognard.errors import GrognardError as GrognardError
    from grognard.errors import IllegalChoice as IllegalChoice
    from grognard.errors import NothingToUndo as NothingToUndo
    from grognard.errors import PositionError as PositionError
    from grognard.errors import RuleError as RuleError
    from grognard.errors import RulesetError as RulesetError
    from grognard.errors import SaveError as SaveError
    from grognard.errors import UnknownName as UnknownName
    from grognard.errors import UnknownScenario as UnknownScenario
    from grognard.errors import UnknownTitle as UnknownTitle
    from grognard.play.compare_backends import compare_backends as compare_backends
    from grognard.play.coverage import Coverage as Coverage
    from grognard.play.coverage import measure_coverage as measure_coverage
    from grognard.play.examples import ExampleResult as ExampleResult
    from grognard.play.examples import run_example as run_example
    from grognard.play.game import Game as Game
    from grognard.play.position import Position as Position
    from grognard.play.view import View as View
    from grognard.play.why import Reason as Reason
    from grognard.play.wording import LogLine as LogLine

__version__: str

_HOME = {
    "Coverage": "play.coverage",
    "measure_coverage": "play.coverage",
    "LogLine": "play.wording",
    "Engine": "engine",
    "load": "engine",
    "BackendUnavailable": "errors",
    "BrokenTitle": "errors",
    "CompilerMissing": "errors",
    "GrognardError": "errors",
    "IllegalChoice": "errors",
    "NothingToUndo": "errors",
    "PositionError": "errors",
    "RuleError": "errors",
    "RulesetError": "errors",
    "SaveError": "errors",
    "UnknownName": "errors",
    "UnknownScenario": "errors",
    "UnknownTitle": "errors",
    "ExampleResult": "play.examples",
    "run_example": "play.examples",
    "Game": "play.game",
    "Choice": "contract.questions",
    "Position": "play.position",
    "Question": "contract.questions",
    "View": "play.view",
    "load_game": "engine",
    "compare_backends": "play.compare_backends",
    "Reason": "play.why",
}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from grognard.support.version import VERSION

        return VERSION
    if name in _HOME:
        value = getattr(import_module(f"grognard.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
