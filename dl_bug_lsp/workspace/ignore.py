"""What is never a user's source: rules by name and content, and the folder's own ``.gitignore``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pathspec

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
            for found in pathspec.GitIgnoreSpec.from_lines([line]).patterns:
                if line.count("*") > 1 and (regex := getattr(found, "regex", None)) is not None:
                    found.regex = re.compile(linear(regex.pattern))
                yield found


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
