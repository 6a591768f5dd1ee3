"""Fixes from shipped tables: renamed members, usual imports, packages for requirement lists.

A line for a requirement list is offered only where the package of the module is certain.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dl_bug_lsp.fixes.fix_context import Edit, Fix, FixContext
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.workspace.locating import wheels

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """Return the shipped tables (`library_names.toml`)."""
    text = files("dl_bug_lsp.fixes").joinpath("library_names.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    return table


def find_known(context: FixContext) -> Iterator[Fix]:
    """Yield renamed attributes, arguments and modules, and missing imports."""
    if context.site is not None:
        yield from _renamed_attribute(context)
        yield from _renamed_argument(context)
        yield from _renamed_module(context)
        yield from _import(context)


def _renamed_attribute(context: FixContext) -> Iterator[Fix]:
    """Yield ``np.trapz`` made ``np.trapezoid``: the module's name as the file imports it."""
    assert context.site is not None
    for module in context.named(FactKind.MODULE, Role.OWNER):
        for name in context.named(FactKind.ATTRIBUTE, Role.ACTUAL):
            new = tables()["attributes"].get(module, {}).get(name)
            for alias in _aliases(context, module) if new else ():
                old, made = f"{alias}.{name}", f"{alias}.{new}"
                edit = context.replaced(context.site, old, made)
                if edit is not None:
                    why = f"{module} calls it '{new}' now"
                    yield Fix(f"Change '{old}' to '{made}'", why, (edit,))


def _aliases(context: FixContext, module: str) -> list[str]:
    assert context.site is not None
    tree = context.workspace.tree(context.site[0])
    nodes = ast.walk(tree) if tree is not None else ()
    imported = (a for n in nodes if isinstance(n, ast.Import) for a in n.names)
    return sorted({a.asname or a.name for a in imported if a.name == module})


def _renamed_argument(context: FixContext) -> Iterator[Fix]:
    """Yield an argument that a library's function takes under another name now."""
    for function in context.named(FactKind.FUNCTION, Role.OWNER):
        owner = function.removesuffix(".__init__").rpartition(".")[2]
        if context.workspace.python_files() and _is_own(context, owner):
            continue
        for name in context.named(FactKind.ARGUMENT, Role.ACTUAL):
            new = tables()["arguments"].get(owner, {}).get(name)
            places = (context.words or {}).get(name, []) if new else []
            places = [at for at in places if at[0].endswith((".py", ".yaml", ".yml", ".toml"))]
            edit = (
                context.replaced(places[0], name, new, "", r"(?=\s*[=:])")
                if len(places) == 1
                else None
            )
            if edit is not None:
                yield Fix(f"Change '{name}' to '{new}'", f"{owner} calls it '{new}' now", (edit,))


def _is_own(context: FixContext, name: str) -> bool:
    """Whether the workspace defines a class or function of a name itself."""
    return any(
        element.name.rpartition(".")[2] == name
        for file in context.workspace.python_files()
        for element in context.workspace.elements(file).functions
    )


def _renamed_module(context: FixContext) -> Iterator[Fix]:
    """Yield an import of a module that a library has moved."""
    assert context.site is not None
    for module in context.named(FactKind.MODULE, Role.ACTUAL):
        line = context.line(context.site)
        for old, new in tables()["modules"].items():
            if not f"{old}.".startswith(f"{module}.") or context.workspace.has_module(module):
                continue
            edit = context.replaced(context.site, old, new, r"^\s*from\s+", r"(?=\s+import\s)")
            if edit is not None and line.count(old) == 1:
                yield Fix(f"Import from '{new}'", f"'{old}' is '{new}' now", (edit,))


