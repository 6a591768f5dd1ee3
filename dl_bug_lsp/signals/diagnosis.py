"""What metric series say went wrong: the rules in their order, and the failures made of them.

A silent failure is a run that raised nothing and whose metrics say that it failed. Thresholds are
chosen so that a run that improves is left alone; each has its reason beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from dl_bug_lsp.logs.log import Log, Process, Span
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.signals.metrics import (
    ClassCount,
    MetricPoint,
    MetricSeries,
    Role,
    SilentDiagnosis,
    Split,
    base_of,
    words_of,
)
from dl_bug_lsp.signals.reader import read_metrics
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind


# ---------------------------------------------------------------------- statistics of series
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


def main_loss(losses: tuple[MetricSeries, ...]) -> MetricSeries | None:
    """Return the series that is the objective: plain ``loss`` first, else the longest."""
    if not losses:
        return None
    plain = {"loss": 0, "total_loss": 1, "loss_total": 1, "loss_epoch": 2, "loss_step": 4}
    order = sorted(
        range(len(losses)),
        key=lambda i: (_rank(losses[i].name, plain), -len(losses[i].points), i),
    )
    return losses[order[0]]


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


FEW_CLASSES = range(3, 7)
"""Numbers of classes whose even odds a loss tells apart; those of more lie too close together."""
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


# ---------------------------------------------------------------------- rules
FLAT = 0.05
"""A loss that fell by less than a twentieth over a whole run has not been learnt from."""
SLOW = 0.02
"""The same for a loss that falls steadily: less than this is a rate far too low."""
PLATEAU = 0.02
"""After its first value a loss that moves by less than this stands still."""
RISE = 1.3
"""A loss that ends a third above its start diverges; noise of a healthy run stays below."""
SAME_STATE = 5e-4
"""How far apart, as a share, two values of one state of a model are printed."""
LEAST_EPOCHS = 3
"""Fewer values of a series say nothing of where it goes."""
VAL_RISE = 1.15
"""Held-out loss this far above its best, while training loss falls on, is overfitting."""
GAP = 0.12
"""Between training and held-out accuracy; smaller gaps are usual."""
ASTRONOMICAL = 1e15
"""Squared errors of prices reach 1e12; beyond that only exploding weights lead."""
JUMP, JUMP_VALUES, LEARNT = 2.0, 12, 0.8
"""A loss that doubles in the first third of at least 12 values and ends above 0.8 of its start."""
LOST = 0.3
"""A reward that ends below this share of its best, after it was learnt, has collapsed."""
RUNAWAY = 1e3
"""A loss this many times beyond where it began, on either side of zero, has no bound."""

_STOPPED = re.compile(
    r"Invalid loss, terminating training|\bloss (?:is|became|went|was) (?:now )?(?:nan|inf)"
    r"|\b(?:nan|inf)(?:/inf)? (?:loss|values?) (?:detected|encountered|found|in loss)"
    r"|non-?finite loss|\bnan in summary histogram for",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^[\s\d.,:/%()|-]*(?P<tensor>tensor\()?[-+]?nan\b[\s,)]*(?:device='[\w:]+'[\s,]*)?"
    r"(?P<graph>grad_fn=<\w+>[\s,]*)?\)?\s*$"
)
"""What `print(step, loss)` shows where the loss is NaN: numbers, and NaN as the last."""
_LEAST_BARE = 2
_ROUND = re.compile(r"^\W{0,4}(?:epoch|step|iter(?:ation)?|batch|round)\b\W{0,3}\d", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|\d+\.\d+(?:e[-+]?\d+)?)(?![\w.])", re.IGNORECASE)
"""Values in a line that tells of a round; whole numbers count or measure nothing there."""
_ADVERSARIAL = re.compile(
    r"(?:^|_)(?:d|g|disc|gen|discriminator|generator|actor|critic|q|policy)(?:_|$)"
)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The series of one process, those of a failure's last run, and the log."""

    series: tuple[MetricSeries, ...]
    log: Log
    classes: ClassCount | None = None

    def of(self, role: Role, split: Split | None = None) -> tuple[MetricSeries, ...]:
        """Return the series of a role."""
        return tuple(
            s for s in self.series if s.role is role and split in (None, s.split) and s.points
        )

    @property
    def loss(self) -> MetricSeries | None:
        """The objective on training data, or on held-out data where no other is printed."""
        return main_loss(self.of(Role.LOSS, Split.TRAIN)) or main_loss(self.of(Role.LOSS))


