"""What a cluster knows of its jobs: CSV, JSON lines, parquet, and SLURM's `sacct` as it comes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dl_bug_lsp.triage.sources import Source, damage, opened, reason_of, unpacked

MOST_BYTES = 4 * 2**30
MOST_HOSTS = 10_000
JOBS_SCHEMA = pa.schema([
    ("id", pa.string()),
    ("name", pa.string()),
    ("user", pa.string()),
    ("queue", pa.string()),
    ("hosts", pa.list_(pa.string())),
    ("gpus", pa.int64()),
    ("start", pa.float64()),
    ("end", pa.float64()),
    ("exit", pa.int64()),
    ("state", pa.string()),
    ("log", pa.string()),
])  # fmt: skip
_COLUMNS = {
    "id": ("jobid", "job", "id", "jobidraw", "runid", "taskid"),
    "name": ("jobname", "name", "experiment", "run", "command"),
    "user": ("user", "username", "owner", "submitter", "account"),
    "queue": ("queue", "partition", "pool", "qos"),
    "hosts": ("hosts", "host", "nodelist", "nodes", "node", "hostname", "machine", "hostlist"),
    "gpus": ("gpus", "gpu", "ngpus", "numgpus", "gpucount", "alloctres", "reqtres", "reqgres",
             "allocgres", "tresalloc"),
    "start": ("start", "starttime", "started", "startedat", "begin", "began"),
    "end": ("end", "endtime", "ended", "finished", "finishedat", "endedat", "stop", "completed"),
    "exit": ("exitcode", "exit", "returncode", "status", "rc", "code"),
    "state": ("state", "jobstate", "result", "outcome"),
    "log": ("log", "logfile", "logpath", "path", "stdout", "output", "file", "stdoutpath"),
}  # fmt: skip
"""Names of columns, without case and without what is no letter, the best first."""
_GRES = re.compile(r"gpu(?::[\w.-]{1,60})?[:=](\d{1,5})")
_NODES = re.compile(
    r"(?P<name>[^,\[\]]{0,200})"
    r"(?:\[(?P<ranges>[\d,\- ]{1,2000})\](?P<after>[^,\[\]]{0,100}))?(?:,|$)"
)
_TOKEN = re.compile(r"\d{4,20}(?:_\d{1,9})?")
_STATES_OF_SUCCESS = frozenset(("COMPLETED", "SUCCEEDED", "SUCCESS", "OK", "DONE", "FINISHED"))
_STATES_OF_LIFE = frozenset(
    ("RUNNING", "PENDING", "REQUEUED", "SUSPENDED", "QUEUED", "CONFIGURING")
)


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt of a job; times are POSIX seconds, None where the manifest does not tell."""

    id: str
    name: str = ""
    user: str = ""
    queue: str = ""
    hosts: tuple[str, ...] = ()
    gpus: int | None = None
    start: float | None = None
    end: float | None = None
    exit: int | None = None
    state: str = ""
    log: str = ""

    @property
    def failed(self) -> bool | None:
        """Whether the attempt ended badly; None where the manifest does not tell, or it runs."""
        state = self.state.partition(" ")[0].upper().rstrip("+")
        if state in _STATES_OF_LIFE:
            return None
        if self.exit is not None and self.exit != 0:
            return True
        if state:
            return state not in _STATES_OF_SUCCESS
        return None if self.exit is None else False

    @property
    def seconds(self) -> float | None:
        """How long the attempt ran; None where a time is missing or the clocks disagree."""
        if self.start is None or self.end is None or self.end < self.start:
            return None
        return self.end - self.start

    @property
    def gpu_hours(self) -> float | None:
        """GPUs times hours; None where either is not known."""
        return (
            None if self.seconds is None or self.gpus is None else self.gpus * self.seconds / 3600
        )


@dataclass(slots=True)
class Manifest:
    """The jobs of one or several manifests, and one sentence for each thing that is odd."""

    jobs: list[Job] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_manifest(source: Source) -> Manifest:
    """Read a manifest of any of the formats, compressed or not; never raises."""
    name = PurePosixPath(source.url).name
    if source.size > MOST_BYTES:
        return Manifest([], [f"The manifest '{name}' is too large."])
    try:
        with opened(source) as stream:
            data = unpacked(source.url, stream, source.size).read(MOST_BYTES)
        jobs = _jobs_of(data)
    except (*damage, pa.ArrowException, csv.Error, MemoryError) as error:
        return Manifest([], [f"The manifest '{name}' could not be read: {reason_of(error)}."])
    if not jobs:
        return Manifest([], [f"The manifest '{name}' has no column with a job's id, or no job."])
    return Manifest(jobs, [f"The manifest '{name}': {problem}" for problem in _oddities(jobs)])


