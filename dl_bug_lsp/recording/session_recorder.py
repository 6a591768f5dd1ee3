"""Records one process of a test session: coverage by context, outcomes in a journal.

At the end of a session it gives the few lines that say where the fault most likely is.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import coverage

from dl_bug_lsp.cancellation import CancelledError, cancellable
from dl_bug_lsp.post_mortem.recorder import Recorder as FrameRecorder
from dl_bug_lsp.post_mortem.records import keep_frames
from dl_bug_lsp.recording import session_folder
from dl_bug_lsp.recording.session import Phase
from dl_bug_lsp.recording.session_folder import (
    JournalWriter,
    RunningTest,
    add_session,
    crashed_worker,
    merge_abandoned_sessions,
)
from dl_bug_lsp.recording.store import Recording, StoreError, read_recording
from dl_bug_lsp.report import Options, Suspect, percent

_FLUSH_SHARE = 50
"""Coverage is written while tests run, so that a crash loses little: after the first test, then
after so many times as many seconds as the last writing took."""
MOST_FAILURES = 64
"""Failing tests of a process of which local variables are kept."""
_OTHER_CONTEXTS = (
    "nothing was recorded: coverage.py's own setting `dynamic_context` keeps the phases of tests "
    "from being told apart; take it out of its configuration (--cov-context=test does the same)"
)
_LEFT_OUT = ["*/site-packages/*", "*/dist-packages/*", "*/.venv/*", "*/.tox/*", "*/.nox/*"]


class SessionRecorder:
    """What the plugin's hooks call; every method is harmless after something went wrong."""

    def __init__(
        self, root: Path, command: str, branch: bool, worker: str | None, *, has_locals: bool
    ) -> None:
        self._root = root
        self._has_locals = has_locals
        self._frames: FrameRecorder | None = None
        self._command = command
        self._branch = branch
        self._worker = worker
        self._folder: Path | None = None
        self._coverage: coverage.Coverage | None = None
        self._is_own = True
        self._journal: JournalWriter | None = None
        self._running: RunningTest | None = None
        self._crashed: list[str] = []
        self._lines: list[str] = []
        self._problem: str | None = None
        self._is_stored = False
        self._has_failures = False
        self._next_flush = 0.0

    def start(self, measured_by_another: bool) -> None:
        """Begin to measure, unless another plugin will; a worker learns later where to save."""
        try:
            if self._worker is None:
                self._folder = session_folder.make_folder(self._root, self._command, self._branch)
                # Now, not at the end: a test that ends the interpreter may do so each time.
                self._lines += merge_abandoned_sessions(self._root)
            if measured_by_another or coverage.Coverage.current() is not None:
                return
            self._coverage = coverage.Coverage(
                data_file=None,
                branch=self._branch,
                source=[str(self._root)],
                omit=_LEFT_OUT,
                config_file=False,
                messages=False,
            )
            # A controller of pytest-xdist runs no test; warnings may be errors here.
            self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
            self._coverage.start()
        except (OSError, coverage.CoverageException) as error:
            self._fail(error)

    def shared_folder(self) -> str | None:
        """Return the session's folder for other processes of it."""
        return str(self._folder) if self._folder is not None else None

    def begin_session(self, folder: Path | None) -> None:
        """Open the journal; ``folder`` is the folder that another process made."""
        if self._coverage is None:
            self._coverage, self._is_own = coverage.Coverage.current(), False
            if self._coverage is not None and self._coverage.get_option("run:dynamic_context"):
                self._problem = self._problem or _OTHER_CONTEXTS
        self._folder = self._folder or folder
        if self._folder is not None and self._has_locals:
            self._frames = FrameRecorder(str(self._folder), str(self._root), MOST_FAILURES)
        if self._folder is not None and self._problem is None:
            self._journal = JournalWriter(self._folder / f"{self._worker or 'main'}.jsonl")

    def note_collected(self, tests: Mapping[str, Sequence[str]]) -> None:
        """Note all tests of the test files, by file."""
        if self._folder is not None and self._worker in (None, "gw0"):
            with contextlib.suppress(OSError):
                session_folder.note_collected(self._folder, tests)

    def enter(self, name: str, phase: str) -> None:
        """Measure from here on under a test's phase."""
        before, self._running = self._running, self._running or RunningTest(name)
        if self._running.name != name:
            self._running = RunningTest(name)
        elif before is not None and phase == "setup":
            # Another plugin runs a failed test again: the last attempt is what counts. In another's
            # measurement contexts may be named by others, so that attempts cannot be told apart.
            self._running = RunningTest(name, before.attempt + 1 if self._is_own else 1)
        if phase == "setup" and self._journal is not None:
            self._journal.begin(name)
        self._switch(self._running.enter(Phase(phase)))

    def note_exception(self, error: BaseException) -> None:
        """Record the frames of an exception that a test ended with, where that is asked for."""
        if self._frames is not None:
            self._frames.record(error)

    def report(self, report: Any) -> None:
        """Take in a report; in a controller of pytest-xdist only of a worker that crashed."""
        crash = crashed_worker(report)
        if crash is not None and self._journal is not None:
            self._crashed.append(crash.name)
            self._journal.end(crash)
        elif self._running is not None and self._running.name == report.nodeid:
            context = self._running.take(report)
            if context is not None:
                self._switch(context)

    def end_test(self, name: str) -> None:
        """Journal a test of this process."""
        running, self._running = self._running, None
        if running is None or running.name != name or self._journal is None:
            return
        for entry in running.entries():
            self._journal.end(entry)
        if time.monotonic() > self._next_flush:
            self.save()

    def save(self) -> None:
        """Write what was measured so far beside the journal."""
        began = time.monotonic()
        if self._coverage is None or self._folder is None or self._problem is not None:
            return
        path = self._folder / f".coverage.{self._worker or 'main'}"
        try:
            target = coverage.CoverageData(basename=str(path))
            target.update(self._coverage.get_data())
            if hasattr(target, "close"):  # Since coverage.py 7.7; older ones close by themselves.
                target.close()
        except Exception as error:
            # Whatever a version of coverage.py raises is no reason for the tests to fail.
            self._fail(error)
        ended = time.monotonic()
        self._next_flush = ended + _FLUSH_SHARE * (ended - began)

    def finish(self) -> None:
        """End the measuring; the first process brings the session into the spectrum."""
        if self._journal is not None:
            self._journal.close()
            self._problem = self._problem or self._journal.problem
        self._stop_own()
        if self._worker is None and self._folder is not None and self._problem is None:
            try:
                self._store(self._folder)
            except (OSError, StoreError) as error:
                self._fail(error)

    def close(self) -> None:
        """Let go of everything; what was recorded but not stored stays for the next session."""
        self._stop_own()

    def summary(self) -> tuple[str, ...]:
        """Return what the user is told at the end."""
        if self._problem is not None:
            return (f"dl-bug: {self._problem}",)
        return tuple(f"dl-bug: {line}" for line in self._lines)

    def most_suspicious(self) -> tuple[str, ...]:
        """Return the most suspicious lines where tests of this session failed; never raises."""
        if not self._is_stored or self._problem is not None or not self._has_failures:
            return ()
        # Imported here: a session in which all passes pays for none of it.

        return most_suspicious(self._root)

    def _store(self, folder: Path) -> None:
        keep_frames(self._root, folder, is_wanted=self._has_locals)
        taken = add_session(self._root, folder, self._crashed)
        self._is_stored = True
        self._has_failures = taken.has_failures
        self._lines += taken.lines

    def _switch(self, context: str) -> None:
        if self._coverage is not None and self._problem is None:
            try:
                self._coverage.switch_context(context)
            except coverage.CoverageException as error:
                self._fail(error)

    def _stop_own(self) -> None:
        if self._coverage is not None and self._is_own:
            with contextlib.suppress(coverage.CoverageException):
                self._coverage.stop()

    def _fail(self, error: Exception) -> None:
        self._problem = self._problem or f"the spectrum could not be recorded ({error})"


