"""A project whose run failed, and what an editor asks the server about it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

FIXTURE = Path(__file__).parents[2] / "fixtures" / "114-churn-fold-columns"
WORKSPACE = Path(tempfile.mkdtemp(prefix="dl-bug-")) / "workspace"
shutil.copytree(FIXTURE / "workspace", WORKSPACE, ignore=shutil.ignore_patterns(".dlbug"))
atexit.register(shutil.rmtree, WORKSPACE.parent, ignore_errors=True)
LOG = (FIXTURE / "log.txt").read_text(encoding="utf-8")


def capabilities(encoding: str | None = None, *, rich: bool = True) -> types.ClientCapabilities:
    """Return what a client can do: a rich one like VS Code, or one that declares nothing."""
    if not rich:
        return types.ClientCapabilities()
    encodings = [types.PositionEncodingKind(encoding)] if encoding else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, code_description_support=True, data_support=True
            )
        ),
    )


async def start(
    client: LanguageClient, wanted: types.ClientCapabilities | None = None, **options: Any
) -> types.InitializeResult:
    return await client.initialize_session(
        types.InitializeParams(
            capabilities=wanted or capabilities(),
            workspace_folders=[types.WorkspaceFolder(WORKSPACE.as_uri(), "churn")],
            initialization_options=options or None,
        )
    )


async def execute(client: LanguageClient, command: str, *arguments: Any) -> Any:
    return await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, list(arguments))
    )


def shown(client: LanguageClient) -> dict[str, list[types.Diagnostic]]:
    return {
        uri.rpartition("/workspace/")[2]: list(found)
        for uri, found in client.diagnostics.items()
        if found
    }
