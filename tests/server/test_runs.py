"""Runs recorded in, below and above the open folders, shown by the real server."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient
from waiting import SECONDS
from warm_server import WarmServer
from warm_start import program

from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.followed_logs import is_for_folder
from dl_bug_lsp.watching.followed import RunPlace

FAILING = "import sys\n\n\ndef step(n):\n    return 1 / n\n\n\nstep(0)\n"
WELL = FAILING.replace("step(0)", "step(1)")
USAGE = """import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.parse_args(["--lrr", "1"])
"""
SCRIPT = "train.py"


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


@dataclass(frozen=True)
class Case:
    """Folders are below a new one; ``script`` is run in ``ran_in``, with its path from there."""

    opened: tuple[str, ...]
    ran_in: str
    script: str
    recorded: str
    shown: str
    source: str
    marks: tuple[str, ...] = ()


CASES = {
    "a subfolder": Case(("a",), "a/src/deep", "a/src/deep", "a/src/deep", "a", "run:src/deep$ "),
    "a subfolder of what was recorded before": Case(
        ("a",), "a/src/deep", "a/src/deep", "a/src", "a", "run:src/deep$ ", ("a/src/.dlbug",)
    ),
    "a project below the folder": Case(
        ("a",), "a/one/src", "a/one/src", "a/one", "a", "run:one/src$ ", ("a/one/.git",)
    ),
    "the folder is below the project's beginning": Case(
        ("a/src",), "a/src", "a/src", "a", "a/src", "run:", ("a/.git",)
    ),
    "the folder is below, and ran in a folder of its own": Case(
        ("a/src",), "a/src/deep", "a/src/deep", "a", "a/src", "run:deep$ ", ("a/.git",)
    ),
    "above the folder": Case(("a/src",), "a", "a/src", "a", "a/src", "run in $ROOT/a: "),
    "the second of two folders": Case(("a", "b"), "b/x", "b/x", "b/x", "b", "run:x$ "),
    "above two folders": Case(("a", "b"), ".", "b", ".", "b", "run in $ROOT: "),
    "a folder in another": Case(
        ("a", "a/src"), "a/src", "a/src", "a", "a/src", "run:", ("a/.git",)
    ),
    "the outer of two": Case(("a", "a/src"), "a/lib", "a/lib", "a", "a", "run:lib$ ", ("a/.git",)),
    "the code is in the other folder": Case(
        ("jobs", "code"), "jobs", "code", "jobs", "code", "run in $ROOT/jobs: "
    ),
}


async def open_folders(client: LanguageClient, *folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(f.as_uri(), f.name) for f in folders],
        )
    )


async def run(folder: Path, *command: str) -> int:
    words = program("run", "--no-report", "--", *command)
    done = await asyncio.to_thread(
        subprocess.run, words, cwd=folder, capture_output=True, check=False
    )
    return done.returncode


def marked(client: LanguageClient) -> list[str]:
    return sorted(uri for uri, found in client.diagnostics.items() if found)


async def sources(client: LanguageClient) -> list[str]:
    params = types.ExecuteCommandParams("dlBug.failures")
    return [one["source"] for one in await client.workspace_execute_command_async(params) or ()]


async def until(look: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_run_is_shown_wherever_it_was_recorded(
    client: LanguageClient, tmp_path: Path, case: Case
) -> None:
    root = tmp_path.resolve()
    for folder in (case.ran_in, case.script, *case.marks):
        (root / folder).mkdir(parents=True, exist_ok=True)
    script = root / case.script / SCRIPT
    script.write_text(FAILING)
    await open_folders(client, *(root / name for name in case.opened))
    before = {path for path in root.rglob(".dlbug") if any(path.iterdir())}
    name = (
        str(script.relative_to(root / case.ran_in)) if case.script in case.ran_in else str(script)
    )

    assert await run(root / case.ran_in, sys.executable, name) == 1
    assert len(list((root / case.recorded / ".dlbug" / "runs").glob("*.json"))) == 1
    await until(lambda: marked(client) == [script.as_uri()], "the failure")
    (source,) = await sources(client)
    assert source.startswith(case.source.replace("$ROOT", str(root)))
    assert source.endswith(f"{sys.executable} {name}")

    script.write_text(WELL)
    assert await run(root / case.ran_in, sys.executable, name) == 0
    await until(lambda: not marked(client), "the failure to go")
    written = {path for path in root.rglob(".dlbug") if any(path.iterdir())} - before
    assert written <= {root / name / ".dlbug" for name in (case.recorded, case.shown, *case.opened)}


async def test_recorded_local_variables_are_in_the_report(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    (root / SCRIPT).write_text(FAILING)
    await open_folders(client, root)
    words = program("run", "--no-report", "--locals", "--", sys.executable, SCRIPT)
    await asyncio.to_thread(subprocess.run, words, cwd=root, capture_output=True, check=False)
    await until(lambda: bool(marked(client)), "the failure")
    params = types.ExecuteCommandParams("dlBug.failures")
    (shown,) = await client.workspace_execute_command_async(params) or ()
    asked = types.ExecuteCommandParams("dlBug.report", [{"report": shown["report"]}])
    document = await client.workspace_execute_command_async(asked)
    frame = document["failures"][0]["frames"][-1]
    assert frame["variables"] == [{"name": "n", "value": "0"}]
    place = types.HoverParams(
        types.TextDocumentIdentifier((root / SCRIPT).as_uri()), types.Position(4, 4)
    )
    hover = await client.text_document_hover_async(place)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "What the variables held:\n  n  0" in hover.contents.value


async def test_a_run_that_ends_well_and_learns_nothing_is_shown(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    script = root / SCRIPT
    flat = "for epoch in range(8):\n    print(f'epoch {epoch} train_loss {2.3:.4f}')\n"
    script.write_text(flat)
    await open_folders(client, root)
    assert await run(root, sys.executable, SCRIPT) == 0
    await until(lambda: marked(client) == [script.as_uri()], "the warning")
    assert await sources(client) == [f"run:{sys.executable} {SCRIPT}"]

    script.write_text(flat.replace("2.3:.4f", "2.3 - epoch / 4:.4f"))
    assert await run(root, sys.executable, SCRIPT) == 0
    await until(lambda: not marked(client), "the warning to go")


async def test_runs_above_that_have_nothing_to_do_with_the_folder_are_not_shown(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    (root / "other").mkdir()
    (root / "other" / "tool.py").write_text(FAILING)
    (root / "a").mkdir()
    (root / "a" / SCRIPT).write_text(USAGE)
    await open_folders(client, root / "a")
    assert await run(root, sys.executable, "other/tool.py") == 1
    assert await run(root, sys.executable, "-c", "raise ValueError('no file')") == 1
    # Without a traceback.
    assert await run(root, sys.executable, "a/train.py") == 2
    await until(lambda: bool(marked(client)), "the failure of the folder's own program")
    assert marked(client) == [(root / "a" / SCRIPT).as_uri()]
    assert len(await sources(client)) == 1


@pytest.mark.parametrize(
    ("ran_in", "command", "is_concerned"),
    [
        ("a", "python train.py", True),
        ("a/deep", "make", True),
        (".", "python a/train.py", True),
        (".", "bash ./b/../a/run.sh", True),
        (".", "pytest a", True),
        ("b", "python ../a/train.py --lr 1", True),
        (".", "python train.py", False),
        (".", "python ab/train.py", False),
        ("b", "python a/train.py", False),
    ],
)
def test_a_run_concerns_the_folder_that_it_ran_in_or_names(
    tmp_path: Path, ran_in: str, command: str, is_concerned: bool
) -> None:
    root = tmp_path.resolve()
    (root / "a").mkdir()
    folder = Folder((root / "a").as_uri(), root / "a")
    place = RunPlace(str(root / ran_in), str(root), tuple(command.split()), "")
    assert is_for_folder(folder, place) is is_concerned


async def test_the_same_command_in_two_folders_is_two_failures(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    scripts = [root / name / SCRIPT for name in ("one", "two")]
    for script in scripts:
        script.parent.mkdir()
        script.write_text(FAILING)
    await open_folders(client, root)
    for script in scripts:
        assert await run(script.parent, sys.executable, SCRIPT) == 1
    await until(lambda: marked(client) == [one.as_uri() for one in scripts], "both failures")
    scripts[0].write_text(WELL)
    assert await run(scripts[0].parent, sys.executable, SCRIPT) == 0
    await until(lambda: marked(client) == [scripts[1].as_uri()], "the first one to go")


async def test_a_log_belongs_to_the_innermost_folder_and_is_about_the_code_s(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    code, jobs, inner = root / "code", root / "jobs", root / "code" / "sub"
    for folder in (jobs, inner):
        folder.mkdir(parents=True)
    for folder in (code, inner):
        (folder / SCRIPT).write_text(FAILING)
    await open_folders(client, code, jobs, inner)

    def log(program: Path) -> str:
        return subprocess.run(
            [sys.executable, str(program)], capture_output=True, check=False, text=True
        ).stderr

    (jobs / "job.log").write_text(log(code / SCRIPT))
    (inner / "job.log").write_text(log(inner / SCRIPT))
    both = [(inner / SCRIPT).as_uri(), (code / SCRIPT).as_uri()]
    await until(lambda: marked(client) == both, "both failures")
    named = sorted(await sources(client))
    assert named == [f"log in {jobs}: job.log", "log:job.log"]
    (jobs / "job.log").write_text("epoch 1\n")
    await until(lambda: marked(client) == both[:1], "the emptied log's failure to go")
    (inner / "job.log").write_text("epoch 1\n")
    await until(lambda: not marked(client), "the other one's")


async def test_where_logs_are_not_watched_runs_are_not_either(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    for name, project in (("a", "watch = false"), ("b", "include = []")):
        (root / name).mkdir()
        (root / name / SCRIPT).write_text(FAILING)
        (root / name / "pyproject.toml").write_text(f"[tool.dl-bug-lsp.logs]\n{project}\n")
    await open_folders(client, root / "a", root / "b")
    for name in ("a", "b"):
        assert await run(root / name, sys.executable, SCRIPT) == 1
    await until(lambda: bool(marked(client)), "the failure of the folder whose runs are followed")
    assert marked(client) == [(root / "b" / SCRIPT).as_uri()]


async def test_another_user_s_records_above_the_folder_are_not_read(
    client: LanguageClient, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    if not hasattr(os, "getuid") or os.getuid() != 0:
        pytest.skip("only the system's administrator can give files away")
    (root / "a").mkdir()
    for name in ("one.py", "two.py"):
        (root / "a" / name).write_text(FAILING)
    assert await run(root, sys.executable, "a/one.py") == 1
    (record,) = (root / ".dlbug" / "runs").glob("*.json")
    assert json.loads(record.read_text())["exit_code"] == 1
    os.chown(record, 12345, 12345)
    await open_folders(client, root / "a")
    assert await run(root, sys.executable, "a/two.py") == 1
    await until(lambda: bool(marked(client)), "the own failure")
    assert marked(client) == [(root / "a" / "two.py").as_uri()]
