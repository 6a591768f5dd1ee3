"""Batches read in this process or on a Dask cluster: the machine's own, or one that is there."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from dl_bug_lsp.triage import TriageError
from dl_bug_lsp.triage.batches import batches, read_batch
from dl_bug_lsp.triage.sources import Source, Unread
from dl_bug_lsp.triage.store import unread_rows

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
