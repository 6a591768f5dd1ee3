"""The walk over a workspace: which files there are, and what is never a user's source.

Files come in a fixed order. Names, contents and each folder's ``.gitignore`` say what is left
out; files that cannot be read are reported.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pathspec

from dl_bug_lsp import data_folder
from dl_bug_lsp.cancellation import checkpoint

_DEEPEST = 64
_LARGEST_RULES = 2**20
"""Bytes of an ignore file that are read."""
_SETTLED_NS = 2_000_000_000
"""A folder changed again within that time after it was listed may have the same time stamp."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One folder as it was listed, with what tells that it has to be listed again.

    ``rules`` are those of the folders around it; ``links`` and ``folders`` are not ignored ones.
    """

    mtime_ns: int
    is_settled: bool
    rules: tuple[GitIgnore, ...]
    own_rules: tuple[int, ...]
    files: tuple[str, ...]
    folders: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Files relative to the root with ``/``, sorted; one sentence per folder or link skipped.

    ``scans`` holds every folder that was walked (empty where the files are not from a disk).
    """

    files: tuple[str, ...]
    problems: tuple[str, ...] = ()
    scans: Mapping[str, Scan] = field(default_factory=dict, compare=False, repr=False)


@dataclass(slots=True)
class _Walk:
    """The state of one walk; ``links`` wait until every real folder has been seen."""

    root: str
    files: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    links: list[tuple[str, tuple[GitIgnore, ...]]] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)
    scans: dict[str, Scan] = field(default_factory=dict)


def walk(root: Path) -> Listing:
    """List every file below ``root`` that no ignore rule hides.

    A link is followed only where its target lies below the root and was not reached otherwise, so
    that each file has one name; loops end there. Nothing is raised: a folder that cannot be read
    becomes a problem.
    """
    state = _Walk(os.path.realpath(root))
    _walk_folder(state, "", _info_exclude(state.root))
    while state.links:
        links, state.links = sorted(state.links, key=lambda link: link[0]), []
        seen = set(state.files)
        for path, rules in links:
            _follow(state, path, rules, seen)
    return Listing(tuple(sorted(set(state.files))), tuple(state.problems), state.scans)


def walk_again(root: Path, listing: Listing) -> Listing:
    """Return a walk's listing as it is now, the same object where no name has come or gone.

    Costs one ``stat`` a folder; only folders that changed are read again. Where links or ignore
    files changed, everything is walked anew.
    """
    state = _Walk(os.path.realpath(root))
    changed = False
    scans = dict(listing.scans)
    for folder, old in listing.scans.items():
        if folder not in scans or not _may_have_changed(state.root, folder, old):
            continue
        new = scan(state, folder, old.rules)
        if new is None or new.own_rules != old.own_rules or new.links != old.links:
            return walk(root)
        scans[folder] = new
        changed = changed or (new.files, new.folders) != (old.files, old.folders)
        for gone in sorted(set(old.folders) - set(new.folders)):
            _forget_below(scans, gone)
        below = _Walk(state.root)
        for added in sorted(set(new.folders) - set(old.folders)):
            _walk_folder(below, added, _rules_in(state.root, folder, new))
        if below.links:
            return walk(root)
        scans.update(below.scans)
    if not changed:
        return listing if scans == listing.scans else replace(listing, scans=scans)
    linked = set(listing.files).difference(*(listed.files for listed in listing.scans.values()))
    files = linked.union(*(listed.files for listed in scans.values()))
    return Listing(tuple(sorted(files)), listing.problems, scans)


def _may_have_changed(root: str, folder: str, old: Scan) -> bool:
    full = _join(root, folder)
    return bool(
        not old.is_settled
        or _mtime(full) != old.mtime_ns
        or (old.own_rules and _rules_time(root, folder) != old.own_rules)
    )


def _forget_below(scans: dict[str, Scan], folder: str) -> None:
    for name in [n for n in scans if n == folder or n.startswith(folder + "/")]:
        del scans[name]


def _walk_folder(state: _Walk, top: str, rules: tuple[GitIgnore, ...]) -> None:
    pending = [(top, rules)]
    while pending:
        folder, rules = pending.pop()
        try:
            real = os.path.realpath(_join(state.root, folder))
        except OSError as error:
            state.problems.append(f"{folder or '.'}: {error.strerror or error}")
            continue
        if real in state.folders or folder.count("/") > _DEEPEST:
            continue
        state.folders.add(real)
        listed = scan(state, folder, rules)
        if listed is not None:
            state.scans[folder] = listed
            rules = _rules_in(state.root, folder, listed)
            pending.extend((name, rules) for name in reversed(listed.folders))


