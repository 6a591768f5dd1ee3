"""Files of a workspace whose names are like one that is not there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from difflib import SequenceMatcher

MOST_NEAR = 3
LEAST_ALIKE = 0.6
"""The least ratio of `difflib.SequenceMatcher` between two names without their extensions."""


def similarly_named(written: str, files: Iterable[str], folder: str = "") -> list[str]:
    """Return the files most like the path ``written`` from ``folder``, the nearest first.

    ``files`` and ``folder`` are relative to the workspace; only files with the same extension
    count. A file of the same name in another folder comes before one of another name.
    """
    wanted = posixpath.normpath(posixpath.join(folder, written.replace("\\", "/")))
    home, name = posixpath.split(wanted)
    stem, extension = posixpath.splitext(name)
    found: list[tuple[float, bool, str]] = []
    for file in files:
        where, _, there = file.rpartition("/")
        other, end = posixpath.splitext(there)
        if end != extension or file == wanted:
            continue
        alike = SequenceMatcher(None, stem.lower(), other.lower()).ratio()
        is_beside = where == home
        # Of other folders only the same name says something.
        if alike >= LEAST_ALIKE and (is_beside or alike == 1.0):
            found.append((-alike, not is_beside, file))
    return [file for _, _, file in sorted(found)[:MOST_NEAR]]