def _import(context: FixContext) -> Iterator[Fix]:
    """Yield the import of a name that everybody, and the rest of the workspace, imports alike."""
    assert context.site is not None
    file = context.site[0]
    for name in context.named(FactKind.NAME, Role.ACTUAL):
        module = tables()["imports"].get(name)
        tree = context.workspace.tree(file)
        if module is None or tree is None or context.words is None:
            continue
        written = {context.line(at).strip() for at in context.words.get(name, ())}
        rivals = [w for w in written if re.match(rf"(?:import|from)\b.*\b{name}\s*$", w)]
        statement = f"import {module} as {name}" if module != name else f"import {name}"
        if any(rival != statement for rival in rivals):
            continue
        tops = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        plain = [n for n in tops if isinstance(n, ast.Import) or n.module != "__future__"]
        last = _after(plain or tops, statement)
        if last is not None:
            before = context.line((file, last))
            edit = Edit(file, last, before, f"{before}\n{statement}")
            yield Fix(f"Add '{statement}'", f"'{name}' is used and nowhere made", (edit,))


def _after(tops: list[ast.Import | ast.ImportFrom], statement: str) -> int | None:
    """Return the last line of the import below which a new one stands in alphabetical order."""
    if not tops:
        return None
    modules = [n for n in tops if isinstance(n, ast.Import)]
    before = [n for n in modules if f"import {n.names[0].name}" <= statement]
    chosen = (before or modules[:1] or tops)[-1]
    return chosen.end_lineno or chosen.lineno


_PINNED = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*==\s*\S+")
_LISTED = re.compile(
    r"""(?P<indent>\s+)(?P<quote>["'])(?P<text>[^"']+)(?P=quote)(?P<comma>,?)\s*$"""
)


def find_requirements(context: FixContext) -> Iterator[Fix]:
    """Yield the line to add, of a module's package that a table or a wheel tells."""
    if context.failure.category.id != "library_not_found":
        return
    for module in context.named(FactKind.MODULE, Role.ACTUAL):
        top = module.partition(".")[0]
        package, version = _wheel(context, top) or (tables()["packages"].get(top), None)
        declared = {_plain(e.key) for e in context.workspace.dependencies()}
        known = package is None or bool({_plain(package), _plain(top)} & declared)
        edit = (
            None if known or context.workspace.has_module(top) else _edit(context, package, version)
        )
        if edit is not None:
            why = f"'{module}' is imported, and no requirement names its package"
            yield Fix(f"Add '{package}' to {edit.file}", why, (edit,))


def _edit(context: FixContext, package: str, version: str | None) -> Edit | None:
    """Return the new last line of the one list of requirements, None where there are several."""
    lists = [f for f in context.workspace.files() if f.rpartition("/")[2] == "requirements.txt"]
    if len(lists) == 1:
        lines = context.workspace.lines(lists[0])
        filled = [number for number, line in enumerate(lines, 1) if line.strip()]
        if not filled:
            return None
        before = lines[filled[-1] - 1]
        is_pinned = bool(version and _PINNED.match(before.strip()))
        text = f"{package}=={version}" if is_pinned else package
        return Edit(lists[0], filled[-1], before, f"{before}\n{text}")
    return _project_edit(context, package) if not lists else None


def _project_edit(context: FixContext, package: str) -> Edit | None:
    """Return the edit of ``pyproject.toml`` whose dependencies (PEP 621) stand a line each."""
    file = "pyproject.toml"
    entries = [
        entry
        for entry in context.workspace.config_entries(file)
        if entry.path[:2] == ("project", "dependencies") and len(entry.path) == 3
    ]
    if not entries or len({entry.line for entry in entries}) != len(entries):
        return None
    last = max(entry.line for entry in entries)
    before = context.line((file, last))
    match = _LISTED.match(before)
    if match is None:
        return None
    end = before if match["comma"] else f"{before.rstrip()},"
    quote = match["quote"]
    return Edit(file, last, before, f"{end}\n{match['indent']}{quote}{package}{quote},")


def _wheel(context: FixContext, module: str) -> tuple[str, str] | None:
    """Return the name and version of the one wheel in the workspace that is named like a module."""
    matching = [
        wheel for wheel in wheels(context.workspace.root) if _plain(wheel[0]) == _plain(module)
    ]
    return matching[0] if len(matching) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
