"""What triage says: groups, tables over all jobs, and the documents that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from dl_bug_lsp.triage.hosts import BadHost
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
    retry_may_help: bool
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
    jobs by dimension and by how long they ran (`statistics.DURATIONS`). ``since`` is the time of
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
