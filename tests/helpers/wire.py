"""The protocol's framing and nothing more: for tests that no well-behaved client can do."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from warm_start import PLAIN, program

PATIENCE = 60.0


class Wire:
    """A server process; what it sends is kept by kind.

    A plain one is started as editors do, and can be measured; the other is forked (`warm_start`).
    """

    def __init__(
        self,
        environment: dict[str, str] | None = None,
        arguments: Sequence[str] = (),
        *,
        plain: bool = False,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `kill`
        words = ("server", *arguments)
        self.process = subprocess.Popen(
            [*PLAIN, *words] if plain else program(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        self.messages: list[str] = []
        self.progress: list[dict[str, Any]] = []
        self.pushes = 0
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._is_over = False
        self._number = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def initialize(self, folders: list[Path], capabilities: dict[str, Any] | None = None) -> None:
        """Start the session as a client that declares next to nothing else."""
        opened = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        assert "result" in self.answer(
            self.ask("initialize", {**params, "workspaceFolders": opened})
        )
        self.notify("initialized", {})

    def ask(self, method: str, params: object = None) -> int:
        """Send a request and return its number."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def send_command(self, name: str, argument: object = None) -> int:
        """Ask for a command and return the request's number."""
        arguments = [] if argument is None else [argument]
        return self.ask("workspace/executeCommand", {"command": name, "arguments": arguments})

    def command(self, name: str, argument: object = None, *, ok: bool = True) -> Any:
        """Ask for a command and return its result; None where it failed and may."""
        answer = self.answer(self.send_command(name, argument))
        assert "result" in answer or not ok, answer
        return answer.get("result")

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to a request."""
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._is_over, PATIENCE)
            assert number in self._answers, f"no answer; {self.errors()}"
            return self._answers.pop(number)

    def send_bytes(self, body: bytes) -> None:
        """Send a body as it is."""
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def shown(self, file: str) -> list[dict[str, Any]]:
        """Return the diagnostics of the files with this name."""
        found = [d for uri, d in self._diagnostics.items() if uri.endswith(f"/{file}")]
        return [one for diagnostics in found for one in diagnostics]

    def text_of(self, file: str) -> str:
        """Return the messages of a file's diagnostics."""
        return "\n".join(one["message"] for one in self.shown(file))

    def peak_memory(self) -> float:
        """Return the most memory that was resident so far, in MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        (line,) = [line for line in text.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1000

    def threads(self) -> int:
        """Return the number of threads."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def files(self) -> int:
        """Return the number of open files."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def errors(self) -> str:
        """Return what the server wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode()

    def close_input(self) -> None:
        """Close the server's standard input."""
        assert self.process.stdin
        self.process.stdin.close()

    def leave(self) -> int:
        """Shut down in order and return the exit code."""
        self.answer(self.ask("shutdown"))
        self.notify("exit")
        return self.process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        """End whatever is left."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream:
                with suppress(OSError):
                    stream.close()

    def _send(self, message: dict[str, Any]) -> None:
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
            with self._changed:
                self._take(json.loads(body))
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            # Errors of messages that were no requests have no number of ours.
            if isinstance(message.get("id"), int):
                self._answers[message["id"]] = message
        elif method == "textDocument/publishDiagnostics":
            self.pushes += 1
            self._diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif method == "window/workDoneProgress/create":
            self._send({"id": message["id"], "result": None})
        elif method == "$/progress":
            self.progress.append(message["params"])
        elif method == "window/showMessage":
            self.messages.append(message["params"]["message"])
