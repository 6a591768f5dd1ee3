"""The benchmark's tables and its output bug by bug."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from denchmark_bugs import Bug
from denchmark_metrics import MEASURES, Mean, Score, mean
from denchmark_runs import Outcome

_NAME = 22
LEVELS: dict[str, Callable[[Outcome], Score | None]] = {
    "files": lambda o: o.files,
    "source files (no tests)": lambda o: o.source_files,
    "functions": lambda o: o.functions,
    "lines": lambda o: o.lines,
}
"""What each level's table shows of an outcome."""
NOMINAL = {"study's bjxnet *": (0.5, 0.7, 0.8, 0.5, 0.44)}
"""What the study's table says of a technique whose record bug by bug is not sound; of files."""
NOMINAL_NOTE = (
    "* nominal: of the study's table, over its deep-learning bugs and not those of the table here; "
    "3,125 of the 3,585 rows of its record are BugLocator's plus 0.1"
)


def with_study(bugs: Sequence[Bug], outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Add what the study reached on the bugs that were run, as techniques of their own."""
    traced = {(o.bug.project, o.bug.id): o.has_traceback for o in outcomes if o.files is not None}
    rows = [
        Outcome(bug, name, traced[bug.project, bug.id], files=score)
        for name in sorted({name for bug in bugs for name in bug.study})
        for bug in bugs
        if (score := bug.study.get(name)) is not None and (bug.project, bug.id) in traced
    ]
    return [*outcomes, *rows]


def tables(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of every table that is the same on every run."""
    groups: list[tuple[str, list[Outcome]]] = [
        ("all bugs", list(outcomes)),
        (
            "reports with a traceback's frame in the repository",
            [o for o in outcomes if o.has_traceback],
        ),
        ("reports without one", [o for o in outcomes if not o.has_traceback]),
    ]
    for title, group in groups:
        for level, score_of in LEVELS.items():
            yield from _table(f"{level}: {title}", group, score_of, level == "files")
    for what, label in (("type", _bug_type), ("origin", _origin)):
        for value in sorted({found for o in outcomes if (found := label(o)) is not None}):
            group = [o for o in outcomes if label(o) == value]
            for level in ("files", "functions"):
                yield from _table(
                    f"{level}: {what} {value}", group, LEVELS[level], level == "files"
                )
    yield NOMINAL_NOTE


def times(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the table that no two runs have in common: the time a bug takes."""
    yield f"{'seconds a bug':<{_NAME}}  {'at the version':>20}  {'before the fix':>20}"
    yield f"{'':<{_NAME}}  {'mean':>10}{'median':>10}  {'mean':>10}{'median':>10}"
    for name in dict.fromkeys(o.technique for o in outcomes):
        own = [o for o in outcomes if o.technique == name]
        cells = ""
        for taken in ([o.seconds for o in own], [o.seconds_before_fix for o in own]):
            known = [seconds for seconds in taken if seconds is not None]
            if known:
                cells += f"  {statistics.fmean(known):>10.3f}{statistics.median(known):>10.3f}"
            else:
                cells += f"  {'–':>10}{'–':>10}"
        if "–" not in cells or any(o.seconds for o in own):
            yield f"{name:<{_NAME}}{cells}"


def widths(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield how many lines a range of each technique has: a hit with a wide one says little."""
    for name in dict.fromkeys(o.technique for o in outcomes):
        known = [o.width for o in outcomes if o.technique == name and o.width is not None]
        if known:
            yield f"{name}: a range has {statistics.fmean(known):.1f} lines (of the first ten)"


def record(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as an object for ``--json``."""
    bug = outcome.bug
    return {
        "project": bug.project,
        "id": bug.id,
        "version": bug.version,
        "technique": outcome.technique,
        "files": _plain(outcome.files),
        "source_files": _plain(outcome.source_files),
        "functions": _plain(outcome.functions),
        "lines": _plain(outcome.lines),
        "traceback": outcome.has_traceback,
        "bug_type": bug.bug_type,
        "origin": bug.origin,
        "seconds": _rounded(outcome.seconds),
        "seconds_before_fix": _rounded(outcome.seconds_before_fix),
    }


def _table(
    title: str,
    outcomes: Sequence[Outcome],
    score_of: Callable[[Outcome], Score | None],
    with_nominal: bool,
) -> Iterator[str]:
    rows = []
    for name in dict.fromkeys(o.technique for o in outcomes):
        scores = [s for o in outcomes if o.technique == name and (s := score_of(o)) is not None]
        if scores:
            rows.append(f"  {name:<{_NAME}}{len(scores):>4}  " + "  ".join(_cells(scores)))
    if rows and with_nominal:
        rows += [
            f"  {name:<{_NAME}}{'–':>4}  " + "  ".join(f"{v:<19.3f}" for v in values).rstrip()
            for name, values in NOMINAL.items()
        ]
    if rows:
        yield title
        yield f"  {'':<{_NAME}}{'n':>4}  " + "  ".join(f"{m:<19}" for m in MEASURES).rstrip()
        yield from rows
        yield ""


def _cells(scores: Sequence[Score]) -> list[str]:
    return [_cell(mean([measure(s) for s in scores])) for measure in MEASURES.values()]


def _cell(found: Mean) -> str:
    return f"{found.value:.3f} ({found.low:.2f}–{found.high:.2f})"


def _plain(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "first_rank": score.first_rank,
        "average_precision": round(score.average_precision, 6),
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)


def _bug_type(outcome: Outcome) -> str | None:
    return outcome.bug.bug_type


def _origin(outcome: Outcome) -> str | None:
    return outcome.bug.origin
