"""Where a workspace's files come from: the disk, or (for benchmarks) a version in git.

With them come the commits that led to a state of the files, and what they tell of each file.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Protocol

from dl_bug_lsp import data_folder
from dl_bug_lsp.workspace.walk import Listing, walk

# "fix" and "bug" in the message: S. Wang and D. Lo, "Version history, similar report, and
# structure" (AmaLgam), ICPC 2014; as words here, so that "prefix" and "debug" do not count.
_BUG_FIX = re.compile(
    r"(?<![a-z])(?:bug|hot)?-?(?:fix(?:e[sd]|ing|up)?|bugs?|defects?)(?![a-z])", re.IGNORECASE
)
MOST_COMMITS = 5_000
"""Of a longer history only the newest commits are looked at."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to a file: ``A``dded, ``M``odified, ``D``eleted, ``R``enamed, ``T``yped.

    ``old`` is the name before a renaming, else None.
    """

    kind: str
    file: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit; ``time`` is the committer's, in seconds of the epoch. Authors are not kept.

    ``changes`` are those against the only parent, sorted by file; a merge has none.
    """

    sha: str
    parents: tuple[str, ...]
    time: int
    subject: str
    body: str
    changes: tuple[Change, ...]

    @property
    def message(self) -> str:
        """Subject and body."""
        return f"{self.subject}\n\n{self.body}" if self.body else self.subject

    @property
    def when(self) -> datetime:
        """The time, in UTC."""
        return datetime.fromtimestamp(self.time, tz=timezone.utc)

    @property
    def is_fix(self) -> bool:
        """Whether the subject speaks of a bug or a fix."""
        return _BUG_FIX.search(self.subject) is not None


class History:
    """Commits, newest first."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        self.commits = tuple(commits)

    @classmethod
    def of_log(cls, log: bytes) -> History:
        """Read what `Repository.log` returns."""
        return cls(tuple(read_log(log)))

    def below(self, prefix: str) -> History:
        """Return the history as a folder of the repository sees it, names relative to it."""
        if not prefix:
            return self
        return History([_below(commit, prefix) for commit in self.commits])

    @property
    def time(self) -> int | None:
        """When the newest commit was made (epoch seconds), None for an empty history."""
        return self.commits[0].time if self.commits else None

    @cached_property
    def fixes(self) -> tuple[Commit, ...]:
        """The commits whose subject speaks of a bug or a fix, newest first."""
        return tuple(commit for commit in self.commits if commit.is_fix)


EMPTY = History(())


def read_log(log: bytes) -> Iterable[Commit]:
    """Yield the commits of a log in `git.LOG_FORMAT` with ``--name-status -z``, as they come."""
    fields = log.split(b"\0")
    at = 0
    while at + 5 < len(fields):
        if not fields[at].startswith(b"\x01"):
            at += 1
            continue
        sha, parents, time, subject, body = (_text(field) for field in fields[at : at + 5])
        changes, at = _read_changes(fields, at + 5)
        seconds = int(time) if time.lstrip("-").isdigit() else 0
        yield Commit(sha[1:], tuple(parents.split()), seconds, subject, body.strip(), changes)


def _read_changes(fields: list[bytes], at: int) -> tuple[tuple[Change, ...], int]:
    changes: list[Change] = []
    while at < len(fields) and not fields[at].startswith(b"\x01"):
        kind = fields[at].lstrip(b"\n")
        at += 1
        if not kind:
            continue
        names = 2 if kind[:1] in b"RC" else 1
        paths = [_text(path) for path in fields[at : at + names]]
        at += names
        if len(paths) == names and kind[:1] != b"C":
            old = paths[0] if names == 2 else None
            changes.append(Change(chr(kind[0]), paths[-1], old))
        elif len(paths) == names:
            changes.append(Change("A", paths[-1]))
    return tuple(sorted(changes, key=lambda change: change.file)), at


def _below(commit: Commit, prefix: str) -> Commit:
    cut = len(prefix)
    changes = []
    for change in commit.changes:
        old = change.old[cut:] if change.old and change.old.startswith(prefix) else None
        if change.file.startswith(prefix):
            kind = "A" if change.kind == "R" and old is None else change.kind
            changes.append(Change(kind, change.file[cut:], old))
        elif old is not None:
            changes.append(Change("D", old))
    return replace(commit, changes=tuple(changes))


def _text(field: bytes) -> str:
    return field.decode("utf-8", "replace")


LARGEST_COMPARED = 2_000_000
"""Bytes of a file beyond which it is not compared with its committed version."""
MOST_LINES_COMPARED = 20_000


class LastCommit:
    """The files of the newest commit, to compare those on disk with.

    ``hashes`` are the object names by file, as git computes them (Pro Git, "Git Objects");
    ``read`` returns the content of an object, or None.
    """

    def __init__(self, hashes: Mapping[str, str], read: Callable[[str], bytes | None]) -> None:
        self._hashes = hashes
        self._read = read

    def __contains__(self, file: object) -> bool:
        """Say whether the commit has a file."""
        return file in self._hashes

    def is_changed(self, file: str, data: bytes) -> bool:
        """Say whether a content differs from the committed one by more than its line ends."""
        sha = self._hashes.get(file)
        if sha is None:
            return True
        plain = data.replace(b"\r\n", b"\n")
        if sha in (_object_name(data, sha), _object_name(plain, sha)):
            return False
        before = self._read(sha)
        return before is None or before.replace(b"\r\n", b"\n") != plain

    def changed_lines(self, file: str, data: bytes) -> tuple[int, ...]:
        """Return the 1-based lines of a content that the committed one has otherwise.

        Where lines are gone, it is the line that stands in their place now. Empty for a file that
        the commit has not, and where one of the two is very long.
        """
        sha = self._hashes.get(file)
        before = self._read(sha) if sha is not None else None
        if before is None:
            return ()
        old, new = (x.decode("utf-8", "replace").splitlines() for x in (before, data))
        if len(old) + len(new) > 2 * MOST_LINES_COMPARED:
            return ()
        lines: set[int] = set()
        for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            if tag != "equal":
                lines.update(range(start + 1, end + 1) or (min(start + 1, len(new)),))
        return tuple(sorted(line for line in lines if line > 0))


def _object_name(data: bytes, like: str) -> str:
    """Return git's name of a content, by the hash function that another name comes from."""
    make = hashlib.sha256 if len(like) == 64 else partial(hashlib.sha1, usedforsecurity=False)
    return make(b"blob %d\0%b" % (len(data), data)).hexdigest()


# ---------------------------------------------------------------------- stores
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

    def folders_in(self, folder: str) -> tuple[str, ...]:
        """Return the folders right in a folder below the root, without hidden ones, sorted.

        A folder of very many entries gives none.
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
        return self._entries(folder, folders=False)

    def folders_in(self, folder: str) -> tuple[str, ...]:
        """List the folder; links and hidden folders are left out."""
        return self._entries(folder, folders=True)

    def _entries(self, folder: str, *, folders: bool) -> tuple[str, ...]:
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
                    if folders and entry.name.startswith("."):
                        continue
                    is_wanted = entry.is_dir if folders else entry.is_file
                    if is_wanted(follow_symlinks=False):
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
