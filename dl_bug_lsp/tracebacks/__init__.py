"""Readers of tracebacks: one module a dialect, all giving the same values."""

from dl_bug_lsp.tracebacks.frames import is_library_path
from dl_bug_lsp.tracebacks.reader import read_failures
from dl_bug_lsp.tracebacks.values import Cause, Failure, FailureKind, Frame, Reading, Relation

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
