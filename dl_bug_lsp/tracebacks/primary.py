"""Which failure ended the job, which exception of a chain is its root, which failures repeat.

Consequential failures are separated from root causes. A failure may repeat in a retry, the next
sample or the other ranks; the first print is taken.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace

from dl_bug_lsp.tracebacks.dialects import dialect_named
from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Relation
from dl_bug_lsp.tracebacks.stream import Block
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

_LAUNCHERS = frozenset(
    ("ChildFailedError", "CalledProcessError", "ProcessExitedException", "SystemExit", "Exit")
)
_FOLLOWERS = frozenset((
    "KeyboardInterrupt", "BrokenPipeError", "ConnectionResetError", "ConnectionRefusedError",
    "ConnectionAbortedError", "EOFError", "BrokenProcessPool", "TerminatedWorkerError",
    "BrokenBarrierError", "CancelledError", "Empty", "Full", "TimeoutError", "DistBackendError",
    "DistNetworkError", "DistStoreError", "RayActorError", "ActorDiedError", "WorkerCrashedError",
    "SignalException", "TuneError", "TrainingFailedError", "NodeDiedError", "ActorUnavailableError",
))  # fmt: skip
_FOLLOWING = re.compile(
    r"Connection (?:closed|reset|refused|aborted)|Broken pipe|[Tt]imed out|[Tt]imeout"
    r"|NCCL communicator"
    r"|ncclRemoteError|ncclSystemError|recvValue failed|remote process exited"
    r"|Socket closed|closed by peer"
    r"|Signal \d+ \(SIG|DataLoader worker.*(?:exited unexpectedly|killed by signal)"
    r"|process group.*(?:abort|destroy)|watchdog|Detected mismatch between collectives",
)
_STATUS_OF_CHILD = re.compile(
    r"returned (?:a )?non-?zero (?:exit )?(?:code|status)|[Cc]ommand failed(?: with|\.) ?"
    r"|with (?:a )?non-?zero exit (?:code|status)"
    r"|(?:exited|failed|terminated) with (?:an? )?(?:non-?zero )?(?:exit )?(?:code|status) -?[1-9]"
)
"""What schedulers (airflow, prefect, …) raise about a program that has already said why it died."""
ELSEWHERE = re.compile(
    r"(?:[Ss]ee|[Cc]heck) (?:the )?(?:root cause|stack ?trace|error|log|output|traceback|print"
    r"(?:ed)?(?: statement| output)?|message)s? above"
    r"|stack ?trace to find the original"
    r"|[Ss]ee stack ?trace (?:\(above\) )?for (?:the )?(?:root|actual) cause"
    r"|[Bb]ackground loop (?:has errored already|is stopped)"
    r"|inspect the previous error messages for a cause"
)
"""What says only that another failure stands elsewhere."""
_KILLED_WORKER = re.compile(
    r"killed by signal|exited unexpectedly|terminated abruptly|OOM|oom-kill"
)
_KILLERS = frozenset(("kill", "kernel", "slurm", "container", "signal", "bash", "torch"))
_SHELLS = frozenset(("bash", "sh", "zsh", "shell", "python", "argparse", "click", "log"))
_LAUNCHING = re.compile(
    r"[\\/]torch[\\/]distributed[\\/](?:run|launch|launcher|elastic)\b|[\\/]bin[\\/](?:torchrun|accelerate)$"
    r"|[\\/]accelerate[\\/]commands[\\/]|[\\/]deepspeed[\\/]launcher[\\/]|[\\/]subprocess\.py$"
    r"|^<frozen runpy>$|[\\/]runpy\.py$"
)
_PARENT_GONE = frozenset(("EOFError", "UnpicklingError"))
_SPAWNED = re.compile(r"[\\/]multiprocessing[\\/](?:spawn|forkserver)\.py$")
"""Where a process that was spawned reads what its parent sends; a parent that failed sends less."""
_FINALIZING = re.compile(
    r"^(?:_run_finalizers|_exitfunc|_remove_temp_dir|_cleanup|__del__|_run_exitfuncs|rmtree)$"
)
"""Functions that clean up when a program ends, however it ended."""
_UNTOLD = re.compile(r"terminat|libc\+\+abi|Microsoft C\+\+")
"""How a message begins that says only that a C++ program ended, not why."""
_SPACE = re.compile(r"\s+|0x[0-9a-fA-F]+|\d{6,}|block: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\]")
"""What copies of a message differ in; every thread of a kernel prints the assertion that failed."""
STRONG, MEDIUM, CUT_OFF, STUB, NEGLIGIBLE = 70, 40, 36, 13, 12
"""Weights: of an exception that hardly follows from another, of one that may, of a stack without
its exception, of the beginning of one; at the last a failure never counts as what ended the job."""
MAY_FOLLOW, REPORTS, FOLLOWS, LAUNCHER = 60, 35, 30, 25
"""Most that an exception weighs that may follow from another, that reports another, that certainly
follows from another; most that the cut stack of a launcher weighs."""


def weigh(block: Block, failure: Failure) -> int:
    """Return the block's weight, less where its exception only follows from another failure."""
    cause = failure.cause
    if cause is None:
        return 0
    if failure.kind is FailureKind.MESSAGE:
        reports = cause.type == "log" and _STATUS_OF_CHILD.search(cause.message[:500])
        return min(block.weight, FOLLOWS) if reports else block.weight
    name = cause.class_name.partition("(")[0]
    if not cause.type and all(frame.file == "<string>" for frame in cause.frames):
        # The beginning of a stack of `python -c`, or none at all, tells nothing of what failed.
        return min(block.weight, STUB)
    if not cause.type and all(_LAUNCHING.search(frame.file) for frame in cause.frames):
        return min(block.weight, LAUNCHER)
    is_without_message = not cause.message and dialect_named(block.dialect).names_class_first
    if not cause.type or (is_without_message and block.problems):
        # A stack without its exception tells less than an error in words, more than a launcher.
        return min(block.weight, CUT_OFF)
    if cause.frames and _FINALIZING.match((cause.frames[0].function or "").rpartition(".")[2]):
        return min(block.weight, FOLLOWS)
    if (
        name in _LAUNCHERS
        or _STATUS_OF_CHILD.search(cause.message[:500])
        or (ELSEWHERE.search(cause.message[:2000]))
    ):
        return min(block.weight, REPORTS)
    if name in _PARENT_GONE and any(_SPAWNED.search(frame.file) for frame in cause.frames):
        return min(block.weight, FOLLOWS)
    if name in _FOLLOWERS or _FOLLOWING.search(cause.message[:2000]):
        return min(block.weight, MAY_FOLLOW)
    return block.weight


