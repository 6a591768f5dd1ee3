"""Jobs off the loop: the latest of a source wins, a lane does one thing at a time, by rank."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from dl_bug_lsp.cancellation import CancelledError, cancellable, checkpoint, stepwise
from dl_bug_lsp.server.jobs import FolderQueue, Jobs, Rank, SupersededError, Token


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


async def test_results_come_back_in_the_order_of_the_parts() -> None:
    assert await Jobs().run("s", [("a", lambda token: 7), ("b", lambda token: 8)]) == [7, 8]


async def test_an_error_comes_back_and_ends_the_other_parts() -> None:
    gate = Gate()

    def fail(token: Token) -> str:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        await Jobs().run("s", [("a", fail), ("b", gate)])
    gate.open.set()
    if gate.token is not None:
        assert gate.token.cancelled


async def test_the_latest_of_a_source_wins() -> None:
    jobs, first = Jobs(), Gate()
    ran: list[str] = []
    running = asyncio.create_task(jobs.run("s", [("a", first)]))
    await begun(first)
    waiting = asyncio.create_task(jobs.run("s", [("a", lambda token: ran.append("second"))]))
    await asyncio.sleep(0)
    latest = asyncio.create_task(jobs.run("s", [("a", lambda token: "third")]))
    for dropped in (running, waiting):
        with pytest.raises(SupersededError):
            await dropped
    assert first.token is not None
    assert first.token.cancelled
    assert not latest.done()
    first.open.set()
    assert await latest == ["third"]
    assert ran == []


async def test_another_source_waits_for_its_turn_and_takes_nobody_s_place() -> None:
    jobs, first = Jobs(), Gate()
    running = asyncio.create_task(jobs.run("paste", [("a", first)]))
    await begun(first)
    log = asyncio.create_task(jobs.run("log", [("a", lambda token: "log")]))
    await asyncio.sleep(0)
    first.open.set()
    assert await running == ["done"]
    assert await log == ["log"]


async def test_lanes_do_not_wait_for_each_other() -> None:
    jobs, first = Jobs(), Gate()
    running = asyncio.create_task(jobs.run("s", [("a", first)]))
    await begun(first)
    assert await jobs.run("t", [("b", lambda token: 1)]) == [1]
    first.open.set()
    assert await running == ["done"]


async def test_what_is_asked_for_goes_before_what_was_heard() -> None:
    jobs, first = Jobs(), Gate()
    order: list[str] = []
    running = asyncio.create_task(jobs.run("first", [("a", first)]))
    await begun(first)
    heard = [
        asyncio.create_task(
            jobs.run(f"log {n}", [("a", lambda token: order.append("log"))], rank=Rank.HEARD)
        )
        for n in range(3)
    ]
    await asyncio.sleep(0)
    asked = asyncio.create_task(jobs.run("paste", [("a", lambda token: order.append("paste"))]))
    await asyncio.sleep(0)
    jobs.lane("a").put(Rank.CHANGES, lambda: order.append("changes"))
    first.open.set()
    await asyncio.gather(running, asked, *heard)
    assert order == ["changes", "paste", "log", "log", "log"]


async def test_fifty_texts_of_one_source_are_one_job() -> None:
    jobs, first = Jobs(), Gate()
    ran: list[int] = []
    running = asyncio.create_task(jobs.run("other", [("a", first)]))
    await begun(first)

    def work(number: int) -> asyncio.Task[list[None]]:
        return asyncio.create_task(jobs.run("log", [("a", lambda token: ran.append(number))]))

    tasks = [work(number) for number in range(50)]
    await asyncio.sleep(0)
    first.open.set()
    results = await asyncio.gather(running, *tasks, return_exceptions=True)
    assert ran == [49]
    assert sum(isinstance(one, SupersededError) for one in results) == 49


async def test_long_work_goes_on_between_jobs() -> None:
    lane, first = FolderQueue("a"), Gate()
    order: list[str] = []
    over = threading.Event()

    def steps() -> Iterator[None]:
        order.append("step")
        first(Token())
        yield
        order.append("step")
        yield
        over.set()

    lane.put_steps(steps())
    await begun(first)
    lane.put(Rank.ASKED, lambda: order.append("job"))
    first.open.set()
    assert await asyncio.to_thread(over.wait, 30)
    assert order == ["step", "job", "step"]


async def test_a_lane_outlives_what_fails_in_it() -> None:
    lane, after = FolderQueue("a"), threading.Event()

    def broken() -> Iterator[None]:
        raise ValueError("x")
        yield

    def fail() -> None:
        raise ValueError("x")

    lane.put_steps(broken())
    lane.put(Rank.ASKED, fail)
    lane.put(Rank.HEARD, after.set)
    assert await asyncio.to_thread(after.wait, 30)


async def test_a_closed_lane_ends_its_thread() -> None:
    lane, gate = FolderQueue("closing"), Gate()
    lane.put(Rank.ASKED, lambda: gate(Token()) and None)
    await begun(gate)
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "closing"]
    assert thread.daemon
    lane.close()
    gate.open.set()
    await asyncio.to_thread(thread.join, 30)
    assert not thread.is_alive()


async def test_a_cancelled_request_is_answered_at_once_and_its_work_stops() -> None:
    jobs, stopped, started = Jobs(), threading.Event(), threading.Event()

    def endless(token: Token) -> None:
        started.set()
        try:
            while True:
                checkpoint()
        except CancelledError:
            stopped.set()
            raise

    running = asyncio.create_task(jobs.run("s", [("a", endless)], request=5))
    assert await asyncio.to_thread(started.wait, 30)
    jobs.cancel(4)
    assert not running.done()
    jobs.cancel(5)
    with pytest.raises(CancelledError):
        await running
    assert await asyncio.to_thread(stopped.wait, 30)


async def test_a_request_cancelled_before_its_job_begins_never_begins() -> None:
    jobs = Jobs()
    jobs.cancel(5)
    with pytest.raises(CancelledError):
        await jobs.run("s", [("a", lambda token: 1)], request=5)


async def test_cancel_all() -> None:
    jobs, gate = Jobs(), Gate()
    tasks = [
        asyncio.create_task(jobs.run("s", [("a", gate)])),
        asyncio.create_task(jobs.run("t", [("b", gate)])),
    ]
    await begun(gate)
    jobs.cancel_all()
    for task in tasks:
        with pytest.raises(CancelledError):
            await task
    gate.open.set()


def test_nobody_asks_outside_of_a_cancellable_block() -> None:
    checkpoint()
    with pytest.raises(CancelledError), cancellable(lambda: True):
        checkpoint()
    checkpoint()
    assert list(stepwise(range(2_000))) == list(range(2_000))


def test_steps_stop_soon_after_they_are_cancelled() -> None:
    done: list[int] = []
    with pytest.raises(CancelledError), cancellable(lambda: len(done) > 10):
        for number in stepwise(range(1_000_000)):
            done.append(number)  # noqa: PERF402 - counted while it grows
    assert len(done) < 2_000
