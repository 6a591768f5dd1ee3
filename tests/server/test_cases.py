"""Every case of `cases/` in every client, spoken to the real server process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from case_files import Case, read_case
from case_runner import Player
from strict_client import CLIENTS, StrictClient, leave, start

CASES = sorted(Path(__file__).with_name("cases").glob("*.txtar"))
RICHEST = "vscode_1.139"
"""The client whose view is written down by ``--update``: it shows everything."""


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=CLIENTS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[StrictClient]:
    """One server process for all cases of a client."""
    started = await start(request.param)
    await started.open_session([])
    yield started
    await leave(started)
    started.assert_clean()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_case(
    client: StrictClient, path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    case = read_case(path)
    if case.only and not any(part in client.name for part in case.only):
        pytest.skip(f"not for {client.name}")
    update = bool(request.config.getoption("--update"))
    if update and client.name != RICHEST:
        pytest.skip("the richest client's view is written down")
    await play(case, client, tmp_path / "project", update=update)
    if update:
        path.write_text(case.dump(), encoding="utf-8")


async def play(case: Case, client: StrictClient, root: Path, *, update: bool) -> None:
    player = Player(case, client, root)
    await player.open()
    try:
        for step in case.steps:
            shown = await player.play(step, update=update)
            if update:
                step.expected = shown
            assert [step.words, *shown] == [step.words, *step.expected]
        player.client.assert_clean()
    finally:
        await player.close()


def test_every_case_says_what_it_is_about() -> None:
    for path in CASES:
        assert read_case(path).about.strip(), path.name
