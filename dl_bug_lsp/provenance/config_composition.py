"""The settings of a config file, or of several that hydra composes, by their paths.

Composition follows the rules of hydra 1.1 and later: defaults list, packages, ``_self_``, groups
and ``override``.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

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
            paths.extend(
                _absolute(reference, entry.path) for reference in _INTERPOLATION.findall(text)
            )
        if text.startswith("!ref"):
            paths.extend(_parts(reference) for reference in _REFERENCE.findall(text))
        entries = (self._at.get(path) for path in paths)
        return [other for other in entries if other is not None and other.path != entry.path]


def is_reference(text: str) -> bool:
    """Whether a text is one reference and nothing besides: it then stands for what it refers to."""
    return bool(
        _INTERPOLATION.fullmatch(text.strip())
        or (text.startswith("!ref") and _REFERENCE.fullmatch(text.removeprefix("!ref").strip()))
    )


def filled_in(text: str, values: Iterable[object]) -> str:
    """Return a text with a value in the place of each of its references, one after the other."""
    rest = iter(values)
    pattern = _REFERENCE if text.startswith("!ref") else _INTERPOLATION
    return pattern.sub(lambda _: str(next(rest, "")), text.removeprefix("!ref").strip())


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
        first = next((at[inner] for inner in below[path] if inner in at), None)
        if path and first is not None and (path not in at or at[path].length is not None):
            table = at.get(path) or replace(first, value=None, text="")
            at[path] = replace(table, path=path, length=len(below[path]))
    return Settings(at.values())


def _is_list(path: EntryPath, below: dict[EntryPath, dict[EntryPath, None]]) -> bool:
    return any(isinstance(inner[-1], int) for inner in list(below.get(path, ()))[:1])


def _forget(
    path: EntryPath,
    at: dict[EntryPath, ConfigEntry],
    below: dict[EntryPath, dict[EntryPath, None]],
) -> None:
    """Drop what stands below a path that a later layer replaces."""
    queue = list(below.pop(path, ()))
    while queue:
        inner = queue.pop()
        at.pop(inner, None)
        queue.extend(below.pop(inner, ()))


MAX_CONFIGS = 80
MAX_NESTED = 12
_PACKAGE = re.compile(r"^#\s*@package:?\s+(\S+)", re.MULTILINE)
_KEY = re.compile(
    r"(?P<words>(?:(?:override|optional)\s+)*)(?P<group>[^@]+?)(?:@(?P<package>\S+))?$"
)
_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class _Default:
    """One item of a defaults list; ``group`` is None for a config of the same folder."""

    group: str | None
    options: tuple[str, ...]
    package: str | None
    overrides: bool


class _Composer:
    """Walks the defaults lists below one folder of configs."""

    def __init__(self, workspace: Workspace, folder: str, choices: dict[str, str]) -> None:
        self.workspace = workspace
        self.folder = folder
        self.files = frozenset(workspace.files())
        self.choices = choices
        self.given = frozenset(choices)
        self.read = 0

    def file(self, name: str) -> str | None:
        """Return the file of a config by its name below the folder."""
        plain = name.removesuffix(".yaml").removesuffix(".yml")
        path = posixpath.normpath(f"{self.folder}/{plain}" if self.folder else plain)
        return next((path + end for end in _ENDINGS if path + end in self.files), None)

    def layers(
        self, name: str, package: EntryPath, depth: int = 0
    ) -> Iterator[tuple[EntryPath, str]]:
        """Yield the files that a config consists of with their packages, what wins last."""
        file = self.file(name)
        if file is None or depth > MAX_NESTED or self.read >= MAX_CONFIGS:
            return
        self.read += 1
        folder = name.rpartition("/")[0]
        package = self._package(file, folder, package)
        own = False
        for item in self._defaults(file):
            if item is None:
                own = True
                yield package, file
            elif not item.overrides:
                yield from self._item(item, folder, package, depth)
        if not own:
            yield package, file

    def _item(
        self, item: _Default, folder: str, package: EntryPath, depth: int
    ) -> Iterator[tuple[EntryPath, str]]:
        if item.group is None:
            for option in item.options:
                yield from self.layers(_joined(folder, option), package, depth + 1)
            return
        group = _joined(folder, item.group)
        chosen = self.choices.get(group)
        options = item.options if chosen is None else tuple(chosen.strip("[]").split(","))
        below = tuple(p for p in item.group.strip("/").split("/") if p)
        inner = below if not item.group.startswith("/") else tuple(group.split("/"))
        start = package if not item.group.startswith("/") else ()
        if item.package == "_global_":
            start, inner = (), ()
        elif item.package == "_here_":
            inner = ()
        elif item.package is not None:
            inner = tuple(item.package.removeprefix("_global_.").split("."))
        for option in options:
            yield from self.layers(
                _joined(f"/{group}", option.strip()), (*start, *inner), depth + 1
            )

    def choose(self, name: str, depth: int = 0) -> None:
        """Collect the ``override`` items of the defaults lists; the command line wins over them."""
        file = self.file(name)
        if file is None or depth > MAX_NESTED or self.read >= MAX_CONFIGS:
            return
        self.read += 1
        folder = name.rpartition("/")[0]
        for item in self._defaults(file):
            if item is None:
                continue
            group = _joined(folder, item.group) if item.group is not None else folder
            if item.overrides:
                if group not in self.given and item.options:
                    self.choices[group] = ",".join(item.options)
                continue
            chosen = self.choices.get(group) if item.group is not None else None
            options = item.options if chosen is None else tuple(chosen.strip("[]").split(","))
            for option in options:
                self.choose(_joined(f"/{group}" if group else "", option.strip()), depth + 1)

    def _package(self, file: str, folder: str, package: EntryPath) -> EntryPath:
        head = (self.workspace.text(file) or "")[:2000]
        match = _PACKAGE.search(head)
        if match is None:
            return package
        if match[1] == "_global_":
            return ()
        if match[1] == "_group_":
            return tuple(folder.split("/")) if folder else ()
        return tuple(match[1].split("."))

    def _defaults(self, file: str) -> list[_Default | None]:
        """Return the items of a file's defaults list; None stands for ``_self_``."""
        items: dict[int, list[ConfigEntry]] = {}
        for entry in self.workspace.config_entries(file):
            if len(entry.path) >= 2 and entry.path[0] == "defaults" and type(entry.path[1]) is int:
                items.setdefault(entry.path[1], []).append(entry)
        defaults: list[_Default | None] = []
        for entries in items.values():
            plain = next((e for e in entries if len(e.path) == 2 and e.length is None), None)
            if plain is not None:
                if plain.value == "_self_":
                    defaults.append(None)
                elif isinstance(plain.value, str):
                    option, _, package = plain.value.partition("@")
                    defaults.append(_Default(None, (option,), package or None, False))
                continue
            keyed = next((e for e in entries if len(e.path) == 3), None)
            match = _KEY.match(str(keyed.path[2])) if keyed is not None else None
            if keyed is None or match is None:
                continue
            values = [e.value for e in entries if len(e.path) > 3] or [keyed.value]
            options = tuple(v for v in values if isinstance(v, str))
            overrides = "override" in match["words"]
            defaults.append(_Default(match["group"].strip(), options, match["package"], overrides))
        return defaults