def scan(state: _Walk, folder: str, rules: tuple[GitIgnore, ...]) -> Scan | None:
    """List one folder; its files and links are added to the walk's, None where it is unreadable."""
    checkpoint()
    full = _join(state.root, folder)
    try:
        mtime = Path(full).stat().st_mtime_ns
        with os.scandir(full) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        state.problems.append(f"{folder or '.'}: {error.strerror or error}")
        return None
    own = any(entry.name == ".gitignore" for entry in listed)
    unsorted = Scan(
        mtime,
        time.time_ns() - mtime > _SETTLED_NS,
        rules,
        _rules_time(state.root, folder) if own or not folder else (),
        (),
        (),
        (),
    )
    inner = _rules_in(state.root, folder, unsorted)
    files, links = len(state.files), len(state.links)
    folders = [_visit(state, folder, entry, inner) for entry in listed]
    return replace(
        unsorted,
        files=tuple(state.files[files:]),
        folders=tuple(name for name in folders if name is not None),
        links=tuple(name for name, _ in state.links[links:]),
    )


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - a path object costs more than the call
    except OSError:
        return -2


def _rules_time(root: str, folder: str) -> tuple[int, ...]:
    """Return what changes when a folder's ignore file does (the root's: also git's own)."""
    own = _mtime(f"{_join(root, folder)}/.gitignore")
    return (own,) if folder else (own, _mtime(f"{root}/.git/info/exclude"))


def _rules_in(root: str, folder: str, listing: Scan) -> tuple[GitIgnore, ...]:
    return _with_gitignore(listing.rules, root, folder) if listing.own_rules else listing.rules


def _visit(
    state: _Walk, folder: str, entry: os.DirEntry[str], rules: tuple[GitIgnore, ...]
) -> str | None:
    """Take one directory entry in; return the folder to descend into, if it is one."""
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        if not is_printable(entry.name):
            state.problems.append(f"{folder or '.'}: a file name that is not valid text")
        elif entry.is_symlink():
            state.links.append((path, rules))
        elif entry.is_dir():
            ignored = is_ignored_folder(entry.name, Path(entry.path))
            return None if ignored or is_git_ignored(rules, path, True) else path
        elif entry.is_file() and not is_binary_name(entry.name):
            blob = _may_be_blob(entry.name) and is_blob(entry.name, entry.stat().st_size)
            if not blob and not is_git_ignored(rules, path, False):
                state.files.append(path)
    except OSError as error:
        state.problems.append(f"{path}: {error.strerror or error}")
    return None


def _follow(state: _Walk, path: str, rules: tuple[GitIgnore, ...], seen: set[str]) -> None:
    full = _join(state.root, path)
    try:
        target = os.path.realpath(full)
        inside = f"{target}{os.sep}".startswith(state.root.rstrip(os.sep) + os.sep)
        if not inside or not Path(target).exists():
            if Path(target).exists():
                state.problems.append(f"{path}: a link that leads outside the workspace")
            return
        name = path.rpartition("/")[2]
        if Path(target).is_dir():
            ignored = is_ignored_folder(name, Path(target)) or is_git_ignored(rules, path, True)
            if not ignored and _is_visible(target[len(state.root) + 1 :]):
                _walk_folder(state, path, rules)
        elif Path(target).is_file() and not is_binary_name(name):
            known = target[len(state.root) :].lstrip(os.sep).replace(os.sep, "/") in seen
            if not known and not is_git_ignored(rules, path, False):
                state.files.append(path)
    except OSError as error:
        state.problems.append(f"{path}: {error.strerror or error}")


def _is_visible(target: str) -> bool:
    """Refuse a link into a hidden folder (``.git``, an environment)."""
    parts = Path(target).parts
    return not any(
        is_ignored_folder(part, Path()) for part in parts if part not in ("build", "dist")
    )


def _may_be_blob(name: str) -> bool:
    return not name.endswith((".py", ".json", ".yaml", ".yml", ".csv", ".txt", ".toml", ".ipynb"))


def _with_gitignore(rules: tuple[GitIgnore, ...], root: str, folder: str) -> tuple[GitIgnore, ...]:
    return _with_rules(rules, folder, Path(_join(root, folder), ".gitignore"))


def _info_exclude(root: str) -> tuple[GitIgnore, ...]:
    """``$GIT_DIR/info/exclude`` counts as an outermost ignore file."""
    return _with_rules((), "", Path(root, ".git", "info", "exclude"))


