"""Memory of a server of many threads: what the C library keeps, when garbage is looked for."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

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
