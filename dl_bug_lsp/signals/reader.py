"""The reader of metric streams: the lines of a log in, one series a metric out.

A metric stands in a line as a name and a value beside it, whatever is between the two, or in a
table: a header of names, then rows of numbers (CSV, aligned, boxed).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.logs.log import Log, LogLine, Process
from dl_bug_lsp.signals.metrics import (
    BINDING,
    EPOCH,
    HELD_OUT,
    STEP,
    TRAIN,
    MetricPoint,
    MetricSeries,
    Role,
    Split,
    base_of,
    role_of,
    split_of,
    words_of,
)

# ------------------------------------------------------------------ names and values in one line
MAX_LINE = 4_000
MAX_NAME_WORDS = 4

_DECIMAL = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{_DECIMAL}(?![\w.])|[-+](?:nan|inf(?:inity)?)\b)"
    r"|(?P<word>[A-Za-z_][\w@]*(?:[/.\-][A-Za-z_][\w@]*)*(?:@\d+)?)"
    r"|(?P<junk>\d[\w.]*)"
    r"|(?P<other>\S)",
    re.IGNORECASE,
)
_NOT_FINITE = {"nan", "inf", "infinity", "-nan", "-inf", "-infinity", "+nan", "+inf", "+infinity"}
_BINDS = frozenset(":='\"([|│┃->~≈<{")
_BAR = re.compile(r"^\s*\d+/\d+ |\d{1,3}%\|")
_BAR_COUNT = re.compile(r"^\s*(\d{1,9})/(\d{1,9}) |(\d{1,3})%\|")
_SOURCES = (".py", ".cu", ".cuh", ".cpp", ".cc", ".h", ".pyx", ".ipynb")
"""How names of source files end: what follows is a line's number."""
_COUNTED = frozenset({"images", "samples", "examples", "batches", "sentences", "inputs"})


@dataclass(slots=True)
class LineMetrics:
    """What one line says: (name, role, part of the data, value) in order, and where in time."""

    values: list[tuple[str, Role, Split, float]] = field(default_factory=list)
    epoch: float | None = None
    step: float | None = None
    is_partial: bool = False


@dataclass(slots=True)
class _State:
    """The scanner's memory: the words of a name that waits for its value."""

    pending: list[str] = field(default_factory=list)
    split: Split | None = None
    is_bound: bool = False


def read_line(text: str) -> LineMetrics:
    """Return the metrics that a line prints; percentages of accuracies come as shares of 1."""
    metrics = LineMetrics(is_partial=_inside_bar(text[:MAX_LINE]))
    state = _State()
    tokens = [(m.lastgroup or "", m.group()) for m in _TOKEN.finditer(text[:MAX_LINE])]
    skip = 0
    for index, (kind, token) in enumerate(tokens):
        if skip:
            skip -= 1
        elif kind == "number" or token.lower() in _NOT_FINITE:
            skip = _number(tokens, index, state, metrics)
        elif kind == "word":
            _word(token, state)
        elif kind == "junk":
            state.pending = []
        elif token in ":=":
            _bind(state)
        elif token in ",;}" or (token not in _BINDS and token not in ")]*"):
            state.pending = []
    return metrics


def _inside_bar(text: str) -> bool:
    if not _BAR.search(text):
        return False
    match = _BAR_COUNT.search(text)
    if match is None:
        return False
    if match[3] is not None:
        return match[3] != "100"
    return int(match[1]) < int(match[2])


def _bind(state: _State) -> None:
    """Take a colon or an equals sign: it binds a name to its value, or ends a prefix."""
    state.is_bound = True
    if not any(
        role_of(w) is not None or w.lower() in EPOCH | STEP | {"rate"} for w in state.pending
    ):
        state.pending = []


def _word(word: str, state: _State) -> None:
    lower = word.lower()
    if lower.endswith(_SOURCES):
        state.pending = []
        return
    if lower in HELD_OUT or lower in TRAIN:
        state.split = Split.HELD_OUT if lower in HELD_OUT else Split.TRAIN
    elif lower in ("evaluating", "validating"):
        state.split = Split.HELD_OUT
    named = any(role_of(w) is not None or w.lower() in EPOCH | STEP for w in state.pending)
    if lower not in BINDING and lower != "norm" and named and role_of(word) is None:
        state.pending = []
    state.pending = [*state.pending[1 - MAX_NAME_WORDS * 2 :], word]
    state.is_bound = False


