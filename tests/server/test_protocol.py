"""What the protocol's part of the server keeps of what it has handled: nothing."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcRequestCancelled

from dl_bug_lsp.server.run import make_server


class Sent:
    """Takes what the server sends."""

    def __init__(self) -> None:
        self.answers: dict[Any, dict[str, Any]] = {}

    def write(self, body: bytes) -> None:
        message = json.loads(body)
        self.answers[message.get("id")] = message

    def close(self) -> None:
        """Nothing is open."""


async def test_what_was_handled_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    server, sent = make_server(), Sent()
    server.protocol.set_writer(sent, include_headers=False)
    uri = (tmp_path / "train.py").as_uri()

    def take(method: str, params: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        numbered = message if number is None else {**message, "id": number}
        server.protocol.take(json.dumps(numbered).encode())

    async def answered(number: int) -> dict[str, Any]:
        while number not in sent.answers:
            await asyncio.sleep(0)
        return sent.answers[number]

    take(
        "initialize",
        {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}},
        1,
    )
    assert "result" in await answered(1)
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "x = 1\n"}
    take("textDocument/didOpen", {"textDocument": document})
    for version in range(2, 50):
        change = {"text": f"x = {version}\n"}
        known = {"uri": uri, "version": version}
        take("textDocument/didChange", {"textDocument": known, "contentChanges": [change]})
    text = "Traceback (most recent call last):\n  File 'train.py', line 1\nValueError: x\n"
    for number in range(100, 120):
        arguments = [{"text": text, "source": "one"}]
        take(
            "workspace/executeCommand",
            {"command": "dlBug.localize", "arguments": arguments},
            number,
        )
    take("workspace/executeCommand", {"command": "dlBug.unknown", "arguments": []}, 120)
    assert "result" in await answered(119)
    for number in (*range(100, 119), 120):
        assert "error" in await answered(number)
    assert server.protocol._request_futures == {}
    gc.collect()
    assert not [one for one in gc.get_objects() if type(one) is JsonRpcRequestCancelled]
    server.jobs.close(str(tmp_path))
