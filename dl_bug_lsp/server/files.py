"""What happens to files, in the editor and on disk: marks follow, and go with their lines.

In open notebooks marks stand in the cells, which are documents of their own in the editor. A folder
is read for the first time in steps, with progress; any other work may overtake it. Of files that
change on disk only these are forgotten and indexed again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import Buffer, Folder
from dl_bug_lsp.server.folder_settings import look_at_project
from dl_bug_lsp.server.jobs import Rank
from dl_bug_lsp.server.position_tracking import (
    Changes,
    Encoding,
    Lines,
    Spot,
    cell_of,
    document_key,
    settle,
    to_file,
)
from dl_bug_lsp.server.process import keep_what_stands
from dl_bug_lsp.server.publication import Publication
from dl_bug_lsp.settings.reading import FILE

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.notebooks import Cell

logger = logging.getLogger(__name__)

ALL_FILES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)


def register(server: DlBugServer) -> None:
    """Add the handlers of documents and files."""
    seen: dict[str, Lines] = {}
    server.events.publishing.subscribe(lambda new: settle_open(server, new))
    _register_notebooks(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: DlBugServer, params: types.DidOpenTextDocumentParams) -> None:
        """Suspects are found on disk; the editor may open the file with other text."""
        document = params.text_document
        spots = ls.shown_failures.spots(document.uri)
        lines = lines_of(ls, document.uri)
        if spots and lines is not None:
            seen[document_key(document.uri)] = tuple(lines)
            if _settle(spots, lines, encoding_of(ls)):
                ls.show()
        ls.diagnostics.repeat(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: DlBugServer, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        key = document_key(uri)
        ls.events.document_edited.notify(uri)
        before = seen.pop(key, None)
        if follow_edit(ls, uri, params.content_changes, before):
            seen[key] = tuple(lines_of(ls, uri) or ())

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(ls: DlBugServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        seen.pop(document_key(uri), None)
        ls.events.document_closed.notify(uri)
        # A file that is renamed may be closed first; one that is deleted is told of otherwise.
        key = document_key(uri)
        await read_again(ls, lambda home: document_key(home) == key, keeps_missing=True)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: DlBugServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.events.document_saved.notify(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, ALL_FILES)
    def renamed(ls: DlBugServer, params: types.RenameFilesParams) -> None:
        moved = [_rename(ls, file.old_uri, file.new_uri) for file in params.files]
        if any(moved):
            ls.show()

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, ALL_FILES)
    def deleted(ls: DlBugServer, params: types.DeleteFilesParams) -> None:
        gone = [spot for file in params.files for spot in _below(ls, file.uri)]
        for spot in gone:
            spot.lose()
        if gone:
            ls.show()


def follow_edit(ls: DlBugServer, uri: str, changes: Changes, before: Lines | None) -> bool:
    """Move what stands in a document; return whether anything stands in it."""
    spots = ls.shown_failures.spots(uri)
    if not spots:
        return False
    after = lines_of(ls, uri)
    if after is not None and ls.shown_failures.edit(uri, changes, before, after, encoding_of(ls)):
        # Lenses are not refreshed: they move in the editor, and refreshing while one types jumps.
        ls.diagnostics.follow(ls.shown_failures, uri)
    return True


def encoding_of(ls: DlBugServer) -> Encoding:
    """Return the encoding in which the client counts columns."""
    return ls.workspace.position_encoding or types.PositionEncodingKind.Utf16


def buffer_of(ls: DlBugServer, uri: str) -> Buffer | None:
    """Return an open document, None where the client has it not open."""
    documents = ls.workspace.text_documents
    buffer = documents.get(unquote(uri))
    if buffer is None:
        key = document_key(uri)
        buffer = next((d for d in documents.values() if document_key(d.uri) == key), None)
    return buffer if isinstance(buffer, Buffer) else None


def lines_of(ls: DlBugServer, uri: str) -> Lines | None:
    """Return an open document's lines, None where the client has it not open."""
    buffer = buffer_of(ls, uri)
    return buffer.lines if buffer is not None else None


def settle_open(ls: DlBugServer, new: Publication) -> None:
    """Put a new publication's spots where their lines stand in what the editor has open."""
    by_uri: dict[str, list[Spot]] = {}
    for spot in dict.fromkeys(new.spots()):
        if spot.uri == spot.home:
            by_uri.setdefault(spot.uri, []).append(spot)
    for uri, spots in by_uri.items():
        lines = lines_of(ls, uri)
        if lines is not None:
            _settle(spots, lines, encoding_of(ls))


