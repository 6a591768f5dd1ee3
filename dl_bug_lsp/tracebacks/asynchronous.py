"""CUDA's asynchronous errors, whose stacks may blame the wrong line, and their asserts."""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.logs.values import Log
from dl_bug_lsp.tracebacks.values import Failure

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


def _is_async(failure: Failure) -> bool:
    cause = failure.cause
    if cause is None:
        return False
    text = f"{cause.type}: {cause.message[:3000]}"
    return bool(_ASYNC.search(text)) and not _SYNCHRONOUS.search(text)
