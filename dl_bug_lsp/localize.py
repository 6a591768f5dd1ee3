"""The one pure function in the middle: a failure's text and a workspace in, a ranked report out."""

from __future__ import annotations

from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.workspace import Workspace

DEFAULT_OPTIONS = Options()


def localize(text: str | bytes, workspace: Workspace, options: Options = DEFAULT_OPTIONS) -> Report:
    """Rank the places in ``workspace`` that most likely hold the cause of what ``text`` tells."""
    raise NotImplementedError
