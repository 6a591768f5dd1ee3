"""Fixes that are certain: what a failure says is misspelt, renamed or not listed, made right."""

from __future__ import annotations

from dl_bug_lsp.fixes import library_names, misspelt, wrong_values
from dl_bug_lsp.fixes.fix_context import Edit, Fix, FixContext
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace

__all__ = ["Edit", "Fix", "find_fixes"]

KINDS = (
    misspelt.find,
    library_names.find_known,
    library_names.find_requirements,
    wrong_values.find,
)
MOST = 3
"""More fixes than this for one failure are no certain ones."""


def find_fixes(failure: FailureReport, workspace: Workspace) -> tuple[Fix, ...]:
    """Return the certain fixes of a failure, each change once, in a fixed order.

    Two fixes that write the same line differently contradict each other: then there is none.
    """
    context = FixContext(failure, workspace)
    fix_by_edits: dict[object, Fix] = {}
    for find in KINDS:
        for fix in find(context):
            fix_by_edits.setdefault(fix.edits, fix)
    fixes = tuple(fix_by_edits.values())
    lines = [(edit.file, edit.line) for fix in fixes for edit in fix.edits]
    if len(set(lines)) < len(lines) or len(fixes) > MOST:
        return ()
    return fixes
