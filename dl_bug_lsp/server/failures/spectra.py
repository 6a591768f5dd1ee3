"""What is known of each folder's spectrum: counts and suspicion of lines, kept at today's lines."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents.folders import Folder

if TYPE_CHECKING:
    from dl_bug_lsp.recording.spectra import Anchoring


@dataclass(frozen=True, slots=True)
class FunctionCounts:
    """How many failing and passing tests run a function; ``line`` is its first, 1-based."""

    line: int
    name: str
    failing: int
    passing: int


@dataclass(frozen=True, slots=True)
class LineCounts:
    """A line's suspicion, from 0 to 1 for the most suspicious, and how many tests run it."""

    score: float
    failing: int
    passing: int


@dataclass(frozen=True)
class FolderSpectrum:
    """The latest spectrum: totals, and for each file that a failing test runs what is known of it.

    ``texts`` are the files' lines as they were when the spectrum was read; all lines are 1-based.
    """

    failing: int
    passing: int
    lines: Mapping[str, Mapping[int, LineCounts]]
    functions: Mapping[str, Sequence[FunctionCounts]]
    texts: Mapping[str, str]
    noun: str = "tests"
    """What the runs are, in words."""
    source: str = ""
    """The source of the failure that the spectrum belongs to."""
    _moved: dict[str, tuple[int, Anchoring]] = field(default_factory=dict)

    def now(self, file: str, line: int, today: Sequence[str] | None) -> int | None:
        """Return where a line stands in an open document, None where it was changed or deleted."""
        if today is None:
            return line
        # Imported here: nothing of it is needed before there is a spectrum.
        from dl_bug_lsp.recording.spectra import Anchoring

        text = "\n".join(today)
        stamp = hash(text)
        known = self._moved.get(file)
        if known is None or known[0] != stamp:
            known = stamp, Anchoring(self.texts.get(file, ""), text)
            self._moved[file] = known
        return known[1].now(line)


class Spectra:
    """The spectra of all folders; used on the event loop's thread."""

    def __init__(self) -> None:
        self._held: weakref.WeakKeyDictionary[Folder, FolderSpectrum] = weakref.WeakKeyDictionary()

    def put(self, folder: Folder, new: FolderSpectrum | None) -> bool:
        """Take in a folder's latest spectrum, None where there is none; return if it matters."""
        before = self._held.pop(folder, None)
        if new is not None:
            self._held[folder] = new
        return before is not None or new is not None

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()

    def of(self, folder: Folder) -> FolderSpectrum | None:
        """Return a folder's latest spectrum."""
        return self._held.get(folder)

    def around(
        self, folders: Sequence[Folder], uri: str
    ) -> tuple[Folder, FolderSpectrum, str] | None:
        """Return what is known of a document: its folder, the spectrum and its file there."""
        candidates = [
            (folder, held, file)
            for folder in folders
            if (held := self._held.get(folder)) is not None
            and (file := folder.file_of(uri)) is not None
            and file in held.lines
        ]
        return max(
            candidates, key=lambda candidate: len(candidate[0].real_root.parts), default=None
        )
