"""Registries: the missing key is registered, by a decorator of a module that nothing imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.messages import FactKind

CATEGORIES = {"key_not_found", "illegal_argument", "attribute_not_found"}
MOST_FILES = 400
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def find(case: Case) -> Iterator[Clue]:
    """Yield the definition that would register the key, and the imports that leave it out."""
    keys = {
        str(f.value)
        for kind in (FactKind.KEY, FactKind.LITERAL)
        for f in case.facts.of(kind)
        if isinstance(f.value, str) and f.value
    }
    if case.category.id not in CATEGORIES or not keys:
        return
    files = case.workspace.python_files()[:MOST_FILES]
    registering = [(file, found) for file in files for found in _registered(case, file, keys)]
    ran = {place.file for place in case.places}
    for file, (line, key) in registering:
        importers = [(one, at) for one in files for at in _imports(case, one, file)]
        if file in ran or importers:
            continue
        why = f"`{key}` is registered here, in a module that nothing imports"
        yield Clue("rules.medium", file, line, 1.0, why)
        for one, at in _imports_of_siblings(case, files, file):
            why = f"modules that register are imported here, but not {file}"
            yield Clue("rules.strong", one, at, 1.0, why)


def _registered(case: Case, file: str, keys: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the definitions of a file that a decorator registers under one of the keys."""
    text = case.workspace.text(file) or ""
    if not any(key in text for key in keys):
        return
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        for call in node.decorator_list if isinstance(node, DEFINITIONS) else ():
            if not isinstance(call, ast.Call):
                continue
            for value in (*call.args, *(k.value for k in call.keywords)):
                if isinstance(value, ast.Constant) and value.value in keys:
                    yield call.lineno, str(value.value)


def _imports(case: Case, importer: str, file: str) -> Iterator[int]:
    """Yield the lines of a file that import another one."""
    stem = file.rpartition("/")[2].removesuffix(".py")
    if importer == file or stem not in (case.workspace.text(importer) or ""):
        return
    tree = case.workspace.tree(importer)
    for node in ast.walk(tree) if tree is not None else ():
        if any(case.workspace.module_file(m, importer) == file for m in _modules(node)):
            yield getattr(node, "lineno", 1)
        elif isinstance(node, ast.Call) and "import_module" in source(node.func):
            yield node.lineno


def _modules(node: ast.AST) -> Iterator[str]:
    """Yield the modules that an import may name, with leading dots."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        yield base
        joint = "" if base.endswith(".") or not base else "."
        yield from (f"{base}{joint}{alias.name}" for alias in node.names)


def _imports_of_siblings(
    case: Case, files: tuple[str, ...], file: str
) -> Iterator[tuple[str, int]]:
    """Yield the last line of each file that imports modules beside one."""
    folder = file.rpartition("/")[0]
    beside = [one for one in files if one.rpartition("/")[0] == folder and one != file]
    siblings = [one for one in beside if not one.endswith("__init__.py")]
    for importer in files:
        lines = [
            at
            for one in siblings
            if _registers_something(case, one)
            for at in _imports(case, importer, one)
        ]
        if lines and importer != file:
            yield importer, max(lines)


def _registers_something(case: Case, file: str) -> bool:
    tree = case.workspace.tree(file)
    return any(
        isinstance(node, DEFINITIONS) and any(isinstance(d, ast.Call) for d in node.decorator_list)
        for node in (tree.body if tree is not None else ())
    )
