"""Where a workspace's files come from: the disk, or (for benchmarks) a version in git."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from dl_bug_lsp import data_folder
from dl_bug_lsp.workspace.history import EMPTY, LARGEST_COMPARED, MOST_COMMITS, History, LastCommit
from dl_bug_lsp.workspace.walk import Listing, walk

# For emergencies: what decides is the number of commits, which is the same on every machine.
_HISTORY_SECONDS = 10.0
_HISTORY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Stamp:
    """What ``stat`` says of a file: as long as it stays, the content is taken to stay."""

    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Content:
    """A file's first bytes, None where ``problem`` says why there are none.

    ``size`` is the whole file's in bytes.
    """

    data: bytes | None
    problem: str | None = None
    size: int = 0
    stamp: Stamp | None = None


MOST_IN_FOLDER = 200
"""Files of a folder that may be listed by its name: a folder of more holds samples."""


class Store(Protocol):
    """What a `Workspace` needs of the place its files lie in; no method raises."""

    @property
    def root(self) -> Path:
        """The folder that the files belong to (of a version: the repository's)."""

    def listing(self) -> Listing:
        """Return the files that are the user's."""

    def content(self, file: str, limit: int) -> Content:
        """Read at most ``limit`` bytes of a file."""

    def stamp(self, file: str) -> Stamp | None:
        """Return what changes when the file does, None for no file or one that cannot change."""

    def inside(self, path: str) -> str | None:
        """Return the name of an existing file, also a hidden one, that a path means, or None."""

    def directly_in(self, folder: str) -> tuple[str, ...]:
        """Return the files right in a folder below the root, also hidden ones, sorted.

        A folder of very many files gives none.
        """

    def elsewhere(self, path: str) -> bool:
        """Tell whether a path is a file of this machine that lies outside of the folder."""

    def history(self) -> History:
        """Return the commits up to this state, empty where none can be had."""

    def last_commit(self) -> LastCommit | None:
        """Return what the newest commit holds, None where that cannot be had."""


class DiskStore:
    """The files below a folder, as they are now."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._real = root.resolve()
        self._prefix = os.path.join(root, "")  # noqa: PTH118 - with a separator at its end

    @property
    def root(self) -> Path:
        """The folder as it was given."""
        return self._root

    def listing(self) -> Listing:
        """Walk over the folder."""
        return walk(self._root)

    def content(self, file: str, limit: int) -> Content:
        """Read a file; nothing outside the root is opened."""
        try:
            path = (self._root / file).resolve()
            if self._root.resolve() not in path.parents:
                return Content(None, "lies outside the workspace")
            stamp = self.stamp(file)
            if stamp is None:
                return Content(None, "no such file")
            with data_folder.open_regular(path) as stream:
                data = stream.read(limit)
                size = stream.seek(0, 2)
        except (OSError, ValueError, RuntimeError) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return Content(None, f"cannot be read: {words}")
        return Content(data, None, size, stamp)

    def stamp(self, file: str) -> Stamp | None:
        """Ask ``stat``."""
        try:
            status = os.stat(f"{self._prefix}{file}")  # noqa: PTH116 - of very many files
        except (OSError, ValueError):
            return None
        return Stamp(status.st_size, status.st_mtime_ns, status.st_ino)

    def inside(self, path: str) -> str | None:
        """Return the name of a file below the root, links resolved."""
        if _is_share(path) and not _is_share(str(self._real)):
            return None
        try:
            real = (self._real / path).resolve()
            if self._real not in real.parents or not real.is_file():
                return None
        except (OSError, ValueError, RuntimeError):
            return None
        return real.relative_to(self._real).as_posix()

    def directly_in(self, folder: str) -> tuple[str, ...]:
        """List the folder; links are left out."""
        if _is_share(folder):
            return ()
        found: list[str] = []
        try:
            real = (self._real / folder).resolve()
            if self._real not in real.parents or not real.is_dir():
                return ()
            with os.scandir(real) as entries:
                for entry in entries:
                    if len(found) == MOST_IN_FOLDER:
                        return ()
                    if entry.is_file(follow_symlinks=False):
                        found.append((real / entry.name).relative_to(self._real).as_posix())
        except (OSError, ValueError, RuntimeError):
            return ()
        return tuple(sorted(found))

    def elsewhere(self, path: str) -> bool:
        """Ask whether an absolute path exists, links resolved, and not below the root."""
        if _is_share(path) or not os.path.isabs(path):  # noqa: PTH117 - of a printed path
            return False
        try:
            real = Path(path).resolve()
            return self._real not in real.parents and real.is_file()
        except (OSError, ValueError, RuntimeError):
            return False

    def history(self) -> History:
        """Read the surrounding git repository, within a limit of time and of size."""
        from dl_bug_lsp.workspace.git import GitError, Repository, unreadable

        if unreadable(self._root) is not None:
            return EMPTY
        try:
            repository = Repository(self._root, seconds=_HISTORY_SECONDS)
            if repository.is_shallow:
                return EMPTY
            prefix = repository.prefix
            log = repository.log(("HEAD",), (), MOST_COMMITS, _HISTORY_BYTES)
        except GitError:
            return EMPTY
        return History.of_log(log).below(prefix)

    def last_commit(self) -> LastCommit | None:
        """Read the surrounding git repository; its hooks and filters are never run."""
        from dl_bug_lsp.workspace.git import GitError, Repository, is_in_repository, unreadable

        if not is_in_repository(self._root) or unreadable(self._root) is not None:
            return None
        repository = Repository(self._root, seconds=_HISTORY_SECONDS)

        @lru_cache(maxsize=1)  # A file that is changed is compared twice.
        def read(sha: str) -> bytes | None:
            try:
                return repository.content(sha, LARGEST_COMPARED)
            except GitError:
                return None

        try:
            return LastCommit(repository.committed_files(), read)
        except GitError:
            return None


def _is_share(path: str) -> bool:
    r"""Tell whether a path names a network share (``\\host\share``).

    Windows would sign in at the host that a log names, merely to resolve such a path.
    """
    return path.replace("\\", "/").startswith("//")
