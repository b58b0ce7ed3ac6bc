"""XML from strangers, with the line of each element: entities, outside references and endless files are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from grognard.compiler.importers.remarks import ImportRefused

MAX_BYTES = 32 * 1024 * 1024
MAX_ELEMENTS = 400_000
MAX_DEPTH = 40


@dataclass(slots=True)
class Element:
    tag: str
    values: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def get(self, key: str, default: str = "") -> str:
        return self.values.get(key, default)

    def child(self, *tags: str) -> Element | None:
        return next((child for child in self.children if child.tag in tags), None)

    def below(self, *path: str) -> list[Element]:
        """The elements that a path of tags leads to; a tag may be several words with `|` between."""
        found = [self]
        for tags in path:
            names = tags.split("|")
            found = [child for element in found for child in element.children if child.tag in names]
        return found


def read_xml(path: Path) -> Element:
    """The root of a file; ImportRefused with the line if it is not well-formed, or would do harm."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ImportRefused(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise ImportRefused(f"it cannot be read: {(error.strerror or str(error)).lower()}") from error
    return parse_xml(data)


def parse_xml(data: bytes) -> Element:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    target = _Tree()
    # A document type is allowed, since these files name one; it is not read, and it may declare no entities.
    parser = DefusedXMLParser(target=target, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    target.parser = parser.parser
    try:
        parser.feed(data)
        root = parser.close()
    except ImportRefused:
        raise
    except DefusedXmlException as error:
        raise ImportRefused(
            "it declares entities, which are not read", parser.parser.CurrentLineNumber
        ) from error
    except (SyntaxError, expat.ExpatError) as error:  # ElementTree's ParseError is a SyntaxError
        line = getattr(error, "position", (parser.parser.ErrorLineNumber, 0))[0]
        why = str(error).partition(":")[0]
        raise ImportRefused(f"it is not well-formed XML: {why}", line) from error
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise ImportRefused(f"it is not XML that can be read: {error}") from error
    assert isinstance(root, Element)
    return root


class _Tree:
    """Builds the elements; told by the parser."""

    def __init__(self) -> None:
        self.parser: expat.XMLParserType | None = None
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0

    def start(self, tag: str, values: dict[str, str]) -> Element:
        line = self.parser.CurrentLineNumber if self.parser is not None else 0
        self.count += 1
        if self.count > MAX_ELEMENTS or len(self.open) >= MAX_DEPTH:
            raise ImportRefused("it has too many elements", line)
        made = Element(tag, dict(values), line)
        if self.open:
            self.open[-1].children.append(made)
        else:
            self.root = made
        self.open.append(made)
        return made

    def end(self, _tag: str) -> Element:
        return self.open.pop()

    def data(self, _text: str) -> None:
        pass

    def close(self) -> Element:
        if self.root is None:
            raise ImportRefused("it is empty")
        return self.root
