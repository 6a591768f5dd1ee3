"""Recorded runs on disk: ``.dlbug/runs/<time>-<pid>.log`` with a ``.json`` of the same name.

Where local variables were recorded, a ``.frames.json`` stands beside them.

A log is of bounded size: the beginning of an output and its end, with a line in between.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.runs.processes import is_alive

# ---------------------------------------------------------------------- logs of bounded size
HEAD = 2**20
"""Bytes that are kept from the beginning: how the run was set up."""
TAIL = 8 * 2**20
"""Bytes that are kept from the end, at least: what ended it."""

METRIC = re.compile(rb"(?i)\bnan\b|loss|acc|perplexity|reward")
"""What the output of a training names; a run that ended well is looked at only where it does."""


class CappedLog:
    """Takes in output; a full disk or a removed folder never ends the run.

    The file grows to `HEAD` + 2 * `TAIL`, then what is older than its last `TAIL` bytes is left out
    and a line says so. It is a plain file at any time, and no larger than 17 MiB. What the disk
    does not take is kept in memory, up to ``tail`` bytes, for the report at the end.
    """

    def __init__(self, path: Path | None, head: int = HEAD, tail: int = TAIL) -> None:
        self._head, self._tail = head, tail
        self._size = 0
        self._note = 0
        """Bytes of the line that stands for what was left out."""
        self.left_out = 0
        self.taken = 0
        """Bytes that were ever written."""
        self._guard = threading.Lock()
        self.problem: OSError | None = None
        self._number = -1
        self._path = path
        self._memory: deque[bytes] = deque()
        self._held = 0
        if path is None:
            return
        try:
            self._number = data_folder.open_new(path)
        except OSError as error:
            self.problem = error

    def write(self, data: bytes) -> None:
        """Append output; raises nothing. May be called from several threads."""
        with self._guard:
            self.taken += len(data)
            self._write(data)

    def _write(self, data: bytes) -> None:
        if self._number < 0:
            self._remember(data)
            return
        try:
            # A cap that is kept by bytes, however large one piece is.
            for at in range(0, len(data), self._tail):
                self._append(data[at : at + self._tail])
        except OSError as error:
            self.problem = error
            self.close()
            self._remember(data)

    def _remember(self, data: bytes) -> None:
        self._memory.append(data)
        self._held += len(data)
        while self._held - len(self._memory[0]) >= self._tail:
            gone = len(self._memory.popleft())
            self._held -= gone
            self.left_out += gone

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.write(self._number, view)
            view = view[written:]
        self._size += len(data)
        if self._size > self._head + 2 * self._tail:
            self._cut()

    def _cut(self) -> None:
        """Leave out what stands between the head and the tail, at a line's beginning."""
        start = self._size - self._tail
        os.lseek(self._number, start, os.SEEK_SET)
        tail = b""
        while part := os.read(self._number, self._tail - len(tail)):
            tail += part
        line = tail.find(b"\n", 0, 65_536) + 1
        tail = tail[line:]
        self.left_out += start + line - self._head - self._note
        note = b"\n[dl-bug-lsp left out %d bytes of output here]\n" % self.left_out
        os.lseek(self._number, self._head, os.SEEK_SET)
        for piece in (note, tail):
            view = memoryview(piece)
            while view:
                view = view[os.write(self._number, view) :]
        self._note = len(note)
        self._size = self._head + len(note) + len(tail)
        os.ftruncate(self._number, self._size)

    def close(self) -> None:
        """End the recording."""
        if self._number >= 0:
            number, self._number = self._number, -1
            try:
                os.close(number)
            except OSError as error:
                self.problem = error

    def content(self) -> bytes:
        """Return what was kept, on disk and in memory."""
        data = b""
        if self._path is not None and self._size:
            data = data_folder.read(self._path, self._head + 4 * self._tail) or b""
        return data + b"".join(self._memory)


# ---------------------------------------------------------------------- records
RUNS = f"{FOLDER}/runs"
"""Where runs are recorded, below the workspace."""
KEPT = 50
"""Runs that are kept; older ones are removed when a new one begins."""
_LARGEST = 2**20
_NAME = re.compile(r"\d{8}T\d{6}Z-\d+\.json")
"""The name of a run's record: when it began and the recorder's process."""
_PLAIN_TIME = str.maketrans("", "", "-:")
_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. ``folder`` is where it ran, relative to the workspace with ``/`` (``.`` for itself).

    ``started`` and ``ended`` are UTC in ISO 8601; ``exit_code`` is None while it runs, negative for
    the signal that ended it, as in `subprocess`. ``left_out`` counts the bytes of output that the
    capped log lacks. ``hung`` says that we ended it because it did not move. ``trainings`` are the
    numbers of its recorded trainings.
    """

    command: tuple[str, ...]
    folder: str
    pid: int
    started: str
    exit_code: int | None = None
    ended: str | None = None
    left_out: int = 0
    hung: bool = False
    trainings: tuple[int, ...] = ()

    @property
    def source(self) -> str:
        """The name under which the server shows its failure: the same for the same command."""
        words = shlex.join(self.command)
        return f"run:{words}" if self.folder == "." else f"run:{self.folder}$ {words}"

    def ended_with(self, exit_code: int, left_out: int, hung: bool = False) -> RunRecord:
        """Return the record of the run as it ended now."""
        now = iso_time(time.time())
        return replace(self, exit_code=exit_code, ended=now, left_out=left_out, hung=hung)

    @property
    def was_broken_off(self) -> bool:
        """Say whether its user ended it (Ctrl-C, SIGTERM, a closed terminal or pipe)."""
        return not self.hung and self.exit_code in (-1, -2, -3, -13, -15, 129, 130, 131, 141, 143)


def workspace_of(folder: Path) -> Path:
    """Return the workspace that a folder belongs to: the nearest with marks of one, else itself."""
    home = Path.home() if os.environ.get("HOME") else None
    for marks in ((FOLDER,), _MARKS):
        for parent in (folder, *folder.parents):
            if parent == home and parent != folder:
                break
            if any((parent / mark).exists() for mark in marks):
                return parent
    return folder


def new_record(workspace: Path, command: tuple[str, ...], folder: Path, pid: int) -> RunRecord:
    """Return the record of a run that begins now in ``folder``; ``pid`` is the recorder's."""
    return RunRecord(command, _relative(folder, workspace), pid, iso_time(time.time()))


