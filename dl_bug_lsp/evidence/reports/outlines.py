"""What one Python file offers to a bug report: its names, terms, message texts and imports."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from dl_bug_lsp.evidence.reports.phrases import phrases_of
from dl_bug_lsp.workspace.elements import parse

_TOKEN = re.compile(r"\n|[^\W\d]\w*")
# A string that never closes runs on: it must not be looked through again from each later quote.
_STRING_OR_COMMENT = re.compile(
    r"#[^\n]*"
    r'|("""(?:[^"\\]|\\.|"(?!""))*(?:""")?'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'(?:[^'\\\n]|\\.)*'?)",
    re.DOTALL,
)
_TELLS = re.compile(
    r"\b(raise|warn\w*|assert|print|log\w*|\w*Error|\w*Exception|error|info|debug|rank_zero_\w+)\b"
)
_RAISES = re.compile(r"raise|warn|assert|\w*Error$|\w*Exception$|error|rank_zero_")
_BEFORE = 160
_SHORTEST_TEXT = 8
_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")
_MOST_TEXTS = 3_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class by its dotted name; ``first`` is its first decorator's line (1-based)."""

    name: str
    first: int
    line: int
    end_line: int
    is_class: bool


@dataclass(frozen=True, slots=True)
class MessageText:
    """A string of the code that may reach a user: its line, its word phrases, whether raised."""

    line: int
    phrases: frozenset[str]
    is_raised: bool


@dataclass(slots=True)
class Outline:
    """A file's content as the ranking of bug reports needs it; lines are 1-based.

    ``words`` are the identifiers and words in order, ``starts[n]`` how many stand before line
    n + 1; ``names`` maps each defined name to the kinds of its definitions (``c`` class, ``m``
    method, ``f`` function, ``p`` parameter, ``a`` attribute, ``v`` variable); ``imports`` are pairs
    of module and imported name (empty for ``import module``).
    """

    words: list[str]
    starts: list[int]
    definitions: list[Definition] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    texts: list[MessageText] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How often each identifier or word stands in the file."""
        return Counter(self.words)


def outline_of(text: str) -> Outline:
    """Read a file; one that cannot be parsed still has words, comments and message texts."""
    words: list[str] = []
    starts = [0]
    for token in _TOKEN.findall(text):
        if token == "\n":
            starts.append(len(words))
        else:
            words.append(token)
    starts.append(len(words))
    found = Outline(words, starts)
    tree = parse(text).tree
    if tree is not None:
        _visit(tree, found)
    _read_strings(text, found)
    return found


def _visit(tree: ast.Module, found: Outline) -> None:
    stack: list[tuple[ast.AST, str, str]] = [(node, "", "") for node in reversed(tree.body)]
    while stack:
        node, outer, inside = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = outer + node.name
            inside = _define(node, name, inside, found)
            outer = name + "."
        elif isinstance(node, ast.Import):
            found.imports.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.imports.extend((module, alias.name) for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _assign(node, inside, found)
        for block in _BLOCKS:
            held = getattr(node, block, None)
            if isinstance(held, list):
                stack.extend((child, outer, inside) for child in reversed(held))


def _define(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    name: str,
    inside: str,
    found: Outline,
) -> str:
    """Note a definition and its parameters; return what its body stands in."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    is_class = isinstance(node, ast.ClassDef)
    end = node.end_lineno or node.lineno
    found.definitions.append(Definition(name, first, node.lineno, end, is_class))
    if isinstance(node, ast.ClassDef):
        _name(node.name, "c", found)
        return "c"
    _name(node.name, "m" if inside == "c" else "f", found)
    given = node.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None and argument.arg not in {"self", "cls"}:
            _name(argument.arg, "p", found)
    return "f"


def _assign(node: ast.Assign | ast.AnnAssign, inside: str, found: Outline) -> None:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for item in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(item, ast.Attribute):
                _name(item.attr, "a", found)
            elif isinstance(item, ast.Name) and inside != "f":
                _name(item.id, "v", found)


def _name(name: str, kind: str, found: Outline) -> None:
    kinds = found.names.get(name, "")
    if kind not in kinds:
        found.names[name] = kinds + kind


def _read_strings(text: str, found: Outline) -> None:
    """Tell the strings that a user may see from the documentation, and take the comments."""
    line, at = 1, 0
    for match in _STRING_OR_COMMENT.finditer(text):
        start = match.start()
        line += text.count("\n", at, start)
        at = start
        if match[1] is None:
            found.comments.append(match[0][1:])
        elif (
            match[1].startswith(('"""', "'''"))
            and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        ):
            found.comments.append(match[1][3:-3])
        elif len(match[1]) > _SHORTEST_TEXT and len(found.texts) < _MOST_TEXTS:
            phrases = frozenset(phrases_of(match[1], is_template=True))
            if phrases:
                before = list(_TELLS.finditer(text, max(0, start - _BEFORE), start))
                raised = bool(before) and _RAISES.match(before[-1][0]) is not None
                found.texts.append(MessageText(line, phrases, raised))


def lines_of_words(found: Outline) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number (1-based) with its words."""
    for number in range(1, len(found.starts)):
        yield number, found.words[found.starts[number - 1] : found.starts[number]]
