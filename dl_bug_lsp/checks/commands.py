"""Checks of the command itself: whether what it starts is there."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding

SCRIPT = Check(
    "missing-script",
    "path_not_found",
    Certainty.SURE,
    "The command starts a program, script or notebook that is not there.",
    "Names in which the shell puts a variable are left out, and commands below a cd. In a launch "
    "file, which may fetch or make the program first, a finding is likely where a file beside it "
    "has nearly that name, and otherwise only worth a look.",
    "python trian.py                # train.py",
)
CHECKS = (SCRIPT,)


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield the programs and scripts that the command starts and that are not there."""
    for missing in program.not_there:
        near = " or ".join(f"'{file}'" for file in missing.near)
        message = f"There is no file '{missing.written}'."
        evidence = [f"Did you mean {near}?"] if near else []
        if missing.file:
            # A file of the same name elsewhere is there where the launch file is run from it.
            is_slip = any(basename(file) != basename(missing.written) for file in missing.near)
            level = Certainty.LIKELY if is_slip else Certainty.LOOK
        else:
            # Where a terminal's shell stands is not known to an editor.
            level = Certainty.SURE if program.is_folder_known else Certainty.LIKELY
        yield finding(SCRIPT, missing.file, missing.line, message, *evidence, certainty=level)
