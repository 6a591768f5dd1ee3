"""Names and the values beside them in one line of a log, whatever stands between the two."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dl_bug_lsp.signals.names import BINDING, EPOCH, HELD_OUT, STEP, TRAIN, role_of, split_of
from dl_bug_lsp.signals.values import Role, Split

MAX_LINE = 4_000
MAX_NAME_WORDS = 4

_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER}(?![\w.])|[-+](?:nan|inf(?:inity)?)\b)"
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
    found = LineMetrics(is_partial=_inside_bar(text[:MAX_LINE]))
    state = _State()
    tokens = [(m.lastgroup or "", m.group()) for m in _TOKEN.finditer(text[:MAX_LINE])]
    skip = 0
    for index, (kind, token) in enumerate(tokens):
        if skip:
            skip -= 1
        elif kind == "number" or token.lower() in _NOT_FINITE:
            skip = _number(tokens, index, state, found)
        elif kind == "word":
            _word(token, state)
        elif kind == "junk":
            state.pending = []
        elif token in ":=":
            _bind(state)
        elif token in ",;}" or (token not in _BINDS and token not in ")]*"):
            state.pending = []
    return found


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


def _number(tokens: list[tuple[str, str]], index: int, state: _State, found: LineMetrics) -> int:
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
        _time(pending, value, found)
        return skipped
    if role is Role.ACCURACY and divisor:
        value /= divisor
    elif role is Role.ACCURACY and following == "%":
        value /= 100
    split = split_of(name) or state.split or Split.TRAIN
    found.values.append((name, role, split, value))
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


def _time(pending: list[str], value: float, found: LineMetrics) -> None:
    last = pending[-1].lower().rpartition("_")[2]
    if last in EPOCH and found.epoch is None:
        found.epoch = value
    elif last in STEP and found.step is None:
        found.step = value
