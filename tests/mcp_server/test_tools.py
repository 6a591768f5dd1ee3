"""The tools over MCP, called by the official SDK's client over standard input and output."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from warm_start import program

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "fixtures" / "104-charlm-context-length"
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))


@pytest.fixture
async def workspace(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".dlbug")
    shutil.copytree(FIXTURE / "workspace", tmp_path / "charlm", ignore=ignored)
    shutil.copy(FIXTURE / "log.txt", tmp_path / "charlm" / "train.log")
    return tmp_path / "charlm"


def client_of(workspace: Path, *options: str) -> Client:
    command, *words = program("mcp", "--workspace", str(workspace), *options)
    return Client(stdio_client(StdioServerParameters(command=command, args=words)))


async def test_every_tool_answers(workspace: Path) -> None:
    async with client_of(workspace) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"localize", "latest_failures", "explain", "why"} <= tools.keys()
        for name in ("localize", "latest_failures", "explain", "why"):
            hints = tools[name].annotations
            assert hints is not None
            assert hints.read_only_hint
            jsonschema.Draft202012Validator.check_schema(tools[name].output_schema)
        assert tools["localize"].output_schema == SCHEMA

        brief = await client.call_tool("localize", {"log_path": "train.log"})
        jsonschema.validate(brief.structured_content, SCHEMA)
        (failure,) = brief.structured_content["failures"]
        assert failure["suspects"][0]["file"] == "configs/tiny.json"
        assert failure["suspects"][0]["chain"][-1]["text"] == "self.pos_emb(positions)"
        assert len(failure["suspects"]) == 5
        text = brief.content[0].text
        assert "configs/tiny.json:11" in text
        full = await client.call_tool(
            "localize", {"text": (workspace / "train.log").read_text("utf-8"), "detail": "full"}
        )
        jsonschema.validate(full.structured_content, SCHEMA)
        second = await client.call_tool(
            "localize", {"log_path": "train.log", "detail": "full", "page": 2}
        )
        ranks = [s["rank"] for s in second.structured_content["failures"][0]["suspects"]]
        assert ranks[0] == 11

        why = await client.call_tool("why", {"file": "charlm/model.py", "line": 27})
        named = {one["text"]: one for one in why.structured_content["expressions"]}
        assert named["cfg.max_positions"]["values"] == ["64"]
        places = [(o["file"], o["line"]) for o in named["cfg.max_positions"]["origins"]]
        assert ("configs/tiny.json", 11) in places

        explained = await client.call_tool("explain", {"about": "CUDA out of memory"})
        assert explained.is_error or explained.structured_content["id"] == "gpu_out_of_memory"
        oom = await client.call_tool("explain", {"about": "oom"})
        assert oom.structured_content["id"] == "gpu_out_of_memory"

        (resource,) = (await client.list_resources()).resources
        (page,) = (await client.read_resource(resource.uri)).contents
        assert page.text.startswith("# Illegal Index")
        nothing = await client.call_tool("latest_failures", {})
        assert nothing.structured_content["failures"] == []


async def test_a_command_is_checked_and_a_folder_of_logs_is_triaged(workspace: Path) -> None:
    (workspace / "logs").mkdir()
    for number in range(2):
        shutil.copy(FIXTURE / "log.txt", workspace / "logs" / f"{number}.log")
    (workspace / "start.py").write_text(
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--rate", type=float)\nparser.parse_args()\n'
    )
    async with client_of(workspace) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert all(tools[name].annotations.read_only_hint for name in ("check", "triage"))
        checked = await client.call_tool("check", {"command": "python start.py --rat 1e-3 --x 2"})
        found = [(one["id"], one["file"]) for one in checked.structured_content["findings"]]
        assert [one for one in found if one[0] == "unknown-option"]
        assert "has no option '--x'" in checked.content[0].text
        triaged = await client.call_tool("triage", {"folder": "logs"})
        (group,) = triaged.structured_content["groups"]
        assert (group["jobs"], group["category"]) == (2, "illegal_index")
        outside = await client.call_tool("triage", {"folder": "../.."})
        assert outside.is_error


async def test_wrong_calls_are_answered_in_a_sentence(workspace: Path) -> None:
    async with client_of(workspace) as client:
        for name, given, words in (
            ("localize", {}, "give either 'log_path' or 'text'"),
            ("localize", {"log_path": "/etc/passwd"}, "outside of the workspace"),
            ("localize", {"log_path": "../x.log"}, "outside of the workspace"),
            ("localize", {"text": "x", "workspace": "/"}, "outside of what"),
            ("localize", {"text": "x", "detail": "all"}, "must be one of"),
            ("why", {"file": "../../etc/passwd", "line": 1}, "there is no file"),
            ("why", {"file": "train.py", "line": 10_000}, "there is no line"),
            ("why", {"file": "train.py"}, "needs 'line'"),
            ("explain", {"about": "qwertz"}, "no category is known"),
        ):
            answer = await client.call_tool(name, given)
            assert answer.is_error, (name, given)
            assert words in answer.content[0].text
            assert "\n" not in answer.content[0].text


def test_without_the_sdk_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError('none here', name='mcp')\n", "utf-8")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from dl_bug_lsp.cli.main import main; sys.exit(main(['mcp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'dl-bug-lsp[mcp]'" in done.stderr


def test_the_schema_that_ships_is_the_documented_one() -> None:
    shipped = ROOT / "dl_bug_lsp" / "mcp_server" / "report.schema.json"
    assert json.loads(shipped.read_text("utf-8")) == SCHEMA
