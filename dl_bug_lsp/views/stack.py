"""The stack folded for reading: the workspace's frames shown, the libraries' counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from dl_bug_lsp.report import ReportFrame
from dl_bug_lsp.taxonomy.classification_context import library_of
from dl_bug_lsp.views.escape import escape, one_line
from dl_bug_lsp.views.layout import PathStyle, library_file
from dl_bug_lsp.views.words import counted

NOTEBOOK_RUNNERS = ("/nbclient/", "/papermill/", "/nbconvert/")
"""Packages that start a notebook's kernel: their frames call no cell, they report its failure."""
HEAD, TAIL = 6, 12
"""Entries that are shown of a stack too deep to show whole: outermost and innermost."""


@dataclass(frozen=True, slots=True)
class StackEntry:
    """One line of the folded stack; ``place`` is empty for a run of library frames."""

    place: str
    words: str


def fold(frames: Sequence[ReportFrame], paths: PathStyle) -> list[StackEntry]:
    """Return the folded stack, outermost entry first."""
    entries: list[StackEntry] = []
    for inside, run in groupby(frames, key=lambda frame: frame.workspace_file is not None):
        group = list(run)
        if inside:
            entries.extend(_own(group, paths))
        else:
            entries.append(StackEntry("", _folded(group)))
    if len(entries) <= HEAD + TAIL + 1:
        return entries
    hidden = len(entries) - HEAD - TAIL
    return [*entries[:HEAD], StackEntry("", f"… {hidden} more entries"), *entries[-TAIL:]]


def _own(frames: list[ReportFrame], paths: PathStyle) -> list[StackEntry]:
    entries = []
    for frame, run in groupby(frames):
        times = len(list(run))
        words = escape(frame.function or "") + _as_printed(frame)
        if times > 1:
            words += f"  ({times} times)"
        file = frame.workspace_file or ""
        line = frame.workspace_line or frame.line
        place = paths.place(file, line) if frame.line else paths.file(file)
        entries.append(StackEntry(place, words.strip()))
    return entries


def _as_printed(frame: ReportFrame) -> str:
    """Return what the log calls the place where it calls it otherwise (a cell, an older line)."""
    if frame.line in (0, frame.workspace_line):
        return ""
    same_name = _name(frame.file) == _name(frame.workspace_file or "")
    file = "" if same_name else f"{one_line(frame.file, 60)}, "
    return f"  ({file}line {frame.line} in the log)"


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _folded(frames: list[ReportFrame]) -> str:
    innermost = frames[-1]
    line = f":{innermost.line}" if innermost.line else ""
    where = f"{library_file(innermost.file)}{line} {escape(innermost.function or '')}"
    if len(frames) == 1:
        return f"… {where}".rstrip()
    if any(runner in innermost.file for runner in NOTEBOOK_RUNNERS):
        return f"… {len(frames)} frames of what ran the notebook, down to {where}".rstrip()
    known = all(library_of(frame.file) is not None for frame in frames)
    kind = "library frame" if known else "frame"
    outside = "" if known else " outside of this folder"
    return f"… {counted(len(frames), kind)}{outside}, down to {where}".rstrip()
