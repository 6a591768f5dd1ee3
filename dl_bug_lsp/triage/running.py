"""Batches of logs read by workers, in this process or on a Dask cluster, and kept as parquet.

A worker reads a batch of sources and returns one row a log, as an Arrow table. The cluster is the
machine's own, or one that is there. The results' folder holds what was read, so that the next run
reads only what is new.

    reads/part-….parquet   one row a log (`SCHEMA`), written whole or not at all
    jobs.parquet           the jobs of all manifests so far
    failures.parquet, groups.parquet, summary.json, groups.json, page.html   the last result

A killed run loses what was not written yet, some seconds of reading, and the next run reads that
again. Of a source in several parts the latest part holds.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from dl_bug_lsp.data_folder import locked
from dl_bug_lsp.triage import TriageError
from dl_bug_lsp.triage.reading import Analysis, Excerpt, Reader, excerpt_of_stream, excerpts
from dl_bug_lsp.triage.sources import (
    CHUNK,
    Source,
    Unread,
    damage,
    is_unchanged,
    members,
    opened,
    reason_of,
    text_problem,
    unpacked,
)

TOGETHER = 4 * 2**20
"""Bytes of small logs that are searched in one go; larger ones are read as streams."""
BATCH_BYTES = 32 * 2**20
BATCH_FILES = 400
SCHEMA = pa.schema([
    ("log", pa.string()),
    ("source", pa.string()),
    ("token", pa.string()),
    ("modified", pa.float64()),
    ("size", pa.int64()),
    ("lines", pa.int64()),
    ("unread", pa.string()),
    ("note", pa.string()),
    ("group", pa.string()),
    ("kind", pa.string()),
    ("exception", pa.string()),
    ("message", pa.string()),
    ("exact", pa.bool_()),
    ("category", pa.string()),
    ("dimension", pa.string()),
    ("origin", pa.string()),
    ("retry_may_help", pa.bool_()),
    ("framework", pa.string()),
    ("places", pa.list_(pa.string())),
    ("line", pa.int64()),
    ("read_at", pa.float64()),
])  # fmt: skip
"""One row a log. ``unread`` says why it was not read (empty where it was), ``note`` what else is
odd; ``group`` is empty where the log reports no failure. Times are POSIX seconds, UTC."""

_IN_PART = "read in part: "
_reader: list[Reader] = []
_UNPRINTABLE = re.compile("[\ud800-\udfff]")


def batches(sources: Sequence[Source]) -> Iterator[tuple[Source, ...]]:
    """Cut sources into batches of about equal work: big files first, each by itself."""
    big = [s for s in sources if s.size > BATCH_BYTES // 2 or s.is_archive]
    for source in sorted(big, key=lambda source: -source.size):
        yield (source,)
    batch: list[Source] = []
    size = 0
    for source in sources:
        if source.size > BATCH_BYTES // 2 or source.is_archive:
            continue
        batch.append(source)
        size += source.size * (10 if source.is_compressed else 1)
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def read_batch(sources: Sequence[Source], reader: Reader | None = None) -> pa.Table:
    """Read sources and return their rows (`SCHEMA`); never raises on what it reads."""
    rows = _Rows(_of_this_process() if reader is None else reader)
    for source in sources:
        _read_source(source, rows)
    rows.flush()
    return pa.Table.from_pylist(rows.done, SCHEMA)


def _of_this_process() -> Reader:
    """Return the reader that remembers what this process has read."""
    if not _reader:
        _reader.append(Reader())
    return _reader[0]


class _Rows:
    """Rows in the making: small logs wait until they can be searched together."""

    def __init__(self, reader: Reader) -> None:
        self.done: list[dict[str, Any]] = []
        self._reader = reader
        self._waiting: list[tuple[dict[str, Any], bytes]] = []
        self._size = 0

    def add(self, row: dict[str, Any], stream: IO[bytes]) -> None:
        """Read a log's text; what can be read of a damaged one is."""
        parts = _Parts(stream)
        beginning = parts.take(TOGETHER)
        why = text_problem(beginning)
        if parts.damage and not beginning:
            why = parts.damage.removeprefix(_IN_PART)
        if why is not None:
            row["unread"] = why
            self.done.append(row)
            return
        if len(beginning) < TOGETHER:
            row["note"] = parts.damage
            self._waiting.append((row, beginning))
            self._size += len(beginning)
            if self._size >= TOGETHER:
                self.flush()
            return
        excerpt = excerpt_of_stream(chain([beginning], parts))
        row["note"] = parts.damage
        self._finish(row, excerpt, None)

    def flush(self) -> None:
        """Search the logs that wait."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        searched = excerpts([data for _, data in waiting]) if waiting else []
        for (row, data), excerpt in zip(waiting, searched, strict=True):
            self._finish(row, excerpt, data)

    def _finish(self, row: dict[str, Any], excerpt: Excerpt, whole: bytes | None) -> None:
        row.update(size=excerpt.size, lines=excerpt.total_lines)
        try:
            read = self._reader.read(excerpt, whole)
        except Exception as error:  # A reader must not raise; if one does, the rest goes on.
            row["unread"] = f"reading it failed inside the tool ({type(error).__name__})"
            read = None
        if read is not None:
            row.update(_columns(read))
        self.done.append(row)


class _Parts:
    """The bytes of a stream in parts; damage ends them and is told in ``damage``."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.damage = ""

    def __iter__(self) -> Iterator[bytes]:
        while data := self._read():
            yield data

    def take(self, size: int) -> bytes:
        """Return at most ``size`` bytes; fewer only at the end."""
        parts: list[bytes] = []
        left = size
        while left > 0 and (data := self._read(left)):
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def _read(self, size: int = CHUNK) -> bytes:
        if self.damage:
            return b""
        try:
            return self._stream.read(min(size, CHUNK))
        except damage as error:
            self.damage = f"{_IN_PART}{reason_of(error)}"
            return b""


