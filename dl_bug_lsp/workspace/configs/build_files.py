"""Entries of Dockerfiles and Makefiles: what they set, copy and run."""

from __future__ import annotations

import json
import re

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry, plain_scalar
from dl_bug_lsp.workspace.configs.shell_files import (
    Command,
    Word,
    command_entries,
    shell_entries,
    split_commands,
)
from dl_bug_lsp.workspace.values import ConfigEntry

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
    found, _, _ = shell_entries(file, recipe)
    merged = sorted([*entries, *found], key=lambda e: e.line)
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
