"""The settings of a project: ``[tool.dl-bug-lsp]`` in its ``pyproject.toml``, with their lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.settings.reading import Given, Problem, read_given
from dl_bug_lsp.settings.table import BY_KEY, PROJECT_TABLE, kebab

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.values import ConfigEntry

FILE = "pyproject.toml"
_TABLE = ("tool", PROJECT_TABLE)


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What a project sets; ``complaints`` are (1-based line, sentence) of what was ignored."""

    given: Given = field(default_factory=Given)
    complaints: tuple[tuple[int, str], ...] = ()


def read_project(entries: Iterable[ConfigEntry]) -> ProjectSettings:
    """Read the entries of a ``pyproject.toml``."""
    raw: Any = None
    lines: dict[tuple[str, ...], int] = {}
    for entry in entries:
        if entry.path[: len(_TABLE)] != _TABLE:
            continue
        path = entry.path[len(_TABLE) :]
        if not path:
            raw = {} if raw is None and entry.length is not None else raw
            lines[()] = entry.line
            if entry.length is None:
                raw = entry.value
            continue
        raw = raw if isinstance(raw, dict) else {}
        lines.setdefault(tuple(str(part) for part in path), entry.line)
        _put(raw, path, entry)
    given = _of_project(read_given(_with_lists(raw)))
    complaints = []
    for problem in given.problems:
        at = problem.path
        while at and at not in lines:
            at = at[:-1]
        name = ".".join(problem.path) or f"tool.{PROJECT_TABLE}"
        stop = "" if problem.words.endswith("?") else "."
        words = f"The setting '{name}' is ignored: it {problem.words}{stop}"
        complaints.append((lines.get(at, 1), words))
    return ProjectSettings(given, tuple(complaints))


def _of_project(given: Given) -> Given:
    """Return what a project may set: nothing that leads out of it."""
    wrong = [key for key in given.values if BY_KEY[key].of_user]
    problems = [Problem((kebab(key),), "can be set in the editor alone") for key in wrong]
    values = {key: value for key, value in given.values.items() if key not in wrong}
    return Given(values, (*given.problems, *problems))


def _put(table: dict[str | int, Any], path: tuple[str | int, ...], entry: ConfigEntry) -> None:
    for part in path[:-1]:
        inner = table.get(part)
        if not isinstance(inner, dict):
            inner = table[part] = {}
        table = inner
    if entry.length is None:
        table[path[-1]] = entry.value
    else:
        table.setdefault(path[-1], {})


def _with_lists(value: Any) -> Any:
    """Turn tables whose keys are all numbers into the lists that they were."""
    if not isinstance(value, Mapping):
        return value
    if value and all(isinstance(key, int) for key in value):
        return [_with_lists(item) for item in value.values()]
    return {key: _with_lists(item) for key, item in value.items()}