def signature(failure: Failure) -> tuple[str, str, tuple[str, ...]]:
    """Return what copies of one failure share: class, first words, innermost places."""
    cause = failure.cause
    if cause is None:
        return "", "", ()
    head = _SPACE.sub(" ", cause.message.strip().split("\n", 1)[0])[:160]
    places = tuple(f"{f.file}:{f.line}" for f in cause.frames[-2:])
    return cause.class_name, head, places


def without_copies(items: list[tuple[Failure, int]], rank: int | None) -> list[tuple[Failure, int]]:
    """Keep one of each set of copies: the first observed rank's, else the one with most frames."""
    best: dict[tuple[str, str, tuple[str, ...]], tuple[Failure, int]] = {}
    for failure, weight in items:
        key = signature(failure)
        if failure.kind is FailureKind.MESSAGE and not key[1]:
            key = (*key[:2], (str(failure.span.first_line),))
        known = best.get(key)
        if known is None:
            best[key] = (failure, weight)
            continue
        better = _worth(failure, rank) > _worth(known[0], rank)
        best[key] = ((failure if better else known[0]), max(weight, known[1]))
    originals = list(best.values())
    originals.sort(key=lambda item: (item[0].span.first_line, item[0].span.last_line))
    return originals


def _worth(failure: Failure, rank: int | None) -> tuple[bool, int]:
    process = failure.process
    own = rank is not None and process is not None and process.rank == rank
    return own, min(len(failure.frames), 1) + sum(len(c.frames) for c in failure.causes)


def choose_primary(items: list[tuple[Failure, int]], rank: int | None) -> int | None:
    """Return the index of the failure that ended the job, or None where none did.

    ``items`` are failures with their weights in the order of the text; ``rank`` is the one that a
    launcher names as the first to fail.
    """
    usable = [index for index, (_, weight) in enumerate(items) if weight > NEGLIGIBLE]
    if not usable:
        return None
    for floor in (STRONG, MEDIUM, CUT_OFF, STUB + 1, 0):
        tier = [index for index in usable if items[index][1] >= floor]
        if tier:
            chosen = _in_tier(items, tier, rank)
            return _killed_worker(items, usable, chosen)
    return None


def _killed_worker(items: list[tuple[Failure, int]], usable: list[int], chosen: int) -> int:
    """Prefer the exception about a worker that was killed to the bare words of the kill."""
    if items[chosen][0].kind is FailureKind.EXCEPTION:
        return chosen
    cause = items[chosen][0].cause
    if cause is None or cause.type not in _KILLERS:
        return chosen
    return next((i for i in usable if _tells_of_kill(items[i][0])), chosen)


