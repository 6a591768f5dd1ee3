"""Requirement files (pip's format, PEP 508) and the dependencies that other files declare."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry
from dl_bug_lsp.workspace.values import ConfigEntry

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9][\w.-]*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*"
    r"(@[ \t]*\S+|\(?[ \t]*(?:[=<>!~]=?=?|===)[^;#\n]*)?[ \t]*(?:;[^#\n]*)?(?:#.*)?$"
)
_CONDA = re.compile(r"(?:[\w.-]+::)?([A-Za-z0-9][\w.-]*)[ \t]*([=<>!~ ][^#\n]*)?$")
_OPTION = re.compile(r"(--?[\w-]+)(?:[ \t=]+(\S.*))?$")
_LONGEST = 500
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")
_INSTALLERS = frozenset(("pip", "pip3", "uv", "conda", "mamba", "micromamba"))
_LISTS = frozenset(("dependencies", "install_requires", "requires", "setup_requires"))


def read_requirements(file: str, text: str) -> ConfigReading:
    """Return an entry for every requirement: its name as path, its version part as value."""
    entries: list[ConfigEntry] = []
    problem: tuple[str | None, int | None] = (None, None)
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        written = _COMMENT.sub("", line[:_LONGEST]).strip()
        carries_on, continued = continued, written.endswith("\\")
        written = written.rstrip("\\").strip()
        if carries_on or not written or len(entries) >= MOST_ENTRIES:
            continue
        option = _OPTION.match(written) if written[0] == "-" else None
        if option:
            path = (option.group(1),)
            entries.append(entry(file, number, path, option.group(2) or True, written))
            continue
        found = requirement(written)
        if found is not None:
            entries.append(entry(file, number, (found[0],), found[1], written))
        elif problem[0] is None and "/" not in written and ":" not in written:
            problem = ("not a requirement", number)
    return ConfigReading(tuple(entries), *problem)


def requirement(written: str) -> tuple[str, str] | None:
    """Split a requirement into name and version part (``("torch", ">=2.1")``), None for no such."""
    match = _REQUIREMENT.match(written.strip()[:_LONGEST])
    if match is None:
        return None
    return match.group(1), (match.group(2) or "").strip("() \t")


def dependencies(entries: Iterable[ConfigEntry]) -> tuple[ConfigEntry, ...]:
    """Return what entries of any file declare as dependencies, each with its name as path.

    Known places: requirement and constraint files, ``pyproject.toml`` (PEP 621 and Poetry),
    ``setup.cfg``, conda's ``environment.yml``, and ``pip install`` lines.
    """
    found: list[ConfigEntry] = []
    for item in entries:
        declared = _declared(item)
        if declared is not None:
            found.append(entry(item.file, item.line, (declared[0],), declared[1], item.text))
    return tuple(found)


def _declared(item: ConfigEntry) -> tuple[str, str] | None:
    name = item.file.rpartition("/")[2].lower()
    path, value = item.path, item.value
    if is_requirements_name(name):
        return (str(path[0]), str(value)) if not str(path[0]).startswith("-") else None
    if not isinstance(value, str):
        return None
    names = [part for part in path if isinstance(part, str)]
    if name.endswith((".yml", ".yaml")):
        if names[:1] != ["dependencies"]:
            return None
        if names[-1] == "pip":
            return requirement(value)
        match = _CONDA.match(value[:_LONGEST])
        return (match.group(1), (match.group(2) or "").strip()) if match else None
    if name == "pyproject.toml" and names[:2] == ["tool", "poetry"] and "dependencies" in names:
        rest = names[names.index("dependencies") + 1 :]
        declares = len(rest) == 1 or rest[1:] == ["version"]
        return (rest[0], value) if rest and declares and isinstance(path[-1], str) else None
    is_list = names[-1:] and (names[-1] in _LISTS or "optional-dependencies" in names)
    is_list = is_list or "options.extras_require" in names
    if name in ("pyproject.toml", "setup.cfg") and is_list and isinstance(path[-1], int):
        return requirement(value)
    if names[:1] and names[0] in _INSTALLERS and isinstance(path[-1], int):
        return requirement(value) if value not in ("install", "pip") else None
    return None


def is_requirements_name(name: str) -> bool:
    """Tell a pip requirement or constraint file by its lower-case name."""
    stem = name.rpartition("/")[2]
    return stem.endswith((".txt", ".in")) and ("requirements" in stem or "constraints" in stem)
