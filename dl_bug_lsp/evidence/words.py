"""The words of a file by line: identifiers, strings, keywords, config keys; and near matches."""

from __future__ import annotations

import ast
import difflib
import re
import weakref
from dataclasses import dataclass
from functools import lru_cache

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import ConfigEntry

MIN_RATIO = 0.74
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word at a 1-based line; ``role`` says what it is there.

    Roles: ``string``, ``keyword`` (of a call), ``attribute``, ``name``, ``bound`` (assigned or a
    parameter), ``definition``, ``import``, ``dict_key``, ``subscript``, ``config_key``,
    ``config_value``.
    """

    text: str
    file: str
    line: int
    role: str


def words_of(
    workspace: Workspace,
    files: tuple[str, ...],
    entries: tuple[ConfigEntry, ...] | None = None,
) -> list[Word]:
    """Return the words of some Python files and of some settings (all where none are given)."""
    found: list[Word] = []
    for file in files:
        checkpoint()
        tree = workspace.tree(file)
        if tree is not None:
            found.extend(_python_words(file, tree))
    for entry in workspace.config_entries() if entries is None else entries:
        if entry.key:
            found.append(Word(entry.key, entry.file, entry.line, "config_key"))
        if entry.length is None and entry.value is not None:
            texts = dict.fromkeys((str(entry.value), entry.text.strip("\"'")))
            found.extend(Word(text, entry.file, entry.line, "config_value") for text in texts)
    return found


_held: weakref.WeakKeyDictionary[ast.Module, tuple[str, tuple[Word, ...]]] = (
    weakref.WeakKeyDictionary()
)
"""The words of trees that are in use, each with the file that it was read as."""


def _python_words(file: str, tree: ast.Module) -> tuple[Word, ...]:
    name, words = _held.get(tree, (None, ()))
    if name != file:
        words = tuple(_read_words(file, tree))
        _held[tree] = (file, words)
    return words


def _read_words(file: str, tree: ast.Module) -> list[Word]:
    found: list[Word] = []
    special: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            special.update((id(key), "dict_key") for key in node.keys if key is not None)
        elif isinstance(node, ast.Subscript):
            special[id(node.slice)] = "subscript"
        found.extend(_words(file, node, special))
    return found


def _words(file: str, node: ast.AST, special: dict[int, str]) -> list[Word]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        return [Word(node.value, file, node.lineno, special.get(id(node), "string"))]
    if isinstance(node, ast.keyword) and node.arg:
        return [Word(node.arg, file, node.value.lineno, "keyword")]
    if isinstance(node, ast.Attribute):
        role = "bound" if isinstance(node.ctx, ast.Store) else "attribute"
        return [Word(node.attr, file, node.end_lineno or node.lineno, role)]
    if isinstance(node, ast.Name):
        role = "bound" if isinstance(node.ctx, ast.Store) else "name"
        return [Word(node.id, file, node.lineno, role)]
    if isinstance(node, ast.arg):
        return [Word(node.arg, file, node.lineno, "bound")]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [Word(node.name, file, node.lineno, "definition")]
    if isinstance(node, ast.alias):
        return [Word(node.asname or node.name, file, node.lineno, "import")]
    return []


@lru_cache(maxsize=1 << 16)
def nearness(a: str, b: str) -> float:
    """Return how near two different words are (0 to 1), by letters and by parts; 0 if not."""
    if a == b or not a or not b or len(a) > 80 or len(b) > 80:
        return 0.0
    low, other = a.lower(), b.lower()
    if low == other:
        return 0.95
    shorter, longer = sorted((len(a), len(b)))
    if shorter >= 3 and 2 * shorter / (shorter + longer) >= MIN_RATIO:
        matcher = difflib.SequenceMatcher(None, low, other, autojunk=False)
        if matcher.quick_ratio() >= MIN_RATIO and matcher.ratio() >= MIN_RATIO:
            return matcher.ratio()
    parts, others = parts_of(a), parts_of(b)
    if not parts or not others:
        return 0.0
    shared = sum(any(_same_part(p, q) for q in others) for p in parts)
    whole = shared / max(len(parts), len(others))
    if whole >= 0.5:
        return 0.6 * whole + 0.3
    contained = shared == min(len(parts), len(others)) and shorter >= 4
    return 0.3 + 0.3 * whole if contained else 0.0


def _same_part(a: str, b: str) -> bool:
    """Whether two parts are the same word, one perhaps a shortened form or plural of the other."""
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 3 and long.startswith(short)


def parts_of(word: str) -> list[str]:
    """Split an identifier, key or path into its lower-case parts."""
    return [part.lower() for part in PARTS.findall(word)]
