"""Failures of trainings that end without an error, as the training rules are asked of them."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Log, Span
from dl_bug_lsp.messages import MessageFacts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.workspace import Workspace


def case_of(folder: Path, category: str, log: str = "") -> Case:
    """Return the silent failure of a category in the programs of a folder."""
    failure = Failure(FailureKind.SILENT, (), 0, "metrics", Span(1, 1), "")
    verdict = CategoryVerdict(category, "silent", 0.9, "", "")
    workspace = Workspace(folder, cache=False)
    read = read_log(log) if log else Log(())
    return Case(failure, MessageFacts(None, ()), verdict, (), workspace, read)
