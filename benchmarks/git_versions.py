"""A repository's versions: one process that reads, one log, and the files of each version.

The files of one version in a git repository, read without a checkout.
"""

from __future__ import annotations

import ast
import contextlib
import heapq
import posixpath
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, TypeVar

from dl_bug_lsp.workspace import GitError, Workspace
from dl_bug_lsp.workspace.contents import FileElements
from dl_bug_lsp.workspace.elements import elements_of
from dl_bug_lsp.workspace.git import Repository
from dl_bug_lsp.workspace.index import Derived, Index, Lru, Source, elements_in, lines_of
from dl_bug_lsp.workspace.stores import (
    EMPTY,
    MOST_COMMITS,
    MOST_IN_FOLDER,
    Commit,
    Content,
    History,
    Stamp,
    read_log,
)
from dl_bug_lsp.workspace.walk import (
    Listing,
    is_binary_name,
    is_blob,
    is_ignored_name,
    is_printable,
)

Value = TypeVar("Value")

# A name that git's revision syntax reads as nothing but a name.
_PLAIN = re.compile(r"[\w/][\w/+-]*(?:\.[\w/+-]+)*")
_HELD_ELEMENTS = 400_000
_HELD_TREE_LINES = 120_000


class GitObjects(Repository):
    """A repository whose commits and files are read by one ``cat-file`` process.

    Every method raises `GitError`, as those of `Repository`; close it when done.
    """

    def __init__(self, path: Path, seconds: float = 300.0) -> None:
        super().__init__(path, seconds)
        self._objects: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the process that reads objects; it starts anew when one is asked for."""
        with self._lock:
            self._stop()

    def commit(self, revision: str) -> str:
        """Return the full name of the commit that a tag, branch or name stands for."""
        if not revision or revision.startswith("-") or "\0" in revision:
            raise GitError(f"no commit is called {revision!r}")
        try:
            return self._line("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except GitError as error:
            words = str(error) or f"no commit is called {revision!r}"
            raise GitError(words) from error

    def files(self, commit: str) -> list[tuple[str, str, int, bytes]]:
        """Return (mode, object name, size or -1, path) of every file of a commit."""
        listed = self._run("ls-tree", "-r", "-l", "-z", "--full-tree", self.commit(commit))
        files: list[tuple[str, str, int, bytes]] = []
        for entry in listed.split(b"\0"):
            head, tab, path = entry.partition(b"\t")
            if tab:
                mode, _, name, size = head.decode("ascii").split()
                files.append((mode, name, int(size) if size.isdigit() else -1, path))
        return files

    def blob(self, name: str, limit: int) -> tuple[bytes, int]:
        """Return a blob's first bytes, at most ``limit``, and its whole size."""
        with self._lock:
            try:
                return self._blob(name, limit)
            except (OSError, ValueError) as error:
                self._stop()
                raise GitError(f"cannot read object {name}") from error

    def _blob(self, name: str, limit: int) -> tuple[bytes, int]:
        if self._objects is None or self._objects.poll() is not None:
            self._stop()
            self._objects = self._start("cat-file", "--batch", stderr=subprocess.DEVNULL)
        process = self._objects
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(name.encode("ascii") + b"\n")
        process.stdin.flush()
        head = process.stdout.readline().split()
        if len(head) != 3:
            raise GitError(f"object {name} is not in the repository")
        size = int(head[2])
        data = _read_exactly(process.stdout, min(size, limit))
        _skip(process.stdout, size - len(data) + 1)
        return data, size

    def _stop(self) -> None:
        process, self._objects = self._objects, None
        if process is not None:
            with contextlib.suppress(OSError), process:
                process.kill()


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise ValueError("git ended in the middle of an object")
    return data


def _skip(stream: IO[bytes], size: int) -> None:
    while size:
        size -= len(_read_exactly(stream, min(size, 1 << 20)))


class BlobCache:
    """Index records, elements, trees and derived values by content, for versions of one repository.

    It grows with the distinct contents that were looked at.
    """

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], str] = {}
        self.elements: Lru[FileElements] = Lru(_HELD_ELEMENTS, elements_in)
        self.trees: Lru[ast.Module | None] = Lru(_HELD_TREE_LINES, lines_of)
        self.derived = Derived(contents=1 << 30)
        self.lock = threading.RLock()


