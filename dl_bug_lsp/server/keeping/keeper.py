"""Failures outlive the server: `.dlbug/failures.json` in each folder, never the texts of logs.

Version 1: ``{"version": 1, "failures": [...]}``, oldest first; each has ``source``, ``log``, the
``report`` (docs/report.schema.json) and ``places``: a suspect's ``failure`` and ``suspect`` with
the ``spots`` of its mark, its lens and its frames, each ``[line, text]`` or, in a notebook,
``[line, text, cell, line in the cell]``; null where the lines are gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.projects import folder_settings
from dl_bug_lsp.server.documents.cells import to_file
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.marks import CellLine, Encoding, Spot, line_text
from dl_bug_lsp.server.failures.publication import Place, Publication, publication
from dl_bug_lsp.server.files.editing import encoding_of
from dl_bug_lsp.server.keeping.report_reader import report_of
from dl_bug_lsp.server.work.jobs import CancelledError, Rank, SupersededError, Token
from dl_bug_lsp.settings.reading import Settings

logger = logging.getLogger(__name__)

NAME = "failures.json"
VERSION = 1
MOST = 20
LARGEST = 4 * 2**20
"""Bytes of the file; the oldest failures are left out of it."""


def register(server: DlBugServer) -> None:
    """Keep what is shown and bring it back when a folder is opened."""
    keeper = Keeper(server)
    server.observers.append(keeper.changed)
    server.openings.append(keeper.opened)
    server.closings.append(keeper.closed)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: DlBugServer, params: types.DidSaveTextDocumentParams) -> None:
        if ls.shelf.spots(params.text_document.uri):
            keeper.changed()


class Keeper:
    """Writes in a thread, one file at a time, always the latest state."""

    def __init__(self, ls: DlBugServer) -> None:
        self._ls = ls
        self._tasks: set[asyncio.Future[None]] = set()
        self._is_writing = False
        self._is_stale = False
        self._written: dict[str, bytes | None] = {}

    def changed(self) -> None:
        """Write what is shown now, soon."""
        self._is_stale = True
        if not self._is_writing:
            self._is_writing = True
            self._start(self._write())

    def opened(self, folder: Folder) -> None:
        """Show what was kept of a folder, off the loop."""
        self._start(self._restore(folder))

    def closed(self, folder: Folder) -> None:
        """Write what a closed folder shows, if that is still to be done, and forget it."""
        if self._is_stale:
            self._start(self._write_now(folder, self._kept(folder)))
        else:
            self._written.pop(folder.key, None)

    async def _write_now(self, folder: Folder, kept: list[dict[str, Any]]) -> None:
        try:
            await self._write_folder(folder, kept)
        except Exception:
            logger.exception("the failures could not be kept")
        if not self._ls.folders.is_open(folder.key):
            self._written.pop(folder.key, None)

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                for folder in self._ls.folders:
                    if not folder.closed.is_set():
                        await self._write_folder(folder, self._kept(folder))
        except Exception:
            logger.exception("the failures could not be kept")
        finally:
            self._is_writing = False

    def _kept(self, folder: Folder) -> list[dict[str, Any]]:
        held = [p for p in self._ls.shelf.all() if p.folder is folder and p.shown()]
        return [to_kept(one) for one in held[-MOST:] if one.settings.keep_failures]

    async def _write_folder(self, folder: Folder, kept: list[dict[str, Any]]) -> None:
        if folder.key not in self._written and not kept:
            return

        def write() -> None:
            from dl_bug_lsp.workspace.kept import write_kept

            data = _bytes(kept)
            if self._written.get(folder.key, b"") != data:
                self._written[folder.key] = data
                if not write_kept(folder.root, NAME, data):
                    logger.warning("the failures of a folder cannot be kept on its disk")

        await asyncio.to_thread(write)

    async def _restore(self, folder: Folder) -> None:
        ls = self._ls
        try:
            settings = await folder_settings(ls, folder)
            encoding = encoding_of(ls)
            if not settings.keep_failures or folder.closed.is_set():
                return

            def work(token: Token) -> list[Publication]:
                return read_folder(folder, settings, encoding, token)

            source = f"what was kept of {folder.key}"
            (found,) = await ls.jobs.run(source, [(folder.key, work)], None, Rank.CHANGES)
            if folder.closed.is_set():
                return
            self._written.setdefault(folder.key, b"")
            for one in found:
                if not ls.shelf.has(one.source, folder):
                    ls.publish(one)
        except (SupersededError, CancelledError):
            return
        except Exception:
            logger.exception("the failures that were kept could not be shown")


def _bytes(kept: list[dict[str, Any]]) -> bytes | None:
    """Return the file's bytes, None for no failure; the oldest give way to the limit."""
    while kept:
        data = json.dumps({"version": VERSION, "failures": kept}, ensure_ascii=True).encode()
        if len(data) <= LARGEST:
            return data
        kept = kept[1:]
    return None


