"""What a technique of bug localization is given, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Query:
    """A bug report; ``opened`` is aware, None where it is not known."""

    summary: str
    description: str
    opened: datetime | None = None

    @property
    def text(self) -> str:
        """The report as a user would hand it over: title, blank line, description."""
        return f"{self.summary}\n\n{self.description}"


@dataclass(frozen=True, slots=True)
class FixedReport:
    """A report of the same project whose fix was committed before the query was opened.

    ``files`` are the Python files that the fix changed, by their names at that time; both times are
    aware.
    """

    id: str
    opened: datetime | None
    fixed: datetime
    summary: str
    description: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedFunction:
    """A function, method or class by its dotted name, with its 1-based inclusive lines."""

    file: str
    name: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedLines:
    """A range of lines of a file, 1-based and inclusive."""

    file: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A technique's answer, best first at each level; ties are broken by the technique, by name.

    ``functions`` and ``lines`` are None for a technique that does not speak of them, which is not
    the same as finding none.
    """

    files: tuple[tuple[str, float], ...]
    functions: tuple[RankedFunction, ...] | None = None
    lines: tuple[RankedLines, ...] | None = None
