"""Finds out that a run hangs, and has all of its Python processes write down their stacks.

Every interpreter below the command registers ``faulthandler`` for a signal at its start
(`dl_bug_lsp.bootstrap`): its handler is C code, which writes the stacks of all threads also
where the interpreter lock is held by a call that does not return. It needs neither a debugger's
rights, which containers lack, nor a package in the program's environment. The signal is one of the
real-time signals, which frameworks leave alone (SLURM, Lightning and submitit use SIGUSR1 and
SIGUSR2), and it is only sent to a process that is seen to have a handler for it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp.python_path import child_environment, python_path
from dl_bug_lsp.runs import processes
from dl_bug_lsp.runs.processes import ProcessState

MARK = "[dl-bug-lsp] "
"""Begins the lines that we add to a log."""
BUSY = 0.1
"""The share of a core that a process must use so that the run moves."""
LARGEST_DUMP = 2**18
"""Bytes of stacks that are taken from one process."""
GRACE = 10.0
"""Seconds between SIGTERM and SIGKILL."""
_WRITTEN = 3.0
_SETTLED = 0.1
_THREAD = re.compile(r"^(?:Current thread|Thread|Stack) ", re.MULTILINE)
_HEADER = re.compile(rb"(\d{1,10}) (\d{1,7}|-)\n")
_WAITS = re.compile(
    r"[\\/]torch[\\/](?:distributed|cuda)[\\/]|[\\/]jax[\\/]|[\\/]horovod[\\/]|[\\/]mpi4py[\\/]"
    r"|in (?:synchronize|wait|all_?reduce|barrier)$",
    re.MULTILINE,
)
"""Where a process may spin while it waits for others, as NCCL's calls do."""


@dataclass(frozen=True, slots=True)
class Dump:
    """What one process wrote: ``rank`` as its environment says, ``text`` None where it has ended.

    ``order`` is the number of the process among those of its kind, by their start; it stands for
    the rank where no environment says it.
    """

    pid: int
    parent: int
    rank: int | None
    text: str | None
    command: str = ""
    order: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """A run that does not move: for how many seconds, and the dumps of its processes."""

    seconds: float
    dumps: tuple[Dump, ...]
    spins: bool = False

    def text(self) -> str:
        """Return the lines for the log; those of a rank have torchrun's prefix."""
        how = "the stacks do not change" if self.spins else "no progress"
        count = len(self.dumps)
        processes = "1 process" if count == 1 else f"{count} processes"
        lines = [
            f"{MARK}hang: no output and {how} for {self.seconds:.0f} s; "
            f"stacks of {processes} follow"
        ]
        for dump in self.dumps:
            lines.extend(_lines_of(dump, self.dumps))
        return "\n".join((*lines, f"{MARK}end of the stacks", ""))


def _lines_of(dump: Dump, dumps: Sequence[Dump]) -> Iterator[str]:
    ranked = any(other.rank is not None for other in dumps)
    rank = dump.rank if ranked else dump.order
    note = "" if ranked or rank is None else ", ranks by the order of start"
    by_pid = {other.pid: other for other in dumps}
    parent = by_pid.get(dump.parent)
    owner = parent.rank if ranked and parent is not None else parent.order if parent else None
    if owner is not None and (rank is None or owner == rank):
        rank, note = owner, f", a child of process {dump.parent}"
    prefix = "" if rank is None else f"[rank{rank}]: "
    if dump.text is None:
        yield f"{prefix}{MARK}process {dump.pid} has ended{note}"
        return
    yield f"{prefix}{MARK}stacks of process {dump.pid}{note}: {dump.command}".rstrip(": ")
    for line in dump.text.splitlines():
        yield f"{prefix}{line}"


@dataclass(frozen=True, slots=True)
class _Use:
    """What a process has used so far: seconds of processor time, bytes of disks."""

    state: str
    seconds: float
    transferred: int

    def moved_since(self, before: _Use | None, seconds: float) -> bool:
        """Say whether it did anything in the last ``seconds``; waiting for a disk is something."""
        if before is None or self.state == "D" or self.transferred != before.transferred:
            return True
        return self.seconds - before.seconds > BUSY * seconds