def _number(tokens: list[tuple[str, str]], index: int, state: _State, metrics: LineMetrics) -> int:
    """Take a number for the waiting name; return how many tokens after it belong to it."""
    following = tokens[index + 1][1].lower() if index + 1 < len(tokens) else ""
    if not state.is_bound and state.pending and _counts(tokens, index):
        return 0
    pending, state.pending, state.is_bound = state.pending, [], False
    if not pending:
        return 0
    value = float(tokens[index][1].replace(",", ""))
    skipped, divisor = 0, _divisor(tokens, index)
    if divisor is not None:
        skipped = 2
    name = _name(pending)
    role = role_of(name) if name else None
    if name is None or role is None:
        _time(pending, value, metrics)
        return skipped
    if role is Role.ACCURACY and divisor:
        value /= divisor
    elif role is Role.ACCURACY and following == "%":
        value /= 100
    split = split_of(name) or state.split or Split.TRAIN
    metrics.values.append((name, role, split, value))
    return skipped


def _counts(tokens: list[tuple[str, str]], index: int) -> bool:
    """Whether a number says how many samples there are (``accuracy on 100 images: 10 %``)."""
    words = {token.lower() for _, token in tokens[index + 1 : index + 3]}
    return tokens[index][1].isdigit() and bool(words & _COUNTED)


def _divisor(tokens: list[tuple[str, str]], index: int) -> float | None:
    after = tokens[index + 1 : index + 3]
    if len(after) == 2 and after[0][1] == "/" and after[1][0] == "number":
        return float(after[1][1].replace(",", ""))
    return None


def _name(pending: list[str]) -> str | None:
    """Return the shortest run of words at the end of what waits that names a metric."""
    for start in range(len(pending) - 1, -1, -1):
        if role_of(pending[start]) is None and pending[start].lower() != "rate":
            continue
        first = start
        while first > 0 and start - first < MAX_NAME_WORDS and _qualifies(pending[first - 1]):
            first -= 1
        return "_".join(pending[first : start + 1])
    return None


def _qualifies(word: str) -> bool:
    """Whether a word before a metric's name is part of the name (``val loss``, ``best acc``)."""
    lower = word.lower()
    return lower not in EPOCH | STEP and lower not in {
        "the",
        "of",
        "is",
        "at",
        "info",
        "on",
        "has",
        "had",
        "and",
        "with",
    }


def _time(pending: list[str], value: float, metrics: LineMetrics) -> None:
    last = pending[-1].lower().rpartition("_")[2]
    if last in EPOCH and metrics.epoch is None:
        metrics.epoch = value
    elif last in STEP and metrics.step is None:
        metrics.step = value


# ---------------------------------------------------------------------- series
MAX_POINTS = 200_000
ENOUGH_WHOLE = 2
"""With this many values at ends of epochs, a progress bar's values in between are left out."""

