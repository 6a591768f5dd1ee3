"""A folder's spectrum: where it lies, when it changes, and what is known of it.

It is `.dlbug/spectrum.db`, or what CI leaves in the folder. Counts and suspicion of lines are kept
at today's lines.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents import Folder

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


SOURCE = "spectrum"
"""The source of what a spectrum shows: a folder has one."""
SPECTRUM = ".dlbug/spectrum.db"
COVERAGE = ".coverage"
JUNIT = ("junit.xml", "report.xml", "test-results.xml", "pytest.xml", "reports/junit.xml")
"""Usual names of JUnit reports."""
TOGETHER = 600.0
"""Seconds between the changes of a coverage file and of the report of the same test run."""


def stamp_of(root: Path, name: str) -> float | None:
    """Return when a file last changed (epoch seconds), None where there is none."""
    try:
        return (root / name).stat().st_mtime
    except OSError:
        return None


def coverage_pair(root: Path, junit: Sequence[str] | None) -> tuple[Path, Path] | None:
    """Return the coverage file and the newest report of the same time, None without both."""
    coverage = stamp_of(root, COVERAGE)
    if coverage is None:
        return None
    reports = [(at, name) for name in _names(junit) if (at := stamp_of(root, name)) is not None]
    reports = [report for report in reports if abs(report[0] - coverage) <= TOGETHER]
    return (root / COVERAGE, root / max(reports)[1]) if reports else None


def change_checker(
    root: Path, junit: Sequence[str] | None, changed: Callable[[], None]
) -> Callable[[], None]:
    """Return what is to be called now and then, in one thread; it tells when a file changed.

    Its first call tells as well where there is a spectrum.
    """
    known: list[tuple[tuple[int, int] | None, ...]] = []

    def look() -> None:
        stamps = tuple(_stamp(root / name) for name in (SPECTRUM, COVERAGE, *_names(junit)))
        if known != [stamps]:
            is_news = bool(known) or stamps[0] is not None or stamps[1] is not None
            known[:] = [stamps]
            if is_news:
                changed()

    return look


def _names(junit: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of reports; what leads out of the folder is none."""
    patterns = JUNIT if junit is None else tuple(junit)
    return tuple(n for n in patterns if not Path(n).is_absolute() and ".." not in Path(n).parts)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size
