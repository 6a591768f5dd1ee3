"""From what some machine printed, and from dotted modules, to files and lines of the workspace.

A path is mapped to the workspace file that it most plausibly means. Where a file has changed
since, the printed text of a line finds the line that holds it now. A dotted module is mapped to the
file that Python would import; packages that lie in the workspace as wheels are in no listing of
sources.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.workspace.contents import FunctionElement, Place
from dl_bug_lsp.workspace.notebooks import (
    MAGIC_TEXT,
    TIMED_FRAME,
    CellName,
    cell_name,
    copied_from,
    line_of_body,
    locate_cell_line,
    locate_edited_line,
    locate_timed_line,
    magic_body,
)
from dl_bug_lsp.workspace.stores import Store
from dl_bug_lsp.workspace.walk import is_library_folder

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.workspace import Workspace

_SOURCE_FOLDERS = ("src", "python", "lib", "code")


def module_file(
    files: AbstractSet[str],
    module: str,
    importer: str | None = None,
    named: Mapping[str, list[str]] | None = None,
) -> str | None:
    """Return the file of a module, or None for a library's, a namespace package or an unknown one.

    A package comes before a module of the same name, as in the import system's path finder. An
    absolute import never finds the importer itself, which a folder without ``__init__.py`` may hold
    beside others. ``named`` is `by_name` of the files, for a caller that asks often.
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
        if file and file != importer:
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


def folder_names(files: Iterable[str]) -> frozenset[str]:
    """Return the names of all folders that hold Python files."""
    folders = {_parent(file) for file in files if file.endswith(".py")}
    return frozenset(name for folder in folders for name in folder.split("/") if name)


def only_module(named: Mapping[str, list[str]], module: str) -> str | None:
    """Return the one file of the workspace that a dotted module may be, None of several or none."""
    parts = module.split(".")
    if parts[0] in sys.stdlib_module_names:
        return None
    ends = ("/" + "/".join(parts) + "/__init__.py", "/" + "/".join(parts) + ".py")
    matches = [file for file in named.get(parts[-1], ()) if file.endswith(ends)]
    return matches[0] if len(matches) == 1 else None


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
    return only_module(named, ".".join(parts)) if len(parts) > 1 else None


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


# ---------------------------------------------------------------------- printed paths
LONG_SUFFIX = 3
"""Components of a printed path that a file shares with it: as many are no chance."""
_ABSOLUTE = re.compile(r"^(?:/|~|[A-Za-z]:[\\/]|\\\\|[a-z-]+://)")


_RUNS_MAGIC = re.compile(r"\brun_(?:cell|line)_magic\(")


class Standing(Enum):
    """How sure it is that a printed frame means the file that was found for it."""

    CERTAIN = "certain"
    """The path itself, a mapping of the user's, the printed source line, or a long suffix."""
    OPEN = "open"
    """Nothing speaks against it, and nothing but the name for it."""
    REFUTED = "refuted"
    """The printed source stands nowhere in the file, or a lone name is all that they share."""


def is_absolute(printed: str) -> bool:
    """Tell whether a printed path begins at a root, a home folder, a drive or a host."""
    return bool(_ABSOLUTE.match(printed.strip()))


@dataclass(frozen=True, slots=True)
class Printed:
    """A frame as some machine printed it; ``line`` is 1-based, 0 where none was printed.

    ``excerpt`` holds lines that are printed around it, with their numbers.
    """

    file: str
    line: int
    function: str | None = None
    source: str | None = None
    excerpt: tuple[tuple[int, str], ...] = ()


