"""Sessions of tests brought from their folders into the spectrum's file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording import session_folder
from dl_bug_lsp.recording.store import NAME, StoreError, write_session
from dl_bug_lsp.recording.values import Session

_LEFT_BEHIND = "an earlier session that was cut off"


@dataclass(frozen=True, slots=True)
class MergedSessions:
    """What was taken in: sentences for the user, and whether any test failed."""

    lines: tuple[str, ...] = ()
    has_failures: bool = False


def take_in(
    root: Path, folder: Path, crashed: Iterable[str] = (), what: str = ""
) -> MergedSessions:
    """Bring a session into the spectrum of the workspace ``root``, and remove its folder.

    ``crashed`` are tests known to have ended a process, ``what`` says whose session it was. Raises
    `StoreError`; the folder is then kept.
    """
    finished = session_folder.read_folder(folder, root)
    session, lines = finished.session, []
    if session.tests:
        moved = write_session(root / data_folder.FOLDER / NAME, session)
        lines += [moved] if moved else []
        lines.append(_told(session, what))
    lines += [
        f"the interpreter ended in {name}; its lines are not known"
        for name in sorted({*finished.crashed, *crashed})
    ]
    session_folder.remove(folder)
    fails = any(test.outcome.is_failing for test in session.tests)
    return MergedSessions((*lines, *session.problems), fails)


def merge_abandoned_sessions(root: Path) -> tuple[str, ...]:
    """Take in the sessions whose process is gone; returns sentences.

    What cannot be stored now (a full disk, a folder that cannot be written) stays for later.
    """
    lines: list[str] = []
    for left in session_folder.left_behind(root):
        with contextlib.suppress(OSError, StoreError):
            lines += take_in(root, session_folder.claim(left), what=_LEFT_BEHIND).lines
    return tuple(lines)


def _told(session: Session, what: str) -> str:
    failing = sum(1 for test in session.tests if test.outcome.is_failing)
    passing = sum(1 for test in session.tests if test.outcome.is_passing)
    said = f" of {what}" if what else ""
    return f"recorded {failing} failing and {passing} passing tests{said}"