def _read_source(source: Source, rows: _Rows) -> None:
    row = _row(source, source.url)
    before = len(rows.done)
    try:
        with opened(source) as stream:
            if source.is_archive:
                _read_archive(source, stream, rows)
            else:
                rows.add(row, unpacked(source.url, stream, source.size))
    except (*damage, ImportError) as error:
        # Members that were read before the damage stay; the archive is named beside them.
        rows.flush()
        row["unread"] = reason_of(error)
        if len(rows.done) > before and source.is_archive:
            row["unread"] = f"{_IN_PART}{row['unread']}"
        rows.done.append(row)
    if not is_unchanged(source):
        row["note"] = row.get("note") or "it changed while it was read"


def _read_archive(source: Source, stream: IO[bytes], rows: _Rows) -> None:
    for name, inner, size, why in members(source, stream):
        row = _row(source, f"{source.url}!{name}")
        if inner is None:
            row.update(unread=why, size=size)
            rows.done.append(row)
        else:
            rows.add(row, inner)


def _row(source: Source, log: str) -> dict[str, Any]:
    return {
        "log": _UNPRINTABLE.sub("\ufffd", log),
        "source": _UNPRINTABLE.sub("\ufffd", source.url),
        "token": source.token,
        "modified": source.modified,
        "size": source.size,
        "unread": "",
        "note": "",
        "group": "",
        "read_at": time.time(),
    }


def _columns(read: Analysis) -> dict[str, Any]:
    return {
        "group": read.fingerprint,
        "kind": read.kind,
        "exception": _UNPRINTABLE.sub("\ufffd", read.exception),
        "message": _UNPRINTABLE.sub("\ufffd", read.message),
        "exact": read.exact,
        "category": read.category,
        "dimension": read.dimension,
        "origin": read.origin,
        "retry_may_help": read.retry_may_help,
        "framework": read.framework,
        "places": [_UNPRINTABLE.sub("\ufffd", place) for place in read.places],
        "line": read.line,
    }


# ---------------------------------------------------------------------- the folder of results
READS = "reads"
MOST_PARTS = 64
"""Parts of more than this number are joined at the end of a run."""


