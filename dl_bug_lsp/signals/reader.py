"""The reader of metric streams: the lines of a log in, one series a metric out.

Metrics printed as tables: a header of names, then rows of numbers (CSV, aligned, boxed).
"""

from __future__ import annotations

import re

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.logs.values import Log, LogLine, Process
from dl_bug_lsp.signals.names import EPOCH, STEP, base_of, role_of, split_of, words_of
from dl_bug_lsp.signals.pairs import LineMetrics, read_line
from dl_bug_lsp.signals.values import MetricPoint, MetricSeries, Role, Split

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

    def add(self, line: LogLine, found: LineMetrics) -> None:
        if found.epoch is not None:
            self.epochs[line.process] = found.epoch
        epoch = self.epochs.get(line.process)
        taken: set[_Key] = set()
        for name, role, split, value in found.values:
            key = (line.process, split, base_of(name))
            # `loss 0.31 (0.35)`-like repetitions and table footers: the first of a line counts.
            if key in taken or self.count >= MAX_POINTS:
                continue
            taken.add(key)
            self.count += 1
            self.names.setdefault(key, (name, role))
            point = MetricPoint(value, line.number, line.text, epoch, found.step, found.is_partial)
            self.points.setdefault(key, []).append(point)

    def series(self) -> tuple[MetricSeries, ...]:
        made = []
        for key, points in self.points.items():
            name, role = self.names[key]
            whole = [p for p in points if not p.is_partial]
            kept = whole if len(whole) >= ENOUGH_WHOLE else points
            made.append(MetricSeries(name, role, key[1], tuple(_as_share(role, kept)), key[0]))
        return tuple(made)


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
        if row is None and " avg" in line.text and (told := _DARKNET.match(line.text)):
            row = LineMetrics(step=float(told["step"]))
            row.values.append(("avg_loss", Role.LOSS, Split.TRAIN, float(told["loss"])))
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
        found = LineMetrics(epoch=float(epoch[1]) if epoch else None)
        found.values.append((f"train {name}", role, Split.TRAIN, train))
        found.values.append((f"valid {name}", role, Split.HELD_OUT, held))
        collector.add(line, found)


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
    found: list[list[str]] = []
    for cells in cells_of(text):
        named = all(c and (c[0].isalpha() or c[0] == "_") and len(c) < 40 for c in cells)
        roles = [role_of(c) for c in cells]
        if named and any(r is not None for r in roles) and cells not in found:
            found.append(cells)
    return found


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
    found = LineMetrics()
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
            found.values.append((name, role, split_of(name) or Split.TRAIN, share))
        elif words_of(name) and words_of(name)[-1] in EPOCH:
            found.epoch = value
        elif words_of(name) and words_of(name)[-1] in STEP:
            found.step = value
    return found if found.values else None
