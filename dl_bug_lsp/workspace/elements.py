"""The elements of a Python file: functions, classes, imports and terms.

A file that parses is read in one pass over its tree; of others, functions and classes are found
by their headers and indentation. Index records hold the elements as JSON and numbers of terms.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import threading
import warnings
import zlib
from array import array
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.text import split_lines
from dl_bug_lsp.workspace.values import ConfigEntry, FileElements, FunctionElement

MOST_SIGNS = 200_000
"""Signs and line ends of a source: about as many nodes has its tree, each of some 400 bytes."""
_SIGNS = b"()[]{},.;:=+-*/<>%&|^~@!\n"
_parse_lock = threading.Lock()
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")
# The blocks of each kind of compound statement, last first.
_BLOCKS_OF: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(block for block in _BLOCKS if block in getattr(kind, "_fields", ()))
    for kind in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree, or why and where (1-based) there is none."""

    tree: ast.Module | None
    problem: str | None = None
    problem_line: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class; ``first`` is the line of its first decorator, else ``line``."""

    name: str
    first: int
    line: int
    end_line: int
    is_class: bool


def parse(text: str) -> Parsed:
    """Parse Python source without running it, without a warning and without ever raising."""
    signs = len(encoded := text.encode("utf-8", "surrogatepass")) - len(
        encoded.translate(None, _SIGNS)
    )
    if signs > MOST_SIGNS:
        return Parsed(None, f"too large to be parsed: {signs} signs and lines", 1)
    # Filters are state of the process, hence the lock; an invalid escape is no failure of ours.
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Parsed(ast.parse(text))
        except SyntaxError as error:
            return Parsed(None, error.msg or "invalid syntax", error.lineno or 1)
        except (ValueError, RecursionError, MemoryError) as error:
            return Parsed(None, str(error) or type(error).__name__, 1)


def python_record(
    text: str,
    vocabulary: Vocabulary,
    raw: list[int] | None = None,
    decoding: tuple[str | None, int | None] = (None, None),
) -> Record:
    """Index Python source; where it is broken, what its layout still tells.

    ``raw`` gives the line on disk of each line (1-based) where the source stands in another file; a
    problem of ``decoding`` explains one of parsing and is told in its place.
    """
    parsed = parse(text)
    found, imported = _scanned(text) if parsed.tree is None else definitions(parsed.tree)
    numbers, starts = vocabulary.encode(text)
    last = len(starts) - 1

    def on_disk(line: int) -> int:
        return line if raw is None else raw[min(line, len(raw)) - 1]

    rows = [
        FunctionRow(
            d.name,
            on_disk(d.line),
            on_disk(d.end_line),
            d.is_class,
            starts[min(d.first, last) - 1],
            starts[min(d.end_line, last)],
        )
        for d in found
    ]
    at = parsed.problem_line
    problem = decoding if decoding[0] else (parsed.problem, on_disk(at) if at else None)
    return make_record(numbers, rows, imported, problem=problem)


def _scanned(text: str) -> tuple[list[Definition], list[str]]:
    lines = split_lines(text)
    found = [Definition(name, at, at, end, c) for name, at, end, c in outline(lines)]
    return found, imports(lines)


def definitions(tree: ast.Module) -> tuple[list[Definition], list[str]]:
    """Collect functions and classes in order of appearance, and imported modules.

    Only statements are visited: expressions define nothing that a name could be given for.
    """
    found: list[Definition] = []
    imported: list[str] = []
    stack: list[tuple[ast.AST, str]] = [(node, "") for node in reversed(tree.body)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, _Definition):
            name = outer + node.name
            first = min((d.lineno for d in node.decorator_list), default=node.lineno)
            end = node.end_lineno or node.lineno
            is_class = isinstance(node, ast.ClassDef)
            found.append(Definition(name, min(first, node.lineno), node.lineno, end, is_class))
            outer = name + "."
        elif isinstance(node, ast.Import):
            imported.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.extend(_from_modules(node))
        for block in _BLOCKS_OF.get(type(node), ()):
            stack.extend((child, outer) for child in reversed(getattr(node, block)))
    return found, imported


def _from_modules(node: ast.ImportFrom) -> list[str]:
    """Name both ``a`` and ``a.b`` for ``from a import b``: ``b`` may be a module."""
    base = "." * node.level + (node.module or "")
    joint = base if base.endswith(".") or not base else base + "."
    return [base, *(joint + alias.name for alias in node.names if alias.name != "*")]


_HEADER = re.compile(r"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)")
_IMPORT = re.compile(r"[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w.]+))")
_STRING_OR_COMMENT = re.compile(r"""\"{3}|'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#""")
_TRIPLES = ('"""', "'''")
_LONGEST_LINE = 2000
_TAB = 8


