"""Entries of INI-like files: ``configparser``'s dialect, ``.env`` files, plain ``key = value``."""

from __future__ import annotations

import re
from collections import Counter

from dl_bug_lsp.workspace.configs.reading import (
    MOST_ENTRIES,
    ConfigReading,
    entry,
    plain_scalar,
    unquoted,
)
from dl_bug_lsp.workspace.contents import ConfigEntry

_SECTION = re.compile(r"\[([^\]\n]+)\][ \t]*(?:[#;].*)?$")
_KEY = re.compile(r"([^\s=:#;\[][^=:\n]*)[=:](?!=)[ \t]*(.*)$")
_ENV = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$")
_INLINE_COMMENT = re.compile(r"(?<=[ \t])[#;].*$")
_LONGEST_LINE = 4000


def read_ini_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every key, and one for each line of a value of many lines.

    A section that comes again, as the layers of Darknet's networks do, has its number in the path.
    """
    seen: Counter[str] = Counter()
    entries: list[ConfigEntry] = []
    problem: tuple[str | None, int | None] = (None, None)
    section: tuple[str | int, ...] = ()
    open_entry: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line[:_LONGEST_LINE].strip()
        if not stripped or stripped[0] in "#;" or len(entries) >= MOST_ENTRIES:
            continue
        header = _SECTION.match(stripped)
        if header and not line[0].isspace():
            name, open_entry = header.group(1), None
            section = (name, seen[name]) if seen[name] else (name,)
            seen[name] += 1
            entries.append(entry(file, number, section, None, stripped, length=0))
        elif line[0].isspace() and open_entry is not None:
            _continue(entries, open_entry, number, stripped)
        else:
            match = _KEY.match(stripped)
            if match is None:
                if problem[0] is None:
                    problem = ("neither a section nor a key with its value", number)
                continue
            written = _INLINE_COMMENT.sub("", match.group(2)).strip()
            open_entry = len(entries)
            path = (*section, match.group(1).rstrip())
            entries.append(entry(file, number, path, plain_scalar(unquoted(written)), written))
    if problem[0] is None and entries and not _has_section(entries) and file.endswith(".ini"):
        problem = ("no section header before the first key", entries[0].line)
    return ConfigReading(tuple(entries), *problem)


def read_env_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every variable of an environment file."""
    entries: list[ConfigEntry] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _ENV.match(line[:_LONGEST_LINE])
        if match and len(entries) < MOST_ENTRIES:
            written = match.group(2).strip()
            if written[:1] not in ("'", '"'):
                written = _INLINE_COMMENT.sub("", written).rstrip()
            value = plain_scalar(unquoted(written))
            entries.append(entry(file, number, (match.group(1),), value, written))
    return ConfigReading(tuple(entries))


def _continue(entries: list[ConfigEntry], index: int, number: int, stripped: str) -> None:
    """Take an indented line as an item of the value above it."""
    top = entries[index]
    count = top.length or 0
    entries[index] = entry(
        top.file, top.line, top.path, top.value, top.text, end_line=number, length=count + 1
    )
    value = plain_scalar(_INLINE_COMMENT.sub("", stripped).rstrip())
    entries.append(entry(top.file, number, (*top.path, count), value, stripped))


def _has_section(entries: list[ConfigEntry]) -> bool:
    return len(entries[0].path) == 1 and entries[0].length == 0