class Locator:
    """Finds local places; never one outside the root."""

    def __init__(self, workspace: Workspace, store: Store, files: tuple[str, ...]) -> None:
        self._workspace = workspace
        self._files = frozenset(files)
        self._paths = PathIndex(files)
        self._notebooks = [file for file in files if file.endswith(".ipynb")]
        self._store = store
        self._by_name: dict[str, list[str]] = {}
        for file in files:
            self._by_name.setdefault(file.rpartition("/")[2], []).append(file)

    def named(self, path: str) -> str | None:
        """Return the file that a path means: itself, or the only one that ends with it."""
        text = posixpath.normpath(path.replace("\\", "/"))
        if text in self._files:
            return text
        tail = "/" + text.lstrip("./")
        files = self._by_name.get(tail.rpartition("/")[2], [])
        matches = [f for f in files if f.endswith(tail) or f == tail[1:]]
        return matches[0] if len(matches) == 1 else None

    def locate(self, frame: Printed, path_map: tuple[tuple[str, str], ...]) -> Place | None:
        """Return the place of a frame, or None where no workspace file is meant."""
        cell = cell_name(frame.file)
        if cell is not None:
            return self._in_cell(cell, frame)
        mapped = apply_path_map(frame.file, path_map)
        file = self._inside(mapped) if mapped is not None else None
        file = file or self._inside(frame.file)
        if file is None and mapped is None and self._is_of_another(frame.file):
            return None
        file = file or self._by_suffix(frame)
        if file is None:
            file = self._hidden(frame.file)
        if file is None:
            return None
        lines, functions = self._workspace.lines(file), self._workspace.elements(file).functions
        line, _ = anchor(lines, frame.line, frame.source, frame.function, functions)
        return Place(file, line, line, self._workspace.enclosing_function(file, line))

    def locate_stack(
        self, frames: Sequence[Printed], path_map: tuple[tuple[str, str], ...]
    ) -> tuple[Place | None, ...]:
        """Return the places of a stack's frames, outermost first, None where none is meant.

        A frame of what a magic ran says neither notebook nor cell: the frames beside it do.
        """
        places = [self.locate(frame, path_map) for frame in frames]
        magic: tuple[int, Place] | None = None
        for index, frame in enumerate(frames):
            place = places[index]
            if place is not None and _RUNS_MAGIC.search(frame.source or ""):
                magic = index, place
            if place is None and magic is not None and MAGIC_TEXT.match(frame.file):
                run = frames[magic[0]]
                places[index] = self._in_body(magic[1], run.source or "", frame)
                if places[index] is not None:
                    places[magic[0]] = None
            if place is None and TIMED_FRAME.match(frame.file):
                called = frames[index + 1].function if index + 1 < len(frames) else None
                notebooks = ((file, self._workspace.cells(file)) for file in self._notebooks)
                name = (called or "").rpartition(".")[2]
                cell_at = (magic[1].file, magic[1].line) if magic is not None else None
                at = locate_timed_line(notebooks, frame.file, frame.line, name or None, cell_at)
                if at is not None:
                    function = self._workspace.enclosing_function(*at)
                    places[index] = Place(at[0], at[1], at[1], function)
                    if magic is not None:
                        places[magic[0]] = None
        return tuple(
            self._where_it_stood(frame) if place is None else place
            for frame, place in zip(frames, places, strict=True)
        )

    def _where_it_stood(self, frame: Printed) -> Place | None:
        """Return where the line of a cell stood that was edited after the run."""
        cell = cell_name(frame.file)
        if cell is None or not frame.source:
            return None
        files = [file for file in self._notebooks if file not in self._copies]
        notebooks = ((file, self._workspace.cells(file)) for file in files)
        at = locate_edited_line(notebooks, cell, frame.line, frame.source, frame.excerpt)
        if at is None:
            return None
        return Place(at[0], at[1], at[1], self._workspace.enclosing_function(*at), edited=True)

    def _in_body(self, magic: Place, run: str, frame: Printed) -> Place | None:
        """Return the line of a cell below its magic, which ran it as a text of its own."""
        cells = self._workspace.cells(magic.file)
        cell = next((cell for cell in cells if magic.line in cell.raw), None)
        body = magic_body(run)
        if cell is None or body is None:
            return None
        line = line_of_body(cell, body, frame.line, frame.source)
        if line is None:
            return None
        return Place(magic.file, line, line, self._workspace.enclosing_function(magic.file, line))

    def standing(
        self, frame: Printed, place: Place, path_map: tuple[tuple[str, str], ...]
    ) -> Standing:
        """Return how sure it is that ``place``, which was found for a frame, is what it means."""
        is_cell = cell_name(frame.file) is not None or MAGIC_TEXT.match(frame.file) is not None
        if is_cell or apply_path_map(frame.file, path_map) is not None:
            return Standing.CERTAIN
        if is_absolute(frame.file) and self._inside(frame.file) == place.file:
            return Standing.CERTAIN
        lines, functions = self._workspace.lines(place.file), self._workspace.elements(place.file)
        if frame.source:
            _, agrees = anchor(lines, frame.line, frame.source, frame.function, functions.functions)
            if agrees:
                return Standing.CERTAIN
        candidates, _ = self._paths.candidates(frame.file)
        matched = next((count for count, file in candidates if file == place.file), 0)
        if matched >= LONG_SUFFIX:
            return Standing.CERTAIN
        if frame.source:
            return Standing.REFUTED
        known = matched > 1 or not is_absolute(frame.file)
        return (
            Standing.OPEN
            if known or defines(functions.functions, frame.function)
            else (Standing.REFUTED)
        )

    def _is_of_another(self, printed: str) -> bool:
        """Tell whether this machine has the file itself, in another project."""
        parts, _ = normalise(printed)
        return installed_part(parts) is None and self._store.elsewhere(printed)

    def existing(self, path: str, importer: str | None) -> str | None:
        """Return the file that a written path means, from the root or the importer's folder."""
        file = self._inside(path)
        if file is None and importer is not None and "/" in importer:
            file = self._inside(f"{importer.rpartition('/')[0]}/{path}")
        if file is None:
            candidates, _ = self._paths.candidates(path)
            whole = [file for matched, file in candidates if matched > 1]
            file = whole[0] if whole else None
        return file

    def _in_cell(self, cell: CellName, frame: Printed) -> Place | None:
        copies = self._copies
        for files in ([f for f in self._notebooks if f not in copies], copies):
            notebooks = ((file, self._workspace.cells(file)) for file in files)
            place = locate_cell_line(notebooks, cell, frame.line, frame.source, frame.excerpt)
            if place is not None:
                break
        else:
            return None
        return Place(place[0], place[1], place[1], self._workspace.enclosing_function(*place))

    @cached_property
    def _copies(self) -> list[str]:
        """Return the notebooks that papermill wrote from others, which are here as well."""
        names = {file.rpartition("/")[2]: file for file in self._notebooks}
        copies = []
        for file in self._notebooks:
            source = copied_from(self._workspace.text(file) or "") or ""
            own = names.get(source.replace("\\", "/").rpartition("/")[2])
            if own is not None and own != file:
                copies.append(file)
        return copies

    def _by_suffix(self, frame: Printed) -> str | None:
        candidates, is_suspicious = self._paths.candidates(frame.file)
        if not candidates:
            return None
        proven = self._proven([file for _, file in candidates], frame, is_suspicious)
        if proven is not None:
            return proven
        matched, file = candidates[0]
        # A lone name deep in the tree, or a library's folder in the path, is no proof by itself.
        is_weak = matched == 1 and "/" in file and "/" in frame.file.replace("\\", "/")
        return None if is_suspicious or is_weak else file

    def _proven(self, files: list[str], frame: Printed, is_suspicious: bool) -> str | None:
        """Return the first file that holds the printed source, else that defines the function."""
        holding = (f for f in files if holds_source(self._workspace.lines(f), frame.source))
        holder = next(holding, None)
        # Every model has a ``forward``: against a printed source the name alone says too little.
        if holder is not None or (frame.source and is_suspicious):
            return holder
        elements = self._workspace.elements
        return next((f for f in files if defines(elements(f).functions, frame.function)), None)

    def _inside(self, path: str) -> str | None:
        """Return the workspace name of a path that exists below the root, else None."""
        parts, _ = normalise(path)
        if not parts or installed_part(parts) is not None or is_standard_library(parts):
            return None
        return self._store.inside(path)

    def _hidden(self, printed: str) -> str | None:
        """Find a file that an ignore rule hides by the path's suffixes, longest first."""
        parts, _ = normalise(printed)
        if printed.startswith("<") or is_standard_library(parts):
            return None
        for index in range(1, len(parts)):
            suffix = parts[index:]
            if not any(is_library_folder(part) for part in suffix):
                file = self._inside("/".join(suffix))
                if file is not None:
                    return file if file not in self._files else None
        return None


