"""The ways to a client: standard streams, a TCP socket, a WebSocket; one client, then the end."""

from __future__ import annotations

import ipaddress
import os
import queue
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.process.wire import Channel, StreamChannel

if TYPE_CHECKING:
    from websockets.sync.server import ServerConnection


class TransportError(Exception):
    """There is no way to a client; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 lets the system choose one."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.partition("%")[0]).is_loopback
        except ValueError:
            return False


def parse_address(text: str) -> Address:
    """Read ``HOST:PORT``, ``[::1]:PORT`` or ``:PORT`` (this machine); raises `ValueError`."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host or "[" in host or "]" in host:
        raise ValueError("an IPv6 address needs brackets, as in [::1]:2087")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError("must be HOST:PORT, as in 127.0.0.1:2087")
    return Address(host or "127.0.0.1", int(port))


def standard_streams() -> Channel:
    """Return the channel of standard input and output.

    What prints to standard output from now on goes to standard error: it must not end up between
    the protocol's messages.
    """
    reader = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    writer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return StreamChannel(reader, writer)


def accept_tcp(address: Address, token: str | None = None) -> Channel:
    """Wait for one client on a TCP port; raises `TransportError`.

    What does not begin as the protocol does (a browser's request), or lacks the ``token`` where
    one is wanted, is closed and does not count.
    """
    from dl_bug_lsp.server.process.candidates import accept_client

    listener = _listener(address)
    with listener:
        _announce("tcp", listener)
        return accept_client(listener, token)


def accept_ws(address: Address, token: str | None = None) -> Channel:
    """Wait for one client on a WebSocket (RFC 6455), a message a frame; raises `TransportError`.

    Pages of a browser are refused: any page could connect to this machine. So is who lacks the
    ``token`` where one is wanted.
    """
    try:
        from websockets.sync.server import serve
    except ImportError:
        raise TransportError("--ws needs an extra: pip install 'dl-bug-lsp[ws]'") from None
    clients: queue.SimpleQueue[_WebSocket] = queue.SimpleQueue()
    taken = False

    def handle(connection: ServerConnection) -> None:
        nonlocal taken
        client = _WebSocket(connection)
        if token is not None and not client.is_allowed(token):
            connection.close(1008, "the token is missing or wrong")
            return
        if taken:
            connection.close(1013, "another client is served")
            return
        taken = True
        clients.put(client)
        client.ended.get()

    listener = _listener(address)
    _announce("ws", listener)
    from dl_bug_lsp.server.process.wire import LARGEST_MESSAGE

    server = serve(handle, sock=listener, origins=[None], max_size=LARGEST_MESSAGE)
    _in_thread(server.serve_forever)
    return clients.get()


class _WebSocket:
    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._first: bytes | None = None
        self.ended: queue.SimpleQueue[None] = queue.SimpleQueue()

    def is_allowed(self, token: str) -> bool:
        from dl_bug_lsp.server.process.candidates import LARGEST_FIRST, PATIENCE, is_allowed

        try:
            data: Any = self._connection.recv(PATIENCE)
        except Exception:  # Closed, too late, or no text: in any case no client.
            return False
        self._first = data.encode() if isinstance(data, str) else bytes(data)
        return len(self._first) <= LARGEST_FIRST and is_allowed(self._first, token)

    def receive(self) -> bytes | None:
        from websockets.exceptions import ConnectionClosed

        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            data: Any = self._connection.recv()
        except ConnectionClosed:
            self.ended.put(None)
            return None
        return data.encode() if isinstance(data, str) else bytes(data)

    def send(self, body: bytes) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            self._connection.send(body, text=True)
        except ConnectionClosed as error:
            raise OSError("the client is gone") from error


def _listener(address: Address) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = found[0]
        listener = socket.socket(family, kind, protocol)
        try:
            if sys.platform != "win32":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(1)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "the name is not one of a host"
        raise TransportError(f"cannot listen on {address}: {reason.lower()}") from None
    return listener


def _announce(kind: str, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    address = Address(host, port)
    if not address.is_local:
        print(
            f"dl-bug-lsp: {address} can be reached from other machines, and nothing is encrypted: "
            "whoever reads along learns the token; use 127.0.0.1 and a tunnel instead",
            file=sys.stderr,
        )
    print(f"dl-bug-lsp: listening on {kind}://{address}", file=sys.stderr, flush=True)


def _in_thread(body: Callable[[], None]) -> None:
    import threading

    threading.Thread(target=body, name="ws", daemon=True).start()
