"""What libraries renamed, and what people import names as: shipped tables."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dl_bug_lsp.fixes.fix_context import FixContext
from dl_bug_lsp.fixes.values import Edit, Fix
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.values import Role

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """Return the shipped tables (`known.toml`)."""
    text = files("dl_bug_lsp.fixes").joinpath("known.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)
    return found


def find(scene: FixContext) -> Iterator[Fix]:
    """Yield renamed attributes, arguments and modules, and missing imports."""
    if scene.site is not None:
        yield from _renamed_attribute(scene)
        yield from _renamed_argument(scene)
        yield from _renamed_module(scene)
        yield from _import(scene)


def _renamed_attribute(scene: FixContext) -> Iterator[Fix]:
    """Yield ``np.trapz`` made ``np.trapezoid``: the module's name as the file imports it."""
    assert scene.site is not None
    for module in scene.named(FactKind.MODULE, Role.OWNER):
        for name in scene.named(FactKind.ATTRIBUTE, Role.ACTUAL):
            new = tables()["attributes"].get(module, {}).get(name)
            for alias in _aliases(scene, module) if new else ():
                old, made = f"{alias}.{name}", f"{alias}.{new}"
                edit = scene.replaced(scene.site, old, made)
                if edit is not None:
                    why = f"{module} calls it '{new}' now"
                    yield Fix(f"Change '{old}' to '{made}'", why, (edit,))


def _aliases(scene: FixContext, module: str) -> list[str]:
    assert scene.site is not None
    tree = scene.workspace.tree(scene.site[0])
    nodes = ast.walk(tree) if tree is not None else ()
    imported = (a for n in nodes if isinstance(n, ast.Import) for a in n.names)
    return sorted({a.asname or a.name for a in imported if a.name == module})


def _renamed_argument(scene: FixContext) -> Iterator[Fix]:
    """Yield an argument that a library's function takes under another name now."""
    for function in scene.named(FactKind.FUNCTION, Role.OWNER):
        owner = function.removesuffix(".__init__").rpartition(".")[2]
        if scene.workspace.python_files() and _is_own(scene, owner):
            continue
        for name in scene.named(FactKind.ARGUMENT, Role.ACTUAL):
            new = tables()["arguments"].get(owner, {}).get(name)
            places = (scene.words or {}).get(name, []) if new else []
            places = [at for at in places if at[0].endswith((".py", ".yaml", ".yml", ".toml"))]
            edit = (
                scene.replaced(places[0], name, new, "", r"(?=\s*[=:])")
                if len(places) == 1
                else None
            )
            if edit is not None:
                yield Fix(f"Change '{name}' to '{new}'", f"{owner} calls it '{new}' now", (edit,))


def _is_own(scene: FixContext, name: str) -> bool:
    """Whether the workspace defines a class or function of a name itself."""
    return any(
        element.name.rpartition(".")[2] == name
        for file in scene.workspace.python_files()
        for element in scene.workspace.elements(file).functions
    )


def _renamed_module(scene: FixContext) -> Iterator[Fix]:
    """Yield an import of a module that a library has moved."""
    assert scene.site is not None
    for module in scene.named(FactKind.MODULE, Role.ACTUAL):
        line = scene.line(scene.site)
        for old, new in tables()["modules"].items():
            if not f"{old}.".startswith(f"{module}.") or scene.workspace.has_module(module):
                continue
            edit = scene.replaced(scene.site, old, new, r"^\s*from\s+", r"(?=\s+import\s)")
            if edit is not None and line.count(old) == 1:
                yield Fix(f"Import from '{new}'", f"'{old}' is '{new}' now", (edit,))


def _import(scene: FixContext) -> Iterator[Fix]:
    """Yield the import of a name that everybody, and the rest of the workspace, imports alike."""
    assert scene.site is not None
    file = scene.site[0]
    for name in scene.named(FactKind.NAME, Role.ACTUAL):
        module = tables()["imports"].get(name)
        tree = scene.workspace.tree(file)
        if module is None or tree is None or scene.words is None:
            continue
        written = {scene.line(at).strip() for at in scene.words.get(name, ())}
        rivals = [w for w in written if re.match(rf"(?:import|from)\b.*\b{name}\s*$", w)]
        statement = f"import {module} as {name}" if module != name else f"import {name}"
        if any(rival != statement for rival in rivals):
            continue
        tops = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        plain = [n for n in tops if isinstance(n, ast.Import) or n.module != "__future__"]
        last = _after(plain or tops, statement)
        if last is not None:
            before = scene.line((file, last))
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
