"""The one pure function in the middle: a failure's text and a workspace in, a ranked report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from dl_bug_lsp.bug_reports import (
    classify_report,
    classify_sentence,
    is_report,
    read_report,
    report_facts,
    report_failure,
    ruled_out,
    tells_of_a_hang,
    text_of,
)
from dl_bug_lsp.bug_reports.reader import BugReport
from dl_bug_lsp.divergence import read_divergence, transcript
from dl_bug_lsp.environments.interpreters import environment_of
from dl_bug_lsp.evidence.case import Case, Clue, LocatedFrame
from dl_bug_lsp.evidence.class_counts import class_count
from dl_bug_lsp.evidence.raising.message_values import with_raised_values
from dl_bug_lsp.evidence.sources import gather
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Log, Span
from dl_bug_lsp.messages import MessageFacts, extract_facts
from dl_bug_lsp.monitoring.diagnosis import Diagnosis, diagnose_recording
from dl_bug_lsp.monitoring.diagnosis_invariants import Relation
from dl_bug_lsp.monitoring.training_run import Recording
from dl_bug_lsp.post_mortem.records import RecordedException, RecordedFrame, matching
from dl_bug_lsp.ranking.reporting import failure_report
from dl_bug_lsp.report import CategoryVerdict, FailureReport, Options, Report
from dl_bug_lsp.signals import classify_silent, silent_failure
from dl_bug_lsp.spectrum.failing_runs import comparable, failing_runs
from dl_bug_lsp.spectrum.spectrum import Spectrum
from dl_bug_lsp.taxonomy.categories import category, kind_of
from dl_bug_lsp.taxonomy.classify import (
    UNCLASSIFIED,
    classify,
    classify_by_whole_text,
    classify_divergence,
)
from dl_bug_lsp.taxonomy.retries import ranks_disagree
from dl_bug_lsp.tracebacks import Failure, FailureKind, Reading, read_failures
from dl_bug_lsp.tracebacks.failures import Frame
from dl_bug_lsp.tracebacks.primary import stand_ins
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.locating import Printed, Standing, is_absolute

DEFAULT_OPTIONS = Options()
MOST_RANKED = 24
"""Different failures of one log whose places are looked for, at most."""
NO_FACTS = MessageFacts(None, ())


def localize(
    text: str | bytes,
    workspace: Workspace,
    options: Options = DEFAULT_OPTIONS,
    spectrum: Spectrum | None = None,
    recording: Recording | None = None,
    invariants: Mapping[str, Mapping[str, Relation]] | None = None,
    exceptions: Sequence[RecordedException] = (),
) -> Report:
    """Rank the places in ``workspace`` that most likely hold the cause of what ``text`` tells.

    ``spectrum`` says what runs of the same code executed, files relative to the workspace; where
    the text reports no failure, its failing runs are one. ``recording`` is what a recorder saw of
    the training that printed the text; where no error ended it, what is wrong with it is a silent
    failure. ``invariants`` hold in clean trainings of the same programs. ``exceptions`` are those
    that a recorder saw in the run, with what the variables of their frames held.
    """
    log = read_log(_readable(text))
    reading = read_divergence(log, read_failures(log))
    diagnosis = diagnose_recording(recording, invariants) if recording is not None else None
    failures = failures_of(log, reading, spectrum, workspace, diagnosis)
    spectrum = comparable(spectrum) if spectrum is not None else None
    bug_report = bug_report_of(log, failures)
    stand_in = stand_ins(failures)
    ranked = ranked_failures(failures, stand_in)
    reports_by_number: dict[int, FailureReport] = {}
    # What is known of one failure is let go before the next: a log may hold dozens of them.
    for stands, numbers in repeats(stand_in).items():
        clues: list[Clue] = []
        for number in (stands, *(n for n in numbers if n != stands)):
            case = case_of(failures[number], log, workspace, options, spectrum, diagnosis)
            case.recorded = recorded_frames(case, exceptions)
            if number in ranked:
                clues = clues_of(case)
            reported = bug_report if case.failure.primary else None
            outside = outside_of(case) if bug_report is None else None
            reports_by_number[number] = failure_report(case, clues, options, reported, outside)
    reports = tuple(reports_by_number[number] for number in range(len(failures)))
    parted = any(f.primary and f.divergence is not None and f.divergence.differs for f in failures)
    if parted or ranks_disagree(failures):
        reports = tuple(_for_good(report) for report in reports)
    return Report(str(workspace.root), reports, (*log.problems, *reading.problems))


def recorded_frames(
    case: Case, exceptions: Sequence[RecordedException]
) -> Mapping[tuple[str, int], RecordedFrame]:
    """Return the recorded frames of a case's exception by their places; none where it is not there.

    Of a function that calls itself the innermost frame counts.
    """
    cause = case.failure.cause
    if cause is None or not exceptions:
        return {}
    places = [(place.file, place.line) for place in case.places]
    found = matching(exceptions, cause.type, cause.message, places)
    return {} if found is None else {f.place: f for f in found.frames if f.place in set(places)}


def _readable(text: str | bytes) -> str | bytes:
    """Return a stack dump or a flight record as lines of a log, everything else as it is."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return transcript(data) or text


