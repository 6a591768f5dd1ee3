"""From the bytes of a Python file to its text, its lines, and its functions, classes and imports.

Text and lines are read the way Python and editors read files. A file that parses is read in one
pass over its tree; of others, functions and classes are found by their headers and indentation.
Index records hold the elements as JSON.
"""

from __future__ import annotations

import ast
import codecs
import json
import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.workspace.contents import ConfigEntry, FileElements, FunctionElement

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with newlines normalised; ``problem`` says what was not as declared."""

    text: str
    encoding: str
    problem: str | None = None
    problem_line: int | None = None


def decode_python(data: bytes) -> Decoded:
    """Decode Python source by its byte order mark or coding cookie (PEP 263), else as UTF-8."""
    if data.startswith(codecs.BOM_UTF8):
        return _decode(data[len(codecs.BOM_UTF8) :], "utf-8")
    name = _cookie(data)
    if name is None:
        return _decode(data, "utf-8")
    try:
        codec = codecs.lookup(name)
        known = codec._is_text_encoding
    except (LookupError, ValueError):
        known = False
    # A cookie that could be read as ASCII belies a wide encoding.
    if not known or codec.name.startswith(("utf-16", "utf-32")):
        decoded = _decode(data, "utf-8")
        problem = f"unknown encoding: {name}" if not known else f"cannot be read as {name}"
        return Decoded(decoded.text, decoded.encoding, problem, 1)
    return _decode(data, codec.name)


def decode_plain(data: bytes) -> Decoded | None:
    """Decode a config or data file by its byte order mark, else as UTF-8; None when binary."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding)
    if b"\0" in data[:_SNIFFED_BYTES]:
        return None
    return _decode(data, "utf-8")


