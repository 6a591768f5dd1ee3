"""What is known of a recorded run beside its output: its interpreter and its trainings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.report import Report

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.training_run import Recording


def trainings(workspace: Path, numbers: tuple[int, ...]) -> Recording | None:
    """Return recorded trainings by the runs' numbers; None where there are none of these."""
    if not numbers:
        return None
    from dl_bug_lsp.monitoring.store import read_recording
    from dl_bug_lsp.monitoring.training_run import Recording

    runs = tuple(run for run in read_recording(workspace).runs if run.number in numbers)
    return Recording(runs) if runs else None


def of_sound_end(report: Report) -> Report:
    """Return what the output of a run says that ended without an error.

    What is read as a person's words on a failure is none there: nobody wrote of one.
    """
    # Imported late: of most runs there is nothing to say.
    from dl_bug_lsp.views.words import is_silent

    kept = tuple(f for f in report.failures if f.exception is not None or is_silent(f))
    return replace(report, failures=kept)


def interpreter(command: Sequence[str]) -> str | None:
    """Return the interpreter that a command names, None where it names none."""
    first = command[0] if command and command[0] != "--" else "".join(command[1:2])
    name = re.split(r"[/\\]", first)[-1]
    return first if re.fullmatch(r"(?:python|pypy)[\d.]*(?:\.exe)?", name) else None
