"""Signs of a failure in raw bytes: what makes it worth while to read a log closely."""

from __future__ import annotations

import re

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