class Versions:
    """What the workspaces of one repository's versions share; close it when done.

    >>> with Versions(path) as versions:
    ...     workspace = versions.workspace("v1.0")
    """

    def __init__(self, repository: Path, log_of: Versions | None = None) -> None:
        """Open a repository; ``log_of`` is another opening of it, whose log is shared."""
        self.repository = GitObjects(repository)
        self.blobs = BlobCache()
        self._commits: dict[str, Commit] = {} if log_of is None else log_of._commits

    def __enter__(self) -> Versions:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the git process; workspaces made before can still read, at the cost of a new one."""
        self.repository.close()

    def workspace(self, revision: str, known_until: float | None = None) -> Workspace:
        """Return the files of a commit, tag or branch, read from git with nothing checked out.

        The history ends at ``known_until`` (epoch seconds) where the version is later. Raises
        `GitError` where there is no such version.
        """

        def history(commit: str) -> History:
            whole = self.history(commit)
            return whole if known_until is None else until(whole, known_until)

        store = GitStore(self.repository, self.repository.commit(revision), history)
        return _VersionWorkspace(store, self.blobs)

    def commit(self, revision: str) -> Commit:
        """Return a commit with its parents, time and changes; raises `GitError`."""
        name = self.repository.commit(revision)
        self.load_history((name,))
        return self._commits[name]

    def history(self, commit: str) -> History:
        """Return the commits that a commit reaches, itself first; raises `GitError`.

        Empty in a shallow clone, whose oldest commits seem to add every file.
        """
        if self.repository.is_shallow:
            return EMPTY
        self.load_history((commit,))
        return History(reached(self._commits, commit))

    def load_history(self, commits: Iterable[str]) -> None:
        """Read the log of commits (full names) at once, as far as it is not known yet."""
        missing = sorted({name for name in commits if name not in self._commits})
        if missing:
            known = self._heads()
            for commit in read_log(self.repository.log(missing, known)):
                self._commits[commit.sha] = commit

    def prefetch_history(self, revisions: Iterable[str]) -> None:
        """Read the log of many tags or commits at once; those that do not exist are passed over."""
        plain = sorted({name for name in revisions if _PLAIN.fullmatch(name)})
        with contextlib.suppress(GitError):
            for commit in read_log(self.repository.log(plain, self._heads())) if plain else ():
                self._commits[commit.sha] = commit

    def _heads(self) -> list[str]:
        """Return the known commits that no other known one builds on."""
        parents = {parent for commit in self._commits.values() for parent in commit.parents}
        return sorted(self._commits.keys() - parents)


def reached(known: Mapping[str, Commit], tip: str) -> list[Commit]:
    """Return the newest `MOST_COMMITS` commits that a tip reaches, newest first."""
    commits: list[Commit] = []
    seen = {tip}
    pending = [(0, tip)]
    while pending and len(commits) < MOST_COMMITS:
        commit = known.get(heapq.heappop(pending)[1])
        if commit is None:
            continue
        commits.append(commit)
        for sha in commit.parents:
            if sha not in seen and sha in known:
                seen.add(sha)
                heapq.heappush(pending, (-known[sha].time, sha))
    return commits


def until(history: History, time: float) -> History:
    """Return what the first parents of the newest commit reached at a time (epoch seconds).

    Not just the commits that are older: work on a branch is unknown until it is merged.
    """
    known = {commit.sha: commit for commit in history.commits}
    tip = history.commits[0] if history.commits else None
    while tip is not None and tip.time > time:
        tip = known.get(tip.parents[0]) if tip.parents else None
    return History(reached(known, tip.sha)) if tip is not None else EMPTY


_FILE_MODES = ("100644", "100755", "100664")
_SUBMODULE = "160000"


class GitStore:
    """A version's files; what git tracks no ``.gitignore`` hides (gitignore(5)).

    Links are left out: what they lead to inside the version is listed under its own name.
    """

    def __init__(
        self, repository: GitObjects, commit: str, history: Callable[[str], History]
    ) -> None:
        """List a commit; raises `GitError` where the repository does not have it."""
        self._repository = repository
        self._commit = commit
        self._history = history
        self._listed = repository.files(commit)

    @property
    def root(self) -> Path:
        """The repository's folder: no file of the version need lie there."""
        return self._repository.path

    @cached_property
    def _blobs(self) -> Mapping[str, tuple[str, int]]:
        """Object name and size by path, of every tracked file."""
        return {
            name: (blob, size)
            for mode, blob, size, path in self._listed
            if mode in _FILE_MODES and (name := _text(path)) is not None
        }

    def listing(self) -> Listing:
        """Return the tracked files, without those that the walk over a disk leaves out by name."""
        problems = [
            f"{path.decode('utf-8', 'replace')}: a submodule, whose files are not read"
            for mode, _, _, path in self._listed
            if mode == _SUBMODULE
        ]
        problems += [
            f"{posixpath.dirname(path.decode('utf-8', 'replace')) or '.'}: "
            "a file name that is not valid text"
            for mode, _, _, path in self._listed
            if mode in _FILE_MODES and _text(path) is None
        ]
        hidden: dict[str, bool] = {"": False}
        files = [
            file
            for file, (_, size) in self._blobs.items()
            if not self._is_hidden(posixpath.dirname(file), hidden)
            and not is_binary_name(posixpath.basename(file))
            and not is_blob(posixpath.basename(file), size)
        ]
        return Listing(tuple(sorted(files)), tuple(problems))

    def _is_hidden(self, folder: str, known: dict[str, bool]) -> bool:
        if folder not in known:
            parent, name = posixpath.split(folder)
            known[folder] = self._is_hidden(parent, known) or is_ignored_name(
                name, lambda marker: f"{folder}/{marker}" in self._blobs
            )
        return known[folder]

    def content(self, file: str, limit: int) -> Content:
        """Read a file's blob."""
        blob = self._blobs.get(file)
        if blob is None:
            return Content(None, "no such file")
        try:
            data, size = self._repository.blob(blob[0], limit)
        except GitError as error:
            return Content(None, f"cannot be read: {error}")
        return Content(data, None, size)

    def stamp(self, file: str) -> Stamp | None:
        """Return None: a version does not change."""
        return None

    def content_id(self, file: str) -> str:
        """Return the name of a file's blob, "none" where there is no such file."""
        blob = self._blobs.get(file)
        return blob[0] if blob is not None else "none"

    def inside(self, path: str) -> str | None:
        """Return the tracked file of a relative path."""
        name = posixpath.normpath(path.replace("\\", "/"))
        return name if name in self._blobs else None

    def directly_in(self, folder: str) -> tuple[str, ...]:
        """Return the tracked files right in a folder."""
        name = posixpath.normpath(folder.replace("\\", "/"))
        found = sorted(file for file in self._blobs if posixpath.dirname(file) == name)
        return tuple(found) if len(found) <= MOST_IN_FOLDER else ()

    def folders_in(self, folder: str) -> tuple[str, ...]:
        """Return the folders with tracked files right in a folder."""
        name = posixpath.normpath(folder.replace("\\", "/"))
        start = "" if name == "." else f"{name}/"
        below = (file[len(start) :] for file in self._blobs if file.startswith(start))
        names = {rest.partition("/")[0] for rest in below if "/" in rest}
        found = sorted(f"{start}{each}" for each in names if not each.startswith("."))
        return tuple(found) if len(found) <= MOST_IN_FOLDER else ()

    def elsewhere(self, path: str) -> bool:
        """Return False: a version knows no other files."""
        return False

    def last_commit(self) -> None:
        """Return nothing: a version is as it was committed."""
        return

    def history(self) -> History:
        """Return the commits that the version was made of."""
        try:
            return self._history(self._commit)
        except GitError:
            return EMPTY


