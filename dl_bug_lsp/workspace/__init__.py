"""All reading of the user's disk; nothing above this room opens a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dl_bug_lsp.workspace.terms import split_terms
from dl_bug_lsp.workspace.values import (
    Column,
    ConfigEntry,
    FileElements,
    FunctionElement,
    Place,
    Table,
)

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.workspace import Workspace

__all__ = [
    "Column",
    "ConfigEntry",
    "FileElements",
    "FunctionElement",
    "Place",
    "Table",
    "Workspace",
    "split_terms",
]


def __getattr__(name: str) -> Any:
    """Import what reads (SQLite, YAML, ignore rules) late: the server starts without it."""
    if name == "Workspace":
        from dl_bug_lsp.workspace.workspace import Workspace

        return Workspace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