Found = tuple[str, float, str, MetricPoint]
Rule = Callable[[RunSummary], Found | None]


def diagnose(
    series: tuple[MetricSeries, ...], log: Log, classes: ClassCount | None = None
) -> SilentDiagnosis | None:
    """Say what went wrong in a training without any error, or None where it looks healthy.

    ``classes`` is what the program's files say of its classes, for logs that do not tell.
    """
    stopped = _stopped(log)
    last = max((p.line for s in series for p in s.points), default=0)
    for process in _processes(series):
        own = tuple(s for s in series if s.process == process)
        for rule in RULES:
            finding = rule(RunSummary(own, log, classes))
            if finding is not None:
                # What the log itself says at its end tells more than the trend before it.
                at_end = stopped is not None and stopped.line > last
                if at_end:
                    return stopped
                found = _diagnosis(finding, own)
                untrained = _nothing_trained(log) if found.category in _UNLEARNT else None
                return untrained or found
    return stopped or _of_rounds(log) or _bare(log)


_UNLEARNT = frozenset(("accuracy_at_chance", "loss_stagnation"))
_TRAINABLE = re.compile(
    r"(?<!non[- ])\btrainable (?:params|parameters)\W{1,4}(?P<behind>\d[\d.,]*)(?![\w.])"
    r"|^\W{0,3}(?P<before>\d[\d.,]*) {1,12}trainable params",
    re.IGNORECASE,
)
"""How peft, Keras and torchinfo, and Lightning, tell how many parameters a model trains."""


def _nothing_trained(log: Log) -> SilentDiagnosis | None:
    """Find that the whole model is frozen: the last count of trainable parameters is zero."""
    counts = [(line, m) for line in log.lines if (m := _TRAINABLE.search(line.text[:400]))]
    if not counts or (counts[-1][1]["behind"] or counts[-1][1]["before"]).strip("0.,"):
        return None
    line = counts[-1][0]
    why = "the log counts no trainable parameters"
    span = Span(line.number, line.number)
    return SilentDiagnosis("dead_gradients", 0.9, why, line.text.strip()[:300], line.number, span)


def _processes(series: tuple[MetricSeries, ...]) -> list[Process | None]:
    """Return the processes by falling number of values: the one that reports comes first."""
    counts: dict[Process | None, int] = {}
    for metric in series:
        counts[metric.process] = counts.get(metric.process, 0) + len(metric.points)
    return sorted(counts, key=lambda p: -counts[p])


def _diagnosis(finding: Found, series: tuple[MetricSeries, ...]) -> SilentDiagnosis:
    category, confidence, why, point = finding
    lines = [point.line, *(p.line for s in series for p in last_run(s.points))]
    span = Span(min(lines), max(lines))
    return SilentDiagnosis(category, confidence, why, point.text.strip()[:300], point.line, span)


def _of_rounds(log: Log) -> SilentDiagnosis | None:
    """Find rounds of which all values are NaN, whatever their names are."""
    found = [line for line in log.lines if _ROUND.match(line.text) and _is_all_nan(line.text)]
    if len(found) < _LEAST_BARE:
        return None
    why = f"all values of {len(found)} rounds are NaN"
    span = Span(found[0].number, found[-1].number)
    return SilentDiagnosis("loss_nan", 0.8, why, found[0].text.strip(), found[0].number, span)


def _is_all_nan(text: str) -> bool:
    values = [value.lower().lstrip("+-") for value in _NUMBER.findall(text[:400])]
    return bool(values) and set(values) == {"nan"}


def _bare(log: Log) -> SilentDiagnosis | None:
    """Find NaN that is printed without a name: by a tensor with a gradient, or line after line."""
    found = [(line, m) for line in log.lines if (m := _BARE.match(line.text[:200])) is not None]
    if not found or (len(found) < _LEAST_BARE and not found[0][1]["graph"]):
        return None
    first, last = found[0][0], found[-1][0]
    why = "the log prints NaN"
    span = Span(first.number, last.number)
    return SilentDiagnosis("loss_nan", 0.7, why, first.text.strip(), first.number, span)


