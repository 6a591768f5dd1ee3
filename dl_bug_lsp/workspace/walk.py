"""The walk over a workspace: which files there are, in a fixed order, and what stood in the way."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from dl_bug_lsp.workspace.ignore import (
    GitIgnore,
    is_binary_name,
    is_blob,
    is_git_ignored,
    is_ignored_folder,
)

_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Listing:
    """Files relative to the root with ``/``, sorted; one sentence per folder or link skipped."""

    files: tuple[str, ...]
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    """The state of one walk; ``links`` wait until every real folder has been seen."""

    root: str
    files: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    links: list[tuple[str, tuple[GitIgnore, ...]]] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)


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
    return Listing(tuple(sorted(set(state.files))), tuple(state.problems))


def _walk_folder(state: _Walk, top: str, rules: tuple[GitIgnore, ...]) -> None:
    pending = [(top, rules)]
    while pending:
        folder, rules = pending.pop()
        full = _join(state.root, folder)
        try:
            real = os.path.realpath(full)
            if real in state.folders or folder.count("/") > _DEEPEST:
                continue
            state.folders.add(real)
            with os.scandir(full) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            state.problems.append(f"{folder or '.'}: {error.strerror or error}")
            continue
        if any(entry.name == ".gitignore" for entry in listed):
            rules = _with_gitignore(rules, state.root, folder)
        folders = [_visit(state, folder, entry, rules) for entry in listed]
        pending.extend((name, rules) for name in reversed(folders) if name is not None)


def _visit(
    state: _Walk, folder: str, entry: os.DirEntry[str], rules: tuple[GitIgnore, ...]
) -> str | None:
    """Take one directory entry in; return the folder to descend into, if it is one."""
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        if not _is_printable(entry.name):
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
        if not file.is_file():
            return rules
        text = file.read_text("utf-8", "replace")
    except OSError:
        return rules
    return (*rules, GitIgnore(folder, text))


def _join(root: str, path: str) -> str:
    return f"{root}/{path}" if path else root


def _is_printable(name: str) -> bool:
    """Names that are not UTF-8 come as lone surrogates, which no report can carry."""
    return not any("\ud800" <= char <= "\udfff" for char in name) and "\n" not in name
