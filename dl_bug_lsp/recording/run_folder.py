"""The folder of a recorded run, and the environment by which its interpreters find it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.journal import FOLDER, is_running
from dl_bug_lsp.recording.session_folder import remove

_PREFIX = "run-"
_OURS = re.compile(r"run-\d+\.json(?:\.tmp)?|problem\.txt")
BOOTSTRAP = Path(__file__).resolve().parent / "bootstrap"


@contextlib.contextmanager
def run_folder(root: Path) -> Iterator[Path]:
    """Make a folder for the records of a run's processes, and remove it; raises OSError."""
    base = data_folder.prepare(root, FOLDER)
    for name in data_folder.names(base):
        process, old = name.removeprefix(_PREFIX), base / name
        # Also one that an earlier process of our own number left.
        is_old = process.isdigit() and len(process) < 19 and name.startswith(_PREFIX)
        if is_old and (int(process) == os.getpid() or not is_running(int(process))):
            remove(old, _OURS)
    folder = base / f"{_PREFIX}{os.getpid()}"
    data_folder.make_new(folder)
    try:
        yield folder
    finally:
        remove(folder, _OURS)


def environment(folder: Path, root: Path, of: Mapping[str, str]) -> dict[str, str]:
    """Return what to set so that every Python that is started records what it runs."""
    before = of.get("PYTHONPATH")
    path = f"{BOOTSTRAP}{os.pathsep}{before}" if before else str(BOOTSTRAP)
    return {
        "DL_BUG_SPECTRUM": str(folder.resolve()),
        "DL_BUG_ROOT": str(root.resolve()),
        "PYTHONPATH": path,
    }
