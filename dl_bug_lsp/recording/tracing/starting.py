"""Starts the tracer in a process of a recorded run and writes down at its end what ran."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from typing import Any

from dl_bug_lsp.recording.tracing.tracker import EXIT, LINE_BITS, Files, Signatures, Tracker, Turns

VERSION = 1
_LINE = (1 << LINE_BITS) - 1


def start(folder: str, root: str, branch: bool = False, began: float | None = None) -> None:
    """Trace this process and its forks; each leaves ``folder/run-<process>.json`` at its end.

    ``began`` is the process time at which the first of our modules was looked for.
    """
    began = time.process_time() if began is None else began
    files, signatures = Files(root), Signatures()
    tracing: Any
    if sys.version_info >= (3, 12):
        from dl_bug_lsp.recording.tracing.tracers import Monitoring

        tracing = Monitoring(files, signatures)
    else:
        from dl_bug_lsp.recording.tracing.tracers import Settrace

        tracing = Settrace(files, signatures)
    record = _Record(folder, files, signatures, tracing)
    if not tracing.start():
        _write(folder, {"version": VERSION, "problem": "another tracer or debugger is at work"})
        return
    atexit.register(record.write)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=record.forked)
    record.set_up = time.process_time() - began


class _Record:
    """What one process ran."""

    def __init__(self, folder: str, files: Files, signatures: Signatures, tracing: Any) -> None:
        self._folder = folder
        self._files = files
        self._signatures = signatures
        self._tracing = tracing
        self._began = time.time()
        self._is_fork = False
        self.set_up = 0.0
        """Seconds until the tracer was at work."""

    def forked(self) -> None:
        """Go on as the record of a child; multiprocessing's end without `atexit`."""
        self._is_fork, self.set_up = True, 0.0
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # Its children forget all finalizers at their beginning, then run these.
            util.register_after_fork(self, _Record.finalize)

    def finalize(self) -> None:
        """Have multiprocessing write the record at a child's end."""
        sys.modules["multiprocessing.util"].Finalize(None, self.write, exitpriority=-1000)

    def write(self) -> None:
        """Stop to trace and write the record; a full disk is no reason to fail."""
        stopped = time.process_time()
        is_whole = self._tracing.stop()
        trackers = [t for t in self._tracing.trackers if t.current_lines()]
        if not trackers:
            return
        events = self._tracing.others[0] + sum(t.events for t in trackers)
        failed = next((t for t in trackers if t.fatal), None)
        document = {
            "version": VERSION,
            "process": os.getpid(),
            "parent": os.getppid(),
            "is_fork": self._is_fork,
            "tracer": self._tracing.NAME,
            "is_whole": is_whole,
            "began": self._began - self.set_up,
            "events": events,
            "files": [list(row) for row in zip(self._files.names, self._files.checksums)],
            "lines": _lines(set().union(*(t.current_lines() for t in trackers))),
            "signatures": self._signatures.rows,
            "met": sorted(set().union(*(t.current_signatures() for t in trackers))),
            "failed": _failed(failed) if failed is not None else [],
        }
        spent = self.set_up + sum(t.spent for t in trackers) + self._tracing.cost()
        document["spent"] = spent + time.process_time() - stopped
        document["processor"] = time.process_time()
        document["ended"] = time.time()
        try:
            _write(self._folder, document)
        except OSError:
            return


def _failed(tracker: Tracker) -> list[dict[str, Any]]:
    """Return the loops and calls that the fatal exception broke off, the innermost first.

    A program that catches an exception and ends by ``sys.exit(1)`` later failed by it, too.
    """
    fatal = set(tracker.fatal)
    if EXIT in fatal and not any(scope.exception in fatal for scope in tracker.broken):
        fatal |= {scope.exception for scope in list(tracker.broken)[-1:]}
    return [
        {
            **_turns(broken.turns),
            "turn": broken.turn,
            "lines": _lines(broken.lines),
            "met": sorted(broken.signatures),
        }
        for broken in tracker.broken
        if broken.exception in fatal
    ]


def _turns(turns: Turns) -> dict[str, Any]:
    return {
        "kind": turns.kind,
        "file": turns.file,
        "first": turns.first,
        "end": turns.end,
        "name": turns.name,
        "passed": turns.count,
        "kinds": [[n, first, _lines(lines)] for lines, (n, first) in turns.kinds.items()],
        "signatures": sorted(turns.signatures.items()),
    }


def _lines(numbers: Any) -> list[list[Any]]:
    """Return lines by file: ``[[file, [line, …]], …]``, rising."""
    by_file: dict[int, list[int]] = {}
    for number in sorted(numbers):
        by_file.setdefault(number >> LINE_BITS, []).append(number & _LINE)
    return [[file, lines] for file, lines in by_file.items()]


def _write(folder: str, document: dict[str, Any]) -> None:
    path = os.path.join(folder, f"run-{os.getpid()}.json")
    with open(path + ".tmp", "w") as stream:
        json.dump(document, stream)
    os.replace(path + ".tmp", path)
