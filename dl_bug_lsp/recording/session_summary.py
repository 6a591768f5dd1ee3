"""The few lines that a test session is told at its end: where the fault most likely is."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.cancellation import CancelledError, cancellable
from dl_bug_lsp.recording.current_spectrum import current_spectrum, spectrum_file
from dl_bug_lsp.recording.store import Recording, read_recording
from dl_bug_lsp.report import Options, Suspect

PLACES = 3
LARGEST_SPECTRUM = 64 * 2**20
"""Bytes of a file that is not read for this: `dl-bug-lsp spectrum report` takes its time."""
MOST_FILES = 1_500
"""Files of tests and code, as far as they were executed, for the same reason."""
PATIENCE = 5.0
"""Seconds of this process' time after which the ranking is given up."""
LONGEST = 60
MORE = "dl-bug: `dl-bug-lsp spectrum report` shows more"


def most_suspicious(root: Path) -> tuple[str, ...]:
    """Return a line for each of the most suspicious places, and how to see more.

    Whatever goes wrong, a test session goes on: then only the last line is returned.
    """
    try:
        return (*_places(root), MORE)
    except Exception:
        # Told by the command, which shows what is wrong; a test run is not the place for it.
        return (MORE,)


def _places(root: Path) -> list[str]:
    import time

    from dl_bug_lsp.recording.ranked import ranked_now
    from dl_bug_lsp.workspace import Workspace

    path = spectrum_file(root)
    if path.stat().st_size > LARGEST_SPECTRUM:
        return []
    recording = read_recording(path)
    if _files(recording) > MOST_FILES:
        return []
    workspace = Workspace(root, cache=False)
    latest = time.process_time() + PATIENCE
    try:
        with cancellable(lambda: time.process_time() > latest):
            recorded = current_spectrum(workspace, recording)
            report = ranked_now(workspace, recorded, Options(PLACES, PLACES)).report
    except CancelledError:
        return []
    primary = report.primary
    if primary is None or not primary.suspects:
        return []
    shown = [_line(one, workspace.source_line(one.file, one.line)) for one in primary.suspects]
    return ["dl-bug: most suspicious:", *shown]


def _files(recording: Recording) -> int:
    return len({f for session in recording.sessions for t in session.tests for _, f in t.hits})


def _line(suspect: Suspect, code: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in code.strip())
    cut = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."
    return f"  {suspect.file}:{suspect.line} ({round(100 * suspect.score)} %)  {cut}"
