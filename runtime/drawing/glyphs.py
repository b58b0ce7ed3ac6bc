"""Signs of kinds of counters, in the manner of military symbols, told by words.

Each is drawn into a frame of 28 x 17 whose upper left corner is (0, 0): lines, then filled shapes, then a letter or two."""

from __future__ import annotations

import re

from grognard.drawing.svg import element, text_node

#: Words -> whether the frame is drawn, lines, fills, letters.
GLYPHS: tuple[tuple[str, bool, str, str, str], ...] = (
    (r"\bmines?\b|minefield|antipersonnel|antitank\b", False, "M6 12l-3 3M22 12l3 3M14 3v-3M5 8h-4M23 8h4", "M14 3a6 6 0 1 1-.01 0z", ""),
    (r"wire|tangle", False, "M1 9h26M4 5l4 8M8 5l-4 8M12 5l4 8M16 5l-4 8M20 5l4 8M24 5l-4 8", "", ""),
    (r"trench|ditch|foxhole|dug", False, "M1 4h6v8h7v-8h7v8h6", "", ""),
    (r"bunker|pillbox|\bfort|gun pit", False, "M3 15v-7q11-11 22 0v7zM9 10h10", "", ""),
    (r"obstacle|barricade|block", False, "M3 15l7-12 7 12M12 15l7-12 7 12", "", ""),
    (r"factory|industrial|complex", False, "M2 16v-8l6 3v-3l6 3v-9h4v6l8-3v11z", "", ""),
    (r"air ?base|air ?field|airstrip", False, "M2 13h24M14 1v12M6 7h16M10 11h8", "", ""),
    (r"naval ?base|port\b|harbour", False, "M14 2v13M8 5h12M5 10q2 6 9 6t9-6", "M14 2a1.500 1.500 0 1 1 .01 0z", ""),
    (r"bridge|pontoon", False, "M2 4q4 4 6 4h12q2 0 6-4M2 14q4-4 6-4h12q2 0 6 4", "", ""),
    (r"depot|supply|dump|cache", True, "M0 13h28", "", ""),
    (r"beachhead|objective|goal|target\b|coin|marker", False, "M8 16v-15l12 4-12 5", "", ""),
    (r"submarine|\bsub\b", False, "M3 11q0-4 5-4h14q4 0 4 4t-4 4h-14q-5 0-5-4zM14 7v-4h4", "", ""),
    (r"aircraft carrier|\bcarrier group|carrier\b(?!.*personnel)", False, "M1 8h26l-3 7h-20zM17 8v-4h4v4", "", ""),
    (r"battleship|cruiser|destroyer|surface|ship|naval|fleet|corvette|frigate", False, "M2 10h24l-4 6h-16zM8 10v-4h11v4M13 6v-4", "", ""),
    (r"transport ship|amphib|landing|lst\b|transport\b(?!.*air)", False, "M2 9h24l-4 7h-16zM7 9v-4h6v4", "", ""),
    (r"\bhelo|helicopter|\bhel\b|\bah-?\d|\bmi-?\d|apache|cobra|hind|\bz-?10", True, "M4 4l20 9M4 13l20-9M4 4v9M24 4v9M14 8v-6M9 2h10", "", ""),
    (r"fighter|bomber|aircraft|\bair\b|plane|jet\b|flyer|sturmovik|stuka|il-?2|ju ?87|awacs|wing\b|sortie|aviation", False, "M14 1v15M2 9l12-4 12 4M9 15l5-2 5 2", "", ""),
    (r"\bhq\b|headquarter|command post|staff", True, "M0 6h28", "", "HQ"),
    (r"engineer|sapper|pioneer", True, "M7 12v-6h14v6M14 6v6", "", ""),
    (r"anti.?air|flak|\baaa\b|\bsam\b|zsu", True, "M7 17q7-20 14 0", "", ""),
    (r"mortar", True, "M14 13v-8l-3 3M14 5l3 3", "M14 12a2 2 0 1 1-.01 0z", ""),
    (r"rocket|katyusha|nebelwerfer|missile|mlrs", True, "M11 14l3-5 3 5M11 9l3-5 3 5", "", ""),
    (r"self.?propelled|assault gun|\bsp\b|\bsu-?\d|stug", True, "M8 4h12q5 0 5 4.500t-5 4.500h-12q-5 0-5-4.500t5-4.500z", "M14 6a2.500 2.500 0 1 1-.01 0z", ""),
    (r"anti.?tank|\bat gun|pak|\bat\b|bazooka|panzerschreck", True, "M0 17l14-17 14 17", "", ""),
    (r"artillery|howitzer|\bgun\b|\bart\b|battery|field gun|barrage", True, "", "M14 5a3.500 3.500 0 1 1-.01 0z", ""),
    (r"recon|scout|cavalry|fist|observer", True, "M0 17l28-17", "", ""),
    (r"mech|ifv|bmp|bradley|btr|apc|half.?track|motor|carrier|lav\b|m113|warrior|armou?red inf", True, "M0 0l28 17M0 17l28-17M8 4h12q5 0 5 4.500t-5 4.500h-12q-5 0-5-4.500t5-4.500z", "", ""),
    (r"tank|armor|armour|panzer|pzkpfw|pz\b|abrams|leopard|challenger|\bt-?\d\d|tiger|panther|\bm1|\bkv|sherman|m60|centurion|chieftain", True, "M8 4h12q5 0 5 4.500t-5 4.500h-12q-5 0-5-4.500t5-4.500z", "", ""),
    (r"truck|lorry|wheel|jeep|wagon|tractor", True, "M0 12h28", "M7 13a2 2 0 1 1-.01 0zM21 13a2 2 0 1 1-.01 0z", ""),
    (r"airmobile|airborne|para\b|paratroop", True, "M0 0l28 17M0 17l28-17M10 17q2-4 4 0 2-4 4 0", "", ""),
    (r"marine", True, "M0 0l28 17M0 17l28-17M14 4v9M10 11q4 4 8 0", "", ""),
    (r"mountain|alpine", True, "M0 0l28 17M0 17l28-17", "M10 17l4-6 4 6z", ""),
    (r"sniper", True, "M14 2v13M7 8.500h14", "", ""),
    (r"\bhmg|machine gun|\bmg\b|\blmg", True, "M0 0l28 17M0 17l28-17M14 15v-13l-3 3M14 2l3 3", "", ""),
    (r"infantry|rifle|squad|grenadier|\binf\b|guards|militia|foot|platoon|brigade|light|partisan|smg|conscript", True, "M0 0l28 17M0 17l28-17", "", ""),
    (r"card|action|event|bonus", False, "M8 1h12v15h-12z", "", "?"),
)  # fmt: skip


