"""A spectrum that arrives, changes and goes, shown by the real server; tests run by real pytest."""

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
from pytest_lsp import LanguageClient
from waiting import SECONDS
from warm_server import WarmServer

CALC = """\
RATE = 3


def scale(x):
    if x > 10:
        y = x * RATE
    else:
        y = x + RATE
    return y


def other(x):
    return x
"""
TESTS = """\
import pytest
from calc import other, scale


@pytest.mark.parametrize("x", [1, 2, 11, 12])
def test_scale(x):
    assert scale(x) == x + 3


def test_other():
    assert other(1) == 1
"""
LENS = "2 of 2 failing and 2 of 3 passing tests run this"


FAULTS = {
    "both": CALC,
    "other": CALC.replace("x * RATE", "x + RATE").replace("return x\n", "return 7\n"),
    "none": CALC.replace("x * RATE", "x + RATE"),
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The file that the plugin writes in each state of the code; one of no machine's paths."""
    found = {}
    for name, code in FAULTS.items():
        root = tmp_path_factory.mktemp(name)
        write(root, code)
        run_tests(root)
        found[name] = (root / ".dlbug" / "spectrum.db").read_bytes()
    return found


def write(root: Path, code: str) -> None:
    (root / "calc.py").write_text(code)
    (root / "conftest.py").write_text("")
    (root / "test_calc.py").write_text(TESTS)


def put(root: Path, state: str, recorded: dict[str, bytes]) -> None:
    """Do to a folder what a test run does at its end."""
    write(root, FAULTS[state])
    (root / ".dlbug").mkdir(exist_ok=True)
    (root / ".dlbug" / "new").write_bytes(recorded[state])
    (root / ".dlbug" / "new").replace(root / ".dlbug" / "spectrum.db")


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def start(client: LanguageClient, root: Path, **settings: Any) -> None:
    write(root, CALC)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(
                    publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                        data_support=True
                    )
                )
            ),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name)],
            initialization_options={"settings": settings},
        )
    )


def run_tests(root: Path, *arguments: str) -> None:
    plugins = ("-pdl_bug_lsp.recording.pytest_plugin", "-ppytest_cov", "-pno:cacheprovider")
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *(arguments or ("--dl-bug",))]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr


async def until(look: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


def shown(client: LanguageClient, root: Path) -> list[types.Diagnostic]:
    found = client.diagnostics.get((root / "calc.py").as_uri(), ())
    return sorted(found, key=lambda one: one.data["suspect"])


def lines(client: LanguageClient, root: Path) -> list[int]:
    return [one.range.start.line + 1 for one in shown(client, root)]


async def heat(client: LanguageClient, root: Path) -> dict[int, dict[str, Any]] | None:
    argument = {"uri": (root / "calc.py").as_uri()}
    found = await client.workspace_execute_command_async(
        types.ExecuteCommandParams("dlBug.heatmap", [argument])
    )
    return None if found is None else {one["line"] + 1: one for one in found}


async def counting(client: LanguageClient, root: Path) -> list[tuple[int, str]]:
    document = types.TextDocumentIdentifier((root / "calc.py").as_uri())
    found = await client.text_document_code_lens_async(types.CodeLensParams(document))
    return [
        (one.range.start.line + 1, one.command.title)
        for one in found or ()
        if one.command is not None and one.command.title.endswith("run this")
    ]


async def test_a_spectrum_arrives_changes_and_goes(
    client: LanguageClient, tmp_path: Path, recorded: dict[str, bytes]
) -> None:
    await start(client, tmp_path)
    assert await heat(client, tmp_path) is None
    await asyncio.to_thread(run_tests, tmp_path)
    await until(lambda: lines(client, tmp_path)[:1] == [6], "the line that only failing tests run")
    first = shown(client, tmp_path)[0]
    assert first.data["source"] == "spectrum"
    whys = [one["why"] for one in first.data["evidence"] if one["kind"] == "spectrum"]
    assert whys[0].startswith("executed by 2 of 2 failing and 0 of 3 passing runs")
    found = await heat(client, tmp_path)
    assert found is not None
    assert found[6] == {"line": 5, "score": 1.0, "failing": 2, "passing": 0}
    assert found[9]["failing"] == 2 and found[9]["passing"] == 2
    assert 8 not in found and 13 not in found
    assert await counting(client, tmp_path) == [(4, LENS)]
    # Only one test fails now, for another reason.
    put(tmp_path, "other", recorded)
    await until(lambda: lines(client, tmp_path)[:1] == [13], "the other fault")
    assert [one[0] for one in await counting(client, tmp_path)] == [12]
    put(tmp_path, "none", recorded)
    await until(lambda: not shown(client, tmp_path), "the failure to go")
    assert await heat(client, tmp_path) is None
    assert await counting(client, tmp_path) == []
    assert client.messages == []


async def test_everything_moves_with_edits(
    client: LanguageClient, tmp_path: Path, recorded: dict[str, bytes]
) -> None:
    put(tmp_path, "both", recorded)
    await start(client, tmp_path)
    await until(lambda: lines(client, tmp_path)[:1] == [6], "the spectrum")
    uri = (tmp_path / "calc.py").as_uri()
    opened = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, CALC)
    client.text_document_did_open(types.DidOpenTextDocumentParams(opened))
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    gone = types.Range(types.Position(4, 0), types.Position(5, 0))
    for version, (where, text) in enumerate(((gone, ""), (top, "# one\n# two\n")), 2):
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(where, text)],
            )
        )
    await until(lambda: lines(client, tmp_path)[:1] == [7], "the mark to move")
    found = await heat(client, tmp_path)
    assert found is not None and found[7]["score"] == 1.0
    assert sorted(found) == [3, 6, 7, 10, 13]
    assert await counting(client, tmp_path) == [(6, LENS)]


