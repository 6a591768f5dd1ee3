"""Whether a part of a log tells of a failure that ended its job, and which one it is.

Signs of a failure in raw bytes: what makes it worth while to read a log closely.
"""

from __future__ import annotations

import json
import re

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import FailureKind, read_failures
from dl_bug_lsp.tracebacks.failures import Failure

Identity = tuple[str, ...]
"""What tells one failure of a log from another: its line, classes, message and places."""

_ENDED_BY_USER = frozenset(("KeyboardInterrupt", "SystemExit", "BdbQuit", "GeneratorExit"))
_LOGGED = frozenset(("log",))
"""Programs whose word alone ends no job: an error line of a logger, after which runs go on."""


def failure_in(data: bytes, lines_before: int = 0) -> Identity | None:
    """Return which failure ended the job that wrote ``data``, None where nothing says so.

    A run that its user broke off did not fail, and neither did one that only logged an error.
    ``lines_before`` lines of the log stand before ``data``.
    """
    reading = read_failures(read_log(data))
    primary = next((failure for failure in reading.failures if failure.primary), None)
    if primary is None or not _counts(primary):
        return None
    return _identity(primary, lines_before)


def _identity(failure: Failure, lines_before: int = 0) -> Identity:
    cause = failure.cause
    words = (cause.type, cause.message) if cause is not None else ()
    places = tuple(f"{frame.file}:{frame.line}" for frame in failure.frames[-3:])
    line = str(lines_before + failure.span.first_line)
    return (line, str(len(failure.causes)), *words, *places)


def offset_of_older(data: bytes) -> int:
    """Return where a later run begins that failed as one did before the failure of ``data``.

    Reading a log leaves out the second of two equal failures, which is then the newest one. Returns
    an offset in ``data``; 0 where there is no such run.
    """
    failures = read_failures(read_log(data)).failures
    primary = next((failure for failure in failures if failure.primary), None)
    if primary is None:
        return 0
    first = primary.span.first_line
    older = {_identity(f)[1:] for f in failures if f.span.first_line < first}
    if not older:
        return 0
    lines = data.split(b"\n", primary.span.last_line)
    later = failure_in(lines[-1]) if len(lines) > primary.span.last_line else None
    return len(data) - len(lines[-1]) if later is not None and later[1:] in older else 0


def is_longer(seen: Identity, known: Identity) -> bool:
    """Whether a failure is the known one, whose message took in more of the log's lines."""
    line, causes, *words = seen
    if len(words) < 2 or len(known) != len(seen):
        return False
    shorter = (*known[:3], *known[4:]) == (line, causes, words[0], *words[2:])
    return shorter and words[1].startswith(f"{known[3]}\n")


def _counts(failure: Failure) -> bool:
    cause = failure.cause
    if cause is None:
        return False
    if failure.kind is FailureKind.EXCEPTION:
        return cause.class_name not in _ENDED_BY_USER
    return failure.kind is FailureKind.MESSAGE and cause.type not in _LOGGED


def document_failure(data: bytes) -> Identity | None:
    """Return which failure a notebook or an error file of torchrun holds, None for none.

    Execution counts and ids are no part of it: a saved notebook is the same failure again.
    """
    if b"raceback" not in data and b"py_callstack" not in data:
        return None
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return None
    identity = failure_in(data)
    return identity[1:] if identity is not None else None


SIGNS = (
    b"most recent call", b"  File \"", b"Error:", b"Exception:", b"Error\n", b": error: ",
    b"\xe2\x9d\xb1", b"CANCELLED", b"Killed", b"killed", b"OOM", b"oom-kill", b"oom_kill",
    b"egmentation fault", b"core dumped", b"Aborted", b"Bus error", b"Fatal Python",
    b"FATAL", b"terminate called", b"Cell In", b"can't open file", b"not found", b"No such file",
    b"CUDA error", b"NCCL error", b"DUE TO", b"FAILED", b"Interrupt",
)  # fmt: skip
"""Found with one pass of `bytes.find` each; what stands there decides the readers of tracebacks."""

LONGEST = max(map(len, SIGNS))
_HARMLESS = re.compile(
    rb"[\w.]*(?:Squared|Absolute|Percentage|Log|Mean|Entropy|Reconstruction)\w*Error:", re.I
)
"""Metrics whose names end like exceptions': they stand in every line of some logs."""


def first_marker(chunk: bytes, before: bytes = b"") -> int | None:
    """Return the offset in ``chunk`` of the first sign, negative where it began in ``before``.

    ``before`` are the bytes in front of the chunk, already searched; signs that were torn between
    the two are found. None where there is no sign.
    """
    carried = before[-(LONGEST - 1) :]
    data = carried + chunk
    if b"\0" in data:
        # Two-byte encodings and holes; offsets move a little, which a region does not mind.
        data = data.replace(b"\0", b"")
        carried = b""
    best = -1
    for sign in SIGNS:
        start = max(0, len(carried) - len(sign) + 1)
        at = data.find(sign, start, best if best >= 0 else len(data))
        if at >= 0 and sign == b"Error:":
            at = _past_metrics(data, at)
        if at >= 0:
            best = at
    return best - len(carried) if best >= 0 else None


def _past_metrics(data: bytes, at: int) -> int:
    """Return the first place of ``Error:`` from ``at`` on that is no metric's name, else -1."""
    for _ in range(1000):
        line = data.rfind(b"\n", max(0, at - 100), at) + 1 or max(0, at - 100)
        name = data[max(line, at - 60) : at + 6]
        if _HARMLESS.search(name) is None:
            return at
        at = data.find(b"Error:", at + 6)
        if at < 0:
            return -1
    return at
