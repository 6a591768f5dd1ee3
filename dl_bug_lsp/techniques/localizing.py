"""The published techniques by name, and the report with one of them in place of our ranking."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

from dl_bug_lsp.localize import case_of, failures_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.ranking.reporting import failure_report
from dl_bug_lsp.report import Evidence, FailureReport, Options, Report, Suspect, SuspectFile
from dl_bug_lsp.techniques.bjxnet import bjxnet
from dl_bug_lsp.techniques.dnnloc import ALL, dnnloc
from dl_bug_lsp.techniques.information_retrieval import AMALGAM, BLIA, BLUIR, BRTRACER, BUGLOCATOR
from dl_bug_lsp.techniques.scores import (
    MAX_TEXT,
    Composition,
    FixedReport,
    Query,
    Ranked,
    RankedFunction,
    RankedLines,
    Subject,
    by_file_and_text,
    lines_of,
)
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

LARGEST_FIX = 30
"""Files; commits of more reformat or move, and tell nothing of one bug."""
MOST_FIXES = 2_000


_FIXED = {
    composition.name: composition for composition in (BUGLOCATOR, BLUIR, BRTRACER, AMALGAM, BLIA)
}


def technique(name: str, left_out: str = ALL) -> Composition:
    """Return a technique; DNNLOC's network never saw the project ``left_out``.

    bjXnet's networks that left a project out are too large to ship: see `bjxnet.bjxnet`. Raises
    KeyError for a name that is not in `NAMES`.
    """
    if name == "bjxnet":
        return bjxnet()
    return dnnloc(left_out) if name == "dnnloc" else _FIXED[name]


def localize_with(name: str, text: str | bytes, workspace: Workspace, options: Options) -> Report:
    """Return the report of `localize` with the places that a technique of `names.NAMES` ranks.

    What is not ranked (category, origin, frames, advice) is ours. The technique's earlier fixed
    reports are the bug-fixing commits of the workspace's git history, empty without one.
    """
    log = read_log(text)
    reading = read_failures(log)
    failures = failures_of(log, reading)
    cases = [case_of(failure, log, workspace, options) for failure in failures]
    reports = [failure_report(case, [], options) for case in cases]
    chosen = next((n for n, report in enumerate(reports) if report.primary), 0)
    if reports:
        query = query_of("\n".join(line.text for line in log.lines))
        places = _ranked(technique(name), query, workspace)
        reports[chosen] = _with_places(reports[chosen], *places, name, options)
    return Report(str(workspace.root), tuple(reports), (*log.problems, *reading.problems))


def query_of(text: str) -> Query:
    """Return a text's first line that is not blank as the title, the rest as the description."""
    head, _, body = text[:MAX_TEXT].lstrip().partition("\n")
    return Query(head.strip(), body)


def fixes_of(workspace: Workspace) -> tuple[FixedReport, ...]:
    """Return the bug-fixing commits as fixed reports, oldest first: what else tells of old bugs.

    The commit's subject stands for the report's title, so that words of the fix, which a report
    would not have, are among them.
    """
    fixes: list[FixedReport] = []
    for commit in workspace.history().fixes[:MOST_FIXES]:
        files = tuple(c.file for c in commit.changes if c.file.endswith(".py") and c.kind != "D")
        if 0 < len(files) <= LARGEST_FIX:
            when = datetime.fromtimestamp(max(0, commit.time), tz=timezone.utc)
            fixes.append(FixedReport(commit.sha, None, when, commit.subject, commit.body, files))
    return tuple(reversed(fixes))


def _ranked(
    chosen: Composition, query: Query, workspace: Workspace
) -> tuple[Ranked, tuple[RankedFunction, ...], tuple[RankedLines, ...]]:
    subject = Subject(query, workspace, fixes_of(workspace))
    ranked = chosen.rank_subject(subject)
    # A technique that finds nothing gives every file the same score: that is no place to look.
    scores = [score for _, score in ranked.files]
    if not scores or scores[0] <= 0 or (len(scores) > 1 and scores[0] == scores[-1]):
        return Ranked(()), (), ()
    functions = ranked.functions
    if functions is None:
        functions = by_file_and_text(subject, ranked.files)
    return ranked, functions, lines_of(subject, functions)


def _with_places(
    report: FailureReport,
    ranked: Ranked,
    functions: tuple[RankedFunction, ...],
    lines: tuple[RankedLines, ...],
    name: str,
    options: Options,
) -> FailureReport:
    ranks = {file: rank for rank, (file, _) in enumerate(ranked.files, 1)}
    spoken = ranked.functions is not None
    pairs = list(zip(functions, lines, strict=False))[: options.top or None]
    suspects = tuple(
        Suspect(
            rank, line.file, line.line, line.end_line, function.name,
            share_of(line.score, lines[0].score),
            (Evidence(name, 1.0, _why(name, function, ranks[line.file], spoken)),),
        )
        for rank, (function, line) in enumerate(pairs, 1)
    )  # fmt: skip
    best = ranked.files[0][1] if ranked.files else 0.0
    files = tuple(
        SuspectFile(rank, file, share_of(score, best))
        for rank, (file, score) in enumerate(ranked.files[: options.top_files or None], 1)
    )
    return replace(report, suspects=suspects, files=files, technique=name)


def share_of(score: float, best: float) -> float:
    """Return a score as a share of the best one, 0 to 1; published techniques give no chances."""
    return round(min(1.0, max(0.0, score / best)), 4) if best > 0 else 0.0


def _why(name: str, function: RankedFunction, rank: int, spoken: bool) -> str:
    """Say what the technique itself ranked, and what is ours."""
    if spoken:
        return (
            f"{name} puts the function `{function.name}` here, its file at rank {rank}; of its "
            "lines this one shares the rarest words with the report"
        )
    return (
        f"{name} puts this file at rank {rank} and says nothing of places in it; by BM25 the "
        f"function `{function.name}` is near to the report, and this line shares its rarest words"
    )
