"""What `doctor` tells of watching: by which means, within which limits, which logs and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dl_bug_lsp.runs.records import recorded
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.watching.file_events import FileEvents, file_system, inotify_limits
from dl_bug_lsp.watching.folders import FolderTree, LogRules
from dl_bug_lsp.watching.recorded import recorders

NAMED = 5
"""Logs and runs that are named, the latest."""


def watching_rows(root: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what the server would do here, with what the project sets."""
    real = str(root.resolve())
    kind = file_system(real)
    yield "watching", _means(real, settings) + (f" (file system {kind})" if kind else "")
    limits = inotify_limits()
    if limits:
        yield "inotify limits", ", ".join(f"{name} {value}" for name, value in limits.items())
    tree = FolderTree(real, LogRules.of(settings.logs_include, settings.logs_exclude))
    logs = sorted(tree.enter(""), key=lambda found: (-found[1].st_mtime, found[0]))
    among = f"{len(tree.stamps)} folders" + (", too many" if tree.has_too_many else "")
    yield "followed logs", f"{len(logs)} in {among}{_named([path for path, _ in logs])}"
    folders = recorders(real, tree.recorders)
    found = [one for folder in folders for one in recorded(Path(folder))]
    runs = [record for _, record in sorted(found, key=lambda one: (one[1].started, one[0]))]
    names = [f"{run.source.removeprefix('run:')} {_end(run.exit_code)}" for run in reversed(runs)]
    yield "recorded runs", f"{len(runs)}{_named(names)}"


def _means(root: str, settings: Settings) -> str:
    if not settings.logs_watch:
        return "off: the project's settings ask for it"
    if settings.logs_polling:
        return "polling: the project's settings ask for it"
    notices = FileEvents(root, lambda: None)
    has_notices = notices.start()
    notices.stop()
    return "notices of the platform" if has_notices else f"polling: {notices.reason}"


def _named(names: list[str]) -> str:
    more = " …" if len(names) > NAMED else ""
    return f": {', '.join(names[:NAMED])}{more}" if names else ""


def _end(code: int | None) -> str:
    if code is None:
        return "(no end)"
    return f"(exit code {code})" if code >= 0 else f"(signal {-code})"