def looks_like_manifest(source: Source) -> bool:
    """Say whether a file that was named as a path is a manifest, by its name and its columns."""
    name = PurePosixPath(source.url).name.lower()
    if not name.endswith((".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")) and "sacct" not in name:
        return False
    try:
        with opened(source) as stream:
            if name.endswith(".parquet"):
                names: Iterable[str] = pq.ParquetFile(stream).schema_arrow.names
            else:
                names = _rows_of(stream.read(65_536).decode("utf-8", "replace"))[0]
    except (*damage, pa.ArrowException, csv.Error, IndexError):
        return False
    known = _known_columns(names)
    return "id" in known and len(known) >= 2


def _jobs_of(data: bytes) -> list[Job]:
    if data[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(data))
        columns = _known_columns(table.column_names)
        records = table.select(list(columns.values())).rename_columns(list(columns)).to_pylist()
        return [job for row in records if (job := _job(row)) is not None]
    rows = _rows_of(data.decode("utf-8-sig", "replace"))
    columns = _known_columns(rows[0]) if rows else {}
    if "id" not in columns:
        return []
    jobs = (_job({key: row.get(name) for key, name in columns.items()}) for row in rows)
    return [job for job in jobs if job is not None]


def _rows_of(text: str) -> list[Mapping[str, Any]]:
    """Return the rows of a text as tables by column, whatever separates them."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    if lines[0].lstrip().startswith("{"):
        rows: list[Mapping[str, Any]] = []
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                rows.append(row)
        every = dict.fromkeys(key for row in rows[:1000] for key in row)
        return [{**dict.fromkeys(every), **rows[0]}, *rows[1:]] if rows else []
    if len(lines) > 1 and re.fullmatch(r"\s*-{2,}[- ]*", lines[1]):
        return _columns_of_width(lines)
    head = lines[0]
    mark = max("|,;\t", key=head.count)
    if not head.count(mark):
        return []
    # `sacct --parsable` ends each line with its mark.
    reader = csv.DictReader(lines, delimiter=mark, skipinitialspace=True)
    return [row for row in reader if row]


def _columns_of_width(lines: Sequence[str]) -> list[Mapping[str, Any]]:
    """Read a table whose second line underlines the columns (`sacct` without options)."""
    spans = [match.span() for match in re.finditer(r"-+", lines[1])]
    names = [lines[0][start:end].strip() for start, end in spans]
    return [
        {name: line[start:end].strip() for name, (start, end) in zip(names, spans, strict=True)}
        for line in lines[2:]
    ]


def _known_columns(names: Iterable[str]) -> dict[str, str]:
    by_word = {re.sub(r"[^a-z]", "", str(name).lower()): str(name) for name in reversed([*names])}
    known: dict[str, str] = {}
    for key, words in _COLUMNS.items():
        name = next((by_word[word] for word in words if word in by_word), None)
        if name is not None and name not in known.values():
            known[key] = name
    return known


def _job(row: Mapping[str, Any]) -> Job | None:
    id = _text(row.get("id"))
    # `sacct` lists a job's steps below it: 123.batch, 123.extern, 123.0.
    if not id or re.fullmatch(r"\d+(?:_\d+)?\.\w+", id):
        return None
    state = _text(row.get("state"))
    return Job(
        id=id,
        name=_text(row.get("name")),
        user=_text(row.get("user")),
        queue=_text(row.get("queue")),
        hosts=_hosts(row.get("hosts")),
        gpus=_gpus(row.get("gpus")),
        start=_time(row.get("start")),
        end=_time(row.get("end")),
        exit=_exit(row.get("exit")),
        state=state,
        log=_text(row.get("log")),
    )


def _text(value: Any) -> str:
    if value is None or isinstance(value, (list, dict)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()[:4096]


def _hosts(value: Any) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(_text(host) for host in value[:MOST_HOSTS] if _text(host))
    text = _text(value)
    if not text or text.lower() in ("none assigned", "none", "n/a", "unknown"):
        return ()
    return expand_nodes(text)


def expand_nodes(text: str) -> tuple[str, ...]:
    """Return the hosts of SLURM's short form: ``gpu[01-03,7],login`` is five of them."""
    out: list[str] = []
    if text.count("[") != text.count("]"):
        return ()  # Cut off by the width of a column.
    for match in _NODES.finditer(text.replace(" ", ",") if "[" not in text else text):
        name = match["name"].strip()
        if match["ranges"] is None:
            if name:
                out.append(name)
            continue
        for part in match["ranges"].split(","):
            first, dash, last = part.strip().partition("-")
            if not first.isdigit() or (dash and not last.isdigit()):
                continue
            for number in range(int(first), min(int(last or first), int(first) + MOST_HOSTS) + 1):
                out.append(f"{name}{number:0{len(first)}d}{match['after'] or ''}")
                if len(out) >= MOST_HOSTS:
                    return tuple(out)
    return tuple(out)


