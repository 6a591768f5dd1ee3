"""A repository's versions: one process that reads, one log, and the files of each version.

The files of one version in a git repository, read without a checkout.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType

from dl_bug_lsp.workspace.git import GitError, Repository
from dl_bug_lsp.workspace.history import EMPTY, Commit, History, reached, read_log
from dl_bug_lsp.workspace.index import BlobCache
from dl_bug_lsp.workspace.stores import Content, Stamp
from dl_bug_lsp.workspace.walk import (
    Listing,
    is_binary_name,
    is_blob,
    is_ignored_name,
    is_printable,
)

# A name that git's revision syntax reads as nothing but a name.
_PLAIN = re.compile(r"[\w/][\w/+-]*(?:\.[\w/+-]+)*")


class Versions:
    """What the workspaces of one repository's versions share; close it when done.

    >>> with Versions(path) as versions:
    ...     workspace = Workspace.of_version(versions, "v1.0")
    """

    def __init__(self, repository: Path, log_of: Versions | None = None) -> None:
        """Open a repository; ``log_of`` is another opening of it, whose log is shared."""
        self.repository = Repository(repository)
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

    def store(self, revision: str, known_until: float | None = None) -> GitStore:
        """Return a version's files; raises `GitError` where the repository does not have it."""

        def history(commit: str) -> History:
            whole = self.history(commit)
            return whole if known_until is None else whole.until(known_until)

        return GitStore(self.repository, self.repository.commit(revision), history)

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


_FILE_MODES = ("100644", "100755", "100664")
_SUBMODULE = "160000"


class GitStore:
    """A version's files; what git tracks no ``.gitignore`` hides (gitignore(5)).

    Links are left out: what they lead to inside the version is listed under its own name.
    """

    def __init__(
        self, repository: Repository, commit: str, history: Callable[[str], History]
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
        return Content(data, None, size, None, blob[0])

    def stamp(self, file: str) -> Stamp | None:
        """Return None: a version does not change."""
        return None

    def content_id(self, file: str) -> str | None:
        """Return the name of a file's blob."""
        blob = self._blobs.get(file)
        return blob[0] if blob is not None else None

    def inside(self, path: str) -> str | None:
        """Return the tracked file of a relative path."""
        name = posixpath.normpath(path.replace("\\", "/"))
        return name if name in self._blobs else None

    def elsewhere(self, path: str) -> bool:
        """Return False: a version knows no other files."""
        return False

    def history(self) -> History:
        """Return the commits that the version was made of."""
        try:
            return self._history(self._commit)
        except GitError:
            return EMPTY


def _text(path: bytes) -> str | None:
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if is_printable(name) else None
