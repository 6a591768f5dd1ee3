"""The files in which a folder's spectrum lies, and whether they changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

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
    found = [(at, name) for name in _names(junit) if (at := stamp_of(root, name)) is not None]
    found = [one for one in found if abs(one[0] - coverage) <= TOGETHER]
    return (root / COVERAGE, root / max(found)[1]) if found else None


def looker(
    root: Path, junit: Sequence[str] | None, changed: Callable[[], None]
) -> Callable[[], None]:
    """Return what is to be called now and then, in one thread; it tells when a file changed.

    Its first call tells as well where there is a spectrum.
    """
    known: list[tuple[tuple[int, int] | None, ...]] = []

    def look() -> None:
        stamps = tuple(_state(root / name) for name in (SPECTRUM, COVERAGE, *_names(junit)))
        if known != [stamps]:
            is_news = bool(known) or stamps[0] is not None or stamps[1] is not None
            known[:] = [stamps]
            if is_news:
                changed()

    return look


def _names(junit: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of reports; what leads out of the folder is none."""
    given = JUNIT if junit is None else tuple(junit)
    return tuple(n for n in given if not Path(n).is_absolute() and ".." not in Path(n).parts)


def _state(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size
