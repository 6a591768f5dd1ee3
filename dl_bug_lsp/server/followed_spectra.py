"""Spectra that tests record while the editor is open: read, ranked, shown, withdrawn.

A folder's spectrum is `.dlbug/spectrum.db`, or what CI leaves in the folder. Reading and ranking
belong to the folder's thread.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.commands import HEATMAP, argument
from dl_bug_lsp.server.documents import Folder, path_of
from dl_bug_lsp.server.files import encoding_of, lines_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token
from dl_bug_lsp.server.known_failures import LogState
from dl_bug_lsp.server.publication import Publication
from dl_bug_lsp.server.spectra import COVERAGE, SOURCE, SPECTRUM, change_checker

logger = logging.getLogger(__name__)


def register(server: DlBugServer) -> None:
    """Add the command, and look again where settings changed."""
    server.events.settings_changed.subscribe(lambda folder: read_soon(server, folder))
    server.events.publishing.subscribe(lambda new: _arrived(server, new))

    @server.command(HEATMAP)
    def heatmap(ls: DlBugServer, *arguments: Any) -> list[dict[str, Any]] | None:
        uri = argument(HEATMAP, arguments).get("uri", "")
        return heat(ls, uri) if path_of(uri) is not None else None


def heat(ls: DlBugServer, uri: str) -> list[dict[str, Any]] | None:
    """Return each line of a document that a failing test runs, as it stands now (0-based)."""
    held = ls.spectra.around(tuple(ls.folders), uri)
    if held is None:
        return None
    _, spectrum, file = held
    today = lines_of(ls, uri)
    shown = []
    for line, counts in spectrum.lines[file].items():
        at = spectrum.now(file, line, today)
        if at is not None:
            shown.append(
                {
                    "line": at - 1,
                    "score": counts.score,
                    "failing": counts.failing,
                    "passing": counts.passing,
                }
            )
    return shown or None


def spectrum_change_checker(
    ls: DlBugServer, folder: Folder, junit: Sequence[str] | None
) -> Callable[[], None]:
    """Return what a folder's watcher calls now and then, on its thread."""
    loop = asyncio.get_running_loop()

    def changed() -> None:
        with suppress(RuntimeError):  # The loop may be gone.
            loop.call_soon_threadsafe(read_soon, ls, folder)

    return change_checker(folder.root, junit, changed)


_tasks = Tasks()
_ours: weakref.WeakSet[Publication] = weakref.WeakSet()


def _arrived(ls: DlBugServer, new: Publication) -> None:
    """Have a program's spectrum follow the failure that was read off its output alone."""
    held = ls.spectra.of(new.folder)
    if held is not None and held.source == new.source and new not in _ours:
        read_soon(ls, new.folder)


def read_soon(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder's spectrum in its lane and show what it tells, in place of the older one."""
    _tasks.start(_read(ls, folder))


async def _read(ls: DlBugServer, folder: Folder) -> None:
    try:
        settings = await folder_settings(ls, folder)
        if folder.closed.is_set():
            return
        if not settings.spectrum_watch:
            _take_back(ls, folder)
            return
        encoding, state = encoding_of(ls), _state(folder)

        def work(_token: Token) -> Any:
            # Imported here, off the loop, and only where there is a spectrum.
            from dl_bug_lsp.server.spectrum_reader import read_folder

            return read_folder(folder, settings, encoding)

        name = f"{folder.key} {SOURCE}"
        result = (await ls.jobs.run(name, [(folder.key, work)], None, Rank.HEARD))[0]
    except (SupersededError, CancelledError):
        return
    except Exception:
        logger.exception("a folder's spectrum could not be read")
        _take_back(ls, folder)
        return
    if folder.closed.is_set():
        return
    if result.problem:
        logger.warning("%s", result.problem)
    if result.publication is None or not result.publication.places:
        _take_back(ls, folder)
        return
    if result.publication.source != SOURCE:
        ls.shown_failures.drop_source(SOURCE, folder)
    ls.spectra.put(folder, result.spectrum)
    _ours.add(result.publication)
    if await _is_put_aside(ls, result.publication, state):
        ls.show()
    elif not folder.closed.is_set():
        ls.publish(result.publication)


async def _is_put_aside(ls: DlBugServer, new: Publication, state: LogState | None) -> bool:
    """Carry over what the user put aside of the same spectrum; say whether that is all of it."""
    folder, source = new.folder, new.source
    if source != SOURCE:
        return False
    is_known = await ls.reported_logs.is_reported(folder, source, state)
    old = next(
        (p for p in ls.shown_failures.held() if p.folder is folder and p.source == source), None
    )
    if new.settings.keep_failures:
        ls.reported_logs.note(folder, source, state, new.report)
    if is_known and old is not None:
        new.put_aside_as(old)
    return is_known and old is None


def _state(folder: Folder) -> LogState | None:
    """Return the state of the file that holds a folder's spectrum; None where there is none."""
    return LogState.of(folder, SPECTRUM) or LogState.of(folder, COVERAGE)


def _take_back(ls: DlBugServer, folder: Folder) -> None:
    """Show nothing of a folder's spectrum any more."""
    had = ls.spectra.put(folder, None)
    ls.reported_logs.forget(folder, SOURCE)
    if ls.shown_failures.drop_source(SOURCE, folder) or had:
        ls.show()