def _settle(spots: Iterable[Spot], lines: Lines, encoding: Encoding) -> bool:
    """Put the spots of a file where their lines stand in it; return whether any changed.

    A notebook may be open as text, with its cells in JSON.
    """
    spots = list(spots)
    in_cells = [spot for spot in spots if spot.cell is not None]
    changed = settle([spot for spot in spots if spot.cell is None], lines, encoding)
    if in_cells:
        # Imported here: most clients never open a notebook as text.
        from dl_bug_lsp.workspace.notebooks import read_cells

        cells = read_cells("\n".join(lines))
        moved = [to_file(spot, lines, cells, encoding) for spot in in_cells]
        changed = changed or any(moved)
    return changed


def disk_changed(ls: DlBugServer, folder: Folder, names: Iterable[str]) -> None:
    """Look for the marks again in files of a folder that changed or went; returns at once.

    Names are relative to the root; a folder's name stands for all that is in it.
    """
    changed = {name.rstrip("/") for name in names}

    def wanted(home: str) -> bool:
        file = folder.file_of(home)
        parts = file.split("/") if file is not None else []
        return any("/".join(parts[:depth]) in changed for depth in range(1, len(parts) + 1))

    if any(wanted(spot.home) for p in ls.shown_failures.held() for spot in p.spots()):
        task = asyncio.ensure_future(read_again(ls, wanted))
        _TASKS.add(task)
        task.add_done_callback(_TASKS.discard)


_TASKS: set[asyncio.Future[None]] = set()


async def read_again(
    ls: DlBugServer, wanted: Callable[[str], bool], *, keeps_missing: bool = False
) -> None:
    """Put the spots of closed files where their lines stand on disk now."""
    for publication in ls.shown_failures.held():
        homes = dict.fromkeys(s.home for s in publication.spots() if wanted(s.home))
        for home in homes:
            file = publication.folder.file_of(home)
            if file is None or lines_of(ls, home) is not None:
                continue
            lines, cells = await asyncio.to_thread(_on_disk, publication.folder, file)
            if lines_of(ls, home) is not None or (keeps_missing and not lines):
                continue
            spots = [s for s in dict.fromkeys(publication.spots()) if s.uri == home]
            moved = [to_file(s, lines, cells, encoding_of(ls)) for s in spots if s.cell is not None]
            plain = [s for s in spots if s.cell is None]
            if settle(plain, lines, encoding_of(ls)) or any(moved):
                ls.show()


def _on_disk(folder: Folder, file: str) -> tuple[Sequence[str], Sequence[Cell]]:
    from dl_bug_lsp.workspace import Workspace

    # A reader of its own: the folder's belongs to the thread that localizes.
    reader = Workspace(folder.root, cache=False)
    return reader.lines(file), reader.cells(file)


def _below(ls: DlBugServer, uri: str) -> list[Spot]:
    """Return the spots in a file, or in the files of a folder."""
    spots = dict.fromkeys(s for p in ls.shown_failures.held() for s in p.spots())
    return [spot for spot in spots if _is_below(spot.home, uri)]


def _is_below(uri: str, top: str) -> bool:
    key, around = document_key(uri), document_key(top)
    return key == around or key.startswith((f"{around}/", f"{around}\\"))


def _rename(ls: DlBugServer, old: str, new: str) -> bool:
    for held in ls.shown_failures.held():
        if held.log is not None and _is_below(held.log, old):
            held.log = new + held.log[len(old) :]
    spots = _below(ls, old)
    for spot in spots:
        for name in ("uri", "home"):
            value: str = getattr(spot, name)
            if value.startswith(old):
                setattr(spot, name, new + value[len(old) :])
    ls.shown_failures.moved()
    return bool(spots)


