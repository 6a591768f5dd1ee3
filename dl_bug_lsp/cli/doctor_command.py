"""``dl-bug-lsp doctor``: what a report of a problem should hold.

Of watching it says by which means, within which limits, and which logs and runs.
"""

from __future__ import annotations

import argparse
import contextlib
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path, PurePosixPath

from dl_bug_lsp import __version__
from dl_bug_lsp.cli.errors import FOUND, PROGRAM, state_folder, write_text
from dl_bug_lsp.cli.localize_command import project_settings, workspace_folder
from dl_bug_lsp.runs.records import recorded
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.views.escape import escape
from dl_bug_lsp.views.words import counted
from dl_bug_lsp.watching.file_events import FileEvents, file_system, inotify_limits
from dl_bug_lsp.watching.folders import FolderTree, LogRules
from dl_bug_lsp.watching.recorded import recorders
from dl_bug_lsp.workspace import ConfigEntry, Workspace

NAMED = 5
"""Logs, runs, requirements and files that a line names; of logs and runs the latest."""


def watching_rows(root: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what the server would do here, with what the project sets."""
    real = str(root.resolve())
    kind = file_system(real)
    yield "watching", _means(real, settings) + (f" (file system {kind})" if kind else "")
    limits = inotify_limits()
    if limits:
        yield "inotify limits", ", ".join(f"{name} {value}" for name, value in limits.items())
    tree = FolderTree(real, LogRules.of(settings.logs_include, settings.logs_exclude))
    logs = sorted(tree.enter(""), key=lambda entry: (-entry[1].st_mtime, entry[0]))
    among = counted(len(tree.stamps), "folder") + (", too many" if tree.has_too_many else "")
    yield "followed logs", f"{len(logs)} in {among}{_named([path for path, _ in logs])}"
    folders = recorders(real, tree.recorders)
    records = [pair for folder in folders for pair in recorded(Path(folder))]
    runs = [record for _, record in sorted(records, key=lambda pair: (pair[1].started, pair[0]))]
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
    return f": {_first(names)}" if names else ""


def _first(texts: Sequence[str]) -> str:
    """Return the first texts, and how many more there are."""
    more = len(texts) - NAMED
    return ", ".join(texts[:NAMED]) + (f", and {more:,} more" if more > 0 else "")


def _end(code: int | None) -> str:
    if code is None:
        return "(no end)"
    return f"(exit code {code})" if code >= 0 else f"(signal {-code})"


LIBRARIES = (
    "pygls",
    "lsprotocol",
    "pathspec",
    "PyYAML",
    "rank-bm25",
    "snowballstemmer",
    "watchdog",
)


FRAMEWORKS = (
    "torch",
    "torchvision",
    "lightning",
    "pytorch-lightning",
    "tensorflow",
    "keras",
    "jax",
    "flax",
    "transformers",
    "accelerate",
    "scikit-learn",
    "xgboost",
    "lightgbm",
    "numpy",
)
OTHER_NAMES = {
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "tensorflow-cpu": "tensorflow",
    "tensorflow-gpu": "tensorflow",
}
"""Names of frameworks in other channels, and of their builds."""


def run(arguments: argparse.Namespace) -> int:
    """Print one ``name: value`` line for each fact; return 0."""
    root = workspace_folder(arguments.workspace)
    workspace = Workspace(root)
    watching = watching_rows(root, project_settings(workspace))
    rows = [*_versions(), *_frameworks(workspace), *_workspace(workspace), *watching]
    widest = max(len(name) for name, _ in rows)
    write_text("".join(f"{name + ':':<{widest + 1}} {escape(value)}\n" for name, value in rows))
    return FOUND


def _versions() -> Iterator[tuple[str, str]]:
    yield PROGRAM, __version__
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "platform", platform.platform()
    yield "encodings", f"files {sys.getfilesystemencoding()}, output {sys.stdout.encoding}"
    for library in LIBRARIES:
        yield library, _version(library)
    yield "error log", str(state_folder())


def _frameworks(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield which frameworks this Python has, and which the workspace asks for."""
    here = []
    for name in FRAMEWORKS:
        with contextlib.suppress(metadata.PackageNotFoundError):
            here.append(f"{name} {metadata.version(name)}")
    yield "frameworks here", ", ".join(here) or "none in this Python"
    asked = _asked_frameworks(workspace)
    if asked:
        yield "frameworks asked for", _first(asked)


def _asked_frameworks(workspace: Workspace) -> list[str]:
    """Return each framework once, as the file nearest to the root requires it, these first."""
    by_name: dict[str, list[ConfigEntry]] = {}
    for entry in workspace.dependencies():
        name = re.split(r"[^\w.-]", entry.key.lower())[0].replace("_", "-")
        name = OTHER_NAMES.get(name, name)
        if name in FRAMEWORKS:
            by_name.setdefault(name, []).append(entry)
    nearest = []
    for name, entries in by_name.items():
        place = min(entries, key=lambda entry: entry.file.count("/"))
        unlike = sum(entry.value != place.value for entry in entries)
        others = f"; other requirements in {counted(unlike, 'place')}" if unlike else ""
        shown = f"{name}{_specifier(place)} ({place.file}:{place.line}{others})"
        nearest.append((place.file.count("/"), FRAMEWORKS.index(name), shown))
    return [shown for *_, shown in sorted(nearest)]


def _specifier(requirement: ConfigEntry) -> str:
    """Return the version as it stands behind a name; an address, which may hold a secret, not."""
    version = str(requirement.value or "").strip()
    if version.startswith("@") or "://" in version:
        return " @ …"
    return f" {version}" if version[:1].isdigit() or version == "*" else version


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "missing; install dl-bug-lsp again"


def _workspace(workspace: Workspace) -> Iterator[tuple[str, str]]:
    files = workspace.files()
    yield "workspace", str(workspace.root)
    yield "files", f"{len(files)}{_kinds(files)}"
    yield "Python files", str(len(workspace.python_files()))
    yield "config files", str(len(workspace.config_files()))
    yield "index", _index(workspace)
    read = dict.fromkeys((*workspace.python_files(), *workspace.config_files()))
    broken = [file for file in read if workspace.elements(file).problem]
    if broken:
        yield "cannot be parsed", _first(broken)
    for problem in workspace.problems()[:5]:
        yield "problem", problem


def _index(workspace: Workspace) -> str:
    cache = workspace.cache_info()
    if cache.path is None:
        return "in memory only"
    size = f"{cache.files} files, {cache.size / 2**20:.1f} MB"
    if cache.modified is None:
        return f"{cache.path} ({size})"
    minutes = max(0, int(time.time() - cache.modified) // 60)
    age = f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"
    return f"{cache.path} ({size}, {age} old)"


def _kinds(files: tuple[str, ...]) -> str:
    kinds = Counter(PurePosixPath(file).suffix or "no suffix" for file in files)
    common = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:5]
    return " (" + ", ".join(f"{count} {kind}" for kind, count in common) + ")" if common else ""
