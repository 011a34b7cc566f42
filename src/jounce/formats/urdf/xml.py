"""XML as small records with line numbers, on the parser of the standard library.

Document types and entities are refused: no URDF needs them, and an entity can grow a small
file to gigabytes.  Comments, byte order marks and bytes outside the declared encoding are
tolerated; names keep their prefix, except that of the root.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from jounce.errors import RobotFormatError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_UNDEFINED_ENTITY = 11  # expat's XML_ERROR_UNDEFINED_ENTITY


@dataclass(slots=True)
class Document:
    """The name of the file that is read, for messages, and what was left out of it."""

    name: str
    strict: bool = True
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Element:
    """One element: where it starts, its attributes, its children and its text."""

    tag: str
    attributes: dict[str, str]
    document: Document
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def place(self) -> str:
        """File and line where it starts."""
        return f"{self.document.name}:{self.line}"

    def error(self, message: str) -> RobotFormatError:
        """Return the error for something wrong with this element."""
        return RobotFormatError(f"{self.place}: {message}")

    def object(self, message: str, advice: str, instead: str) -> None:
        """Raise, with advice; in a document that is not read strictly, warn instead."""
        if self.document.strict:
            raise self.error(f"{message}{advice}")
        self.document.warnings.append(str(self.error(f"{message}; {instead}.")))

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag} name={name!r}>"


def root_element(path: Path) -> str | None:
    """Return the name of the root element of a file, None where there is none to be read."""
    found: list[str] = []

    def first(name: str, _: Any) -> None:
        found.append(name)
        raise StopIteration

    parser = expat.ParserCreate()
    parser.StartElementHandler = first
    # What is wrong with the file, its reader will say.
    with suppress(StopIteration, expat.ExpatError, OSError, LookupError, ValueError):
        parser.Parse(path.read_bytes(), True)
    return found[0] if found else None


def parse_xml(
    content: str | bytes, document: Document, ignored: Callable[[str, str], bool]
) -> Element:
    """Return the root element; children for which ``ignored(parent, tag)`` are left out."""
    text = decoded(content) if isinstance(content, bytes) else content.removeprefix("\ufeff")
    body = text.lstrip()
    offset = text.count("\n", 0, len(text) - len(body))
    if not body:
        raise RobotFormatError(f"{document.name}:1: the file is empty; expected a <robot> element.")
    if not body.startswith("<"):
        raise RobotFormatError(
            f"{document.name}:{offset + 1}: not XML: expected '<', got {body[:20]!r}; "
            "give a URDF file or its text."
        )
    return _Reader(document, offset, ignored).read(body)


def decoded(data: bytes) -> str:
    """Return bytes as text by byte order mark, declaration or UTF-8; bad bytes become U+FFFD."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    declared = _DECLARED_ENCODING.match(data[:200])
    encoding = declared.group(1).decode("ascii") if declared else "utf-8"
    try:
        return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):  # no encoding, or one of names such as idna
        return data.decode("utf-8", "replace")


class _Reader:
    """Builds elements while expat reads."""

    def __init__(
        self, document: Document, offset: int, ignored: Callable[[str, str], bool]
    ) -> None:
        self.document = document
        self.offset = offset
        self.ignored = ignored
        self.root: Element | None = None
        self.open: list[Element] = []
        self.prefix = ""  # of the root element, dropped everywhere
        self.skipping = 0  # depth inside an ignored element
        self.parser: Any = expat.ParserCreate("utf-8")  # what we hand over, whatever is declared
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def read(self, body: str) -> Element:
        try:
            self.parser.Parse(body.encode("utf-8", "replace"), False)
        except expat.ExpatError as error:
            raise self._malformed(error) from None
        try:
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._truncated(error) from None
        assert self.root is not None  # expat refuses a document without elements
        return self.root

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.offset

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.root is None and ":" in tag:
            self.prefix = tag.partition(":")[0] + ":"
        tag = tag.removeprefix(self.prefix)
        if self.skipping or (self.open and self.ignored(self.open[-1].tag, tag)):
            self.skipping += 1
            return
        element = Element(tag, attributes, self.document, self.line)
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def _end(self, _tag: str) -> None:
        if self.skipping:
            self.skipping -= 1
        else:
            self.open.pop()

    def _text(self, text: str) -> None:
        if self.open and not self.skipping:
            self.open[-1].text += text

    def _doctype(self, name: str, *_ids: object) -> None:
        raise RobotFormatError(
            f"{self.document.name}:{self.line}: document type <!DOCTYPE {name}> refused: a URDF "
            "needs no document type and no entities; remove it."
        )

    def _malformed(self, error: expat.ExpatError) -> RobotFormatError:
        where = f"{self.document.name}:{error.lineno + self.offset}"
        if error.code == _UNDEFINED_ENTITY:
            return RobotFormatError(
                f"{where}: undefined entity at column {error.offset + 1}; only &amp; &lt; &gt; "
                "&quot; &apos; are known: write the character itself."
            )
        reason = expat.ErrorString(error.code)
        hint = f" inside {self.open[-1]} of line {self.open[-1].line}" if self.open else ""
        return RobotFormatError(
            f"{where}: not well-formed XML: {reason} at column {error.offset + 1}{hint}; "
            "check the tags and quotes there."
        )

    def _truncated(self, error: expat.ExpatError) -> RobotFormatError:
        where = f"{self.document.name}:{error.lineno + self.offset}"
        if not self.open:
            return RobotFormatError(f"{where}: the file ends without any element; is it truncated?")
        last = self.open[-1]
        return RobotFormatError(
            f"{where}: the file ends inside {last} of line {last.line}; is it truncated? "
            f"Expected </{self.prefix}{last.tag}>."
        )