# ---------------------------------------------------------------------- notebooks
def _register_notebooks(server: DlBugServer) -> None:
    """Add the handlers of notebooks."""
    server.events.publishing.subscribe(lambda new: _place_new(server, new))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(ls: DlBugServer, params: types.DidOpenNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        if _place(ls, uri, _spots(ls, uri)):
            ls.show()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(ls: DlBugServer, params: types.DidChangeNotebookDocumentParams) -> None:
        cells = params.change.cells
        if cells is None:
            return
        for text in cells.text_content or ():
            follow_edit(ls, text.document.uri, text.changes, None)
        if cells.structure is not None:
            uri = params.notebook_document.uri
            if _place(ls, uri, _spots(ls, uri)):
                ls.show()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def did_close(ls: DlBugServer, params: types.DidCloseNotebookDocumentParams) -> None:
        key = document_key(params.notebook_document.uri)
        for spot in _spots(ls, params.notebook_document.uri):
            spot.uri = spot.home
        ls.shown_failures.moved()
        await read_again(ls, lambda home: document_key(home) == key)
        ls.show()


def is_open_notebook(ls: DlBugServer, uri: str) -> bool:
    """Say whether a file is a notebook that is open in the client."""
    key = document_key(uri)
    return any(
        document_key(notebook_document.uri) == key
        for notebook_document in ls.workspace.notebook_documents.values()
    )


def _spots(ls: DlBugServer, notebook: str) -> list[Spot]:
    return _of_notebook((spot for p in ls.shown_failures.held() for spot in p.spots()), notebook)


def _of_notebook(spots: Iterable[Spot], notebook: str) -> list[Spot]:
    key = document_key(notebook)
    mine = (s for s in dict.fromkeys(spots) if s.cell is not None)
    return [spot for spot in mine if document_key(spot.home) == key]


def _place_new(ls: DlBugServer, new: Publication) -> None:
    for uri in [notebook.uri for notebook in ls.workspace.notebook_documents.values()]:
        _place(ls, uri, _of_notebook(new.spots(), uri))


def _place(ls: DlBugServer, notebook: str, spots: list[Spot]) -> bool:
    """Put a notebook's spots into its open cells; one in a cell that is gone goes with it."""
    document = ls.workspace.get_notebook_document(notebook_uri=notebook)
    if document is None or not spots:
        return False
    uris = [cell.document for cell in document.cells if cell.kind == types.NotebookCellKind.Code]
    cells = [lines_of(ls, uri) or () for uri in uris]
    changed = False
    for spot in spots:
        if spot.range is None or spot.uri in uris:
            continue
        changed = True
        place = cell_of(spot, cells)
        if place is not None:
            spot.uri = uris[place[0]]
            spot.set_lines(place[1], place[1], cells[place[0]], encoding_of(ls))
        elif spot.uri != spot.home:
            spot.range = None
    ls.shown_failures.moved()
    return changed


# ---------------------------------------------------------------------- the index of a folder
QUIET_SECONDS = 0.5
"""Reading that takes no longer shows no progress."""
REPORT_SECONDS = 0.2
PROGRESS_TIMEOUT = 2.0


def index(ls: DlBugServer, folder: Folder) -> None:
    """Have a folder indexed in its lane; returns at once."""
    loop = asyncio.get_running_loop()
    shown = _Progress(ls, folder)

    def call(what: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # The loop may be gone.
            loop.call_soon_threadsafe(what, *arguments)

    def steps() -> Iterator[None]:
        reported = began = time.monotonic()
        try:
            for done, of in folder.workspace.index_steps():
                if folder.closed.is_set() or shown.is_cancelled:
                    logger.info("the index of a folder was not finished: %d of %d", done, of)
                    return
                now = time.monotonic()
                if now - reported > REPORT_SECONDS:
                    reported = now
                    keep_what_stands()
                    if now - began > QUIET_SECONDS:
                        call(shown.report, 100 * done // max(1, of))
                yield
            logger.info("indexed a folder of %d files", len(folder.workspace.files()))
        except Exception:
            logger.exception("the index could not be made")
        finally:
            keep_what_stands(after_all=True)
            call(shown.end)

    look_at_project(ls, folder)
    ls.jobs.lane(folder.key).put_steps(steps())


class _Progress:
    """Work-done progress of one folder; begins with the first report."""

    _count = 0

    def __init__(self, ls: DlBugServer, folder: Folder) -> None:
        self._ls = ls
        self._name = folder.root.name
        _Progress._count += 1
        self._token = f"dl-bug-index-{_Progress._count}"
        self._creating: asyncio.Task[bool] | None = None
        self._begun = False
        self._ended = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the user stopped it; asked by the lane's thread."""
        future = self._ls.work_done_progress.tokens.get(self._token)
        return future is not None and future.cancelled()

    def report(self, percentage: int) -> None:
        if self._ended or not self._ls.can("window", "work_done_progress"):
            return
        if self._creating is None:
            self._creating = asyncio.ensure_future(self._create(percentage))
        elif self._begun:
            report = types.WorkDoneProgressReport(percentage=percentage)
            self._ls.work_done_progress.report(self._token, report)

    async def _create(self, percentage: int) -> bool:
        progress = self._ls.work_done_progress
        try:
            created = asyncio.shield(progress.create_async(self._token))
            await asyncio.wait_for(created, PROGRESS_TIMEOUT)
        except asyncio.CancelledError:
            raise
        except Exception:
            return False
        begin = types.WorkDoneProgressBegin(
            title=f"dl-bug: reading {self._name}", percentage=percentage, cancellable=True
        )
        progress.begin(self._token, begin)
        self._begun = True
        if self._ended:
            self._end()
        return True

    def end(self) -> None:
        self._ended = True
        if self._begun:
            self._end()

    def _end(self) -> None:
        progress = self._ls.work_done_progress
        progress.end(self._token, types.WorkDoneProgressEnd())
        # The library remembers every token for good.
        progress.tokens.pop(self._token, None)


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
