"""The folder of one monitored command, and the environment by which its interpreters find it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp import data_folder
from dl_bug_lsp.monitoring.store import journals, read_recording, session_folders, take_in
from dl_bug_lsp.monitoring.tables import FOLDER
from dl_bug_lsp.python_path import child_environment, python_path
from dl_bug_lsp.runs.processes import is_alive

PROBLEMS = "problem.txt"
NOTHING = (
    "nothing was recorded: the command made no training step that is known (an optimizer's step of "
    "PyTorch, fit or apply_gradients of Keras; python -I, -E and -S keep the recorder out)"
)
_LARGEST = 2**16


@dataclass(frozen=True, slots=True)
class Session:
    """A monitored command: its name, and the folder in which its processes leave journals."""

    root: Path
    name: str
    folder: Path

    def environment(
        self, of: Mapping[str, str], command: Sequence[str], share: float | None = None
    ) -> dict[str, str]:
        """Return what to set so that every Python that is started records its trainings.

        ``share`` of a training's time may go into recording; None for the recorder's own.
        """
        return {
            **({"DL_BUG_MONITOR_SHARE": str(share)} if share is not None else {}),
            "DL_BUG_MONITOR": str(self.folder.resolve()),
            "DL_BUG_ROOT": str(self.root.resolve()),
            "DL_BUG_COMMAND": json.dumps([word[:500] for word in command][:100]),
            "PYTHONPATH": python_path(of.get("PYTHONPATH")),
        }

    def problems(self) -> tuple[str, ...]:
        """Return what kept interpreters from recording, one sentence each."""
        text = data_folder.read(self.folder / PROBLEMS, _LARGEST) or b""
        return tuple(dict.fromkeys(text.decode("utf-8", "replace").splitlines()))

    def take_in(self) -> tuple[int, ...]:
        """Bring what was recorded into the database; return the runs' numbers.

        Raises `dl_bug_lsp.monitoring.store.StoreError`.
        """
        with suppress(OSError):
            data_folder.remove(self.folder / PROBLEMS)
        return take_in(self.root, self.name)


def begin(root: Path) -> Session:
    """Make the folder of a session that begins now; raises OSError."""
    take_in_left(root)
    base = data_folder.prepare(root, FOLDER)
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"
    folder = base / name
    data_folder.make_new(folder)
    return Session(root, name, folder)


def take_in_left(root: Path) -> None:
    """Take in sessions whose `run` was killed, and which write no more."""
    for folder in session_folders(root):
        owner = folder.name.rpartition("-")[2]
        pids = [file.stem for file in journals(folder)]
        if not any(pid.isdigit() and is_alive(int(pid)) for pid in (owner, *pids)):
            with suppress(Exception):
                Session(root, folder.name, folder).take_in()


@contextmanager
def monitored(root: Path, command: Sequence[str], share: float | None = None) -> Iterator[Session]:
    """Have every Python that starts below record its trainings; raises OSError at its beginning.

    The environment is this process' own, as it was before, at the end.
    """
    session = begin(root)
    with child_environment(session.environment(os.environ, command, share)):
        yield session


def summary(root: Path, numbers: Sequence[int]) -> Iterator[str]:
    """Yield what runs of the database hold, one sentence for each, and what they lack."""
    for run in read_recording(root).runs:
        if run.number not in numbers:
            continue
        process = run.process
        rank = f" of rank {process.rank}" if process.rank is not None else ""
        seconds, spent = process.seconds or 0.0, process.spent or 0.0
        share = f", recording took about {100 * spent / seconds:.1f} % of it" if seconds else ""
        yield (
            f"{process.steps or 0} steps{rank} are recorded, {process.sampled or 0} of them "
            f"closely; {seconds:.1f} s{share}"
        )
        yield from (problem.text for problem in run.problems)
