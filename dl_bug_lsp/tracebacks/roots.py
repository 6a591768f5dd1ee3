"""Which exception of a chain tells what really went wrong."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.frames import is_library_path
from dl_bug_lsp.tracebacks.values import Cause, Relation

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
    fallback's failure counts. All else (translations, cleanup) follows from the former.
    """
    if later.class_name in _LEAVING:
        return False
    if _WORKER_GONE.match(later.message) and _WORKER_KILLED.match(former.message):
        return False
    if former.class_name == "UnfilteredStackTrace":
        return True
    if not former.type:
        return bool(later.type) and has_user_frames(later)
    if not has_user_frames(former):
        return has_user_frames(later) and not _only_wraps(former, later)
    if later.relation is Relation.DIRECT_CAUSE or before.class_name not in _FALLBACK_FROM:
        return False
    if not later.frames or not has_user_frames(later):
        return False
    if any(_CLEANUP.match((f.function or "").rpartition(".")[2]) for f in later.frames):
        return False
    user = [f for f in later.frames if not is_library_path(f.file)]
    return not _DELIBERATE.match((user[-1].source or "").strip())
