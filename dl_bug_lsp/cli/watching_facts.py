"""What `doctor` tells of watching: by which means, within which limits, which logs and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dl_bug_lsp.runs.records import recorded
from dl_bug_lsp.watching.folders import FolderTree
from dl_bug_lsp.watching.mounts import file_system, inotify_limits
from dl_bug_lsp.watching.notices import Notices
from dl_bug_lsp.watching.patterns import LogRules

NAMED = 5
"""Logs and runs that are named, the latest."""


def watching_rows(root: Path) -> Iterator[tuple[str, str]]:
    """Yield what the server would do here with the logs of usual names."""
    real = str(root.resolve())
    notices = Notices(real, lambda: None)
    has_notices = notices.start()
    notices.stop()
    means = "notices of the platform" if has_notices else f"polling: {notices.reason}"
    kind = file_system(real)
    yield "watching", means + (f" (file system {kind})" if kind else "")
    limits = inotify_limits()
    if limits:
        yield "inotify limits", ", ".join(f"{name} {value}" for name, value in limits.items())
    tree = FolderTree(real, LogRules())
    logs = sorted(tree.enter(""), key=lambda found: (-found[1].st_mtime, found[0]))
    folders = f"{len(tree.stamps)} folders" + (", too many" if tree.has_too_many else "")
    yield "followed logs", f"{len(logs)} in {folders}{_named([path for path, _ in logs])}"
    runs = [record for _, record in recorded(root)]
    names = [f"{run.source.removeprefix('run:')} {_end(run.exit_code)}" for run in reversed(runs)]
    yield "recorded runs", f"{len(runs)}{_named(names)}"


def _named(names: list[str]) -> str:
    more = " …" if len(names) > NAMED else ""
    return f": {', '.join(names[:NAMED])}{more}" if names else ""


def _end(code: int | None) -> str:
    if code is None:
        return "(no end)"
    return f"(exit code {code})" if code >= 0 else f"(signal {-code})"
