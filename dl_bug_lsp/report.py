"""The report: what `localize` returns and every view shows (version 1, docs/report.schema.json)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from dl_bug_lsp.logs.log import Process, Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason for a place: the source of evidence, its share (0 to 1), a sentence for people."""

    kind: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A line of a notebook's cell: the cell's number among the code cells and its line, from 1.

    ``execution_count`` is the saved one, None where the cell was not run.
    """

    number: int
    execution_count: int | None
    line: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit that may repair the failure: the place's line as it reads, and as it would read."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChainStep:
    """An expression on the way of a value: its place in the workspace (1-based) and its code."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspicious place; ``line`` and ``end_line`` are 1-based, ``file`` relative with ``/``.

    In a notebook they are lines of the file on disk; ``cell`` says where its reader sees them.
    ``chain`` leads, step by step, from the place to the failing expression or to a call on the
    stack that it goes into; empty where no value is known to go there.
    """

    rank: int
    file: str
    line: int
    end_line: int
    function: str | None
    score: float
    evidence: tuple[Evidence, ...]
    cell: CellPlace | None = None
    suggestion: Suggestion | None = None
    chain: tuple[ChainStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """A suspicious file, relative to the workspace with ``/``."""

    rank: int
    file: str
    score: float


HANG = "hang"
"""The type of the cause of processes that stood still: they raised nothing."""
LAST_OUTPUT = "last_output"
"""The source of evidence of the line that printed last."""
WHOLE_TEXT = "whole_text"
"""The rule of categories that only the words of a whole text show."""
BY_TEXT = "text"
"""The rule of categories that the classifier of exceptions gives by the words of a message."""


@dataclass(frozen=True, slots=True)
class CategoryVerdict:
    """The failure category with the rule's confidence (0 to 1) and the words that showed it."""

    id: str
    dimension: str
    confidence: float
    evidence: str
    rule: str

    @property
    def is_guess(self) -> bool:
        """Whether nothing but the words of the whole text shows the category."""
        return self.rule == WHOLE_TEXT


@dataclass(frozen=True, slots=True)
class Verdict:
    """A bug type or an origin with its confidence (0 to 1)."""

    id: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Advice:
    """A frequent cause and what usually fixes it; ``page`` is where the framework documents it."""

    cause: str
    fix: str
    page: str = ""


def percent(share: float) -> str:
    """Return a share of 0 to 1 as in ``93 %``; halves are rounded up, as in the editors."""
    share = min(1.0, max(0.0, share))
    return "<1 %" if share < 0.01 else f"{math.floor(100 * share + 0.5)} %"


UNSURE_SHARE = 0.38
"""Below this share most first places did not hold the cause, on failures of programs not read."""