class _VersionIndex(Index):
    """Elements by file; a version does not change, so that nothing is checked or forgotten."""

    def __init__(self, store: GitStore, read: Callable[[str], Source], blobs: BlobCache) -> None:
        super().__init__(store, read, 0, cached=False)
        self._versions = store
        self._blobs = blobs

    def content_id(self, file: str) -> str:
        """Return the name of a file's content."""
        return self._versions.content_id(file)

    def elements(self, file: str) -> FileElements:
        """Return a file's elements, indexing it where no version had this content."""
        # Elements carry their file's name, and a config file is read by its name.
        key = f"{self.content_id(file)}:{file}"
        return self._blobs.elements.get(key, lambda _: elements_of(file, self._record(file)))

    def ensure(self, file: str) -> None:
        """Index a file where no version had this content."""
        self._record(file)

    def _record(self, file: str) -> str:
        key = (file, self.content_id(file))
        with self._blobs.lock:
            record = self._blobs.records.get(key)
            if record is None:
                record = self._read(file).record()
                self._blobs.records[key] = record
        return record


class _VersionWorkspace(Workspace):
    """The files of a version, with what its content shares with other versions."""

    def __init__(self, store: GitStore, blobs: BlobCache) -> None:
        super().__init__(store.root, False, store=store)
        self._versions = store
        self._blobs = blobs
        self._derived = blobs.derived

    @cached_property
    def _index(self) -> Index:
        return _VersionIndex(self._versions, self._read, self._blobs)

    def catch_up(self) -> None:
        """Do nothing: a version does not change."""

    def problems(self) -> tuple[str, ...]:
        """Return one sentence for each link or name that is left out."""
        return self._listing.problems

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a Python file, parsed once for all versions of its content."""
        key = f"{self._versions.content_id(file)}:{file}"
        return self._blobs.trees.get(key, lambda _: self._parsed(file))

    def derived_unindexed(self, kind: str, file: str, make: Callable[[], Value]) -> Value:
        """Return what ``make`` makes of a file, once for all versions of its content."""
        return self._derived.get(kind, file, self._versions.content_id(file), make)


def _text(path: bytes) -> str | None:
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if is_printable(name) else None