def glyph_for(*sources: str) -> int | None:
    """The number of the sign that the first of these texts names."""
    for words in sources:
        lowered = words.lower().replace("_", " ")
        for number, entry in enumerate(GLYPHS):
            if re.search(entry[0], lowered):
                return number
    return None


def glyph_named(name: str) -> int | None:
    """The sign that a look file names by one of its words."""
    return glyph_for(name)


def draw_glyph(number: int | None, fallback: str, x: float, y: float) -> str:
    framed, lines, fills, letters = (True, "", "", fallback) if number is None else GLYPHS[number][1:]
    parts = []
    if framed:
        parts.append(element("rect", width=28, height=17, fill="#fdfbf2", stroke="#1f1f1c", stroke_width=1.4))
    else:
        parts.append(element("rect", width=28, height=17, fill="#fdfbf2", fill_opacity="0.55", rx=2))
    if lines:
        parts.append(
            element("path", d=lines, fill="none", stroke="#1f1f1c", stroke_width=1.5, stroke_linejoin="round")
        )
    if fills:
        parts.append(element("path", d=fills, fill="#1f1f1c"))
    if letters:
        size = 11 if len(letters) < 3 else 8.5
        parts.append(
            text_node(letters, 14, 12.5, size, text_anchor="middle", font_weight="bold", fill="#1f1f1c")
        )
    return element("g", "".join(parts), transform=f"translate({x:g} {y:g})")
