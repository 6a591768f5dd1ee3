"""Asks each kind of fix in turn."""

from __future__ import annotations

from dl_bug_lsp.fixes.values import Fix
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace


def find_fixes(failure: FailureReport, workspace: Workspace) -> tuple[Fix, ...]:
    """Return the certain fixes of a failure, each once, in a fixed order; never raises."""
    return ()
