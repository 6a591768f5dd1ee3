"""Whether a failure comes from the project's own versioned code, and whether a retry can help."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dl_bug_lsp.messages.facts import FactKind, MessageFacts
from dl_bug_lsp.report import CategoryVerdict, Verdict
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.taxonomy.classification_context import ClassificationContext
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

INTRINSIC, EXTRINSIC = "intrinsic", "extrinsic"

_OWN_DOING = (
    "relative import",
    "partially initialized module",
    "mismatch between collectives",
    "monitoredbarrier",
)
"""Words of an environment's category that nevertheless tell of the project's own code."""
_OTHERS_DOING = (
    "undefined symbol",
    "no kernel image",
    "binary incompatibility",
    "driver",
    "has…memory in use. process",
    "including non-pytorch memory",
    "stale file handle",
    "out of shared memory",
    "insufficient shared memory",
    "unable to allocate shared memory",
    "bus error",
    "input/output error",
    "server error",
    "is deprecated and was removed in numpy",
)
"""Words of any category that tell of machine, network or third-party binaries."""
_PERHAPS_OWN = ("contains nan", "contains infinity", "contains missing values")
"""Words of bad values, which code makes on its way as often as data bring them."""
_TRANSIENT = (
    "timed out",
    "timeout",
    "connection reset",
    "connection aborted",
    "connection refused",
    "temporary failure",
    "too many requests",
    "server error",
    "bad gateway",
    "service unavailable",
    "remote end closed",
    "address already in use",
    "eaddrinuse",
    "busy or unavailable",
    "stale file handle",
    "preempt",
    "node failure",
    "incompleteread",
    "resource temporarily unavailable",
    "gpu is lost",
    "fallen off the bus",
)
"""Words of conditions that pass."""
_LASTING = (
    "assert",
    "certificate",
    "name or service not known",
    "404",
    "segmentation fault",
    "sigsegv",
    "sigbus",
    "sigill",
    "illegal memory access",
    "illegaladdress",
    "illegal address",
    "misaligned address",
    "illegal instruction",
    "code -4",
    "code -7",
    "code -11",
    "mismatch between collectives",
    "time limit",
    "invalid usage",
    "unhandled cuda error",
    "ncclunhandledcudaerror",
    "offline mode",
)
"""Words of conditions that meet the next try as well."""
_PART_OF_PACKAGE = re.compile(r"No module named '?\w+\.\w|cannot import name")
"""The package is there; the code asks for a part that this version does not have."""
_COLLECTIVE = re.compile(
    r"WorkNCCL\(SeqNum=(?P<seq>\d{1,12}), OpType=(?P<op>\w{1,40})(?:, NumelIn=(?P<numel>\d{1,15}))?"
)
_RANK = re.compile(r"\[Rank (\d{1,6})\]")
_GUESS = 0.65


def origin(
    failure: Failure,
    verdict: CategoryVerdict,
    facts: MessageFacts | None = None,
    *,
    workspace_module: Callable[[str], bool] | None = None,
) -> Verdict:
    """Say whether the cause lies inside the project's versioned code (intrinsic) or outside.

    Extrinsic are environment, requirements, third-party libraries, external data and
    infrastructure (Jahan et al., EMSE 2025). A missing module that ``workspace_module`` knows is
    the project's own doing.
    """
    default = category(verdict.id).origin
    if failure.cause is None:
        return Verdict(default, _GUESS)
    if failure.divergence is not None and failure.divergence.differs:
        return Verdict(INTRINSIC, 0.8)
    context = ClassificationContext(failure, failure.cause)
    if context.says(*_OWN_DOING) or _misses_own_module(context, facts, workspace_module):
        return Verdict(INTRINSIC, 0.8)
    if _PART_OF_PACKAGE.search(context.message):
        return Verdict(INTRINSIC, 0.6)
    if context.says(*_PERHAPS_OWN):
        return Verdict(INTRINSIC, 0.55)
    if context.says(*_OTHERS_DOING):
        return Verdict(EXTRINSIC, 0.75)
    return Verdict(default, _confidence(verdict, default))


def retry_may_help(failure: Failure, verdict: CategoryVerdict) -> bool:
    """Say whether the same job, unchanged, may get through next time."""
    if verdict.is_guess:
        return False
    if failure.divergence is not None and failure.divergence.differs:
        return False
    if failure.cause is not None:
        context = ClassificationContext(failure, failure.cause)
        if context.says(*_LASTING):
            return False
        dimension = category(verdict.id).dimension
        if dimension in ("platform", "execution_environment") and context.says(*_TRANSIENT):
            return True
    return category(verdict.id).retry_may_help


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


def _misses_own_module(
    context: ClassificationContext,
    facts: MessageFacts | None,
    workspace_module: Callable[[str], bool] | None,
) -> bool:
    if workspace_module is None or not context.says("no module named", "cannot import name"):
        return False
    modules = [str(f.value) for f in facts.of(FactKind.MODULE)] if facts is not None else []
    quoted = context.message.split("'")[1::2]
    return any(workspace_module(name) for name in (*modules, *quoted) if name)


def _confidence(verdict: CategoryVerdict, default: str) -> float:
    """Return less where the category mixes both origins than where it does not."""
    clear = category(verdict.id).dimension in ("platform", "deep_learning_specific", "silent")
    share = 0.85 if clear or default == INTRINSIC else 0.75
    return round(share * max(verdict.confidence, 0.5), 3)
