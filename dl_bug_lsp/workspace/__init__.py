"""All reading of the user's disk; no package that uses this one opens a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dl_bug_lsp.workspace.contents import (
    Column,
    ConfigEntry,
    FileElements,
    FunctionElement,
    Place,
    Table,
)

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.git import GitError
    from dl_bug_lsp.workspace.stores import Change, Commit, History
    from dl_bug_lsp.workspace.workspace import Workspace

__all__ = [
    "Change",
    "Column",
    "Commit",
    "ConfigEntry",
    "FileElements",
    "FunctionElement",
    "GitError",
    "History",
    "Place",
    "Table",
    "Workspace",
]


def __getattr__(name: str) -> Any:
    """Import what reads (SQLite, YAML, ignore rules, git) late: the server starts without it."""
    if name == "Workspace":
        from dl_bug_lsp.workspace.workspace import Workspace

        return Workspace
    if name == "GitError":
        from dl_bug_lsp.workspace.git import GitError

        return GitError
    if name in ("Change", "Commit", "History"):
        from dl_bug_lsp.workspace import stores

        return getattr(stores, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