def begin(workspace: Path, record: RunRecord) -> Path:
    """Make the folder, remove old runs, write the record; return its place without a suffix.

    Raises `OSError` where nothing can be written.
    """
    runs = data_folder.prepare(workspace, "runs")
    prune(runs, KEPT - 1)
    name = f"{record.started.translate(_PLAIN_TIME)}-{record.pid}"
    write(runs / name, record)
    return runs / name


def finish(place: Path, done: RunRecord) -> None:
    """Write how a run ended; a full disk is no reason to fail."""
    with suppress(OSError):
        write(place, done)


def discard(place: Path) -> None:
    """Remove a run that never began."""
    for file in (log_file(place), frames_file(place), record_file(place)):
        with suppress(OSError):
            data_folder.remove(file)


def write(place: Path, record: RunRecord) -> None:
    """Write a record in one step, so that a reader never sees half of it; raises `OSError`."""
    document = {"version": 1, **asdict(record)}
    data_folder.write(record_file(place), (json.dumps(document, indent=1) + "\n").encode())


def read(file: Path) -> RunRecord | None:
    """Read a record; None where the file is none."""
    data = data_folder.read(file, _LARGEST)
    try:
        document = json.loads(data) if data is not None else None
    except (ValueError, RecursionError):
        return None
    return _record(document) if isinstance(document, dict) else None


def _record(document: dict[str, Any]) -> RunRecord | None:
    command, folder = document.get("command"), document.get("folder")
    pid, started = document.get("pid"), document.get("started")
    code, ended, left = (document.get(name) for name in ("exit_code", "ended", "left_out"))
    if not (isinstance(command, list) and command and all(isinstance(w, str) for w in command)):
        return None
    if not (isinstance(folder, str) and isinstance(pid, int) and isinstance(started, str)):
        return None
    return RunRecord(
        tuple(command),
        folder,
        pid,
        started,
        code if isinstance(code, int) else None,
        ended if isinstance(ended, str) else None,
        left if isinstance(left, int) else 0,
        document.get("hung") is True,
        tuple(n for n in _listed(document.get("trainings")) if type(n) is int),
    )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def of_log(file: Path) -> RunRecord | None:
    """Read the record of the run whose output a file is; None where it is no recorded run's."""
    record = file.with_suffix(".json")
    is_ours = file.suffix == ".log" and _NAME.fullmatch(record.name) is not None
    return read(record) if is_ours else None


def log_file(place: Path) -> Path:
    """Return the file with a run's output."""
    return place.with_name(place.name + ".log")


def frames_file(place: Path) -> Path:
    """Return the file with what the local variables held when a run died (`post_mortem`)."""
    return place.with_name(place.name + ".frames.json")


def record_file(place: Path) -> Path:
    """Return the file with a run's record."""
    return place.with_name(place.name + ".json")


def recorded(workspace: Path) -> Iterator[tuple[Path, RunRecord]]:
    """Yield the place and the record of each run, oldest first."""
    for file in _files(workspace / RUNS):
        record = read(file)
        if record is not None:
            yield file.with_suffix(""), record


def prune(runs: Path, keep: int) -> None:
    """Remove all but the newest ``keep`` ended runs; those that still run stay.

    Only files with a record's name and content are removed: others are not ours.
    """
    # By a clock that went back since, or planted: what is of the future is no newer than ours.
    now = iso_time(time.time()).translate(_PLAIN_TIME)
    files = sorted(_files(runs), key=lambda file: (file.name[: len(now)] <= now, file.name))
    for file in files[: max(0, len(files) - keep)]:
        record = read(file)
        if record is None or (record.exit_code is None and is_alive(record.pid)):
            continue
        discard(file.with_suffix(""))


def _files(runs: Path) -> list[Path]:
    return [runs / name for name in data_folder.names(runs) if _NAME.fullmatch(name)]


def _relative(folder: Path, workspace: Path) -> str:
    try:
        return PurePath(folder).relative_to(workspace).as_posix()
    except ValueError:
        return folder.as_posix()


def iso_time(seconds: float) -> str:
    """Return a time since the epoch as UTC in ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
