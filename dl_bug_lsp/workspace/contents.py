"""The values that the workspace hands out: elements of source files, config entries, places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Place:
    """A range of lines of a workspace file; lines are 1-based and inclusive, ``/`` separates.

    ``edited`` says of a place of a frame that its line is not what ran: it was changed since.
    """

    file: str
    line: int
    end_line: int
    function: str | None = None
    edited: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class FunctionElement:
    """A function, method or class: its lines and its dotted name in the file (``Class.method``)."""

    name: str
    line: int
    end_line: int
    is_class: bool


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One setting of a config, data or launch file.

    ``path`` is the way from the top (``("model", "dim")``; list items by their index); ``value`` is
    a scalar or None for a table or list (then ``length`` says how many items it holds); ``text`` is
    the value as written.
    """

    file: str
    line: int
    end_line: int
    path: tuple[str | int, ...]
    value: Scalar
    text: str
    length: int | None = None

    @property
    def key(self) -> str:
        """The last name on the path (list indices skipped)."""
        for part in reversed(self.path):
            if isinstance(part, str):
                return part
        return ""


@dataclass(frozen=True, slots=True)
class FileElements:
    """What the index keeps of one file: small, cacheable by content, no syntax tree.

    ``imports`` are the dotted modules that it imports; ``problem`` is one sentence where the file
    could not be parsed.
    """

    file: str
    functions: tuple[FunctionElement, ...]
    imports: tuple[str, ...]
    entries: tuple[ConfigEntry, ...] = ()
    problem: str | None = None
    problem_line: int | None = None


@dataclass(frozen=True, slots=True)
class RareValue:
    """A value that few rows of a column hold, with the 1-based line of the first."""

    value: str
    count: int
    first_line: int


@dataclass(frozen=True, slots=True)
class Column:
    """What one column of a table (one key of its records) holds; lines are 1-based.

    ``filled`` counts the rows with a value, ``empty_lines`` the first of those without one,
    ``missing_lines`` the first that lack the column (a row cut short, a record without the key).
    ``minimum`` and ``maximum`` are of the ``numbers`` numeric values; ``odd`` are the first values
    that are no number (or not finite) in a column that otherwise holds numbers. ``shortest`` and
    ``longest`` are lengths of texts (characters) and lists (items). ``distinct`` is None beyond
    what is counted;
    ``rare`` are the least frequent values of a column with few distinct ones.
    """

    name: str
    filled: int
    empty_lines: tuple[int, ...]
    missing_lines: tuple[int, ...]
    numbers: int
    minimum: float | None
    minimum_line: int | None
    maximum: float | None
    maximum_line: int | None
    shortest: int | None
    shortest_line: int | None
    longest: int | None
    distinct: int | None
    rare: tuple[RareValue, ...]
    odd: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A data file in outline: delimited text, JSON lines, or a JSON list of records.

    ``delimiter`` is empty for JSON; ``header_line`` is None where the first row is data already
    (the columns are then named by their index); ``ragged`` gives the first (line, number of
    fields) of rows that are not as wide as most; ``is_cut`` says that only the beginning was read.
    """

    file: str
    delimiter: str
    header_line: int | None
    rows: int
    columns: tuple[Column, ...]
    ragged: tuple[tuple[int, int], ...] = ()
    is_cut: bool = False
    problem: str | None = None
    problem_line: int | None = None

    def column(self, name: str) -> Column | None:
        """Return the column of a name, or None."""
        return next((column for column in self.columns if column.name == name), None)
