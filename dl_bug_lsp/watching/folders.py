"""The folders below a watched one, and which of their files are logs.

Globs include and exclude files; some folders are never entered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dl_bug_lsp.data_folder import FOLDER

MOST_FOLDERS = 20_000
MOST_LOGS = 20_000
"""More are not watched, and `doctor` says so."""
MOST_RECORDERS = 200
"""Folders in which runs were recorded, at most: each costs a `stat` every second or so."""
_DEEPEST = 40


@dataclass(slots=True)
class FolderTree:
    """Folders by their path relative to the root (``""`` for itself), with the stamp last seen.

    Links are not followed: what they lead to is watched under its own name if it lies below the
    root, and nothing outside is ever opened.
    """

    root: str
    rules: LogRules
    stamps: dict[str, int] = field(default_factory=dict)
    has_too_many: bool = False
    has_lost: bool = False
    """Whether a folder went since this was last set to False."""
    recorders: set[str] = field(default_factory=set)
    """Folders below the root that have a ``.dlbug/``: runs may be recorded there."""

    def full(self, path: str) -> str:
        """Return the absolute path of a relative one."""
        return os.path.join(self.root, path) if path else self.root

    def enter(self, top: str) -> Iterator[tuple[str, os.stat_result]]:
        """Take in a folder with all below it; yield its logs with their state."""
        pending = [top]
        while pending:
            folder = pending.pop()
            if len(self.stamps) >= MOST_FOLDERS and folder not in self.stamps:
                self.has_too_many = True
                return
            below, logs = self._listed(folder)
            yield from logs
            pending.extend(name for name in reversed(below) if name not in self.stamps)

    def _listed(self, folder: str) -> tuple[list[str], list[tuple[str, os.stat_result]]]:
        """Return a folder's folders and logs, each sorted; remember the folder's stamp."""
        below: list[str] = []
        logs: list[tuple[str, os.stat_result]] = []
        full = self.full(folder)
        self.recorders.discard(folder)
        try:
            self.stamps[folder] = os.stat(full).st_mtime_ns
            with os.scandir(full) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name == FOLDER:
                            self.take_recorder(folder)
                        below.extend([path] if self.may_enter(path) else [])
                    elif self.is_log(path) and entry.is_file(follow_symlinks=False):
                        logs.append((path, entry.stat(follow_symlinks=False)))
        except (OSError, ValueError):
            self.stamps.setdefault(folder, 0)
        return sorted(below), sorted(logs, key=lambda log: log[0])

    def take_recorder(self, folder: str) -> None:
        """Take in that a folder may have a ``.dlbug/``; a link is none."""
        self.recorders.discard(folder)
        full = os.path.join(self.full(folder), FOLDER)
        has_room = len(self.recorders) < MOST_RECORDERS
        if has_room and os.path.isdir(full) and not os.path.islink(full):
            self.recorders.add(folder)

    def may_enter(self, path: str) -> bool:
        """Say whether a path names a folder in which logs may lie."""
        full = self.full(path)
        if not os.path.isdir(full) or os.path.islink(full):
            return False
        return self.rules.enters(path) and path.count("/") < _DEEPEST and not _is_environment(full)

    def is_log(self, path: str) -> bool:
        """Say whether a path names a log that may be followed."""
        return self.rules.is_log(path) and self.full(path) not in self.rules.never

    def changed(self) -> list[str]:
        """Return the folders into which something came, or from which it went; forget lost ones."""
        changed: list[str] = []
        for folder, stamp in list(self.stamps.items()):
            try:
                now = os.stat(self.full(folder)).st_mtime_ns
            except OSError:
                if folder:
                    del self.stamps[folder]
                    self.recorders.discard(folder)
                    self.has_lost = True
                continue
            if now != stamp:
                changed.append(folder)
        return changed

    def holds(self, path: str) -> bool:
        """Say whether a file lies in a folder that is watched."""
        return path.rpartition("/")[0] in self.stamps


def _is_environment(path: str) -> bool:
    """Tell a virtual environment (PEP 405) or a conda one, whatever its name."""
    return os.path.exists(os.path.join(path, "pyvenv.cfg")) or os.path.isdir(
        os.path.join(path, "conda-meta")
    )


INCLUDE = (
    "**/*.log",
    "**/*.out",
    "**/*.err",
    "**/*.stdout",
    "**/*.stderr",
    "**/{stdout,stderr}",
    "**/slurm-*.out",
    "**/nohup.out",
    "**/*.[oe][0-9]*",
    "**/{log,logs}/**",
    "**/{log,*_log,log_*,console,output}.txt",
    "**/error.json",
    "**/*.ipynb",
)
"""The logs that are followed: of plain redirection, nohup, Slurm, PBS and SGE (``train.o4711``),
HTCondor, ray, hydra, wandb (``output.log``), detectron2 (``log.txt``), torchrun's log folders and
error files, and the error outputs of saved notebooks."""

EXCLUDE: tuple[str, ...] = ()
"""What a user leaves out; nothing by default."""

_FOLDER_NAMES = """
    .git .hg .svn .bzr .jj node_modules bower_components __pycache__ site-packages dist-packages
    .venv venv .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis .cache
    .ipynb_checkpoints .idea .vscode .dvc __pypackages__ .dlbug
