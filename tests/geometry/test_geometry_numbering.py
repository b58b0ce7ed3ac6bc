"""Printed numbers: examples from usual maps, round trips, and patterns that are refused."""

from __future__ import annotations

import pytest
from grognard.geometry import GeometryError, Numbering, Place
from hypothesis import given
from hypothesis import strategies as st

PATTERNS = [
    "{col:02}{row:02}",
    "{col:03}{row:02}",
    "{row:02}{col:02}",
    "{col}.{row}",
    "{colletter}{row}",
    "{colletter:double}{row}",
    "{rowletter}{col:02}",
    "{rowletter:double}{col}",
    "{colletter}-{rowletter}",
    "{board}-{rowletter}{col:02}",
    "{board}{rowletter}{col}",
    "{board}/{col:02}{row:02}",
    "{{{col}}}[{row}]",
]


@pytest.mark.parametrize(
    ("numbering", "place", "text"),
    [
        (Numbering("{col:02}{row:02}"), Place(0, 0), "0101"),
        (Numbering("{col:02}{row:02}", 10, 0), Place(2, 7), "1207"),
        (Numbering("{colletter}{row}"), Place(0, 0), "A1"),
        (Numbering("{colletter}{row}"), Place(26, 9), "AA10"),
        (Numbering("{colletter}{row}"), Place(27, 9), "AB10"),
        (Numbering("{colletter:double}{row}", first_row=0), Place(27, 9), "BB9"),
        (Numbering("{rowletter}{col:02}"), Place(7, 6), "G08"),
        (Numbering("{board}-{rowletter}{col:02}"), Place(7, 6, "7"), "7-G08"),
        (Numbering("{board}{rowletter}{col}"), Place(8, 4, "2"), "2E9"),
        (Numbering("{colletter}{row}", first_row=10, row_step=-1), Place(2, 3), "C7"),
        (Numbering("{col:02}{row:02}", row_step=2), Place(0, 3), "0107"),
    ],
)
def test_examples(numbering: Numbering, place: Place, text: str) -> None:
    assert numbering.print(place) == text
    assert numbering.parse(text) == place


@given(
    st.sampled_from(PATTERNS),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(["1", "12", "3-b", "x7"]),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_round_trips(
    pattern: str, column: int, row: int, board: str, first_column: int, first_row: int
) -> None:
    numbering = Numbering(pattern, first_column, first_row)
    place = Place(column, row, board if numbering.names_board else "")
    text = numbering.print(place)
    assert numbering.parse(text) == place
    assert numbering.print(numbering.parse(text)) == text


@given(st.sampled_from(PATTERNS), st.text("0123456789ABZab-/.", max_size=7))
def test_whatever_can_be_read_prints_the_same(pattern: str, text: str) -> None:
    numbering = Numbering(pattern)
    try:
        place = numbering.parse(text)
    except GeometryError:
        return
    assert numbering.print(place) == text


def test_text_that_would_be_read_otherwise_is_not_printed() -> None:
    with pytest.raises(GeometryError, match="another hex"):
        Numbering("{col}{row}").print(Place(10, 10))
    with pytest.raises(GeometryError, match="another hex"):
        Numbering("{board}{rowletter}{col}").print(Place(0, 0, "2E"))


@pytest.mark.parametrize(
    "pattern",
    ["", "{col}", "{col}{colletter}{row}", "{col}{row}{hex}", "{col:3}{row}", "{colletter:02}{row}", "{col"],
)
def test_patterns_that_are_refused(pattern: str) -> None:
    with pytest.raises(GeometryError):
        Numbering(pattern)


def test_places_that_cannot_be_printed() -> None:
    for place in (Place(99, 0), Place(-1, 0)):
        with pytest.raises(GeometryError):
            Numbering("{col:02}{row:02}").print(place)
    with pytest.raises(GeometryError, match="letters start"):
        Numbering("{colletter}{row}", first_column=0).print(Place(0, 0))
    with pytest.raises(GeometryError, match="name of a board"):
        Numbering("{board}-{col}.{row}").print(Place(0, 0))
    with pytest.raises(GeometryError, match="negative"):
        Numbering("{col:02}{row:02}", first_row=3, row_step=-1).print(Place(0, 4))


@pytest.mark.parametrize("text", ["", "011", "01011", "0001", "A1", "01 01"])
def test_texts_that_are_no_hex(text: str) -> None:
    with pytest.raises(GeometryError):
        Numbering("{col:02}{row:02}").parse(text)
