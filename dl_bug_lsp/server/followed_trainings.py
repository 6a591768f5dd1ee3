"""Trainings that are recorded while the editor is open: what is wrong with the newest is shown.

A folder's trainings lie in `.dlbug/training.db`, which changes when a recorded command has ended.
Reading and ranking belong to the folder's lane.
"""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.files import encoding_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token
from dl_bug_lsp.server.marks import Encoding
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.training_run import Run
    from dl_bug_lsp.report import Report
    from dl_bug_lsp.server.publication import Publication

TRAININGS = ".dlbug/training.db"
PREFIX = "training:"
"""How the sources of these failures begin; the command follows."""
RECENT = 12 * 3600.0
"""Seconds for which a training is shown that ended before the editor was opened."""
logger = logging.getLogger(__name__)
_tasks = Tasks()


def register(server: DlBugServer) -> None:
    """Have a training's failure stand alone where the run's metrics tell of the same."""
    server.events.publishing.subscribe(lambda new: _arrived(server, new))


def _arrived(ls: DlBugServer, new: Publication) -> None:
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
                loop.call_soon_threadsafe(read_soon, ls, folder)

    return look


def read_soon(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder's newest training in its lane and show what is wrong with it."""
    _tasks.start(_read(ls, folder))


async def _read(ls: DlBugServer, folder: Folder) -> None:
    try:
        settings = await folder_settings(ls, folder)
        if folder.closed.is_set() or not settings.logs_watch:
            return
        encoding = encoding_of(ls)

        def work(_token: Token) -> tuple[str, Publication | None] | None:
            return newest(folder, settings, encoding)

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


def newest(
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
