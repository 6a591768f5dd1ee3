"""The compact context of a failure, one way for the command line, the editor and MCP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from dl_bug_lsp.data_folder import home_folder
from dl_bug_lsp.report import FailureReport, Report
from dl_bug_lsp.taxonomy.classification_context import library_of
from dl_bug_lsp.views.context import TOKENS, render_context
from dl_bug_lsp.views.escape import redacted
from dl_bug_lsp.views.layout import Lines, PathStyle

if TYPE_CHECKING:
    from dl_bug_lsp.workspace import Workspace

PLACES = 60
"""Suspects that a report should hold to be told in a context: places in short form cost little."""
MOST_VERSIONS = 4
LONGEST_VERSION = 40


def context_of(
    report: Report,
    workspace: Workspace,
    tokens: int | None = None,
    only: str | None = None,
    paths: PathStyle | None = None,
) -> str:
    """Return a report's primary failure, or the one with an id, in ``tokens`` tokens (1,500).

    Reads the workspace for the code around the places.
    """
    failures = [failure for failure in report.failures if only in (None, failure.id)]
    primary = next((f for f in failures if f.primary), None) or next(iter(failures), None)
    versions = declared_versions(workspace, primary) if primary is not None else []
    lines = shown_lines(workspace)
    return render_context(report, lines, tokens or TOKENS, paths, only, home_folder(), versions)


def clean(text: str) -> str:
    """Return a text without secrets and home folders."""
    home = home_folder()
    return "\n".join(redacted(line, home) for line in text.split("\n"))


def declared_versions(workspace: Workspace, failure: FailureReport) -> list[str]:
    """Return what the workspace declares of the libraries on a failure's stack."""
    libraries = {library_of(frame.file) for frame in reversed(failure.frames)} - {None, "python"}
    if not libraries:
        return []
    found: dict[str, str] = {}
    for entry in workspace.dependencies():
        name = str(entry.path[0])
        if name.lower().replace("-", "_") in libraries and entry.value:
            found.setdefault(name, f"{name} {entry.value}"[:LONGEST_VERSION])
    return [f"{said} (declared)" for said in list(found.values())[:MOST_VERSIONS]]


def shown_lines(workspace: Workspace) -> Lines:
    """Return the lines of a workspace file as people know them: a notebook's without its JSON."""

    def lines(file: str) -> Sequence[str]:
        raw = workspace.lines(file)
        return _NotebookLines(workspace, file, len(raw)) if file.endswith(".ipynb") else raw

    return lines


class _NotebookLines(Sequence[str]):
    """A notebook's lines, read one at a time."""

    def __init__(self, workspace: Workspace, file: str, count: int) -> None:
        self._workspace = workspace
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        return self._workspace.source_line(self._file, index + 1)
