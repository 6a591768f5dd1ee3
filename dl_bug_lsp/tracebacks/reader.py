"""The reader of failures: asks every dialect in turn, joins chains, chooses the primary failure.

Where nothing certain was read, the message that the text most likely names is the failure. The
stacks of CUDA's asynchronous errors may blame the wrong line.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.logs.log import Log, Process, Span
from dl_bug_lsp.tracebacks.blocks import read_blocks
from dl_bug_lsp.tracebacks.complaint_tables import Weight
from dl_bug_lsp.tracebacks.exception_text import parse_exception
from dl_bug_lsp.tracebacks.failures import Cause, Failure, Reading
from dl_bug_lsp.tracebacks.mentions import read_mention
from dl_bug_lsp.tracebacks.primary import MEDIUM, choose_root, mark, weigh, without_copies
from dl_bug_lsp.tracebacks.stream import Block, Stream, without_doubles

_MAX_FAILURES = 500
_HEADING = re.compile(r"^(?:\S{1,40} ){0,4}\S{1,40}$")
"""A record of a few words, as over the message that a dialog shows."""


def read_failures(log: Log) -> Reading:
    """Read every failure that ``log`` tells of, in order of appearance; never raises.

    At most one failure is primary: the one that ended the job.
    """
    items: list[tuple[Failure, int]] = []
    problems: list[str] = []
    first_rank: int | None = None
    for process, lines in log.streams().items():
        stream = Stream(without_doubles(lines), process)
        for block in read_blocks(stream):
            checkpoint()
            if block.heading == "first observed":
                first_rank = block.rank
            problems.extend(block.problems)
            for part in (block, *block.others):
                if part.causes:
                    failure = _failure(part, stream)
                    items.append((failure, weigh(part, failure)))
    strongest = max((weight for _, weight in items), default=0)
    if log.lines and strongest <= Weight.SPOKEN:
        stream = Stream(log.lines)
        spans = (f.span for f, _ in items if f.cause and f.cause.type not in ("", "log"))
        read_lines = {n for span in spans for n in range(span.first_line, span.last_line + 1)}
        headings = {
            f.span.last_line + 1
            for f, _ in items
            if f.cause and f.cause.type == "log" and _HEADING.match(f.cause.message)
        }
        named = read_mention(stream, read_lines, headings, with_class=strongest >= MEDIUM)
        if named is not None:
            items.append((_failure(named, stream), named.weight))
    items.sort(key=lambda item: (item[0].span.first_line, item[0].span.last_line))
    items = without_copies(items, first_rank)
    if len(items) > _MAX_FAILURES:
        problems.append(f"{len(items) - _MAX_FAILURES} failures in the middle were left out.")
        items = [*items[: _MAX_FAILURES // 2], *items[-_MAX_FAILURES // 2 :]]
    failures = with_reasons(mark_unreliable(mark(items, first_rank), log), log)
    return Reading(tuple(failures), tuple(problems))


def _failure(block: Block, stream: Stream) -> Failure:
    root = choose_root(block.causes) if block.root is None else block.root
    span = stream.span(block.first, block.end)
    last = max([span.last_line, *(cause.span.last_line for cause in block.causes)])
    causes = list(block.causes)
    causes[root] = _unfiltered(causes[root])
    return Failure(
        block.kind, tuple(causes), root, block.dialect, Span(span.first_line, last),
        _evidence(block, root), _process(block, stream.process),
    )  # fmt: skip


def _unfiltered(cause: Cause) -> Cause:
    """Return the exception in the place of JAX's class that only says that its stack is whole."""
    if cause.class_name != "UnfilteredStackTrace":
        return cause
    head, _, rest = cause.message.partition("\n")
    inner = parse_exception(head)
    if inner is None:
        return cause
    return replace(cause, type=inner[0], message="\n".join([inner[1], rest]).rstrip("\n"))


def _process(block: Block, process: Process | None) -> Process | None:
    if block.rank is None or (process is not None and process.rank is not None):
        return process
    if process is None:
        return Process(block.rank, block.host)
    return replace(process, rank=block.rank)


