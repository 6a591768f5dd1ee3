"""Files that changed on disk: forgotten and indexed again, these and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.projects import look_at_project
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.files.editing import disk_changed
from dl_bug_lsp.server.work.folder_queues import Rank
from dl_bug_lsp.settings.project import FILE


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
    names = tuple(dict.fromkeys((*created, *changed, *deleted)))
    if not names or folder.closed.is_set():
        return
    lane = ls.jobs.lane(folder.key)

    def index_again() -> Iterator[None]:
        for name in names:
            folder.workspace.index_files((name,))
            yield

    lane.put(Rank.CHANGES, folder.workspace.catch_up)
    if FILE in names:
        look_at_project(ls, folder)
    lane.put_steps(index_again())
    disk_changed(ls, folder, names)
