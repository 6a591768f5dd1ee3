"""The ways to a client: standard streams, a TCP socket, a WebSocket; one client, then the end.

Reading and writing have a thread each, so that neither a client that does not read nor one that
does not write ever holds up the event loop. Who connects to a socket before it is known for a
client is judged by what it says first.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import os
import queue
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from dl_bug_lsp.data_folder import open_regular

if TYPE_CHECKING:
    from websockets.sync.server import ServerConnection

logger = logging.getLogger(__name__)

LARGEST_MESSAGE = 256 * 2**20
"""Bytes of a message; what is longer is skipped."""
LONGEST_HEADER = 8192
_BLOCK = 1 << 20
_FLUSH_SECONDS = 2.0


class Channel(Protocol):
    """Whole messages from and to one client; each method is called by one thread only."""

    def receive(self) -> bytes | None:
        """Wait for a message; None when there will be no more."""

    def send(self, body: bytes) -> None:
        """Hand over a message; raises `OSError` or `ValueError` when the client is gone."""


class StreamChannel:
    """The base protocol of LSP 3.17: header fields, an empty line, the body."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self.first = b""
        """A line that was read already."""

    def receive(self) -> bytes | None:
        """Read one message; fields but ``Content-Length`` and lines that are none are passed over.

        A message that is too long is read to its end and comes out empty, as bad JSON.
        """
        length = self._length()
        return self._body(length) if length is not None else None

    def receive_within(self, most: int) -> bytes | None:
        """Read one message of at most so many bytes; None for a longer one, of which none is."""
        length = self._length()
        return self._body(length) if length is not None and length <= most else None

    def _length(self) -> int | None:
        length: int | None = None
        line, self.first = self.first or self._reader.readline(LONGEST_HEADER), b""
        while line:
            if line.strip():
                length = _content_length(line, length)
            elif length is not None:
                return length
            line = self._reader.readline(LONGEST_HEADER)
        return None

    def _body(self, length: int) -> bytes | None:
        if length <= LARGEST_MESSAGE:
            body = self._reader.read(length)
            return body if len(body) == length else None
        logger.warning("a message of %d bytes is too long and was skipped", length)
        while length > 0:
            part = self._reader.read(min(length, _BLOCK))
            if not part:
                return None
            length -= len(part)
        return b""

    def send(self, body: bytes) -> None:
        """Write one message."""
        self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body))
        self._writer.write(body)
        self._writer.flush()


def _content_length(line: bytes, known: int | None) -> int | None:
    name, _, value = line.partition(b":")
    value = value.strip()
    if name.strip().lower() == b"content-length" and value.isdigit() and len(value) < 16:
        return int(value)
    return known


class Outbox:
    """Takes messages from the event loop and sends them in its own thread.

    It is what pygls calls a writer.
    """

    def __init__(self, channel: Channel, gone: Callable[[], None]) -> None:
        self._channel = channel
        self._gone = gone
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._send_all, name="writer", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Send a message some time soon."""
        self._waiting.put(data)

    def close(self) -> None:
        """Send what waits, as far as the client reads it within a moment."""
        self._waiting.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(_FLUSH_SECONDS)

    def _send_all(self) -> None:
        try:
            while (data := self._waiting.get()) is not None:
                self._channel.send(data)
        except (OSError, ValueError, EOFError):
            self._gone()


def read_all(channel: Channel, take: Callable[[bytes], None], gone: Callable[[], None]) -> None:
    """Start a thread that hands every message to ``take``, and calls ``gone`` after the last."""

    def body() -> None:
        try:
            while (message := channel.receive()) is not None:
                take(message)
        except (OSError, ValueError, EOFError):
            pass
        except Exception:
            logger.exception("reading from the client failed")
        finally:
            gone()

    threading.Thread(target=body, name="reader", daemon=True).start()


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
        request = json.loads(message)
        sent = request["params"]["initializationOptions"]["token"]
        is_first = request["method"] == "initialize"
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
    return (
        is_first
        and isinstance(sent, str)
        and hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode())
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
    clients: queue.SimpleQueue[_Known] = queue.SimpleQueue()
    places = threading.BoundedSemaphore(MOST)
    only = threading.Lock()

    def examine(connection: socket.socket) -> None:
        with suppress(OSError, ValueError):
            candidate = _Known(connection, token)
            if candidate.is_client() and only.acquire(blocking=False):
                clients.put(candidate)
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
    first = clients.get()
    with suppress(OSError):
        # Closing alone would not wake the thread that waits for the next connection.
        listener.shutdown(socket.SHUT_RDWR)
    return first


def _close(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


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

    server = serve(handle, sock=listener, origins=[None], max_size=LARGEST_MESSAGE)
    _in_thread(server.serve_forever)
    return clients.get()


class _WebSocket:
    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._first: bytes | None = None
        self.ended: queue.SimpleQueue[None] = queue.SimpleQueue()

    def is_allowed(self, token: str) -> bool:

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
        addresses = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = addresses[0]
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
