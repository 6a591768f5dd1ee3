"""From a text to a publication: the one way that commands, followed logs and runs all take."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types

from dl_bug_lsp.report import Report
from dl_bug_lsp.server.app import DlBugServer, capability
from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.jobs import CancelledError, Token
from dl_bug_lsp.server.publication import Publication, publication
from dl_bug_lsp.server.settings import SECTION, Settings, read_settings

logger = logging.getLogger(__name__)

LIMIT = 32 * 2**20
"""Characters of a text that are kept, from its end."""

CONFIGURATION_TIMEOUT = 2.0
"""Seconds that a client may take to answer what its settings are."""


async def localized(
    ls: DlBugServer,
    text: str,
    source: str,
    folders: tuple[Folder, ...],
    request: int | str | None = None,
) -> Publication:
    """Localize a text in a thread and return its publication for the folder that fits it best.

    ``source`` names where the text is from; a newer text of the same source takes this one's place.
    ``request`` is the client's request that waits for the answer. Raises `SupersededError`,
    `CancelledError` and what the work raised.
    """
    settings = {folder.key: await folder_settings(ls, folder) for folder in folders}
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    text, skipped = _end_of(text)

    def work(token: Token) -> Publication:
        # Imported here, off the loop: it would hold up the answer to `initialize`.
        from dl_bug_lsp.localize import localize

        reports: list[tuple[Report, Folder]] = []
        for folder in folders:
            if token.cancelled:
                raise CancelledError
            folder.workspace.refresh()
            report = localize(text, folder.workspace, settings[folder.key].options)
            reports.append((report.after(skipped), folder))
        best, folder = max(reversed(reports), key=lambda pair: _fit(pair[0]))
        return publication(best, folder, settings[folder.key], source, encoding)

    key = folders[0].key if len(folders) == 1 else "all folders"
    return await ls.jobs.run(key, work, request)


def _fit(report: Report) -> tuple[int, float]:
    """Return how well a folder fits a text: frames found in it, then its best score."""
    failure = report.primary
    if failure is None:
        return 0, 0.0
    frames = sum(1 for frame in failure.frames if frame.workspace_file)
    return frames, max((suspect.score for suspect in failure.suspects), default=0.0)


def _end_of(text: str) -> tuple[str, int]:
    """Return the last `LIMIT` characters in whole lines and how many lines stand before them."""
    if len(text) <= LIMIT:
        return text, 0
    start = text.find("\n", len(text) - LIMIT) + 1 or len(text) - LIMIT
    return text[start:], text.count("\n", 0, start)


async def folder_settings(ls: DlBugServer, folder: Folder) -> Settings:
    """Ask the client for the folder's settings; without an answer those of the start hold."""
    if not capability(ls.client_capabilities, "workspace", "configuration"):
        return ls.settings
    item = types.ConfigurationItem(scope_uri=folder.uri, section=SECTION)
    asked = ls.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    try:
        # Shielded: pygls stumbles over an answer to a request that was cancelled.
        answer = await asyncio.wait_for(asyncio.shield(asked), CONFIGURATION_TIMEOUT)
    except asyncio.CancelledError:
        raise
    except Exception:
        logger.warning("the client did not tell its settings")
        return ls.settings
    if not answer or answer[0] is None:
        return ls.settings
    settings, problems = read_settings(answer[0])
    for problem in problems:
        logger.warning("%s", problem)
    return settings