"""
_FOLDERS = frozenset(_FOLDER_NAMES.split())
_BINARY = re.compile(
    r"\.tfevents\b|\.(?:pt|pth|ckpt|safetensors|bin|onnx|h5|pb|pkl|npy|npz|parquet|arrow|zip|gz|bz2"
    r"|xz|zst|tar|png|jpe?g|gif|svg|pdf|mp4|wav|so|o|a|pyc|db|sqlite3?|wandb|lock|swp|py)$",
    re.IGNORECASE,
)
_STARS = re.compile(r"\*+")
MOST_GLOBS = 200
MOST_WILDCARDS = 3
"""How often ``*`` may stand in a segment of a glob, and ``**`` in a glob."""
DOCUMENTS = (".ipynb", ".json")
"""Logs that are one JSON document and are read whole."""


@dataclass(frozen=True)
class LogRules:
    """Tells logs from other files by their path relative to the watched folder.

    A log is very often hidden from git (``*.log``, ``outputs/``), so ``.gitignore`` is not asked:
    the globs decide, and folders of tools, caches and environments are never entered.
    """

    include: tuple[str, ...] = INCLUDE
    exclude: tuple[str, ...] = EXCLUDE
    never: frozenset[str] = field(default=frozenset())
    """Absolute paths that are never followed, whatever the globs say: the server's own log."""

    @classmethod
    def of(
        cls,
        include: Iterable[str] | None,
        exclude: Iterable[str],
        never: frozenset[str] = frozenset(),
    ) -> LogRules:
        """Return the rules that settings ask for; where ``include`` is None, the usual globs."""
        return cls(INCLUDE if include is None else tuple(include), tuple(exclude), never)

    @cached_property
    def _included(self) -> re.Pattern[str]:
        return any_of(self.include)

    @cached_property
    def _excluded(self) -> re.Pattern[str]:
        return any_of(self.exclude)

    def is_log(self, path: str) -> bool:
        """Say whether a file is followed; ``path`` is relative with ``/``."""
        return (
            self._included.fullmatch(path) is not None
            and _BINARY.search(path) is None
            and self._excluded.fullmatch(path) is None
        )

    def enters(self, path: str) -> bool:
        """Say whether logs may lie in a folder; only its last name is looked at."""
        name = path.rpartition("/")[2]
        if name in _FOLDERS or name.endswith((".egg-info", ".dist-info")):
            return False
        return self._excluded.fullmatch(f"{path}/.") is None


def is_document(path: str) -> bool:
    """Say whether a log is one JSON document, which is rewritten and not appended to."""
    return path.endswith(DOCUMENTS)


def any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that fully matches the paths of any glob; it matches nothing for none.

    Globs with so many wildcards that a name could be matched in ways without number are left out.
    """
    sound = [glob for glob in globs[:MOST_GLOBS] if _is_sound(glob)]
    return re.compile("|".join(f"(?:{glob_to_regex(glob)})" for glob in sound) or r"(?!)")


def _is_sound(glob: str) -> bool:
    wildcards = (len(_STARS.findall(segment)) for segment in glob.split("/"))
    return glob.count("**") <= MOST_WILDCARDS and max(wildcards) <= MOST_WILDCARDS


def glob_to_regex(glob: str) -> str:
    """Return the regular expression of a glob as the protocol writes them (LSP 3.17, `Pattern`).

    ``*`` and ``?`` stay within a path segment, ``**`` spans segments, ``{a,b}`` groups
    alternatives, ``[…]`` and ``[!…]`` are classes. What is not closed stands for itself.
    """
    out: list[str] = []
    at, depth = 0, 0
    closing = glob.count("}")
    while at < len(glob):
        char = glob[at]
        if glob.startswith("**/", at):
            out.append(r"(?:[^/]+/)*")
            at += 3
            continue
        if glob.startswith("**", at):
            out.append(r".*")
            at += 2
            continue
        end = glob.find("]", at + 2) if char == "[" else -1
        if end > 0:
            out.append(_character_class(glob[at + 1 : end]))
            at = end
        elif char == "{" and depth < closing:
            out.append("(?:")
            depth += 1
        elif char == "}" and depth:
            out.append(")")
            depth -= 1
        elif char == "," and depth:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
        at += 1
    return "".join(out) + ")" * depth


def _character_class(inside: str) -> str:
    negated = inside.startswith(("!", "^"))
    body = inside[1:] if negated else inside
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", body)
    pattern = f"(?!/)[{'^' if negated else ''}{escaped}]"
    try:
        re.compile(pattern)
    except re.error:
        return re.escape(f"[{inside}]")
    return pattern
