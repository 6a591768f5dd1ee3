"""The values of a bug report: its title and the texts of its body, each kind apart."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StackLine:
    """A frame as the report prints it; ``line`` is 1-based, 0 where none is told."""

    file: str
    line: int
    function: str
    source: str


@dataclass(frozen=True, slots=True)
class CodeLink:
    """A file that a link or a quoted permalink names; lines are 1-based, 0 for the whole file."""

    path: str
    first_line: int
    last_line: int


@dataclass(slots=True)
class BugReport:
    """A report's texts as lists of lines (stripped), in order; empty where it has none.

    ``prose`` is what its author wrote, ``code`` the code samples, ``trace`` what tracebacks print
    of frames, ``messages`` the lines that name an exception, ``logs`` other output, ``environment``
    listings of versions and machines, ``headings`` the headings of the issue template.
    """

    title: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    frames: list[StackLine] = field(default_factory=list)
    links: list[CodeLink] = field(default_factory=list)
