"""The processes of a run as Linux shows them: who started whom, processor time, what they catch."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LONGEST_COMMAND = 4096


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A process: its parent, ``state`` as in proc(5), seconds of processor time, start (ticks)."""

    pid: int
    parent: int
    state: str
    seconds: float
    started: int


def is_known() -> bool:
    """Say whether this system shows its processes."""
    return (_PROC / "self/stat").is_file()


def descendants(root: int) -> dict[int, ProcessState]:
    """Return ``root`` and all processes below it that still run, by their numbers."""
    states: dict[int, ProcessState] = {}
    children: dict[int, list[int]] = {}
    with suppress(OSError):
        for entry in _PROC.iterdir():
            state = state_of(int(entry.name)) if entry.name.isdigit() else None
            if state is not None and state.state not in "ZX":
                states[state.pid] = state
                children.setdefault(state.parent, []).append(state.pid)
    members: dict[int, ProcessState] = {}
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        if pid in states and pid not in members:
            members[pid] = states[pid]
            waiting.extend(children.get(pid, ()))
    return members


def state_of(pid: int) -> ProcessState | None:
    """Return the state of a process; None where there is none of that number."""
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The program's name stands in parentheses and may hold anything, parentheses too.
    fields = text[text.rfind(")") + 2 :].split()
    try:
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return ProcessState(pid, int(fields[1]), fields[0], used, int(fields[19]))
    except (IndexError, ValueError):
        return None


def transferred(pid: int) -> int:
    """Return the bytes that a process has had read from and written to disks, 0 if unknown."""
    try:
        lines = (_PROC / str(pid) / "io").read_text("utf-8", "replace").splitlines()
        counts = dict(line.split(": ") for line in lines)
        return int(counts["read_bytes"]) + int(counts["write_bytes"])
    except (OSError, ValueError, KeyError):
        return 0


def catches(pid: int, number: int) -> bool:
    """Say whether a process has a handler for a signal (``SigCgt`` of proc(5))."""
    try:
        for line in (_PROC / str(pid) / "status").read_text("utf-8", "replace").splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    except (OSError, ValueError, IndexError):
        pass
    return False


def command_of(pid: int) -> str:
    """Return the command line of a process, quoted as for a shell; empty where it is gone."""
    try:
        data = (_PROC / str(pid) / "cmdline").read_bytes()[:_LONGEST_COMMAND]
    except OSError:
        return ""
    return shlex.join(word.decode("utf-8", "replace") for word in data.split(b"\0") if word)


def is_alive(process: int) -> bool:
    """Say whether a process with this id exists."""
    if process <= 0:
        return False
    if sys.platform == "win32":
        # There `os.kill` would end it.
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _is_alive_on_windows(process: int) -> bool:
    if sys.platform != "win32":
        return True
    import ctypes

    synchronize, timeout = 0x00100000, 0x102
    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(synchronize, False, process)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timeout)
    finally:
        kernel.CloseHandle(handle)
