"""The values that the workspace hands out: elements of source files, config entries, places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Place:
    """A range of lines of a workspace file; lines are 1-based and inclusive, ``/`` separates."""

    file: str
    line: int
    end_line: int
    function: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionElement:
    """A function, method or class: its dotted name inside the file, lines, and its words.

    ``name`` is as in ``Class.method``; ``terms`` are the lower-case sub-words of identifiers,
    strings and comments in order, with repetitions (the document of the text retrieval).
    """

    name: str
    line: int
    end_line: int
    is_class: bool
    terms: tuple[str, ...]


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
        names = [part for part in self.path if isinstance(part, str)]
        return names[-1] if names else ""


@dataclass(frozen=True, slots=True)
class FileElements:
    """What the index keeps of one file: small, cacheable by content, no syntax tree.

    ``terms`` are those of the whole file; ``imports`` the dotted modules it imports; ``problem``
    one sentence where the file could not be parsed.
    """

    file: str
    functions: tuple[FunctionElement, ...]
    imports: tuple[str, ...]
    terms: tuple[str, ...]
    entries: tuple[ConfigEntry, ...] = ()
    problem: str | None = None
    problem_line: int | None = None
