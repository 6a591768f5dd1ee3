"""Which frames are a library's, and in what operation between ranks a stack waits."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from dl_bug_lsp.tracebacks import Frame, is_library_path
from dl_bug_lsp.tracebacks.values import Activity, RankState

_PACKAGES = frozenset((
    "torch", "jax", "jaxlib", "horovod", "mpi4py", "accelerate", "lightning", "deepspeed", "numpy",
    "pytorch_lightning", "lightning_fabric", "transformers", "ray", "multiprocess", "tensorflow",
    "megatron", "fairscale", "ignite", "torchvision",
))  # fmt: skip
"""Packages as py-spy's shortened paths begin with them."""
_WAITS = (
    (re.compile(r"[\\/]torch[\\/]distributed[\\/](?!run\.py|launch|elastic)"), ""),
    (re.compile(r"[\\/]jax[\\/]experimental[\\/]multihost_utils\.py$"), ""),
    (re.compile(r"[\\/]horovod[\\/]"), ""),
    (re.compile(r"[\\/]mpi4py[\\/]"), ""),
    (re.compile(r"[\\/]torch[\\/]autograd[\\/]graph\.py$"), "backward"),
    (re.compile(r"[\\/]torch[\\/]nn[\\/]parallel[\\/]distributed\.py$"), "DistributedDataParallel"),
    (re.compile(r"[\\/]torch[\\/]cuda[\\/](?:__init__|streams)\.py$"), "synchronize"),
    (re.compile(r"[\\/]jax[\\/]_src[\\/](?:array|distributed)\.py$"), "jax"),
)
"""Files whose functions wait for other ranks, and what to call that where the function does not."""
_WRAPPERS = frozenset(("wrapper", "inner", "decorated", "<lambda>", "_pg_wrapper"))


def is_library(file: str) -> bool:
    """Say whether a file is a library's; py-spy prints paths without what stands before it."""
    if is_library_path(file):
        return True
    first, slash, _ = file.replace("\\", "/").partition("/")
    if slash:
        return first in _PACKAGES or (first in sys.stdlib_module_names and first != "test")
    stem = first.removesuffix(".py")
    return first.startswith("<") or (first.endswith(".py") and stem in _STDLIB)


_STDLIB = sys.stdlib_module_names - {"test", "code", "this", "queue_test"}


def own_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the frames that may be the user's, outermost first."""
    return tuple(frame for frame in frames if frame.line and not is_library(frame.file))


def operation_of(frames: Sequence[Frame]) -> str:
    """Return the operation between ranks that a stack waits in, empty where it is elsewhere."""
    if any(frame.function == "<module>" and is_library(frame.file) for frame in frames[1:]):
        # A module is being imported; what it holds does not matter.
        return ""
    name = ""
    for frame in frames:
        file = "/" + frame.file.replace("\\", "/").lstrip("/")
        said = next((said for pattern, said in _WAITS if pattern.search(file)), None)
        function = (frame.function or "").rpartition(".")[2]
        if said is None or function in _WRAPPERS:
            continue
        if said == "":
            return function.lstrip("_")
        if said != "DistributedDataParallel" or function not in ("forward", "__call__"):
            name = name or said
    return name


Position = tuple[Activity, str, tuple[tuple[str, int], ...]]


def position(state: RankState) -> Position:
    """Return what ranks that stand together share: what they do, and the lines of their stacks."""
    own = own_frames(state.frames)
    return state.doing, state.operation, tuple((frame.file, frame.line) for frame in own)


def groups_of(states: Sequence[RankState]) -> list[list[RankState]]:
    """Return the states that stand together, the group of most ranks first."""
    together: dict[Position, list[RankState]] = {}
    for state in states:
        together.setdefault(position(state), []).append(state)
    return sorted(together.values(), key=lambda group: (-len(group), group[0].rank))
