"""Spectra that tests record while the editor is open: read, ranked, shown, withdrawn.

A folder's spectrum is `.dlbug/spectrum.db`, or what CI leaves in the folder. Reading and ranking
belong to the folder's thread.
"""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp.recording.coverage_data import CoverageDataError
from dl_bug_lsp.recording.importing import ImportingError, JUnitError, import_session
from dl_bug_lsp.recording.session_folder import relative
from dl_bug_lsp.recording.spectra import current_spectrum, spectrum_file
from dl_bug_lsp.recording.spectrum_ranking import Ranked, heat_of, line_counts, ranked_now
from dl_bug_lsp.recording.store import Recording, StoreError, read_recording
from dl_bug_lsp.server.commands.arguments import HEATMAP, argument
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.projects import folder_settings
from dl_bug_lsp.server.documents.folders import Folder, path_of
from dl_bug_lsp.server.documents.marks import Encoding
from dl_bug_lsp.server.failures.publication import Publication, publication
from dl_bug_lsp.server.failures.reported_logs import LogState
from dl_bug_lsp.server.failures.spectra import FolderSpectrum, FunctionCounts, LineCounts
from dl_bug_lsp.server.files.editing import encoding_of, lines_of
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Token
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.spectrum.counting import count_functions
from dl_bug_lsp.spectrum.failure_words import is_test_file
from dl_bug_lsp.spectrum.values import PROGRAM


@dataclass(frozen=True, slots=True)
class FoundSpectrum:
    """What a folder's spectrum tells; nothing where no test fails, or ``problem`` in a sentence."""

    spectrum: FolderSpectrum | None = None
    publication: Publication | None = None
    problem: str = ""


FAILED = " (failed)"
"""What the name of a failing program has at its end, beside the passing one of the same command."""


def read_folder(folder: Folder, settings: Settings, encoding: Encoding) -> FoundSpectrum:
    """Return what the newest spectrum of a folder tells."""
    workspace = folder.workspace
    workspace.catch_up()
    try:
        recording = _newest(folder, settings)
        if recording is None:
            return FoundSpectrum()
        recorded = current_spectrum(workspace, recording)
    except StoreError as error:
        return FoundSpectrum(problem=str(error))
    if not recorded.spectrum.failing:
        return FoundSpectrum()
    ranked = ranked_now(workspace, recorded, settings.options)
    programs = [name for name in sorted(recorded.texts) if name.startswith(PROGRAM)]
    # A program's failure is known from its record, too; what is told last is shown.
    source = programs[0].removesuffix(FAILED) if programs else SOURCE
    shown = publication(ranked.report, folder, settings, source, encoding)
    shown.keep_text(ranked.text)
    return FoundSpectrum(_spectrum(folder, ranked, source), shown)


def _newest(folder: Folder, settings: Settings) -> Recording | None:
    root = folder.root
    pair = coverage_pair(root, settings.spectrum_junit)
    own = stamp_of(root, SPECTRUM)
    coverage = stamp_of(root, COVERAGE)
    if pair is not None and coverage is not None and (own is None or coverage > own):
        found = _imported(folder, *pair)
        if found is not None:
            return found
    return read_recording(spectrum_file(root)) if own is not None else None


def _imported(folder: Folder, coverage: Path, junit: Path) -> Recording | None:
    """Return what CI left, None where it says nothing of tests: most coverage has no contexts."""
    workspace, root = folder.workspace, folder.root
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(coverage.stat().st_mtime))
    try:
        session = import_session(
            coverage, junit, lambda path: relative(path, root), workspace.text, started
        )
    except (CoverageDataError, JUnitError, ImportingError, OSError):
        return None
    return Recording((session,))


