"""A repository's versions: one process that reads, one log, and what is derived from the files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from dl_bug_lsp.workspace.blobs import BlobCache
from dl_bug_lsp.workspace.git import GitError, Repository
from dl_bug_lsp.workspace.git_store import GitStore
from dl_bug_lsp.workspace.history import EMPTY, Commit, History, reached, read_log

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
