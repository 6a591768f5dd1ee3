"""JSON with positions, and the entries of JSON documents.

The format is RFC 8259; ``NaN`` and ``Infinity`` are read as Python's ``json`` reads them. Unlike
the standard reader, it continues after comments, superfluous commas and cut ends.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry
from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar

_SPACE = re.compile(r"[ \t\n\r\f\v\ufeff]+")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^'\\\n]|\\.)*'")
_CUT_STRING = re.compile(r"[\"'][^\n]*")
_WORD = re.compile(r"[^\s,:\[\]{}\"'#]+")
_DEEPEST = 200
_CONSTANTS: dict[str, Scalar] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


@dataclass(slots=True)
class Node:
    """A value with its 1-based lines; an object's ``keys`` run beside its ``items``."""

    line: int
    end_line: int
    value: Scalar = None
    text: str = ""
    keys: list[tuple[str, int]] | None = None
    items: list[Node] = field(default_factory=list)
    is_container: bool = False

    def child(self, key: str) -> Node | None:
        """Return the value of an object's key; of a repeated key the last, as Python does."""
        for (name, _), item in zip(reversed(self.keys or []), reversed(self.items), strict=False):
            if name == key:
                return item
        return None


@dataclass(frozen=True, slots=True)
class JsonReading:
    """What could be read, and the first thing that RFC 8259 forbids with its line."""

    root: Node | None
    problem: str | None = None
    problem_line: int | None = None


def read_json(text: str, first_line: int = 1) -> JsonReading:
    """Read one JSON document tolerantly; lines count from ``first_line``."""
    reader = _Reader(text, first_line)
    root = reader.read()
    return JsonReading(root, reader.problem, reader.problem_line)


class _Reader:
    """A cursor over the text; open containers are kept on a stack, so depth costs no recursion."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.at = 0
        self.line = first_line
        self.problem: str | None = None
        self.problem_line: int | None = None

    def read(self) -> Node | None:
        self._skip()
        root: Node | None = None
        stack: list[Node] = []
        comma_line = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "]}":
                if comma_line:
                    self._note("trailing comma", comma_line)
                comma_line = 0
                self._close(stack, char)
            elif char == ",":
                if comma_line or not stack or not stack[-1].items:
                    self._note("a comma without a value before it", self.line)
                comma_line = self.line
                self.at += 1
            elif root is not None and not stack:
                self._note("extra data after the end of the document", self.line)
                break
            else:
                if stack and stack[-1].items and not comma_line:
                    self._note("missing comma", stack[-1].items[-1].end_line)
                comma_line = 0
                node = self._member(stack)
                root = root or node
            self._skip()
        if stack or root is None:
            self._note("the document ends too early" if stack else "no value", self.line)
        for node in stack:
            node.end_line = self.line
        return root

    def _member(self, stack: list[Node]) -> Node:
        """Read a value, with its key where it stands in an object, and open it if it is one."""
        parent = stack[-1] if stack else None
        if parent is not None and parent.keys is not None:
            key_line, key = self.line, self._key()
            parent.keys.append((key, key_line))
            self._skip()
            if self.text[self.at : self.at + 1] == ":":
                self.at += 1
                self._skip()
            else:
                self._note(f"no value for the key {key!r}"[:80], key_line)
        node = self._value()
        if parent is not None:
            parent.items.append(node)
        if node.is_container and self.text[self.at - 1] in "[{":
            stack.append(node)
            if len(stack) > _DEEPEST:
                self._note("nested too deeply", self.line)
                self.at = len(self.text)
        return node

    def _value(self) -> Node:
        char = self.text[self.at : self.at + 1]
        node = Node(self.line, self.line)
        if char in ("{", "["):
            node.is_container = True
            node.keys = [] if char == "{" else None
            self.at += 1
        elif char and char in "\"'":
            node.value, node.text = self._string()
        elif char and char not in "]},":
            node.text = self._word()
            node.value = self._scalar(node.text)
        else:
            self._note("a value is missing", self.line)
        return node

    def _key(self) -> str:
        if self.text[self.at] in "\"'":
            return self._string()[0]
        word = self._word()
        self._note(f"a key without double quotes: {word}"[:80], self.line)
        return word

    def _string(self) -> tuple[str, str]:
        quote = self.text[self.at]
        match = (_STRING if quote == '"' else _SINGLE).match(self.text, self.at)
        if quote == "'":
            self._note("single quotes in place of double quotes", self.line)
        if match is None:
            self._note("a string without its closing quote", self.line)
            match = _CUT_STRING.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            return match.group()[1:].rstrip(","), match.group()
        self.at = match.end()
        return _unquote(match.group()), match.group()

    def _word(self) -> str:
        match = _WORD.match(self.text, self.at)
        if match is None:
            self._note(f"an unexpected {self.text[self.at]!r}", self.line)
            self.at += 1
            return self.text[self.at - 1]
        self.at = match.end()
        return match.group()

    def _scalar(self, word: str) -> Scalar:
        if word in _CONSTANTS:
            if word in ("True", "False", "None"):
                self._note(f"Python's {word} in place of JSON's", self.line)
            return _CONSTANTS[word]
        try:
            number: Scalar = json.loads(word)
        except (ValueError, RecursionError):
            self._note(f"not a JSON value: {word}"[:80], self.line)
            return word
        return number

    def _close(self, stack: list[Node], char: str) -> None:
        self.at += 1
        if not stack:
            self._note(f"an unexpected {char!r}", self.line)
            return
        node = stack.pop()
        node.end_line = self.line
        if (char == "}") != (node.keys is not None):
            self._note(f"{char!r} closes what line {node.line} opened otherwise", self.line)

    def _skip(self) -> None:
        while self.at < len(self.text):
            match = _SPACE.match(self.text, self.at)
            if match is None:
                match = _COMMENT.match(self.text, self.at)
                if match is None:
                    return
                self._note("a comment", self.line)
            self.line += self.text.count("\n", self.at, match.end())
            self.at = match.end()

    def _note(self, problem: str, line: int) -> None:
        if self.problem is None:
            self.problem, self.problem_line = problem, line


def _unquote(literal: str) -> str:
    if literal[0] == '"':
        try:
            return str(json.loads(literal, strict=False))
        except ValueError:
            return literal[1:-1]
    return literal[1:-1].replace("\\'", "'")


def read_json_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every key and list item; comments and stray commas are a problem."""
    if not text.strip():
        return ConfigReading((), "the file is empty", 1)
    reading = read_json(text)
    entries = node_entries(file, reading.root) if reading.root is not None else ()
    return ConfigReading(entries, reading.problem, reading.problem_line)


def node_entries(file: str, root: Node) -> tuple[ConfigEntry, ...]:
    """Flatten a document in its own order; an entry's line is its key's."""
    entries: list[ConfigEntry] = []
    stack: list[tuple[Node, tuple[str | int, ...], int]] = [(root, (), root.line)]
    while stack and len(entries) < MOST_ENTRIES:
        node, path, line = stack.pop()
        length = len(node.items) if node.is_container else None
        if path:
            entries.append(
                entry(
                    file, line, path, node.value, node.text, end_line=node.end_line, length=length
                )
            )
        children: list[tuple[Node, tuple[str | int, ...], int]] = []
        for index, item in enumerate(node.items):
            if node.keys is None:
                children.append((item, (*path, index), item.line))
            else:
                key, key_line = node.keys[index]
                children.append((item, (*path, key), key_line))
        stack.extend(reversed(children))
    return tuple(entries)
