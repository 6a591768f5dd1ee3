"""The files of one version in a git repository, read without a checkout."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from dl_bug_lsp.workspace.git import GitError, Repository
from dl_bug_lsp.workspace.history import EMPTY, History
from dl_bug_lsp.workspace.ignore import is_binary_name, is_blob, is_ignored_name
from dl_bug_lsp.workspace.stores import Content, Stamp
from dl_bug_lsp.workspace.walk import Listing, is_printable

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
        found = self._blobs.get(file)
        if found is None:
            return Content(None, "no such file")
        try:
            data, size = self._repository.blob(found[0], limit)
        except GitError as error:
            return Content(None, f"cannot be read: {error}")
        return Content(data, None, size, None, found[0])

    def stamp(self, file: str) -> Stamp | None:
        """Return None: a version does not change."""
        return None

    def content_id(self, file: str) -> str | None:
        """Return the name of a file's blob."""
        found = self._blobs.get(file)
        return found[0] if found is not None else None

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
