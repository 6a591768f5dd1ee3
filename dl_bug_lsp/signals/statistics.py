"""Simple statistics of a metric series: its trend, and the accuracy of guessing.

The accuracy of guessing follows from the number of classes, where the log names it, or from the
loss.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from dl_bug_lsp.logs.values import Log
from dl_bug_lsp.signals.values import MetricPoint, MetricSeries, base_of


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


NEAR = 0.05
"""How far (in accuracy) from 1/k counts as guessing: small validation sets wobble."""
NEAR_LOSS = 0.06
"""How far a cross entropy may be from ln k, as a share: that of equal odds for k classes."""

UNTOLD = 0.08
"""A loss within this share of ln k holds next to no information about k known classes."""
_LISTED = re.compile(
    r"\b(?:classes|labels|categories|class names)\W{1,4}"
    r"([\w'\"-]{1,40}(?: ?, ?[\w'\"-]{1,40}){1,30})",
    re.IGNORECASE,
)
_CLASSES = re.compile(
    r"(?:num_?(?:classes|labels)|n_?(?:classes|labels)|classes|labels|categories)\W{1,4}(\d{1,6})\b"
    r"|\b(\d{1,6}) (?:different )?(?:classes|labels|categories)\b"
    r"|belonging to (\d{1,6}) classes",
    re.IGNORECASE,
)
_MAX_LINES = 2_000


def classes_in(log: Log) -> int | None:
    """Return the number of classes that the log tells, or None."""
    for line in log.lines[:_MAX_LINES]:
        match = _CLASSES.search(line.text[:400])
        if match:
            count = int(match[1] or match[2] or match[3])
            if 2 <= count <= 100_000:
                return count
        listed = _LISTED.search(line.text[:400])
        if listed and not any(part.strip()[:1].isdigit() for part in listed[1].split(",")):
            return listed[1].count(",") + 1
    return None


def chance_level(
    accuracy: float, loss: float | None, log: Log, assumed: int | None = None
) -> tuple[float, float] | None:
    """Return the chance level that an accuracy stands at, with a confidence, or None.

    A cross entropy of ln k beside an accuracy near 1/k says that every class gets the same odds
    (in nats; Cover and Thomas, Elements of Information Theory, 2.1). ``assumed`` is the number of
    classes where the log tells none.
    """
    known = classes_in(log) or assumed
    if known is not None:
        near = abs(accuracy - 1 / known) <= max(NEAR * min(1.0, 5 / known), 0.004)
        # A cross entropy that hardly fell below ln k has told the classes apart nowhere.
        blind = loss is not None and loss >= (1 - UNTOLD) * math.log(known)
        if near or (blind and 0 < accuracy < min(0.65, 1.5 / known)):
            return 1 / known, 0.85 if near else 0.6
        return None
    return _chance_by_loss(accuracy, loss) if 0 < accuracy < 0.75 else None


USUAL_COUNTS = frozenset(
    {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 30, 32, 40, 50, 64, 100, 200, 256, 365, 1000}
)
"""Numbers of classes that may be assumed where nothing but an accuracy tells of them."""


def _chance_by_loss(accuracy: float, loss: float | None) -> tuple[float, float] | None:
    for count in (round(1 / accuracy) + step for step in (0, -1, 1)):
        if count < 2 or abs(accuracy - 1 / count) > NEAR + 0.02:
            continue
        even = loss is not None and abs(loss - math.log(count)) <= NEAR_LOSS * math.log(count)
        if even:
            return 1 / count, 0.9
    if loss is not None and accuracy > 0.5 and abs(loss - math.log(2)) <= NEAR_LOSS * math.log(2):
        # One answer for everything: the accuracy is the share of the larger class.
        return 0.5, 0.7
    count = round(1 / accuracy)
    if count == 2 and abs(accuracy - 0.5) <= NEAR + 0.02:
        return 0.5, 0.75
    if count in USUAL_COUNTS and abs(accuracy - 1 / count) <= 0.01 * 10 / max(10, count):
        return 1 / count, 0.6
    return None
