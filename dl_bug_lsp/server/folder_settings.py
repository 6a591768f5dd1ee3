"""A folder's settings: of the client, asked once until it says that they changed, and its project.

What the client sets wins over ``pyproject.toml``, key by key; what it answers with null is not set.
What a folder's ``pyproject.toml`` sets wrongly is marked in it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dl_bug_lsp.server.documents import lines_range
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Token
from dl_bug_lsp.settings.reading import (
    FILE,
    Given,
    ProjectSettings,
    Settings,
    read_given,
    read_project,
    settings_of,
)
from dl_bug_lsp.settings.table import SECTION

if TYPE_CHECKING:
    from dl_bug_lsp.server.app import DlBugServer
    from dl_bug_lsp.server.documents import Folder

# ---------------------------------------------------------------------- pyproject.toml
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
        project = _project_settings(folder)
        return project, folder.workspace.lines(FILE) if project.complaints else ()

    try:
        parts = [(folder.key, read)]
        ((project, lines),) = await ls.jobs.run(f"{FILE} {folder.key}", parts, rank=Rank.CHANGES)
    except (CancelledError, SupersededError):
        return ProjectSettings()
    except Exception:
        logger.exception("a project's settings could not be read")
        return ProjectSettings()
    if not folder.closed.is_set():
        _show(ls, folder, project, lines)
        if ls.settings.is_news(folder, project):
            ls.settings_changed(folder)
    return project


def _project_settings(folder: Folder) -> ProjectSettings:
    """Read a folder's ``pyproject.toml``; belongs to the folder's lane."""
    if FILE not in folder.workspace.config_files():
        return ProjectSettings()
    return read_project(folder.workspace.config_entries(FILE))


def _show(
    ls: DlBugServer, folder: Folder, project: ProjectSettings, lines: tuple[str, ...]
) -> None:
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    diagnostics = [
        types.Diagnostic(
            range=lines_range(line, line, lines, encoding),
            message=sentence,
            severity=types.DiagnosticSeverity.Warning,
            source="dl-bug",
            code="settings",
        )
        for line, sentence in project.complaints
    ]
    ls.diagnostics.set(OWNER, folder.uri_of(FILE), diagnostics)


# ---------------------------------------------------------------------- settings of folders
CONFIGURATION_TIMEOUT = 2.0
"""Seconds that a client may take to answer what its settings are."""


def sentences(given: Given) -> tuple[str, ...]:
    """Return one sentence for each setting of a client that was ignored."""
    return tuple(
        f"The setting {'.'.join((SECTION, *problem.path))} {problem.words} and was ignored."
        for problem in given.problems
    )


class FolderSettings:
    """What is known of the settings of all folders; used on the event loop's thread."""

    def __init__(self) -> None:
        self.of_start = Given()
        self._asked: dict[str, asyncio.Future[Given]] = {}
        self._projects: dict[str, asyncio.Task[ProjectSettings]] = {}
        self._read: dict[str, ProjectSettings] = {}
        self._told: set[str] = set()

    def look_at_project(
        self, folder: Folder, look: Callable[[], Coroutine[Any, Any, ProjectSettings]]
    ) -> None:
        """Have a folder's project read, again where it changed; who needs it waits for it."""
        self._projects[folder.key] = asyncio.ensure_future(look())

    def is_news(self, folder: Folder, project: ProjectSettings) -> bool:
        """Take in what a project was read to set; say whether it set something else before."""
        before = self._read.get(folder.key)
        self._read[folder.key] = project
        return before is not None and before.given != project.given

    def has_project(self, folder: Folder) -> bool:
        """Say whether a folder's project was read, or is being read."""
        return folder.key in self._projects

    def forget(self, folder: Folder | None = None) -> None:
        """Ask the client again for one folder, or for all, when settings are needed next."""
        if folder is None:
            self._asked.clear()
        else:
            self._asked.pop(folder.key, None)

    def close(self, folder: Folder) -> None:
        """Forget a folder that was closed."""
        self.forget(folder)
        self._projects.pop(folder.key, None)
        self._read.pop(folder.key, None)

    def tell(self, given: Given) -> None:
        """Name in the log what was ignored, each once."""
        for sentence in sentences(given):
            if sentence not in self._told and len(self._told) < 1000:
                self._told.add(sentence)
                logger.warning("%s", sentence)

    def known(self, folder: Folder) -> Settings:
        """Return what holds for a folder as far as it is known now."""
        asked = self._asked.get(folder.key)
        done = asked is not None and asked.done() and not asked.cancelled()
        given = asked.result() if asked is not None and done else self.of_start
        task = self._projects.get(folder.key)
        read = task is not None and task.done() and not task.cancelled()
        project = task.result() if task is not None and read else ProjectSettings()
        return settings_of(project.given, given)

    async def of(self, ls: DlBugServer, folder: Folder) -> Settings:
        """Return what holds for a folder; asks the client where it has not been asked."""
        if folder.key in self._projects:
            await asyncio.shield(self._projects[folder.key])
        if ls.can("workspace", "configuration"):
            if folder.key not in self._asked:
                self._asked[folder.key] = asyncio.ensure_future(self._ask(ls, folder))
            await asyncio.shield(self._asked[folder.key])
        return self.known(folder)

    async def _ask(self, ls: DlBugServer, folder: Folder) -> Given:
        item = types.ConfigurationItem(scope_uri=folder.uri, section=SECTION)
        asked = ls.workspace_configuration_async(types.ConfigurationParams(items=[item]))
        try:
            # Shielded: pygls stumbles over an answer to a request that was cancelled.
            answer = await asyncio.wait_for(asyncio.shield(asked), CONFIGURATION_TIMEOUT)
        except asyncio.CancelledError:
            raise
        except Exception:
            logger.warning("the client did not send its settings")
            return self.of_start
        if not answer or answer[0] is None:
            return self.of_start
        given = read_given(answer[0])
        self.tell(given)
        return given
