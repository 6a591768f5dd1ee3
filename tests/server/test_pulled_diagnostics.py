"""Diagnostics that a client asks for: those that others are pushed, and no mark twice."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_lsp
from failed_project import LOG, WORKSPACE, capabilities, execute, shown, start
from lsprotocol import types
from pytest_lsp import LanguageClient
from warm_server import WarmServer

PULLS = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(
            related_information=True, code_description_support=True, data_support=True
        )
    ),
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
)


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Begin without the failures that an earlier server kept."""
    shutil.rmtree(WORKSPACE / ".dlbug", ignore_errors=True)


async def pulled(client: LanguageClient, known: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the workspace's reports by the file's name."""
    ids = [types.PreviousResultId(uri, value) for uri, value in (known or {}).items()]
    answer = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(ids))
    return {one.uri.rpartition("/workspace/")[2]: one for one in answer.items}


async def test_a_document_is_sent_once_and_what_is_gone_is_told(client: LanguageClient) -> None:
    refreshed = asyncio.Event()

    # pytest-lsp answers it already.
    client.protocol.fm.features[types.WORKSPACE_DIAGNOSTIC_REFRESH] = lambda *_: refreshed.set()
    got = await start(client, PULLS)
    provider = got.capabilities.diagnostic_provider
    assert isinstance(provider, types.DiagnosticOptions)
    assert provider.workspace_diagnostics
    report = await execute(client, "dlBug.localize", {"text": LOG})
    await asyncio.wait_for(refreshed.wait(), 20)
    suspect = report["failures"][0]["suspects"][0]
    document = types.TextDocumentIdentifier((WORKSPACE / suspect["file"]).as_uri())
    first = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    best = min(first.items, key=lambda one: one.data["suspect"])
    assert best.range.start.line == suspect["line"] - 1
    assert best.data["failure"] == report["failures"][0]["id"]
    again = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(document, previous_result_id=first.result_id)
    )
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    known = {document.uri: first.result_id or ""}
    listed = await pulled(client, known)
    assert listed[suspect["file"]].kind == "unchanged"
    refreshed.clear()
    await execute(client, "dlBug.clear")
    await asyncio.wait_for(refreshed.wait(), 20)
    gone = await pulled(client, known)
    assert {name: (one.kind, one.items) for name, one in gone.items()} == {
        suspect["file"]: ("full", ())
    }
    assert shown(client) == {}


async def test_a_client_that_says_nothing_is_pushed_to_until_it_pulls(
    client: LanguageClient,
) -> None:
    await start(client, types.ClientCapabilities())
    await execute(client, "dlBug.localize", {"text": LOG})
    pushed = shown(client)
    assert pushed
    reports = await pulled(client)
    assert {name: list(one.items) for name, one in reports.items()} == pushed
    await execute(client, "dlBug.localize", {"text": LOG, "source": "again"})
    assert shown(client) == {}


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_client_that_is_pushed_to_may_ask_for_the_pull(
    client: LanguageClient, wanted: bool
) -> None:
    got = await start(client, capabilities(), pullDiagnostics=wanted)
    assert (got.capabilities.diagnostic_provider is not None) is wanted
    await execute(client, "dlBug.localize", {"text": LOG})
    assert (shown(client) == {}) is wanted
