"""The missing line of a requirement list, where the package of the module is certain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.fixes.fix_context import FixContext
from dl_bug_lsp.fixes.known import tables
from dl_bug_lsp.fixes.values import Edit, Fix
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.values import Role
from dl_bug_lsp.workspace.modules import wheels

_PINNED = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*==\s*\S+")
_LISTED = re.compile(
    r"""(?P<indent>\s+)(?P<quote>["'])(?P<text>[^"']+)(?P=quote)(?P<comma>,?)\s*$"""
)


def find(scene: FixContext) -> Iterator[Fix]:
    """Yield the line to add, of a module's package that a table or a wheel tells."""
    if scene.failure.category.id != "library_not_found":
        return
    for module in scene.named(FactKind.MODULE, Role.ACTUAL):
        top = module.partition(".")[0]
        package, version = _wheel(scene, top) or (tables()["packages"].get(top), None)
        declared = {_plain(e.key) for e in scene.workspace.dependencies()}
        known = package is None or bool({_plain(package), _plain(top)} & declared)
        edit = None if known or scene.workspace.has_module(top) else _edit(scene, package, version)
        if edit is not None:
            why = f"'{module}' is imported, and no requirement names its package"
            yield Fix(f"Add '{package}' to {edit.file}", why, (edit,))


def _edit(scene: FixContext, package: str, version: str | None) -> Edit | None:
    """Return the new last line of the one list of requirements, None where there are several."""
    lists = [f for f in scene.workspace.files() if f.rpartition("/")[2] == "requirements.txt"]
    if len(lists) == 1:
        lines = scene.workspace.lines(lists[0])
        filled = [number for number, line in enumerate(lines, 1) if line.strip()]
        if not filled:
            return None
        before = lines[filled[-1] - 1]
        is_pinned = bool(version and _PINNED.match(before.strip()))
        text = f"{package}=={version}" if is_pinned else package
        return Edit(lists[0], filled[-1], before, f"{before}\n{text}")
    return _project_edit(scene, package) if not lists else None


def _project_edit(scene: FixContext, package: str) -> Edit | None:
    """Return the edit of ``pyproject.toml`` whose dependencies (PEP 621) stand a line each."""
    file = "pyproject.toml"
    entries = [
        entry
        for entry in scene.workspace.config_entries(file)
        if entry.path[:2] == ("project", "dependencies") and len(entry.path) == 3
    ]
    if not entries or len({entry.line for entry in entries}) != len(entries):
        return None
    last = max(entry.line for entry in entries)
    before = scene.line((file, last))
    match = _LISTED.match(before)
    if match is None:
        return None
    end = before if match["comma"] else f"{before.rstrip()},"
    quote = match["quote"]
    return Edit(file, last, before, f"{end}\n{match['indent']}{quote}{package}{quote},")


def _wheel(scene: FixContext, module: str) -> tuple[str, str] | None:
    """Return the name and version of the one wheel in the workspace that is named like a module."""
    found = [one for one in wheels(scene.workspace.root) if _plain(one[0]) == _plain(module)]
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
