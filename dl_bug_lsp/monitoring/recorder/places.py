"""Which line of the workspace a call comes from."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import Optional, Tuple

Place = Tuple[str, Optional[int]]
"""A file relative to the workspace with ``/``, and a 1-based line; ("", None) where none is."""
NOWHERE: Place = ("", None)
_DEEPEST = 150
"""Frames that are looked at."""
_FOREIGN = ("site-packages", "dist-packages", ".dlbug")


class Places:
    """Finds the innermost frame of the workspace; installed packages below it do not count."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._names: dict[str, str] = {}
        self._ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    def name(self, file: str) -> str:
        """Return a file's name in the workspace; empty for one that is not its own."""
        name = self._names.get(file)
        if name is None:
            name = self._names[file] = self._find(file)
        return name

    def _find(self, file: str) -> str:
        path = os.path.realpath(file)
        if not path.startswith(self._root) or path.startswith(self._ours):
            return ""
        name = path[len(self._root) :].replace(os.sep, "/")
        parts = name.split("/")
        if any(part in _FOREIGN for part in parts) or "lib/python" in name:
            return ""
        return name

    def of_caller(self, depth: int = 2, made: object = None) -> Place:
        """Return the line of the workspace that led to the caller ``depth`` frames up.

        ``made`` is an object under construction: its own constructors do not count.
        """
        frame: FrameType | None = sys._getframe(depth)
        for _ in range(_DEEPEST):
            if frame is None:
                break
            code = frame.f_code
            name = self.name(code.co_filename)
            if name and not (made is not None and _constructs(frame, code, made)):
                return name, frame.f_lineno
            frame = frame.f_back
        return NOWHERE


def _constructs(frame: FrameType, code: CodeType, made: object) -> bool:
    if code.co_name not in ("__init__", "__new__", "__call__") or not code.co_argcount:
        return False
    return frame.f_locals.get(code.co_varnames[0]) is made
