"""``dl-bug-lsp run -- COMMAND``: runs a command unchanged and says why it failed.

``--hang-after`` reports a run that does not move, and ends it or leaves it. ``--locals`` records
what the variables held when an exception ended it, ``--spectrum`` what the run executes, beside its
output, ``--monitor`` what its trainings do.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp import data_folder
from dl_bug_lsp.cli.errors import UsageError, complain
from dl_bug_lsp.python_path import child_environment
from dl_bug_lsp.runs import records
from dl_bug_lsp.runs.records import METRIC, CappedLog
from dl_bug_lsp.runs.starting import StartError
from dl_bug_lsp.runs.starting import run as run_to_its_end

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.store import Session as MonitoredSession
    from dl_bug_lsp.monitoring.training_run import Recording
    from dl_bug_lsp.recording.recorded_runs import RecordedRun
    from dl_bug_lsp.recording.session import Session
    from dl_bug_lsp.report import Report
    from dl_bug_lsp.runs.hangs import Hang, HangWatch
    from dl_bug_lsp.runs.records import CappedLog, RunRecord
    from dl_bug_lsp.spectrum.spectrum import Spectrum
    from dl_bug_lsp.workspace import Workspace


@contextlib.contextmanager
def watching(
    arguments: argparse.Namespace, log: CappedLog, report: Callable[[], None]
) -> Iterator[HangWatch | None]:
    """Watch the command that is started below, where that was asked for; else give None.

    The stacks go into ``log``; ``report`` tells of a hang in a run that is left alone. Where runs
    cannot be watched a line says why, and the command runs as it would without us.
    """
    if arguments.hang_after is None:
        yield None
        return
    from dl_bug_lsp.runs.hangs import unsupported, watched

    ends = arguments.hang_then == "end"

    def told(hang: Hang) -> None:
        log.write(b"\n" + hang.text().encode("utf-8", "replace"))
        count = sum(dump.text is not None for dump in hang.dumps)
        noun = "process" if count == 1 else "processes"
        complain(
            f"nothing has moved for {hang.seconds:.0f} s; the stacks of {count} {noun} are in "
            f"the log; the run is {'ended' if ends else 'left alone'}"
        )
        if not ends and not arguments.no_report:
            report()

    why = unsupported()
    with contextlib.ExitStack() as stack:
        watch = None
        if why is None:
            try:
                watch = stack.enter_context(watched(arguments.hang_after, ends, told))
            except OSError as error:
                why = (error.strerror or str(error)).lower()
        if why is not None:
            complain(f"hangs are not looked for: {why}")
        yield watch


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
        running = stack.enter_context(contextlib.ExitStack())
        running.enter_context(child_environment(environment(folder, workspace, os.environ)))

        def take_in(record: RunRecord, output: bytes) -> RecordedRun | None:
            running.close()
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
        odd = [signature for signature in signatures if signature.failing and not signature.passing]
        for signature in odd[:_SIGNATURES]:
            usual = [
                other.text
                for other in signatures
                if other.passing
                and (other.function, other.argument) == (signature.function, signature.argument)
            ]
            if usual:
                before = usual[0] if len(usual) == 1 else f"{len(usual)} other forms"
                yield (
                    f"{signature.function}() in {signature.file}:{signature.line} "
                    f"got {signature.argument} = {signature.text}, "
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
    from dl_bug_lsp.recording.spectra import current_spectrum, spectrum_file
    from dl_bug_lsp.recording.store import Recording, StoreError, read_recording

    sessions: tuple[Session, ...] = (run.session,)
    with contextlib.suppress(StoreError):
        stored = read_recording(spectrum_file(workspace)).sessions
        same = tuple(
            stored_run for stored_run in stored if stored_run.command == run.session.command
        )
        sessions = same or sessions

    return current_spectrum(opened, Recording(sessions)).spectrum


@contextlib.contextmanager
def recording_locals(is_wanted: bool, workspace: Path) -> Iterator[Callable[[], bytes | None]]:
    """Have every Python that starts below record what the variables hold when an exception ends it.

    Gives how to take that in: as one document, None where nothing was recorded.
    """
    if not is_wanted:
        yield lambda: None
        return
    from dl_bug_lsp.post_mortem import records as frames

    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(frames.recording_folder())
        except OSError as error:
            complain(f"local variables are not recorded: {_reason(error)}")
            yield lambda: None
            return
        stack.enter_context(child_environment(frames.environment(folder, workspace, os.environ)))

        def take_in() -> bytes | None:
            for problem in frames.problems(folder):
                complain(f"local variables are not recorded: {problem}")
            return frames.collect(folder)

        yield take_in


def _keep_locals(place: Path | None, document: bytes | None) -> None:
    """Keep what was recorded beside the run's log, so that it can be read again."""
    if document is None or place is None:
        return
    try:
        data_folder.write(records.frames_file(place), document)
    except OSError as error:
        complain(f"the local variables could not be kept: {_reason(error)}")


