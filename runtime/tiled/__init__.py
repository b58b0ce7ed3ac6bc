"""Maps to and from the editor Tiled: a map is drawn there, and comes back as a map file of a title."""

from grognard.tiled.board import Board, TiledError
from grognard.tiled.mapfile import map_text
from grognard.tiled.read import read_tiled
from grognard.tiled.scenario import board_of
from grognard.tiled.write import write_tiled

__all__ = ["Board", "TiledError", "board_of", "map_text", "read_tiled", "write_tiled"]