class Store:
    """The folder of the results; parts are kept in the order of their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._reads = folder / READS
        self._number = 0

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Make the folder and keep other runs out of it; raises `TriageError`."""
        try:
            self._reads.mkdir(parents=True, exist_ok=True)
            with locked(self.folder, 0.5):
                yield
        except TimeoutError:
            raise TriageError(
                f"another run writes into '{self.folder}'; wait for it or take another folder"
            ) from None
        except (FileExistsError, NotADirectoryError, PermissionError) as error:
            raise TriageError(f"cannot write into '{self.folder}': {error.strerror}") from None

    def add(self, tables: Sequence[pa.Table]) -> None:
        """Write rows as one part, whole or not at all."""
        if tables:
            self._write(pa.concat_tables(tables))

    def _write(self, table: pa.Table) -> Path:
        self._number += 1
        name = f"part-{time.time_ns():020d}-{self._number:06d}.parquet"
        write_table(table, self._reads / name)
        return self._reads / name

    def rows(self) -> pa.Table:
        """Return the rows of all parts, of each source the latest; damaged parts are named."""
        tables: list[pa.Table] = []
        for part in self._parts():
            try:
                table = pq.read_table(part, partitioning=None)
                tables.append(table.select(SCHEMA.names).cast(SCHEMA))
            except (pa.ArrowException, OSError, KeyError, ValueError):
                self.problems.append(
                    f"'{part.name}' of the results is damaged; its logs are read again"
                )
        if not tables:
            return SCHEMA.empty_table()
        latest: dict[str, int] = {}
        sources = [table.column("source").to_pylist() for table in tables]
        for number, names in enumerate(sources):
            latest.update(dict.fromkeys(names, number))
        latest_rows = []
        for number, (table, names) in enumerate(zip(tables, sources, strict=True)):
            mask = [latest[name] == number for name in names]
            latest_rows.append(table if all(mask) else table.filter(pa.array(mask)))
        return pa.concat_tables(latest_rows)

    def _parts(self) -> list[Path]:
        return sorted(self._reads.glob("part-*.parquet"))

    def known(self) -> dict[str, str]:
        """Return the tokens of the sources that were read to their end, by their URLs."""
        rows = self.rows()
        known: dict[str, str] = {}
        columns = (rows.column(name).to_pylist() for name in ("source", "token", "unread", "note"))
        failed: set[str] = set()
        for source, token, unread, note in zip(*columns, strict=True):
            known[source] = token
            # What is binary stays so; what else could not be read may be readable now.
            if (unread and unread != "it is binary") or note:
                failed.add(source)
        return {source: token for source, token in known.items() if source not in failed}

    def compact(self) -> None:
        """Join the parts where there are many; a kill between leaves both, which is no harm."""
        parts = self._parts()
        if len(parts) <= MOST_PARTS:
            return
        rows = self.rows()
        joined = self._write(rows)
        for part in parts:
            if part != joined:
                part.unlink(missing_ok=True)

    def unread_again(self, listed: Sequence[Source]) -> list[Source]:
        """Return the sources that are new or changed since they were read."""
        known = self.known()
        return [source for source in listed if known.get(source.url) != source.token]

    def before(self) -> dict[str, Any] | None:
        """Return when the last run came to its end and the groups it knew; None without one."""
        last = read_json(self.folder / "groups.json")
        groups = last.get("groups")
        if not isinstance(groups, dict):
            return None
        return {"known": list(groups), "finished": last.get("finished")}


def unread_rows(unread: Sequence[Unread]) -> pa.Table:
    """Return rows for sources whose worker never answered."""
    rows = [
        {"log": log.log, "source": log.log, "token": "", "unread": log.reason, "note": "",
         "group": "", "read_at": time.time()}
        for log in unread
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, SCHEMA)


def write_table(table: pa.Table, file: Path) -> None:
    """Write a parquet file that is there whole or not at all."""
    passing = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    pq.write_table(table, passing, compression="zstd")
    passing.replace(file)


def write_text(text: str, file: Path) -> None:
    """Write a text file that is there whole or not at all."""
    passing = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    passing.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    passing.replace(file)


def read_json(file: Path, limit: int = 256 * 2**20) -> dict[str, Any]:
    """Return a JSON object from a file, empty where there is none or it is damaged."""
    try:
        if file.stat().st_size > limit:
            return {}
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


# ---------------------------------------------------------------------- reading on a cluster
SMALL = 48 * 2**20
"""Bytes up to which no processes are started: that takes longer than to read so little."""
REACH_SECONDS = 15
AHEAD = 3
"""Batches that wait at each worker, so that none is idle."""
WORKER_MEMORY = "1500MB"
"""A local worker that needs more is restarted, and its batch read log by log."""

Report = Callable[["Progress"], None]


class Progress:
    """How far a run is: sources and bytes, read and in all."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.files = len(sources)
        self.bytes = sum(source.size for source in sources)
        self.files_read = self.bytes_read = self.logs = self.failures = self.unread = 0
        self._start = time.monotonic()

    def advance(self, batch: Sequence[Source], rows: pa.Table) -> None:
        """Count a batch that is read."""
        self.files_read += len(batch)
        self.bytes_read += sum(source.size for source in batch)
        self.logs += rows.num_rows
        self.failures += sum(1 for group in rows.column("group").to_pylist() if group)
        self.unread += sum(1 for why in rows.column("unread").to_pylist() if why)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Seconds to go at the speed so far; None at the beginning."""
        if self.bytes_read < self.bytes / 100 or not self.bytes_read:
            return None
        return self.seconds * (self.bytes - self.bytes_read) / self.bytes_read


