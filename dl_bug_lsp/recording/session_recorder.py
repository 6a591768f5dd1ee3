"""Records one process of a test session: coverage by context, outcomes in a journal."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

import coverage

from dl_bug_lsp.recording import session_folder
from dl_bug_lsp.recording.journal import JournalWriter
from dl_bug_lsp.recording.store import NAME, StoreError, write_session
from dl_bug_lsp.recording.test_reports import RunningTest, crashed_worker
from dl_bug_lsp.recording.values import Phase, Session
from dl_bug_lsp.workspace.cache import FOLDER

_FLUSH_SECONDS = 0.5
_FLUSH_SHARE = 50
"""Coverage is written while tests run, so that a crash loses little: after so many seconds, and so
many times as many as the last writing took."""
_LEFT_OUT = ["*/site-packages/*", "*/dist-packages/*", "*/.venv/*", "*/.tox/*", "*/.nox/*"]


class SessionRecorder:
    """What the plugin's hooks call; every method is harmless after something went wrong."""

    def __init__(self, root: Path, command: str, branch: bool, worker: str | None) -> None:
        self._root = root
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
        self._next_flush = time.monotonic() + _FLUSH_SECONDS

    def start(self, measured_by_another: bool) -> None:
        """Begin to measure, unless another plugin will; a worker learns later where to save."""
        try:
            if self._worker is None:
                self._folder = session_folder.make_folder(self._root, self._command, self._branch)
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
            self._coverage.start()
        except (OSError, coverage.CoverageException) as error:
            self._fail(error)

    def shared_folder(self) -> str | None:
        """Return the session's folder for other processes of it."""
        return str(self._folder) if self._folder is not None else None

    def begin_session(self, given: Path | None) -> None:
        """Open the journal; ``given`` is the folder that another process made."""
        if self._coverage is None:
            self._coverage, self._is_own = coverage.Coverage.current(), False
        self._folder = self._folder or given
        if self._folder is not None and self._problem is None:
            self._journal = JournalWriter(self._folder / f"{self._worker or 'main'}.jsonl")

    def note_whole_files(self, files: frozenset[str]) -> None:
        """Note the test files that run whole."""
        if self._folder is not None and self._worker in (None, "gw0"):
            with contextlib.suppress(OSError):
                session_folder.note_whole_files(self._folder, files)

    def enter(self, name: str, phase: str) -> None:
        """Measure from here on under a test's phase."""
        if self._running is None or self._running.name != name:
            self._running = RunningTest(name)
        if phase == "setup" and self._journal is not None:
            self._journal.begin(name)
        self._switch(self._running.enter(Phase(phase)))

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
        self._next_flush = ended + max(_FLUSH_SECONDS, _FLUSH_SHARE * (ended - began))

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
        return tuple(self._lines)

    def most_suspicious(self) -> tuple[str, ...]:
        """Return the most suspicious lines where tests of this session failed; never raises."""
        if not self._is_stored or self._problem is not None or not self._has_failures:
            return ()
        # Imported here: a session in which all passes pays for none of it.
        from dl_bug_lsp.recording.told import most_suspicious

        return most_suspicious(self._root)

    def _store(self, folder: Path) -> None:
        path = self._root / FOLDER / NAME
        self._is_stored = True
        for old in session_folder.left_behind(self._root):
            self._take_in(old, path, "an earlier session that was cut off")
        self._take_in(folder, path, None)

    def _take_in(self, folder: Path, path: Path, what: str | None) -> None:
        finished = session_folder.read_folder(folder, self._root)
        if finished.session.tests:
            moved = write_session(path, finished.session)
            self._lines += [f"dl-bug: {moved}"] if moved else []
            self._lines.append(_told(finished.session, what))
            if what is None:
                self._has_failures = any(t.outcome.is_failing for t in finished.session.tests)
        for name in sorted({*finished.crashed, *(self._crashed if what is None else ())}):
            self._lines.append(f"dl-bug: the interpreter ended in {name}; its lines are not known")
        self._lines += [f"dl-bug: {problem}" for problem in finished.session.problems]
        session_folder.remove(folder)

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


def _told(session: Session, what: str | None) -> str:
    failing = sum(1 for test in session.tests if test.outcome.is_failing)
    passing = sum(1 for test in session.tests if test.outcome.is_passing)
    said = f" of {what}" if what else ""
    return f"dl-bug: recorded {failing} failing and {passing} passing tests{said}"
