"""Jobs off the loop: one at a time, the latest wins, nobody waits for the dropped."""

from __future__ import annotations

import asyncio
import threading

import pytest

from dl_bug_lsp.server.jobs import CancelledError, Jobs, SupersededError, Token


class Gate:
    """A job that waits until it is let go, so that tests decide the order of things."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.open = threading.Event()
        self.token: Token | None = None

    def __call__(self, token: Token) -> str:
        self.token = token
        self.started.set()
        assert self.open.wait(30)
        return "done"


async def begun(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.started.wait, 30)


async def test_a_result_comes_back() -> None:
    assert await Jobs().run("a", lambda token: 7) == 7


async def test_an_error_comes_back() -> None:
    def fail(token: Token) -> None:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        await Jobs().run("a", fail)


async def test_the_latest_request_wins() -> None:
    jobs, first = Jobs(), Gate()
    ran: list[str] = []
    running = asyncio.create_task(jobs.run("a", first))
    await begun(first)
    waiting = asyncio.create_task(jobs.run("a", lambda token: ran.append("second")))
    await asyncio.sleep(0)
    latest = asyncio.create_task(jobs.run("a", lambda token: "third"))
    for dropped in (running, waiting):
        with pytest.raises(SupersededError):
            await dropped
    assert first.token is not None
    assert first.token.cancelled
    assert not latest.done()
    first.open.set()
    assert await latest == "third"
    assert ran == []


async def test_keys_do_not_wait_for_each_other() -> None:
    jobs, first = Jobs(), Gate()
    running = asyncio.create_task(jobs.run("a", first))
    await begun(first)
    assert await jobs.run("b", lambda token: 1) == 1
    first.open.set()
    assert await running == "done"


async def test_a_cancelled_request_is_answered_at_once_and_its_token_set() -> None:
    jobs, gate = Jobs(), Gate()
    running = asyncio.create_task(jobs.run("a", gate, request=5))
    await begun(gate)
    jobs.cancel(4)
    assert not running.done()
    jobs.cancel(5)
    with pytest.raises(CancelledError):
        await running
    assert gate.token is not None
    assert gate.token.cancelled
    gate.open.set()
    assert await jobs.run("a", lambda token: 2) == 2


async def test_cancel_all() -> None:
    jobs, gate = Jobs(), Gate()
    tasks = [asyncio.create_task(jobs.run("a", gate)), asyncio.create_task(jobs.run("b", gate))]
    await begun(gate)
    jobs.cancel_all()
    for task in tasks:
        with pytest.raises(CancelledError):
            await task
    gate.open.set()


async def test_a_busy_thread_does_not_hold_up_the_process() -> None:
    jobs, gate = Jobs(), Gate()
    running = asyncio.create_task(jobs.run("a", gate))
    await begun(gate)
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "job a"]
    assert thread.daemon
    gate.open.set()
    await running