def split_lines(text: str) -> tuple[str, ...]:
    r"""Split normalised text at ``\n`` alone: a form feed or U+2028 ends no line of source."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _cookie(data: bytes) -> str | None:
    """Return the declared encoding; the second line counts only below a blank or comment line."""
    head = data[:4096].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", 2)[:2]
    for line in head:
        match = _COOKIE.match(line[:400])
        if match:
            return match.group(1).decode("ascii", "replace")
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None


def _decode(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_unify(data.decode(encoding)), encoding)
    except UnicodeDecodeError as error:
        line = _unify(data[: error.start].decode("latin-1")).count("\n") + 1
        problem = f"not valid {encoding}: byte 0x{data[error.start]:02x}"
        return Decoded(_unify(data.decode("latin-1")), "latin-1", problem, line)
    except (ValueError, LookupError, AssertionError):
        return Decoded(
            _unify(data.decode("latin-1")), "latin-1", f"cannot be read as {encoding}", 1
        )


def _unify(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


# ---------------------------------------------------------------------- elements
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


def parse(text: str) -> Parsed:
    """Parse Python source without running it, without a warning and without ever raising."""
    signs = len(encoded := text.encode("utf-8", "surrogatepass")) - len(
        encoded.translate(None, _SIGNS)
    )
    if signs > MOST_SIGNS:
        return Parsed(None, f"too large to be parsed: {signs} signs and lines", 1)
    try:
        return Parsed(syntax_of(text))
    except SyntaxError as error:
        return Parsed(None, error.msg or "invalid syntax", error.lineno or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        return Parsed(None, str(error) or type(error).__name__, 1)


def syntax_of(text: str) -> ast.Module:
    """Return the syntax tree of Python source, without a warning.

    Raises SyntaxError, ValueError, RecursionError and MemoryError as `ast.parse` does.
    """
    with _without_warnings():
        return ast.parse(text)


def expression_of(text: str) -> ast.expr:
    """Return the syntax tree of a Python expression, without a warning.

    White space around it is left out. Raises as `syntax_of` does.
    """
    with _without_warnings():
        return ast.parse(text.strip(), mode="eval").body


@contextmanager
def _without_warnings() -> Iterator[None]:
    # Filters are state of the process, hence the lock; an invalid escape is no failure of ours.
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def python_record(
    text: str,
    raw: list[int] | None = None,
    decoding: tuple[str | None, int | None] = (None, None),
) -> str:
    """Index Python source; where it is broken, what its layout still tells.

    ``raw`` gives the line on disk of each line (1-based) where the source stands in another file; a
    problem of ``decoding`` explains one of parsing and is told in its place.
    """
    parsed = parse(text)
    elements, imported = _scanned(text) if parsed.tree is None else definitions(parsed.tree)

    def on_disk(line: int) -> int:
        return line if raw is None else raw[min(line, len(raw)) - 1]

    functions = [
        FunctionElement(f.name, on_disk(f.line), on_disk(f.end_line), f.is_class) for f in elements
    ]
    at = parsed.problem_line
    problem = decoding if decoding[0] else (parsed.problem, on_disk(at) if at else None)
    return make_record(functions, imported, problem=problem)


def _scanned(text: str) -> tuple[list[FunctionElement], list[str]]:
    lines = split_lines(text)
    elements = [FunctionElement(name, at, end, c) for name, at, end, c in outline(lines)]
    return elements, imports(lines)


def definitions(tree: ast.Module) -> tuple[list[FunctionElement], list[str]]:
    """Collect functions and classes in order of appearance, and imported modules.

    Only statements are visited: expressions define nothing that a name could be given for.
    """
    elements: list[FunctionElement] = []
    imported: list[str] = []
    stack: list[tuple[ast.AST, str]] = [(node, "") for node in reversed(tree.body)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, _Definition):
            name = outer + node.name
            end = node.end_lineno or node.lineno
            is_class = isinstance(node, ast.ClassDef)
            elements.append(FunctionElement(name, node.lineno, end, is_class))
            outer = name + "."
        elif isinstance(node, ast.Import):
            imported.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.extend(_from_modules(node))
        for block in _BLOCKS_OF.get(type(node), ()):
            stack.extend((child, outer) for child in reversed(getattr(node, block)))
    return elements, imported


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
    elements: list[tuple[str, int, int, bool]] = []
    stack: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip(" \t\f")
        if not stripped or stripped[0] in "#)]}" or inside[number - 1]:
            continue
        indent = _width(line[: len(line) - len(stripped)])
        while stack and indent <= stack[-1][0]:
            _close(elements, stack.pop()[1], last)
        last = number
        header = _HEADER.match(line)
        if header is None:
            continue
        outer = elements[stack[-1][1]][0] + "." if stack else ""
        stack.append((indent, len(elements)))
        elements.append((outer + header.group(3), number, number, header.group(2) == "class"))
    for _, index in stack:
        _close(elements, index, last)
    return elements


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


def _close(elements: list[tuple[str, int, int, bool]], index: int, last: int) -> None:
    name, line, _, is_class = elements[index]
    elements[index] = (name, line, max(line, last), is_class)


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB))


def make_record(
    functions: Iterable[FunctionElement],
    imports: Iterable[str],
    entries: Iterable[ConfigEntry] = (),
    problem: tuple[str | None, int | None] = (None, None),
) -> str:
    """Return what one pass over a file found as JSON."""
    record = {
        "functions": [(f.name, f.line, f.end_line, int(f.is_class)) for f in functions],
        "imports": list(dict.fromkeys(imports)),
        "entries": [(e.line, e.end_line, e.path, e.value, e.text, e.length) for e in entries],
        "problem": problem,
    }
    return json.dumps(record, separators=(",", ":"))


def elements_of(file: str, record: str) -> FileElements:
    """Read a record; raises ValueError, TypeError or LookupError on a damaged one."""
    # Not by cattrs: a command would import it (30 ms) for rows that it reads in as many lines.
    held: dict[str, Any] = json.loads(record)
    functions = tuple(
        FunctionElement(name, line, end, bool(is_class))
        for name, line, end, is_class in held["functions"]
    )
    entries = tuple(
        ConfigEntry(file, line, end, tuple(path), value, text, length)
        for line, end, path, value, text, length in held["entries"]
    )
    problem, problem_line = held["problem"]
    return FileElements(file, functions, tuple(held["imports"]), entries, problem, problem_line)
