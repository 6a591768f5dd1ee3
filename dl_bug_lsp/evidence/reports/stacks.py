"""Frames that the report prints, where they lie in the workspace; the raise site counts most."""

from __future__ import annotations

from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats

_INSTALLED = ("site-packages", "dist-packages")


def frame_rows(scene: ReportContext) -> list[tuple[int, int]]:
    """Return (index of the frame, row of its file) of the frames in the workspace, as printed."""
    found: list[tuple[int, int]] = []
    for index, frame in enumerate(scene.report.frames):
        rows, shared = scene.paths.find(frame.file)
        if len(rows) != 1:
            continue
        installed = any(folder in frame.file for folder in _INSTALLED)
        if shared >= 2 or ("/" not in frame.file and not installed):
            found.append((index, rows[0]))
    return found


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return how near to the raise site a file is on a stack, and whether it is nearest."""
    depths, innermost = scene.zeros(), scene.zeros()
    frames = frame_rows(scene)
    for depth, (index, row) in enumerate(reversed(frames)):
        function = scene.report.frames[index].function
        depths[row] = max(depths[row], 1 / (depth + 1))
        scene.note("stack.depth", row, f"`{function or 'its code'}` is on the stack")
    if frames:
        innermost[frames[-1][1]] = 1.0
        scene.note("stack.innermost", frames[-1][1], "the innermost frame of this code is here")
    return {"stack.depth": depths, "stack.innermost": innermost}
