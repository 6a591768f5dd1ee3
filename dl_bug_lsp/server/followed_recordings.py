"""Recordings that change on disk while the editor is open: spectra of tests, and trainings.

A folder's spectrum is `.dlbug/spectrum.db`, or what CI leaves in the folder; it is read, ranked,
shown and withdrawn. Its trainings lie in `.dlbug/training.db`, which changes when a recorded
command has ended; what is wrong with the newest is shown. Reading and ranking belong to the
folder's lane.
"""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.commands import HEATMAP, argument
from dl_bug_lsp.server.documents import Folder, path_of
from dl_bug_lsp.server.files import encoding_of, lines_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token
from dl_bug_lsp.server.known_failures import LogState
from dl_bug_lsp.server.position_tracking import Encoding
from dl_bug_lsp.server.publication import Publication
from dl_bug_lsp.server.spectra import COVERAGE, SOURCE, SPECTRUM, change_checker
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.training_run import Run
    from dl_bug_lsp.report import Report

logger = logging.getLogger(__name__)
_tasks = Tasks()


def register(server: DlBugServer) -> None:
    """Add the command of spectra, and look again where settings changed or a failure arrives."""
    _register_spectra(server)
    _register_trainings(server)


def _register_spectra(server: DlBugServer) -> None:
    server.events.settings_changed.subscribe(lambda folder: read_spectrum_soon(server, folder))
    server.events.publishing.subscribe(lambda new: _failure_arrived(server, new))

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
            loop.call_soon_threadsafe(read_spectrum_soon, ls, folder)

    return change_checker(folder.root, junit, changed)


_spectra_shown: weakref.WeakSet[Publication] = weakref.WeakSet()


def _failure_arrived(ls: DlBugServer, new: Publication) -> None:
    """Have a program's spectrum follow the failure that was read off its output alone."""
    held = ls.spectra.of(new.folder)
    if held is not None and held.source == new.source and new not in _spectra_shown:
        read_spectrum_soon(ls, new.folder)


def read_spectrum_soon(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder's spectrum in its lane and show what it tells, in place of the older one."""
    _tasks.start(_read_spectrum(ls, folder))


async def _read_spectrum(ls: DlBugServer, folder: Folder) -> None:
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
    _spectra_shown.add(result.publication)
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


# ---------------------------------------------------------------------- trainings
TRAININGS = ".dlbug/training.db"
PREFIX = "training:"
"""How the sources of these failures begin; the command follows."""
RECENT = 12 * 3600.0
"""Seconds for which a training is shown that ended before the editor was opened."""


def _register_trainings(server: DlBugServer) -> None:
    """Have a training's failure stand alone where the run's metrics tell of the same."""
    server.events.publishing.subscribe(lambda new: _metrics_arrived(server, new))


def _metrics_arrived(ls: DlBugServer, new: Publication) -> None:
    """Show what metrics alone say of a run no longer where its recording says more."""
    if new.source.startswith(PREFIX):
        ls.shown_failures.drop(
            lambda held: (
                held.folder is new.folder
                and held.source == f"run:{new.source.removeprefix(PREFIX)}"
                and held.report.silent_warning is not None
            )
        )


def training_change_checker(ls: DlBugServer, folder: Folder) -> Callable[[], None]:
    """Return what a folder's watcher calls now and then, on its thread."""
    loop = asyncio.get_running_loop()
    known: list[tuple[int, int] | None] = []

    def look() -> None:
        try:
            state = (folder.root / TRAININGS).stat()
            stamp: tuple[int, int] | None = (state.st_mtime_ns, state.st_size)
            is_recent = time.time() - state.st_mtime < RECENT
        except OSError:
            stamp, is_recent = None, False
        if known == [stamp]:
            return
        is_news = stamp is not None and (bool(known) or is_recent)
        known[:] = [stamp]
        if is_news:
            with suppress(RuntimeError):  # The loop may be gone.
                loop.call_soon_threadsafe(read_training_soon, ls, folder)

    return look


def read_training_soon(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder's newest training in its lane and show what is wrong with it."""
    _tasks.start(_read_training(ls, folder))


async def _read_training(ls: DlBugServer, folder: Folder) -> None:
    try:
        settings = await folder_settings(ls, folder)
        if folder.closed.is_set() or not settings.logs_watch:
            return
        encoding = encoding_of(ls)

        def work(_token: Token) -> tuple[str, Publication | None] | None:
            return newest_training(folder, settings, encoding)

        name = f"{folder.key} trainings"
        training = (await ls.jobs.run(name, [(folder.key, work)], None, Rank.HEARD))[0]
    except (SupersededError, CancelledError):
        return
    except Exception:
        logger.exception("a folder's trainings could not be read")
        return
    if folder.closed.is_set() or training is None:
        return
    source, shown = training
    if shown is not None and shown.places:
        ls.publish(shown)
    elif ls.shown_failures.drop_source(source, folder):
        ls.show()


def newest_training(
    folder: Folder, settings: Settings, encoding: Encoding
) -> tuple[str, Publication | None] | None:
    """Return the source of the newest command's trainings and what is wrong with them.

    Nothing is wrong with one that an error ended: its log tells of that. None without a training.
    """
    # Imported here, off the loop, and only where something was recorded.
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.monitoring.diagnosis_invariants import read_invariants
    from dl_bug_lsp.monitoring.store import read_recording
    from dl_bug_lsp.monitoring.training_run import Recording
    from dl_bug_lsp.server.publication import publication
    from dl_bug_lsp.views.training_plot import training_section

    recording = read_recording(folder.root)
    for problem in recording.problems:
        logger.warning("%s", problem)
    stored = [run for run in recording.runs if run.number]
    if not stored:
        return None
    last = max(stored, key=lambda run: run.number)
    runs = tuple(run for run in stored if run.process.session == last.process.session)
    source = source_of(last)
    if any(run.process.outcome != "finished" for run in runs):
        return source, None
    workspace = folder.workspace
    workspace.catch_up()
    known = read_invariants(folder.root)
    report = localize("", workspace, settings.options, None, Recording(runs), known)
    if report.silent_warning is None:
        return source, None
    shown = publication(report, folder, settings, source, encoding)
    shown.section = training_section(last, layer_of(report, last))
    return source, shown


def source_of(run: Run) -> str:
    """Return the name under which a run's failure is shown: the same for the same command."""
    try:
        words = json.loads(run.process.command)
        command = shlex.join(word for word in words if isinstance(word, str))
    except (ValueError, TypeError):
        command = run.process.program
    folder = run.process.folder
    return f"{PREFIX}{command}" if folder in ("", ".") else f"{PREFIX}{folder}$ {command}"


def layer_of(report: Report, run: Run) -> int | None:
    """Return the layer that stands at one of the suspicious places, the likeliest first."""
    failure = report.primary
    for suspect in failure.suspects if failure is not None else ():
        for layer in run.layers:
            if (layer.file, layer.line) == (suspect.file, suspect.line) and layer.position:
                return layer.layer
    return None
