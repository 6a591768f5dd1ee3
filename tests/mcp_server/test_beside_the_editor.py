"""One process serves the editor and an assistant: the same index, the same failures."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from waiting import wait_for
from warm_start import program
from wire import Wire

FIXTURE = Path(__file__).parents[2] / "fixtures" / "114-churn-fold-columns"
LOG = (FIXTURE / "log.txt").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Unix sockets")


async def test_an_assistant_sees_what_the_editor_s_server_shows(tmp_path: Path) -> None:
    root, socket = tmp_path / "churn", tmp_path / "assistant"
    shutil.copytree(FIXTURE / "workspace", root, ignore=shutil.ignore_patterns(".dlbug"))
    wire = Wire(arguments=["--mcp-socket", str(socket)])
    try:
        wire.initialize([root])
        wait_for(socket.exists, "the socket")
        assert socket.stat().st_mode & 0o077 == 0
        report = wire.command("dlBug.localize", {"text": LOG})
        command, *words = program("mcp", "--connect", str(socket))
        parameters = StdioServerParameters(command=command, args=words)
        async with Client(stdio_client(parameters)) as client:
            told = await client.call_tool("latest_failures", {})
            (failure,) = told.structured_content["failures"]
            assert failure["id"] == report["failures"][0]["id"]
            assert failure["places"][0]["rank"] == 1
            why = await client.call_tool(
                "why", {"file": failure["places"][0]["file"], "line": failure["places"][0]["line"]}
            )
            assert why.structured_content["expressions"]
            other = await client.call_tool("why", {"file": "a.py", "line": 1, "workspace": "/"})
            assert other.is_error
        wire.command("dlBug.clear", {})
        async with Client(stdio_client(parameters)) as client:
            told = await client.call_tool("latest_failures", {})
            assert told.structured_content["failures"] == []
        assert wire.leave() == 0
        assert not socket.exists()
    finally:
        wire.kill()
