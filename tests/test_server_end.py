"""How the server's process ends, and what it survives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.server.parent import watch_parent

FIXTURE = Path(__file__).parent.parent / "fixtures" / "101-leaf-resnet-head"
WORKSPACE = FIXTURE / "workspace"
LOG = (FIXTURE / "log.txt").read_text(encoding="utf-8")
LONG = "".join(
    LOG.replace("8x216", f"{n}x216").replace("line 13", f"line {n}") for n in range(2_000)
)
"""Different failures: work for far longer than any test waits."""
PATIENCE = 8
"""Seconds within which a server that should end must have ended, on a busy machine."""


class Server:
    """A server process and the protocol's framing, nothing more."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dl_bug_lsp", "server", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.notifications: list[dict[str, Any]] = []
        self._number = 0

    def send(self, body: bytes) -> None:
        self.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.stdin.flush()

    def notify(self, method: str, params: object = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.send(json.dumps(message).encode())

    def ask(self, method: str, params: object = None) -> int:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self._number

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            length = 0
            while line := self.stdout.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            message: dict[str, Any] = json.loads(self.stdout.read(length))
            if message.get("id") == number and "method" not in message:
                return message
            self.notifications.append(message)

    def start(self, process: int | None = None) -> None:
        folders = [{"uri": WORKSPACE.as_uri(), "name": "leaf"}]
        params = {"processId": process, "capabilities": {}, "workspaceFolders": folders}
        assert "result" in self.answer(self.ask("initialize", {**params, "rootUri": None}))
        self.notify("initialized", {})

    def work(self) -> int:
        """Keep the server busy."""
        arguments = [{"text": LONG}]
        command = {"command": "dlBug.localize", "arguments": arguments}
        number = self.ask("workspace/executeCommand", command)
        # Answered on the main loop, so the request before it has begun.
        self.answer(self.ask("workspace/executeCommand", {"command": "dlBug.report"}))
        return number

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors.decode()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()
    for stream in (one.stdin, one.stdout, one.process.stderr):
        if stream:
            stream.close()


def test_shutdown_and_exit(server: Server) -> None:
    server.start()
    assert server.answer(server.ask("shutdown"))["result"] is None
    server.notify("exit")
    assert server.end() == (0, "")


def test_exit_without_shutdown_is_an_error(server: Server) -> None:
    server.start()
    server.notify("exit")
    assert server.end()[0] == 1


def test_closing_standard_input_ends_it(server: Server) -> None:
    server.start()
    assert server.end()[0] == 1


def test_closing_standard_input_ends_it_before_it_was_started(server: Server) -> None:
    assert server.end()[0] == 1


def test_closing_standard_input_ends_it_while_it_works(server: Server) -> None:
    server.start()
    server.work()
    assert server.end()[0] == 1


def test_shutdown_while_it_works(server: Server) -> None:
    server.start()
    number = server.work()
    stopped = server.ask("shutdown")
    assert server.answer(number)["error"]["code"] == -32800
    assert server.answer(stopped)["result"] is None
    server.notify("exit")
    assert server.end()[0] == 0


def test_a_cancelled_request_is_answered_and_shows_nothing(server: Server) -> None:
    server.start()
    number = server.work()
    server.notify("$/cancelRequest", {"id": number})
    assert server.answer(number)["error"]["code"] == -32800
    command = {"command": "dlBug.localize", "arguments": [{"text": LONG}]}
    again = server.ask("workspace/executeCommand", command)
    server.notify("$/cancelRequest", {"id": again})
    assert server.answer(again)["error"]["code"] == -32800
    assert server.notifications == []
    assert server.end() == (1, "")


def test_the_end_of_the_client_s_process_ends_it(server: Server) -> None:
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server.start(client.pid)
    server.work()
    assert server.process.poll() is None
    client.communicate(timeout=PATIENCE)
    assert server.process.wait(timeout=PATIENCE) == 1


def test_a_process_id_that_means_nothing_here_is_not_watched() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(timeout=PATIENCE)
    for process in (None, 0, -1, gone.pid, os.getpid()):
        assert watch_parent(process, pytest.fail) is False


def test_errors_show_one_message_at_most_and_no_payload(server: Server) -> None:
    server.start()
    for text in ("{", '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"se": 1}}'):
        server.send(text.encode())
    change = {
        "textDocument": {"uri": "file:///never/opened.py", "version": 1},
        "contentChanges": [{"text": "a secret"}],
    }
    for _ in range(3):
        server.notify("textDocument/didChange", change)
    server.notify("no/such/notification", {"text": "a secret"})
    report = {"command": "dlBug.report"}
    assert server.answer(server.ask("workspace/executeCommand", report))["result"] is None
    assert server.answer(server.ask("no/such/request", ["a secret"]))["error"]["code"] == -32601
    shown = [m for m in server.notifications if m["method"] == "window/showMessage"]
    assert len(shown) == 1
    _, errors = server.end()
    assert "secret" not in errors
    assert "in the server" in errors


def test_the_log_file_is_ours_and_holds_no_payload(tmp_path: Path) -> None:
    place = tmp_path / "server.log"
    server = Server("--log-file", str(place))
    server.start()
    command = {"command": "dlBug.localize", "arguments": [{"text": LOG}]}
    assert server.answer(server.ask("workspace/executeCommand", command))["result"]["failures"]
    assert server.end() == (1, "")
    log = place.read_text(encoding="utf-8")
    assert "indexed" in log
    assert "mat1" not in log
    assert len(log) < 2_000


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be opened for writing at all")
def test_a_log_file_that_cannot_be_written_is_wrong_use(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "server", "--log-file", os.fspath(tmp_path)],
        input=b"",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert b"cannot write the log file" in done.stderr
