"""Which settings to look through: all of most workspaces, of those with many the nearest."""

from __future__ import annotations

from dl_bug_lsp.logs.values import Log
from dl_bug_lsp.workspace import Workspace

FEW_CONFIGS = 120
MAX_ENTRIES = 30_000
"""Bounds for workspaces with more configs than `FEW_CONFIGS`."""
LOG_LINES = 400


def near_configs(workspace: Workspace, log: Log, near: tuple[str, ...]) -> tuple[str, ...]:
    """Return the config files of a workspace to look through, sorted.

    Of many files only those are read that the end of the log names, then those that lie nearest to
    the files ``near``, then those nearest to the root.
    """
    files = workspace.config_files()
    if len(files) <= FEW_CONFIGS:
        return files
    told = "\n".join(line.text for line in log.lines[-LOG_LINES:])
    folders = list(dict.fromkeys(file.rpartition("/")[0] for file in near))

    def distance(file: str) -> tuple[bool, int, str]:
        own = file.rpartition("/")[0]
        steps = [_steps(own, folder) for folder in folders] or [_steps(own, "")]
        return file.rpartition("/")[2] not in told, min(steps), file

    found: list[str] = []
    count = 0
    for file in sorted(files, key=distance)[:FEW_CONFIGS]:
        count += len(workspace.config_entries(file))
        if count > MAX_ENTRIES and found:
            break
        found.append(file)
    return tuple(sorted(found))


def _steps(one: str, other: str) -> int:
    """Return how many steps up and down lead from one folder to another."""
    ours, theirs = (folder.split("/") if folder else [] for folder in (one, other))
    shared = 0
    for a, b in zip(ours, theirs, strict=False):
        if a != b:
            break
        shared += 1
    return len(ours) + len(theirs) - 2 * shared
