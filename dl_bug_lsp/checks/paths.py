"""Checks of paths: config files that a command names and that are not there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from dl_bug_lsp.checks.entries import Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.checks.sources import CONFIGS
from dl_bug_lsp.fixes.fix_context import distance

ARGUMENT = Check(
    "missing-config-file",
    "path_not_found",
    Certainty.SURE,
    "A command names a config file that does not exist.",
    "Relative paths, from the working directory of the command, where the folder or a file of "
    "nearly that name exists. Options that name an output are left out. Without a near name a "
    "finding is likely.",
    "python train.py --config configs/bse.yaml",
)
CHECKS = (ARGUMENT,)

OUTPUT = ("out", "save", "dump", "log", "result", "export", "write", "report", "to")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield files that are named and missing."""
    for entry in program.entries:
        if entry.folder is not None:
            yield from _arguments(program, entry)


def _arguments(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    workspace = program.workspace
    before = ""
    for word in entry.words:
        option, sign, value = word.text.partition("=")
        path = value if sign else word.text
        name = option if sign else before
        before = word.text if word.text.startswith("-") else ""
        if not path.endswith(CONFIGS) or "$" in path or path.startswith(("/", "~", "-", ".")):
            continue
        if any(part in name.lower().strip("-").replace("-", "_").split("_") for part in OUTPUT):
            continue
        if any(mark in path for mark in "*?{[:,"):
            continue
        stated = posixpath.normpath(posixpath.join(entry.folder or "", path))
        if stated.startswith("..") or workspace.existing_file(stated) is not None:
            continue
        folder, base = posixpath.split(stated)
        beside = [f for f in workspace.files() if posixpath.dirname(f) == folder]
        if not beside or (not folder and not name.startswith("-")):
            continue
        near = [f for f in beside if distance(posixpath.basename(f), base, 2) <= 2]
        hint = f" Did you mean '{near[0]}'?" if len(near) == 1 else ""
        yield finding(
            ARGUMENT, entry.file or entry.script, word.line or entry.line or 1,
            f"There is no file '{path}'.{hint}", f"The command is: {entry.shown[:160]}",
            certainty=Certainty.SURE if near else Certainty.LIKELY,
        )  # fmt: skip
