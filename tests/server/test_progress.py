"""Reading a folder shows progress when it takes long, and stops when the user says so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_for
from wire import Wire

from dl_bug_lsp.server import files
from dl_bug_lsp.server.run import make_server


class Client:
    """Answers the server's requests and keeps what it sent."""

    def __init__(self) -> None:
        self.server = make_server()
        self.kinds: asyncio.Queue[str] = asyncio.Queue()
        self.server.protocol.set_writer(self, include_headers=False)  # type: ignore[arg-type]

    def write(self, data: bytes) -> None:
        message: dict[str, Any] = json.loads(data)
        if message.get("method") == "window/workDoneProgress/create":
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": None}
            asyncio.get_running_loop().call_soon(self.send, answer)
        if message.get("method") == "$/progress":
            self.kinds.put_nowait(message["params"]["value"]["kind"])
            self.token = message["params"]["token"]

    def send(self, message: dict[str, Any]) -> None:
        self.server.protocol.take(json.dumps(message).encode())

    def start(self, folder: Path) -> None:
        params = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "capabilities": {"window": {"workDoneProgress": True}},
        }
        self.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    async def next(self) -> str:
        return await asyncio.wait_for(self.kinds.get(), 30)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(300):
        (tmp_path / f"m{number}.py").write_text("x = 1\n" * 50)
    return tmp_path


async def test_long_reading_begins_reports_and_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(files, "REPORT_SECONDS", 0.0)
    client = Client()
    client.start(folder)
    kinds = [await client.next()]
    while kinds[-1] != "end":
        kinds.append(await client.next())
    assert kinds[0] == "begin"
    assert set(kinds[1:-1]) <= {"report"}


async def test_quick_reading_shows_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "QUIET_SECONDS", 60.0)
    client = Client()
    client.start(folder)
    lane = client.server.jobs.lane(str(folder))
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    lane.put_steps(loop.call_soon_threadsafe(over.set) for _ in range(1))
    await asyncio.wait_for(over.wait(), 30)
    assert client.kinds.empty()


def test_cancelling_ends_the_reading_and_nothing_else(tmp_path: Path) -> None:
    """In the real process, whose limits are those of users: so many files take seconds."""
    for number in range(1500):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}(a):\n    return a\n" * 60)
    wire = Wire()
    try:
        wire.initialize([tmp_path], {"window": {"workDoneProgress": True}})
        wait_for(lambda: kinds(wire)[:1] == ["begin"], "progress")
        wire.notify("window/workDoneProgress/cancel", {"token": wire.progress[0]["token"]})
        wait_for(lambda: kinds(wire)[-1:] == ["end"], "the end of the reading")
        assert all(one["value"].get("percentage", 0) < 100 for one in wire.progress)
        text = 'Traceback (most recent call last):\n  File "m7.py", line 2, in f7\n    return a\n'
        report = wire.command("dlBug.localize", {"text": text + "ValueError: a\n"})
        assert report["failures"][0]["suspects"][0]["file"] == "m7.py"
        assert wire.leave() == 0
    finally:
        wire.kill()


def kinds(wire: Wire) -> list[str]:
    return [one["value"]["kind"] for one in wire.progress]
