"""A workspace's recorded spectrum as of now: read, brought to today's lines, with its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.recording.branches import branches_now
from dl_bug_lsp.recording.spectra import Named, Recorded, spectrum_now
from dl_bug_lsp.recording.store import NAME, Recording, read_recording
from dl_bug_lsp.recording.values import Session
from dl_bug_lsp.spectrum.values import PROGRAM
from dl_bug_lsp.workspace import Workspace

LONGEST_HEADER = 100
"""Lines that a function's header may have."""


def spectrum_file(root: Path) -> Path:
    """Return where a workspace keeps its spectrum."""
    return root / FOLDER / NAME


def current_spectrum(
    workspace: Workspace, recording: Recording | None = None, *, branches: bool = False
) -> Recorded:
    """Return a recording (by default the workspace's own) at today's lines; raises `StoreError`.

    With ``branches`` the spectrum is that of branches in place of lines.
    """
    held = one_kind(recording or read_recording(spectrum_file(workspace.root)))

    def functions(file: str) -> Named:
        return functions_of(workspace, file)

    recorded = spectrum_now(held, workspace.text, functions)
    if not branches:
        return recorded
    return replace(recorded, spectrum=branches_now(held, workspace.text, functions))


def one_kind(recording: Recording) -> Recording:
    """Return the sessions that can be compared: those of tests, or those of one program.

    What fails comes first, of several what ran last.
    """
    kinds: dict[str, list[Session]] = {}
    for session in recording.sessions:
        is_program = any(test.name.startswith(PROGRAM) for test in session.tests)
        kinds.setdefault(session.command if is_program else "", []).append(session)
    if len(kinds) < 2:
        return recording

    def rank(kind: str) -> tuple[bool, str]:
        fails = any(test.outcome.is_failing for s in kinds[kind] for test in s.tests)
        return fails, max(session.started for session in kinds[kind])

    return Recording(tuple(kinds[max(kinds, key=rank)]))


def functions_of(workspace: Workspace, file: str) -> Named:
    """Return (first line, last line, dotted name) of the bodies of a file's functions.

    Their headers run when the file is imported, whoever calls them.
    """
    found = [one for one in workspace.elements(file).functions if not one.is_class]
    lines = workspace.lines(file) if found else ()
    return [(_body(lines, one.line), one.end_line, one.name) for one in found]


def _body(lines: Sequence[str], header: int) -> int:
    """Return the line after a header that begins, with its decorators, at a 1-based line."""
    depth = 0
    for number in range(header, min(len(lines), header + LONGEST_HEADER) + 1):
        code = lines[number - 1].partition("#")[0].strip()
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 and code.endswith(":"):
            return number + 1
    return header


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
