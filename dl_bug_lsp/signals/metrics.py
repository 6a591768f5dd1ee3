"""The values of run-time signals: metric streams, what their names tell, and what is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from dl_bug_lsp.logs.log import Process, Span


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
    def in_words(self) -> str:
        """The name in a sentence, with the data where another series may have the same name."""
        is_plain = self.split is Split.HELD_OUT and split_of(self.name) is None
        return f"`{self.name}`" + (" of the held-out data" if is_plain else "")

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


# ---------------------------------------------------------------------- names of metrics
def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


LOSS = _set(
    "loss losses cost nll bce ce xent crossentropy elbo objective mse mae rmse rmsle mape",
    "smape ppl perplexity error wer cer kld bpc bpb eer mpjpe fid logloss mlogloss merror",
)
ACCURACY = _set("acc accuracy top1 acc1 prec1 top5 acc5 acc@1 acc@5 prec@1 prec@5")
SCORE = _set(
    "auc auroc f1 iou miou dice map ap bleu rouge r2 recall precision psnr ssim reward",
    "rewards return returns mcc kappa score scores ndcg mrr hr",
)
GRADIENT = _set("gradnorm gnorm grad gradient gradients grads")
SPREAD = _set("std stddev")
RATE = frozenset({"lr"})
HELD_OUT = _set("val valid validation eval evaluation dev test testing heldout holdout oof")
TRAIN = _set("train training trn fit")
EPOCH = _set("epoch epochs ep")
STEP = _set("step steps iter iters iteration iterations batch update updates")
NO_METRIC = _set(
    "best min max minimum maximum target scale scaler scaling weight weights coef",
    "coefficient type fn func function patience threshold prev previous smoothing lambda",
    "delta tolerance tol init initial clip clipping limit improved time times seconds",
    "name metric norm_type py json csv txt pt yaml yml",
)
DECORATION = _set("avg average mean running current final overall")
MEASURED = _set(
    "mean squared square absolute rate val valid validation train training test relative",
    "recon reconstruction prediction rms avg average l1 l2 pixel word",
)
"""Words beside which ``error`` is a measure and no complaint."""
BINDING = _set(
    "is of was are at now the on set network model became average avg mean value after",
    "for over all data dataset epoch step got has  total split this images samples",
    "examples held out tensor array float32 float64 np numpy jnp torch",
) | (HELD_OUT | TRAIN | DECORATION)
"""Words that may stand between a metric's name and its value without cutting the two apart."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PARTS = re.compile(r"[_/.\-: ]+")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name (``train/valLoss`` gives train, val, loss)."""
    return tuple(w.lower() for part in _PARTS.split(name) for w in _CAMEL.split(part) if w)


@lru_cache(maxsize=4096)
def role_of(name: str) -> Role | None:
    """Return what a metric's name measures, or None where it names no metric."""
    words = words_of(name)
    if not words or NO_METRIC & set(words):
        return None
    joined = "".join(words)
    if words[-1] == "error" and not MEASURED & set(words):
        return None
    if words[-1] in RATE or joined.endswith("learningrate"):
        return Role.RATE
    if "norm" in words or GRADIENT & set(words):
        return Role.GRADIENT if GRADIENT & set(words) or "total" in words else None
    for known, role in (
        (LOSS, Role.LOSS),
        (ACCURACY, Role.ACCURACY),
        (SPREAD, Role.SPREAD),
        (SCORE, Role.SCORE),
    ):
        if known & set(words):
            return role
    return None


@lru_cache(maxsize=4096)
def split_of(name: str) -> Split | None:
    """Return the part of the data that a name speaks of, or None where it does not."""
    words = set(words_of(name))
    if HELD_OUT & words:
        return Split.HELD_OUT
    return Split.TRAIN if TRAIN & words else None


@lru_cache(maxsize=4096)
def base_of(name: str) -> str:
    """Return a metric's name without the words for the part of the data and for averaging."""
    dropped = HELD_OUT | TRAIN | DECORATION
    return "_".join(w for w in words_of(name) if w not in dropped)