class Confidence(str, Enum):
    """How far the order of the suspects can be trusted.

    ``LIKELY``: specific evidence speaks for the first place, and little for any other.
    ``POSSIBLE``: specific evidence speaks for several places. ``UNSURE``: nothing is known but
    where the failure was raised and where its values come from.
    """

    LIKELY = "likely"
    POSSIBLE = "possible"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class ExceptionText:
    """The exception as printed."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class Variable:
    """What a variable held when the run died, in a few words; ``name`` may be ``self.width``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class ReportFrame:
    """A frame as printed and, where one was found, its place in the workspace (1-based).

    ``mapped`` says that the printed path is another machine's or folder's. ``variables`` are those
    that its statement reads, where the run recorded them. ``changed`` says of a notebook's cell
    that the printed line stood at this place, which was changed after the run.
    """

    file: str
    line: int
    function: str | None
    workspace_file: str | None
    workspace_line: int | None
    mapped: bool = False
    variables: tuple[Variable, ...] = ()
    changed: bool = False


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A line of the workspace: ``file`` relative with ``/``, ``line`` 1-based."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ConflictingValue:
    """One of two values that do not fit each other, and the places that made it.

    ``value`` is what it is in words (a size, a shape, ``index 4``).
    ``places`` has the most suspicious first, ``others`` says how many more there are. Those that
    made both values are only named of one that has no others.
    """

    value: str
    places: tuple[LinePlace, ...]
    others: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both values of the check that failed, where following the program led to the same failure.

    ``known`` says how that is known, in brackets.
    """

    values: tuple[ConflictingValue, ...]
    known: str


@dataclass(frozen=True, slots=True)
class RanksTogether:
    """Ranks that stood at one place: what they did (waits, runs, ended), in what operation.

    ``file`` and ``line`` are of the innermost frame in the workspace, None where none is known.
    """

    ranks: tuple[int, ...]
    doing: str
    operation: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RanksParted:
    """Where the ranks of a job stood when it did not go on, and which of them are elsewhere.

    ``apart`` is empty where all wait for one another; ``is_certain`` is False where it is a guess
    which of two groups is elsewhere. ``summary`` says it in one sentence.
    """

    size: int
    apart: tuple[int, ...]
    is_certain: bool
    groups: tuple[RanksTogether, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class FailureReport:
    """One failure: what it is, where its cause most likely stands, and what usually helps.

    ``reliable`` is False where the frames may blame the wrong line (CUDA's asynchronous errors).
    ``complete`` is False where the analysis of the code reached one of its limits. ``diagnosis`` is
    one sentence on the likely cause; None where it is not known. ``outside`` is the folder of the
    stack's own frames, as printed, where none of them lies in the workspace ("" for an unknown
    one); then nothing here is suspected. ``retry_may_help`` is None where it is not known whether
    the same job may pass when it is tried again. ``ranks`` says where the ranks stood, where they
    have parted.
    """

    id: str
    primary: bool
    category: CategoryVerdict
    bug_type: Verdict
    origin: Verdict
    exception: ExceptionText | None
    process: Process | None
    retry_may_help: bool | None
    span: Span
    frames: tuple[ReportFrame, ...]
    suspects: tuple[Suspect, ...]
    files: tuple[SuspectFile, ...]
    advice: tuple[Advice, ...]
    reliable: bool = True
    confidence: Confidence = Confidence.POSSIBLE
    complete: bool = True
    diagnosis: str | None = None
    outside: str | None = None
    ranks: RanksParted | None = None
    conflict: Conflict | None = None
    by_report: bool = False
    """Whether the words of a bug report ranked; no test says how often such shares are right."""
    technique: str | None = None
    """The published technique that ranked; then scores are shares of the best one, no chances."""


TOLD_UNASKED = frozenset(
    {
        "loss_nan",
        "loss_stagnation",
        "loss_divergence",
        "accuracy_at_chance",
        "dead_gradients",
        "training_fault",
    }
)
"""Categories of runs without an error that a user is warned of; overfitting is no surprise."""
LEAST_TOLD = 0.6


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found in a text."""

    workspace: str
    failures: tuple[FailureReport, ...]
    problems: tuple[str, ...] = ()

    @property
    def primary(self) -> FailureReport | None:
        """The failure that ended the job, or None when nothing was found."""
        return next((f for f in self.failures if f.primary), None)

    @property
    def silent_warning(self) -> FailureReport | None:
        """The failure of a run that raised nothing, where it is sure enough to be told unasked."""
        failure = self.primary
        if (
            failure is None
            or failure.category.id not in TOLD_UNASKED
            or failure.category.is_guess
            or failure.exception is not None
        ):
            return None
        return failure if failure.category.confidence >= LEAST_TOLD else None

    def shifted(self, lines: int) -> Report:
        """Return the report with all spans counted from ``lines`` lines further up."""
        if not lines:
            return self
        failures = tuple(
            replace(f, span=Span(f.span.first_line + lines, f.span.last_line + lines))
            for f in self.failures
        )
        return replace(self, failures=failures)

    def after(self, lines: int) -> Report:
        """Return the report of a text of which the first ``lines`` lines were not read."""
        if not lines:
            return self
        note = f"The text is too long: its first {lines} lines were left out."
        return replace(self.shifted(lines), problems=(*self.problems, note))


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of `localize`.

    ``top`` bounds the suspects of a failure, ``top_files`` its files (0 means all); ``path_map``
    holds (remote prefix, local prefix) pairs that win over guessing. ``weights`` rank in place of
    those that ship: ``"reports"`` holds what ``ranking/report_weights.json`` does. ``python`` is
    the interpreter of the failing run, whose libraries are then read; without it none are.
    ``is_predicted`` says that no run failed yet: `check` foresees the failure.
    """

    top: int = 10
    top_files: int = 10
    path_map: tuple[tuple[str, str], ...] = field(default=())
    weights: Mapping[str, Any] | None = field(default=None, compare=False)
    python: str | None = None
    is_predicted: bool = False
