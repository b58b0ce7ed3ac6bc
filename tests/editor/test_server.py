"""The language server over real JSON-RPC, on texts that are whole, unfinished and broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from client import Editor
from grognard.compiler.editor.names import Place
from grognard.compiler.editor.rename import edited
from pygls.exceptions import JsonRpcException


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def place_of(text: str, words: str, offset: int = 0) -> tuple[int, int]:
    """Line and column of the first place of some words, moved by an offset."""
    index = text.index(words) + offset
    return text.count("\n", 0, index), index - (text.rfind("\n", 0, index) + 1)


@pytest.fixture
def rules(editor: Editor, folder: Path) -> Path:
    """The series' rules, open and as they are on disk, checked."""
    path = folder / "rules.grog"
    editor.write(path, text_of(path))
    editor.write(folder / "tiny/game.grog", text_of(folder / "tiny/game.grog"))
    editor.wait_for(lambda: path.as_uri() not in editor.told or not editor.told[path.as_uri()])
    return path


def words_at(found: Any, path: Path) -> list[str]:
    lines = text_of(path).split("\n")
    return [lines[r.start.line][r.start.character : r.end.character] for r in found]


def labels(found: Any) -> list[str]:
    return [item.label for item in found.items]


def test_diagnostics_of_unsaved_texts(editor: Editor, rules: Path, folder: Path) -> None:
    text = text_of(rules)
    editor.write(rules, text.replace("u.strength +", "u.strenght +"))
    editor.wait_for(lambda: bool(editor.messages(rules)))
    (found,) = editor.told[rules.as_uri()]
    assert "strenght" in found.message and found.code == "GR0203"
    assert words_at([found.range], rules) == ["strength"]
    assert editor.messages(folder / "tiny/game.grog") == []

    actions = editor.ask_all(
        "textDocument/codeAction",
        rules,
        range={
            "start": {"line": found.range.start.line, "character": 0},
            "end": {"line": found.range.start.line, "character": 99},
        },
        context={"diagnostics": []},
    )
    (action,) = actions
    (edit,) = action.edit.changes[rules.as_uri()]
    place = Place("", edit.range.start.line, edit.range.start.character, edit.range.end.character)
    assert edited(text.replace("u.strength +", "u.strenght +"), [place], edit.new_text) == text

    # What the title says of a change in the series comes too, and YAML counts from the buffer.
    editor.write(rules, text.replace("clear, overcast, storm", "clear, overcast, gale"))
    editor.wait_for(lambda: any("storm" in message for message in editor.messages(folder / "tiny/game.grog")))
    units = folder / "tiny/types.yaml"
    editor.write(rules, text)
    editor.write(units, text_of(units).replace("strength: 3", "strength: 33"))
    editor.wait_for(lambda: any("33" in message for message in editor.messages(units)))
    editor.write(units, text_of(units))
    editor.wait_for(lambda: not editor.messages(units) and not editor.messages(rules))


def test_unfinished_text_completes_with_types(editor: Editor, rules: Path, folder: Path) -> None:
    text = text_of(rules)

    def choices(old: str, new: str, path: Path = rules) -> list[str]:
        """What is offered at the end of `new`, written in the place of `old`."""
        whole = text_of(path)
        assert old in whole
        changed = whole.replace(old, new, 1)
        editor.write(path, changed)
        line, column = place_of(whole[: whole.index(old)] + new + "~", "~")
        return labels(editor.ask("textDocument/completion", path, line, column))

    assert choices("    u.tired := no", "    u.") == ["at", "mobile", "side", "strength", "tired", "type"]
    assert choices("    u.tired := no", "    u.at.") == ["rough"]
    assert choices("when u.tired and weather is storm", "when u.tired and weather is ")[:3] == [
        "clear",
        "overcast",
        "storm",
    ]
    assert choices("= 0 when", "= 0 when Weather.") == ["clear", "overcast", "storm"]
    assert set(choices("  do rest", "  do ")) == {"rest"}
    assert choices("[1]\n\nenum", "[") == ["1", "2", "3", "4"]
    everything = choices("= 0 when u.tired", "= ")
    assert {"u", "by", "power", "weather", "distance", "clamp"} <= set(everything)
    assert "Type" in choices("(u: Unit, by", "(u: ")
    # In the bracket of an aggregate that is not closed, in a file whose other half is broken too.
    broken = choices("  for u in Unit where u.tired", "  = any(x in Unit where x.")
    assert "strength" in broken

    units = folder / "tiny/types.yaml"
    assert {"strength", "mobile"} <= set(choices("strength: 5}", "", units))
    assert choices("mobile: yes}", "mobile: ", units) == ["no", "yes"]
    scenario = folder / "tiny/scenarios/first.yaml"
    assert choices("{weather: clear}", "{weather: ", scenario)[:3] == ["clear", "overcast", "storm"]
    for path in (rules, units, scenario):
        editor.write(path, text_of(path))
    assert text == text_of(rules)


