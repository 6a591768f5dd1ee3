"""Which state of which log has told its failure: read again after a restart, it tells no news."""

from __future__ import annotations

import asyncio
from typing import Any

from dl_bug_lsp.server.documents.folders import Folder

MOST = 50
"""Logs of a folder; beyond them the oldest goes."""


class ToldLogs:
    """Of each source of a folder the log that told its failure, and when that log last changed.

    Times are those of `os.stat`, in ns. A log that changed since may hold a newer failure, so that
    it counts as not told. Used on the event loop's thread.
    """

    def __init__(self) -> None:
        self._told: dict[str, dict[str, tuple[str, int]]] = {}
        self._ready: dict[str, asyncio.Event] = {}

    def note(self, folder: Folder, source: str, file: str, changed: int | None) -> None:
        """Remember that a log (its path in the folder) told its failure as it was at a time."""
        told = self._told.setdefault(folder.key, {})
        told.pop(source, None)
        if changed is not None:
            told[source] = file, changed
        while len(told) > MOST:
            del told[next(iter(told))]

    def forget(self, folder: Folder, source: str) -> None:
        """Forget a source whose failure is over."""
        self._told.get(folder.key, {}).pop(source, None)

    async def knows(self, folder: Folder, source: str, file: str, changed: int | None) -> bool:
        """Whether a log has told its failure as it is, once what was kept has been read."""
        await self._event(folder).wait()
        return self._told.get(folder.key, {}).get(source) == (file, changed)

    def kept(self, folder: Folder) -> list[list[Any]]:
        """Return what outlives the server: ``[source, file, time]`` each, as JSON values."""
        return [[source, *was] for source, was in self._told.get(folder.key, {}).items()]

    def restore(self, folder: Folder, kept: list[list[Any]]) -> None:
        """Take in what was kept of a folder; also without any: whoever waits for it goes on."""
        told = self._told.setdefault(folder.key, {})
        for source, file, changed in kept[-MOST:]:
            told.setdefault(str(source), (str(file), int(changed)))
        self._event(folder).set()

    def close(self, folder: Folder) -> None:
        """Let go of a folder."""
        self._told.pop(folder.key, None)
        self._event(folder).set()
        del self._ready[folder.key]

    def _event(self, folder: Folder) -> asyncio.Event:
        return self._ready.setdefault(folder.key, asyncio.Event())
