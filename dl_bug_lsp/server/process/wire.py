"""Messages in and out of the process: frames on streams, and threads that wait for the client.

Reading and writing have a thread each, so that neither a client that does not read nor one that
does not write ever holds up the event loop.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import BinaryIO, Protocol

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
