"""Which files of a folder are logs: globs to include and exclude, folders never entered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

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
