"""A folder's ``pyproject.toml``: what it sets holds, what it sets wrongly is marked in it."""

from __future__ import annotations

import logging

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.positions import lines_range
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Token
from dl_bug_lsp.settings.project import FILE, ProjectSettings, read_project
from dl_bug_lsp.settings.reading import Settings

logger = logging.getLogger(__name__)

OWNER = "settings"
"""Under which these diagnostics share their document with others."""


def look_at_project(ls: DlBugServer, folder: Folder) -> None:
    """Have a folder's settings read in its lane, before anything else; returns at once."""
    ls.settings.look_at_project(folder, lambda: _look(ls, folder))


async def folder_settings(ls: DlBugServer, folder: Folder) -> Settings:
    """Return what holds for a folder; its project is read where that was not asked for before."""
    if not ls.settings.has_project(folder):
        look_at_project(ls, folder)
    return await ls.settings.of(ls, folder)


async def _look(ls: DlBugServer, folder: Folder) -> ProjectSettings:
    def read(_token: Token) -> tuple[ProjectSettings, tuple[str, ...]]:
        found = _project_settings(folder)
        return found, folder.workspace.lines(FILE) if found.complaints else ()

    try:
        parts = [(folder.key, read)]
        ((found, lines),) = await ls.jobs.run(f"{FILE} {folder.key}", parts, rank=Rank.CHANGES)
    except (CancelledError, SupersededError):
        return ProjectSettings()
    except Exception:
        logger.exception("a project's settings could not be read")
        return ProjectSettings()
    if not folder.closed.is_set():
        _show(ls, folder, found, lines)
        if ls.settings.is_news(folder, found):
            ls.settings_changed(folder)
    return found


def _project_settings(folder: Folder) -> ProjectSettings:
    """Read a folder's ``pyproject.toml``; belongs to the folder's lane."""
    if FILE not in folder.workspace.config_files():
        return ProjectSettings()
    return read_project(folder.workspace.config_entries(FILE))


def _show(ls: DlBugServer, folder: Folder, found: ProjectSettings, lines: tuple[str, ...]) -> None:
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
