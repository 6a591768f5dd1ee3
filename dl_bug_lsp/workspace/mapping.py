"""From a path that some machine printed to the workspace file it most plausibly means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

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
        found: list[tuple[int, int, str]] = []
        for file in self._by_name.get(parts[-1].casefold(), ()):
            local = file.split("/")
            matched = _common_suffix(parts, local, ignore_case=windows)
            if matched and self._is_plausible(parts, local, matched):
                found.append((-matched, len(local) - matched, file))
        found.sort()
        best = [(-length, file) for length, _, file in found]
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
    for one, other in zip(reversed(left), reversed(right), strict=False):
        same = one.casefold() == other.casefold() if ignore_case else one == other
        if not same:
            break
        count += 1
    return count