def _gpus(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return int(value) if 0 <= value < 1e6 else None
    text = _text(value)
    if text.isdigit():
        return int(text[:6])
    counts = [int(count) for count in _GRES.findall(text)]
    if counts:
        # `gres/gpu=8,gres/gpu:a100=8` names the same eight twice.
        return max(counts)
    return 0 if "cpu=" in text else None


def _time(value: Any) -> float | None:
    """Return a POSIX time; a text without a zone is taken for UTC."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).timestamp()
    if isinstance(value, bool):
        return None
    text = _text(value)
    if re.fullmatch(r"\d{9,10}(?:\.\d*)?", text):
        return float(text)
    if re.fullmatch(r"\d{12,13}", text):
        return float(text) / 1000
    try:
        moment = datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _exit(value: Any) -> int | None:
    """Return an exit code; SLURM's ``0:9`` is signal 9, which shells tell as 137."""
    match = re.fullmatch(r"(-?\d{1,5})(?::(\d{1,3}))?", _text(value))
    if match is None:
        return None
    code, signal = int(match[1]), int(match[2] or 0)
    return 128 + signal if signal and not code else code


def _oddities(jobs: Sequence[Job]) -> list[str]:
    out: list[str] = []
    turned = sum(1 for j in jobs if j.start is not None and j.end is not None and j.end < j.start)
    if turned:
        out.append(
            f"{turned:,} jobs end before they start (clocks differ); their times are not used."
        )
    ahead = datetime.now(timezone.utc).timestamp() + 86_400
    future = sum(1 for job in jobs if (job.start or 0) > ahead)
    if future:
        out.append(f"{future:,} jobs start in the future (clocks differ).")
    return out


def merged(*parts: Iterable[Job]) -> list[Job]:
    """Return jobs of several manifests, each attempt once, the later manifest's word."""
    jobs: dict[tuple[str, float | None], Job] = {}
    for part in parts:
        for job in part:
            if job.start is not None:
                jobs.pop((job.id, None), None)
            jobs[job.id, job.start] = job
    return list(jobs.values())


def to_table(jobs: Sequence[Job]) -> pa.Table:
    """Return jobs as a table of `JOBS_SCHEMA`."""
    columns = {
        name: [list(job.hosts) if name == "hosts" else getattr(job, name) for job in jobs]
        for name in JOBS_SCHEMA.names
    }
    return pa.table(columns, JOBS_SCHEMA)


def from_table(table: pa.Table) -> list[Job]:
    """Return the jobs of a table of `JOBS_SCHEMA`."""
    return [
        Job(**{**row, "hosts": tuple(row["hosts"] or ())})
        for row in table.select(JOBS_SCHEMA.names).cast(JOBS_SCHEMA).to_pylist()
    ]


class JobsOfLogs:
    """Finds the job that wrote a log: by its path in the manifest, else by an id in its name."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._by_path: dict[str, list[Job]] = {}
        self._by_id: dict[str, list[Job]] = {}
        for job in jobs:
            self._by_id.setdefault(job.id, []).append(job)
            if job.log:
                self._by_path.setdefault(_plain(job.log), []).append(job)
        self.ambiguous = 0
        """Logs for which several attempts of one id stand, told apart by time or not at all."""

    def of(self, log: str, modified: float | None) -> Job | None:
        """Return the job of a log, None where none is known."""
        path = _plain(log)
        parts = path.split("/")
        for start in range(len(parts)):
            if (jobs := self._by_path.get("/".join(parts[start:]))) is not None:
                return self._attempt(jobs, modified)
        for part in reversed(parts[-3:]):
            stem = part.partition(".")[0]
            if (jobs := self._by_id.get(part) or self._by_id.get(stem)) is not None:
                return self._attempt(jobs, modified)
            for token in reversed(_TOKEN.findall(part)):
                jobs = self._by_id.get(token) or self._by_id.get(token.partition("_")[0])
                if jobs is not None:
                    return self._attempt(jobs, modified)
        return None

    def _attempt(self, attempts: Sequence[Job], modified: float | None) -> Job:
        if len(attempts) == 1:
            return attempts[0]
        self.ambiguous += 1
        ends = [(abs(job.end - modified), at) for at, job in enumerate(attempts)
                if job.end is not None and modified is not None]  # fmt: skip
        return attempts[min(ends)[1]] if ends else attempts[-1]


def _plain(path: str) -> str:
    return (
        path.replace("\\", "/")
        .replace("!", "/")
        .removeprefix("file://")
        .removeprefix("./")
        .lstrip("/")
    )
