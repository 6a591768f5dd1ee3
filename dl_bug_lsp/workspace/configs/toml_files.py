"""Entries of TOML documents (TOML 1.0.0).

Each statement is parsed by itself, so that a broken line costs only itself.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry
from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

_HEADER = re.compile(r"[ \t]*(\[\[?)([^\[\]\n]+)\]\]?[ \t]*(?:#.*)?$")
_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_STATEMENT = re.compile(rf"[ \t]*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)[ \t]*=[ \t]*")
_KEY_PART = re.compile(_PART)
_LEXEME = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}'
    r'|"""[\s\S]*|\'\'\'[\s\S]*|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|["\'][^\n]*'
    r'|#[^\n]*|[\[\]{},\n]|[^\[\]{},\n"\'#]+',
    re.DOTALL,
)
_ERROR_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_DOTTED = re.compile(r"[\w\"'-]+[ \t]*(\.?)[ \t]*")
_MOST_PARTS = 64
"""Parts of a dotted key: the standard library takes the square of their number."""
_MOST_READ = 8
"""How often a document's values are read, as often as arrays lie in each other."""
_MOST_LINES = 2000
_MOST_UNCLOSED = 10
"""Of so many values the closing bracket is looked for in vain: a file may have one on each line."""
_Path = tuple[str | int, ...]


@dataclass(slots=True)
class _Item:
    """An element of an array as written, with its 1-based lines."""

    text: str
    line: int
    end_line: int


def read_toml_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every table, key and array item."""
    lines = text.split("\n")
    deep = next((at for at, line in enumerate(lines, 1) if _is_deep(line)), None)
    if deep is not None:
        return ConfigReading((), f"a key of more than {_MOST_PARTS} parts", deep)
    problem, problem_line = _strict_problem(text)
    budget = [_MOST_READ * len(text) + 100_000]
    entries: list[ConfigEntry] = []
    table: _Path = ()
    counts: dict[_Path, int] = {}
    number = unclosed = 0
    while number < len(lines) and len(entries) < MOST_ENTRIES:
        line = lines[number]
        header = _HEADER.match(line)
        statement = None if header else _STATEMENT.match(line)
        last = number
        if header:
            table = _table_path(header, counts)
            entries.append(entry(file, number + 1, table, None, line.strip(), length=0))
        elif statement:
            reach = _MOST_LINES if unclosed < _MOST_UNCLOSED else 1
            raw, last, is_closed = _raw_value(lines[number : number + reach], statement.end())
            last, unclosed = number + last, unclosed + (not is_closed)
            path = (*table, *_key_path(statement.group(1)))
            _value_entries(file, _Item(raw, number + 1, last + 1), path, entries, budget)
        number = last + 1
    return ConfigReading(tuple(entries), problem, problem_line)


def _strict_problem(text: str) -> tuple[str | None, int | None]:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        words = str(error)
        match = _ERROR_LINE.search(words)
        at_end = text.count("\n") + (not text.endswith("\n"))
        line = int(match.group(1)) if match else max(at_end, 1)
        return words.split(" (at", 1)[0], line
    except (RecursionError, ValueError) as error:
        return str(error)[:200], 1
    return None, None


def _table_path(header: re.Match[str], counts: dict[_Path, int]) -> _Path:
    """``[[table]]`` counts its appearances; ``[table.sub]`` belongs to the latest of them."""
    names = _key_path(header.group(2))
    path: _Path = ()
    for index, name in enumerate(names):
        path = (*path, name)
        is_last = index == len(names) - 1
        if is_last and header.group(1) == "[[":
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _key_path(dotted: str) -> tuple[str, ...]:
    parts = _KEY_PART.findall(dotted)
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in parts)


def _raw_value(lines: list[str], column: int) -> tuple[str, int, bool]:
    """Return a value as written, its last line's index and whether its brackets are closed.

    The value starts at ``column`` of the first line; an unclosed one ends with that line.
    """
    first = lines[0][column:]
    if not any(mark in first for mark in ('"""', "'''", "[", "{")):
        return _without_comment(first), 0, True
    depth = 0
    taken: list[str] = []
    for match in _LEXEME.finditer("\n".join([first, *lines[1:]])):
        lexeme = match.group()
        if lexeme == "\n" and depth == 0:
            break
        depth += (lexeme in "[{") - (lexeme in "]}")
        taken.append(" " * len(lexeme) if lexeme[0] == "#" else lexeme)
    else:
        if depth > 0:
            return _without_comment(first), 0, False
    raw = "".join(taken).rstrip()
    return raw, raw.count("\n"), True


def _without_comment(raw: str) -> str:
    lexemes = (match.group() for match in _LEXEME.finditer(raw))
    return "".join(part for part in lexemes if part[0] != "#").strip()


def _is_deep(line: str) -> bool:
    """Say whether a key has so many parts that the standard library's reader never ends."""
    if line.count(".") <= _MOST_PARTS:
        return False
    parts = 0
    for match in _DOTTED.finditer(line):
        parts = parts + 1 if match[1] else 0
        if parts > _MOST_PARTS:
            return True
    return False


def _value_entries(
    file: str, item: _Item, path: _Path, entries: list[ConfigEntry], budget: list[int]
) -> None:
    budget[0] -= len(item.text)
    try:
        if budget[0] < 0:
            raise ValueError("each level of an array is read anew, and there are many")
        value: Any = tomllib.loads(f"v = {item.text.strip()}")["v"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        value = item.text
    if isinstance(value, list):
        length = len(value)
        entries.append(
            entry(file, item.line, path, None, "", end_line=item.end_line, length=length)
        )
        parts = _items(item)
        for index, part in enumerate(parts[:MOST_ENTRIES]):
            _value_entries(file, part, (*path, index), entries, budget)
    elif isinstance(value, dict):
        entries.append(
            entry(file, item.line, path, None, item.text, end_line=item.end_line, length=len(value))
        )
        for key, inner in value.items():
            _plain_entries(file, item, inner, (*path, key), entries)
    else:
        entries.append(
            entry(file, item.line, path, _scalar(value), item.text, end_line=item.end_line)
        )


def _plain_entries(
    file: str, item: _Item, value: Any, path: _Path, entries: list[ConfigEntry]
) -> None:
    """Enter what stands in an inline table, all of it on the table's own lines."""
    nested = value if isinstance(value, (list, dict)) else None
    length = len(nested) if nested is not None else None
    text = "" if nested is not None else str(value)
    entries.append(
        entry(file, item.line, path, _scalar(value), text, end_line=item.end_line, length=length)
    )
    pairs = nested.items() if isinstance(nested, dict) else enumerate(nested or ())
    for key, inner in pairs:
        _plain_entries(file, item, inner, (*path, key), entries)


def _items(array: _Item) -> list[_Item]:
    """Split an array as written at its own commas, each item with its lines."""
    items: list[_Item] = []
    depth, line, first, taken = 0, array.line, array.line, ""
    for match in _LEXEME.finditer(array.text):
        lexeme = match.group()
        depth += lexeme in "[{"
        if (depth == 1 and lexeme == ",") or (depth == 1 and lexeme == "]"):
            if taken.strip():
                items.append(_Item(taken.strip(), first, line))
            taken = ""
        elif depth > 1 or (depth == 1 and lexeme != "["):
            if not taken.strip():
                first = line
            taken += lexeme
        depth -= lexeme in "]}"
        line += lexeme.count("\n")
    return items


def _scalar(value: object) -> Scalar:
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return None if isinstance(value, (list, dict)) else str(value)