def _tells_of_kill(failure: Failure) -> bool:
    cause = failure.cause
    return (
        failure.kind is FailureKind.EXCEPTION
        and cause is not None
        and bool(cause.frames)
        and bool(_KILLED_WORKER.search(cause.message[:2000]))
    )


def _in_tier(items: list[tuple[Failure, int]], tier: list[int], rank: int | None) -> int:
    tier = _without_aftermath(items, tier)
    if rank is not None:
        own = [i for i in tier if _rank(items[i][0]) == rank]
        if own:
            return own[-1]
    dialect = items[tier[-1]][0].dialect
    if dialect_named(dialect).lists_failures:
        return next(i for i in tier if items[i][0].dialect == dialect)
    last: dict[int | str | None, int] = {}
    for index in tier:
        process = items[index][0].process
        key: int | str | None = None
        if process is not None:
            key = process.rank if process.rank is not None else process.name
        if key in last and _goes_on(items[last[key]][0], items[index][0]):
            continue
        last[key] = index
    if len(last) == 1:
        return next(iter(last.values()))
    ranked = [index for key, index in last.items() if key is not None]
    known = [index for index in ranked if not _is_plain_record(items[index][0])]
    ranked = known or ranked
    return min(ranked)


def _is_plain_record(failure: Failure) -> bool:
    """Say whether a failure is only a record of level ERROR that no table knows."""
    return failure.cause is not None and failure.cause.type == "log"


def _goes_on(former: Failure, later: Failure) -> bool:
    """Say whether later words of one program only go on with what it said first."""
    if not former.cause or not later.cause:
        return False
    if former.kind is FailureKind.EXCEPTION and later.cause.type == "log":
        return True
    if former.kind is FailureKind.EXCEPTION and "in loading state_dict" in former.cause.message:
        return later.cause.type == "torch"
    if FailureKind.EXCEPTION in (former.kind, later.kind):
        return False
    if former.cause.type in _SHELLS and "\\r'" in former.cause.message[:500]:
        # Carriage returns in a script: all further errors follow from them.
        return later.cause.type in _SHELLS
    if later.cause.type == "container":
        return former.cause.type in ("signal", "kill", "kernel")
    if later.cause.is_native and _UNTOLD.match(later.cause.message):
        return former.cause.type != "log"
    if later.cause.is_native and former.cause.message.strip() == later.cause.message.strip():
        # A library printed the message of its exception before it threw it.
        return True
    if former.cause.type == "tensorrt" and later.cause.type == "log":
        return True
    if later.cause.type in ("signal", "kill"):
        return former.cause.type != "log"
    if former.cause.type in ("nccl", "gloo"):
        return not _is_new_program(later)
    if former.cause.type == "log":
        return later.cause.type == "log" and later.span.first_line - former.span.last_line <= 3
    both_native = former.cause.is_native and later.cause.is_native
    is_same = both_native or former.cause.type == later.cause.type
    return is_same and former.cause.type not in _SHELLS


def _without_aftermath(items: list[tuple[Failure, int]], tier: list[int]) -> list[int]:
    """Leave out what systems and shells say after an exception that ended its process."""
    first = next((i for i in tier if _ends_process(items[i][0])), None)
    if first is None:
        return tier
    return [
        i for i in tier
        if i <= first or items[i][0].kind is FailureKind.EXCEPTION or _is_new_program(items[i][0])
    ]  # fmt: skip


def _ends_process(failure: Failure) -> bool:
    dialect = dialect_named(failure.dialect)
    if dialect.is_dump:
        return bool(failure.frames)
    return failure.kind is FailureKind.EXCEPTION and dialect.is_traceback


def _is_new_program(failure: Failure) -> bool:
    """Usage errors and a shell's errors come from the script's next commands."""
    cause = failure.cause
    return cause is not None and cause.type in (
        "argparse", "click", "typer", "absl", "hydra", "python", "bash", "sh", "zsh", "env", "fire",
    )  # fmt: skip


def _rank(failure: Failure) -> int | None:
    return failure.process.rank if failure.process is not None else None


def mark(items: list[tuple[Failure, int]], rank: int | None) -> list[Failure]:
    """Return the failures with the primary one marked."""
    chosen = choose_primary(items, rank)
    return [replace(failure, primary=index == chosen) for index, (failure, _) in enumerate(items)]