def _for_good(report: FailureReport) -> FailureReport:
    """Take back that a retry may help where ranks only waited for one another."""
    waiting = report.category.id == "communication_failure"
    return replace(report, retry_may_help=False) if waiting else report


def repeats(stand_in: Sequence[int]) -> dict[int, list[int]]:
    """Return the indices of failures by the index of the one that stands for them."""
    numbers_by_stand_in: dict[int, list[int]] = {}
    for number, stands in enumerate(stand_in):
        numbers_by_stand_in.setdefault(stands, []).append(number)
    return numbers_by_stand_in


def ranked_failures(failures: Sequence[Failure], stand_in: Sequence[int]) -> set[int]:
    """Return the indices of the failures whose places are looked for.

    Of a log with very many different failures they are the primary one and the last.
    """
    distinct = sorted(set(stand_in), key=lambda n: (failures[n].primary, n))
    return set(distinct[-MOST_RANKED:])


def clues_of(case: Case) -> list[Clue]:
    """Return the clues of every source; prose alone is ranked by its words, not by clues."""
    if case.failure.kind is FailureKind.REPORT and case.workspace.python_files():
        return []
    if outside_of(case) is not None and not _is_reported(case.log):
        return []
    return list(gather(case))


def failures_of(
    log: Log,
    reading: Reading,
    spectrum: Spectrum | None = None,
    workspace: Workspace | None = None,
    diagnosis: Diagnosis | None = None,
) -> tuple[Failure, ...]:
    """Return what was read, else what the recording, the metrics, the runs or the prose tell.

    Errors that a run survived are failures without a primary one; such a run may still have failed
    silently.
    """
    primary = [failure for failure in reading.failures if failure.primary]
    if primary and not all(map(_is_sentence, primary)):
        return reading.failures
    added = monitored_failure(diagnosis) if diagnosis is not None else None
    if added is None and not tells_of_a_hang(log):
        classes = partial(class_count, workspace) if workspace is not None else None
        added = silent_failure(log, classes)
    if primary and added is None:
        return reading.failures
    if added is None and spectrum is not None:
        added = failing_runs(spectrum)
    if added is None and not reading.failures:
        added = report_failure(log, is_report([line.text for line in log.lines]))
    others = tuple(replace(failure, primary=False) for failure in reading.failures)
    return (*others, added) if added is not None else others


def _is_sentence(failure: Failure) -> bool:
    """Whether a failure is but a sentence of a log: metrics that went wrong say more."""
    cause = failure.cause
    return failure.kind is FailureKind.MESSAGE and cause is not None and cause.type == SENTENCE


SENTENCE = "program"
"""The type that a sentence without an exception's name gets."""
MONITORED = "training"
"""The dialect of failures that only the recording of a training shows."""


def monitored_failure(diagnosis: Diagnosis) -> Failure:
    """Return the silent failure that a diagnosis tells of."""
    return Failure(
        kind=FailureKind.SILENT,
        causes=(),
        root=0,
        dialect=MONITORED,
        span=Span(1, 1),
        evidence=diagnosis.why,
        primary=True,
    )


def monitored_category(diagnosis: Diagnosis) -> CategoryVerdict:
    """Return the category of a diagnosis; its rule is named after the kind of fault."""
    row = category(diagnosis.category)
    rule = f"{MONITORED}.{diagnosis.kind}"
    return CategoryVerdict(row.id, row.dimension, diagnosis.confidence, diagnosis.why, rule)