_TELLS = re.compile(
    r"loss|acc|nll|bce|elbo|mse|mae|ppl|perpl|error|auc|f1|iou|dice|bleu|r2|reward|return|score"
    r"|grad|gnorm|lr|learning|std|cost|top|prec|recall|wer|cer|xent|objective|psnr|kappa|mcc|mrr"
    r"|ndcg|map\b|\bce\b|kld|bp[bc]|rouge",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d|nan|inf", re.IGNORECASE)
_EPOCH_HEADING = re.compile(r"^\W{0,6}epoch\W{0,3}(\d{1,7})(?:\s*/\s*\d+)?\W*$", re.IGNORECASE)

_BARE = re.compile(
    r"\b(?:train(?:ing)?|trn)\W{0,3}(?P<train>\d{1,9}\.\d{1,12}(?:e[-+]?\d{1,3})?)"
    r"[^\d]{1,40}\b(?:val(?:id(?:ation)?)?|test|dev|eval|held-?out)"
    r"\W{0,3}(?P<held>\d{1,9}\.\d{1,12}(?:e[-+]?\d{1,3})?)(?![\w.])",
    re.IGNORECASE,
)
_DARKNET = re.compile(
    r"^\s*(?P<step>\d{1,9}): (?:-?nan|inf|\d[\d.]*), (?P<loss>-?nan|inf|\d[\d.]*) avg(?: loss)?, "
)
"""Darknet's line of an iteration: its loss, the mean of the last ones, the rate."""
_BARE_EPOCH = re.compile(r"\b(?:epoch|ep)\W{0,3}(\d{1,7})", re.IGNORECASE)
ENOUGH_BARE = 3
_Key = tuple[Process | None, Split, str]


class _Collector:
    """Sorts values into series as the lines go by."""

    def __init__(self) -> None:
        self.points: dict[_Key, list[MetricPoint]] = {}
        self.names: dict[_Key, tuple[str, Role]] = {}
        self.epochs: dict[Process | None, float] = {}
        self.count = 0

    def add(self, line: LogLine, metrics: LineMetrics) -> None:
        if metrics.epoch is not None:
            self.epochs[line.process] = metrics.epoch
        epoch = self.epochs.get(line.process)
        taken: set[_Key] = set()
        for name, role, split, value in metrics.values:
            key = (line.process, split, base_of(name))
            # `loss 0.31 (0.35)`-like repetitions and table footers: the first of a line counts.
            if key in taken or self.count >= MAX_POINTS:
                continue
            taken.add(key)
            self.count += 1
            self.names.setdefault(key, (name, role))
            point = MetricPoint(
                value, line.number, line.text, epoch, metrics.step, metrics.is_partial
            )
            self.points.setdefault(key, []).append(point)

    def series(self) -> tuple[MetricSeries, ...]:
        series = []
        for key, points in self.points.items():
            name, role = self.names[key]
            whole = [p for p in points if not p.is_partial]
            points_used = whole if len(whole) >= ENOUGH_WHOLE else points
            series.append(
                MetricSeries(name, role, key[1], tuple(_as_share(role, points_used)), key[0])
            )
        return tuple(series)


def read_metrics(log: Log) -> tuple[MetricSeries, ...]:
    """Return the metric series of a log in order of their first value; never raises.

    Understood: Keras' progress lines, ``name: value``, ``name=value`` and ``name value`` in any
    order, dictionaries and JSON lines, bars with a postfix, CSV and tables under a header.
    Accuracies come as shares of 1; the part of the data is told by the name or by a word before it.
    """
    collector = _Collector()
    bare: list[tuple[LogLine, float, float]] = []
    tables: dict[Process | None, TableReader] = {}
    for line in stepwise(log.lines):
        if not line.text or line.text.isspace():
            continue
        heading = _EPOCH_HEADING.match(line.text) if len(line.text) < 80 else None
        if heading:
            collector.epochs[line.process] = float(heading[1])
            continue
        reader = tables.setdefault(line.process, TableReader())
        row = reader.feed(line)
        if row is None and " avg" in line.text and (progress := _DARKNET.match(line.text)):
            row = LineMetrics(step=float(progress["step"]))
            row.values.append(("avg_loss", Role.LOSS, Split.TRAIN, float(progress["loss"])))
        if row is None and _TELLS.search(line.text) and _VALUE.search(line.text):
            row = read_line(line.text)
        if row is not None:
            collector.add(line, row)
        if (row is None or not row.values) and (pair := _BARE.search(line.text[:400])):
            bare.append((line, float(pair["train"]), float(pair["held"])))
    if not collector.points and len(bare) >= ENOUGH_BARE:
        _add_bare(collector, bare)
    return collector.series()


def _add_bare(collector: _Collector, bare: list[tuple[LogLine, float, float]]) -> None:
    """Take `train 0.41 valid 0.52` without a metric's name for a loss, or for an accuracy.

    Losses fall in training; what rises and stays below one is an accuracy.
    """
    rises = bare[-1][1] > bare[0][1] and all(0 <= v <= 1 for _, *pair in bare for v in pair)
    name, role = ("accuracy", Role.ACCURACY) if rises else ("loss", Role.LOSS)
    for line, train, held in bare:
        epoch = _BARE_EPOCH.search(line.text[:400])
        metrics = LineMetrics(epoch=float(epoch[1]) if epoch else None)
        metrics.values.append((f"train {name}", role, Split.TRAIN, train))
        metrics.values.append((f"valid {name}", role, Split.HELD_OUT, held))
        collector.add(line, metrics)


def _as_share(role: Role, points: list[MetricPoint]) -> list[MetricPoint]:
    """Return accuracies printed as per cent without a sign as shares of 1."""
    top = max((p.value for p in points if p.value == p.value), default=0.0)
    if role is not Role.ACCURACY or not 1.5 < top <= 100:
        return points
    return [
        MetricPoint(p.value / 100, p.line, p.text, p.epoch, p.step, p.is_partial) for p in points
    ]


MAX_COLUMNS = 40
MAX_GAP = 400
"""How many lines may lie between two rows of a table (an epoch's other output)."""

_NUMBER = re.compile(
    r"^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?$|^[-+]?(?:nan|inf)$", re.IGNORECASE
)
_RULE = re.compile(r"^[\s|+:=\-─━═┼│┃╇┡┩├┤┴┬╭╮╰╯┏┓┗┛]+$")
_BAR_BEHIND = re.compile(r":\s+\d{1,3}%\|.*$")
_BARS = str.maketrans({"│": "|", "┃": "|"})
_WIDE = re.compile(r"\s{2,}|\t")


def cells_of(text: str) -> list[list[str]]:
    """Return the ways to cut a line into cells: by bars, commas, wide gaps, blanks."""
    line = text.translate(_BARS).strip()
    ways: list[list[str]] = []
    if "|" in line:
        ways.append([c.strip() for c in line.strip("|").split("|")])
    if "," in line:
        ways.append([c.strip().strip('"') for c in line.split(",")])
    ways.append([c for c in _WIDE.split(line) if c])
    ways.append(line.split())
    return [w for w in ways if 2 <= len(w) <= MAX_COLUMNS]


def header_of(text: str) -> list[list[str]]:
    """Return the headers that a line may be: all cells are names, at least one is a metric's."""
    if len(text) > 1000:
        return []
    headers: list[list[str]] = []
    for cells in cells_of(text):
        named = all(c and (c[0].isalpha() or c[0] in "_#") and len(c) < 40 for c in cells)
        roles = [role_of(c) for c in cells]
        if named and any(r is not None for r in roles) and cells not in headers:
            headers.append(cells)
    return headers


class TableReader:
    """Reads rows under the last header that was seen."""

    def __init__(self) -> None:
        self._headers: list[list[str]] = []
        self._since = 0

    def feed(self, line: LogLine) -> LineMetrics | None:
        """Take the next line; return the metrics of a row, None for any other line."""
        if _RULE.match(line.text):
            return None
        headers = header_of(line.text)
        if headers:
            self._headers, self._since = headers, 0
            return None
        if not self._headers:
            return None
        self._since += 1
        if self._since > MAX_GAP:
            self._headers = []
            return None
        for cells in cells_of(_BAR_BEHIND.sub("", line.text)):
            for header in self._headers:
                row = _row(header, cells)
                if row is not None:
                    self._since = 0
                    return row
        return None


def _row(header: list[str], cells: list[str]) -> LineMetrics | None:
    if len(cells) != len(header) or sum(1 for c in cells if _NUMBER.match(c)) * 2 < len(cells):
        return None
    metrics = LineMetrics()
    for name, cell in zip(header, cells, strict=True):
        role = role_of(name)
        if not _NUMBER.match(cell):
            measured = role in (Role.LOSS, Role.ACCURACY) and not cell[:1].isdigit()
            if measured and cell.lower() not in {"no log", "-", "n/a", "none", ""}:
                return None
            continue
        value = float(cell.rstrip("%"))
        if role is not None:
            share = value / 100 if role is Role.ACCURACY and cell.endswith("%") else value
            metrics.values.append((name, role, split_of(name) or Split.TRAIN, share))
        elif words_of(name) and words_of(name)[-1] in EPOCH:
            metrics.epoch = value
        elif name == "#" or (words_of(name) and words_of(name)[-1] in STEP):
            metrics.step = value
    return metrics if metrics.values else None
