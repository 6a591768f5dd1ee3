"""Files in the hidden folder ``.dlbug`` of a workspace, which anybody may have filled before us.

A workspace is often someone else's: a clone, an archive, a shared file system. So each folder from
``.dlbug`` on is opened by itself, without following links, and is this user's; what is done to a
file is done by its name in the folder that was opened (``dir_fd``), wherever its path leads then.
Only regular files are opened, without waiting for a writer. Nothing is written into a file that is
there: a new one takes its place.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

FOLDER = ".dlbug"
LOCK = ".lock"
WAIT = 30.0
"""Seconds that a writer waits for another one."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | _NO_LINK
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_A_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_HAS_PLACES = {os.open, os.mkdir, os.unlink, os.rename, os.stat} <= os.supports_dir_fd
"""Whether a file can be named by its folder's descriptor (not on Windows)."""
_IGNORED = b"*\n"
_WHY = "it is a link, no folder, or another user's"


def prepare(root: Path, *below: str) -> Path:
    """Make ``root/.dlbug``, hidden from git, and folders below it; return the innermost one.

    Raises OSError where one of them is a link or no folder, or belongs to another user.
    """
    root.mkdir(parents=True, exist_ok=True)
    folder = root / FOLDER
    _make(folder)
    create(folder / ".gitignore", _IGNORED)
    for name in below:
        folder = folder / name
        _make(folder)
    return folder


def refusal(root: Path) -> str | None:
    """Return why the folder ``.dlbug`` of a workspace is not used; None where it is, or is none."""
    folder = root / FOLDER
    if not os.path.lexists(folder) or is_plain(folder):
        return None
    return f"{FOLDER} is not used: {_WHY}"


def is_plain(folder: Path) -> bool:
    """Say whether a folder is one of its own right: no link, and the user's where that is known.

    So are the folders around it, from ``.dlbug`` on.
    """
    with suppress(OSError, ValueError), _opened(folder):
        return folder.name == FOLDER or not folder.is_symlink()
    return False


def make_new(folder: Path) -> None:
    """Make a folder that is not there yet; raises OSError where anything has its name."""
    with _place(folder) as (name, within):
        os.mkdir(name, 0o777, dir_fd=within)


def remove_folder(folder: Path) -> None:
    """Remove an empty folder; raises OSError."""
    with _place(folder) as (name, within):
        os.rmdir(name, dir_fd=within)


def rename_folder(folder: Path, name: str) -> Path:
    """Give a folder another name beside it; raises OSError."""
    with _place(folder) as (old, within):
        new = name if within is not None else str(folder.with_name(name))
        os.rename(old, new, src_dir_fd=within, dst_dir_fd=within)
    return folder.with_name(name)


def names(folder: Path) -> list[str]:
    """Return the sorted names in a folder; none where it is no plain folder."""
    with suppress(OSError, ValueError), _opened(folder) as number:
        return sorted(os.listdir(folder if number is None else number))  # noqa: PTH208
    return []


def open_new(file: Path) -> int:
    """Return the descriptor of a new file, to write and read; OSError where its name is taken."""
    with _place(file) as (name, within):
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666, dir_fd=within)


def open_to_append(file: Path) -> int:
    """Return the descriptor of a regular file, new or not, to write at its end; raises OSError."""
    with _place(file) as (name, within):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_WAIT | _FLAGS
        number = os.open(name, flags, 0o666, dir_fd=within)
    try:
        _check_regular(os.fstat(number), file)
    except OSError:
        os.close(number)
        raise
    return number


def create(file: Path, data: bytes) -> bool:
    """Write a file that is not there yet; False where anything, a link too, has its name."""
    try:
        with os.fdopen(open_new(file), "wb") as stream:
            stream.write(data)
    except (OSError, ValueError):
        return False
    return True


def write(file: Path, data: bytes) -> None:
    """Write a file whole: readers see the old one or the new one; raises OSError.

    Writers of one file hold the folder's lock (`locked`), so that what an earlier one left half
    written can be told: it is removed.
    """
    passing = file.with_name(f"{file.name}.tmp")
    remove(passing)
    with os.fdopen(open_new(passing), "wb") as stream:
        stream.write(data)
    try:
        rename(passing, file.name)
    except OSError:
        with suppress(OSError):
            remove(passing)
        raise


def rename(file: Path, name: str) -> None:
    """Let a regular file take another name in its folder; raises OSError."""
    with _place(file) as (old, within):
        new = name if within is not None else str(file.with_name(name))
        _check_regular(os.stat(old, dir_fd=within, follow_symlinks=False), file)
        os.replace(old, new, src_dir_fd=within, dst_dir_fd=within)


