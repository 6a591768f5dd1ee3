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
from pathlib import Path
from typing import Any

from dl_bug_lsp.server.commands.arguments import HEATMAP, argument
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.settings import folder_settings
from dl_bug_lsp.server.documents.folders import Folder, path_of
from dl_bug_lsp.server.failures.publication import Publication
from dl_bug_lsp.server.failures.reported_logs import LogState
from dl_bug_lsp.server.files.editing import encoding_of, lines_of
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token

SOURCE = "spectrum"
"""The source of what a spectrum shows: a folder has one."""
SPECTRUM = ".dlbug/spectrum.db"
COVERAGE = ".coverage"
JUNIT = ("junit.xml", "report.xml", "test-results.xml", "pytest.xml", "reports/junit.xml")
"""Usual names of JUnit reports."""
TOGETHER = 600.0
"""Seconds between the changes of a coverage file and of the report of the same test run."""


def stamp_of(root: Path, name: str) -> float | None:
    """Return when a file last changed (epoch seconds), None where there is none."""
    try:
        return (root / name).stat().st_mtime
    except OSError:
        return None


def coverage_pair(root: Path, junit: Sequence[str] | None) -> tuple[Path, Path] | None:
    """Return the coverage file and the newest report of the same time, None without both."""
    coverage = stamp_of(root, COVERAGE)
    if coverage is None:
        return None
    reports = [(at, name) for name in _names(junit) if (at := stamp_of(root, name)) is not None]
    reports = [report for report in reports if abs(report[0] - coverage) <= TOGETHER]
    return (root / COVERAGE, root / max(reports)[1]) if reports else None


def change_checker(
    root: Path, junit: Sequence[str] | None, changed: Callable[[], None]
) -> Callable[[], None]:
    """Return what is to be called now and then, in one thread; it tells when a file changed.

    Its first call tells as well where there is a spectrum.
    """
    known: list[tuple[tuple[int, int] | None, ...]] = []

    def look() -> None:
        stamps = tuple(_stamp(root / name) for name in (SPECTRUM, COVERAGE, *_names(junit)))
        if known != [stamps]:
            is_news = bool(known) or stamps[0] is not None or stamps[1] is not None
            known[:] = [stamps]
            if is_news:
                changed()

    return look


def _names(junit: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of reports; what leads out of the folder is none."""
    patterns = JUNIT if junit is None else tuple(junit)
    return tuple(n for n in patterns if not Path(n).is_absolute() and ".." not in Path(n).parts)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


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
            from dl_bug_lsp.server.following.spectrum_reader import read_folder

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
