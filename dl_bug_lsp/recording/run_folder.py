"""The folder of a recorded run, and the environment by which its interpreters find it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.journal import FOLDER, is_running

_PREFIX = "run-"
BOOTSTRAP = Path(__file__).resolve().parent / "bootstrap"


@contextlib.contextmanager
def run_folder(root: Path) -> Iterator[Path]:
    """Make a folder for the records of a run's processes, and remove it; raises OSError."""
    base = data_folder.prepare(root, FOLDER)
    for old in sorted(base.glob(f"{_PREFIX}*")):
        process = old.name.removeprefix(_PREFIX)
        if process.isdigit() and data_folder.is_plain(old) and not is_running(int(process)):
            shutil.rmtree(old, ignore_errors=True)
    folder = base / f"{_PREFIX}{os.getpid()}"
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: Path, root: Path, of: Mapping[str, str]) -> dict[str, str]:
    """Return what to set so that every Python that is started records what it runs."""
    before = of.get("PYTHONPATH")
    path = f"{BOOTSTRAP}{os.pathsep}{before}" if before else str(BOOTSTRAP)
    return {
        "DL_BUG_SPECTRUM": str(folder.resolve()),
        "DL_BUG_ROOT": str(root.resolve()),
        "PYTHONPATH": path,
    }