def _stopped(log: Log) -> SilentDiagnosis | None:
    for line in log.lines:
        if _STOPPED.search(line.text[:1000]):
            named = "loss" in line.text.lower()
            why = f"the log says that {'the loss' if named else 'a value'} is not a number"
            span = Span(line.number, line.number)
            text = line.text.strip()[:300]
            return SilentDiagnosis("loss_nan", 0.9, why, text, line.number, span)
    return None


# ---------------------------------------------------------------------- the rules
def _not_a_number(context: RunSummary) -> Found | None:
    """NaN or infinity in a loss; in another metric only where the last value is one, too."""
    kinds = ((Role.LOSS, 0.95), (Role.SCORE, 0.6), (Role.SPREAD, 0.5), (Role.GRADIENT, 0.6))
    for role, confidence in kinds:
        for metric in context.of(role):
            bad = [p for p in metric.points if not math.isfinite(p.value)]
            if role is Role.SCORE and context.loss is not None and _ends_finite(context.loss):
                # Scores of an empty batch or class are 0/0.
                continue
            # One infinite step that training got over (a scaled gradient) is no failure.
            broken = sum(1 for p in bad if math.isnan(p.value)) if role is Role.LOSS else 0
            lasts = not math.isfinite(metric.points[-1].value) or 2 * len(bad) > len(metric.points)
            if bad and (lasts or 10 * broken > len(metric.points)):
                why = f"`{metric.name}` is {bad[0].value} from line {bad[0].line} on"
                return "loss_nan", confidence, why, bad[0]
    return None


def _ends_finite(series: MetricSeries) -> bool:
    return math.isfinite(series.points[-1].value)


def _astronomical(context: RunSummary) -> Found | None:
    """Find a loss that is still a number, but none that any unit of measurement explains."""
    loss = context.loss
    if loss is None or not loss.finite or abs(loss.finite[-1]) < ASTRONOMICAL:
        return None
    point = loss.points[-1]
    return "loss_divergence", 0.9, f"`{loss.name}` is as large as {point.value:.1e}", point


def _no_gradient(context: RunSummary) -> Found | None:
    """Gradients of exactly zero, or a loss that repeats to the last digit that is printed.

    A constant loss alone is called stagnation: a learning rate of zero gives it as well.
    """
    for metric in context.of(Role.GRADIENT):
        zero = [p for p in metric.points if p.value == 0.0]
        if len(zero) >= 2 and len(zero) >= 0.9 * len(metric.points):
            return "dead_gradients", 0.9, f"`{metric.name}` is 0 all along", zero[0]
    loss = context.loss
    moves = any(len(set(s.values)) > 1 for s in context.of(Role.ACCURACY))
    if loss is not None and is_constant(loss.values) and not moves:
        why = f"`{loss.name}` never changes in {len(loss.points)} values"
        return "loss_stagnation", 0.85, why, loss.points[-1]
    return None


def _without_last_evaluation(points: tuple[MetricPoint, ...]) -> tuple[MetricPoint, ...]:
    """Return the points without the last ones that say again what an earlier one said.

    Many programs evaluate the best state once more when the training has ended, and some print that
    value twice.
    """
    if len(points) < 4:
        return points
    last, end = points[-1].value, len(points) - 1
    while end and math.isclose(points[end - 1].value, last, rel_tol=SAME_STATE):
        end -= 1
    again = any(math.isclose(p.value, last, rel_tol=SAME_STATE) for p in points[:end])
    return points[:end] if again and end >= LEAST_EPOCHS else points


def _held_out_guesses(context: RunSummary) -> Found | None:
    """Find held-out data of which no more is known than by guessing, whatever training loss does.

    Only where the number of classes is known: how low an accuracy is, is one by it.
    """
    count = classes_in(context.log) or (context.classes.count if context.classes else None)
    accuracy = _accuracy(context, Split.HELD_OUT)
    trend = trend_of(accuracy.finite) if accuracy is not None else None
    held = main_loss(context.of(Role.LOSS, Split.HELD_OUT))
    losses = trend_of(held.finite) if held is not None else None
    if count is None or accuracy is None or trend is None or trend.count < LEAST_EPOCHS:
        return None
    told = losses is not None and losses.end < (1 - UNTOLD) * math.log(count)
    if told or trend.end > 1 / count + NEAR * min(1.0, 5 / count):
        return None
    if context.loss is None or not _falls(context.loss, FLAT):
        return None  # Where training loss stands still, too, the other rules know more.
    why = f"{accuracy.in_words} ends at {accuracy.finite[-1]:.3g} while `{context.loss.name}` falls"
    why = f"{why}: guessing gives {1 / count:.3g}{_said_by(context, count)}"
    return "accuracy_at_chance", 0.7, why, accuracy.points[-1]


