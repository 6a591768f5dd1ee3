"""Notices of the platform that files came, went or were closed, through watchdog; hints only."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.watching.mounts import is_network

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

ENDED = "the thread that takes the platform's notices ended"
_ended = threading.Event()
"""Set once that happened: all observers of a process share the thread, and it has only one."""
MOST_WAITING = 20_000
"""Notices that are held; when more come at once the whole folder is looked through instead."""


class Notices:
    """Collects the paths of which the platform gave notice.

    Of growing files there are none: a thousand logs that grow would bring 100,000 notices a second,
    and looking at the files' sizes costs a thousandth of that.
    """

    def __init__(self, root: str, wake: Callable[[], None]) -> None:
        self._root = root
        self._wake = wake
        self._paths: deque[str] = deque()
        self._lost = False
        self._lock = threading.Lock()
        self._observer: Any = None
        self._threads: list[threading.Thread] = []
        self.reason = ""

    def start(self) -> bool:
        """Begin; False, with the reason set, where the platform gives no notices."""
        kind = is_network(self._root)
        if kind is not None:
            self.reason = f"{kind} is a network file system and gives no notices"
            return False
        if _ended.is_set():
            self.reason = ENDED
            return False
        before = set(threading.enumerate())
        try:
            self._observer = self._started()
        except Exception as error:
            self.reason = _why(error)
            return False
        self._threads = [t for t in threading.enumerate() if _is_watchdogs(t, before)]
        return True

    def _started(self) -> Any:
        from watchdog import events
        from watchdog.observers import Observer

        wanted: list[type[FileSystemEvent]] = [
            events.FileCreatedEvent, events.FileMovedEvent, events.FileDeletedEvent,
            events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent,
        ]  # fmt: skip
        if sys.platform.startswith("linux"):
            wanted.append(events.FileClosedEvent)
        else:
            wanted.append(events.FileModifiedEvent)
        notices = self

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                notices.take(event.src_path)
                if event.dest_path:
                    notices.take(event.dest_path)

        observer = Observer()
        observer.daemon = True
        try:
            observer.schedule(Handler(), self._root, recursive=True, event_filter=wanted)
            observer.start()
        except BaseException:
            observer.unschedule_all()
            raise
        return observer

    def take(self, path: bytes | str) -> None:
        """Hold a path of which the platform gave notice; called on watchdog's thread."""
        with self._lock:
            if len(self._paths) >= MOST_WAITING:
                self._lost = True
                self._paths.clear()
            if not self._lost:
                self._paths.append(os.fsdecode(path))
        self._wake()

    def taken(self) -> tuple[list[str], bool]:
        """Return the paths since the last call, each once, and whether some were lost."""
        with self._lock:
            paths, lost = list(dict.fromkeys(self._paths)), self._lost
            self._paths.clear()
            self._lost = False
        return paths, lost

    def is_alive(self) -> bool:
        """Say whether notices still come.

        A thread of watchdog ends for good when a folder goes while it is taken in, as checkpoints'
        folders do that are renamed when they are complete.
        """
        if all(thread.is_alive() for thread in self._threads):
            return True
        _ended.set()
        self.reason = ENDED
        return False

    def stop(self) -> None:
        """End, without waiting for watchdog's threads."""
        if self._observer is not None:
            self._observer.stop()


def _is_watchdogs(thread: threading.Thread, before: set[threading.Thread]) -> bool:
    """Say whether a thread reads notices for us: one of our own, or the one for all observers."""
    kind = type(thread)
    ours = kind.__module__.startswith("watchdog.")
    return ours and (thread not in before or kind.__name__ == "InotifyFD")


def _why(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC:
        return "no inotify watches are left (fs.inotify.max_user_watches)"
    if number == errno.EMFILE:
        return "no inotify instances are left (fs.inotify.max_user_instances)"
    return f"the platform gives no notices ({type(error).__name__})"