_DRIVE = re.compile(r"^(?:[A-Za-z]:)(?=/)")
_SCHEME = re.compile(r"^(?:file|vscode-remote)://(?:localhost(?=/)|[^/]*(?=/))?")
_PYTHON_LIB = re.compile(r"^python\d(?:\.\d+)*t?(?:\.zip)?$", re.IGNORECASE)
_WINDOWS_PYTHON = re.compile(
    r"^(?:python\d*|anaconda\d*|miniconda\d*|miniforge\d*|envs)$", re.IGNORECASE
)
_INSTALLED = frozenset(("site-packages", "dist-packages"))
_LIBRARY_NAMES = """
    torch torchvision torchaudio torchtext torchdata torchmetrics lightning
    pytorch_lightning lightning_fabric tensorflow keras tf_keras jax jaxlib flax optax haiku
    numpy scipy pandas sklearn transformers datasets accelerate peft trl diffusers
    tokenizers huggingface_hub timm fastai ignite deepspeed ray joblib hydra omegaconf
    pyarrow PIL cv2 matplotlib albumentations mmcv mmengine IPython ipykernel
    torch_geometric dgl onnx onnxruntime xgboost lightgbm mxnet paddle
"""
_LIBRARIES = frozenset(_LIBRARY_NAMES.split())
_CONTAINERS = frozenset(("src", "python", "lib", "code"))


