"""A project's own settings, changed files, and folders, in the real server process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient
from warm_server import WarmServer

PROGRAM = "def run(batch):\n    return 1 / batch\n\n\nrun(0)\n"
FAILURE = """Traceback (most recent call last):
  File "train.py", line {outer}, in <module>
    run(0)
  File "train.py", line {inner}, in run
    return 1 / batch
ZeroDivisionError: division by zero
"""


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def start(client: LanguageClient, *folders: Path, **capabilities: Any) -> None:
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(**capabilities),
            workspace_folders=[types.WorkspaceFolder(one.as_uri(), one.name) for one in folders],
        )
    )


async def localize(client: LanguageClient, outer: int = 5, inner: int = 2) -> Any:
    text = FAILURE.format(outer=outer, inner=inner)
    arguments = types.ExecuteCommandParams("dlBug.localize", [{"text": text}])
    return await client.workspace_execute_command_async(arguments)


def changed(client: LanguageClient, path: Path, kind: types.FileChangeType) -> None:
    event = types.FileEvent(path.as_uri(), kind)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def test_odd_settings_of_a_project_are_marked_and_the_others_hold(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.dl-bug-lsp]\ntop = 1\ntop-file = 3\nhover = "no"\n')
    await start(client, tmp_path)
    report = await localize(client)
    assert len(report["failures"][0]["suspects"]) == 1
    marks = client.diagnostics[project.as_uri()]
    assert [(one.range.start.line, one.code) for one in marks] == [(2, "settings"), (3, "settings")]
    assert "'top-file' is ignored: it is no setting; did you mean 'top-files'?" in marks[0].message

    project.write_text("[tool.dl-bug-lsp]\ntop = 2\n")
    changed(client, project, types.FileChangeType.Changed)
    report = await localize(client)
    assert len(report["failures"][0]["suspects"]) == 2
    assert list(client.diagnostics[project.as_uri()]) == []


async def test_files_that_come_go_and_change_are_seen_without_being_told(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    await start(client, tmp_path)
    report = await localize(client)
    # The zero is handed over here; the division on line 2 is only where it fails.
    assert report["failures"][0]["suspects"][0]["line"] == 5
    (tmp_path / "train.py").write_text("import os\n\n" + PROGRAM)
    report = await localize(client, 7, 4)
    assert report["failures"][0]["suspects"][0]["line"] == 7
    (tmp_path / "src").mkdir()
    (tmp_path / "train.py").rename(tmp_path / "src" / "train.py")
    report = await localize(client, 7, 4)
    assert report["failures"][0]["suspects"][0]["file"] == "src/train.py"


async def test_the_client_is_asked_to_tell_of_files_and_settings(
    client: LanguageClient, tmp_path: Path
) -> None:
    asked: list[types.Registration] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        asked.extend(params.registrations)

    files = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    settings = types.DidChangeConfigurationClientCapabilities(dynamic_registration=True)
    (tmp_path / "train.py").write_text(PROGRAM)
    workspace = types.WorkspaceClientCapabilities(
        did_change_watched_files=files, did_change_configuration=settings
    )
    await start(client, tmp_path, workspace=workspace)
    await localize(client)
    assert [one.method for one in asked] == [
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        types.WORKSPACE_DID_CHANGE_CONFIGURATION,
    ]


async def test_a_file_belongs_to_the_innermost_folder(
    client: LanguageClient, tmp_path: Path
) -> None:
    inner = tmp_path / "project"
    inner.mkdir()
    (inner / "train.py").write_text(PROGRAM)
    link = tmp_path.with_name(tmp_path.name + "-link")
    link.symlink_to(inner, target_is_directory=True)
    await start(client, tmp_path, inner, link, tmp_path / "gone")
    report = await localize(client)
    assert Path(report["workspace"]) == inner
    assert {uri for uri, found in client.diagnostics.items() if found} == {
        (inner / "train.py").as_uri()
    }
    removed = [types.WorkspaceFolder(link.as_uri(), "link")]
    event = types.WorkspaceFoldersChangeEvent(added=[], removed=removed)
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    assert Path((await localize(client))["workspace"]) == inner
