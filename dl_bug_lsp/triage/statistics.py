"""From rows and jobs to a result: groups, tables, retries, times, hosts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

import pyarrow as pa

from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.triage.hosts import HostJob, bad_hosts
from dl_bug_lsp.triage.manifests import Job, JobsOfLogs
from dl_bug_lsp.triage.results import Group, Row, TriageResult
from dl_bug_lsp.triage.sources import Unread

DURATIONS = ((60, "1 min"), (600, "10 min"), (3600, "1 h"), (21_600, "6 h"), (86_400, "24 h"))
"""Upper bounds in seconds and their names; what runs longer is counted beyond the last."""
RETRY_WITHIN = 7 * 86_400
"""Seconds after a failure within which the same job of the same user is a retry."""
MOST_NAMES = 200
"""Users and hosts that a group names."""
MOST_EXAMPLES = 20
NO_FAILURE_TOLD = "no failure in the log"
_STATES = {
    "OUT_OF_MEMORY": "cpu_out_of_memory",
    "OUT_OF_ME": "cpu_out_of_memory",
    "NODE_FAIL": "hardware_failure",
    "BOOT_FAIL": "hardware_failure",
    "TIMEOUT": "process_killed",
    "DEADLINE": "process_killed",
    "PREEMPTED": "process_killed",
}
"""What SLURM's states of a job tell where the log tells nothing (sacct(1), "JOB STATE CODES")."""
_COLUMNS = (
    "log", "modified", "unread", "note", "group", "exception", "message", "exact", "category",
    "dimension", "origin", "retry_may_help", "framework", "places", "line",
)  # fmt: skip


@dataclass(slots=True)
class _Growing:
    """A group in the making."""

    first_row: dict[str, Any]
    jobs: set[Any] = field(default_factory=set)
    logs: int = 0
    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    queues: set[str] = field(default_factory=set)
    first: float = math.inf
    last: float = -math.inf
    gpu_hours: float = 0.0
    retried: int = 0
    helped: int = 0
    repeated: int = 0
    days: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Failed:
    """A failed attempt: its group, when it ended, and its job where one is known."""

    group: str
    job: Job | None


def result_of(
    rows: pa.Table,
    jobs: Sequence[Job],
    *,
    unread: Iterable[Unread] = (),
    left_out: int = 0,
    notes: Iterable[str] = (),
    before: Mapping[str, Any] | None = None,
    now: float = 0.0,
) -> TriageResult:
    """Group the rows of all logs into bugs and count; ``before`` is the last run's summary."""
    jobs_of = JobsOfLogs(jobs)
    growing: dict[str, _Growing] = {}
    failed: dict[Any, _Failed] = {}
    not_read = list(unread)
    sentences = list(notes)
    read = failures = survived = 0
    with_log: set[Any] = set()
    changed = 0
    for batch in rows.select(_COLUMNS).to_batches(10_000):
        for row in batch.to_pylist():
            if row["unread"]:
                not_read.append(Unread(row["log"], row["unread"]))
                continue
            read += 1
            note = row["note"] or ""
            if note.startswith("read in part"):
                not_read.append(Unread(row["log"], note))
            elif note:
                changed += 1
            job = jobs_of.of(row["log"], row["modified"]) if jobs else None
            if job is not None:
                with_log.add(_attempt(job))
            if not row["group"]:
                continue
            if job is not None and job.failed is False:
                survived += 1
                continue
            failures += 1
            _add(growing, failed, row, job)
    silently = _without_words(growing, failed, jobs, with_log)
    retries = _retries(growing, failed, jobs)
    known = set((before or {}).get("known", ())) if before else None
    groups = sorted(
        (_group(id, grown, known) for id, grown in growing.items()),
        key=lambda group: (-group.jobs, -group.gpu_hours, group.id),
    )
    if changed:
        sentences.append(
            f"{changed:,} logs changed while they were read; the next run reads them again."
        )
    if survived:
        sentences.append(
            f"{survived:,} logs report a failure that their jobs survived (exit code 0)."
        )
    if jobs_of.ambiguous:
        sentences.append(
            f"{jobs_of.ambiguous:,} logs belong to a job's id that stands for several attempts; "
            "the one that ended nearest to the log's last change was taken."
        )
    tested = _host_jobs(jobs, growing, failed)
    hours = [job.gpu_hours or 0.0 for job in jobs]
    failed_jobs = [job for job in jobs if job.failed]
    return TriageResult(
        logs=read,
        failures=failures,
        unread=tuple(not_read),
        left_out=left_out,
        groups=tuple(groups),
        categories=_table(groups, lambda group: group.category),
        dimensions=_table(groups, lambda group: group.dimension),
        frameworks=_table(groups, lambda group: group.framework or "none named"),
        jobs=len(jobs),
        failed_jobs=len(failed_jobs),
        failed_silently=silently,
        gpu_hours=round(math.fsum(hours), 2),
        gpu_hours_lost=round(math.fsum(job.gpu_hours or 0.0 for job in failed_jobs), 2),
        retried=retries[0],
        helped=retries[1],
        repeated=retries[2],
        ends=_ends(growing, failed),
        days=_days(groups),
        bad_hosts=tuple(bad_hosts(tested)),
        hosts_tested=len({job.host for job in tested}),
        notes=tuple(dict.fromkeys(sentences)),
        finished=now,
        since=(before or {}).get("finished"),
    )


