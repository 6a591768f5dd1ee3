"""Stacks of several processes in one log: each rank's main thread, and where it waits."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.logs.log import LogLine
from dl_bug_lsp.tracebacks import Frame, is_library_path
from dl_bug_lsp.tracebacks.cpython import THREAD, read_thread_stack
from dl_bug_lsp.tracebacks.failures import Activity, RankState
from dl_bug_lsp.tracebacks.stream import Stream

# ------------------------------------------------ frames of libraries, operations between ranks
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
        operation = next((operation for pattern, operation in _WAITS if pattern.search(file)), None)
        function = (frame.function or "").rpartition(".")[2]
        if operation is None or function in _WRAPPERS:
            continue
        if operation == "":
            return function.lstrip("_")
        if operation != "DistributedDataParallel" or function not in ("forward", "__call__"):
            name = name or operation
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


# ---------------------------------------------------------------------- stacks by rank
OURS = re.compile(
    r"^\[(?:dl-bug-lsp|py-spy)\] (?:(?P<hang>hang: .*)|stacks of process (?P<pid>\d{1,10})"
    r"(?P<child>, a child of process \d{1,10})?.*|process (?P<gone>\d{1,10}) has ended.*"
    r"|(?P<end>end of the stacks))$"
)
_TIMEOUT = re.compile(r"^Timeout \(\d+:\d\d:\d\d")
_NAMED_MAIN = re.compile(r"\[MainThread\]|\"MainThread\"")
_MOST_THREADS = 200


@dataclass(slots=True)
class Dumped:
    """The stacks of one process at one time; the last thread is the main one unless named."""

    first: int
    last: int
    is_child: bool = False
    has_ended: bool = False
    threads: list[tuple[bool, tuple[Frame, ...]]] = field(default_factory=list)

    def main(self) -> tuple[Frame, ...]:
        """Return the main thread's frames, outermost first."""
        named = [frames for is_main, frames in self.threads if is_main]
        return named[-1] if named else self.threads[-1][1] if self.threads else ()

    def beside(self) -> tuple[tuple[Frame, ...], ...]:
        """Return the other threads' frames."""
        main = self.main()
        return tuple(frames for _, frames in self.threads if frames is not main)


def dumps_of(lines: tuple[LogLine, ...]) -> list[Dumped]:
    """Return the dumps in the lines of one process, in order."""
    stream = Stream(lines)
    dumps: list[Dumped] = []
    current: Dumped | None = None
    index = 0
    while index < len(stream):
        text = stream.text(index)
        ours = OURS.match(text)
        if ours or _TIMEOUT.match(text):
            current = None
            if ours is None or ours["pid"] or ours["gone"]:
                number = stream.lines[index].number
                current = Dumped(number, number)
                current.is_child = bool(ours and ours["child"])
                current.has_ended = bool(ours and ours["gone"])
                dumps.append(current)
        elif THREAD.match(text):
            frames, end = read_thread_stack(stream, index + 1)
            if current is None or len(current.threads) >= _MOST_THREADS:
                current = Dumped(stream.lines[index].number, 0)
                dumps.append(current)
            current.threads.append((bool(_NAMED_MAIN.search(text)), tuple(frames)))
            current.last = stream.lines[max(index, end - 1)].number
            index = end
            continue
        elif text.strip():
            # Other output: the next stack is of another time.
            current = None
        index += 1
    return [dump for dump in dumps if dump.threads or dump.has_ended]


def state_of(rank: int, dumps: list[Dumped]) -> RankState | None:
    """Return where a rank stood by the last dump of its own process, with its children beside."""
    own = [dump for dump in dumps if not dump.is_child]
    if not own:
        return None
    last = own[-1]
    if last.has_ended:
        return RankState(rank, Activity.ENDED)
    children = [dump for dump in dumps if dump.is_child and dump.first > last.first]
    others = [*last.beside(), *(dump.main() for dump in children)]
    beside = tuple(frames for frames in others if own_frames(frames))
    frames = last.main()
    if not own_frames(frames) and len(beside) == 1 and not operation_of(frames):
        # Code that a thread of the program's own runs, as servers do.
        frames, beside = beside[0], ()
    operation = operation_of(frames)
    doing = Activity.WAITS if operation else Activity.RUNS
    return RankState(rank, doing, operation, frames=frames, others=beside)