class HangWatch:
    """Watches one run from a thread of its own.

    ``told`` is called in that thread, once for each hang: a run that is left alone may move again.
    """

    def __init__(self, folder: Path, after: float, ends: bool, on_hang: Callable[[Hang], None]):
        self._folder, self._after, self._ends, self._told = folder, after, ends, on_hang
        self._number = signal_number()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self.hang: Hang | None = None
        """The last hang; None where the run always moved."""
        self.was_ended = False

    def begin(self, pid: int, taken: Callable[[], int]) -> None:
        """Begin to watch process ``pid``; ``taken`` counts the bytes of its output."""
        self._thread = threading.Thread(target=self._run, args=(pid, taken), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End watching: the command is gone."""
        self._over.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(GRACE)

    def _run(self, pid: int, taken: Callable[[], int]) -> None:
        interval = min(1.0, self._after / 8)
        output, used = taken(), self._use(pid)
        quiet = idle = looked = checked = time.monotonic()
        same = 0
        before: tuple[str, ...] = ()
        while not self._over.wait(interval):
            last, looked = looked, time.monotonic()
            now = self._use(pid)
            was_stopped = any(use.state in "Tt" for use in now.values())
            if taken() != output or was_stopped or looked - last > interval + 5:
                output, used = taken(), now
                quiet = idle = checked = looked
                same, self.hang = 0, self.hang if self._ends else None
                continue
            if any(
                use.moved_since(used.get(process), looked - last) for process, use in now.items()
            ):
                idle = looked
            used = now
            if self.hang is not None:
                continue
            if looked - idle >= self._after:
                self._found(pid, Hang(looked - idle, self.dump(pid)))
                output = taken()  # The stacks are written to the log, too.
            elif looked - quiet >= self._after and looked - checked >= max(1.0, self._after / 4):
                # Ranks that wait for a device use the processor; their stacks stand still.
                dumps = self.dump(pid)
                ranked = [d for d in dumps if d.rank is not None or d.order is not None]
                stacks = tuple(main_stack(dump.text or "") for dump in ranked)
                waits = any(_WAITS.search(stack) for stack in stacks)
                same = same + 1 if waits and stacks == before else 0
                checked, before = looked, stacks
                if same >= 3:
                    self._found(pid, Hang(looked - quiet, dumps, spins=True))
                    output = taken()

    def _use(self, pid: int) -> dict[int, _Use]:
        """Return what each process has used; of launchers only while there are no ranks."""
        launchers = self._launchers()
        return {
            member.pid: _Use(member.state, member.seconds, processes.transferred(member.pid))
            for member in processes.descendants(pid).values()
            if member.pid not in launchers
        }

    def _found(self, pid: int, hang: Hang) -> None:
        self.hang = hang
        self._told(hang)
        if self._ends and not self._over.is_set():
            self.was_ended = True
            self._end(pid)

    def _end(self, pid: int) -> None:
        """Ask the command to end, then kill what is left of it."""
        members = processes.descendants(pid)
        _send(pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and not self._over.wait(0.1):
            pass
        for state in _still_there(members):
            _send(state.pid, signal.SIGKILL)

    def dump(self, root: int) -> tuple[Dump, ...]:
        """Have every process of the run write its stacks; those that have ended are named."""
        members = processes.descendants(root)
        known = self._headers()
        asked: dict[int, int] = {}
        for pid in members.keys() & known.keys():
            if self._number is not None and processes.catches(pid, self._number):
                asked[pid] = self._file(pid).stat().st_size
                _send(pid, self._number)
        texts = self._written(asked)
        order = _order(members, known)
        dumped = [
            Dump(pid, parent, rank, texts[pid], processes.command_of(pid), order.get(pid))
            for pid, (parent, rank) in known.items()
            if pid in texts
        ]
        dumped.extend(
            Dump(pid, parent, rank, None, order=order.get(pid))
            for pid, (parent, rank) in known.items()
            if pid not in members and rank is not None and _is_top(parent, rank, known)
        )
        return tuple(sorted(dumped, key=lambda dump: (dump.rank is None, dump.rank or 0, dump.pid)))

    def _file(self, pid: int) -> Path:
        return self._folder / f"{pid}.stacks"

    def _headers(self) -> dict[int, tuple[int, int | None]]:
        """Return the parent and the rank of every process that has registered."""
        headers: dict[int, tuple[int, int | None]] = {}
        for file in sorted(self._folder.glob("*.stacks")):
            with suppress(OSError, ValueError):
                with file.open("rb") as stream:
                    header = _HEADER.match(stream.read(64))
                if header:
                    rank = None if header[2] == b"-" else int(header[2])
                    headers[int(file.stem)] = (int(header[1]), rank)
        return headers

    def _launchers(self) -> set[int]:
        """Return the processes that only look after ranks: they poll."""
        known = self._headers()
        ranked = {pid for pid, (_, rank) in known.items() if rank is not None}
        return {pid for pid in known if ranked and pid not in ranked}

    def _written(self, asked: dict[int, int]) -> dict[int, str]:
        """Wait until the files have grown and rest; return what was added, by process."""
        sizes = dict(asked)
        deadline, rested = time.monotonic() + _WRITTEN, 0.0
        while time.monotonic() < deadline:
            before = dict(sizes)
            with suppress(OSError):
                sizes = {pid: self._file(pid).stat().st_size for pid in asked}
            grown = all(sizes[pid] > asked[pid] for pid in asked)
            rested = rested + 0.02 if sizes == before else 0.0
            if grown and rested >= _SETTLED:
                break
            time.sleep(0.02)
        texts: dict[int, str] = {}
        for pid, start in asked.items():
            with suppress(OSError), self._file(pid).open("rb") as stream:
                stream.seek(start)
                data = stream.read(LARGEST_DUMP)
                if data:
                    texts[pid] = data.decode("utf-8", "replace")
        return texts


def _is_top(parent: int, rank: int, known: dict[int, tuple[int, int | None]]) -> bool:
    """Say whether a process is a rank itself, and no worker that a rank has started."""
    return parent not in known or known[parent][1] != rank


def _order(
    members: dict[int, ProcessState], known: dict[int, tuple[int, int | None]]
) -> dict[int, int]:
    """Return the numbers, by their start, of the largest group of processes of one parent."""
    groups: dict[int, list[int]] = {}
    for pid, (parent, _) in known.items():
        helper = "multiprocessing.resource_tracker" in processes.command_of(pid)
        if pid in members and not helper:
            groups.setdefault(parent, []).append(pid)
    largest = max(groups.values(), key=len, default=[])
    if len(largest) < 2:
        return {}
    largest.sort(key=lambda pid: (members[pid].started, pid))
    return {pid: number for number, pid in enumerate(largest)}


def main_stack(text: str) -> str:
    """Return the last stack of a dump, which is the main thread's."""
    starts = [match.start() for match in _THREAD.finditer(text)]
    return text[starts[-1] :] if starts else text


def _still_there(members: dict[int, ProcessState]) -> list[ProcessState]:
    """Return those of the processes that still run, and not others of the same numbers."""
    alive = []
    for pid, state in members.items():
        now = processes.state_of(pid)
        if now is not None and now.started == state.started:
            alive.append(now)
    return alive


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def signal_number() -> int | None:
    """Return the signal that asks for stacks, None where the system has no real-time signals."""
    last = getattr(signal, "SIGRTMAX", None)
    return int(last) - 5 if last is not None else None


def unsupported() -> str | None:
    """Return why runs cannot be watched on this system; None where they can."""
    if signal_number() is None or not processes.is_known():
        return "it needs real-time signals and /proc, which this system lacks (Linux has them)"
    return None


@contextmanager
def watched(after: float, ends: bool, on_hang: Callable[[Hang], None]) -> Iterator[HangWatch]:
    """Prepare the environment of the command that is started below; raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix="dl-bug-stacks-"))
    with child_environment(_environment(folder)):
        watch = HangWatch(folder, after, ends, on_hang)
        try:
            yield watch
        finally:
            watch.stop()
            shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    return {
        "DL_BUG_STACKS": str(folder),
        "DL_BUG_STACKS_SIGNAL": str(signal_number()),
        "PYTHONPATH": python_path(os.environ.get("PYTHONPATH")),
    }
