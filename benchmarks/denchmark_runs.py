"""One technique on one bug after another: what it ranked, judged, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from denchmark_bugs import Bug
from denchmark_metrics import Score
from denchmark_techniques import Technique, frame_places, technique
from denchmark_truth import ChangedCode, file_scores
from git_versions import Versions

from dl_bug_lsp.techniques.scores import FixedReport, Query, Ranked
from dl_bug_lsp.workspace import GitError, Workspace

Value = TypeVar("Value")
NOTHING = Ranked((), (), ())
_WIDTH_OF = 10


@dataclass(frozen=True)
class Outcome:
    """A technique's result on a bug; a score is None where the level has no truth or no answer.

    ``seconds`` is the time at the version, ``seconds_before_fix`` that at the fix's parent, both
    with the indexing that was needed; ``width`` the mean number of lines of the first ten ranges.
    ``files_only`` says that the technique was seen to rank nothing below files.
    """

    bug: Bug
    technique: str
    has_traceback: bool = False
    files: Score | None = None
    source_files: Score | None = None
    functions: Score | None = None
    lines: Score | None = None
    seconds: float | None = None
    seconds_before_fix: float | None = None
    width: float | None = None
    files_only: bool = False


@dataclass(frozen=True)
class Task:
    """Bugs of one repository, for one process; ``fixed`` are all its bugs, for earlier reports."""

    repository: Path
    bugs: tuple[Bug, ...]
    fixed: tuple[Bug, ...]
    techniques: tuple[str, ...]
    weights: Path | None = None


@dataclass(frozen=True)
class _Truth:
    """What is asked of a bug, its commits checked; ``parent`` is None without a level below."""

    query: Query
    earlier: tuple[FixedReport, ...]
    version: str | None
    parent: str | None
    code: ChangedCode | None
    has_traceback: bool


def run(task: Task, report: Callable[[str], None]) -> Iterator[Outcome]:
    """Yield an outcome for each bug and technique; ``report`` is told what could not be done."""
    with Versions(task.repository) as known:
        known.prefetch_history(name for b in task.fixed for name in (b.version, b.fix_commit))
        truths = _truths(task, known, report)
    for name in task.techniques:
        # Each has its own, so that none is quick because another was there before.
        with Versions(task.repository, log_of=known) as versions:
            made: dict[str, Technique] = {}
            files_only = False
            for bug, truth in truths:
                if bug.project not in made:
                    made[bug.project] = technique(name, bug.project, task.weights)
                asked = replace(truth, code=None) if files_only else truth
                outcome = _outcome(made[bug.project], bug, asked, versions, report)
                files_only = files_only or outcome.files_only
                yield outcome


def _truths(
    task: Task, versions: Versions, report: Callable[[str], None]
) -> list[tuple[Bug, _Truth]]:
    reports = fixed_reports(task.fixed, versions)
    found: list[tuple[Bug, _Truth]] = []
    for bug in task.bugs:
        try:
            truth = _truth(bug, versions, reports, report)
        except GitError as error:
            report(f"{bug.name}: skipped: {error or 'git failed'}")
            continue
        if truth.version is None and truth.code is None:
            report(f"{bug.name}: skipped: nothing to judge by")
            continue
        found.append((bug, truth))
    return found


def _truth(
    bug: Bug,
    versions: Versions,
    reports: Sequence[tuple[str, FixedReport]],
    report: Callable[[str], None],
) -> _Truth:
    query = Query(bug.summary, bug.description, bug.opened)
    version = parent = code = None
    places = False
    if bug.files:
        version = _checked(lambda: versions.repository.commit(bug.version), bug, "files", report)
    if version is not None:
        workspace = versions.workspace(version)
        if not set(workspace.files()).intersection(bug.files):
            report(f"{bug.name}: no files: none of the buggy ones exists at {bug.version}")
            version = None
    if bug.lines:
        parent = _checked(lambda: _parent(versions, bug), bug, "functions, no lines", report)
    if parent is not None:
        workspace = versions.workspace(parent)
        code = ChangedCode(workspace, bug.lines)
    if version is not None or parent is not None:
        places = bool(frame_places(query, workspace))
    own = [r for project, r in reports if project == bug.project and r.id != bug.id]
    opened = bug.opened
    earlier = tuple(r for r in own if opened is not None and r.fixed < opened)
    return _Truth(query, earlier, version, parent, code, places)


def _checked(
    ask: Callable[[], Value], bug: Bug, levels: str, report: Callable[[str], None]
) -> Value | None:
    try:
        return ask()
    except GitError as error:
        report(f"{bug.name}: no {levels}: {error}")
        return None


def _parent(versions: Versions, bug: Bug) -> str:
    parents = versions.commit(bug.fix_commit).parents
    if not parents:
        raise GitError(f"commit {bug.fix_commit} has no parent")
    return versions.repository.commit(parents[0])


def fixed_reports(bugs: Sequence[Bug], versions: Versions) -> list[tuple[str, FixedReport]]:
    """Return the bugs whose fix the repository has, with their projects, the oldest fix first."""
    found: list[tuple[str, FixedReport]] = []
    for bug in bugs:
        try:
            commit = versions.commit(bug.fix_commit)
        except GitError:
            continue
        changed = tuple(c.file for c in commit.changes if c.file.endswith(".py"))
        report = FixedReport(
            bug.id,
            bug.opened,
            commit.when,
            bug.summary,
            bug.description,
            bug.files or changed,
        )
        found.append((bug.project, report))
    return sorted(found, key=lambda item: (item[1].fixed, item[0], item[1].id))


def _outcome(
    chosen: Technique, bug: Bug, truth: _Truth, versions: Versions, report: Callable[[str], None]
) -> Outcome:
    files = sources = functions = lines = seconds = before = width = None
    files_only = False
    if truth.version is not None:
        ranked, workspace, seconds = _ranked(chosen, bug, truth, truth.version, versions, report)
        files, sources = file_scores(ranked, bug.files, workspace)
    if truth.parent is not None and truth.code is not None:
        ranked, _, before = _ranked(chosen, bug, truth, truth.parent, versions, report)
        files_only = ranked.functions is None and ranked.lines is None
        before = None if files_only else before
        if ranked.functions is not None:
            functions = truth.code.score_functions(ranked.functions)
        if ranked.lines is not None:
            lines = truth.code.score_lines(ranked.lines)
            widths = [r.end_line - r.line + 1 for r in ranked.lines[:_WIDTH_OF]]
            width = sum(widths) / len(widths) if widths else None
    return Outcome(
        bug,
        chosen.name,
        truth.has_traceback,
        files,
        sources,
        functions,
        lines,
        seconds,
        before,
        width,
        files_only,
    )


def _ranked(
    chosen: Technique,
    bug: Bug,
    truth: _Truth,
    commit: str,
    versions: Versions,
    report: Callable[[str], None],
) -> tuple[Ranked, Workspace, float]:
    """Rank on one commit; a technique that fails ranked nothing, which is told."""
    until = bug.opened.timestamp() if bug.opened is not None else None
    start = time.perf_counter()
    workspace = versions.workspace(commit, known_until=until)
    try:
        ranked = chosen.rank(truth.query, workspace, truth.earlier)
    except Exception as error:
        report(f"{bug.name}: {chosen.name} raised {type(error).__name__}: {error}")
        ranked = NOTHING
    return ranked, workspace, time.perf_counter() - start