def _said_by(context: RunSummary, count: int) -> str:
    """Return on what number of classes a level of guessing rests; empty where the log tells it."""
    if classes_in(context.log):
        return ""
    place = context.classes.place if context.classes is not None else ""
    return f" if there are {count} classes" + (f", as {place} says" if place else "")


def _overfitting(context: RunSummary) -> Found | None:
    train, held = context.loss, main_loss(context.of(Role.LOSS, Split.HELD_OUT))
    learns = train is not None and train.split is Split.TRAIN and _falls(train, 0.2)
    if learns and held is not None:
        points = _without_last_evaluation(last_run(held.points))
        trend = trend_of(tuple(p.value for p in points))
        late = trend is not None and trend.count - 1 - trend.low_at >= max(2, trend.count // 5)
        if trend is not None and late and trend.low > 0 and trend.end > VAL_RISE * trend.low:
            why = (
                f"`{held.name}` rises from {trend.low:.4g} to {_near(trend.end, held)} while "
                "training loss falls"
            )
            return "overfitting", 0.9, why, points[-1]
    return _gap(context)


def _gap(context: RunSummary) -> Found | None:
    """Nearly every training sample right, many held-out ones wrong."""
    train = _accuracy(context, Split.TRAIN)
    held = _accuracy(context, Split.HELD_OUT)
    if train is None or held is None:
        return None
    inner, outer = trend_of(train.finite), trend_of(held.finite)
    if inner is None or outer is None:
        return None
    if inner.end >= 0.85 and inner.end - outer.end >= GAP:
        why = f"accuracy is {inner.end:.2f} in training and {outer.end:.2f} on held-out data"
        return "overfitting", 0.75, why, held.points[-1]
    return None


def _divergence(context: RunSummary) -> Found | None:
    loss = context.loss
    if loss is None or _scores_improve(context):
        return None
    points = last_run(loss.points)
    trend = trend_of(tuple(p.value for p in points))
    if trend is None or trend.count < 3:
        return None
    size = max(abs(trend.start), 1.0)
    if trend.end < -RUNAWAY * size or (trend.end < 0 < trend.start and trend.end < -20 * size):
        why = f"`{loss.name}` runs below any bound (to {_near(trend.end, loss)})"
        return "loss_divergence", 0.8, why, points[-1]
    if trend.start > 0 and trend.end > RISE * trend.start and not _adversarial(loss):
        sure = 0.9 if trend.end > 3 * trend.start else 0.7
        why = f"`{loss.name}` rises from {_near(trend.start, loss)} to {_near(trend.end, loss)}"
        return "loss_divergence", sure, why, points[-1]
    return None


def _early_jump(context: RunSummary) -> Found | None:
    """Find a loss that jumps far above its start at once, and learns next to nothing after it."""
    loss = context.loss
    if loss is None or _scores_improve(context) or _adversarial(loss):
        return None
    points = [p for p in last_run(loss.points) if math.isfinite(p.value)]
    if len(points) < JUMP_VALUES:
        return None
    start = points[0].value
    at = max(range(len(points) // 3), key=lambda index: points[index].value)
    rest = trend_of(tuple(p.value for p in points[len(points) // 3 :]))
    if start <= 0 or points[at].value < JUMP * start or rest is None:
        return None
    if rest.end > LEARNT * start and abs(rest.drop) < 2 * FLAT:
        why = (
            f"`{base_of(loss.name)}` jumps from {start:g} to {points[at].value:g}, then stays near "
        )
        return "loss_divergence", 0.6, f"{why}{rest.end:.4g}", points[at]
    return None


OF_HITS = frozenset(("f1", "iou", "miou", "dice", "map", "ap", "bleu", "recall", "precision"))
"""Words of scores that are zero where nothing is hit."""


ALL_WRONG = 4
"""As many accuracies of exactly zero are no chance."""
LEARNS = 0.5
"""A loss that fell by half on the same samples has been learnt from."""
COMPUTED_WRONGLY = "the accuracy may be computed wrongly"
"""Said where the loss shows that the model is good at what the accuracy says it cannot do."""


def _no_hits(context: RunSummary) -> Found | None:
    """Find an accuracy, or another share of hits, that never leaves zero."""
    if _scores_improve(context):
        return None
    shares = [s for s in context.of(Role.SCORE) if OF_HITS.intersection(words_of(s.name))]
    for metric in (*context.of(Role.ACCURACY), *shares):
        values = [p.value for p in last_run(metric.points) if math.isfinite(p.value)]
        most = max(values, default=1.0)
        if most == 0 and len(values) >= ALL_WRONG and metric.role is Role.ACCURACY:
            loss = main_loss(context.of(Role.LOSS, metric.split))
            trend = trend_of(tuple(p.value for p in last_run(loss.points))) if loss else None
            if loss is not None and trend is not None and trend.low > 0 and trend.drop > LEARNS:
                falls = f"from {_near(trend.start, loss)} to {_near(trend.end, loss)}"
                why = f"`{metric.name}` is 0 in all {len(values)} values, but `{loss.name}` falls"
                why = f"{why} {falls}: {COMPUTED_WRONGLY}"
                return "accuracy_at_chance", 0.8, why, metric.points[-1]
        if len(values) >= 8 and most <= 0.005 and values[-1] <= max(values[:3]) + 0.001:
            level = f"0 in all {len(values)} values"
            if most:
                level = f"never above {most:.2g} in {len(values)} values"
            why = f"`{metric.name}` is {level}"
            return "accuracy_at_chance", 0.5, why, metric.points[-1]
    return None


def _falling_score(context: RunSummary) -> Found | None:
    """Find a measure of success that gets clearly worse and stays so (a reward, an F1)."""
    for metric in context.of(Role.SCORE):
        values = [p.value for p in last_run(metric.points) if math.isfinite(p.value)]
        if len(values) < 5:
            continue
        start, late = values[0], values[len(values) // 2 :]
        end = median(late)
        if start - end > 0.2 * max(abs(start), 0.3) and max(late) < start:
            why = f"`{metric.name}` falls from {start:g} to {_near(end, metric)}"
            return "loss_divergence", 0.6, why, metric.points[-1]
    return None


def _collapse(context: RunSummary) -> Found | None:
    """Find a reward that was learnt and is lost again."""
    for metric in context.of(Role.SCORE):
        values = [p.value for p in last_run(metric.points) if math.isfinite(p.value)]
        if len(values) < 6 or not {"reward", "return", "rewards"} & set(
            base_of(metric.name).split("_")
        ):
            continue
        best, late = max(values), values[-max(2, len(values) // 3) :]
        if best > 0 and best > 2 * abs(values[0]) and max(late) < LOST * best:
            why = f"`{metric.name}` falls from {best:g}, its best, to {values[-1]:g}"
            return "loss_divergence", 0.5, why, metric.points[-1]
    return None


def _at_chance(context: RunSummary) -> Found | None:
    """Find an accuracy that guessing gives, too; held-out data is asked first."""
    if _scores_improve(context) and not _even_odds(context):
        return None
    for split in (Split.HELD_OUT, Split.TRAIN):
        accuracy = _accuracy(context, split)
        trend = trend_of(accuracy.finite) if accuracy is not None else None
        if accuracy is None or trend is None:
            continue
        loss = main_loss(context.of(Role.LOSS, split)) or context.loss
        end = trend_of(tuple(p.value for p in last_run(loss.points))) if loss is not None else None
        loss_end = end.end if end is not None else None
        assumed = context.classes.count if context.classes is not None else None
        chance = chance_level(trend.end, loss_end, context.log, assumed)
        # Few values tell little: a first epoch may well be at chance.
        sure = chance[1] - (0.3 if trend.count < 3 else 0.0) if chance is not None else 0.0
        if chance is not None and assumed is None and _is_of_more_classes(context, chance[0]):
            sure = min(sure, 0.5)
        flat = _stagnation(context) if split is Split.HELD_OUT and sure < 0.7 else None
        if flat is not None and flat[1] > sure:
            # A training loss that never moved says more than what follows from it.
            return flat
        if chance is not None and sure >= 0.4:
            known = _said_by(context, round(1 / chance[0]))
            is_flat = len(accuracy.finite) > 1 and len(set(accuracy.finite)) == 1
            verb = "stays at" if is_flat else "ends at" if len(accuracy.finite) > 1 else "is"
            last = accuracy.finite[-1] if accuracy.finite else trend.end
            why = f"{accuracy.in_words} {verb} {last:.3g}: guessing gives {chance[0]:.3g}{known}"
            return "accuracy_at_chance", round(sure, 2), why, accuracy.points[-1]
    return None


def _is_of_more_classes(context: RunSummary, chance: float) -> bool:
    """Whether training loss has settled on ln k, and k is another number than two is assumed."""
    if chance != 0.5 or classes_in(context.log) or context.loss is None:
        return False
    trend = trend_of(tuple(p.value for p in last_run(context.loss.points)))
    evens = [math.log(count) for count in FEW_CLASSES]
    return trend is not None and any(abs(trend.end - e) <= NEAR_LOSS * e for e in evens)


def _even_odds(context: RunSummary) -> bool:
    """Whether the loss has settled on ln 2: both classes get the same odds, whatever the share."""
    loss = context.loss
    values = [p.value for p in last_run(loss.points)] if loss is not None else []
    last = values[-max(3, len(values) // 3) :]
    return len(last) >= 3 and all(abs(v - math.log(2)) <= 0.05 * math.log(2) for v in last)


def _stagnation(context: RunSummary) -> Found | None:
    loss = context.loss
    if loss is None or _scores_improve(context) or _adversarial(loss):
        return None
    points = last_run(loss.points)
    trend = trend_of(tuple(p.value for p in points))
    if trend is None or trend.count < 3 or trend.start <= 0 or trend.end > RISE * trend.start:
        return None
    good = [s for s in context.of(Role.ACCURACY) if s.finite and s.finite[-1] > 0.9]
    if good:
        return None
    many = trend.count >= 5
    least = SLOW if keeps_falling(tuple(p.value for p in points)) else FLAT
    if trend.drop < least:
        ends = f"from {_near(trend.start, loss)} to {_near(trend.end, loss)}"
        why = f"`{loss.name}` goes {ends} in {trend.count} values"
        return "loss_stagnation", 0.85 if many else 0.6, why, points[-1]
    later = trend_of(tuple(p.value for p in points[1:]))
    # Much is learnt in the first epoch of a sound run, too: a plateau counts where little was.
    if many and later is not None and abs(later.drop) < PLATEAU and trend.drop < 0.3:
        why = f"`{loss.name}` stands at {_near(later.end, loss)} from its second value on"
        return "loss_stagnation", 0.6, why, points[-1]
    return None


AREAS = frozenset(("auc", "auroc"))
"""Words of the area under the ROC curve: 0.5 whatever the number of classes and their shares."""
NEAR_HALF = 0.005
"""How far from 0.5 an area is printed that is one half."""


def _no_ranking(context: RunSummary) -> Found | None:
    """Find an area under the ROC curve that stays at one half: all samples get the same score."""
    for metric in context.of(Role.SCORE):
        values = [p.value for p in last_run(metric.points)]
        if len(values) < LEAST_EPOCHS or not AREAS.intersection(words_of(metric.name)):
            continue
        if all(abs(value - 0.5) <= NEAR_HALF for value in values):
            why = f"{metric.in_words} stays at {values[-1]:g}, as where all scores are the same"
            return "accuracy_at_chance", 0.85, why, metric.points[-1]
    return None


def _stuck_metric(context: RunSummary) -> Found | None:
    """Find an accuracy that repeats to the last digit while the loss moves.

    One of few digits repeats by chance on few samples, but not in training and on held-out data.
    """
    accuracies = context.of(Role.ACCURACY)
    all_stuck = len({m.split for m in accuracies}) > 1 and all(
        len(set(m.values)) == 1 for m in accuracies
    )
    for metric in accuracies:
        values = metric.values
        repeats = is_constant(values) or all_stuck
        if len(values) >= 4 and repeats and 0 < values[0] < 0.95:
            why = f"`{metric.name}` is {values[0]:g} in every one of {len(values)} values"
            return "accuracy_at_chance", 0.6, why, metric.points[-1]
    return None


RULES: tuple[Rule, ...] = (
    _not_a_number,
    _astronomical,
    _no_gradient,
    _held_out_guesses,
    _overfitting,
    _no_ranking,
    _at_chance,
    _divergence,
    _early_jump,
    _no_hits,
    _falling_score,
    _collapse,
    _stagnation,
    _stuck_metric,
)


# ---------------------------------------------------------------------- helpers
def _near(value: float, series: MetricSeries) -> str:
    """Return a value of a trend in words; one that the log does not print is about that."""
    return f"{value:g}" if value in series.finite else f"about {value:.4g}"


def _falls(series: MetricSeries, share: float) -> bool:
    trend = trend_of(tuple(p.value for p in last_run(series.points)))
    return trend is not None and trend.count >= 3 and trend.drop > share


def _accuracy(context: RunSummary, split: Split) -> MetricSeries | None:
    accuracies = context.of(Role.ACCURACY, split)
    first = [s for s in accuracies if "5" not in base_of(s.name)]
    return next(iter(first or accuracies), None)


def _scores_improve(context: RunSummary) -> bool:
    """Whether any measure of success clearly gets better."""
    measured = (*context.of(Role.ACCURACY), *context.of(Role.SCORE))
    held = [s for s in measured if s.split is Split.HELD_OUT and len(s.points) >= 3]
    for metric in held or measured:
        values = [p.value for p in last_run(metric.points) if math.isfinite(p.value)]
        if len(values) < 3:
            continue
        third = max(1, len(values) // 3)
        start, end = median(values[:third]), median(values[-third:])
        # Accuracies of small samples wobble by a tenth; scores have scales of their own.
        least = 0.1 if metric.role is Role.ACCURACY else 0.1 * max(abs(start), 0.3)
        if end - start > least:
            return True
    return False


def _adversarial(series: MetricSeries) -> bool:
    """Whether two networks play against each other: their losses need not fall."""
    return _ADVERSARIAL.search(base_of(series.name)) is not None


DIALECT = "metrics"
_HEADER = "Traceback (most recent call last)"


AskClasses = Callable[[], ClassCount | None]
"""Asks a program's files for its classes: only where an accuracy is to be compared with them."""


def silent_failure(log: Log, classes: AskClasses | None = None) -> Failure | None:
    """Return the failure that a log's metrics tell of, None where training looks healthy.

    A log with a traceback never fails silently: its exception is the failure.
    """
    if any(_HEADER in line.text for line in log.lines):
        return None
    diagnosis = _diagnosed(log, classes)
    if diagnosis is None:
        return None
    return Failure(
        kind=FailureKind.SILENT,
        causes=(),
        root=0,
        dialect=DIALECT,
        span=diagnosis.span,
        evidence=diagnosis.evidence,
        primary=True,
    )


def _diagnosed(log: Log, classes: AskClasses | None) -> SilentDiagnosis | None:
    series = read_metrics(log)
    count = None
    if classes is not None and any(metric.role is Role.ACCURACY for metric in series):
        count = classes()
    return diagnose(series, log, count)


PROGRESS = re.compile(
    r"^(?:\d{1,9}/\d{1,9}\s+)?[-━=>.\[\] ]{0,60}(?:\d{1,9}m?s\b\s?-?\s?)?"
    r"(?:\d{1,9}[mu]?s/\w{1,9}\s?-\s?)?"
)
"""What a progress bar of Keras prints before its metrics: ``15/15 - 3s - 203ms/step -``."""


def _without_progress(line: str) -> str:
    return PROGRESS.sub("", line.strip(), count=1).rstrip(" -") or line


def classify_silent(
    failure: Failure, log: Log, classes: AskClasses | None = None
) -> CategoryVerdict:
    """Return the category of a silent failure, ``unclassified`` for any other kind of failure."""
    silent = failure.kind is FailureKind.SILENT
    diagnosis = _diagnosed(log, classes) if silent else None
    if diagnosis is None:
        row = category("unclassified")
        return CategoryVerdict(row.id, row.dimension, 0.0, failure.evidence, "metrics")
    row = category(diagnosis.category)
    rule = f"metrics.{diagnosis.category}"
    shown = f"{diagnosis.why} ({_without_progress(diagnosis.evidence)})"
    return CategoryVerdict(row.id, row.dimension, diagnosis.confidence, shown, rule)