@contextlib.contextmanager
def monitoring(
    arguments: argparse.Namespace, workspace: Path, command: tuple[str, ...]
) -> Iterator[Callable[[], tuple[int, ...]]]:
    """Have every Python that starts below record its trainings; gives how to take them in.

    What is taken in are runs of the database, by their numbers. Where nothing can be recorded a
    line says why, and the command runs as it would without us.
    """
    if not arguments.monitor:
        yield lambda: ()
        return
    from dl_bug_lsp.monitoring.store import monitored

    with contextlib.ExitStack() as stack:
        try:
            session = stack.enter_context(monitored(workspace, command, arguments.monitor_share))
        except OSError as error:
            complain(f"the training is not recorded: {(error.strerror or str(error)).lower()}")
            yield lambda: ()
            return
        yield lambda: _take_in_trainings(session)


def _trained(workspace: Path, numbers: tuple[int, ...]) -> Recording | None:
    if not numbers:
        return None
    # Imported late: of most runs no training is recorded.
    from dl_bug_lsp.cli.localize_command import trainings

    return trainings(workspace, numbers)


def _take_in_trainings(session: MonitoredSession) -> tuple[int, ...]:
    """Bring a command's trainings into the database, and say what was recorded."""
    from dl_bug_lsp.monitoring.store import NOTHING, StoreError, summary

    problems = session.problems()
    try:
        numbers = session.take_in()
    except StoreError as error:
        complain(f"monitor: {error}")
        return ()
    for line in problems:
        complain(f"monitor: {line}")
    if not numbers:
        complain(f"monitor: {NOTHING}")
    for line in summary(session.root, numbers):
        complain(f"monitor: {line}")
    return numbers


WRONG = 1
"""The exit code where the checks keep a command from starting."""
SHORT = 3
"""Places that a report on the terminal names; `localize` on the recorded log tells all."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command, record it, report its failure; return (or die of) what it ended with.

    Raises `UsageError` without a command, and where it cannot be started.
    """
    command = tuple(arguments.words)
    if command[:1] == ("--",):
        command = command[1:]
    if not command:
        raise UsageError("name the command: dl-bug-lsp run -- python train.py")
    folder = Path.cwd()
    workspace = _workspace(arguments.workspace) or records.workspace_of(folder)
    if arguments.check and not _passes_checks(workspace, command, arguments.color):
        return WRONG
    place, record = _begin(workspace, command, folder)
    log = CappedLog(records.log_file(place) if place else None)
    with (
        recording(arguments.spectrum, workspace) as take_in,
        watching(
            arguments, log, lambda: _report(log.content(), workspace, place, arguments, None)
        ) as watch,
        monitoring(arguments, workspace, command) as take_in_trainings,
        recording_locals(arguments.locals, workspace) as take_in_locals,
    ):
        try:
            code = run_to_its_end(command, log, watch)
        except StartError as error:
            log.close()
            if place is not None:
                records.discard(place)
            complain(str(error))
            return error.exit_code
        log.close()
        if log.problem is not None and place is not None:
            complain(f"the output could not be recorded: {_reason(log.problem)}")
        hung = watch is not None and watch.was_ended
        frames = take_in_locals() if code else None
        # Before the run's end is told: who reads that finds them.
        _keep_locals(place, frames)
        done = record.ended_with(code, log.left_out, hung)
        if place is not None:
            records.finish(place, done)
        executed = take_in(done, log.content()) if arguments.spectrum else None
        numbers = take_in_trainings()
        if numbers and place is not None:
            records.finish(place, replace(done, trainings=numbers))
        trained = _trained(workspace, numbers)
    if not code and not hung and not arguments.no_report:
        output = log.content()[-MOST_METRICS:]
        if trained is not None or METRIC.search(output):
            _report(output, workspace, place, arguments, None, trained=trained, ended_well=True)
    if hung:
        complain(f"the run hung and was ended ({_end(code)})")
        if not arguments.no_report:
            _report(log.content(), workspace, place, arguments, executed, frames=frames)
    elif code and not done.was_broken_off and not arguments.no_report:
        complain(f"the command ended with {_end(code)}")
        _report(log.content(), workspace, place, arguments, executed, frames=frames)
    return _leave(code)


def _workspace(name: str | None) -> Path | None:
    if name is None:
        return None
    from dl_bug_lsp.cli.localize_command import workspace_folder

    return workspace_folder(name)


def _begin(
    workspace: Path, command: tuple[str, ...], folder: Path
) -> tuple[Path | None, records.RunRecord]:
    record = records.new_record(workspace, command, folder, os.getpid())
    try:
        return records.begin(workspace, record), record
    except OSError as error:
        complain(f"the run is not recorded: {_reason(error)}")
        return None, record


