"""A workspace's recorded spectrum as of now: read, brought to today's lines, with its texts."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.recording.spectra import Named, Recorded, spectrum_now
from dl_bug_lsp.recording.store import NAME, Recording, read_recording
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.cache import FOLDER


def spectrum_file(root: Path) -> Path:
    """Return where a workspace keeps its spectrum."""
    return root / FOLDER / NAME


def recorded_today(workspace: Workspace, recording: Recording | None = None) -> Recorded:
    """Return a recording (by default the workspace's own) at today's lines; raises `StoreError`."""
    held = recording or read_recording(spectrum_file(workspace.root))
    return spectrum_now(held, workspace.text, lambda file: functions_of(workspace, file))


def functions_of(workspace: Workspace, file: str) -> Named:
    """Return (first line, last line, dotted name) of a file's functions."""
    found = workspace.elements(file).functions
    return [(one.line, one.end_line, one.name) for one in found if not one.is_class]


def stale(recorded: Recorded) -> str:
    """Return a sentence on files that are not as they ran, empty where all are."""
    parts = []
    if recorded.changed:
        parts.append(
            f"{_named(recorded.changed)} changed since the tests ran: changed lines have no counts"
        )
    if recorded.gone:
        parts.append(
            f"{_named(recorded.gone)} is gone"
            if len(recorded.gone) == 1
            else f"{_named(recorded.gone)} are gone"
        )
    return "; ".join(parts) + ("; run the tests again" if parts else "")


def _named(files: tuple[str, ...]) -> str:
    shown = ", ".join(files[:3])
    return shown if len(files) <= 3 else f"{shown} and {len(files) - 3} more files"
