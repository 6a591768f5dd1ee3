"""The folders below a watched one: which there are, and which logs lie in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.watching.patterns import LogRules

MOST_FOLDERS = 20_000
MOST_LOGS = 20_000
"""More are not watched, and `doctor` says so."""
MOST_RECORDERS = 200
"""Folders in which runs were recorded, at most: each costs a `stat` every second or so."""
_DEEPEST = 40


@dataclass(slots=True)
class FolderTree:
    """Folders by their path relative to the root (``""`` for itself), with the stamp last seen.

    Links are not followed: what they lead to is watched under its own name if it lies below the
    root, and nothing outside is ever opened.
    """

    root: str
    rules: LogRules
    stamps: dict[str, int] = field(default_factory=dict)
    has_too_many: bool = False
    has_lost: bool = False
    """Whether a folder went since this was last set to False."""
    recorders: set[str] = field(default_factory=set)
    """Folders below the root that have a ``.dlbug/``: runs may be recorded there."""

    def full(self, path: str) -> str:
        """Return the absolute path of a relative one."""
        return os.path.join(self.root, path) if path else self.root

    def enter(self, top: str) -> Iterator[tuple[str, os.stat_result]]:
        """Take in a folder with all below it; yield its logs with their state."""
        pending = [top]
        while pending:
            folder = pending.pop()
            if len(self.stamps) >= MOST_FOLDERS and folder not in self.stamps:
                self.has_too_many = True
                return
            below, logs = self._listed(folder)
            yield from logs
            pending.extend(name for name in reversed(below) if name not in self.stamps)

    def _listed(self, folder: str) -> tuple[list[str], list[tuple[str, os.stat_result]]]:
        """Return a folder's folders and logs, each sorted; remember the folder's stamp."""
        below: list[str] = []
        logs: list[tuple[str, os.stat_result]] = []
        full = self.full(folder)
        self.recorders.discard(folder)
        try:
            self.stamps[folder] = os.stat(full).st_mtime_ns
            with os.scandir(full) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name == FOLDER:
                            self.take_recorder(folder)
                        below.extend([path] if self.may_enter(path) else [])
                    elif self.is_log(path) and entry.is_file(follow_symlinks=False):
                        logs.append((path, entry.stat(follow_symlinks=False)))
        except (OSError, ValueError):
            self.stamps.setdefault(folder, 0)
        return sorted(below), sorted(logs, key=lambda found: found[0])

    def take_recorder(self, folder: str) -> None:
        """Take in that a folder may have a ``.dlbug/``; a link is none."""
        self.recorders.discard(folder)
        full = os.path.join(self.full(folder), FOLDER)
        has_room = len(self.recorders) < MOST_RECORDERS
        if has_room and os.path.isdir(full) and not os.path.islink(full):
            self.recorders.add(folder)

    def may_enter(self, path: str) -> bool:
        """Say whether a path names a folder in which logs may lie."""
        full = self.full(path)
        if not os.path.isdir(full) or os.path.islink(full):
            return False
        return self.rules.enters(path) and path.count("/") < _DEEPEST and not _is_environment(full)

    def is_log(self, path: str) -> bool:
        """Say whether a path names a log that may be followed."""
        return self.rules.is_log(path) and self.full(path) not in self.rules.never

    def changed(self) -> list[str]:
        """Return the folders into which something came, or from which it went; forget lost ones."""
        found: list[str] = []
        for folder, stamp in list(self.stamps.items()):
            try:
                now = os.stat(self.full(folder)).st_mtime_ns
            except OSError:
                if folder:
                    del self.stamps[folder]
                    self.recorders.discard(folder)
                    self.has_lost = True
                continue
            if now != stamp:
                found.append(folder)
        return found

    def holds(self, path: str) -> bool:
        """Say whether a file lies in a folder that is watched."""
        return path.rpartition("/")[0] in self.stamps


def _is_environment(path: str) -> bool:
    """Tell a virtual environment (PEP 405) or a conda one, whatever its name."""
    return os.path.exists(os.path.join(path, "pyvenv.cfg")) or os.path.isdir(
        os.path.join(path, "conda-meta")
    )
