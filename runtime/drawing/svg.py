"""Elements of SVG as text.

Presentation attributes only: a page with a strict content security policy drops `style` attributes and `<style>` elements.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate with one digit behind the point, without what says nothing."""
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def clean(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or unicodedata.category(c) not in ("Cc", "Cs"))


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """An element.  `stroke_width` is written `stroke-width`, `class_` as `class`; None is left out."""
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        shown = number(value) if isinstance(value, float) else str(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{escape(clean(shown))}"')
    head = " ".join(parts)
    return f"<{head}>{content}</{name}>" if content else f"<{head}/>"


def text_node(words: str, x: float, y: float, size: float, /, **attributes: object) -> str:
    return element(
        "text", escape(clean(words)), x=number(x), y=number(y), font_size=number(size), **attributes
    )


def polygon_path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z"


def line_path(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def group(layer: str, parts: Sequence[str], /, **attributes: object) -> str:
    """A layer of the drawing; nothing where nothing is in it."""
    return element("g", "".join(parts), class_=layer, **attributes) if parts else ""


def many_labels(labels: Sequence[tuple[str, float, float]], size: float, /, **attributes: object) -> str:
    """Any number of short labels, centred on their points, as one element: each character has its own place.

    A map of five hundred numbers costs one node instead of five hundred."""
    if not labels:
        return ""
    wide = size * 0.56
    xs: list[str] = []
    ys: list[str] = []
    shown: list[str] = []
    for words, x, y in labels:
        words = clean(words).replace(" ", "\N{NO-BREAK SPACE}")
        left = x - wide * (len(words) - 1) / 2
        for place, character in enumerate(words):
            shown.append(character)
            xs.append(number(left + place * wide))
            ys.append(number(y))
    return element(
        "text",
        escape("".join(shown)),
        x=" ".join(xs),
        y=" ".join(ys),
        font_size=number(size),
        text_anchor="middle",
        **attributes,
    )


def document(width: float, height: float, content: str, /, **attributes: object) -> str:
    return element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        **attributes,
    )
