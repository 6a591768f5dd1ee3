"""Open notebooks: marks stand in the cells, which are documents of their own in the editor."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.documents.marks import Spot, cell_of, document_key
from dl_bug_lsp.server.failures.publication import Publication
from dl_bug_lsp.server.files.editing import encoding_of, follow_edit, lines_of, read_again


def register(server: DlBugServer) -> None:
    """Add the handlers of notebooks."""
    server.arrivals.append(lambda new: _place_new(server, new))

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
        found = cell_of(spot, cells)
        if found is not None:
            spot.uri = uris[found[0]]
            spot.set_lines(found[1], found[1], cells[found[0]], encoding_of(ls))
        elif spot.uri != spot.home:
            spot.range = None
    ls.shown_failures.moved()
    return changed