def _with_rules(rules: tuple[GitIgnore, ...], folder: str, file: Path) -> tuple[GitIgnore, ...]:
    try:
        with data_folder.open_regular(file) as stream:
            text = stream.read(_LARGEST_RULES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return rules
    return (*rules, GitIgnore(folder, text))


def _join(root: str, path: str) -> str:
    return f"{root}/{path}" if path else root


def is_printable(name: str) -> bool:
    """Tell whether a report can carry a name: one that is not UTF-8 comes as lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in name) and "\n" not in name


_FOLDER_NAMES = """
    .git .hg .svn .bzr .jj .dlbug node_modules bower_components __pycache__ site-packages
    dist-packages .tox .nox .venv .eggs .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis
    .ipynb_checkpoints .idea .cache .dvc .hydra mlruns lightning_logs __pypackages__
"""
_FOLDERS = frozenset(_FOLDER_NAMES.split())
# Build and run outputs by the usual names; a package of that name is source all the same.
_OUTPUT_FOLDERS = frozenset(("build", "dist", "wandb", "htmlcov", "tb_logs", "_build"))
_BINARY_EXTENSIONS = """
    pt pth ckpt safetensors bin onnx h5 hdf5 keras pb tflite pkl pickle joblib npy npz mat
    msgpack parquet feather arrow tfrecord tfrecords lmdb mdb db sqlite sqlite3 index
    zip tar gz tgz bz2 xz zst 7z rar whl egg jar
    png jpg jpeg gif bmp tif tiff webp ico svgz psd exr hdr dcm nii nrrd
    wav mp3 flac ogg m4a mp4 avi mov mkv webm pdf ps eps doc docx xls xlsx ppt pptx
    so o a dylib dll exe obj lib pyc pyo pyd class cubin ptx fatbin trt engine plan
    ttf otf woff woff2 eot swp swo lock~ DS_Store prof nsys-rep qdrep gguf ggml
"""
_BINARY = frozenset(_BINARY_EXTENSIONS.split())
_STAR = "[^/]*"
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")
MOST_PATTERNS = 5_000
"""Patterns of one ignore file."""
MOST_SPANS = 3
"""How often ``**`` may stand in a pattern."""
_LARGEST_UNKNOWN = 8 * 1024 * 1024
_KNOWN_TEXT = frozenset(
    ("py", "ipynb", "csv", "tsv", "jsonl", "ndjson", "json", "yaml", "toml", "txt")
)


def is_ignored_folder(name: str, path: Path) -> bool:
    """Tell whether a folder holds tools' files, builds or installed libraries."""
    return is_ignored_name(name, lambda marker: (path / marker).exists())


def is_ignored_name(name: str, has: Callable[[str], bool]) -> bool:
    """Tell it by the folder's name and by the files that it has (PEP 405 for environments)."""
    if name in _FOLDERS or name.endswith((".egg-info", ".dist-info")):
        return True
    if name in _OUTPUT_FOLDERS:
        return not has("__init__.py")
    return has("pyvenv.cfg") or has("conda-meta")


def is_library_folder(name: str) -> bool:
    """Tell by its name whether a folder holds installed libraries or tools' files."""
    return name in _FOLDERS or name in ("venv", "env")


def is_binary_name(name: str) -> bool:
    """Tell by its extension whether a file holds weights, arrays, media or machine code."""
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and extension.lower() in _BINARY


def is_blob(name: str, size: int) -> bool:
    """Tell whether a file without a known extension is too large to be anyone's text."""
    return size > _LARGEST_UNKNOWN and name.rpartition(".")[2].lower() not in _KNOWN_TEXT


class GitIgnore:
    """The patterns of one ``.gitignore``, relative to its own folder (gitignore(5))."""

    def __init__(self, folder: str, text: str) -> None:
        self._prefix = len(folder) + 1 if folder else 0
        self._spec = pathspec.GitIgnoreSpec(_patterns(text))

    def decision(self, path: str, is_folder: bool) -> bool | None:
        """Return True for ignored, False for re-included, None where no pattern speaks."""
        local = path[self._prefix :] + ("/" if is_folder else "")
        include: bool | None = self._spec.check_file(local).include
        return include


def is_git_ignored(rules: tuple[GitIgnore, ...], path: str, is_folder: bool) -> bool:
    """Ask the innermost ``.gitignore`` first; the first that speaks decides."""
    for rule in reversed(rules):
        decision = rule.decision(path, is_folder)
        if decision is not None:
            return decision
    return False


def _patterns(text: str) -> Iterator[Any]:
    """Yield the patterns, without those that the library refuses: git skips such lines silently."""
    for line in text.splitlines()[:MOST_PATTERNS]:
        if line.count("**") > MOST_SPANS:
            continue
        with suppress(ValueError, re.error):
            for pattern in pathspec.GitIgnoreSpec.from_lines([line]).patterns:
                if line.count("*") > 1 and (regex := getattr(pattern, "regex", None)) is not None:
                    pattern.regex = re.compile(linear(regex.pattern))
                yield pattern


def linear(pattern: str) -> str:
    """Return a glob's regular expression with nothing to try again in it.

    Of ``*a*b``, the first ``*`` may as well take as little as it can: what a later one takes is
    free. Tried one by one, the ways to share a name out among many stars are without number.
    """
    first, *parts = pattern.split(_STAR)
    out = [first]
    for at, part in enumerate(parts):
        is_between = at < len(parts) - 1 and "(?" not in part and "/" not in _CLASS.sub("", part)
        group = f"s{at}"
        out.append(
            f"(?=(?P<{group}>{_STAR}?{part}))(?P={group})" if is_between else f"{_STAR}{part}"
        )
    return "".join(out)
