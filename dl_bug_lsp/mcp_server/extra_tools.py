"""Tools of rooms that an installation may lack: none so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dl_bug_lsp.mcp_server.folders import Folders
    from dl_bug_lsp.mcp_server.tools import Tool


def extra_tools(folders: Folders) -> list[Tool]:
    """Return the tools of the rooms that are there: ``check`` and ``triage`` register here."""
    return []
