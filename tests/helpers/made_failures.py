"""Failures written by hand, for the tests of classification."""

from __future__ import annotations

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

SPAN = Span(1, 1)
USER = "/home/u/proj/train.py"
INSTALLED = "/opt/venv/lib/python3.11/site-packages/{}/core.py"


def failure(
    type: str,
    message: str,
    packages: str = "",
    source: str = "",
    kind: FailureKind = FailureKind.EXCEPTION,
) -> Failure:
    """A failure whose innermost frames are those of ``packages`` (name or name:function)."""
    frames = [Frame(USER, 7, "main", source or None)] if kind is FailureKind.EXCEPTION else []
    for package in packages.split():
        name, _, function = package.partition(":")
        file = "/usr/lib/python3.11/io.py" if name == "python" else INSTALLED.format(name)
        frames.append(Frame(file, 5, function or "call", "raise Error(message)"))
    cause = Cause(type, message.replace("\\n", "\n"), tuple(frames), Relation.ROOT, SPAN)
    return Failure(kind, (cause,), 0, "cpython", SPAN, message)