async def test_a_damaged_or_deleted_file_leaves_nothing_stale(
    client: LanguageClient, tmp_path: Path, recorded: dict[str, bytes]
) -> None:
    await start(client, tmp_path)
    put(tmp_path, "both", recorded)
    await until(lambda: bool(shown(client, tmp_path)), "the spectrum")
    kept = (tmp_path / ".dlbug" / "spectrum.db").read_bytes()
    (tmp_path / ".dlbug" / "spectrum.db").write_bytes(kept[:512] + b"?" * 4096)
    await until(lambda: not shown(client, tmp_path), "the failure to go")
    assert await heat(client, tmp_path) is None
    (tmp_path / ".dlbug" / "spectrum.db").write_bytes(kept)
    await until(lambda: bool(shown(client, tmp_path)), "the spectrum again")
    (tmp_path / ".dlbug" / "spectrum.db").unlink()
    await until(lambda: not shown(client, tmp_path), "the failure to go with its file")
    assert client.messages == []


async def test_what_ci_leaves_is_shown_and_coverage_of_no_test_is_not(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path, spectrum={"junit": ["ci/tests.xml"]})
    contexts = ("--cov=.", "--cov-context=test", "--junit-xml=ci/tests.xml")
    await asyncio.to_thread(run_tests, tmp_path, *contexts)
    await until(lambda: lines(client, tmp_path)[:1] == [6], "the spectrum")
    assert client.messages == []
    await asyncio.to_thread(run_tests, tmp_path, "--cov=.", "--junit-xml=ci/tests.xml")
    await until(lambda: not shown(client, tmp_path), "what is no longer known to go")
    assert client.messages == []


async def test_a_folder_may_be_left_alone(
    client: LanguageClient, tmp_path: Path, recorded: dict[str, bytes]
) -> None:
    put(tmp_path, "both", recorded)
    await start(client, tmp_path, spectrum={"watch": False})
    failure = (
        'Traceback (most recent call last):\n  File "calc.py", line 13, in other\nKeyError: 1\n'
    )
    (tmp_path / "job.log").write_text(failure)
    await until(lambda: bool(shown(client, tmp_path)), "the failure of the log")
    assert {one.data["source"] for one in shown(client, tmp_path)} == {"log:job.log"}
    assert await heat(client, tmp_path) is None


async def test_a_recorded_program_is_one_failure_with_its_steps(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client, tmp_path)
    code = CALC + "\n\nfor i in range(9):\n    scale(i if i < 7 else None)\n"
    (tmp_path / "calc.py").write_text(code)
    command = [sys.executable, "-m", "dl_bug_lsp", "run", "--spectrum", "--", sys.executable]
    done = await asyncio.to_thread(
        subprocess.run, [*command, "calc.py"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 1

    wanted = [(4, "1 of 1 failing and 7 of 7 passing steps run this")]
    deadline = time.monotonic() + SECONDS
    while await counting(client, tmp_path) != wanted:
        assert time.monotonic() < deadline, "waited in vain for the steps"
        await asyncio.sleep(0.05)
    assert len({one.data["report"] for one in shown(client, tmp_path)}) == 1
    assert {one.data["source"] for one in shown(client, tmp_path)} == {
        f"run:{sys.executable} calc.py"
    }


@pytest.mark.parametrize("suspect", [None, 1])
async def test_what_was_put_aside_stays_so_over_a_restart(
    client: LanguageClient, tmp_path: Path, recorded: dict[str, bytes], suspect: int | None
) -> None:
    await start(client, tmp_path)
    put(tmp_path, "both", recorded)
    await until(lambda: lines(client, tmp_path)[:1] == [6], "the line that only failing tests run")
    argument = {"suspect": suspect} if suspect else {}
    await execute(client, "dlBug.dismiss", argument)
    left = lines(client, tmp_path)
    assert 6 not in left and bool(left) == bool(suspect)
    await until(lambda: kept(tmp_path) == len(left), "what is left to be kept")
    again = await WarmServer().start()
    try:
        await start(again, tmp_path)
        while await heat(again, tmp_path) is None:
            await asyncio.sleep(0.01)
        failures = await execute(again, "dlBug.failures", {})
        assert len(failures) == bool(left) and lines(again, tmp_path) == left
        put(tmp_path, "other", recorded)
        await until(lambda: lines(again, tmp_path)[:1] == [13], "the other fault")
    finally:
        await again.shutdown_session()
        await again.stop()


async def execute(client: LanguageClient, name: str, argument: dict[str, Any]) -> Any:
    return await client.workspace_execute_command_async(
        types.ExecuteCommandParams(name, arguments=[argument])
    )


def kept(root: Path) -> int:
    """Return how many places are kept, -1 where the spectrum is not known as told."""
    file = root / ".dlbug" / "failures.json"
    whole = json.loads(file.read_text()) if file.is_file() else {"told": []}
    if [one[0] for one in whole["told"]] != ["spectrum"]:
        return -1
    return sum(len(one["places"]) for one in whole["failures"])
