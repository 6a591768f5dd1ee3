"""The values that every traceback dialect is read into."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from dl_bug_lsp.logs.log import Process, Span


class Relation(Enum):
    """How an exception came out of the one that stands before it in a failure."""

    ROOT = "root"
    """Nothing before it: the first exception of its chain."""
    DIRECT_CAUSE = "direct_cause"
    """``raise … from …`` (PEP 3134)."""
    DURING_HANDLING = "during_handling"
    """Raised while the former was handled (PEP 3134)."""
    WRAPPED = "wrapped"
    """A library re-raised the former: a DataLoader worker, a process pool, ray, torchrun, …."""
    GROUP_MEMBER = "group_member"
    """The group (PEP 654) that holds the former."""


class FailureKind(Enum):
    """What kind of text tells of the failure."""

    EXCEPTION = "exception"
    """A traceback, whole or cut off."""
    MESSAGE = "message"
    """Words without a traceback: a usage error, a shell's error message, a native crash, a kill."""
    SILENT = "silent"
    """No error at all: the metrics in the log are the evidence."""
    REPORT = "report"
    """A bug report in prose."""


SYNTAX_ERRORS = ("SyntaxError", "IndentationError", "TabError")
"""Exceptions of the compiler, which prints the line at which it stopped."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a stack as it was printed.

    ``line`` is 1-based (0 where the dialect prints none); ``source`` is the printed source text
    without indentation; ``expression`` is the part of it that the carets underline (PEP 657);
    ``marked_user`` is True where the dialect itself marks the frame as the user's (AutoGraph's
    ``*``), False where it marks it as a library's, None where it does not say. ``excerpt`` holds
    the other lines that are printed around it, with their 1-based numbers (IPython).
    """

    file: str
    line: int
    function: str | None = None
    source: str | None = None
    expression: str | None = None
    marked_user: bool | None = None
    excerpt: tuple[tuple[int, str], ...] = field(default=(), compare=False)

    @property
    def own_name(self) -> str | None:
        """The function's name without the class or function around it, which IPython prints."""
        return self.function.rpartition(".")[2] if self.function is not None else None


@dataclass(frozen=True, slots=True)
class Cause:
    """One exception of a chain with its stack, outermost frame first.

    ``type`` is the class as printed, dotted where the log prints it so; ``message`` keeps its line
    breaks; ``relation`` says how it came out of the exception before it.
    """

    type: str
    message: str
    frames: tuple[Frame, ...]
    relation: Relation
    span: Span
    notes: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """The exception's class without its module, or without its namespace and its template."""
        if self.is_native:
            return self.type.partition("<")[0].rpartition("::")[2]
        return self.type.rpartition(".")[2]

    @property
    def is_native(self) -> bool:
        """Say whether the runtime of C++ tells of it, with the thrown class or without (`c++`)."""
        return self.type == "c++" or "::" in self.type


class Activity(Enum):
    """What a rank did when the others did not go on."""

    WAITS = "waits"
    """Inside a collective, or another call that needs other ranks."""
    RUNS = "runs"
    """Anywhere else."""
    ENDED = "ended"
    """Its process is gone."""


@dataclass(frozen=True, slots=True)
class RankState:
    """Where one rank stood when the job did not go on, as a dump or its own error shows it.

    ``operation`` is what it waits in (``all_reduce``), empty where that is not known; ``count``
    the number of collectives that it has begun, ``detail`` the shape and the dtype, where a record
    tells. ``frames`` are its main thread's, outermost first; ``others`` the stacks of its other
    threads and of processes that it has started.
    """

    rank: int
    doing: Activity
    operation: str = ""
    detail: str = ""
    count: int | None = None
    frames: tuple[Frame, ...] = ()
    others: tuple[tuple[Frame, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    """Ranks of one job that have parted.

    ``apart`` are the ranks that are elsewhere, empty where all wait for one another; ``is_certain``
    is False where the text does not say which of two groups is. ``differs`` is what the text shows
    to differ: ``"place"``, ``"operation"``, ``"shape"``, ``"dtype"``, ``"parameters"``,
    ``"gradients"`` or ``"order"``. It is empty where all ranks that are seen wait in one place, so
    that the others may as well have been killed, or the network be at fault. ``size`` is the number
    of ranks.
    """

    states: tuple[RankState, ...]
    apart: tuple[int, ...]
    size: int
    differs: str = "place"
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of one process.

    ``causes`` stand in the order in which they were raised: the first is the oldest. ``root`` is
    the index of the one that tells what really went wrong (wrappers and teardown noise seen
    through). A failure of kind MESSAGE has one cause whose ``type`` is the program that speaks
    (``"argparse"``, ``"bash"``, ``"kernel"``, ``"faulthandler"``, …), or the class that a C++
    program threw (``"c10::Error"``); a SILENT one and a REPORT have none. ``primary`` marks the
    failure that ended the job. ``reliable`` is False where the frames may blame the wrong line
    (CUDA's asynchronous errors). ``evidence`` is the line of the log that shows the failure best.
    ``divergence`` says where the ranks of the job stood, where they have parted.
    """

    kind: FailureKind
    causes: tuple[Cause, ...]
    root: int
    dialect: str
    span: Span
    evidence: str
    process: Process | None = None
    primary: bool = False
    reliable: bool = True
    divergence: Divergence | None = None

    @property
    def cause(self) -> Cause | None:
        """The exception that tells what really went wrong, or None in a silent failure."""
        return self.causes[self.root] if self.causes else None

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames from the job's entry point to the raise site, outermost first."""
        if not self.causes:
            return ()
        frames = self.causes[self.root].frames
        for cause in self.causes[self.root + 1 :]:
            if cause.relation in (Relation.WRAPPED, Relation.GROUP_MEMBER):
                frames = (*cause.frames, *frames)
            elif frames:
                frames = (*_way_to(cause.frames, frames[0]), *frames)
        return frames


def _way_to(stack: tuple[Frame, ...], entry: Frame) -> tuple[Frame, ...]:
    """Return the calls that led to the function in which an exception was caught.

    A caught exception's stack begins where it was caught; the stack of the one raised in its place
    goes through that same function.
    """
    for index, frame in enumerate(stack):
        if (frame.file, frame.function) == (entry.file, entry.function):
            return stack[:index]
    return ()


@dataclass(frozen=True, slots=True)
class Reading:
    """All failures of a log in order of appearance, and what could not be understood."""

    failures: tuple[Failure, ...]
    problems: tuple[str, ...] = ()
