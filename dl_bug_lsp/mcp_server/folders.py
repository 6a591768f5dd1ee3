"""The folders that tools may look at, each opened once, and the failures that an editor keeps."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dl_bug_lsp import data_folder
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.settings.reading import FILE, Settings, read_project, settings_of
from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from dl_bug_lsp.server.publication import Publication

MOST_OPEN = 4
"""Folders below the roots that are kept open at a time."""
LARGEST_LOG = 32 * 2**20


class ToolError(Exception):
    """What is wrong with a call, as one sentence for the one who called."""


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place of a kept failure where it stands now: rank, 1-based line, the line's text."""

    rank: int
    file: str
    line: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class KeptFailure:
    """A report that an editor shows, and the places of its failures that nobody put aside."""

    id: str
    source: str
    log: str | None
    report: Report
    places: dict[str, list[ShownPlace]]


class Folders(Protocol):
    """What the tools ask of the process that they run in."""

    def workspace(self, named: str | None) -> Workspace:
        """Return a folder's files as they stand now; raises `ToolError` for one not allowed."""

    def kept(self, workspace: Workspace) -> list[KeptFailure]:
        """Return the failures that an editor shows in a folder, the latest first."""


class OwnFolders:
    """Folders of a process of its own; used by one thread at a time."""

    def __init__(self, roots: Sequence[Path], logs: Sequence[Path] = ()) -> None:
        self.roots = tuple(root.resolve() for root in roots)
        self.logs = tuple(folder.resolve() for folder in logs)
        self._open: OrderedDict[Path, Workspace] = OrderedDict()
        self._lock = threading.Lock()

    def workspace(self, named: str | None) -> Workspace:
        """Return the folder that is named, or the first root; see `Folders`."""
        with self._lock:
            root = self._allowed(named)
            workspace = self._open.pop(root, None)
            if workspace is None:
                workspace = Workspace(root)
            else:
                workspace.catch_up()
            self._open[root] = workspace
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return workspace

    def _allowed(self, named: str | None) -> Path:
        if named is None:
            return self.roots[0]
        try:
            path = (self.roots[0] / named).resolve()
            is_folder = path.is_dir()
        except (OSError, ValueError, RuntimeError):
            is_folder = False
        if not is_folder:
            raise ToolError(f"there is no folder '{named}'")
        if not any(path == root or root in path.parents for root in self.roots):
            raise ToolError(
                f"the folder '{named}' is outside of what this server was started for; "
                "start it with --workspace"
            )
        return path

    def kept(self, workspace: Workspace) -> list[KeptFailure]:
        """Return what `.dlbug/failures.json` holds, at the lines that hold it now."""
        if not data_folder.is_regular(workspace.root / data_folder.FOLDER / "failures.json"):
            return []
        # Imported here: it imports the language server's protocol, which the other tools never use.
        from dl_bug_lsp.server.failures_file import read_kept

        publications = read_kept(workspace, project_settings(workspace))
        latest = {held.id: held for held in publications}
        return [kept_failure(held) for held in reversed(latest.values()) if held.shown()]


def localized(text: str | bytes, workspace: Workspace, top: int) -> Report:
    """Localize a text by the project's settings, and keep what was learned of the files."""
    options = project_settings(workspace).options
    wanted = Options(max(top, options.top), options.top_files, options.path_map)
    report = localize(text, workspace, wanted)
    workspace.keep_index()
    return report


def kept_failure(held: Publication) -> KeptFailure:
    """Return what an editor shows of a publication."""
    places: dict[str, list[ShownPlace]] = {}
    for place in held.shown():
        file = held.folder.file_of(place.mark.home) or place.suspect.file
        line, suspect = place.mark.line, place.suspect
        shown = ShownPlace(suspect.rank, file, line, place.mark.text.strip()[:200], suspect.score)
        places.setdefault(place.failure.id, []).append(shown)
    return KeptFailure(held.id, held.source, held.log, held.report, places)


def project_settings(workspace: Workspace) -> Settings:
    """Return the settings of a workspace's project; odd ones are ignored."""
    if FILE not in workspace.config_files():
        return Settings()
    return settings_of(read_project(workspace.config_entries(FILE)).given)


def log_bytes(workspace: Workspace, named: str, logs: Sequence[Path]) -> bytes:
    """Return the end of a log below the workspace or one of the ``logs`` folders.

    Raises `ToolError` for any other file: a text that an assistant read may have named it.
    """
    path = below(workspace.root / named, (workspace.root, *logs))
    if path is None:
        raise ToolError(
            f"the log '{named}' is outside of the workspace; hand over its 'text', or start "
            "the server with --logs and its folder"
        )
    try:
        with data_folder.open_regular(path) as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - LARGEST_LOG))
            return stream.read(LARGEST_LOG)
    except (OSError, ValueError):
        raise ToolError(f"the log '{named}' cannot be read") from None


def below(path: Path, folders: Sequence[Path]) -> Path | None:
    """Return a path without links that lies below one of the folders, or is one; else None."""
    try:
        real = path.resolve()
        roots = [folder.resolve() for folder in folders]
    except (OSError, ValueError, RuntimeError):
        return None
    return real if any(root == real or root in real.parents for root in roots) else None
