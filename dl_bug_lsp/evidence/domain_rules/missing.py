"""Names that are not there: set only under a condition, or made under another name elsewhere."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, source
from dl_bug_lsp.evidence.words import HELD_FILES, ROLES
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.values import Config, Instance, Items, Mapping, StepKind
from dl_bug_lsp.workspace import Workspace

READ_ROLES = frozenset(r for r in ROLES if not r.startswith(("config", "definition")))
CONDITIONS = (ast.If, ast.For, ast.While, ast.Try, ast.With)


def find(case: Case) -> Iterator[Clue]:
    """Yield the conditions under which a missing name is set, and where maps are made."""
    if case.category.id in {"attribute_not_found", "undefined_variable", "framework_api_misuse"}:
        names = {
            str(f.value)
            for kind in (FactKind.ATTRIBUTE, FactKind.NAME)
            for f in case.facts.of(kind)
        }
        for name in sorted(names):
            yield from _conditional(case, name)
    if case.category.id == "null_reference":
        for name in sorted(_accessed(case)):
            yield from _conditional(case, name)
    if case.category.id in {"key_not_found", "attribute_not_found"}:
        yield from _built(case)
        yield from _loaded(case)
        yield from _unused_settings(case)


def _unused_settings(case: Case) -> Iterator[Clue]:
    """Find settings of the table that lacks the key, which no code reads: perhaps misspelt."""
    tables = {
        (value.file, value.path)
        for step in case.raise_slice[:40]
        for value in step.node.values
        if isinstance(value, Config)
    }
    if not tables:
        return
    read = case.words.texts(READ_ROLES)
    for file, path in sorted(tables, key=str):
        for entry in case.workspace.config_entries(file):
            if entry.path[:-1] == path and entry.key and entry.key not in read:
                why = f"no code reads the setting `{entry.key}`"
                yield Clue("rules.unused_setting", file, entry.line, 1.0, why)


def _accessed(case: Case) -> set[str]:
    """Return the names of the objects that the raising expression looks into or calls."""
    found: set[str] = set()
    for start in case.starts:
        for node in ast.walk(start.expr):
            base: ast.AST | None = None
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                base = node.value
            elif isinstance(node, ast.Call):
                base = node.func
            name = getattr(base, "attr", None) or getattr(base, "id", None)
            if name:
                found.add(str(name))
    return found - {"self", "cls"}


def _conditional(case: Case, name: str) -> Iterator[Clue]:
    files = near_files(case)
    if case.category.id == "undefined_variable" and case.places:
        # A name without a value is one of the file that reads it.
        files = [case.places[-1].file]
    for file in files:
        if name not in _set_conditionally(case.workspace, file):
            continue
        tree = case.workspace.tree(file)
        for statement, stored in _conditions(tree) if tree is not None else ():
            if name in stored:
                head = source(getattr(statement, "test", statement)).split("\n")[0]
                why = f"`{name}` is set only under `{head}`"
                strong = isinstance(statement, ast.If)
                kind = "rules.conditional" if strong else "rules.conditional_block"
                yield Clue(kind, file, statement.lineno, 1.0, why)


def _set_conditionally(workspace: Workspace, file: str) -> frozenset[str]:
    """Return the names that a file sets somewhere below a compound statement."""

    def make() -> frozenset[str]:
        tree = workspace.tree(file)
        return frozenset().union(*(s for _, s in _conditions(tree))) if tree else frozenset()

    return workspace.derived("rules.conditional", file, make, HELD_FILES)


_held: weakref.WeakKeyDictionary[ast.Module, list[tuple[ast.stmt, frozenset[str]]]] = (
    weakref.WeakKeyDictionary()
)
"""What `_conditions` said of the trees that are in use."""


def _conditions(tree: ast.Module) -> list[tuple[ast.stmt, frozenset[str]]]:
    """Return the compound statements of a module with the names that their bodies assign."""
    found = _held.get(tree)
    if found is None:
        compound = (node for node in ast.walk(tree) if isinstance(node, CONDITIONS))
        _held[tree] = found = [(node, _stored(node)) for node in compound]
    return found


def _stored(statement: ast.stmt) -> frozenset[str]:
    """Return the names and attributes assigned below a statement, but for functions of its own."""
    names: set[str] = set()
    for inner in ast.iter_child_nodes(statement):
        if isinstance(inner, ast.stmt) and not isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            for node in ast.walk(inner):
                if isinstance(getattr(node, "ctx", None), ast.Store):
                    names.update(filter(None, (getattr(node, part, None) for part in _NAMES)))
    return frozenset(names)


_NAMES = ("id", "attr")

STORED = (".npz", ".npy", ".pt", ".pth", ".ckpt", ".bin", ".h5", ".keras", ".pkl", ".safetensors")


def _loaded(case: Case) -> Iterator[Clue]:
    """Yield what names the stored file whose content lacks the key."""
    for step in case.raise_slice:
        for constant in step.node.constants:
            entry = step.node.entry
            if entry is not None and any(isinstance(part, int) for part in entry.path):
                # One of many files in a list of records.
                continue
            if step.decides and str(constant.value).endswith(STORED) and step.node.line > 0:
                why = f"`{step.node.text}` names the file that lacks the key"
                score = 1 / (1 + step.distance / 8)
                yield Clue("rules.loaded_file", step.node.file, step.node.line, score, why)


def _built(case: Case) -> Iterator[Clue]:
    """Yield the places that build the mapping or object which lacks the key."""
    missing = {
        str(f.value) for kind in (FactKind.KEY, FactKind.ATTRIBUTE) for f in case.facts.of(kind)
    }
    for step in case.raise_slice:
        node = step.node
        if node.line <= 0:
            continue
        near = 1 / (1 + step.distance / 4)
        for value in node.values:
            if isinstance(value, Mapping) and node.kind is StepKind.CONTAINER:
                keys = {str(c.value) for k, _ in value.pairs if k is not None for c in k.constants}
                if not keys & missing:
                    why = f"the mapping built here (`{node.text}`) lacks the key"
                    yield Clue("rules.map_built", node.file, node.line, near, why)
            elif isinstance(value, Items) and node.kind is StepKind.CONTAINER and missing:
                texts = {str(c.value) for item in value.items for c in item.constants}
                if texts and not texts & missing:
                    why = f"the list written here (`{node.text}`) lacks the name"
                    yield Clue("rules.list_built", node.file, node.line, near, why)
            elif isinstance(value, Instance) and step.before is None:
                why = "the class of the object that lacks the attribute"
                yield Clue("rules.class", value.cls.file, value.cls.line, 0.5, why)
