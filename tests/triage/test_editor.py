"""In the editor: how many jobs met a failure, where a triage folder is configured."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_lsp
from job_logs import FIXTURES
from lsprotocol import types
from pytest_lsp import LanguageClient
from warm_server import WarmServer

from dl_bug_lsp.triage import triage

FIXTURE = FIXTURES / "413-pose-forward-name"


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def test_a_hover_says_how_many_jobs_met_the_failure(
    client: LanguageClient, tmp_path: Path
) -> None:
    logs, results, code = tmp_path / "logs", tmp_path / "results", tmp_path / "code"
    logs.mkdir()
    for number in range(3):
        shutil.copy(FIXTURE / "log.txt", logs / f"job_{number}.log")
    shutil.copytree(FIXTURE / "workspace", code)
    (group,) = triage(logs, results=results).groups
    markdown = types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(hover=markdown)
            ),
            workspace_folders=[types.WorkspaceFolder(code.as_uri(), "code")],
            initialization_options={"settings": {"triageFolder": str(results)}},
        )
    )
    text = (FIXTURE / "log.txt").read_text(encoding="utf-8")
    found = await client.workspace_execute_command_async(
        types.ExecuteCommandParams("dlBug.localize", [{"text": text}])
    )
    assert found
    uri, diagnostics = next((uri, found) for uri, found in client.diagnostics.items() if found)
    where = types.HoverParams(types.TextDocumentIdentifier(uri), diagnostics[0].range.start)
    got = await client.text_document_hover_async(where)
    assert got is not None
    assert isinstance(got.contents, types.MarkupContent)
    page = (results / "page.html").as_uri()
    assert "This failure: 3 jobs " in got.contents.value
    assert f"[All of them](<{page}#g-{group.id}>)" in got.contents.value
