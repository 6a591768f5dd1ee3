"""``dl-bug-lsp run --spectrum``: what the run executes, beside its output."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.cli.errors import complain

if TYPE_CHECKING:
    from dl_bug_lsp.recording.recorded_runs import RecordedRun
    from dl_bug_lsp.recording.values import Session
    from dl_bug_lsp.runs.records import RunRecord
    from dl_bug_lsp.spectrum.values import Spectrum
    from dl_bug_lsp.workspace import Workspace

_SIGNATURES = 3
"""Deviating arguments that are named."""
TakeIn = Callable[["RunRecord", bytes], "RecordedRun | None"]


@contextlib.contextmanager
def recording(is_wanted: bool, workspace: Path) -> Iterator[TakeIn]:
    """Have every Python that starts below write down what it executes; gives how to take that in.

    Where it cannot be recorded a line says why, and the command runs as it would without us.
    """
    if not is_wanted:
        yield lambda _record, _output: None
        return
    from dl_bug_lsp.recording.recorded_runs import environment, run_folder

    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(run_folder(workspace))
        except OSError as error:
            complain(f"the spectrum is not recorded: {(error.strerror or str(error)).lower()}")
            yield lambda _record, _output: None
            return
        before = {name: os.environ.get(name) for name in environment(folder, workspace, {})}
        os.environ.update(environment(folder, workspace, os.environ))

        def restore() -> None:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

        stack.callback(restore)

        def take_in(record: RunRecord, output: bytes) -> RecordedRun | None:
            restore()
            return _take_in(folder, workspace, record, output)

        yield take_in


def _take_in(folder: Path, workspace: Path, record: RunRecord, output: bytes) -> RecordedRun | None:
    """Bring a run's record into the spectrum file, and tell its user what it is."""
    from dl_bug_lsp.data_folder import FOLDER
    from dl_bug_lsp.recording.recorded_runs import NOTHING, read_run
    from dl_bug_lsp.recording.store import NAME, StoreError, write_session

    if record.was_broken_off:
        return None
    is_failing = record.exit_code != 0
    text = output.decode("utf-8", "replace") if is_failing else ""
    began = time.process_time()
    run = read_run(folder, workspace, record.source, record.started, is_failing, text)
    if run is None:
        complain(f"spectrum: {NOTHING}")
        return None
    try:
        moved = write_session(workspace / FOLDER / NAME, run.session)
        if moved:
            complain(f"spectrum: {moved}")
    except StoreError as error:
        complain(f"spectrum: {error}")
    for line in told(run, time.process_time() - began):
        complain(f"spectrum: {line}")
    return run


def told(run: RecordedRun, taken_in: float) -> Iterator[str]:
    """Yield what was recorded, in sentences; ``taken_in`` are the seconds that storing it took."""
    yield from run.problems
    loop = run.loop
    if loop is not None:
        what = f"the loop at {loop.file}:{loop.first}" if loop.is_loop else f"{loop.name}()"
        turn = "step" if loop.is_loop else "call"
        yield f"{turn} {loop.turn + 1} of {what} failed, {loop.passed} passed"
        signatures = run.session.tests[0].signatures
        odd = [one for one in signatures if one.failing and not one.passing]
        for one in odd[:_SIGNATURES]:
            usual = [
                other.text
                for other in signatures
                if other.passing
                and (other.function, other.argument) == (one.function, one.argument)
            ]
            if usual:
                before = usual[0] if len(usual) == 1 else f"{len(usual)} other forms"
                yield (
                    f"{one.function}() in {one.file}:{one.line} got {one.argument} = {one.text}, "
                    f"before {before}"
                )
    plain = max(run.processor - run.spent, 0.001)
    spent = run.spent + taken_in
    yield (
        f"recording took about {spent:.1f} s of processor time beside the program's {plain:.1f} s "
        f"(x {1 + spent / plain:.2f})"
    )


def spectrum_of(run: RecordedRun, workspace: Path, opened: Workspace) -> Spectrum | None:
    """Return the spectrum of a run beside earlier ones of the same command."""
    from dl_bug_lsp.recording.ranked import current_spectrum, spectrum_file
    from dl_bug_lsp.recording.store import Recording, StoreError, read_recording

    sessions: tuple[Session, ...] = (run.session,)
    with contextlib.suppress(StoreError):
        stored = read_recording(spectrum_file(workspace)).sessions
        same = tuple(one for one in stored if one.command == run.session.command)
        sessions = same or sessions

    return current_spectrum(opened, Recording(sessions)).spectrum
