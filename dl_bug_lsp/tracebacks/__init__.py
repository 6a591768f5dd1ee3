"""Readers of tracebacks in many dialects, all giving the same values."""

from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Frame, Reading, Relation
from dl_bug_lsp.tracebacks.reader import read_failures
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

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
