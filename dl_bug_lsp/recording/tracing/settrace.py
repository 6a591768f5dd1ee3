"""The tracer on `sys.settrace`, for Python before 3.12.

Line numbers and events as documented with `sys.settrace`; frames of others are not followed.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable
from time import perf_counter
from types import FrameType
from typing import Any

from dl_bug_lsp.recording.tracing.code import Code, Files
from dl_bug_lsp.recording.tracing.tracker import Signatures, Tracker, chain

Local = Callable[[FrameType, str, Any], Any]
_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)


class Settrace:
    """Installs a tracker in every thread."""

    NAME = "sys.settrace"

    def __init__(self, files: Files, signatures: Signatures) -> None:
        self._files, self._signatures = files, signatures
        self._mine: list[Any] = []
        self.trackers: list[Tracker] = []
        self.others = [0]
        """Calls of code of others that were seen."""

    def start(self) -> bool:
        """Begin in this thread and in all that are started later; False beside another tracer."""
        if sys.gettrace() is not None:
            return False
        threading.settrace(self._first_call)
        sys.settrace(self._new_thread())
        return True

    def stop(self) -> bool:
        """End in this thread; False where another tracer took our place meanwhile."""
        current = sys.gettrace()
        threading.settrace(None)  # type: ignore[arg-type,unused-ignore]
        if current in self._mine:
            sys.settrace(None)
        return current in self._mine

    def _first_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        trace = self._new_thread()
        sys.settrace(trace)
        return trace(frame, event, argument)

    def _new_thread(self) -> Local:
        tracker = Tracker(self._files, self._signatures)
        self.trackers.append(tracker)
        trace = _tracing(tracker, self._files, self.others)
        self._mine.append(trace)
        return trace

    def cost(self) -> float:
        """Return the seconds that all events cost, by what they cost here; call after `stop`.

        Also code of others runs slower while a trace function is set, if it is not followed: how
        much is measured on code of the standard library.
        """
        tracker = Tracker(self._files, self._signatures)
        local = _simple(tracker, 0)
        own = probed(lambda: sys.settrace(lambda *_: local), lambda: sys.settrace(None), probe)
        seen = [0]
        self._files.number[copy.__file__] = -1
        trace = _tracing(tracker, self._files, seen)
        other = probed(lambda: sys.settrace(trace), lambda: sys.settrace(None), probe_library)
        each = other * PROBED / max(seen[0] / TIMES, 1)
        return sum(t.events for t in self.trackers) * own + self.others[0] * each


TIMES = 5


def probed(
    on: Callable[[], object], off: Callable[[], object], work: Callable[[], object]
) -> float:
    """Return by how many seconds tracing slows a piece of work: the least of some measurements.

    As a share of `PROBED` lines.
    """
    times: list[list[float]] = [[], []]
    for _ in range(TIMES):
        for is_traced in (False, True):
            if is_traced:
                on()
            began = perf_counter()
            work()
            times[is_traced].append(perf_counter() - began)
            if is_traced:
                off()
    return max(0.0, min(times[1]) - min(times[0])) / PROBED


PROBED = 4_000


def probe() -> None:
    """Run `PROBED` lines."""
    done = 0
    while done < PROBED // 2:
        done += 1


def probe_library() -> None:
    """Run code of the standard library that is written in Python."""
    copy.deepcopy([{str(n): [n, (n, str(n))]} for n in range(100)])


def _tracing(tracker: Tracker, files: Files, others: list[int]) -> Local:
    numbers, code_of = files.number, files.code
    simple: dict[int, Local] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        code_object = frame.f_code
        if numbers.get(code_object.co_filename) == -1:
            others[0] += 1
            return None
        code = code_of(code_object)
        if code is None:
            return None
        began = perf_counter()
        is_watched = tracker.enter(frame, code)
        tracker.spent += perf_counter() - began
        if is_watched:
            return _watched(tracker, code)
        if is_watched is None:
            return None
        local = simple.get(id(code))
        if local is None:
            local = simple[id(code)] = _simple(tracker, code.base)
        return local

    return trace


def _simple(tracker: Tracker, base: int) -> Local:
    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            tracker.events += 1
            tracker.lines.add(base + frame.f_lineno)
        return local

    return local


def _watched(tracker: Tracker, code: Code) -> Local:
    pending: tuple[int, ...] = ()

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal pending
        if event == "line":
            began = perf_counter()
            tracker.line(frame, code, frame.f_lineno)
            tracker.spent += perf_counter() - began
        elif event == "exception":
            error = argument[1]
            if isinstance(error, BaseException) and not isinstance(error, _ENDS):
                pending = chain(error)
                tracker.raised(frame, error)
        elif event == "return":
            # After a `finally` no further event tells that the exception goes on.
            tracker.leave(frame, pending if argument is None else ())
            pending = ()
        return local

    return local
