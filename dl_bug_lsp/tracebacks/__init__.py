"""Readers of tracebacks: one module a dialect, all giving the same values."""

from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Frame, Reading, Relation
from dl_bug_lsp.tracebacks.frames import is_library_path
from dl_bug_lsp.tracebacks.reader import read_failures

__all__ = [
    "Cause",
    "Failure",
    "FailureKind",
    "Frame",
    "Reading",
    "Relation",
    "is_library_path",
    "read_failures",
]
