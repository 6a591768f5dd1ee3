"""File events of the platform, and what the platform can watch.

Events (through watchdog) say that files came, went or were closed; they are hints only. Some file
systems give no events, and inotify has limits.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent


logger = logging.getLogger(__name__)

ENDED = "the thread that takes the platform's notices ended again and again"
RESTARTS, RESTARTS_SECONDS = 3, 600.0
"""How often in so many seconds an observer is replaced whose thread ended."""
MOST_WAITING = 20_000
"""FileEvents that are held; when more come at once the whole folder is looked through instead."""


class FileEvents:
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
        self._restarts: deque[float] = deque(maxlen=RESTARTS)
        self.reason = ""
        self.restarts = 0
        """How often the observer was replaced."""

    def start(self) -> bool:
        """Begin; False, with the reason set, where the platform gives no notices."""
        kind = is_network(self._root)
        if kind is not None:
            self.reason = f"{kind} is a network file system and gives no notices"
            return False
        try:
            self._begin()
        except Exception as error:
            self.reason = _why(error)
            self.stop()
            return False
        self._threads = _threads_of(self._observer)
        return True

    def _begin(self) -> None:
        # One of them, of a folder renamed while it is taken in, prints all folders, each time.
        warnings.filterwarnings("ignore", module=r"watchdog\.")
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

        observer = self._observer = Observer()
        observer.daemon = True
        observer.schedule(Handler(), self._root, recursive=True, event_filter=wanted)
        observer.start()

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
        return all(thread.is_alive() for thread in self._threads)

    def restart(self, now: float) -> bool:
        """Begin anew after an end; False, with the reason set, where that happens too often.

        ``now`` is in seconds of a monotonic clock.
        """
        self.stop()
        if len(self._restarts) == RESTARTS and now - self._restarts[0] < RESTARTS_SECONDS:
            self.reason = ENDED
            return False
        self._restarts.append(now)
        self.restarts += 1
        logger.info("the thread that takes the platform's notices ended; another one begins")
        return self.start()

    def stop(self) -> None:
        """End, and wait for watchdog's threads: they end at once."""
        observer, self._observer = self._observer, None
        if observer is None:
            return
        try:
            observer.stop()
            observer.unschedule_all()
            if observer.ident is not None:
                observer.join()
        except Exception:
            # What a thread left behind that ended in the middle of its work.
            logger.info("an observer did not end in order", exc_info=True)


def _threads_of(observer: Any) -> list[threading.Thread]:
    """Return the threads that an observer needs: itself, its emitters and what they read through.

    The readers' names and places differ between versions of watchdog and between platforms.
    """
    objects = [observer, *observer.emitters]
    for item in tuple(objects):
        for held in vars(item).values():
            if type(held).__module__.startswith("watchdog."):
                objects += [held, *getattr(held, "__dict__", {}).values()]
    return list(dict.fromkeys(item for item in objects if isinstance(item, threading.Thread)))


def _why(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC:
        return "no inotify watches are left (fs.inotify.max_user_watches)"
    if number == errno.EMFILE:
        return (
            "no inotify instances or open files are left (fs.inotify.max_user_instances, ulimit -n)"
        )
    return f"the platform gives no notices ({type(error).__name__})"


_NETWORK_NAMES = """
    nfs nfs4 cifs smb smb2 smb3 smbfs afs ceph lustre gpfs beegfs glusterfs fuse.glusterfs
    fuse.sshfs fuse.s3fs fuse.rclone fuse.gcsfuse fuse.ceph pvfs2 orangefs wekafs panfs 9p virtiofs
    vboxsf fuse.vmhgfs-fuse drvfs fuse.grpcfuse fakeowner
"""
NETWORK = frozenset(_NETWORK_NAMES.split())
"""File systems on which others write unseen by this machine's kernel."""

_MOUNTS = Path("/proc/self/mounts")
_INOTIFY = Path("/proc/sys/fs/inotify")


def file_system(root: str, mounts: str | None = None) -> str | None:
    """Return the type of the file system that holds an absolute path, None where nobody says.

    ``mounts`` is the text of ``/proc/self/mounts`` (fstab(5): device, place, type, …).
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text("utf-8", "replace")
        except OSError:
            return None
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        place = parts[1].replace("\\040", " ").replace("\\011", "\t").rstrip("/")
        inside = root == place or root.startswith(place + "/")
        if inside and (best is None or len(place) >= best[0]):
            best = len(place), parts[2]
    return best[1] if best else None


def is_network(root: str) -> str | None:
    """Return the name of the network file system that holds a path, None where it is local."""
    kind = file_system(root)
    return kind if kind in NETWORK else None


def inotify_limits() -> dict[str, int]:
    """Return the kernel's limits by name (inotify(7)), nothing on other systems."""
    limits: dict[str, int] = {}
    if not sys.platform.startswith("linux"):
        return limits
    for name in ("max_user_watches", "max_user_instances", "max_queued_events"):
        try:
            limits[name] = int((_INOTIFY / name).read_text("ascii"))
        except (OSError, ValueError):
            continue
    return limits
