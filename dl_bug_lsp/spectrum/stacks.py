"""Stack traces beside a spectrum: printed frames become lines of its files."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from dl_bug_lsp.spectrum.regions import layout
from dl_bug_lsp.spectrum.values import Counts
from dl_bug_lsp.tracebacks import Failure, FailureKind, Frame
from dl_bug_lsp.tracebacks.frames import is_library_path

Stack = tuple[tuple[str, int], ...]
"""Files of the spectrum with 1-based lines, the innermost frame first, each line once."""


def stacks_of(failures: Iterable[Failure], files: Iterable[str]) -> tuple[Stack, ...]:
    """Return the stacks of exceptions, in the order of the text, as far as they are in ``files``.

    A printed path belongs to the longest of the files that it ends in.
    """
    finder = Finder(files)
    found: list[Stack] = []
    for failure in failures:
        if failure.kind is FailureKind.EXCEPTION:
            stack = finder.stack(failure.frames)
            if stack:
                found.append(stack)
    return tuple(found)


class Finder:
    """Finds which file of a spectrum a printed path means."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = frozenset(files)

    def file(self, printed: str) -> str | None:
        """Return the longest file that the printed path ends in, or None.

        Of installed code it must be the whole path below the folder of packages, so that the
        ``utils.py`` of a library is not taken for the workspace's.
        """
        parts = printed.replace("\\", "/").split("/")
        if is_library_path(printed):
            below = [i + 1 for i, part in enumerate(parts) if _holds_packages(part)]
            tails = ["/".join(parts[start:]) for start in below[-1:]]
        else:
            tails = ["/".join(parts[start:]) for start in range(len(parts))]
        return next((tail for tail in tails if tail in self._files), None)

    def stack(self, frames: Iterable[Frame]) -> Stack:
        """Return the lines of frames that stand outermost first."""
        lines: dict[tuple[str, int], None] = {}
        for frame in reversed(tuple(frames)):
            file = self.file(frame.file)
            if file is not None and frame.line > 0:
                lines[file, frame.line] = None
        return tuple(lines)


def _holds_packages(folder: str) -> bool:
    return folder in ("site-packages", "dist-packages") or folder.endswith(".egg")


def stack_as_failing_run(counts: Counts, stacks: tuple[Stack, ...]) -> Counts:
    """Return counts in which each stack is a failing run: the idea of SBEST (Pacheco et al., 2024).

    For failures of which no run was recorded. A run surely executed the lines of its frames; of
    the code around them it executed some, so that a stretch with a frame counts up to the frame's
    line.
    """
    around = layout(counts)
    by_file: dict[str, list[int]] = {}
    for index, element in enumerate(counts.elements):
        by_file.setdefault(element.file, []).append(index)
    ef = array("q", bytes(8 * len(counts)))
    for stack in stacks:
        run: set[int] = set()
        for file, line in stack:
            here = by_file.get(file, [])
            hit = {around.stretch[i] for i in here if counts.elements[i].line == line}
            run.update(
                i for i in here if around.stretch[i] in hit and counts.elements[i].line <= line
            )
        for index in run:
            ef[index] += 1
    return Counts(counts.elements, ef, counts.ep, max(1, len(stacks)), counts.passing)