def read_all(
    sources: Sequence[Source],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Report | None = None,
) -> Iterator[pa.Table]:
    """Yield the rows of all sources, a batch at a time, in the order in which they are read.

    Raises `TriageError` where a scheduler cannot be reached. A worker that dies is replaced; a log
    that a worker dies of three times is yielded as unread.
    """
    state = Progress(sources)
    todo = list(batches(sources))
    total = sum(source.size for source in sources)
    if scheduler is None and workers is None and (total <= SMALL or len(todo) < 2):
        workers = 1
    rows_of: Iterator[tuple[Sequence[Source], pa.Table]]
    if scheduler is None and workers == 1:
        rows_of = ((batch, read_batch(batch)) for batch in todo)
    else:
        rows_of = _on_cluster(todo, scheduler, workers)
    for batch, rows in rows_of:
        state.advance(batch, rows)
        if progress is not None:
            progress(state)
        yield rows


def _on_cluster(
    todo: Sequence[tuple[Source, ...]], scheduler: str | None, workers: int | None
) -> Iterator[tuple[Sequence[Source], pa.Table]]:
    with cluster_client(scheduler, workers) as client:
        yield from read_with(client, todo)


def read_with(
    client: Any, todo: Sequence[tuple[Source, ...]]
) -> Iterator[tuple[Sequence[Source], pa.Table]]:
    """Yield batches with their rows as the workers of a Dask client read them."""
    from distributed import as_completed

    waiting = list(reversed(todo))
    running: dict[Any, tuple[Source, ...]] = {}
    room = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    done = as_completed(loop=client.loop)

    def submit() -> None:
        while waiting and len(running) < room:
            batch = waiting.pop()
            future = client.submit(read_batch, batch, pure=False, retries=1)
            running[future] = batch
            done.add(future)

    submit()
    while running:
        future = next(done)
        batch = running.pop(future)
        error = None if future.status == "finished" else future.exception()
        if future.status == "finished":
            yield batch, future.result()
        elif len(batch) > 1:
            # Somewhere in it is a log that kills workers: it is found by halves.
            half = len(batch) // 2
            waiting.extend((batch[half:], batch[:half]))
        else:
            why = f"its worker died while reading it ({type(error).__name__})"
            yield batch, unread_rows([Unread(batch[0].url, why)])
        future.release()
        submit()


@contextmanager
def cluster_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, else of a cluster on this machine's cores.

    Raises `TriageError` for a scheduler that cannot be reached.
    """
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # A batch that two workers died of is taken apart; more tries only cost time.
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.comm.timeouts.connect": REACH_SECONDS,
    }
    with dask.config.set(settings):
        if scheduler is not None:
            try:
                client = Client(scheduler, timeout=REACH_SECONDS, set_as_default=False)
            except (OSError, ValueError, TypeError, ImportError) as error:
                raise TriageError(
                    f"cannot reach the Dask scheduler at '{scheduler}' ({type(error).__name__}); "
                    "check the address and that it runs"
                ) from None
            try:
                _check_workers(client, scheduler)
                yield client
            finally:
                client.close()
            return
        # Whoever can connect to a scheduler can run code in it: the local one asks for a
        # certificate that is made for this run and never written.
        with (
            LocalCluster(
                n_workers=workers or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                memory_limit=WORKER_MEMORY,
                security=Security.temporary(),
                host="127.0.0.1",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client


def _check_workers(client: Any, scheduler: str) -> None:
    """Raise `TriageError` where the workers of a cluster cannot read logs."""
    try:
        client.wait_for_workers(1, timeout=REACH_SECONDS)
    except TimeoutError:
        raise TriageError(f"the Dask scheduler at '{scheduler}' has no workers") from None
    versions = client.run(_version)
    here = _version()
    odd = sorted({str(version) for version in versions.values() if version != here})
    if odd:
        raise TriageError(
            f"the workers of '{scheduler}' have dl-bug-lsp {', '.join(odd)}, this machine {here}; "
            "install the same one there: dl-bug-lsp[triage]"
        )


def _version() -> str:
    from dl_bug_lsp import __version__

    return __version__
