"""Asking the client to show a place; what to do is left to the user where it cannot."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer, capability

TIMEOUT = 5.0
"""Seconds that a client may take to show a document."""


def can_show(ls: DlBugServer) -> bool:
    """Whether the client shows documents when it is asked to (LSP 3.16)."""
    return bool(capability(ls.client_capabilities, "window", "show_document", "support"))


async def show_document(ls: DlBugServer, uri: str, place: types.Range | None = None) -> bool:
    """Ask the client to show a document at a range; return whether it did."""
    if not can_show(ls):
        return False
    params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=place)
    try:
        # Shielded: pygls stumbles over an answer to a request that was cancelled.
        asked = asyncio.shield(ls.window_show_document_async(params))
        return bool((await asyncio.wait_for(asked, TIMEOUT)).success)
    except asyncio.CancelledError:
        raise
    except Exception:
        return False