def _spectrum(folder: Folder, ranked: Ranked, source: str) -> FolderSpectrum:
    spectrum = ranked.recorded.spectrum
    counts, heat = line_counts(spectrum), heat_of(ranked)
    counted: dict[str, dict[int, tuple[int, int]]] = {}
    for element, ef, ep in zip(counts.elements, counts.ef, counts.ep, strict=True):
        if ef:
            counted.setdefault(element.file, {})[element.line] = ef, ep
    lines: dict[str, dict[int, LineCounts]] = {}
    for file in sorted({*counted, *heat}):
        here, warm = counted.get(file, {}), heat.get(file, {})
        lines[file] = {
            n: LineCounts(round(warm.get(n, 0.0), 4), *here.get(n, (0, 0)))
            for n in sorted({*here, *warm})
        }
    texts = {file: folder.workspace.text(file) or "" for file in lines}
    functions = _functions(folder, ranked)
    noun = "tests" if source == SOURCE else "steps"
    return FolderSpectrum(counts.failing, counts.passing, lines, functions, texts, noun, source)


def _functions(folder: Folder, ranked: Ranked) -> dict[str, list[FunctionCounts]]:
    """Return the functions that a failing test runs, those of tests left out."""
    counts = count_functions(ranked.recorded.spectrum)
    found: dict[str, list[FunctionCounts]] = {}
    for element, ef, ep in zip(counts.elements, counts.ef, counts.ep, strict=True):
        if not ef or is_test_file(element.file):
            continue
        known = folder.workspace.elements(element.file).functions
        around = [
            f for f in known if f.name == element.function and f.line <= element.line <= f.end_line
        ]
        if around:
            line = max(f.line for f in around)
            here = FunctionCounts(line, element.function, ef, ep)
            found.setdefault(element.file, []).append(here)
    return found


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
    found = [(at, name) for name in _names(junit) if (at := stamp_of(root, name)) is not None]
    found = [one for one in found if abs(one[0] - coverage) <= TOGETHER]
    return (root / COVERAGE, root / max(found)[1]) if found else None


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
    given = JUNIT if junit is None else tuple(junit)
    return tuple(n for n in given if not Path(n).is_absolute() and ".." not in Path(n).parts)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


logger = logging.getLogger(__name__)


def register(server: DlBugServer) -> None:
    """Add the command, and look again where settings changed."""
    server.settings_observers.append(lambda folder: read_soon(server, folder))
    server.arrivals.append(lambda new: _arrived(server, new))

    @server.command(HEATMAP)
    def heatmap(ls: DlBugServer, *arguments: Any) -> list[dict[str, Any]] | None:
        uri = argument(HEATMAP, arguments).get("uri", "")
        return heat(ls, uri) if path_of(uri) is not None else None


def heat(ls: DlBugServer, uri: str) -> list[dict[str, Any]] | None:
    """Return each line of a document that a failing test runs, as it stands now (0-based)."""
    found = ls.spectra.around(tuple(ls.folders), uri)
    if found is None:
        return None
    _, spectrum, file = found
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


_tasks: set[asyncio.Task[None]] = set()
_ours: weakref.WeakSet[Publication] = weakref.WeakSet()


def _arrived(ls: DlBugServer, new: Publication) -> None:
    """Have a program's spectrum follow the failure that was read off its output alone."""
    held = ls.spectra.of(new.folder)
    if held is not None and held.source == new.source and new not in _ours:
        read_soon(ls, new.folder)


def read_soon(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder's spectrum in its lane and show what it tells, in place of the older one."""
    task = asyncio.ensure_future(_read(ls, folder))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


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

            return read_folder(folder, settings, encoding)

        name = f"{folder.key} {SOURCE}"
        found = (await ls.jobs.run(name, [(folder.key, work)], None, Rank.HEARD))[0]
    except (SupersededError, CancelledError):
        return
    except Exception:
        logger.exception("a folder's spectrum could not be read")
        _take_back(ls, folder)
        return
    if folder.closed.is_set():
        return
    if found.problem:
        logger.warning("%s", found.problem)
    if found.publication is None or not found.publication.places:
        _take_back(ls, folder)
        return
    if found.publication.source != SOURCE:
        ls.shown_failures.drop_source(SOURCE, folder)
    ls.spectra.put(folder, found.spectrum)
    _ours.add(found.publication)
    if await _is_put_aside(ls, found.publication, state):
        ls.show()
    elif not folder.closed.is_set():
        ls.publish(found.publication)


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