def _attempt(job: Job) -> tuple[str, float | None]:
    return job.id, job.start


def _add(
    growing: dict[str, _Growing], failed: dict[Any, _Failed], row: dict[str, Any], job: Job | None
) -> None:
    grown = growing.get(row["group"])
    if grown is None:
        grown = growing[row["group"]] = _Growing(row)
    elif row["exact"] and not grown.first_row["exact"]:
        # The representative is a log whose own message is known.
        grown.first_row = row
    grown.logs += 1
    if len(grown.examples) < MOST_EXAMPLES:
        grown.examples.append(row["log"])
    _count(grown, failed, row["group"], _attempt(job) if job is not None else row["log"], job,
           row["modified"])  # fmt: skip


def _count(
    grown: _Growing,
    failed: dict[Any, _Failed],
    group: str,
    key: Any,
    job: Job | None,
    modified: float | None,
) -> None:
    """Count a job for a group, once however many logs it has."""
    if key in grown.jobs:
        return
    grown.jobs.add(key)
    at = job.end if job is not None and job.end is not None else modified
    if at is not None:
        grown.first, grown.last = min(grown.first, at), max(grown.last, at)
        grown.days[_day(at)] += 1
    if job is not None:
        grown.users.update([job.user] if job.user else ())
        grown.queues.update([job.queue] if job.queue else ())
        grown.hosts.update(job.hosts)
        if key not in failed:
            # A job's hours are lost once, by the first of its failures.
            grown.gpu_hours += job.gpu_hours or 0.0
    failed.setdefault(key, _Failed(group, job))


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, timezone.utc).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return "unknown"


def _without_words(
    growing: dict[str, _Growing],
    failed: dict[Any, _Failed],
    jobs: Sequence[Job],
    with_log: set[Any],
) -> int:
    """Group failed jobs whose logs say nothing by their state or exit code; return their number."""
    count = 0
    for job in jobs:
        key = _attempt(job)
        state = job.state.partition(" ")[0].upper().rstrip("+")
        if not job.failed or key in failed or key not in with_log or state.startswith("CANCELL"):
            continue
        count += 1
        reason = state if state in _STATES else f"exit code {job.exit}"
        id = f"state-{reason.lower().replace(' ', '-').replace('_', '-')}"
        name = _STATES.get(state, "unclassified")
        if id not in growing:
            row = category(name)
            message = f"{NO_FAILURE_TOLD}; the cluster says: {reason}"
            growing[id] = _Growing({
                "exception": "", "message": message, "category": name, "exact": True,
                "dimension": row.dimension, "origin": row.origin, "framework": "",
                "retry_may_help": row.retry_may_help, "places": [], "line": 0,
                "log": job.log or job.id,
            })  # fmt: skip
        _count(growing[id], failed, id, key, job, None)
    return count