def normalise(printed: str) -> tuple[list[str], bool]:
    """Return a printed path's components, without drive and dots, and whether it is Windows'."""
    path = printed.strip().strip("\"'")
    path = _SCHEME.sub("", path)
    windows = "\\" in path or _DRIVE.match(path) is not None
    path = _DRIVE.sub("", path.replace("\\", "/"))
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", "..", "...", "…", "~"):
            parts.append(part)
    return parts, windows


def installed_part(parts: list[str]) -> list[str] | None:
    """Return what follows ``site-packages`` (an egg's folder left out), None outside of it."""
    for index in range(len(parts) - 1, -1, -1):
        if parts[index].lower() in _INSTALLED:
            rest = parts[index + 1 :]
            return rest[1:] if rest and rest[0].endswith(".egg") else rest
    return None


def is_standard_library(parts: list[str]) -> bool:
    """Tell whether a path lies in a Python installation's own library."""
    folders = parts[:-1]
    for index, part in enumerate(folders):
        if _PYTHON_LIB.match(part) and (index == 0 or folders[index - 1] in ("lib", "lib64")):
            return True
        if part.lower() == "lib" and any(_WINDOWS_PYTHON.match(p) for p in folders[:index]):
            return True
    return False


class PathIndex:
    """The workspace's files by their last component, to be asked for suffixes of foreign paths."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = frozenset(files)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for file in sorted(self._files):
            self._by_name[file.rpartition("/")[2].casefold()].append(file)

    def candidates(self, printed: str) -> tuple[list[tuple[int, str]], bool]:
        """Return (matched components, file) for every plausible file, best first.

        The second value asks the caller for proof by the printed source: the path runs through a
        folder named as a library, which may be an installed copy or merely the user's folder name.
        """
        parts, windows = normalise(printed)
        if not parts or printed.lstrip().startswith("<"):
            return [], False
        installed = installed_part(parts)
        if installed is not None:
            return self._installed(installed), False
        if is_standard_library(parts):
            return [], False
        matches: list[tuple[int, int, str]] = []
        for file in self._by_name.get(parts[-1].casefold(), ()):
            local = file.split("/")
            matched = _common_suffix(parts, local, ignore_case=windows)
            if matched and self._is_plausible(parts, local, matched):
                matches.append((-matched, len(local) - matched, file))
        matches.sort()
        best = [(-length, file) for length, _, file in matches]
        lead = parts[: len(parts) - best[0][0]] if best else []
        return best, any(part in _LIBRARIES for part in lead)

    def _is_plausible(self, parts: list[str], local: list[str], matched: int) -> bool:
        """Refuse a bare name that is neither unique nor at the top of the workspace."""
        if matched > 1 or matched == len(parts):
            return True
        if parts[-1] == "__init__.py":
            return False
        return len(local) == 1 or len(self._by_name[parts[-1].casefold()]) == 1

    def _installed(self, rest: list[str]) -> list[tuple[int, str]]:
        """Match an installed copy of the project: all of it, from the root or a source folder."""
        if not rest:
            return []
        path = "/".join(rest)
        tried = [path, *(f"{folder}/{path}" for folder in sorted(_CONTAINERS))]
        return [(len(rest), file) for file in tried if file in self._files]


def apply_path_map(printed: str, path_map: tuple[tuple[str, str], ...]) -> str | None:
    """Replace the longest mapped prefix of a path, at a component's end; None if none fits."""
    path = printed.replace("\\", "/")
    pairs = sorted(path_map, key=lambda pair: (-len(pair[0]), pair))
    for remote, local in pairs:
        prefix = remote.replace("\\", "/").rstrip("/")
        if path == prefix or path.startswith(prefix + "/"):
            return local.rstrip("/\\") + path[len(prefix) :]
    return None


