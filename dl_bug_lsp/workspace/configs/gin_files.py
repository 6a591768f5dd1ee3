"""Statements and entries of gin files: bindings, macros, references, includes, imports.

Source: the documentation of gin-config ("Gin User Guide": syntax, scopes, macros, imports).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry
from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar
from dl_bug_lsp.workspace.elements import expression_of

REFERENCE, MACRO = "__reference__", "__macro__"
"""What ``@name`` and ``%name`` are in the syntax tree of a value: calls with the name."""
_TOKEN = re.compile(
    r"""(?P<string>[rbuRBU]{0,2}(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))"""
    r"|(?P<comment>\#[^\n]*)|(?P<open>[\[({])|(?P<close>[\])}])"
    r"|(?P<mark>[@%])(?P<name>[\w./]+)|(?P<joined>\\\n)|(?P<end>\n)"
    r"|[^\s\"'\#\[\](){}@%\\rbuRBU]+|.",
    re.DOTALL,
)
_BINDING = re.compile(r"([\w./]+)\s*=(?!=)\s*")
_BLOCK = re.compile(r"([\w./]+)\s*:\s*$")
_INCLUDE = re.compile(r"include\s+(['\"])([^'\"\n]+)\1\s*$")
_IMPORT = re.compile(r"(?:from\s+([\w.]+)\s+)?import\s+([\w.]+)(?:\s+as\s+\w+)?\s*$")
_JOINED = re.compile(r"(?:\\\n\s*)+")
MOST_NESTED = 8


@dataclass(frozen=True, slots=True)
class GinStatement:
    """A statement of a gin file, with 1-based lines.

    ``kind`` is ``"binding"``, ``"include"``, ``"import"`` or ``"problem"``; ``name`` is what is
    bound (``scope/function.parameter``, of a macro its name), the file or the module. ``value`` is
    the syntax tree of what is bound, its lines those of the file.
    """

    kind: str
    name: str
    line: int
    end_line: int
    text: str = ""
    value: ast.expr | None = None


def gin_statements(text: str, line: int = 1) -> Iterator[GinStatement]:
    """Yield the statements of a gin text that starts at a line."""
    block = ""
    for start, end, logical in _logical_lines(text, line):
        stripped = logical.strip()
        if not logical[:1].isspace():
            block = ""
        opened, included = _BLOCK.match(stripped), _INCLUDE.match(stripped)
        imported, bound = _IMPORT.match(stripped), _BINDING.match(stripped)
        if opened is not None:
            block = f"{opened[1]}."
        elif included is not None:
            yield GinStatement("include", included[2], start, end)
        elif imported is not None:
            module = f"{imported[1]}.{imported[2]}" if imported[1] else imported[2]
            yield GinStatement("import", module, start, end)
        elif bound is not None:
            joined = _JOINED.match(stripped, bound.end())
            written = stripped[joined.end() if joined else bound.end() :]
            value = _tree(written, start + (joined[0].count("\n") if joined else 0))
            kind = "problem" if value is None else "binding"
            yield GinStatement(kind, block + bound[1], start, end, _as_written(written), value)
        else:
            yield GinStatement("problem", "", start, end, stripped)


def read_gin_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every binding and macro, and one for each item of a list or table."""
    entries: list[ConfigEntry] = []
    problem: tuple[str | None, int | None] = (None, None)
    for statement in gin_statements(text):
        if len(entries) >= MOST_ENTRIES:
            break
        if statement.kind == "problem" and problem[0] is None:
            problem = ("neither a binding nor an import or include", statement.line)
        if statement.value is not None:
            last = statement.end_line
            _add(entries, file, (statement.name,), statement.value, (statement.text, last))
        elif statement.name and statement.kind == "problem":
            line, end = statement.line, statement.end_line
            entries.append(
                entry(file, line, (statement.name,), statement.text, statement.text, end_line=end)
            )
    return ConfigReading(tuple(entries), *problem)


def _logical_lines(text: str, line: int) -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and text of each statement; comments are left out."""
    parts: list[str] = []
    depth, start = 0, line
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "end" and depth <= 0:
            logical = "".join(parts)
            if logical.strip():
                yield start, line, logical
            parts, depth, start = [], 0, line + 1
        elif kind == "name":
            called = REFERENCE if match["mark"] == "@" else MACRO
            parts.append(f"{called}({match['name']!r})")
        elif kind != "comment":
            depth += (kind == "open") - (kind == "close")
            parts.append(match[0])
        line += match[0].count("\n")
    if "".join(parts).strip():
        yield start, line, "".join(parts)


def _tree(written: str, line: int) -> ast.expr | None:
    try:
        tree = expression_of(written)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.lineno += line - 1
            node.end_lineno = (node.end_lineno or node.lineno) + line - 1
    return tree


def _as_written(text: str) -> str:
    """Return a value as the file has it."""
    text = re.sub(rf"{REFERENCE}\('([\w./]+)'\)", r"@\1", text)
    return re.sub(rf"{MACRO}\('([\w./]+)'\)", r"%\1", text).strip()


def _add(
    entries: list[ConfigEntry],
    file: str,
    path: tuple[str | int, ...],
    value: ast.expr,
    end: tuple[str, int],
) -> None:
    """Add the entries of a value whose text and last line are known."""
    text, last = end
    items: list[tuple[str | int, ast.expr]] = []
    if isinstance(value, (ast.List, ast.Tuple)):
        items = list(enumerate(value.elts))
    elif isinstance(value, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else "" for key in value.keys]
        items = [(str(key), item) for key, item in zip(keys, value.values, strict=True)]
    if isinstance(value, (ast.List, ast.Tuple, ast.Dict)):
        count = len(items)
        entries.append(entry(file, value.lineno, path, None, text, end_line=last, length=count))
        for name, item in items if len(path) <= MOST_NESTED else ():
            if len(entries) < MOST_ENTRIES:
                written = _as_written(ast.unparse(item))
                lines = (written, item.end_lineno or item.lineno)
                _add(entries, file, (*path, name), item, lines)
        return
    entries.append(entry(file, value.lineno, path, _scalar(value, text), text, end_line=last))


def _scalar(value: ast.expr, text: str) -> Scalar:
    """Return what a value is, of a reference or macro its text."""
    try:
        literal = ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return literal if literal is None or isinstance(literal, (bool, int, float, str)) else text