def test_hover_tells_type_section_and_values(editor: Editor, rules: Path, folder: Path) -> None:
    text = text_of(rules)

    def said(words: str, offset: int = 0) -> str:
        found = editor.ask("textDocument/hover", rules, *place_of(text, words, offset))
        return found.contents.value if found is not None else ""

    assert "Type.strength: 0..9" in said("u.strength", 2)
    assert "u: Unit" in said("when u.tired and", 5)
    power = said("power(u")
    assert "rule power(u: Unit, by: int) -> 0..20" in power
    assert "How strong a unit is" in power and "[3] Units" in power and "exception snow" in power
    drm = said("drm(u")
    assert "2 lines, together -1..+3" in drm and 'erratum "2009"' in drm
    cell = said("overcast | storm", 1)
    assert "4 of 6, 66.7 %" in cell
    assert "Snow" not in said("[2]", 1) and "Weather" in said("[2]", 1)
    assert "least" not in said("min(9", 1) and "the lesser" in said("min(9", 1)
    units = folder / "tiny/types.yaml"
    # A line with a value of its own counts with what its type allows: the strength is 0..9.
    own = text.replace('-1 "tired" when', '-min(4, u.strength - 1) "tired" when')
    editor.write(rules, own)
    editor.ask("textDocument/references", rules, 0, 0, context={"includeDeclaration": False})
    found = editor.ask("textDocument/hover", rules, *place_of(own, "drm(u"))
    assert "together -4..+4" in found.contents.value  # the erratum's +3 and -(-1)
    editor.write(rules, text)
    found = editor.ask("textDocument/hover", units, *place_of(text_of(units), "strength: 3"))
    assert "Type.strength: 0..9" in found.contents.value


def test_definitions_and_references(editor: Editor, rules: Path, folder: Path) -> None:
    text, game = text_of(rules), folder / "tiny/game.grog"
    units = folder / "tiny/types.yaml"

    def defined(path: Path, words: str, offset: int = 0) -> list[tuple[str, str]]:
        places = editor.ask("textDocument/definition", path, *place_of(text_of(path), words, offset))
        found = []
        for place in places:
            target = Path(place.uri.removeprefix("file://"))
            line = text_of(target).split("\n")[place.range.start.line]
            found.append((target.name, line[place.range.start.character :]))
        return found

    assert defined(game, "power(A")[0][1].startswith("power(u: Unit")
    assert defined(rules, "u.strength", 2)[0][1].startswith("strength: 0..9")
    assert defined(game, "red rifles", 4) == [
        ("types.yaml", "rifles: {name: Rifles, strength: 3, mobile: yes}")
    ]
    assert defined(rules, "weather is storm", 11)[0][1].startswith("storm")
    assert defined(rules, "u.tired := no")[0][1].startswith("u in Unit")
    assert defined(game, "[4]", 1)[0][0] == "rulebook.yaml"
    assert defined(units, "strength: 3")[0] == ("rules.grog", defined(rules, "u.strength", 2)[0][1])

    found = editor.ask(
        "textDocument/references",
        rules,
        *place_of(text, "strength: 0..9"),
        context={"includeDeclaration": True},
    )
    assert sorted(Path(place.uri).name for place in found) == [
        "rules.grog",
        "rules.grog",
        "types.yaml",
        "types.yaml",
    ]
    tired = editor.ask(
        "textDocument/references",
        rules,
        *place_of(text, "tired: flag"),
        context={"includeDeclaration": False},
    )
    assert [Path(place.uri).name for place in tired] == ["rules.grog"] * 5 + ["game.grog"] * 2