def _retries(
    growing: dict[str, _Growing], failed: dict[Any, _Failed], jobs: Sequence[Job]
) -> tuple[int, int, int]:
    """Count retries: the next attempt of an id, or of a user's job of one name, after a failure."""
    attempts: dict[tuple[str, str], list[Job]] = defaultdict(list)
    ids = Counter(job.id for job in jobs)
    for job in jobs:
        if job.start is None:
            continue
        if ids[job.id] > 1:
            attempts["", job.id].append(job)
        elif job.user and job.name:
            attempts[job.user, job.name].append(job)
    retried = helped = repeated = 0
    for same in attempts.values():
        same.sort(key=lambda job: job.start or 0.0)
        for job, following in pairwise(same):
            failure = failed.get(_attempt(job))
            if failure is None or not _is_retry(job, following) or following.failed is None:
                continue
            grown = growing[failure.group]
            again = failed.get(_attempt(following))
            retried += 1
            grown.retried += 1
            if not following.failed:
                helped += 1
                grown.helped += 1
            elif again is not None and again.group == failure.group:
                repeated += 1
                grown.repeated += 1
    return retried, helped, repeated


def _is_retry(job: Job, following: Job) -> bool:
    end = job.end if job.end is not None else job.start
    if end is None or following.start is None:
        return False
    return 0 <= following.start - end <= RETRY_WITHIN


def _group(id: str, grown: _Growing, known: set[str] | None) -> Group:
    row = grown.first_row
    return Group(
        id=id,
        category=row["category"],
        dimension=row["dimension"],
        origin=row["origin"],
        retry_may_help=bool(row["retry_may_help"]),
        exception=row["exception"],
        message=row["message"],
        framework=row["framework"],
        jobs=len(grown.jobs),
        logs=grown.logs,
        users=tuple(sorted(grown.users)[:MOST_NAMES]),
        hosts=tuple(sorted(grown.hosts)[:MOST_NAMES]),
        queues=tuple(sorted(grown.queues)[:MOST_NAMES]),
        first_seen=None if math.isinf(grown.first) else grown.first,
        last_seen=None if math.isinf(grown.last) else grown.last,
        gpu_hours=round(grown.gpu_hours, 3),
        retried=grown.retried,
        helped=grown.helped,
        repeated=grown.repeated,
        representative=row["log"],
        line=row["line"] or 0,
        places=tuple(row["places"] or ()),
        new=None if known is None else id not in known,
        days=dict(sorted(grown.days.items())),
        examples=tuple(grown.examples),
    )


def _table(groups: Sequence[Group], name: Callable[[Group], str]) -> tuple[Row, ...]:
    """Return one row a name, the one with most jobs first."""
    parts: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        parts[name(group)].append(group)
    rows = [
        Row(
            name,
            sum(group.jobs for group in members),
            len(members),
            round(math.fsum(group.gpu_hours for group in members), 2),
            sum(group.retried for group in members),
            sum(group.helped for group in members),
        )
        for name, members in parts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.jobs, row.name)))


def _ends(
    growing: Mapping[str, _Growing], failed: Mapping[Any, _Failed]
) -> dict[str, tuple[int, ...]]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * (len(DURATIONS) + 1))
    for failure in failed.values():
        seconds = failure.job.seconds if failure.job is not None else None
        if seconds is not None:
            at = sum(1 for bound, _ in DURATIONS if seconds >= bound)
            counts[growing[failure.group].first_row["dimension"]][at] += 1
    return {name: tuple(row) for name, row in sorted(counts.items())}


def _days(groups: Sequence[Group]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        for day, jobs in group.days.items():
            counts[day][group.dimension] += jobs
    return {day: dict(counts[day]) for day in sorted(counts)}


def _host_jobs(
    jobs: Sequence[Job], growing: Mapping[str, _Growing], failed: Mapping[Any, _Failed]
) -> list[HostJob]:
    """Return the jobs that hosts are tested by: those of one host, where there are such."""
    ended = [job for job in jobs if job.hosts and job.failed is not None]
    alone = [job for job in ended if len(job.hosts) == 1]
    out: list[HostJob] = []
    for job in alone or ended:
        failure = failed.get(_attempt(job)) if job.failed else None
        repeats = ""
        if failure is not None:
            # A program's own fault is met again wherever it runs; the platform's is the host's.
            own = growing[failure.group].first_row["origin"] == "intrinsic"
            if own and (job.user or job.name):
                repeats = f"{job.user or job.name}\n{failure.group}"
        elif job.failed and job.user and job.name:
            repeats = f"{job.user}\n{job.name}\n{job.exit}"
        out.extend(HostJob(host, job.queue, bool(job.failed), repeats) for host in set(job.hosts))
    return out
