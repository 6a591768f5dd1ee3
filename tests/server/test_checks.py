"""Findings before a run in the real server process: shown when asked for, gone with an edit."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from made_environments import made_environment
from pytest_lsp import LanguageClient
from warm_server import WarmServer

from dl_bug_lsp.environments.interpreters import environment_of
from dl_bug_lsp.environments.signatures import LibraryApi

PROGRAM = (
    "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int)\n"
    "p.parse_args()\nprint(lenght)\n"
)
FINDING = (5, types.DiagnosticSeverity.Warning, "undefined-name")


@pytest_lsp.fixture(
    # What jedi has answered is kept there.
    config=WarmServer(server_env={**os.environ, "XDG_CACHE_HOME": tempfile.mkdtemp()}),
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def start(client: LanguageClient, folder: Path, **settings: Any) -> None:
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
            initialization_options={"settings": settings} if settings else None,
        )
    )


async def check(client: LanguageClient, **argument: Any) -> Any:
    asked = types.ExecuteCommandParams("dlBug.check", [argument])
    return await client.workspace_execute_command_async(asked)


def shown(client: LanguageClient, file: Path) -> list[tuple[int, Any, Any]]:
    found = client.diagnostics.get(file.as_uri(), ())
    return [(one.range.start.line, one.severity, one.code) for one in found]


async def test_a_command_is_checked_and_an_edit_takes_the_findings_back(
    client: LanguageClient, tmp_path: Path
) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    await start(client, tmp_path)
    report = await check(client, command="python train.py --epochs 3", captured=True)
    assert [row["id"] for row in report["findings"]] == ["undefined-name"]
    assert shown(client, program) == [FINDING]

    assert (await check(client, command="git status", captured=True))["findings"] == []
    assert shown(client, program) == [FINDING]

    document = types.TextDocumentItem(program.as_uri(), "python", 1, PROGRAM)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    whole = types.TextDocumentContentChangeWholeDocument("print(1)\n")
    version = types.VersionedTextDocumentIdentifier(2, program.as_uri())
    client.text_document_did_change(types.DidChangeTextDocumentParams(version, [whole]))
    # The answer to a later request comes after what the edit took back.
    await check(client, command="git status", captured=True)
    assert shown(client, program) == []

    program.write_text("print(1)\n")
    report = await check(client, command="python train.py")
    assert report["findings"] == [] and shown(client, program) == []


@pytest.mark.parametrize("when", ["off", "save"])
async def test_the_project_says_when(client: LanguageClient, tmp_path: Path, when: str) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM + "if __name__ == '__main__':\n    pass\n")
    (tmp_path / "pyproject.toml").write_text(f"[tool.dl-bug-lsp.check]\nwhen = '{when}'\n")
    await start(client, tmp_path)
    assert await check(client, command="python train.py", captured=True) is None
    assert shown(client, program) == []
    identifier = types.TextDocumentIdentifier(program.as_uri())
    client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
    if when == "save":
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert shown(client, program) == [FINDING]
    else:
        # The answer to a later request: nothing was shown before it.
        await check(client, command="git status", captured=True)
        assert shown(client, program) == []


async def test_a_command_that_fails_ends_its_check(client: LanguageClient, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    await start(client, tmp_path)
    traceback = (
        f'Traceback (most recent call last):\n  File "{program}", line 6, in <module>\n'
        "    print(lenght)\nNameError: name 'lenght' is not defined\n"
    )

    async def fails(source: str) -> Any:
        argument = {"text": traceback, "source": source}
        asked = types.ExecuteCommandParams("dlBug.localize", [argument])
        return await client.workspace_execute_command_async(asked)

    command = "python train.py --epochs 3"
    # Another text keeps the folder's thread busy: the check has not begun when the failure comes.
    busy = asyncio.ensure_future(fails("paste"))
    checked = asyncio.ensure_future(check(client, command=command, captured=True))
    failed = asyncio.ensure_future(fails(f"terminal: {command}"))
    with pytest.raises(Exception, match="the command failed"):
        await checked
    assert (await busy)["failures"] and (await failed)["failures"]
    # The failure of another command, and a check that was asked for, change nothing.
    checked = asyncio.ensure_future(check(client, command=command, captured=True))
    failed = asyncio.ensure_future(fails("terminal: python other.py"))
    assert (await checked)["findings"] and (await failed)["failures"]
    checked = asyncio.ensure_future(check(client, command=command))
    failed = asyncio.ensure_future(fails(f"terminal: {command}"))
    assert (await checked)["findings"] and (await failed)["failures"]


async def test_wrong_arguments_are_answered(client: LanguageClient, tmp_path: Path) -> None:
    await start(client, tmp_path)
    with pytest.raises(Exception, match="command line"):
        await check(client, command=3)
    report = await check(client, command="python 'open")
    assert report["findings"] == []


LIBRARY = {
    "netlib/__init__.py": (
        "class Dense:\n    def __init__(self, units, *, bias=True):\n        pass\n"
    ),
}


async def test_libraries_are_asked_off_the_event_loop(
    client: LanguageClient, tmp_path: Path
) -> None:
    python = made_environment(tmp_path / ".venv", LIBRARY)
    program = tmp_path / "net.py"
    program.write_text("import netlib\nnetlib.Dense(3, biass=False)\n")
    await start(client, tmp_path)
    # On the loop jedi would not be asked: the check would fail.
    report = await check(client, command="python net.py", python=python)
    assert [row["id"] for row in report["findings"]] == ["unknown-argument"]
    assert shown(client, program) == [(1, types.DiagnosticSeverity.Warning, "unknown-argument")]

    environment = environment_of(python, tmp_path)
    assert environment is not None
    with pytest.raises(RuntimeError, match="event loop"):
        LibraryApi(environment, keep=False).callee("netlib.Dense")
