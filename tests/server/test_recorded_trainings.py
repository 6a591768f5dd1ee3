"""A recorded training that went wrong, shown by the real server when its run has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient
from waiting import SECONDS
from warm_server import WarmServer

from dl_bug_lsp import data_folder
from dl_bug_lsp.monitoring.store import take_in
from dl_bug_lsp.monitoring.tables import FOLDER

MONITORING = Path(__file__).parent.parent / "monitoring"
PROGRAM = (MONITORING / "programs" / "faulty.py").read_text()


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(
                    publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                        data_support=True
                    )
                )
            ),
            workspace_folders=[],
        )
    )
    yield
    await lsp_client.shutdown_session()


def end_run(root: Path, name: str, number: int) -> None:
    """Do to a folder what a monitored run of `python faulty.py` does at its end."""
    recorded = (MONITORING / "recorded" / f"{name}.jsonl").read_text()
    session = f"20260101T00000{number}Z-1"
    rows = recorded.replace(f'python\\", \\"{name}.py', 'python\\", \\"faulty.py')
    (first, *rest) = rows.split("\n")
    at = next(n for n, line in enumerate([first, *rest]) if line.startswith('["run", '))
    lines = [first, *rest]
    old = lines[at].split(", ")[1]
    lines[at] = lines[at].replace(old, f'"{session}"', 1)
    folder = data_folder.prepare(root, FOLDER, session)
    (folder / "7.jsonl").write_text("\n".join(lines))
    assert take_in(root, session) == (number,)


async def until(look: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


async def test_a_training_that_went_wrong_is_shown_and_a_sound_one_takes_it_back(
    client: LanguageClient, tmp_path: Path
) -> None:
    program = tmp_path / "faulty.py"
    program.write_text(PROGRAM)
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(
            types.WorkspaceFoldersChangeEvent(
                added=[types.WorkspaceFolder(tmp_path.as_uri(), "w")], removed=[]
            )
        )
    )

    def shown() -> list[types.Diagnostic]:
        found = client.diagnostics.get(program.as_uri(), ())
        return sorted(found, key=lambda one: one.data["suspect"])

    end_run(tmp_path, "faulty", 1)
    await until(lambda: bool(shown()), "the faulty training")
    first = shown()[0]
    assert first.severity in (types.DiagnosticSeverity.Warning, types.DiagnosticSeverity.Error)
    page = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(
            "dlBug.report", [{"report": first.data["report"], "format": "markdown"}]
        )
    )
    assert isinstance(page, str)
    assert "## The training" in page
    assert "data:image/svg+xml;base64," in page
    end_run(tmp_path, "plain", 2)
    await until(lambda: not shown(), "that the failure is taken back")
