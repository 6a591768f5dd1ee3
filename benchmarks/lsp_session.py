"""A language server's process, and a client that does what it is asked and notes when."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Message = dict[str, Any]
TICKS = os.sysconf("SC_CLK_TCK")

CAPABILITIES: Message = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
    },
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
        },
        "codeLens": {},
    },
}
"""What the client of the benchmarks says it can do."""


class Session:
    """One server process; every message is kept with the second at which it was read."""

    def __init__(self, command: Iterable[str], settings: Message | None = None) -> None:
        self.settings = settings or {}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.notified: queue.Queue[tuple[float, Message]] = queue.Queue()
        self._answers: dict[int, tuple[float, Message]] = {}
        self._answered = threading.Condition()
        self._writing = threading.Lock()
        self._number = 0
        self._is_over = False
        threading.Thread(target=self._read, daemon=True).start()

    def initialize(self, folder: Path | None) -> float:
        """Start the session and return the seconds from the process' start to its answer."""
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder else None
        params = {
            "processId": os.getpid(),
            "rootUri": folder.as_uri() if folder else None,
            "capabilities": CAPABILITIES,
            "workspaceFolders": folders,
        }
        seconds, _ = self.wait(self.ask("initialize", params))
        self.notify("initialized", {})
        return seconds - self.started

    def ask(self, method: str, params: object = None) -> int:
        """Send a request and return its number."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def wait(self, number: int, seconds: float = 120) -> tuple[float, Message]:
        """Return when a request was answered and how; raises TimeoutError."""
        with self._answered:
            self._answered.wait_for(lambda: number in self._answers or self._is_over, seconds)
            if number not in self._answers:
                raise TimeoutError(f"no answer within {seconds:.0f} s, or the server has ended")
            return self._answers.pop(number)

    def command(self, name: str, *arguments: object) -> int:
        """Ask for a command's execution."""
        return self.ask("workspace/executeCommand", {"command": name, "arguments": arguments})

    def heard(self, wanted: Callable[[Message], bool], seconds: float = 60) -> float:
        """Return when the next notification of a kind was read, forgetting all before it."""
        end = time.perf_counter() + seconds
        while True:
            left = end - time.perf_counter()
            try:
                at, message = self.notified.get(timeout=max(0.001, left))
            except queue.Empty:
                raise TimeoutError(f"not heard of within {seconds:.0f} s") from None
            if wanted(message):
                return at

    def forget(self) -> None:
        """Forget the notifications so far."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.notified.get_nowait()

    def end(self) -> int:
        """Shut the server down in order and return its exit code; -9 where it had to be killed."""
        with contextlib.suppress(OSError, TimeoutError):
            self.wait(self.ask("shutdown"), 10)
            self.notify("exit")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        return self.process.wait()

    def cpu(self) -> float:
        """Return the seconds of processor time that the process has used so far."""
        fields = self._stat()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident(self) -> float:
        """Return the resident memory of the process and its children, in MB."""
        return sum(_resident(one) for one in _family(self.process.pid)) / 1e6

    def threads(self) -> int:
        """Return the number of threads."""
        return int(self._stat()[17])

    def descriptors(self) -> int:
        """Return the number of open files."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def settle(self, quiet: float = 1.5, most: float = 120) -> None:
        """Wait until the processes have used next to no processor time for some seconds."""
        end = time.perf_counter() + most
        while time.perf_counter() < end:
            before = sum(_cpu(one) for one in _family(self.process.pid))
            time.sleep(quiet)
            if sum(_cpu(one) for one in _family(self.process.pid)) - before <= 0.02 * quiet:
                return

    def _stat(self) -> list[str]:
        text = Path(f"/proc/{self.process.pid}/stat").read_text("ascii", "replace")
        return text.rpartition(")")[2].split()

    def send_bytes(self, body: bytes) -> None:
        """Send a body as it is."""
        assert self.process.stdin
        with self._writing:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.process.stdin.flush()

    def _send(self, message: Message) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            body = stream.read(length) if length else b""
            if not body:
                break
            at = time.perf_counter()
            self._take(at, json.loads(body))
        with self._answered:
            self._is_over = True
            self._answered.notify_all()

    def _take(self, at: float, message: Message) -> None:
        if "method" not in message:
            # Errors of messages that were no requests have no number of ours.
            with self._answered:
                self._answers[message["id"]] = (at, message)
                self._answered.notify_all()
        elif "id" in message:
            result: object = None
            if message["method"] == "workspace/configuration":
                result = [self.settings for _ in message["params"]["items"]]
            with contextlib.suppress(OSError):
                self._send({"id": message["id"], "result": result})
        else:
            self.notified.put((at, message))


def publishes(message: Message) -> bool:
    """Say whether a notification shows diagnostics, rather than taking them back."""
    is_push = message["method"] == "textDocument/publishDiagnostics"
    return is_push and bool(message["params"]["diagnostics"])


def _family(process: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [process]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found.extend(map(int, (task / "children").read_text().split()))
    return found


def _resident(process: int) -> int:
    with contextlib.suppress(OSError):
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def _cpu(process: int) -> float:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text("ascii", "replace")
        parts = fields.rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / TICKS
    return 0.0
