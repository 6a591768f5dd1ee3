"""What single libraries print apart from the traceback that it explains.

CUDA reports errors late, attention kernels and TensorRT's builder say why they give up before the
exception is raised, and scikit-learn prints the tracebacks of its fits below its own message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from dl_bug_lsp.logs.log import Log
from dl_bug_lsp.tracebacks.failures import Cause, Failure

FAILED_FITS = re.compile(
    r"\s*All the \d+ fits failed\.|[^\n]*fits failed with the following error:"
)
"""The message of scikit-learn's searches and cross validations above what the fits raised."""

Annotator: TypeAlias = "Callable[[Failure, Cause], Failure]"
"""Returns a failure with what the log says of its cause."""


class LibraryNotes(NamedTuple):
    """The causes that a library explains elsewhere in the log, and how its lines are read."""

    concerns: Callable[[Cause], bool]
    read: Callable[[Sequence[str]], Annotator]


def with_library_notes(failures: Sequence[Failure], log: Log) -> list[Failure]:
    """Return the failures with what libraries print about them elsewhere in the log."""
    result = list(failures)
    for notes in LIBRARY_NOTES:
        concerned = {
            index: failure.cause
            for index, failure in enumerate(result)
            if failure.cause is not None and notes.concerns(failure.cause)
        }
        if concerned:
            annotated = notes.read([line.text.strip() for line in log.lines])
            for index, cause in concerned.items():
                result[index] = annotated(result[index], cause)
    return result


def _with_notes(failure: Failure, cause: Cause, notes: Iterable[str]) -> Failure:
    """Return a failure with more notes at its root cause."""
    causes = list(failure.causes)
    causes[failure.root] = replace(cause, notes=(*cause.notes, *notes))
    return replace(failure, causes=tuple(causes))


# ---------------------------------------------------------------------- CUDA
_ASYNCHRONOUS = re.compile(
    r"(?:CUDA|HIP) error: |device-side assert|kernel errors might be asynchronously|cudaErrorAssert"
    r"|CUDA_ERROR_(?:ASSERT|ILLEGAL_ADDRESS|LAUNCH_FAILED)|an illegal memory access"
    r"|CUBLAS_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)"
    r"|CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)"
    r"|unspecified launch failure|INTERNAL: (?:CUDA|Failed to (?:launch|synchron|memcpy|copy))"
)
_SYNCHRONOUS = re.compile(
    r"out of memory|no kernel image|invalid device ordinal|no CUDA-capable device|driver version"
    r"|device\(s\) is/are busy|initialization error|CUDA_ERROR_NO_DEVICE"
)
_ASSERTION = re.compile(r"(?<!\S)\S+:\d+: .{0,600}Assertion [`'‘].{1,600}failed\.?")
_BLOCKING = re.compile(r"CUDA_LAUNCH_BLOCKING[=:' ]+1(?!\s*\.?\s*$)")


def _is_asynchronous(cause: Cause) -> bool:
    """Say whether CUDA may have reported an error at a later call than the one that failed."""
    text = f"{cause.type}: {cause.message[:3000]}"
    return bool(_ASYNCHRONOUS.search(text)) and not _SYNCHRONOUS.search(text)


def _read_cuda(lines: Sequence[str]) -> Annotator:
    """Read whether calls waited for their kernels, and the assertion that a kernel printed."""
    candidates = (_ASSERTION.search(text) for text in lines if "ssertion" in text)
    assertion = next((match[0] for match in candidates if match is not None), None)
    is_blocking = any(
        "CUDA_LAUNCH_BLOCKING" in text and "For debugging" not in text and _BLOCKING.search(text)
        for text in lines
    )

    def annotated(failure: Failure, cause: Cause) -> Failure:
        noted = _with_notes(failure, cause, () if assertion is None else (assertion,))
        return replace(noted, reliable=is_blocking, evidence=assertion or failure.evidence)

    return annotated


# ---------------------------------------------------------------------- attention kernels
_NO_KERNEL = re.compile(r"No available kernel|No viable backend for scaled_dot_product")
_USER_WARNING = re.compile(r"^(?P<file>\S.*?):(?P<line>\d+): UserWarning: (?P<message>.*)")
_TRIGGERED = re.compile(r"\s*\(Triggered internally at .*")
_TURNED_OFF = re.compile(r"not used because|has been runtime disabled|not (?:been )?compiled with")
"""Headings, and kernels that the program has turned off: no reasons of the others."""


def _read_attention(lines: Sequence[str]) -> Annotator:
    """Read the warnings in which PyTorch says why it cannot use a kernel of attention."""
    warnings = [match for text in lines if (match := _USER_WARNING.match(text))]

    def annotated(failure: Failure, cause: Cause) -> Failure:
        places = {(frame.file, frame.line) for frame in cause.frames}
        messages = (
            _TRIGGERED.sub("", match["message"]).strip()
            for match in warnings
            if (match["file"], int(match["line"])) in places
        )
        reasons = dict.fromkeys(m for m in messages if m and not _TURNED_OFF.search(m))
        return _with_notes(failure, cause, reasons)

    return annotated


# ---------------------------------------------------------------------- TensorRT
_LONGEST_NOTE = 500
_BUILD_FAILURE = re.compile(
    r"[Cc]ould not find any implementation for node|Engine could not be created from network"
    r"|Engine set up failed|Building engine failed|Failed to create engine from model"
)
_TOO_LITTLE_MEMORY = re.compile(
    r"insuf{1,2}icient memory on requested size|[Mm]emory is insufficient to use tactic"
    r"|do not have sufficient (?:workspace )?memory|OutOfMemory Error in"
    r"|[Rr]equested amount of GPU memory"
    r"|increasing the workspace size|Cuda Runtime \(out of memory\)"
)
_WITHOUT_ENGINE = re.compile(
    r"NoneType|incompatible function arguments"
    r"|[Ff]ailed to (?:create|build) (?:the )?TensorRT engine|engine (?:is|was) None"
)


def _may_lack_engine(cause: Cause) -> bool:
    """Say whether a failure may be that TensorRT's builder has returned no engine."""
    return cause.type == "tensorrt" or bool(_WITHOUT_ENGINE.search(cause.message[:2000]))


def _read_builder(lines: Sequence[str]) -> Annotator:
    """Read why TensorRT's builder gave up, of memory above all: it prints that and returns None."""
    failed = next((text for text in lines if _BUILD_FAILURE.search(text)), None)
    memory = next((text for text in lines if _TOO_LITTLE_MEMORY.search(text)), None)
    found = () if failed is None else (failed, memory)
    notes = [text[:_LONGEST_NOTE] for text in found if text is not None]

    def annotated(failure: Failure, cause: Cause) -> Failure:
        return _with_notes(failure, cause, (note for note in notes if note not in cause.message))

    return annotated


LIBRARY_NOTES = (
    LibraryNotes(_is_asynchronous, _read_cuda),
    LibraryNotes(lambda cause: _NO_KERNEL.search(cause.message) is not None, _read_attention),
    LibraryNotes(_may_lack_engine, _read_builder),
)