def _evidence(block: Block, root: int) -> str:
    cause = block.causes[root]
    head = cause.message.split("\n", 1)[0]
    if not cause.type or (block.evidence and block.dialect in ("message", "faulthandler")):
        return block.evidence
    return f"{cause.type}: {head}" if head else cause.type


_ASYNC = re.compile(
    r"(?:CUDA|HIP) error: |device-side assert|kernel errors might be asynchronously|cudaErrorAssert"
    r"|CUDA_ERROR_(?:ASSERT|ILLEGAL_ADDRESS|LAUNCH_FAILED)|an illegal memory access"
    r"|CUBLAS_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)|CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)"
    r"|unspecified launch failure|INTERNAL: (?:CUDA|Failed to (?:launch|synchron|memcpy|copy))"
)
_SYNCHRONOUS = re.compile(
    r"out of memory|no kernel image|invalid device ordinal|no CUDA-capable device|driver version"
    r"|device\(s\) is/are busy|initialization error|CUDA_ERROR_NO_DEVICE"
)
_ASSERTION = re.compile(r"(?<!\S)\S+:\d+: .{0,600}Assertion [`'‘].{1,600}failed\.?")
_BLOCKING = re.compile(r"CUDA_LAUNCH_BLOCKING[=:' ]+1(?!\s*\.?\s*$)")


def mark_unreliable(failures: list[Failure], log: Log) -> list[Failure]:
    """Mark failures whose frames CUDA may have got wrong, and note the kernel's own assertion."""
    if not any(_is_async(failure) for failure in failures):
        return failures
    assertion = next(
        (
            m[0]
            for line in log.lines
            if "ssertion" in line.text and (m := _ASSERTION.search(line.text))
        ),
        None,
    )
    blocking = any(
        "CUDA_LAUNCH_BLOCKING" in line.text
        and "For debugging" not in line.text
        and _BLOCKING.search(line.text)
        for line in log.lines
    )
    out: list[Failure] = []
    for failure in failures:
        if not _is_async(failure) or failure.cause is None:
            out.append(failure)
            continue
        causes = list(failure.causes)
        if assertion is not None:
            notes = (*failure.cause.notes, assertion)
            causes[failure.root] = replace(failure.cause, notes=notes)
        evidence = assertion or failure.evidence
        out.append(replace(failure, causes=tuple(causes), reliable=blocking, evidence=evidence))
    return out


_NO_KERNEL = re.compile(r"No available kernel|No viable backend for scaled_dot_product")
_WARNED = re.compile(r"^(?P<file>\S.*?):(?P<line>\d+): UserWarning: (?P<said>.*)")
_TRIGGERED = re.compile(r"\s*\(Triggered internally at .*")
_NO_REASON = re.compile(r"not used because|has been runtime disabled|not (?:been )?compiled with")


def with_reasons(failures: list[Failure], log: Log) -> list[Failure]:
    """Note the reasons that PyTorch warns of before it says that no kernel of attention is left.

    Kernels that the program has turned off are left out, their headings too.
    """
    if not any(f.cause is not None and _NO_KERNEL.search(f.cause.message) for f in failures):
        return failures
    warned = [match for line in log.lines if (match := _WARNED.match(line.text.strip()))]
    out: list[Failure] = []
    for failure in failures:
        cause = failure.cause
        if cause is None or not _NO_KERNEL.search(cause.message):
            out.append(failure)
            continue
        places = {(frame.file, frame.line) for frame in cause.frames}
        said = (
            _TRIGGERED.sub("", match["said"]).strip()
            for match in warned
            if (match["file"], int(match["line"])) in places
        )
        reasons = dict.fromkeys(text for text in said if text and not _NO_REASON.search(text))
        causes = list(failure.causes)
        causes[failure.root] = replace(cause, notes=(*cause.notes, *reasons))
        out.append(replace(failure, causes=tuple(causes)))
    return out


def _is_async(failure: Failure) -> bool:
    cause = failure.cause
    if cause is None:
        return False
    text = f"{cause.type}: {cause.message[:3000]}"
    return bool(_ASYNC.search(text)) and not _SYNCHRONOUS.search(text)
