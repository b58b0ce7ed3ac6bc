"""Maps and counters as SVG text, made from the schema, the data and the geometry of a title; no title is known here."""

from grognard.drawing.board import board_svg, draw_map, layout
from grognard.drawing.counters import counters_svg
from grognard.drawing.look import LookError

__all__ = ["LookError", "board_svg", "counters_svg", "draw_map", "layout"]
