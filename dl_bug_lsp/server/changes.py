"""Files that changed on disk: forgotten and indexed again, these and no others."""

from __future__ import annotations

from collections.abc import Iterable

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.folders import Folder


def files_changed(
    ls: DlBugServer,
    folder: Folder,
    created: Iterable[str] = (),
    changed: Iterable[str] = (),
    deleted: Iterable[str] = (),
) -> None:
    """Take in that files of a folder came, changed or went; returns at once.

    Call it on the event loop's thread. Names are relative to the folder's root, with ``/``
    (`Folder.file_of` makes them of URIs and paths); a folder's name stands for all that is in it.
    """
    for file in (*created, *changed, *deleted):
        folder.workspace.refresh(file)
