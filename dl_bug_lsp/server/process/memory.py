"""What the C library keeps of memory that was freed: a server of many threads must not hoard it."""

from __future__ import annotations

import sys
from contextlib import suppress

ARENAS = 2
"""Heaps that threads share; Python's own small objects lie elsewhere."""
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
