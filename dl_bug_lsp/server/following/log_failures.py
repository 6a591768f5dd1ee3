"""What watchers tell of logs and recorded runs: shown where its code is, and taken back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.localizing import job_name, localized
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.failures.publication import Publication
from dl_bug_lsp.server.failures.reported_logs import LogState
from dl_bug_lsp.server.files.notebooks import is_open_notebook
from dl_bug_lsp.server.following.responsible_folders import (
    concerns,
    has_frame,
    is_run,
    name_elsewhere,
    responsible_folders,
)
from dl_bug_lsp.server.work.jobs import CancelledError, SupersededError

if TYPE_CHECKING:
    from dl_bug_lsp.watching.values import LogFailure

logger = logging.getLogger(__name__)


class LogFailures:
    """The failures of followed logs; used on the event loop's thread."""

    def __init__(self, ls: DlBugServer, followed: Callable[[], Iterable[Folder]]) -> None:
        """``followed`` returns the folders that are watched now."""
        self._ls = ls
        self._followed = followed
        self._tasks: set[asyncio.Task[None]] = set()
        self._newest: dict[tuple[str, str], LogFailure] = {}
        """Of each log the failure that is looked at."""

    def failed(self, folder: Folder, failure: LogFailure) -> None:
        """Localize a failure and show it; not of a notebook whose cells the client tells of."""
        ls = self._ls
        if not (ls.hears_of_cells and is_open_notebook(ls, _log_uri(folder, failure))):
            task = asyncio.ensure_future(self._show(folder, failure))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _show(self, folder: Folder, failure: LogFailure) -> None:
        ls, key = self._ls, (folder.key, failure.source)
        self._newest[key] = failure
        try:
            if folder.closed.is_set():
                return
            state = LogState.of(folder, failure.file)
            if await ls.told.knew(folder, failure.source, state):
                return
            found = await self._localized(folder, failure)
            is_open = found is not None and not found.folder.closed.is_set()
            if found is None or not is_open or self._newest.get(key) is not failure:
                return
            was_told = ls.told.was_told(folder, failure.source, state, found.report)
            shown = ls.shelf.has(found.source, found.folder)
            aside = ls.told.aside(folder, failure.source, state, shown)
            found.put_aside(aside)
            if found.settings.keep_failures:
                ls.told.note(folder, failure.source, state, found.report, aside)
            if not was_told:
                found.log = _log_uri(folder, failure)
                for name in _names(folder, failure.source):
                    if name != found.source:
                        ls.shelf.drop_source(name, folder)
                ls.publish(found, soon=True)
        except (SupersededError, CancelledError):
            return
        except Exception:
            logger.exception("a failure in a followed log could not be localized")
        finally:
            if self._newest.get(key) is failure:
                del self._newest[key]

    async def _localized(self, folder: Folder, failure: LogFailure) -> Publication | None:
        """Return what a failure shows, in another folder where its code is there; None for none.

        A log without a failure that ended its job shows nothing, and disturbs nobody; neither does
        a run elsewhere that has nothing to do with the folders.
        """
        ls, source, lines = self._ls, failure.source, failure.lines_before
        followed = list(self._followed())
        telling = responsible_folders(followed, folder, failure)
        if not telling:
            return None
        found = await localized(ls, failure.text, source, telling, lines_before=lines)
        if failure.ended_well and found.report.silent_warning is None:
            return None
        if found.report.primary is None:
            return None
        if has_frame(found.report):
            return found
        others = tuple(f for f in followed if f not in telling)
        if others and not failure.ended_well:
            name = name_elsewhere(folder, source)
            there = await localized(ls, failure.text, name, others, lines_before=lines)
            if has_frame(there.report):
                return there
        run = failure.run
        is_ours = run is None or any(concerns(one, run) for one in telling)
        return found if is_ours else None

    def recovered(self, folder: Folder, source: str) -> None:
        """Take back what a log showed; a run that ended well ends the failure for all sources."""
        ls = self._ls
        ls.told.forget(folder, source)
        self._newest.pop((folder.key, source), None)
        for name in _names(folder, source):
            ls.jobs.drop(job_name(name, (folder,)))
            drop = ls.shelf.drop_failure if is_run(name) else ls.shelf.drop_source
            if not folder.closed.is_set() and drop(name, folder):
                ls.show_soon()


def _names(folder: Folder, source: str) -> tuple[str, ...]:
    """Return the names under which a log's failure may be shown: in its folder, in others."""
    return tuple(dict.fromkeys((source, name_elsewhere(folder, source))))


def _log_uri(folder: Folder, failure: LogFailure) -> str:
    file = Path(failure.file)
    return file.as_uri() if file.is_absolute() else folder.uri_of(failure.file)
