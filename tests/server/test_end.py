"""How the server's process ends, and what it survives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warm_start import PLAIN, program

from dl_bug_lsp.server.process import watch_parent
from dl_bug_lsp.server.run import make_server

FIXTURE = Path(__file__).parents[2] / "fixtures" / "101-leaf-resnet-head"
LOG = (FIXTURE / "log.txt").read_text(encoding="utf-8")
SMALL = FIXTURE.parent / "114-churn-fold-columns"
SMALL_LOG = (SMALL / "log.txt").read_text(encoding="utf-8")
LONG = "".join(
    LOG.replace("8x216", f"{n}x216").replace("line 13", f"line {n}") for n in range(2_000)
)
"""Different failures: work for far longer than any test waits."""
PATIENCE = 8
"""Seconds within which a server that should end must have ended, on a busy machine."""


class Server:
    """A server process and the protocol's framing, nothing more."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.notifications: list[dict[str, Any]] = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
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

    def next(self) -> dict[str, Any]:
        length = 0
        while line := self.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.stdout.read(length))
        return message

    def report(self) -> object:
        """Ask for the last report: an answer shows that the server is well."""
        command = {"command": "dlBug.report"}
        return self.answer(self.ask("workspace/executeCommand", command))["result"]

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self.next()
            if message.get("id") == number and "method" not in message:
                return message
            self.notifications.append(message)

    def start(self, process: int | None = None, fixture: Path = FIXTURE) -> None:
        # A copy: what the server keeps of a folder must not reach the next test.
        workspace = Path(self._folder.name, "workspace")
        shutil.copytree(fixture / "workspace", workspace, ignore=shutil.ignore_patterns(".dlbug"))
        folders = [{"uri": workspace.as_uri(), "name": "leaf"}]
        params = {"processId": process, "capabilities": {}, "workspaceFolders": folders}
        params["initializationOptions"] = {"settings": {"keepFailures": False}}
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

    def close(self) -> None:
        self._folder.cleanup()

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=PATIENCE)
        self.close()
        return self.process.returncode, errors.decode()


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that is started as editors do."""
    yield from ended(Server(*PLAIN, "server"))


@pytest.fixture
def warm() -> Iterator[Server]:
    """A server of which the process itself is no matter."""
    yield from ended(Server(*program("server")))


def ended(one: Server) -> Iterator[Server]:
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()
    one.close()
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


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'{"id": 7, "method": "x"}', -32600),
    ],
)
def test_what_is_no_message_is_refused(warm: Server, body: bytes, code: int) -> None:
    warm.start()
    warm.send(body)
    assert warm.next()["error"]["code"] == code
    assert warm.report() is None


def test_messages_out_of_order_are_refused(warm: Server) -> None:
    warm.notify("textDocument/didSave", {"textDocument": {"uri": "file:///a.py"}})
    assert warm.answer(warm.ask("workspace/symbol", {"query": ""}))["error"]["code"] == -32002
    warm.start()
    assert warm.answer(warm.ask("initialize", {"capabilities": {}}))["error"]["code"] == -32600
    warm.answer(warm.ask("shutdown"))
    assert warm.answer(warm.ask("textDocument/hover", {}))["error"]["code"] == -32600
    warm.notify("exit")
    assert warm.end()[0] == 0


@pytest.mark.parametrize("params", [None, [], {}, {"textDocument": 3}, {"command": "no.such"}])
def test_wrong_parameters_are_answered(warm: Server, params: object) -> None:
    warm.start()
    answer = warm.answer(warm.ask("workspace/executeCommand", params))
    assert answer["error"]["code"] == -32602
    assert warm.report() is None


def test_header_fields_in_any_case_and_order(warm: Server) -> None:
    warm.start()
    body = json.dumps({"jsonrpc": "2.0", "id": "x", "method": "shutdown"}).encode()
    fields = b"rubbish\r\nContent-Type: y; charset=utf-8\r\ncontent-length:%d\r\n\r\n"
    warm.stdin.write(fields % len(body) + body)
    warm.stdin.flush()
    assert warm.next() == {"jsonrpc": "2.0", "id": "x", "result": None}


def test_a_client_s_mistakes_disturb_no_user_and_no_log_holds_them(warm: Server) -> None:
    warm.start()
    for text in ("{", '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"se": 1}}'):
        warm.send(text.encode())
    change = {
        "textDocument": {"uri": "file:///never/opened.py", "version": 1},
        "contentChanges": [{"text": "a secret"}],
    }
    for _ in range(3):
        warm.notify("textDocument/didChange", change)
    warm.notify("no/such/notification", {"text": "a secret"})
    assert warm.report() is None
    assert warm.answer(warm.ask("no/such/request", ["a secret"]))["error"]["code"] == -32601
    warm.send(b'{"jsonrpc": "2.0", "id": 1000, "method": "no/such/request"}')
    assert warm.answer(1000)["error"]["code"] == -32601
    assert [m for m in warm.notifications if m.get("method") == "window/showMessage"] == []
    _, errors = warm.end()
    assert "secret" not in errors


def test_of_many_errors_of_ours_the_user_hears_once() -> None:
    one = make_server()
    sent: list[dict[str, Any]] = []

    class Writer:
        def write(self, data: bytes) -> None:
            sent.append(json.loads(data))

    @one.feature("textDocument/willSave")
    def fail(_params: object) -> None:
        raise KeyError("a secret")

    one.protocol.set_writer(Writer(), include_headers=False)  # type: ignore[arg-type]
    start = {"processId": None, "rootUri": None, "capabilities": {}}
    save = {"textDocument": {"uri": "file:///a.py"}}
    one.protocol.take(request("initialize", start, 1))
    for _ in range(3):
        one.protocol.take(request("textDocument/willSave", {**save, "reason": 1}))
    shown = [message for message in sent if message.get("method") == "window/showMessage"]
    assert len(shown) == 1
    assert "secret" not in shown[0]["params"]["message"]


def request(method: str, params: object, number: int | None = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX'")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_end_it_while_it_works(server: Server, number: int, code: int) -> None:
    server.start()
    server.work()
    server.process.send_signal(number)
    assert server.process.wait(timeout=PATIENCE) == code


def test_a_client_that_reads_nothing_does_not_keep_it(server: Server) -> None:
    """The pipe to the client is full long before all reports are answered."""
    server.start(fixture=SMALL)
    command = {"command": "dlBug.localize", "arguments": [{"text": SMALL_LOG}]}
    assert server.answer(server.ask("workspace/executeCommand", command))["result"]
    for _ in range(100):
        server.ask("workspace/executeCommand", {"command": "dlBug.report"})
    server.stdin.close()
    assert server.process.wait(timeout=PATIENCE) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_over_tcp_one_client_is_served(host: str) -> None:
    with Listening("--tcp", f"{host}:0") as process:
        if process.address is None:
            pytest.skip(f"{host} is not to be had here")
        with socket.create_connection(process.address, timeout=PATIENCE) as connection:
            client = SocketClient(connection)
            assert client.ask("initialize", {"processId": None, "capabilities": {}})["result"]
            assert client.ask("shutdown", None)["result"] is None
            client.send("exit", None)
            assert process.wait() == 0


STRANGERS = (
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
    b"\x16\x03\x01\x02\x00\x01",
    b"\r\n\r\n",
)


def test_who_does_not_speak_the_protocol_takes_no_place() -> None:
    with Listening("--tcp", "127.0.0.1:0") as process:
        assert process.address
        with socket.create_connection(process.address, timeout=PATIENCE):
            for said in STRANGERS:
                with socket.create_connection(process.address, timeout=PATIENCE) as stranger:
                    stranger.sendall(said)
                    stranger.shutdown(socket.SHUT_WR)
                    assert stranger.recv(1) == b""
            with socket.create_connection(process.address, timeout=PATIENCE) as connection:
                client = SocketClient(connection)
                assert client.ask("initialize", {"processId": None, "capabilities": {}})["result"]
                with pytest.raises(OSError, match="refused"):
                    socket.create_connection(process.address, timeout=PATIENCE)
                client.send("exit", None)
                assert process.wait() == 1


def test_a_token_is_asked_for(tmp_path: Path) -> None:
    held = tmp_path / "token"
    held.write_text("0123456789abcdef\n")
    held.chmod(0o600)
    start: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
    with Listening("--tcp", "127.0.0.1:0", "--token-file", str(held)) as process:
        assert process.address
        for given in ({}, {"token": "0123456789abcdeF"}, {"token": None}):
            with socket.create_connection(process.address, timeout=PATIENCE) as stranger:
                SocketClient(stranger).send(
                    "initialize", {**start, "initializationOptions": given}, 1
                )
                assert stranger.recv(1) == b""
        with socket.create_connection(process.address, timeout=PATIENCE) as connection:
            options = {"initializationOptions": {"token": "0123456789abcdef"}}
            assert SocketClient(connection).ask("initialize", {**start, **options})["result"]


@pytest.mark.parametrize(
    ("text", "mode"), [("0123456789abcdef", 0o644), ("short", 0o600), ("é" * 20, 0o600)]
)
def test_a_token_that_others_know_is_refused(tmp_path: Path, text: str, mode: int) -> None:
    held = tmp_path / "token"
    held.write_text(text)
    held.chmod(mode)
    wrong_use("--tcp", "127.0.0.1:0", "--token-file", str(held))


def test_a_closed_socket_ends_it() -> None:
    with Listening("--tcp", "127.0.0.1:0") as process:
        assert process.address
        with socket.create_connection(process.address, timeout=PATIENCE) as connection:
            SocketClient(connection).ask("initialize", {"processId": None, "capabilities": {}})
        assert process.wait() == 1


def test_over_a_websocket_one_client_is_served() -> None:
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    with Listening("--ws", "127.0.0.1:0") as process:
        assert process.address
        uri = f"ws://127.0.0.1:{process.address[1]}"
        with pytest.raises(WebSocketException):
            connect(uri, origin="https://example.org")
        with connect(uri) as connection:
            start = {"processId": None, "rootUri": None, "capabilities": {}}
            connection.send(request("initialize", start, 1).decode())
            assert json.loads(connection.recv(PATIENCE))["result"]["serverInfo"]
            connection.send(request("shutdown", None, 2).decode())
            assert json.loads(connection.recv(PATIENCE)) == {
                "jsonrpc": "2.0",
                "id": 2,
                "result": None,
            }
            connection.send(request("exit", None).decode())
            assert process.wait() == 0


def test_the_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = wrong_use("--tcp", f"127.0.0.1:{taken.getsockname()[1]}")
    assert "cannot listen on 127.0.0.1:" in done
    assert done.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--tcp", "2087"),
        ("--tcp", "127.0.0.1"),
        ("--tcp", "127.0.0.1:x"),
        ("--tcp", "127.0.0.1:70000"),
        ("--tcp", "0.0.0.0:0"),
        ("--token-file", "token"),
        ("--ws", "::1:0"),
        ("--tcp", "no such host:0"),
        ("--tcp", ":0", "--ws", ":0"),
        ("--stdio", "--tcp", ":0"),
    ],
)
def test_wrong_addresses_are_told_in_one_line(options: tuple[str, ...]) -> None:
    assert wrong_use(*options).count("\n") == 1


def wrong_use(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "server", *options],
        input=b"",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    return done.stderr.decode()


class Listening:
    """A server process that waits for a client; ``address`` is where, None where it cannot."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dl_bug_lsp", "server", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.address: tuple[str, int] | None = None

    def __enter__(self) -> Listening:
        assert self._process.stderr
        told = self._process.stderr.readline().decode()
        if "listening on" in told:
            host, _, port = told.strip().rpartition("//")[2].rpartition(":")
            self.address = host.strip("[]"), int(port)
        return self

    def wait(self) -> int:
        return self._process.wait(timeout=PATIENCE)

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


class SocketClient:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb")

    def send(self, method: str, params: object, number: int | None = None) -> None:
        body = request(method, params, number)
        self._connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def ask(self, method: str, params: object) -> dict[str, Any]:
        self.send(method, params, 1)
        length = 0
        while line := self._stream.readline().strip():
            length = int(line.partition(b":")[2])
        answer: dict[str, Any] = json.loads(self._stream.read(length))
        return answer


def test_the_log_file_is_ours_and_holds_no_payload(tmp_path: Path) -> None:
    place = tmp_path / "server.log"
    server = Server(*PLAIN, "server", "--log-file", str(place))
    server.start(fixture=SMALL)
    command = {"command": "dlBug.localize", "arguments": [{"text": SMALL_LOG}]}
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
