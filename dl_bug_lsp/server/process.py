"""The process of the server: its end, its parent, its memory, its log.

It ends at once, from any thread, whatever still runs, and after the process that started it. Its
log goes to standard error and, where asked, to a capped file, and never holds a payload.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from dl_bug_lsp.runs.processes import is_alive

logger = logging.getLogger(__name__)


def end_with_parent() -> None:
    """End the process because the one that wanted it is gone."""
    logger.warning("the client's process is gone; the server ends")
    end_process(1)


def end_process(code: int) -> None:
    """End the process with an exit code."""
    with suppress(Exception):
        logging.shutdown()
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)


INTERVAL = 1.0
"""Seconds between two looks at the parent."""


def watch_parent(process: int | None, end: Callable[[], None]) -> bool:
    """Call ``end`` from a thread when ``process`` is gone; return whether it can be watched.

    A process that cannot be seen from the start (the editor sits in another container) is not
    watched: closing standard input ends the server there.
    """
    if process is None or process == os.getpid() or not is_alive(process):
        return False
    is_parent = process == os.getppid()

    def watch() -> None:
        pause = threading.Event()
        while not pause.wait(INTERVAL):
            # A dead parent may stay a zombie whose number still answers, but its children move on.
            if (is_parent and os.getppid() != process) or not is_alive(process):
                end()
                return

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
    return True


ARENAS = 2
"""Heaps that threads share; Python's own small objects lie elsewhere."""
YOUNG_OBJECTS = 2000
"""Objects more than at the last round that begin the next of the garbage collector."""
_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's ``malloc.h`` (mallopt(3))."""


def share_heaps() -> bool:
    """Let threads share few heaps from now on; return whether the C library could be told.

    glibc gives each new thread a heap of its own, up to eight a processor, and what one thread
    frees in its heap no other can use: the lanes and watchers of folders that come and go leave
    tens of megabytes of holes. The interpreter's lock lets one thread allocate at a time anyway.
    Other C libraries have nothing of the kind.
    """
    if not sys.platform.startswith("linux"):
        return False
    # Imported here: it would hold up the answer to `initialize`.
    import ctypes

    with suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, ARENAS))
    return False


def collect_seldom() -> None:
    """Let the garbage collector begin, with what stands so far left out of its rounds.

    A localization makes and drops hundreds of thousands of objects, nearly all of them freed by
    counting: with the usual thresholds rounds came several times in each.
    """
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    gc.enable()


def keep_what_stands(*, after_all: bool = False) -> None:
    """Take all objects that stand now out of the collector's later rounds.

    A full round goes through every container and holds up all threads: over the index of a big
    folder, which has no cycles and is freed by counting as before, for a tenth of a second.
    ``after_all`` has garbage collected first.
    """
    if after_all:
        gc.collect()
    gc.freeze()


def look_at_everything() -> None:
    """Let the collector's next full round go through everything: a folder's index is no more."""
    gc.unfreeze()


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
