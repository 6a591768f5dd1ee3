"""All reading of the user's disk; nothing above this room opens a file."""

from dl_bug_lsp.workspace.values import ConfigEntry, FileElements, FunctionElement, Place
from dl_bug_lsp.workspace.workspace import Workspace

__all__ = ["ConfigEntry", "FileElements", "FunctionElement", "Place", "Workspace"]
