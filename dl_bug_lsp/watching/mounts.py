"""What the platform can watch: file systems without notices, the limits of inotify."""

from __future__ import annotations

import sys
from pathlib import Path

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
    found: dict[str, int] = {}
    if not sys.platform.startswith("linux"):
        return found
    for name in ("max_user_watches", "max_user_instances", "max_queued_events"):
        try:
            found[name] = int((_INOTIFY / name).read_text("ascii"))
        except (OSError, ValueError):
            continue
    return found
