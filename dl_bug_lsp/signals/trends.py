"""Simple statistics of a metric series that the diagnoses are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from dl_bug_lsp.signals.names import base_of
from dl_bug_lsp.signals.values import MetricPoint, MetricSeries


@dataclass(frozen=True, slots=True)
class Trend:
    """Where a series starts and ends: medians of its first sixth and of its last quarter.

    Medians, because single steps of stochastic gradient descent jump; ``low`` and ``high`` are the
    extremes, ``low_at`` the index of the lowest value.
    """

    count: int
    start: float
    end: float
    low: float
    high: float
    low_at: int

    @property
    def drop(self) -> float:
        """How much lower the end is than the start, as a share of the start (negative: higher)."""
        return (self.start - self.end) / max(abs(self.start), 1e-12)


def trend_of(values: tuple[float, ...]) -> Trend | None:
    """Return the trend of the finite values, None where there are none."""
    finite = [v for v in values if math.isfinite(v)]
    if not finite:
        return None
    n = len(finite)
    start = median(finite[: max(1, n // 6)])
    end = median(finite[n - max(1, n // 4) :])
    low = min(finite)
    return Trend(n, start, end, low, max(finite), finite.index(low))


def last_run(points: tuple[MetricPoint, ...], least: int = 3) -> tuple[MetricPoint, ...]:
    """Return the points since the epochs last began anew (folds, trials, phases).

    The run before is taken where the last one has fewer than ``least`` points.
    """
    starts = [0]
    for index in range(1, len(points)):
        before, now = points[index - 1].epoch, points[index].epoch
        if before is not None and now is not None and now < before:
            starts.append(index)
    for start, end in zip(reversed(starts), [len(points), *reversed(starts)], strict=False):
        if end - start >= least:
            return points[start:end]
    return points


def keeps_falling(values: tuple[float, ...]) -> bool:
    """Whether nearly every value is below the one before it (slow, but no standstill)."""
    steps = [b < a for a, b in pairwise(values)]
    return len(steps) >= 2 and sum(steps) >= 0.8 * len(steps)


def is_constant(values: tuple[float, ...]) -> bool:
    """Whether all values are printed alike although they have three digits or more."""
    if len(values) < 3 or any(v != values[0] for v in values):
        return False
    digits = repr(abs(values[0])).replace(".", "").strip("0")
    return len(digits) >= 3


def main_loss(found: tuple[MetricSeries, ...]) -> MetricSeries | None:
    """Return the series that is the objective: plain ``loss`` first, else the longest."""
    if not found:
        return None
    plain = {"loss": 0, "total_loss": 1, "loss_total": 1, "loss_epoch": 2, "loss_step": 4}
    order = sorted(
        range(len(found)),
        key=lambda i: (_rank(found[i].name, plain), -len(found[i].points), i),
    )
    return found[order[0]]


def _rank(name: str, plain: dict[str, int]) -> int:
    return plain.get(base_of(name), 3 if "loss" in name.lower() else 5)