def _common_suffix(left: list[str], right: list[str], ignore_case: bool) -> int:
    count = 0
    for a, b in zip(reversed(left), reversed(right), strict=False):
        same = a.casefold() == b.casefold() if ignore_case else a == b
        if not same:
            break
        count += 1
    return count


_SHORTEST_PART = 8


def anchor(
    lines: tuple[str, ...],
    line: int,
    source: str | None,
    function: str | None,
    functions: tuple[FunctionElement, ...],
) -> tuple[int, bool]:
    """Return the 1-based local line and whether the printed source stands there.

    The printed line is kept where its text agrees; else the nearest equal line of the function of
    the same name, then of the file, then a line that holds the printed text in part (wrapped or cut
    output). Without any, the line stays, moved into the function or file where it lies outside.
    """
    printed = _printed_lines(source)
    if not printed:
        return _clamped(lines, line, function, functions), False
    for text in printed:
        if 0 < line <= len(lines) and _squeeze(lines[line - 1]) == text:
            return line, True
    spans = [*_spans(function, functions), (1, len(lines))]
    for test in (_equal, _partly):
        for text in printed:
            matches = [n for n, local in enumerate(lines, 1) if test(_squeeze(local), text)]
            for span in spans if matches else ():
                nearest = _nearest(matches, line, span)
                if nearest is not None:
                    return nearest, True
    return _clamped(lines, line, function, functions), False


def holds_source(lines: tuple[str, ...], source: str | None) -> bool:
    """Tell whether a file holds one of the printed source lines at all."""
    printed = _printed_lines(source)
    return any(_squeeze(line) in printed for line in lines) if printed else False


def defines(functions: tuple[FunctionElement, ...], function: str | None) -> bool:
    """Tell whether a file defines a function of the printed name (``<module>`` proves nothing)."""
    return bool(_spans(function, functions))


def _printed_lines(source: str | None) -> list[str]:
    squeezed = (_squeeze(part) for part in (source or "").split("\n"))
    return [part for part in squeezed if part]


def _spans(function: str | None, functions: tuple[FunctionElement, ...]) -> list[tuple[int, int]]:
    """Return the lines of the functions that a frame's name may mean, exact names first."""
    if not function or function.startswith("<"):
        return []
    name = function.replace(".<locals>", "").rstrip("()")
    exact = [f for f in functions if f.name == name]
    last = name.rpartition(".")[2]
    same = [f for f in functions if f.name.rpartition(".")[2] == last and f not in exact]
    return [(f.line, f.end_line) for f in (*exact, *same)]


def _nearest(matches: list[int], line: int, span: tuple[int, int]) -> int | None:
    inside = [number for number in matches if span[0] <= number <= span[1]]
    return min(inside, key=lambda number: (abs(number - line), number)) if inside else None


def _clamped(
    lines: tuple[str, ...], line: int, function: str | None, functions: tuple[FunctionElement, ...]
) -> int:
    if 0 < line <= len(lines):
        return line
    spans = _spans(function, functions)
    if spans:
        return spans[0][0]
    return max(1, min(line, len(lines)))


def _equal(local: str, text: str) -> bool:
    return local == text


def _partly(local: str, text: str) -> bool:
    if len(text) < _SHORTEST_PART or len(local) < _SHORTEST_PART:
        return False
    head, cut, tail = text.partition(" … ")
    if cut and tail and len(head) >= _SHORTEST_PART:
        # Readers cut a very long line in its middle.
        return local.startswith(head) and local.endswith(tail)
    return local.startswith(text.rstrip("…. ")) or text.startswith(local)


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def find_text(lines: Sequence[str], line: int, text: str) -> int | None:
    """Return the 1-based line nearest to ``line`` that holds a text, white space apart, or None.

    A blank text is found nowhere.
    """
    squeezed = _squeeze(text)
    if not squeezed:
        return None
    matches = [number for number, local in enumerate(lines, 1) if _squeeze(local) == squeezed]
    return _nearest(matches, line, (1, len(lines)))