def bug_report_of(log: Log, failures: Sequence[Failure]) -> BugReport | None:
    """Return what a person's report says, beside any traceback in it; None for mere logs."""
    if any(f.divergence is not None for f in failures):
        return None
    lines = [line.text for line in log.lines]
    prose = any(f.kind is FailureKind.REPORT for f in failures)
    return read_report("\n".join(lines)) if prose or (failures and is_report(lines)) else None


def case_of(
    failure: Failure,
    log: Log,
    workspace: Workspace,
    options: Options,
    spectrum: Spectrum | None = None,
    diagnosis: Diagnosis | None = None,
) -> Case:
    """Bring together what the sources of evidence may ask about one failure."""
    cause = failure.cause
    facts = extract_facts(cause) if cause is not None else NO_FACTS
    recorded = diagnosis if failure.dialect == MONITORED else None
    if recorded is not None:
        verdict = monitored_category(recorded)
    elif failure.kind is FailureKind.SILENT:
        verdict = classify_silent(failure, log, partial(class_count, workspace))
    elif failure.kind is FailureKind.REPORT:
        verdict = classify_report(failure)
        facts = report_facts(log)
    elif failure.divergence is not None and (
        failure.divergence.differs or failure.kind is FailureKind.MESSAGE
    ):
        verdict = classify_divergence(failure)
    else:
        verdict = classify(failure, facts, workspace_module=workspace.has_module)
        if verdict.id == UNCLASSIFIED and kind_of(verdict.rule) is None:
            verdict = classify_sentence(failure) or verdict
    if verdict.id == UNCLASSIFIED and failure.primary and kind_of(verdict.rule) is None:
        by_words = classify_by_whole_text(failure, text_of(log), ruled_out(log))
        verdict = by_words or verdict
    located = located_frames(failure, workspace, options)
    # What a person reports may come from an older version, whose lines differ.
    if not _belongs(located, workspace, options) and not _is_reported(log):
        located = tuple((frame, None) for frame, _ in located)
    innermost = located[-1][1] if located else None
    if cause is not None:
        ran = innermost if innermost is None or not innermost.edited else None
        facts = with_raised_values(facts, cause, ran, workspace)
    case = Case(failure, facts, verdict, located, workspace, log, spectrum, recorded)
    if options.python is not None:
        case.environment = environment_of(options.python, workspace.root)
    return case


def _is_reported(log: Log) -> bool:
    return is_report([line.text for line in log.lines])


def outside_of(case: Case) -> str | None:
    """Return the folder of a stack's own frames, as printed, where none lies in the workspace.

    None where one does, and where no frame is anyone's own; ``""`` where no folder can be told.
    """
    if case.failure.kind is not FailureKind.EXCEPTION or case.spectrum is not None:
        return None
    own = [frame.file for frame, _ in case.located if not is_library_path(frame.file)]
    if not own or any(place is not None for _, place in case.located):
        return None
    folders = [file.replace("\\", "/").rpartition("/")[0] for file in own if is_absolute(file)]
    return _common(folders) if folders else ""


def _common(folders: Sequence[str]) -> str:
    """Return the innermost folder that holds all of ``folders``, empty where only a root does."""
    first, last = min(folders).split("/"), max(folders).split("/")
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return "/".join(first[:same])


def located_frames(
    failure: Failure, workspace: Workspace, options: Options
) -> tuple[LocatedFrame, ...]:
    """Return all frames of a failure, outermost first, each with its local place or None."""
    printed = [_printed(frame) for frame in failure.frames]
    places = workspace.locate_stack(printed, options.path_map)
    return tuple(zip(failure.frames, places, strict=True))


def _printed(frame: Frame) -> Printed:
    return Printed(frame.file, frame.line, frame.function, frame.source, frame.excerpt)


def _belongs(located: Sequence[LocatedFrame], workspace: Workspace, options: Options) -> bool:
    """Say whether a stack is this workspace's: names alone are another project's as well."""
    refuted = False
    for frame, place in located:
        if place is None:
            continue
        standing = workspace.standing(place, _printed(frame), options.path_map)
        if standing is Standing.CERTAIN:
            return True
        refuted = refuted or standing is Standing.REFUTED
    return not refuted
