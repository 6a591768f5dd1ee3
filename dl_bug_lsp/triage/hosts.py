"""Hosts on which jobs fail more often than chance allows.

Each host is tested against all others by Fisher's exact test, one-sided, with the queues as strata:
the failures of a host's n jobs among K failures of N jobs of a queue follow a hypergeometric law,
and the sum over the queues is its convolution. The p-values are corrected for the number of hosts
by Benjamini and Hochberg (J. R. Stat. Soc. B 57, 1995), which bounds the expected share of hosts
that are named wrongly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FALSE_SHARE = 0.01
"""The expected share of wrongly named hosts among those named, at most."""
_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True)
class HostJob:
    """A job that ran on one host: what it counts for, and whether it failed.

    ``repeats`` is what failures share that one user's broken program makes again and again: of
    these only the first on a host counts. It is empty where nothing is known.
    """

    host: str
    queue: str
    failed: bool
    repeats: str = ""


@dataclass(frozen=True, slots=True)
class BadHost:
    """A host with its jobs, failures, the failures that were expected, and the probabilities.

    ``p`` is the probability of so many failures or more by chance; ``q`` is ``p`` corrected for the
    number of hosts.
    """

    host: str
    jobs: int
    failures: int
    expected: float
    p: float
    q: float


@dataclass(frozen=True, slots=True)
class _Counts:
    """Jobs and failures (a pair each) of every host by queue, and of every queue."""

    hosts: dict[str, dict[str, list[int]]]
    queues: dict[str, list[int]]


def can_tell(jobs: Iterable[HostJob], false_share: float = FALSE_SHARE) -> bool:
    """Say whether there are jobs enough: whether a host would be named if all its jobs failed."""
    counted = _counted(jobs)
    if len(counted.hosts) < 2:
        return False
    logs = _log_factorials(max((row[0] for row in counted.queues.values()), default=0))
    for strata in counted.hosts.values():
        queues = {queue: list(row) for queue, row in counted.queues.items()}
        for queue, (count, failures) in strata.items():
            queues[queue][1] += count - failures
        drawn = [(queues[q][0], queues[q][1], row[0]) for q, row in strata.items()]
        observed = sum(row[0] for row in strata.values())
        if _tail(logs, drawn, observed) * len(counted.hosts) <= false_share:
            return True
    return False


def bad_hosts(jobs: Iterable[HostJob], false_share: float = FALSE_SHARE) -> list[BadHost]:
    """Return the hosts with too many failures, the surest first."""
    counted = _counted(jobs)
    counts, queues = counted.hosts, counted.queues
    if len(counts) < 2:
        return []
    logs = _log_factorials(max((row[0] for row in queues.values()), default=0))
    tested: list[tuple[float, str, int, int, float]] = []
    for host, strata in counts.items():
        n = sum(row[0] for row in strata.values())
        k = sum(row[1] for row in strata.values())
        expected = sum(row[0] * queues[q][1] / queues[q][0] for q, row in strata.items())
        p = _tail(logs, [(queues[q][0], queues[q][1], row[0]) for q, row in strata.items()], k)
        tested.append((p, host, n, k, expected))
    tested.sort()
    # The corrected value of each is the least among it and all after it.
    out: list[BadHost] = []
    least = 1.0
    for rank in range(len(tested), 0, -1):
        p, host, n, k, expected = tested[rank - 1]
        least = min(least, p * len(tested) / rank)
        if least <= false_share and k > expected:
            out.append(BadHost(host, n, k, expected, p, least))
    out.reverse()
    return out


def _counted(jobs: Iterable[HostJob]) -> _Counts:
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    seen: set[tuple[str, str]] = set()
    queues: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for job in jobs:
        if job.failed and job.repeats:
            if (job.host, job.repeats) in seen:
                continue
            seen.add((job.host, job.repeats))
        for row in (counts[job.host][job.queue], queues[job.queue]):
            row[0] += 1
            row[1] += job.failed
    return _Counts(counts, queues)


def _log_factorials(largest: int) -> npt.NDArray[np.float64]:
    numbers = np.arange(largest + 1, dtype=np.float64)
    numbers[0] = 1.0
    return np.cumsum(np.log(numbers))


def _tail(
    logs: npt.NDArray[np.float64], strata: list[tuple[int, int, int]], observed: int
) -> float:
    """Return P(X >= observed) for the sum of one hypergeometric count a stratum (N, K, n)."""
    if observed <= 0:
        return 1.0
    law = np.ones(1)
    for jobs, failures, drawn in strata:
        law = np.convolve(law, _hypergeometric(logs, jobs, failures, drawn))
    return float(min(1.0, max(law[observed:].sum(), _SMALLEST)))


def _hypergeometric(
    logs: npt.NDArray[np.float64], jobs: int, failures: int, drawn: int
) -> npt.NDArray[np.float64]:
    """Return the probabilities of 0, 1, … ``drawn`` failures among ``drawn`` of ``jobs``."""
    law = np.zeros(drawn + 1)
    low, high = max(0, drawn - (jobs - failures)), min(drawn, failures)
    k = np.arange(low, high + 1)

    def choose(n: int, m: npt.NDArray[np.int64] | int) -> npt.NDArray[np.float64]:
        return np.asarray(logs[n] - logs[m] - logs[n - m])

    law[low : high + 1] = np.exp(
        choose(failures, k) + choose(jobs - failures, drawn - k) - choose(jobs, drawn)
    )
    return law
