"""From a certain fix to the protocol's edits: checked against what the editor shows right now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer, capability
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.marks import Encoding, Spot
from dl_bug_lsp.server.documents.positions import code_units
from dl_bug_lsp.server.failures.placing import find_offers
from dl_bug_lsp.server.failures.publication import Offer, Publication
from dl_bug_lsp.server.files.editing import buffer_of, encoding_of, lines_of, settle_open
from dl_bug_lsp.server.work.jobs import CancelledError, SupersededError, Token

if TYPE_CHECKING:
    from dl_bug_lsp.fixes import Edit

logger = logging.getLogger(__name__)


async def offers_of(ls: DlBugServer, held: Publication) -> list[Offer]:
    """Return a publication's certain fixes, found when first asked for, off the loop."""
    if held.offers is not None:
        return held.offers
    if id(held) not in _SEARCHES:
        _SEARCHES[id(held)] = asyncio.ensure_future(_search(ls, held))
        _SEARCHES[id(held)].add_done_callback(lambda _: _SEARCHES.pop(id(held), None))
    return await asyncio.shield(_SEARCHES[id(held)])


_SEARCHES: dict[int, asyncio.Future[list[Offer]]] = {}
"""Searches under way, by their publication: several requests wait for the same one."""


async def _search(ls: DlBugServer, held: Publication) -> list[Offer]:
    encoding = encoding_of(ls)

    def work(_token: Token) -> list[Offer]:
        return find_offers(held, encoding)

    try:
        (found,) = await ls.jobs.run(f"fixes of {held.source}", [(held.folder.key, work)])
    except (SupersededError, CancelledError):
        return []
    except Exception:
        logger.exception("the fixes of a failure could not be found")
        found = []
    held.offers = found
    ls.shelf.moved()
    settle_open(ls, held)
    return found


async def edit_of(
    ls: DlBugServer, publication: Publication, offer: Offer
) -> types.WorkspaceEdit | None:
    """Return the edit of a fix, None where a line no longer reads as it did at the failure."""
    found: dict[str, list[types.TextEdit]] = {}
    for edit, spot in zip(offer.fix.edits, offer.spots, strict=True):
        if spot.range is None or spot.cell is not None:
            return None
        lines = await _lines(ls, publication.folder, spot, edit)
        line = lines[spot.line - 1] if spot.line <= len(lines) else None
        if line != edit.before:
            return None
        found.setdefault(spot.uri, []).append(text_edit(edit, spot.line, encoding_of(ls)))
    support = capability(ls.client_capabilities, "workspace", "workspace_edit", "document_changes")
    if not support:
        return types.WorkspaceEdit(changes={uri: tuple(edits) for uri, edits in found.items()})
    changes = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, _version(ls, uri)), tuple(edits)
        )
        for uri, edits in found.items()
    ]
    return types.WorkspaceEdit(document_changes=changes)


async def _lines(ls: DlBugServer, folder: Folder, spot: Spot, edit: Edit) -> Sequence[str]:
    lines = lines_of(ls, spot.uri)
    if lines is not None:
        return lines
    file = folder.file_of(spot.uri) or edit.file
    return await asyncio.to_thread(_on_disk, folder, file)


def _on_disk(folder: Folder, file: str) -> Sequence[str]:
    from dl_bug_lsp.workspace import Workspace

    return Workspace(folder.root, cache=False).lines(file)


def _version(ls: DlBugServer, uri: str) -> int | None:
    found = buffer_of(ls, uri)
    return found.version if found is not None else None


def text_edit(edit: Edit, line: int, encoding: Encoding) -> types.TextEdit:
    """Return the smallest change of a 1-based line that makes ``before`` read ``after``."""
    before, after = edit.before, edit.after
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    end = len(before) - tail
    place = types.Range(
        types.Position(line - 1, code_units(before[:head], encoding)),
        types.Position(line - 1, code_units(before[:end], encoding)),
    )
    return types.TextEdit(place, after[head : len(after) - tail])


def _common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
