"""The server's own log: standard error and, where asked, a capped file; never a payload."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

LARGEST = 2**20
"""Bytes of the log file before it is moved aside, once."""

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class PayloadFreeFormatter(logging.Formatter):
    """Leaves out what may hold a user's text: other libraries' arguments, exceptions' messages."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, with the bare stack of an exception below."""
        own = record.name.partition(".")[0] == "dl_bug_lsp"
        words = record.getMessage() if own else str(record.msg).partition("\n")[0][:200]
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {words}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - the base class' name
        """Return the stack and the exception's class without its message."""
        kind, _, stack = ei
        frames = "".join(traceback.format_tb(stack))
        return f"{frames}{kind.__name__ if kind else 'no exception'}"


def configure(log_file: str | None) -> None:
    """Send warnings to standard error and, where a file is named, all of ours there."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    formatter = PayloadFreeFormatter()
    stream = logging.StreamHandler(sys.stderr)
    stream.setLevel(logging.WARNING)
    handlers: list[logging.Handler] = [stream]
    if log_file is not None:
        # Imported here: it costs the start of every other server milliseconds.
        from logging.handlers import RotatingFileHandler

        file = RotatingFileHandler(log_file, maxBytes=LARGEST, backupCount=1, encoding="utf-8")
        handlers.append(file)
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    logging.getLogger("pygls").setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    logging.raiseExceptions = False
