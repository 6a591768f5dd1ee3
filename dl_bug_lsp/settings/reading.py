"""Reading settings: of an editor, and of ``[tool.dl-bug-lsp]`` in a ``pyproject.toml``.

Values of a wrong type and unknown keys are ignored and named; nothing is raised.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.settings.table import (
    BY_KEY,
    PROJECT_TABLE,
    SETTINGS,
    TABLES,
    Kind,
    Setting,
    camel,
    kebab,
)

if TYPE_CHECKING:
    from dl_bug_lsp.report import Options
    from dl_bug_lsp.workspace.contents import ConfigEntry


MOST = 10_000
Path = tuple[str, ...]


def _options(*values: Any) -> Options:
    # Imported here: the server answers `initialize` before anything is localized.
    from dl_bug_lsp.report import Options

    return Options(*values)


def field_of(key: str) -> str:
    """Return the field of `Settings` for a key: ``logs_include`` for ``logs.include``."""
    return kebab(key).replace("-", "_").replace(".", "_")


_DEFAULTS: dict[str, Any] = {
    field_of(setting.key): tuple(setting.default) if setting.default == [] else setting.default
    for setting in SETTINGS
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for a folder: of each row of `table.SETTINGS` the field named by `field_of`.

    Defaults are those of the table. The first three rows are in ``options``. ``logs_include`` None
    means the logs of usual names.
    """

    options: Options = field(default_factory=_options)
    max_diagnostics: int = _DEFAULTS["max_diagnostics"]
    min_score: float = _DEFAULTS["min_score"]
    warning_from: float = _DEFAULTS["warning_from"]
    information_from: float = _DEFAULTS["information_from"]
    code_lens: bool = _DEFAULTS["code_lens"]
    keep_failures: bool = _DEFAULTS["keep_failures"]
    hover: bool = _DEFAULTS["hover"]
    logs_watch: bool = _DEFAULTS["logs_watch"]
    logs_polling: bool = _DEFAULTS["logs_polling"]
    logs_include: tuple[str, ...] | None = _DEFAULTS["logs_include"]
    logs_exclude: tuple[str, ...] = _DEFAULTS["logs_exclude"]
    spectrum_watch: bool = _DEFAULTS["spectrum_watch"]
    spectrum_lenses: bool = _DEFAULTS["spectrum_lenses"]
    spectrum_junit: tuple[str, ...] | None = _DEFAULTS["spectrum_junit"]
    triage_folder: str | None = _DEFAULTS["triage_folder"]
    check_when: str = _DEFAULTS["check_when"]
    check_strict: bool = _DEFAULTS["check_strict"]
    check_ignore: tuple[str, ...] = _DEFAULTS["check_ignore"]
    check_exclude: tuple[str, ...] = _DEFAULTS["check_exclude"]


_OF_OPTIONS = ("top", "topFiles", "pathMap")


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting that was ignored: the way to it as it was written, and half a sentence."""

    path: Path
    words: str


@dataclass(frozen=True, slots=True)
class Given:
    """The values that somebody set, by key, and what was wrong with others."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_given(raw: Any) -> Given:
    """Read nested tables; keys may be in camel case or with hyphens, with dots or nested.

    A value None counts as not set.
    """
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    if raw is None:
        return Given()
    if not isinstance(raw, dict):
        return Given({}, (Problem((), "must be a table"),))
    _read_table(raw, (), values, problems)
    return Given(values, tuple(problems))


def _read_table(
    raw: dict[Any, Any], at: Path, values: dict[str, Any], problems: list[Problem]
) -> None:
    for name, value in raw.items():
        path = (*at, str(name))
        key = ".".join(camel(part) for part in path)
        setting = BY_KEY.get(key)
        if value is None:
            continue
        if setting is None and key in TABLES:
            if isinstance(value, dict):
                _read_table(value, path, values, problems)
            else:
                problems.append(Problem(path, "must be a table"))
        elif setting is None:
            problems.append(Problem(path, _unknown(key, "-" in ".".join(path))))
        else:
            read = _value(setting, value)
            if read is None:
                problems.append(Problem(path, f"must be {setting.wanted}"))
            else:
                values[key] = read


def _unknown(key: str, has_hyphens: bool) -> str:
    import difflib

    near = difflib.get_close_matches(key[:100], list(BY_KEY), 1, 0.7)
    spelled = [kebab(name) if has_hyphens else name for name in near]
    return f"is no setting; did you mean '{spelled[0]}'?" if spelled else "is no setting"


def _value(setting: Setting, value: Any) -> Any:
    """Return a value as it is kept, None where it is not of the setting's kind."""
    if setting.kind is Kind.FLAG:
        return value if isinstance(value, bool) else None
    if setting.kind is Kind.CHOICE:
        return value if value in setting.choices else None
    if setting.kind in (Kind.COUNT, Kind.SHARE):
        return _number(setting, value)
    if setting.kind is Kind.TEXT:
        return value if isinstance(value, str) and value.strip() else None
    if setting.kind is Kind.GLOBS:
        listed = list(value.values()) if value == {} else value
        is_list = isinstance(listed, list) and all(isinstance(v, str) and v for v in listed)
        return tuple(listed) if is_list else None
    if isinstance(value, dict) and all(
        isinstance(part, str) and part for pair in value.items() for part in pair
    ):
        return tuple(sorted(value.items()))
    return None


def _number(setting: Setting, value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        return None
    if setting.kind is Kind.SHARE:
        return float(value) if 0 <= value <= 1 else None
    if value < setting.least or (value <= MOST and value != int(value)):
        return None
    return int(min(value, MOST))


def settings_of(*given: Given) -> Settings:
    """Return what holds: of several the later win, key by key; the defaults for the rest."""
    values: dict[str, Any] = {}
    for source in given:
        values.update(source.values)
    top, files, paths = (values.pop(key, BY_KEY[key].default) for key in _OF_OPTIONS)
    options = _options(top, files, tuple(paths))
    return Settings(options, **{field_of(key): value for key, value in values.items()})


# ---------------------------------------------------------------------- pyproject.toml
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
