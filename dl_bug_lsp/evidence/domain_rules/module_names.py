"""Rules for lists of layers' names: what is converted, left out, adapted or frozen by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

OF_LAYERS = re.compile(
    r"divisible by (?:8|16|32)\b|[Tt]arget modules? .*not found|_scaled_mm|_int_mm"
)
"""Messages of layers that were converted, and should not have been."""
LISTS = re.compile(
    r"(?i)skip|keep|exclu|ignore|target_?modules|not_?(?:to_)?convert|no_?decay|fp32|bf16|fp16|freeze"
    r"|frozen|trainable|leave|except|modules|layers"
)
MOST_NAMES = 60


def find_module_names(case: Case) -> Iterator[Clue]:
    """Yield lists of layers' names in which one is no layer, and others are."""
    if not OF_LAYERS.search(case.message):
        return
    known = _attributes(case)
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            for name, value in _named(node):
                texts = _texts(value)
                if LISTS.search(name) and texts:
                    yield from _unknown(texts, known, name, file, value.lineno)
    of_lists: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for entry in case.config_entries:
        if entry.path and isinstance(entry.path[-1], int) and isinstance(entry.value, str):
            of_lists.setdefault((entry.file, entry.key), []).append((entry.value, entry.line))
    for (file, name), items in of_lists.items():
        if LISTS.search(name):
            for text, line in items:
                if not _is_known(text, known):
                    why = f"`{text}` in `{name}` is no attribute of a class here"
                    yield Clue("rules.strong", file, line, 1.0, why)


def _attributes(case: Case) -> set[str]:
    """Return the names under which classes of the workspace keep anything."""
    attributes: set[str] = set()
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class:
                attributes |= scope.attributes.keys()
    return attributes


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Attribute)):
        target = node.targets[0]
        yield (target.id if isinstance(target, ast.Name) else target.attr), node.value
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg, node.value
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        args = [*node.args.posonlyargs, *node.args.args]
        yield from zip((a.arg for a in reversed(args)), reversed(node.args.defaults), strict=False)


def _texts(value: ast.expr) -> list[str]:
    if not isinstance(value, (ast.List, ast.Tuple, ast.Set)) or len(value.elts) > MOST_NAMES:
        return []
    texts = [e.value for e in value.elts if isinstance(e, ast.Constant)]
    names = [text for text in texts if isinstance(text, str)]
    return names if len(names) == len(value.elts) else []


def _unknown(texts: list[str], known: set[str], name: str, file: str, line: int) -> Iterator[Clue]:
    missing = [text for text in texts if not _is_known(text, known)]
    if missing and known:
        why = f"`{missing[0]}` in `{name}` is no attribute of a class here"
        yield Clue("rules.strong", file, line, 1.0, why)


def _is_known(text: str, known: set[str]) -> bool:
    """Whether a name, perhaps with a path or pattern, ends in an attribute of a class."""
    return any(part in known for part in re.split(r"[^A-Za-z0-9_]+", text) if part)
