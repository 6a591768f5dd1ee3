"""Entries of Dockerfiles, Makefiles and requirement files (pip's format, PEP 508).

A Dockerfile or Makefile says what is set, copied and run; a requirement file, as other files that
declare dependencies, which distributions a program needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry, plain_scalar
from dl_bug_lsp.workspace.configs.shell_files import (
    Command,
    Word,
    command_entries,
    shell_entries,
    split_commands,
)
from dl_bug_lsp.workspace.contents import ConfigEntry

_INSTRUCTION = re.compile(r"[ \t]*([A-Za-z]+)[ \t]+(.*)$")
_VARIABLE = re.compile(r"(?:export[ \t]+)?([\w.-]+)[ \t]*(?:\?|:{1,3}|\+|!)?=[ \t]*(.*)$")
_TARGET = re.compile(r"([^\s:=#][^:=#]*)::?(?!=)(.*)$")
_LONGEST_LINE = 4000


def read_dockerfile(file: str, text: str) -> ConfigReading:
    """Return an entry for every instruction; ``RUN`` and ``CMD`` are read as shell commands."""
    entries: list[ConfigEntry] = []
    for lines in _instructions(text):
        number, first = lines[0]
        match = _INSTRUCTION.match(first[:_LONGEST_LINE])
        if match is None or len(entries) >= MOST_ENTRIES:
            continue
        name = match.group(1).upper()
        rest = [(number, match.group(2)), *lines[1:]]
        written = " ".join(part.rstrip("\\ \t").strip() for _, part in rest)
        value = None if name in ("ENV", "ARG", "LABEL") else written
        entries.append(entry(file, number, (name,), value, written, end_line=lines[-1][0]))
        if name in ("ENV", "ARG", "LABEL"):
            entries.extend(_variables(file, name, rest))
        elif name in ("RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"):
            entries.extend(_run(file, written, rest))
    return ConfigReading(tuple(entries))


def read_makefile(file: str, text: str) -> ConfigReading:
    """Return an entry for every variable, target and recipe command."""
    entries: list[ConfigEntry] = []
    problem: tuple[str | None, int | None] = (None, None)
    recipe: list[tuple[int, str]] = []
    in_rule = continued = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line[:_LONGEST_LINE]
        if line.startswith("\t"):
            recipe.append((number, line[1:] if continued else line.lstrip("\t @-+")))
            continued = line.endswith("\\")
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        variable = _VARIABLE.match(line.strip())
        target = None if variable else _TARGET.match(line)
        if line[0] == " " and in_rule and variable is None and problem[0] is None:
            problem = ("a recipe line that starts with blanks in place of a tab", number)
        if variable:
            path, written = (variable.group(1),), variable.group(2)
            entries.append(entry(file, number, path, plain_scalar(written), written))
        elif target:
            in_rule = True
            entries.append(
                entry(file, number, (target.group(1).rstrip(),), None, line.strip(), length=0)
            )
    recipe_entries, _, _ = shell_entries(file, recipe)
    merged = sorted([*entries, *recipe_entries], key=lambda e: e.line)
    return ConfigReading(tuple(merged[:MOST_ENTRIES]), *problem)


def _instructions(text: str) -> list[list[tuple[int, str]]]:
    """Group numbered lines by instruction: a backslash continues, comments in between vanish."""
    groups: list[list[tuple[int, str]]] = []
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("#") or not stripped:
            continue
        if continued:
            groups[-1].append((number, line))
        else:
            groups.append([(number, line)])
        continued = stripped.endswith("\\")
    return groups


def _variables(file: str, name: str, lines: list[tuple[int, str]]) -> list[ConfigEntry]:
    """Read ``ENV a=1 b=2`` and the older ``ENV a 1``."""
    commands, _, _ = split_commands(lines)
    words = [word for command in commands for word in command.words]
    if words and "=" not in words[0].text:
        text = " ".join(word.text for word in words[1:])
        return [entry(file, words[0].line, (name, words[0].text), plain_scalar(text), text)]
    entries: list[ConfigEntry] = []
    for word in words:
        key, _, value = word.text.partition("=")
        entries.append(entry(file, word.line, (name, key), plain_scalar(value), value))
    return entries


def _run(file: str, written: str, lines: list[tuple[int, str]]) -> list[ConfigEntry]:
    """Read the exec form, a JSON array, or the shell form of a command."""
    if written.startswith("["):
        try:
            words = json.loads(written)
        except (ValueError, RecursionError):
            words = []
        plain = [Word(word, lines[0][0]) for word in words if isinstance(word, str)]
        return command_entries(file, Command(plain)) if plain else []
    return shell_entries(file, lines)[0]


# ---------------------------------------------------------------------- requirements
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
        parsed = requirement(written)
        if parsed is not None:
            entries.append(entry(file, number, (parsed[0],), parsed[1], written))
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
    declarations: list[ConfigEntry] = []
    for item in entries:
        declared = _declared(item)
        if declared is not None:
            declarations.append(entry(item.file, item.line, (declared[0],), declared[1], item.text))
    return tuple(declarations)


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
