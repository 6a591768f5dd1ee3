"""The entries of a config file by their paths: one and those right below it."""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import ConfigEntry

EntryPath: TypeAlias = "tuple[str | int, ...]"


class Settings:
    """A config file's entries, looked up instead of searched for."""

    def __init__(self, workspace: Workspace, file: str) -> None:
        self._at: dict[EntryPath, ConfigEntry] = {}
        self._below: dict[EntryPath, list[ConfigEntry]] = defaultdict(list)
        for entry in workspace.config_entries(file):
            self._at.setdefault(entry.path, entry)
            if entry.path:
                self._below[entry.path[:-1]].append(entry)

    def at(self, path: EntryPath) -> ConfigEntry | None:
        """Return the first entry of a path."""
        return self._at.get(path)

    def below(self, path: EntryPath) -> tuple[ConfigEntry, ...]:
        """Return the entries one step below a path, in the file's order."""
        return tuple(self._below.get(path, ()))