_FALLBACK_FROM = frozenset(
    [
        "KeyError",
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
        "FileNotFoundError",
        "IndexError",
        "StopIteration",
        "LookupError",
        "NotImplementedError",
        "UnicodeDecodeError",
    ]
)
_LEAVING = frozenset(["SystemExit", "Exit", "Abort", "KeyboardInterrupt"])
_CLEANUP = re.compile(
    r"^(?:__exit__|__del__|_?close|_?cleanup|_?clean_up|_?teardown|_?shutdown|_?finish|_?stop"
    r"|_?destroy\w*|_?finali[sz]e|_?on_exception|_?save\w*|_?release|_?terminate|log_\w+)$"
)
_WORKER_GONE = re.compile(r"^DataLoader worker \(pid\(s\) [\d, ]+\) exited unexpectedly")
_WORKER_KILLED = re.compile(r"^DataLoader worker \(pid \d+\) is killed by signal")
_GENERIC = frozenset(["Exception", "RuntimeError", "DatasetGenerationError", "TransformError"])
_TELLING = frozenset(
    [
        *("KeyError", "AttributeError", "IndexError", "TypeError", "ValueError", "NameError"),
        *("ZeroDivisionError", "FileNotFoundError", "UnicodeDecodeError", "NotImplementedError"),
    ]
)
"""Classes that say more than the generic ones that wrap them."""
_SAYS_WHERE = {
    "DatasetGenerationError": re.compile(r"An error occurred while generating the dataset\s*$"),
    "InstantiationException": re.compile(r"Error (?:in call to|instantiating) "),
    "UserCodeException": re.compile(r""),
    "DatasetError": re.compile(r"Failed while (?:loading|saving) data "),
}
"""Classes with which libraries (datasets, hydra, Ray Data, Kedro) only say where the program's own
exception, their direct cause, happened."""
_DELIBERATE = re.compile(r"^raise\b")


def has_user_frames(cause: Cause) -> bool:
    """Say whether any frame of a cause may be the user's."""
    return any(f.marked_user or not is_library_path(f.file) for f in cause.frames)


def choose_root(causes: list[Cause]) -> int:
    """Return the index of the cause that the others wrap, translate or follow from."""
    root = 0
    for index in range(1, len(causes)):
        cause = causes[index]
        if cause.relation in (Relation.WRAPPED, Relation.GROUP_MEMBER):
            continue
        if _supersedes(causes[root], causes[index - 1], cause):
            root = index
    return root


def _only_wraps(former: Cause, later: Cause) -> bool:
    """Say whether a library only says where ``former`` happened (``raise … from error``)."""
    raised = later.frames[-1].file if later.frames else ""
    says_where = _SAYS_WHERE.get(later.class_name)
    if says_where is not None and says_where.match(later.message):
        return later.relation is Relation.DIRECT_CAUSE and bool(former.type and former.message)
    return (
        later.relation is Relation.DIRECT_CAUSE
        and later.class_name in _GENERIC
        and former.class_name in _TELLING
        and is_library_path(raised)
    )


def _supersedes(former: Cause, before: Cause, later: Cause) -> bool:
    """Say whether ``later`` rather than ``former`` is what went wrong; ``before`` was just handled.

    A former exception inside libraries alone is a detail of how the later one came about. A lookup
    that failed and whose fallback then failed by itself is the idiom "ask forgiveness": the
    fallback's failure counts. So does that of a call which the handler makes again in another form.
    All else (translations, cleanup) follows from the former.
    """
    if later.class_name == "KeyboardInterrupt":
        # It came while a library handled something that it expects at times.
        return not has_user_frames(former)
    if later.class_name in _LEAVING:
        return False
    if _WORKER_GONE.match(later.message) and _WORKER_KILLED.match(former.message):
        return False
    if former.class_name == "UnfilteredStackTrace":
        return True
    if not former.type:
        return bool(later.type) and has_user_frames(later)
    if _fails_to_clean_up(former, later):
        return False
    if not has_user_frames(former):
        # Of a chain inside a library, the last word is what it tells its caller.
        told = later.relation is Relation.DIRECT_CAUSE and bool(later.type and later.message)
        bare = told and not later.frames and later.class_name not in _GENERIC
        return bare or (has_user_frames(later) and not _only_wraps(former, later))
    if later.relation is Relation.DIRECT_CAUSE:
        return False
    if _made_again(before, later):
        return True
    if before.class_name not in _FALLBACK_FROM:
        return False
    if not later.frames or not has_user_frames(later):
        return False
    if any(_CLEANUP.match((f.function or "").rpartition(".")[2]) for f in later.frames):
        return False
    user = [f for f in later.frames if not is_library_path(f.file)]
    return not _DELIBERATE.match((user[-1].source or "").strip())