def _joined(folder: str, name: str) -> str:
    """Return a group or config name from the config folder's top: ``/a`` is absolute."""
    path = name if name.startswith("/") or not folder else f"{folder}/{name}"
    return posixpath.normpath(path.lstrip("/")).removeprefix("./")


def _is_below(path: EntryPath, others: Iterable[EntryPath]) -> bool:
    return any(path[: len(other)] == other for other in others)


def composed(
    workspace: Workspace, folder: str, name: str, overrides: Iterable[ConfigEntry]
) -> tuple[Settings, tuple[str, ...]]:
    """Compose a config as hydra would; also return the files that went in, what wins first.

    ``overrides`` are words of the command line: a group's choice, or a value by its path; one that
    begins with ``~`` deletes what stands there.
    """
    deleted: list[EntryPath] = []
    choices: dict[str, str] = {}
    values: list[ConfigEntry] = []
    groups = {
        file[len(folder) :].strip("/").rpartition("/")[0]
        for file in workspace.files()
        if file.startswith(f"{folder}/" if folder else "") and file.endswith(_ENDINGS)
    }
    for word in overrides:
        parts = [str(part).lstrip("+~") for part in word.path]
        if any(isinstance(part, int) for part in word.path):
            continue
        group = "/".join(parts).partition("@")[0]
        if str(word.path[0]).startswith("~"):
            deleted.append(tuple(part for name in parts for part in name.split("/")))
            continue
        if len(parts) == 1 and group in groups:
            choices[group] = word.text
        elif "/".join(parts) not in groups:
            path = tuple(int(p) if p.isdigit() else p for p in parts)
            values.append(replace(word, path=path))
    composer = _Composer(workspace, folder, choices)
    composer.choose(name)
    composer.read = 0
    layers = list(composer.layers(name, ()))
    # A group that only the command line adds (``+experiment=a``) comes after all others.
    used = {file for _, file in layers}
    for group, option in choices.items():
        file = composer.file(f"{group}/{option}")
        if file is not None and file not in used and group in composer.given:
            layers.extend(composer.layers(f"{group}/{option}", tuple(group.split("/"))))
    parts_of_layers = [
        (package, [e for e in workspace.config_entries(file) if e.path[:1] != ("defaults",)])
        for package, file in layers
    ]
    if deleted:
        parts_of_layers = [
            (package, [e for e in held if not _is_below((*package, *e.path), deleted)])
            for package, held in parts_of_layers
        ]
    parts_of_layers.extend(((), [value]) for value in values)
    files = dict.fromkeys(file for _, file in reversed(layers))
    return layered(parts_of_layers), tuple(files)
