"""The values of a cleaned log: lines, the process that wrote each, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Process:
    """The process of a distributed run that wrote a line.

    ``rank`` is the global rank (0-based) where the prefix tells it, ``host`` the node's name,
    ``name`` the prefix's own words where it tells neither (``trial pid=29842``, ``worker-3``).
    """

    rank: int | None = None
    host: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A range of lines in the text as it was given, 1-based and inclusive."""

    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line with terminal codes, rank and time prefixes and carriage-return overprints removed.

    ``number`` is the 1-based line number in the text as it was given.
    """

    number: int
    text: str
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of a text in order, and one sentence for each thing that was not understood.

    Of a large text only the parts that may report a failure or of a metric are kept (a blank line
    stands where something was left out); ``total_lines`` counts the lines of the whole text.
    """

    lines: tuple[LogLine, ...]
    problems: tuple[str, ...] = field(default=())
    total_lines: int = 0

    def streams(self) -> dict[Process | None, tuple[LogLine, ...]]:
        """Return the lines of each process, in order; lines without a prefix belong to ``None``."""
        by_process: dict[Process | None, list[LogLine]] = {}
        for line in self.lines:
            by_process.setdefault(line.process, []).append(line)
        return {process: tuple(lines) for process, lines in by_process.items()}
