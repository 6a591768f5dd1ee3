"""All reading of the user's disk; nothing above this room opens a file."""

from dl_bug_lsp.workspace.terms import split_terms
from dl_bug_lsp.workspace.values import (
    Column,
    ConfigEntry,
    FileElements,
    FunctionElement,
    Place,
    Table,
)
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
