"""From a dotted module to the workspace file that Python would import; packages in wheels.

Packages that lie in the workspace as wheels are in no listing of sources.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

_SOURCE_FOLDERS = ("src", "python", "lib", "code")


def module_file(
    files: AbstractSet[str],
    module: str,
    importer: str | None = None,
    named: Mapping[str, list[str]] | None = None,
) -> str | None:
    """Return the file of a module, or None for a library's, a namespace package or an unknown one.

    A package comes before a module of the same name, as in the import system's path finder.
    ``named`` is `by_name` of the files, for a caller that asks often.
    """
    name = module.lstrip(".")
    level = len(module) - len(name)
    parts = name.split(".") if name else []
    if any(not part.isidentifier() for part in parts):
        return None
    if level:
        folder = _package_folder(importer, level)
        return None if folder is None else _in_folder(files, folder, parts)
    if not parts:
        return None
    is_standard = parts[0] in sys.stdlib_module_names
    for folder in source_roots(files, importer):
        if is_standard and folder and f"{folder}/__init__.py" in files:
            continue  # A package's own ``logging.py`` is imported with the package's name.
        file = _in_folder(files, folder, parts)
        if file:
            return file
    return _by_suffix(by_name(files) if named is None else named, parts)


def by_name(files: Iterable[str]) -> dict[str, list[str]]:
    """Return Python files by the last part of their modules' names."""
    modules: dict[str, list[str]] = {}
    for file in files:
        if file.endswith(".py"):
            stem = file.removesuffix(".py").removesuffix("/__init__")
            modules.setdefault(stem.rpartition("/")[2], []).append(file)
    return modules


def source_roots(files: AbstractSet[str], importer: str | None) -> list[str]:
    """Return the folders that may stand on ``sys.path`` for an importer, most likely first.

    A script's own folder comes first; for a module of a package it is the folder above the package.
    """
    roots: list[str] = []
    if importer is not None:
        own = _parent(importer)
        above = own
        while above and f"{above}/__init__.py" in files:
            above = _parent(above)
        if above == own:
            roots.append(own)
        else:
            roots.extend(("", above))
    roots.extend(("", *_SOURCE_FOLDERS))
    if importer is not None:
        folder = _parent(importer)
        while folder:
            roots.append(folder)
            folder = _parent(folder)
    return list(dict.fromkeys(roots))


def _package_folder(importer: str | None, level: int) -> str | None:
    """Return the folder that ``level`` leading dots mean; None above the root."""
    if importer is None:
        return "" if level == 1 else None
    folder = _parent(importer)
    for _ in range(level - 1):
        if not folder:
            return None
        folder = _parent(folder)
    return folder


def _in_folder(files: AbstractSet[str], folder: str, parts: list[str]) -> str | None:
    stem = "/".join(([folder] if folder else []) + parts)
    candidates = [f"{stem}/__init__.py" if stem else "__init__.py"]
    if parts:
        candidates.append(f"{stem}.py")
    return next((file for file in candidates if file in files), None)


def _by_suffix(named: Mapping[str, list[str]], parts: list[str]) -> str | None:
    """Find a module below a folder that only ``PYTHONPATH`` knows: two names deep and unique."""
    if len(parts) < 2:
        return None
    ends = ("/" + "/".join(parts) + "/__init__.py", "/" + "/".join(parts) + ".py")
    matches = [file for file in named.get(parts[-1], ()) if file.endswith(ends)]
    return matches[0] if len(matches) == 1 else None


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


FOLDERS = ("wheels", "wheelhouse", "vendor", "packages", "dist")
MOST = 1_000
_WHEEL = re.compile(r"([\w.]+)-([\w.!+]+)(?:-\d[\w.]*)?-[\w.]+-[\w.]+-[\w.]+\.whl$")


def wheels(root: Path) -> tuple[tuple[str, str], ...]:
    """Return (name, version) of the wheels in a workspace's usual folders, sorted; never raises.

    Names are as in the file (PEP 427), with underscores.
    """
    names: set[tuple[str, str]] = set()
    for folder in FOLDERS:
        try:
            if (root / folder).is_symlink():
                continue
            with os.scandir(root / folder) as entries:
                for _, entry in zip(range(MOST), entries, strict=False):
                    match = _WHEEL.match(entry.name)
                    if match:
                        names.add((match[1], match[2]))
        except (OSError, ValueError):
            continue
    return tuple(sorted(names))
