"""Texts that nobody chose: what a client captures on its own, spoken to the real server process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient
from warm_server import WarmServer

FAILED = """Traceback (most recent call last):
  File "{folder}/train.py", line 4, in <module>
    step([1, 2], [3])
  File "{folder}/train.py", line 2, in step
    raise ValueError(f"{{len(a)}} inputs for {{len(b)}} targets")
ValueError: 2 inputs for 1 targets
"""
PROGRAM = """def step(a, b):
    raise ValueError(f"{len(a)} inputs for {len(b)} targets")

step([1, 2], [3])
"""
STOPPED = FAILED.replace("ValueError: 2 inputs for 1 targets", "KeyboardInterrupt")
OTHERS = [
    "ls: cannot access 'nope': No such file or directory\n",
    "fatal: not a git repository (or any of the parent directories): .git\n",
    "make: *** [all] Error 2\n",
    "The training does not converge, the loss of step() stays high.\n",
    STOPPED,
]


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    (tmp_path / "train.py").write_text(PROGRAM)
    lsp_client.told = 0

    @lsp_client.feature("dlBug/failuresChanged")
    def changed(_params: Any) -> None:
        lsp_client.told += 1

    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "code")],
            initialization_options={"tellFailures": True},
        )
    )
    yield
    await lsp_client.shutdown_session()


async def execute(client: LanguageClient, command: str, **argument: Any) -> Any:
    params = types.ExecuteCommandParams(command, [argument])
    return await client.workspace_execute_command_async(params)


async def sources(client: LanguageClient) -> list[str]:
    return [one["source"] for one in await execute(client, "dlBug.failures")]


async def test_a_captured_failure_is_shown_until_its_source_ends_well(
    client: LanguageClient, tmp_path: Path
) -> None:
    text = FAILED.format(folder=tmp_path)
    await execute(client, "dlBug.localize", text=text, source="terminal: a", captured=True)
    assert await sources(client) == ["terminal: a"]
    await execute(client, "dlBug.resolve", source="terminal: b")
    assert await sources(client) == ["terminal: a"]
    assert client.told == 1
    await execute(client, "dlBug.resolve", source="terminal: a")
    assert await sources(client) == []
    assert client.told == 2


@pytest.mark.parametrize("text", OTHERS, ids=["ls", "git", "make", "prose", "stopped"])
async def test_what_is_no_failure_of_the_workspace_is_shown_only_when_asked_for(
    client: LanguageClient, tmp_path: Path, text: str
) -> None:
    text = text.replace("{folder}", str(tmp_path))
    await execute(client, "dlBug.localize", text=text, source="terminal: a", captured=True)
    assert (await sources(client), client.told) == ([], 0)
    await execute(client, "dlBug.localize", text=text, source="paste")
    assert await sources(client) == ["paste"]


async def test_words_without_a_frame_count_where_a_program_printed_them(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "run.sh").write_text("set -e\ncat data/index.txt\npython train.py\n")
    told = {"text": "cat: data/index.txt: No such file or directory\n", "captured": True}
    await execute(client, "dlBug.localize", **told, source="terminal: cat")
    assert await sources(client) == []
    await execute(client, "dlBug.localize", **told, source="terminal: run", program=True)
    assert await sources(client) == ["terminal: run"]


async def test_categories_can_be_left_out(client: LanguageClient, tmp_path: Path) -> None:
    text = FAILED.format(folder=tmp_path)
    told = {"text": text, "source": "terminal: a", "captured": True}
    report = await execute(client, "dlBug.localize", **told, ignoredCategories=["disk_full"])
    assert await sources(client) == ["terminal: a"]
    await execute(client, "dlBug.clear")
    category = report["failures"][0]["category"]["id"]
    await execute(client, "dlBug.localize", **told, ignoredCategories=[category])
    assert await sources(client) == []


async def test_a_source_must_be_named_to_be_resolved(client: LanguageClient) -> None:
    with pytest.raises(JsonRpcException, match="needs the 'source'"):
        await execute(client, "dlBug.resolve")
