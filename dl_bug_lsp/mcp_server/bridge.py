"""Hands standard input and output on to the Unix socket of a language server, as they come."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

PART = 1 << 16


def forward(path: Path) -> None:
    """Copy both ways until either end is closed; raises OSError where nobody listens."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        threading.Thread(target=_to_socket, args=(connection,), daemon=True).start()
        while part := connection.recv(PART):
            _write(part)


def _to_socket(connection: socket.socket) -> None:
    with suppress(OSError):
        while part := os.read(0, PART):
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)


def _write(part: bytes) -> None:
    while part:
        part = part[os.write(1, part) :]
