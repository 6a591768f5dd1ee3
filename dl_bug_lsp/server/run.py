"""Starts the server on standard input and output and ends the process with it."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from contextlib import suppress

from dl_bug_lsp.server import commands, journal, lifecycle
from dl_bug_lsp.server.app import DlBugServer


def make_server() -> DlBugServer:
    """Return a server with all its handlers."""
    server = DlBugServer()
    lifecycle.register(server)
    commands.register(server)
    return server


def serve(log_file: str | None = None) -> int:
    """Speak LSP until the client leaves; return 0 after an orderly shutdown, else 1."""
    journal.configure(log_file)
    # What prints to standard output must not end up between the protocol's messages.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(ValueError):
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    server = make_server()
    gc.freeze()
    gc.enable()
    server.start_io(sys.stdin.buffer, output)
    return 0 if server.protocol.was_shut_down else 1


def serve_and_exit(log_file: str | None = None) -> None:
    """Serve, then end the process at once, whatever still runs in its threads."""
    code = serve(log_file)
    logging.shutdown()
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
