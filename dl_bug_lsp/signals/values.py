"""The values of run-time signals: metric streams and what they say about a training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from dl_bug_lsp.logs.values import Process, Span


class Role(Enum):
    """What a metric measures, as far as its name tells."""

    LOSS = "loss"
    """A training objective or an error: lower is better."""
    ACCURACY = "accuracy"
    """A share of right answers, 0 to 1 here whatever the log prints."""
    SCORE = "score"
    """Any other measure of which more is better (F1, AUC, BLEU, reward, …)."""
    GRADIENT = "gradient"
    """A norm of gradients or of updates."""
    SPREAD = "spread"
    """A standard deviation (of predictions, of activations)."""
    RATE = "rate"
    """A learning rate."""


class Split(Enum):
    """Which part of the data a metric was measured on; TRAIN where the log does not say."""

    TRAIN = "train"
    HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True)
class MetricPoint:
    """One printed value: its 1-based log line, the line's text, and the epoch or step beside it.

    ``is_partial`` marks a progress bar's value in the middle of an epoch.
    """

    value: float
    line: int
    text: str
    epoch: float | None = None
    step: float | None = None
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """One metric of one process over time, in the order of the log."""

    name: str
    role: Role
    split: Split
    points: tuple[MetricPoint, ...]
    process: Process | None = None

    @property
    def values(self) -> tuple[float, ...]:
        """The values in order."""
        return tuple(point.value for point in self.points)

    @property
    def finite(self) -> tuple[float, ...]:
        """The values that are numbers, in order."""
        return tuple(value for value in self.values if math.isfinite(value))


@dataclass(frozen=True, slots=True)
class SilentDiagnosis:
    """What the metrics say went wrong, with the line of the log that shows it best.

    ``category`` is an id of ``categories.toml``; ``line`` (1-based) is where ``evidence`` stands;
    ``why`` is a sentence for people; ``span`` reaches from the first metric to the last.
    """

    category: str
    confidence: float
    why: str
    evidence: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class ClassCount:
    """How many classes a program tells apart, and the ``file:line`` that says so."""

    count: int
    place: str
