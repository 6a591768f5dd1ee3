"""The tracers: on `sys.monitoring` (PEP 669) from Python 3.12 on, before it on `sys.settrace`.

With `sys.monitoring` others' code costs nothing. Line numbers and events of `sys.settrace` are as
documented with it; frames of others are not followed.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable
from time import perf_counter
from types import CodeType, FrameType
from typing import Any

from dl_bug_lsp.recording.tracing.tracker import Code, Files, Signatures, Tracker, chain

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


class Monitoring:
    """Registers as a tool of its own; every thread has a tracker."""

    NAME = "sys.monitoring"

    def __init__(self, files: Files, signatures: Signatures) -> None:
        self._files, self._signatures = files, signatures
        self._monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        self._tool = -1
        self._codes: dict[int, Code] = {}
        self._by_thread: dict[int, Tracker] = {}
        self.trackers: list[Tracker] = []
        self.others = [0]

    def start(self) -> bool:
        """Begin in all threads; False beside a debugger or where no tool's number is free."""
        tools = self._monitoring
        if sys.gettrace() is not None or tools.get_tool(tools.DEBUGGER_ID) is not None:
            return False
        for tool in (4, 3, tools.OPTIMIZER_ID, tools.PROFILER_ID):
            if tools.get_tool(tool) is None:
                tools.use_tool_id(tool, "dl-bug-lsp")
                self._tool = tool
                break
        else:
            return False
        events = tools.events
        for event, callback in (
            (events.PY_START, self._start),
            (events.LINE, self._line),
            (events.PY_RETURN, self._return),
            (events.PY_UNWIND, self._unwind),
            (events.EXCEPTION_HANDLED, self._handled),
        ):
            tools.register_callback(self._tool, event, callback)
        always = events.PY_START | events.PY_UNWIND | events.EXCEPTION_HANDLED
        tools.set_events(self._tool, always)
        return True

    def stop(self) -> bool:
        """End everywhere."""
        tools = self._monitoring
        tools.set_events(self._tool, 0)
        for code in self._codes.values():
            tools.set_local_events(self._tool, code.code, 0)
        return True

    def cost(self) -> float:
        """Return the seconds that all events cost, by what one costs here; call after `stop`."""
        code, tools = probe.__code__, self._monitoring
        self._codes[id(code)] = Code(code, 0, [])

        def listen(events: int) -> None:
            tools.set_local_events(self._tool, code, events)

        each = probed(lambda: listen(tools.events.LINE), lambda: listen(0), probe)
        return sum(t.events for t in self.trackers) * each

    def _tracker(self) -> Tracker:
        ident = threading.get_ident()
        tracker = self._by_thread.get(ident)
        if tracker is None:
            tracker = self._by_thread[ident] = Tracker(self._files, self._signatures)
            self.trackers.append(tracker)
        return tracker

    def _start(self, code_object: CodeType, _offset: int) -> Any:
        code = self._codes.get(id(code_object))
        if code is None:
            code = self._files.code(code_object)
            if code is None:
                return self._monitoring.DISABLE
            self._codes[id(code_object)] = code
            events = self._monitoring.events
            mask = events.LINE | events.PY_RETURN
            self._monitoring.set_local_events(self._tool, code_object, mask)
        tracker = self._tracker()
        began = perf_counter()
        tracker.enter(sys._getframe(1), code)
        tracker.spent += perf_counter() - began
        return None

    def _line(self, code_object: CodeType, line: int) -> Any:
        code = self._codes.get(id(code_object))
        if code is not None:
            tracker = self._tracker()
            if code.headers:
                began = perf_counter()
                tracker.line(sys._getframe(1), code, line)
                tracker.spent += perf_counter() - began
            else:
                tracker.events += 1
                tracker.lines.add(code.base + line)

    def _return(self, code_object: CodeType, _offset: int, _value: object) -> Any:
        if id(code_object) in self._codes:
            self._tracker().leave(sys._getframe(1))

    def _unwind(self, code_object: CodeType, _offset: int, error: BaseException) -> Any:
        if id(code_object) in self._codes:
            self._tracker().leave(sys._getframe(1), chain(error))

    def _handled(self, code_object: CodeType, _offset: int, error: BaseException) -> Any:
        code = self._codes.get(id(code_object))
        if code is not None and code.headers and not isinstance(error, _ENDS):
            self._tracker().raised(sys._getframe(1), error)
