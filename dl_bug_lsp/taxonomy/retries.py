"""Whether the same job, unchanged, may pass when it is tried again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.categories import category, is_sure_of_retry, kind_of
from dl_bug_lsp.taxonomy.classification_context import ClassificationContext
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

_OF_MACHINES = ("platform", "execution_environment")
"""Dimensions of the categories whose failures may pass by themselves."""
_TRANSIENT = (
    "timed out",
    "timeout",
    "took too long to respond",
    "connection reset",
    "connection aborted",
    "connection refused",
    "forcibly closed by the remote host",
    "temporary failure",
    "try again later",
    "too many requests",
    "rate limit exceeded",
    "server error",
    "bad gateway",
    "service unavailable",
    "gateway time-out",
    "remote end closed",
    "address already in use",
    "eaddrinuse",
    "busy or unavailable",
    "preempt",
    "node failure",
    "incompleteread",
    "gpu is lost",
    "fallen off the bus",
)
"""Words of conditions that pass, in messages about machines and environments."""
_BUSY = (
    "temporarily unavailable",
    "device or resource busy",
    "text file busy",
    "database is locked",
    "file lock…could not be acquired",
    "being used by another process",
    "stale file handle",
    "stale nfs file handle",
)
"""Words by which something else holds a file, or a file server has made it anew; they pass."""
_LASTING = (
    "assert triggered",
    "assertion failed",
    "assertion `",
    "certificate",
    "illegal instruction",
    "code -4",
    "mismatch between collectives",
    "nccl…invalid usage",
    "nccl…invalid argument",
    "ncclinvalidusage",
    "offline mode is enabled",
    "offlinemodeisenabled",
)
"""Words of conditions that meet the next try as well."""
_OPEN = (
    "name or service not known",
    "nodename nor servname provided",
    "no address associated with hostname",
    "getaddrinfo failed",
    "[errno 11001]",
    "failed to resolve",
    "name resolution",
    "could not resolve host",
    "could not resolve proxy",
    "unable to resolve host",
    "unknown host",
    "dns",
    "network is unreachable",
    "no route to host",
    "failed to establish a new connection",
    "couldn't connect to",
    "could not connect to",
    "couldn't reach",
    "check your internet connection",
    "check your connection",
    "cannot connect to proxy",
    "no locks available",
    "time limit",
    "walltime",
    "wall time",
    "segmentation fault",
    "sigsegv",
    "sigbus",
    "sigabrt",
    "signal 11",
    "code -6",
    "code -7",
    "code -11",
    "code = -6",
    "code = -7",
    "code = -11",
    "code: -6",
    "code: -7",
    "code: -11",
    "code 134",
    "code 139",
    "access violation",
    "0xc0000005",
    "illegal memory access",
    "illegaladdress",
    "illegal address",
    "misaligned address",
    "unspecified launch failure",
    "launch_failed",
    "xid…): 13,",
    "xid…): 31,",
    "xid…): 43,",
    "unhandled cuda error",
    "unhandled system error",
    "ncclunhandledcudaerror",
    "ncclsystemerror",
)
"""Words of conditions that pass or last, without a sign of which.

A name that does not resolve may be wrong, or its server away for a moment. A job that resumes from
its checkpoint gets further at each time limit. Crashes of native code and of kernels may come at
each try or at some.
"""
_MEMORY_OF_OTHERS = ("has…memory in use. process",)
"""Words by which PyTorch says that other processes hold memory of the device."""
_STATUS = r"\b(?:http|status|error|response|returned|code)\W{0,3}(?:code\W{0,3})?"
_TRANSIENT_STATUS = re.compile(_STATUS + r"(?:408|425|429|50[0-4]|52\d)\b")
"""Statuses of HTTP by which a server asks for another try, or says that it failed itself."""
_LASTING_STATUS = re.compile(
    _STATUS + r"(?:40[0-7]|409|41\d|42[0-4]|451)\b"
    r"|\b(?:40[0-7]|409|41\d|42[0-4]|451) (?:client error|not found|forbidden|unauthorized)\b"
)
"""Statuses of HTTP by which a server refuses the request itself."""


def retry_may_help(failure: Failure, verdict: CategoryVerdict) -> bool | None:
    """Say whether the same job, unchanged, may get through next time; None where unknown."""
    if verdict.is_guess:
        return None
    if failure.divergence is not None and failure.divergence.differs:
        return False
    row = category(verdict.id)
    kind = kind_of(verdict.rule)
    default = row.retry_may_help
    if kind is not None and kind.retry_may_help is not None:
        default = kind.retry_may_help
    if default and not is_sure_of_retry(verdict):
        default = None
    if failure.cause is None:
        return default
    context = ClassificationContext(failure, failure.cause)
    if context.says(*_MEMORY_OF_OTHERS):
        return None
    if context.says(*_BUSY):
        return True
    if row.dimension not in _OF_MACHINES:
        return False if context.says(*_LASTING) else default
    if context.says(*_LASTING):
        return False
    if _passes(context):
        return True
    if _LASTING_STATUS.search(context.text):
        return False
    if context.says(*_OPEN):
        earlier = (ClassificationContext(failure, c) for c in failure.causes[: failure.root])
        return True if any(map(_passes, earlier)) else None
    return default


def _passes(context: ClassificationContext) -> bool:
    return context.says(*_TRANSIENT, *_BUSY) or _TRANSIENT_STATUS.search(context.text) is not None


_COLLECTIVE = re.compile(
    r"WorkNCCL\(SeqNum=(?P<seq>\d{1,12}), OpType=(?P<op>\w{1,40})(?:, NumelIn=(?P<numel>\d{1,15}))?"
)
_RANK = re.compile(r"\[Rank (\d{1,6})\]")


def ranks_disagree(failures: Sequence[Failure]) -> bool:
    """Say whether the ranks of one job stood in different places, or waited for other collectives.

    Then they took different branches, as they will next time: it is no trouble of the network.
    """
    stood: dict[int, tuple[str, int]] = {}
    waited: dict[int, tuple[str, str, str]] = {}
    for failure in failures:
        rank = failure.process.rank if failure.process is not None else None
        work = _COLLECTIVE.search(failure.cause.message if failure.cause is not None else "")
        named = _RANK.search(failure.evidence)
        if work and (rank is not None or named):
            number = rank if rank is not None else int(named[1]) if named else 0
            waited.setdefault(number, (work["seq"], work["op"], work["numel"] or ""))
        own_frames = [f for f in failure.frames if not is_library_path(f.file) and f.line]
        if rank is not None and own_frames and failure.kind is FailureKind.EXCEPTION:
            stood.setdefault(rank, (own_frames[-1].file, own_frames[-1].line))
    return len(set(stood.values())) > 1 or len(set(waited.values())) > 1
