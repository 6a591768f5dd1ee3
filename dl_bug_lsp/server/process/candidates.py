"""Who connects to a socket before it is known for a client: what it says first decides."""

from __future__ import annotations

import hmac
import json
import os
import queue
import socket
import stat
import threading
from contextlib import suppress
from pathlib import Path

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.server.process.wire import LONGEST_HEADER, Channel, StreamChannel

MOST = 16
"""Connections that may be undecided at a time."""
PATIENCE = 60.0
"""Seconds in which a connection has to say who it is."""
LARGEST_FIRST = 2**20
"""Bytes of the first message where a token is wanted: nothing larger is read of a stranger."""
LEAST_TOKEN = 16
_FIELDS = (b"content-length:", b"content-type:")


def read_token(file: str) -> str:
    """Return the token that a file holds; raises ValueError with one sentence, OSError.

    The file is the user's alone, as whoever knows the token can read the user's files.
    """
    with open_regular(Path(file)) as stream:
        if os.name == "posix" and stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077:
            raise ValueError("other users can read it; chmod 600 it")
        token = stream.read(4096).decode("utf-8", "replace").strip()
    if len(token) < LEAST_TOKEN or not token.isascii():
        raise ValueError(f"it holds no token of {LEAST_TOKEN} to 4096 ASCII characters")
    return token


def is_allowed(message: bytes, token: str | None) -> bool:
    """Say whether a first message may begin a session: with the token where one is wanted.

    It stands in the ``initializationOptions`` of `initialize`, as ``token``.
    """
    if token is None:
        return True
    try:
        found = json.loads(message)
        given = found["params"]["initializationOptions"]["token"]
        is_first = found["method"] == "initialize"
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
    return (
        is_first
        and isinstance(given, str)
        and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
    )


class _Known(StreamChannel):
    """A channel of which the first message, or its first line, has been read."""

    def __init__(self, connection: socket.socket, token: str | None) -> None:
        super().__init__(connection.makefile("rb"), connection.makefile("wb"))
        self._connection = connection
        self._token = token
        self._message: bytes | None = None

    def is_client(self) -> bool:
        """Read as much as tells a client from others; raises OSError where it says nothing."""
        self._connection.settimeout(PATIENCE)
        line = self._reader.readline(LONGEST_HEADER)
        if not line.lstrip().lower().startswith(_FIELDS):
            return False
        self.first = line
        if self._token is not None:
            self._message = super().receive_within(LARGEST_FIRST)
            if self._message is None or not is_allowed(self._message, self._token):
                return False
        self._connection.settimeout(None)
        return True

    def receive(self) -> bytes | None:
        message, self._message = self._message, None
        return message if message is not None else super().receive()


def accept_client(listener: socket.socket, token: str | None) -> Channel:
    """Return the channel of the first connection that speaks the protocol, and knows the token.

    Others are closed and take nobody's place.
    """
    found: queue.SimpleQueue[_Known] = queue.SimpleQueue()
    places = threading.BoundedSemaphore(MOST)
    only = threading.Lock()

    def examine(connection: socket.socket) -> None:
        with suppress(OSError, ValueError):
            candidate = _Known(connection, token)
            if candidate.is_client() and only.acquire(blocking=False):
                found.put(candidate)
                return
        places.release()
        _close(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if not places.acquire(blocking=False):
                _close(connection)
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=examine, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, name="listener", daemon=True).start()
    first = found.get()
    with suppress(OSError):
        # Closing alone would not wake the thread that waits for the next connection.
        listener.shutdown(socket.SHUT_RDWR)
    return first


def _close(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