def test_rename_over_files_is_tried_first(editor: Editor, rules: Path, folder: Path) -> None:
    text, game = text_of(rules), folder / "tiny/game.grog"
    edit = editor.ask("textDocument/rename", rules, *place_of(text, "strength: 0..9"), newName="force")
    assert {Path(uri).name for uri in edit.changes} == {"rules.grog", "types.yaml"}
    edit = editor.ask(
        "textDocument/rename", game, *place_of(text_of(game), "rifles as", 1), newName="fusiliers"
    )
    assert {Path(uri).name for uri in edit.changes} == {"game.grog", "types.yaml", "first.yaml"}
    local = editor.ask("textDocument/rename", rules, *place_of(text, "u.tired := no"), newName="one")
    (edits,) = local.changes.values()
    assert len(edits) == 3
    with pytest.raises(JsonRpcException, match="would not be right"):
        editor.ask("textDocument/rename", rules, *place_of(text, "power(u"), newName="drm")
    with pytest.raises(JsonRpcException, match="no name"):
        editor.ask("textDocument/rename", rules, *place_of(text, "power(u"), newName="two words")


def test_outline_folds_colours_inlays_signatures(editor: Editor, rules: Path) -> None:
    text = text_of(rules)
    lines = text.split("\n")
    outline = editor.ask_all("textDocument/documentSymbol", rules)
    names = [entry.name for entry in outline]
    assert names[1:5] == ["red", "Weather", "Type", "Board"] and "drm" in names
    unit = next(entry for entry in outline if entry.name == "Unit")
    assert [child.name for child in unit.children] == ["at", "tired"]
    folds = editor.ask_all("textDocument/foldingRange", rules)
    rest = place_of(text, "procedure rest")[0]
    assert any((fold.start_line, fold.end_line) == (rest, rest + 2) for fold in folds)
    inlays = editor.ask_all(
        "textDocument/inlayHint",
        rules,
        range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}},
    )
    shown = {lines[inlay.position.line].split("(")[0]: inlay.label for inlay in inlays}
    assert "exception snow" in shown["rule power"] and 'erratum "2009"' in shown["modifiers drm"]
    line, column = place_of(text, "max(0, by)", 6)
    signature = editor.ask("textDocument/signatureHelp", rules, line, column)
    assert signature.signatures[0].label == "max(a, b)" and signature.active_parameter == 1
    data = editor.ask_all("textDocument/semanticTokens/full", rules).data
    number = start = 0
    first: dict[str, int] = {}
    for place in range(0, len(data), 5):
        number, start = number + data[place], data[place + 1] + (0 if data[place] else start)
        first.setdefault(lines[number][start : start + data[place + 2]], data[place + 3])
    assert first["rule"] == 0 and first["Unit"] == 1 and first["power"] == 2 and first["overcast"] == 5


def test_formatting_and_broken_files(editor: Editor, rules: Path, folder: Path) -> None:
    text = text_of(rules)
    messy = text.replace("u.strength + min(9, max(0, by))", "u.strength+min( 9,max(0 ,by) )")
    editor.write(rules, messy)
    (edit,) = editor.ask_all("textDocument/formatting", rules, options={"tabSize": 2, "insertSpaces": True})
    assert "u.strength + min(9, max(0, by)) otherwise" in edit.new_text
    for spoilt in (text[: len(text) // 2], "rule a(", "\x00", text.replace(")", ""), '"', "enum", "a | b\n"):
        editor.write(rules, spoilt)
        editor.wait_for(
            lambda: bool(editor.messages(rules)) or bool(editor.messages(folder / "tiny/game.grog"))
        )
        assert not editor.ask_all(
            "textDocument/formatting", rules, options={"tabSize": 2, "insertSpaces": True}
        )
        for method in (
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/completion",
            "textDocument/signatureHelp",
        ):
            for line in range(min(4, spoilt.count("\n") + 1)):
                editor.ask(method, rules, line, 4)
        for method in (
            "textDocument/documentSymbol",
            "textDocument/foldingRange",
            "textDocument/semanticTokens/full",
        ):
            editor.ask_all(method, rules)
    editor.write(rules, text)
    editor.wait_for(lambda: not editor.messages(rules))


def test_a_file_of_no_title(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "alone.grog"
    editor.write(path, "rule a( -> 1..2 = 1\n")
    editor.wait_for(lambda: bool(editor.messages(path)))
    assert "never closed" in editor.messages(path)[0]
