"""The tracer on `sys.monitoring` (PEP 669), Python 3.12 on: others' code costs nothing."""

from __future__ import annotations

import sys
import threading
from time import perf_counter
from types import CodeType
from typing import Any

from dl_bug_lsp.recording.tracing.code import Code, Files
from dl_bug_lsp.recording.tracing.settrace import probe, probed
from dl_bug_lsp.recording.tracing.tracker import Signatures, Tracker, chain

_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)


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
