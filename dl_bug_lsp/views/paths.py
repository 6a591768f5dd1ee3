"""Places as terminals and editors recognise them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dl_bug_lsp.views.escape import escape

_INSTALLED = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")
_STANDARD = re.compile(r"^.*[/\\]python3\.\d+[/\\]")


@dataclass(frozen=True, slots=True)
class PathStyle:
    """How workspace files are printed: behind the ``prefix`` that leads to the workspace.

    The prefix is the workspace's path relative to where the reader stands (empty when it is the
    same folder, else ending in ``/``).
    """

    prefix: str = ""

    def file(self, file: str) -> str:
        """Return a workspace file as the reader would open it."""
        return escape(self.prefix + file)

    def place(self, file: str, line: int) -> str:
        """Return ``path:line``, in quotes where a blank would end the link."""
        path = self.file(file)
        return f'"{path}":{line}' if " " in path else f"{path}:{line}"


def library_file(file: str) -> str:
    """Return a library's file without the folder that it is installed in."""
    short = _INSTALLED.sub("", file)
    if short == file:
        short = _STANDARD.sub("", file)
    return escape(short)