_ENDING = (
    r"(?:__a?exit__|__del__|_?a?close|_?clean_?up|_?tear_?down|_?shutdown|_?finali[sz]e|_?release"
    r"|_?terminate|_?destroy(?:_process_group)?|write_end_of_file|_?rm_?tree|rmdir|unlink"
    r"|removedirs|_run_finalizers|_exitfunc)"
)
_ENDS = re.compile(rf"^{_ENDING}$")
_CALLS_END = re.compile(rf"^(?:await )?(?:\w{{1,80}}\.){{0,6}}{_ENDING}\(")
"""A statement that only ends something; what it calls may be written in C and have no frame."""
_GENERATOR_HELPER = re.compile(r"[\\/]contextlib\.py$")
"""Its ``__exit__`` hands the exception to a function that may well translate it."""


def _fails_to_clean_up(former: Cause, later: Cause) -> bool:
    """Say whether ``later`` is only what the clean-up after ``former`` raised.

    What the program raises itself there, with ``raise``, is meant, and what failed inside of the
    clean-up already is no other failure. Of libraries a lookup that failed is no failure, either.
    """
    if later.relation is not Relation.DURING_HANDLING or not later.frames or not former.message:
        return False
    if not has_user_frames(former) and former.class_name in _FALLBACK_FROM | _FOLLOWERS:
        return False
    user = [f for f in later.frames if not is_library_path(f.file)]
    if user and user[-1] is later.frames[-1] and _DELIBERATE.match((user[-1].source or "").strip()):
        return False
    before = {(frame.file, frame.function) for frame in former.frames}
    for frame in later.frames:
        own = (frame.function or "").rpartition(".")[2]
        ends = _ENDS.match(own) and not _GENERATOR_HELPER.search(frame.file)
        if ends and (frame.file, frame.function) not in before:
            return True
    return bool(_CALLS_END.match((later.frames[-1].source or "").strip()))


_CALLED = re.compile(r"(?P<callee>[A-Za-z_][\w.]*(?:\[[^\]()]{0,40}\][\w.]*)*)\(")
"""The first call of a line of source."""


def _made_again(handled: Cause, later: Cause) -> bool:
    """Say whether ``later`` comes from the handler's second try of the call that failed first.

    A first try that the handler repeats with other arguments was expected to fail at times.
    """
    if not handled.frames:
        return False
    first = handled.frames[0]
    tried = _CALLED.search(first.source or "")
    for frame in later.frames if tried is not None else ():
        if (frame.file, frame.function) == (first.file, first.function):
            again = _CALLED.search(frame.source or "")
            is_same = again is not None and tried is not None and again["callee"] == tried["callee"]
            return is_same and frame.line > first.line > 0
    return False


_VARYING = re.compile(r"\d+")
"""What differs from one time to the next: sizes, indices, addresses, ranks."""


def stand_ins(failures: Sequence[Failure]) -> tuple[int, ...]:
    """Return for each failure the index of the one that stands for it and all that repeat it.

    Failures repeat one another where their exceptions, the numbers in their messages aside, and
    their stacks are the same. The one that ended the job stands for the others, else the first.
    A message without frames (a logger's line) repeats the failure whose stack has that message.
    """
    chosen: dict[Hashable, int] = {}
    keys = _with_stacks(failures, [_key(failure) for failure in failures])
    for number, (key, failure) in enumerate(zip(keys, failures, strict=True)):
        if failure.primary or key not in chosen:
            chosen[key] = number
    return tuple(chosen[key] for key in keys)


SHORTEST_TOLD = 12
"""Characters from which on a message says enough to be told again by the same words."""


def _with_stacks(failures: Sequence[Failure], keys: Sequence[Hashable]) -> list[Hashable]:
    """Return the keys, those of messages without frames being that of the failure with a stack."""
    told: dict[str, Hashable] = {}
    for failure, key in sorted(zip(failures, keys, strict=True), key=lambda pair: pair[0].primary):
        for cause in failure.causes if failure.frames else ():
            if len(cause.message) >= SHORTEST_TOLD:
                told[cause.message.strip()] = key
    return [
        told.get(failure.causes[0].message.strip(), key) if _is_bare(failure) else key
        for failure, key in zip(failures, keys, strict=True)
    ]


def _is_bare(failure: Failure) -> bool:
    """Whether a failure is one exception's message and has no frame."""
    return len(failure.causes) == 1 and not failure.frames and not failure.primary


def _key(failure: Failure) -> Hashable:
    causes = tuple(
        (cause.type, _VARYING.sub("0", cause.message), cause.frames) for cause in failure.causes
    )
    return failure.kind, failure.root, causes
