"""Runs the server for one client and ends the process with it."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from dl_bug_lsp.server import (
    announcements,
    checked_folders,
    commands,
    failure_store,
    files,
    followed_recordings,
    lifecycle,
    line_features,
    log_documents,
    process,
)
from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.process import collect_seldom, end_process, end_with_parent, watch_parent
from dl_bug_lsp.server.transports import Channel, Outbox, TransportError, read_all

logger = logging.getLogger(__name__)

HANDLERS = (
    lifecycle,
    commands,
    files,
    line_features,
    log_documents,
    failure_store,
    followed_recordings,
    checked_folders,
    announcements,
)
SWITCH_SECONDS = 0.001
"""How long a busy thread may keep the loop from running: it answers the client meanwhile."""

THREADS = 3
"""Threads that read and write files for the loop; each costs memory of its own."""


def make_server() -> DlBugServer:
    """Return a server with all its handlers."""
    server = DlBugServer()
    for handlers in HANDLERS:
        handlers.register(server)
    return server


Beside = Callable[[DlBugServer], Coroutine[Any, Any, None]]
"""Something that runs beside the server, on its loop, until it ends."""


def serve(channel: Channel, beside: Beside | None = None) -> int:
    """Speak LSP with one client until it leaves; return 0 after an orderly shutdown, else 1."""
    server = make_server()
    collect_seldom()
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.run(_speak(server, channel, beside))
    return 0 if server.protocol.was_shut_down else 1


async def _speak(server: DlBugServer, channel: Channel, beside: Beside | None) -> None:
    loop = asyncio.get_running_loop()
    left = asyncio.Event()

    def gone() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(left.set)

    def take(body: bytes) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(server.protocol.take, body)

    # The loop's own number of threads grows with the machine's processors.
    loop.set_default_executor(ThreadPoolExecutor(THREADS, "file reader"))
    outbox = Outbox(channel, gone)
    server.protocol.set_writer(outbox, include_headers=False)
    server.protocol.leave = left.set
    loop.set_exception_handler(_log_stray)
    read_all(channel, take, gone)
    companion = asyncio.create_task(beside(server)) if beside is not None else None
    await left.wait()
    if companion is not None:
        companion.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await companion
    server.jobs.cancel_all()
    outbox.close()


def _log_stray(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    error = context.get("exception")
    known = error if isinstance(error, BaseException) else None
    logger.error("an error reached nobody", exc_info=known)


def serve_and_exit(
    accept: Callable[[], Channel],
    log_file: str | None = None,
    parent: int | None = None,
    beside: Beside | None = None,
) -> None:
    """Wait for a client, serve it, then end the process, whatever still runs in its threads.

    Exit codes: 0 and 1 as `serve`; 1 when the process ``parent`` is gone; 2 where no client can
    connect; 130 and 143 after SIGINT and SIGTERM.
    """
    process.configure(log_file)
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError, OSError):
            signal.signal(number, lambda number, _frame: end_process(128 + number))
    watch_parent(parent, end_with_parent)
    try:
        channel = accept()
    except TransportError as error:
        print(f"dl-bug-lsp: {error}", file=sys.stderr)
        end_process(2)
    else:
        end_process(serve(channel, beside))