def to_kept(held: Publication) -> dict[str, Any]:
    """Return what is kept of a publication, as JSON values."""
    places = [
        {
            "failure": place.failure.id,
            "suspect": place.suspect.rank,
            "spots": [_spot(spot) for spot in _spots(place)],
        }
        for place in held.shown()
    ]
    return {"source": held.source, "log": held.log, "report": held.document, "places": places}


def _spots(place: Place) -> list[Spot]:
    return [place.mark, place.lens, *(one.spot for one in place.related)]


def _spot(spot: Spot) -> list[Any] | None:
    if spot.range is None:
        return None
    text = spot.text.encode("utf-8", "replace").decode()
    if spot.cell is None:
        return [spot.line, text]
    return [spot.line, text, spot.cell.number, spot.cell.line]


def read_folder(
    folder: Folder, settings: Settings, encoding: Encoding, token: Token
) -> list[Publication]:
    """Return what was kept of a folder, at the lines that hold the texts now; oldest first."""
    from dl_bug_lsp.workspace.kept import read_kept

    data = read_kept(folder.root, NAME, LARGEST)
    if data is None:
        return []
    try:
        raw = json.loads(data)
        listed = raw["failures"] if raw["version"] == VERSION else []
        found = list(listed)[-MOST:]
    except (ValueError, TypeError, LookupError, RecursionError):
        logger.warning("%s of a folder is damaged and was left out", NAME)
        return []
    out = []
    for one in found:
        if token.cancelled:
            break
        try:
            held = _restored(one, folder, settings, encoding)
        except (ValueError, TypeError, LookupError, AttributeError):
            logger.warning("a failure in %s is damaged and was left out", NAME)
            continue
        if held.shown():
            out.append(held)
    return out


def _restored(one: Any, folder: Folder, settings: Settings, encoding: Encoding) -> Publication:
    source, log = one["source"], one["log"]
    if not isinstance(source, str) or not (log is None or isinstance(log, str)):
        raise ValueError("not a source")
    held = publication(report_of(one["report"]), folder, settings, source, encoding)
    # Only a log in the folder itself is opened on the word of a file.
    held.log = log if log is not None and folder.file_of(log) is not None else None
    kept = {(place["failure"], place["suspect"]): place["spots"] for place in one["places"]}
    for place in held.places:
        spots = kept.get((place.failure.id, place.suspect.rank))
        if spots is None:
            place.mark.range = None
            continue
        for spot, was in zip(_spots(place), spots, strict=False):
            _settle(spot, was, folder, encoding)
    return held


def _settle(spot: Spot, was: Any, folder: Folder, encoding: Encoding) -> None:
    """Put a spot to the line that holds its kept text now; gone where none does."""
    file = folder.file_of(spot.home)
    if was is None or file is None:
        spot.range = None
        return
    line, text = int(was[0]), str(was[1])
    lines = folder.workspace.lines(file)
    spot.text = text
    if len(was) == 4:
        spot.cell = CellLine(int(was[2]), int(was[3]))
        to_file(spot, lines, folder.workspace.cells(file), encoding)
    elif text and line_text(lines, line) == text:
        spot.set_lines(line, line, lines, encoding)
    else:
        spot.find(line, lines, encoding)