PLACES = 3
LARGEST_SPECTRUM = 64 * 2**20
"""Bytes of a file that is not read for this: `dl-bug-lsp spectrum report` takes its time."""
MOST_FILES = 1_500
"""Files of tests and code, as far as they were executed, for the same reason."""
PATIENCE = 5.0
"""Seconds of this process' time after which the ranking is given up."""
LONGEST = 60
MORE = "dl-bug: `dl-bug-lsp spectrum report` shows more"


def most_suspicious(root: Path) -> tuple[str, ...]:
    """Return a line for each of the most suspicious places, and how to see more.

    Whatever goes wrong, a test session goes on: then only the last line is returned.
    """
    try:
        return (*_places(root), MORE)
    except Exception:
        # Told by the command, which shows what is wrong; a test run is not the place for it.
        return (MORE,)


def _places(root: Path) -> list[str]:
    import time

    from dl_bug_lsp.recording.spectra import current_spectrum, ranked_now, spectrum_file
    from dl_bug_lsp.workspace import Workspace

    path = spectrum_file(root)
    if path.stat().st_size > LARGEST_SPECTRUM:
        return []
    recording = read_recording(path)
    if _files(recording) > MOST_FILES:
        return []
    workspace = Workspace(root, cache=False)
    latest = time.process_time() + PATIENCE
    try:
        with cancellable(lambda: time.process_time() > latest):
            recorded = current_spectrum(workspace, recording)
            report = ranked_now(workspace, recorded, Options(PLACES, PLACES)).report
    except CancelledError:
        return []
    primary = report.primary
    if primary is None or not primary.suspects:
        return []
    shown = [
        _line(suspect, workspace.source_line(suspect.file, suspect.line))
        for suspect in primary.suspects
    ]
    return ["dl-bug: most suspicious:", *shown]


def _files(recording: Recording) -> int:
    return len({f for session in recording.sessions for t in session.tests for _, f in t.hits})


def _line(suspect: Suspect, code: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in code.strip())
    cut = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."
    return f"  {suspect.file}:{suspect.line} ({percent(suspect.score)})  {cut}"
