"""What every config reader returns, and the cap that hostile files run into."""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar

MOST_ENTRIES = 20_000
LONGEST_TEXT = 400


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """The entries that could be read, and the first problem with its 1-based line."""

    entries: tuple[ConfigEntry, ...]
    problem: str | None = None
    problem_line: int | None = None


def entry(
    file: str,
    line: int,
    path: tuple[str | int, ...],
    value: Scalar,
    text: str,
    *,
    end_line: int | None = None,
    length: int | None = None,
) -> ConfigEntry:
    """Make an entry; ``text`` is cut where it is longer than any setting."""
    if isinstance(value, str):
        value = value[:LONGEST_TEXT]
    end = line if end_line is None else max(line, end_line)
    return ConfigEntry(file, line, end, path, value, text[:LONGEST_TEXT], length)


def plain_scalar(text: str) -> Scalar:
    """Read a bare word as a person means it: numbers and booleans typed, the rest as text."""
    word = text.strip()
    lowered = word.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered in ("none", "null"):
        return None
    if len(word) > 40 or not word or not (word[0].isdigit() or word[0] in "+-."):
        return word
    try:
        return int(word)
    except ValueError:
        pass
    try:
        return float(word)
    except ValueError:
        return word


def unquoted(text: str) -> str:
    """Strip one pair of quotes around a word."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
