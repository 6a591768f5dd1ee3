"""From rows and jobs to what triage says: groups, tables over all jobs, retries, times, hosts.

The documents are made of these values.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

import pyarrow as pa

from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.triage.hosts import BadHost, HostJob, bad_hosts, can_tell
from dl_bug_lsp.triage.manifests import Job, JobsOfLogs
from dl_bug_lsp.triage.sources import Unread


@dataclass(frozen=True, slots=True)
class Group:
    """One bug: all jobs whose failures have one fingerprint.

    Times are POSIX seconds (UTC), None where nothing tells them. ``message`` is that of the
    representative log, whose failure begins at its 1-based ``line``. ``places`` are the user's
    frames there, innermost first; ``suspects`` are ranked places of the workspace, where one is
    known. ``new`` is None without an earlier run. ``days`` counts jobs by day (ISO, UTC).
    """

    id: str
    category: str
    dimension: str
    origin: str
    retry_may_help: bool | None
    exception: str
    message: str
    framework: str
    jobs: int
    logs: int
    users: tuple[str, ...]
    hosts: tuple[str, ...]
    queues: tuple[str, ...]
    first_seen: float | None
    last_seen: float | None
    gpu_hours: float
    retried: int
    helped: int
    repeated: int
    representative: str
    line: int
    places: tuple[str, ...]
    new: bool | None
    days: Mapping[str, int]
    suspects: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def only_repeats(self) -> bool:
        """Whether retries have met this failure again and never helped."""
        return self.repeated > 0 and self.helped == 0 and self.retried >= 2


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table over all failures: a name and what falls on it."""

    name: str
    jobs: int
    groups: int
    gpu_hours: float
    retried: int = 0
    helped: int = 0


@dataclass(frozen=True, slots=True)
class TriageResult:
    """Everything that triage found out.

    ``logs`` were read; ``failures`` of them report a failure that ended their job. ``unread`` are
    those that were not read, or only in part. ``left_out`` files are no logs by their names.
    ``jobs`` counts those that manifests list, ``failed_jobs`` those of them that failed;
    ``failed_silently`` failed without a word of it in a log that was read. ``ends`` counts failed
    jobs by dimension and by how long they ran (`DURATIONS`). ``since`` is the time of
    the run before.
    """

    logs: int
    failures: int
    unread: tuple[Unread, ...]
    left_out: int
    groups: tuple[Group, ...]
    categories: tuple[Row, ...]
    dimensions: tuple[Row, ...]
    frameworks: tuple[Row, ...]
    jobs: int = 0
    failed_jobs: int = 0
    failed_silently: int = 0
    gpu_hours: float = 0.0
    gpu_hours_lost: float = 0.0
    retried: int = 0
    helped: int = 0
    repeated: int = 0
    ends: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    days: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    bad_hosts: tuple[BadHost, ...] = ()
    hosts_tested: int = 0
    hosts_comparable: bool = True
    """Whether there are jobs enough to tell a host apart on which they fail more often."""
    notes: tuple[str, ...] = ()
    finished: float = 0.0
    since: float | None = None
    read_now: int = 0
    bytes_read: int = 0
    seconds: float = 0.0
    folder: str | None = None

    @property
    def new_groups(self) -> tuple[Group, ...]:
        """The groups that no earlier run has met."""
        return tuple(group for group in self.groups if group.new)


VERSION = 1


def to_json(result: TriageResult) -> dict[str, Any]:
    """Return the document for programs, version 1; see docs/clusters.md."""
    return {
        "version": VERSION,
        "logs": result.logs,
        "failures": result.failures,
        "unread": [{"log": unread.log, "reason": unread.reason} for unread in result.unread],
        "categories": {row.name: row.jobs for row in result.categories},
        "groups": [
            {
                "id": group.id,
                "category": group.category,
                "exception": group.exception,
                "jobs": group.jobs,
                "representative": group.representative,
            }
            for group in result.groups
        ],
    }


def to_summary(result: TriageResult) -> dict[str, Any]:
    """Return everything as one document, for the next run and for those who want all figures."""
    return {"version": VERSION, **asdict(result)}


def for_editors(result: TriageResult) -> dict[str, Any]:
    """Return what an editor asks of a failure's group, by its fingerprint."""
    return {
        "version": VERSION,
        "finished": result.finished,
        "groups": {
            group.id: {"jobs": group.jobs, "first": group.first_seen, "last": group.last_seen,
                       "users": len(group.users)}
            for group in result.groups
        },
    }  # fmt: skip


def groups_table(result: TriageResult) -> pa.Table:
    """Return the groups as a table, one row each."""
    rows = [
        {**asdict(group), "days": None, "only_repeats": group.only_repeats}
        for group in result.groups
    ]
    for row in rows:
        del row["days"]
    return pa.Table.from_pylist(rows, _GROUPS)


_WORDS = pa.list_(pa.string())
_GROUPS = pa.schema([
    ("id", pa.string()), ("category", pa.string()), ("dimension", pa.string()),
    ("origin", pa.string()), ("retry_may_help", pa.bool_()), ("exception", pa.string()),
    ("message", pa.string()), ("framework", pa.string()), ("jobs", pa.int64()),
    ("logs", pa.int64()), ("users", _WORDS), ("hosts", _WORDS), ("queues", _WORDS),
    ("first_seen", pa.float64()), ("last_seen", pa.float64()), ("gpu_hours", pa.float64()),
    ("retried", pa.int64()), ("helped", pa.int64()), ("repeated", pa.int64()),
    ("only_repeats", pa.bool_()), ("representative", pa.string()), ("line", pa.int64()),
    ("places", _WORDS), ("new", pa.bool_()), ("suspects", _WORDS), ("examples", _WORDS),
])  # fmt: skip


# ---------------------------------------------------------------------- statistics
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
_OF_TIME = ("TIMEOUT", "DEADLINE")
"""States of jobs that ran out of time: one that resumes gets further, another does not."""
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
        hosts_comparable=can_tell(tested),
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
                "retry_may_help": None if state in _OF_TIME else row.retry_may_help,
                "places": [], "line": 0,
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
        retry_may_help=row["retry_may_help"],
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
