"""The settings of a config file, or of several composed into one, by their paths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from dl_bug_lsp.workspace.values import ConfigEntry

EntryPath: TypeAlias = "tuple[str | int, ...]"
_INTERPOLATION = re.compile(r"\$\{(?:oc\.select:)?([\w.\[\]/-]+)(?:,[^{}]*)?\}")
_REFERENCE = re.compile(r"<([\w.\[\]-]+)>")
_PART = re.compile(r"[^.\[\]]+")
MAX_LAYERED = 20_000


class Settings:
    """Entries looked up by their paths instead of searched for."""

    def __init__(self, entries: Iterable[ConfigEntry]) -> None:
        self._at: dict[EntryPath, ConfigEntry] = {}
        self._below: dict[EntryPath, list[ConfigEntry]] = defaultdict(list)
        for entry in entries:
            self._at.setdefault(entry.path, entry)
            if entry.path:
                self._below[entry.path[:-1]].append(entry)

    def at(self, path: EntryPath) -> ConfigEntry | None:
        """Return the first entry of a path."""
        return self._at.get(path)

    def below(self, path: EntryPath) -> tuple[ConfigEntry, ...]:
        """Return the entries one step below a path, in the file's order."""
        return tuple(self._below.get(path, ()))

    def all(self) -> tuple[ConfigEntry, ...]:
        """Return all entries."""
        return tuple(self._at.values())

    def referred(self, entry: ConfigEntry) -> list[ConfigEntry]:
        """Return the entries that an entry's text refers to: ``${a.b}``, ``!ref <a>``, ``$A``."""
        paths: list[EntryPath] = []
        text = entry.text if isinstance(entry.value, str) else ""
        if "${" in text:
            paths.extend(_absolute(found, entry.path) for found in _INTERPOLATION.findall(text))
        if text.startswith("!ref"):
            paths.extend(_parts(found) for found in _REFERENCE.findall(text))
        found = (self._at.get(path) for path in paths)
        return [one for one in found if one is not None and one.path != entry.path]


def is_reference(text: str) -> bool:
    """Whether a text is one reference and nothing besides: it then stands for what it refers to."""
    return bool(
        _INTERPOLATION.fullmatch(text.strip())
        or (text.startswith("!ref") and _REFERENCE.fullmatch(text.removeprefix("!ref").strip()))
    )


def filled_in(text: str, values: Iterable[object]) -> str:
    """Return a text with a value in the place of each of its references, one after the other."""
    given = iter(values)
    pattern = _REFERENCE if text.startswith("!ref") else _INTERPOLATION
    return pattern.sub(lambda _: str(next(given, "")), text.removeprefix("!ref").strip())


def _parts(text: str) -> EntryPath:
    return tuple(int(p) if p.isdigit() else p for p in _PART.findall(text))


def _absolute(text: str, path: EntryPath) -> EntryPath:
    """Return what a reference means at a path: with a dot in front it is relative (OmegaConf)."""
    dots = len(text) - len(text.lstrip("."))
    base = path[: max(len(path) - dots, 0)] if dots else ()
    return (*base, *_parts(text[dots:]))


def layered(layers: Iterable[tuple[EntryPath, Iterable[ConfigEntry]]]) -> Settings:
    """Merge layers, each below a path: what comes later wins, tables are merged, lists are not."""
    at: dict[EntryPath, ConfigEntry] = {}
    below: dict[EntryPath, dict[EntryPath, None]] = defaultdict(dict)
    for prefix, entries in layers:
        for depth in range(1, len(prefix) + 1):
            below[prefix[: depth - 1]].setdefault(prefix[:depth])
        for entry in entries:
            path = (*prefix, *entry.path)
            old = at.get(path)
            if old is not None and (entry.length is None or _is_list(path, below)):
                _forget(path, at, below)
            at[path] = replace(entry, path=path)
            if len(at) > MAX_LAYERED:
                break
            for depth in range(1, len(path) + 1):
                below[path[: depth - 1]].setdefault(path[:depth])
    for path in list(below):
        first = next((at[one] for one in below[path] if one in at), None)
        if path and first is not None and (path not in at or at[path].length is not None):
            table = at.get(path) or replace(first, value=None, text="")
            at[path] = replace(table, path=path, length=len(below[path]))
    return Settings(at.values())


def _is_list(path: EntryPath, below: dict[EntryPath, dict[EntryPath, None]]) -> bool:
    return any(isinstance(one[-1], int) for one in list(below.get(path, ()))[:1])


def _forget(
    path: EntryPath,
    at: dict[EntryPath, ConfigEntry],
    below: dict[EntryPath, dict[EntryPath, None]],
) -> None:
    """Drop what stands below a path that a later layer replaces."""
    queue = list(below.pop(path, ()))
    while queue:
        one = queue.pop()
        at.pop(one, None)
        queue.extend(below.pop(one, ()))
