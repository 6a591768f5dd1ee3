"""Failures in logs and recorded runs, shown by the real server while a client only listens."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, make_test_lsp_client
from waiting import SECONDS
from warm_server import WarmServer
from warm_start import program

from dl_bug_lsp.server.log_documents import LARGEST

PROGRAM = "def step(n):\n    return 1 / n\n\nstep(0)\n"
FAILURE = """Traceback (most recent call last):
  File "/elsewhere/train.py", line 4, in <module>
    step(0)
  File "/elsewhere/train.py", line 2, in step
    return 1 / n
ZeroDivisionError: division by zero
"""


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def start(
    client: LanguageClient,
    *folders: Path,
    options: dict[str, Any] | None = None,
    **settings: Any,
) -> None:
    for folder in folders:
        folder.mkdir(exist_ok=True)
        (folder / "train.py").write_text(PROGRAM)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(f.as_uri(), f.name) for f in folders],
            initialization_options={**(options or {}), "settings": settings},
        )
    )


def shown(client: LanguageClient, folder: Path) -> list[str]:
    prefix = folder.as_uri() + "/"
    found = {uri: diagnostics for uri, diagnostics in client.diagnostics.items() if diagnostics}
    return sorted(uri.removeprefix(prefix) for uri in found if uri.startswith(prefix))


async def until(look: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


def append(log: Path, text: str = FAILURE) -> None:
    with log.open("a") as file:
        file.write(text)


async def test_a_failure_in_a_log_is_shown_and_goes_with_a_new_run(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path)
    append(tmp_path / "job.log", "epoch 1\n")
    append(tmp_path / "job.log")
    await until(lambda: shown(client, tmp_path) == ["train.py"], "the failure")
    (tmp_path / "job.log").write_text("epoch 1\n")
    await until(lambda: not shown(client, tmp_path), "the failure to go")
    assert client.messages == []


async def test_a_recorded_run_is_shown_until_the_same_command_runs_well(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path)
    command = program("run", "--", sys.executable, "train.py")

    def run() -> int:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert await asyncio.to_thread(run) == 1
    await until(lambda: shown(client, tmp_path) == ["train.py"], "the failure")
    (tmp_path / "train.py").write_text(PROGRAM.replace("step(0)", "step(1)"))
    assert await asyncio.to_thread(run) == 0
    await until(lambda: not shown(client, tmp_path), "the failure to go")


def messages(client: LanguageClient) -> list[str]:
    return [one.message for one in client.messages]


def numbered(number: int) -> str:
    """Return a failure at line 2, unlike those of other numbers."""
    end = f"ValueError: the batch {number} is empty"
    return FAILURE.replace("ZeroDivisionError: division by zero", end)


async def test_a_failure_that_nobody_asked_for_is_told_once_where_the_client_wants_it(
    client: LanguageClient, tmp_path: Path
) -> None:
    async def command(name: str, **argument: object) -> Any:
        asked = types.ExecuteCommandParams(name, [argument])
        return await client.workspace_execute_command_async(asked)

    await start(client, tmp_path, options={"announce": ":Next"})
    append(tmp_path / "job.log")
    await until(lambda: len(messages(client)) > 0, "the line")
    (line,) = messages(client)
    (listed,) = await command("dlBug.failures")
    first = listed["failures"][0]["places"][0]
    number = first["range"]["start"]["line"] + 1
    assert first["suspect"] == 1
    assert line == (
        f"run failed: ZeroDivisionError, see train.py:{number}, not certain (:Next): "
        "division by zero"
    )
    assert client.messages[0].type == types.MessageType.Warning
    # It begins with the place that was told, also of one who stood at another failure's.
    await command("dlBug.localize", text=numbered(1), source="paste")
    await command("dlBug.next")
    # The same again is no news, from whatever source; what the user asks for is not told.
    append(tmp_path / "job.log", "another try\n" + FAILURE)
    append(tmp_path / "copy.log")
    deadline = time.monotonic() + SECONDS
    sources: set[str] = set()
    while "log:copy.log" not in sources:
        assert time.monotonic() < deadline, "waited in vain for the copy"
        sources = {name for one in await command("dlBug.failures") for name in one["sources"]}
    # News that come together are told together.
    append(tmp_path / "a.log", numbered(2))
    append(tmp_path / "b.log", numbered(3))
    await until(lambda: len(messages(client)) > 1, "the second line")
    told = messages(client)[1]
    assert told.startswith("2 failures, the latest: ValueError, see train.py:")
    place = await command("dlBug.next")
    assert f"train.py:{place['range']['start']['line'] + 1}, not certain (:Next)" in told
    assert len(messages(client)) == 2


async def test_a_run_that_fails_again_is_told_again_but_not_by_a_later_server(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path, options={"announce": ":Next"})
    command = program("run", "--", sys.executable, "train.py")

    def run() -> int:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    for times in (1, 2):
        assert await asyncio.to_thread(run) == 1
        await until(lambda times=times: len(messages(client)) == times, "the line")
    assert len(set(messages(client))) == 1
    await until((tmp_path / ".dlbug" / "failures.json").is_file, "the failure to be kept")
    later = make_test_lsp_client()
    await later.start_io(*program("server"))
    await start(later, tmp_path, options={"announce": ":Next"})
    await until(lambda: shown(later, tmp_path) == ["train.py"], "what was kept")
    append(tmp_path / "job.log", numbered(1))
    await until(lambda: len(messages(later)) > 0, "the line of what is new")
    (told,) = messages(later)
    assert told.startswith("run failed: ValueError, see train.py:")
    await later.shutdown_session()
    await later.stop()


async def test_the_rest_of_a_failure_is_told_though_the_log_s_time_is_the_same(
    client: LanguageClient, tmp_path: Path
) -> None:
    def codes() -> set[object]:
        return {one.code for found in client.diagnostics.values() for one in found}

    await start(client, tmp_path)
    log, (head, tail) = tmp_path / "job.log", FAILURE.split("ZeroDivisionError")
    append(log, head)
    await until(lambda: codes() == {"unclassified"}, "the failure without its end")
    state = log.stat()
    append(log, f"ZeroDivisionError{tail}")
    os.utime(log, ns=(state.st_atime_ns, state.st_mtime_ns))
    await until(lambda: codes() == {"division_by_zero"}, "the whole failure")


async def test_a_long_log_s_lines_are_counted_from_its_beginning(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path, logs={"watch": False})
    log = tmp_path / "long.log"
    line = "epoch 1: loss 0.1234567890" + " " * 1000 + "\n"
    lines = LARGEST // len(line) + 1000
    log.write_text(line * lines + FAILURE)
    command = types.ExecuteCommandParams("dlBug.localizeFile", [{"uri": log.as_uri()}])
    report = await client.workspace_execute_command_async(command)
    assert report["failures"][0]["span"]["first_line"] == lines + 1
    command = types.ExecuteCommandParams("dlBug.openLog", [{}])
    found = await client.workspace_execute_command_async(command)
    assert found["range"]["start"]["line"] == lines


async def test_a_pipe_is_no_log_to_be_read(client: LanguageClient, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this platform has no named pipes")
    await start(client, tmp_path)
    os.mkfifo(tmp_path / "pipe.log")
    named = {"uri": (tmp_path / "pipe.log").as_uri()}
    command = types.ExecuteCommandParams("dlBug.localizeFile", [named])
    with pytest.raises(JsonRpcException, match="cannot be read"):
        await client.workspace_execute_command_async(command)


async def test_an_open_notebook_is_no_log_where_the_client_tells_of_its_cells(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path, options={"cellErrors": True})
    uri = (tmp_path / "a b.ipynb").as_uri()
    document = types.NotebookDocument(uri.replace("%20", " "), "jupyter-notebook", 1, [])
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, []))
    failure = {"output_type": "error", "traceback": FAILURE.splitlines()[:-1]}
    failure |= {"ename": "ZeroDivisionError", "evalue": "division by zero"}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["step(0)"]}
    notebook = {"cells": [{**cell, "outputs": [failure]}], "metadata": {}, "nbformat": 4}
    for name in ("a b.ipynb", "c.ipynb"):
        (tmp_path / name).write_text(json.dumps({**notebook, "nbformat_minor": 5}))
    await until(lambda: shown(client, tmp_path) != [], "the closed notebook's failure")
    params = types.ExecuteCommandParams("dlBug.failures")
    listed = await client.workspace_execute_command_async(params)
    assert [one["source"] for one in listed or ()] == ["log:c.ipynb"]


async def test_logs_are_followed_as_the_settings_say(
    client: LanguageClient, tmp_path: Path
) -> None:
    settings = {"logs": {"include": ["**/*.txt"], "exclude": ["old/**"]}}
    await start(client, tmp_path, **settings)
    (tmp_path / "old").mkdir()
    append(tmp_path / "old" / "a.txt")
    append(tmp_path / "a.log")
    assert shown(client, tmp_path) == []
    append(tmp_path / "job.txt")
    await until(lambda: shown(client, tmp_path) == ["train.py"], "the failure")
    (tmp_path / "job.txt").write_text("")
    await until(lambda: not shown(client, tmp_path), "only the followed log's failure")
    client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"dlBug": {"logs": {"include": ["**/*.log"]}}})
    )
    await until(lambda: bool(shown(client, tmp_path)), "the failure in what is a log now")


async def test_logs_are_followed_as_the_project_says_now(
    client: LanguageClient, tmp_path: Path
) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.dl-bug-lsp.logs]\nwatch = false\n")
    await start(client, tmp_path)
    append(tmp_path / "job.log")
    project.write_text("[tool.dl-bug-lsp.logs]\nwatch = true\nwach = true\n")
    await until(
        lambda: shown(client, tmp_path) == ["pyproject.toml", "train.py"],
        "the failure, and a mark at the unknown key",
    )
    project.write_text("[tool.dl-bug-lsp.logs]\nwatch = true\n")
    await until(lambda: shown(client, tmp_path) == ["train.py"], "the mark to go")


async def test_a_folder_that_only_a_command_named_is_not_followed(
    client: LanguageClient, tmp_path: Path
) -> None:
    own, guest = tmp_path / "own", tmp_path / "guest"
    await start(client, own)
    guest.mkdir()
    (guest / "train.py").write_text(PROGRAM)
    named = {"text": FAILURE, "workspace": guest.as_uri()}
    command = types.ExecuteCommandParams("dlBug.localize", [named])
    await client.workspace_execute_command_async(command)
    assert shown(client, guest) == ["train.py"]
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"dlBug": {}}))
    await client.workspace_execute_command_async(types.ExecuteCommandParams("dlBug.clear", []))
    append(guest / "job.log")
    append(own / "job.log")
    await until(lambda: shown(client, own) == ["train.py"], "the failure of the folder itself")
    assert shown(client, guest) == []


async def test_each_folder_has_its_own_logs(client: LanguageClient, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    await start(client, one, other)
    append(other / "job.log")
    await until(lambda: shown(client, other) == ["train.py"], "the failure")
    append(one / "job.log")
    await until(lambda: shown(client, one) == ["train.py"], "the other folder's failure")
    assert shown(client, other) == ["train.py"]


async def test_text_that_ended_no_job_disturbs_nobody(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path)
    append(tmp_path / "a.log", "ERROR: could not upload, retrying\nMeanSquaredError: 0.3\n")
    append(tmp_path / "b.log", FAILURE.replace("ZeroDivisionError: ", "KeyboardInterrupt: "))
    append(tmp_path / "job.log")
    await until(lambda: bool(shown(client, tmp_path)), "the failure")
    sources = {one.message for found in client.diagnostics.values() for one in found if one.message}
    assert all("Division by Zero" in message for message in sources)
    assert client.messages == []
