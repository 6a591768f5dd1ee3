"""A folder's ``pyproject.toml``: what it sets holds, what it sets wrongly is marked in it."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.positions import lines_range
from dl_bug_lsp.server.settings import project_settings
from dl_bug_lsp.settings.project import FILE, ProjectSettings

OWNER = "settings"
"""Under which these diagnostics share their document with others."""


def look_at_project(ls: DlBugServer, folder: Folder, call: Callable[..., object]) -> None:
    """Read a folder's settings in its lane, and have the loop (``call``) take them in."""
    found = project_settings(folder)
    lines = folder.workspace.lines(FILE) if found.complaints else ()
    call(_take, ls, folder, found, lines)


def _take(ls: DlBugServer, folder: Folder, found: ProjectSettings, lines: tuple[str, ...]) -> None:
    if not ls.settings.set_project(folder, found) or folder.closed.is_set():
        return
    for observer in ls.settings_observers:
        observer(folder)
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    diagnostics = [
        types.Diagnostic(
            range=lines_range(line, line, lines, encoding),
            message=sentence,
            severity=types.DiagnosticSeverity.Warning,
            source="dl-bug",
            code="settings",
        )
        for line, sentence in found.complaints
    ]
    ls.diagnostics.set(OWNER, folder.uri_of(FILE), diagnostics)
