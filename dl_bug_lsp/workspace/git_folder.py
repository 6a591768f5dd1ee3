"""What in a repository's own folder git would wait for without end: pipes, devices, sockets."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dl_bug_lsp import data_folder

MOST_ENTRIES = 50_000
"""Names that are looked at; what git does beyond them is bounded by its time alone."""
_LARGEST = 2**20
_DEEPEST = 10
"""Configuration files that include each other, and object folders that borrow from each other."""
_SECTION = re.compile(r"^[ \t]*\[[ \t]*([\w.-]+)", re.M)
_PATH = re.compile(r"(?:^|\])[ \t]*path[ \t]*=[ \t]*([^\n]*)", re.M | re.I)


def unreadable(root: Path) -> str | None:
    """Return a file of the repository around a folder that is no regular one, None without any."""
    with suppress(OSError, ValueError, RuntimeError):
        real = root.resolve()
        for folder in (real, *real.parents):
            found = _folders(folder)
            if found:
                return next(_Search().odd(found), None)
    return None


def _folders(around: Path) -> list[Path]:
    """Return the folders of the repository that begins at a folder; empty where none does."""
    mark = around / ".git"
    if mark.is_dir():
        return _with_common(mark)
    if os.path.lexists(mark):
        text = _text(mark)
        if text is None:
            return [mark]
        if text.startswith("gitdir:"):
            return _with_common(around / text[7:].strip())
    bare = os.path.lexists(around / "HEAD") and (around / "objects").is_dir()
    return [around] if bare else []


def _with_common(folder: Path) -> list[Path]:
    common = _text(folder / "commondir")
    return [folder, folder / common.strip()] if common and common.strip() else [folder]


def _text(file: Path) -> str | None:
    try:
        with data_folder.open_regular(file) as stream:
            return stream.read(_LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


class _Search:
    def __init__(self) -> None:
        self._left = MOST_ENTRIES
        self._seen: set[str] = set()

    def odd(self, folders: list[Path]) -> Iterator[str]:
        """Yield the files that are no regular ones, below some folders and where these lead."""
        pending = [(str(folder), 0) for folder in folders]
        while pending and self._left > 0:
            name, depth = pending.pop()
            real = os.path.realpath(name)
            if real in self._seen or depth > _DEEPEST:
                continue
            self._seen.add(real)
            try:
                mode = os.stat(real).st_mode  # noqa: PTH116 - of very many files
            except OSError:
                continue
            self._left -= 1
            if stat.S_ISDIR(mode):
                pending += [(f"{real}/{inner}", depth) for inner in _listed(real, self._left)]
            elif not stat.S_ISREG(mode):
                yield name
            elif name.endswith(("config", "config.worktree")) or depth:
                pending += [(inner, depth + 1) for inner in _included(Path(name))]
            elif name.endswith("info/alternates"):
                pending += [(inner, depth) for inner in _borrowed(Path(name))]


def _listed(folder: str, most: int) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)[:most]  # noqa: PTH208 - of very many files
    return []


def _included(config: Path) -> Iterator[str]:
    """Yield the files that a configuration includes, whatever its conditions."""
    text = _text(config) or ""
    marks = [*_SECTION.finditer(text)]
    for at, mark in enumerate(marks):
        if mark[1].lower() in ("include", "includeif"):
            end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
            for found in _PATH.finditer(text, mark.end(), end):
                written = found[1].split(" #")[0].split(" ;")[0].strip().replace('"', "")
                yield str(config.parent / Path(written).expanduser())


def _borrowed(alternates: Path) -> Iterator[str]:
    for line in (_text(alternates) or "").splitlines():
        if line.strip() and not line.startswith("#"):
            yield str(alternates.parent.parent / line.strip())