def remove(file: Path) -> None:
    """Remove a regular file, if it is there; raises OSError for anything else of its name."""
    with suppress(FileNotFoundError), _place(file) as (name, within):
        _check_regular(os.stat(name, dir_fd=within, follow_symlinks=False), file)
        os.unlink(name, dir_fd=within)


def read(file: Path, limit: int) -> bytes | None:
    """Return the bytes of a regular file; None where it is none, or holds more than ``limit``.

    A link is not followed, and a pipe or a device is neither read nor waited for.
    """
    try:
        with _place(file) as (name, within), _stream(name, within) as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError):
        return None
    return data if len(data) <= limit else None


@contextmanager
def open_regular(file: str | Path) -> Iterator[BinaryIO]:
    """Open a file of the workspace to read it, where it is a regular one; raises OSError.

    The links in its path are followed: whoever calls has resolved it, or the user has named it.
    """
    with _stream(os.path.realpath(file), None) as stream:
        yield stream


def read_below(root: Path, file: str, limit: int) -> bytes | None:
    """Return a workspace file's bytes; None for what lies outside, is no regular file or larger."""
    try:
        path = (root / file).resolve()
        if root.resolve() not in path.parents:
            return None
        with open_regular(path) as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError, RuntimeError):
        return None
    return data if len(data) <= limit else None


def is_regular(file: Path) -> bool:
    """Say whether a name is a regular file's, and no link's."""
    with suppress(OSError, ValueError), _place(file) as (name, within):
        return stat.S_ISREG(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)
    return False


@contextmanager
def locked(folder: Path, seconds: float = WAIT) -> Iterator[None]:
    """Hold a folder's lock, which a process that is killed lets go.

    Raises `TimeoutError` where another one holds it for ``seconds``, OSError where it cannot be
    made. On file systems without locks there is none, and writers may lose to each other.
    """
    with _place(folder / LOCK) as (name, within):
        flags = os.O_RDWR | os.O_CREAT | _NO_WAIT | _FLAGS
        number = os.open(name, flags, 0o666, dir_fd=within)
    try:
        _check_regular(os.fstat(number), folder / LOCK)
        until = time.monotonic() + seconds
        while not _lock(number):
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds its lock", str(folder))
            time.sleep(0.01)
        yield
    finally:
        os.close(number)


def _lock(number: int) -> bool:
    """Try to take a file's lock; True as well where there are none."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK, errno.EINTR)
    return True


def _make(folder: Path) -> None:
    try:
        with suppress(FileExistsError):
            make_new(folder)
        with _opened(folder):
            pass
    except NotADirectoryError as error:
        raise OSError(errno.ENOTDIR, _WHY, str(folder)) from error


@contextmanager
def _stream(name: str, within: int | None) -> Iterator[BinaryIO]:
    number = os.open(name, os.O_RDONLY | _NO_WAIT | _FLAGS, dir_fd=within)
    try:
        _check_regular(os.fstat(number), Path(name))
        stream = os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise
    with stream:
        yield stream


def _check_regular(status: os.stat_result, file: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(file))


@contextmanager
def _place(path: Path) -> Iterator[tuple[str, int | None]]:
    """Yield what names a path to the functions of `os`: its name and its folder's descriptor."""
    with _opened(path.parent) as number:
        yield (str(path), None) if number is None else (path.name, number)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """Open a folder, from ``.dlbug`` on without links; None where folders cannot be opened.

    What lies around ``.dlbug`` is the workspace's own path, which the user has named.
    """
    parts = folder.parts
    start = next((at for at in reversed(range(len(parts))) if parts[at] == FOLDER), len(parts))
    if not _HAS_PLACES:
        for depth in range(start, len(parts)):
            part = Path(*parts[: depth + 1])
            _check_own(part.lstat(), part)
        yield None
        return
    number = os.open(Path(*parts[:start]), _A_FOLDER)
    try:
        for depth in range(start, len(parts)):
            part = Path(*parts[: depth + 1])
            try:
                inner = os.open(parts[depth], _A_FOLDER | _NO_LINK, dir_fd=number)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
                    raise
                raise NotADirectoryError(errno.ENOTDIR, _WHY, str(part)) from error
            os.close(number)
            number = inner
            _check_own(os.fstat(number), part)
        yield number
    finally:
        os.close(number)


def _check_own(status: os.stat_result, folder: Path) -> None:
    owner = os.getuid() if hasattr(os, "getuid") else status.st_uid
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != owner:
        raise NotADirectoryError(errno.ENOTDIR, _WHY, str(folder))


def home_folder() -> str:
    """Return the user's home folder, which no text for others shows; empty where there is none."""
    try:
        return str(Path.home())
    except RuntimeError:
        return ""