def outline(lines: tuple[str, ...]) -> list[tuple[str, int, int, bool]]:
    """Return (dotted name, line, end line, is class) of every header, in order of appearance.

    A body ends before the next line that stands as far left as its header (as the tokenizer sees
    it); blank lines, comments, closing brackets and strings of many lines end nothing.
    """
    inside = _in_strings(lines)
    found: list[tuple[str, int, int, bool]] = []
    stack: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip(" \t\f")
        if not stripped or stripped[0] in "#)]}" or inside[number - 1]:
            continue
        indent = _width(line[: len(line) - len(stripped)])
        while stack and indent <= stack[-1][0]:
            _close(found, stack.pop()[1], last)
        last = number
        header = _HEADER.match(line)
        if header is None:
            continue
        outer = found[stack[-1][1]][0] + "." if stack else ""
        stack.append((indent, len(found)))
        found.append((outer + header.group(3), number, number, header.group(2) == "class"))
    for _, index in stack:
        _close(found, index, last)
    return found


def imports(lines: tuple[str, ...]) -> list[str]:
    """Return the modules that import statements at the start of a line name."""
    modules: list[str] = []
    for line in lines:
        match = _IMPORT.match(line)
        if match:
            modules.append(match.group(1) or match.group(2))
    return modules


def _in_strings(lines: tuple[str, ...]) -> list[bool]:
    """Mark the lines that start inside of a triple-quoted string; none where one never closes."""
    inside: list[bool] = []
    quote = ""
    for line in lines:
        inside.append(bool(quote))
        line, at = line[:_LONGEST_LINE], 0
        while at < len(line):
            if quote:
                at = line.find(quote, at)
                if at < 0:
                    break
                at, quote = at + 3, ""
                continue
            match = _STRING_OR_COMMENT.search(line, at)
            if match is None or match.group() == "#":
                break
            at = match.end()
            quote = match.group() if match.group() in _TRIPLES else ""
    return [False] * len(lines) if quote else inside


def _close(found: list[tuple[str, int, int, bool]], index: int, last: int) -> None:
    name, line, _, is_class = found[index]
    found[index] = (name, line, max(line, last), is_class)


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB))


_WIDTH = 4
_MOST_TERMS = 16_000_000


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function or class: its lines, and its terms as a slice of the file's."""

    name: str
    line: int
    end_line: int
    is_class: bool
    first_term: int
    last_term: int


@dataclass(frozen=True, slots=True)
class Record:
    """``meta`` is a JSON object; ``terms`` are deflated little-endian 32-bit term numbers."""

    meta: str
    terms: bytes


def make_record(
    numbers: list[int],
    functions: list[FunctionRow],
    imports: list[str],
    entries: tuple[ConfigEntry, ...] = (),
    problem: tuple[str | None, int | None] = (None, None),
) -> Record:
    """Pack what one pass over a file found."""
    meta = {
        "functions": [
            (f.name, f.line, f.end_line, int(f.is_class), f.first_term, f.last_term)
            for f in functions
        ],
        "imports": list(dict.fromkeys(imports)),
        "entries": [(e.line, e.end_line, e.path, e.value, e.text, e.length) for e in entries],
        "problem": problem,
        "count": len(numbers),
    }
    packed = zlib.compress(_little_endian(array("I", numbers)).tobytes(), 1)
    return Record(json.dumps(meta, separators=(",", ":")), packed)


def elements_of(file: str, record: Record, vocabulary: Vocabulary) -> FileElements:
    """Unpack a record; raises ValueError, TypeError, LookupError or zlib.error on a damaged one."""
    meta: dict[str, Any] = json.loads(record.meta)
    terms = _terms(record.terms, int(meta["count"]), vocabulary)
    functions = tuple(
        FunctionElement(name, line, end, bool(is_class), terms[first:last])
        for name, line, end, is_class, first, last in meta["functions"]
    )
    entries = tuple(
        ConfigEntry(file, line, end, tuple(path), value, text, length)
        for line, end, path, value, text, length in meta["entries"]
    )
    problem, problem_line = meta["problem"]
    imports = tuple(meta["imports"])
    return FileElements(file, functions, imports, terms, entries, problem, problem_line)


def _terms(packed: bytes, count: int, vocabulary: Vocabulary) -> tuple[str, ...]:
    if not 0 <= count <= _MOST_TERMS:
        raise ValueError("a record of an impossible length")
    # A damaged or hostile cache must not make us inflate more than the record says it holds.
    numbers = array("I", zlib.decompressobj().decompress(packed, count * _WIDTH + 1))
    if len(numbers) != count:
        raise ValueError("a record of another length than it says")
    return tuple(map(vocabulary.terms.__getitem__, _little_endian(numbers)))


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