def _end(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _report(
    output: bytes,
    workspace: Path,
    place: Path | None,
    arguments: argparse.Namespace,
    executed: RecordedRun | None,
    *,
    trained: Recording | None = None,
    ended_well: bool = False,
    frames: bytes | None = None,
) -> None:
    """Print the report to standard error; a fault of ours changes nothing of the run's end.

    Of a run that ended well it is printed only where its metrics say that it went wrong.
    """
    if not output.strip() and trained is None:
        complain("it printed nothing that says why")
        return
    try:
        is_reported = _print_report(
            output,
            workspace,
            arguments,
            executed,
            trained=trained,
            ended_well=ended_well,
            frames=frames,
        )
        if is_reported and place is not None and arguments.format == "text":
            log = os.path.relpath(records.log_file(place))
            # The command reads the log alone, without the recorded steps.
            what = "more, without the recorded steps" if executed is not None else "more"
            complain(f"{what}: dl-bug-lsp localize {log}{_where(workspace)}")
    except OSError:
        return
    except Exception as error:
        if arguments.debug:
            raise
        if not ended_well:
            complain(f"the failure could not be localized ({type(error).__name__})")


MOST_METRICS = 2**20
"""Bytes of the end of an output in which metrics are looked for."""


def _where(workspace: Path) -> str:
    return "" if workspace == Path.cwd() else f" --workspace {os.path.relpath(workspace)}"


def _print_report(
    output: bytes,
    workspace: Path,
    arguments: argparse.Namespace,
    executed: RecordedRun | None,
    *,
    trained: Recording | None,
    ended_well: bool,
    frames: bytes | None,
) -> bool:
    """Localize a run's output and print the report to standard error; return whether it did."""
    # Imported here: a command that succeeds, and names no metrics, pays for none of it.
    from dl_bug_lsp.assistants.explaining import PLACES
    from dl_bug_lsp.cli.localize_command import interpreter, of_sound_end, print_rendered, rendered
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.monitoring.diagnosis_invariants import read_invariants
    from dl_bug_lsp.post_mortem.records import read_exceptions
    from dl_bug_lsp.report import Options
    from dl_bug_lsp.workspace import Workspace

    shape = arguments.format
    opened = Workspace(workspace)
    wanted = Options(SHORT, SHORT) if shape == "text" else Options()
    if shape == "context":
        wanted = Options(PLACES)
    wanted = replace(wanted, python=interpreter(arguments.words))
    spectrum = spectrum_of(executed, workspace, opened) if executed is not None else None
    known = read_invariants(workspace) if trained is not None else None
    exceptions = read_exceptions(frames, workspace)
    report = localize(output, opened, wanted, spectrum, trained, known, exceptions)
    if ended_well:
        report = of_sound_end(report)
        if report.silent_warning is None:
            if report.primary is None:
                _keep_clean(workspace, trained)
                if trained is not None and shape == "text":
                    complain("monitor: nothing in it looks wrong")
            return shape == "text" and _hinted(report)
        what = "metrics look wrong" if trained is None else "training looks wrong"
        complain(f"the command ended without an error, but its {what}")
    opened.keep_index()
    text = rendered(report, opened, shape, arguments.color, sys.stderr)
    print_rendered(text, shape, sys.stderr)
    return True


def _hinted(report: Report) -> bool:
    """Tell in one line of what may be wrong in a run and is not told at length; say whether so."""
    from dl_bug_lsp.report import LEAST_TOLD
    from dl_bug_lsp.views.words import category_words, headline, is_silent

    failure = report.primary
    if failure is None or failure.exception is not None or not is_silent(failure):
        return False
    if failure.category.confidence < LEAST_TOLD:
        return False
    name = category_words(failure.category.id).name
    complain(f"the command ended without an error; it may be {name}: {headline(failure)}")
    return True


def _keep_clean(workspace: Path, trained: Recording | None) -> None:
    """Learn from a training in which nothing was found what holds in sound ones of its program."""
    from dl_bug_lsp.monitoring.diagnosis_invariants import keep_clean_run

    try:
        for run in trained.runs if trained is not None else ():
            keep_clean_run(workspace, run)
    except OSError as error:
        complain(f"monitor: what held in this training is not kept ({_reason(error)})")


def _leave(code: int) -> int:
    if code >= 0:
        return code
    if sys.platform != "win32":
        from dl_bug_lsp.runs.starting import die_of

        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        die_of(-code)
    return 128 - code


def _passes_checks(folder: Path, command: tuple[str, ...], colour: str) -> bool:
    """Check the command first; tell what was found and whether nothing is surely wrong."""
    from dl_bug_lsp.cli.check_command import checked, exit_code, rendered
    from dl_bug_lsp.cli.errors import write_text
    from dl_bug_lsp.cli.localize_command import project_settings
    from dl_bug_lsp.workspace import Workspace

    workspace = Workspace(folder)
    settings = project_settings(workspace)
    report = checked(workspace, command, settings)
    if report.findings:
        write_text(rendered(report, workspace, "text", colour, sys.stderr), sys.stderr)
    if exit_code(report, settings.check_strict):
        complain("The command was not started. Leave out --check to start it anyway.")
        return False
    return True
