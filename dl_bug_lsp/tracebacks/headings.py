"""What the line above a traceback says about it: a thread, a task, a hook, a log record."""

# ruff: noqa: E501  (one row a heading: a table is read across)

from __future__ import annotations

import re
from bisect import bisect_left

from dl_bug_lsp.logs.records import split_record
from dl_bug_lsp.tracebacks.frames import is_library_path
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.values import FailureKind

_HEADINGS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    ("ignored", 10, re.compile(r"^Exception ignored (?:in|on|while)|^Error in atexit\._run_exitfuncs")),
    ("hook", 10, re.compile(r"^Error in sys\.excepthook:|^--- Logging error ---|^Exception in threading\.excepthook")),
    ("thread", 85, re.compile(r"^Exception in thread .+:\s*$|^Unhandled exception in thread")),
    ("process", 85, re.compile(r"^Process [\w:-]+:\s*$")),
    ("task", 55, re.compile(r"^Task exception was never retrieved|^future: <|^Exception in callback|^handle: <|^Future exception was never")),
    ("warned", 35, re.compile(r"\bWARN(?:ING)?\b|\wWarning: |[Ss]kipp(?:ed|ing)\b|[Ii]gnor(?:ed|ing)\b|[Rr]etry(?:ing)?\b|continuing|going on")),
)  # fmt: skip
_LOGGED = frozenset(("ERROR", "CRITICAL", "FATAL"))
_OUTER = re.compile(r"^(?:<module>|_run_module_as_main|_run_code|_bootstrap(?:_inner)?|_wrap|run)$")
_PROGRESS = re.compile(
    r"\b(?:loss|acc(?:uracy)?|epoch|step|iter(?:ation)?|lr)\b\W{0,3}\d|\b\d{1,3}%\|.*\||\d+/\d+ .*(?:ms|s)/step",
    re.IGNORECASE,
)
_REACH = 3
_GOES_ON = 2
_SPOKEN = 75


def introduce(block: Block, stream: Stream) -> None:
    """Weigh a block by the line above it."""
    if block.kind is not FailureKind.EXCEPTION or block.dialect == "pytest":
        return
    for above, text in _lines_above(block, stream):
        for name, weight, pattern in _HEADINGS:
            if pattern.search(text) and (name != "warned" or above == 1):
                block.heading, block.weight = name, min(block.weight, weight)
                return
        if above == 1 and split_record(text)[0] in _LOGGED:
            block.heading = "logged"
            return


def _lines_above(block: Block, stream: Stream) -> list[tuple[int, str]]:
    """Return the header's own prefix and the lines right above it, nearest first."""
    out: list[tuple[int, str]] = []
    prefix = stream.text(block.first).partition("Traceback (")[0]
    if prefix.strip():
        out.append((1, prefix))
    at = block.first - 1
    while at >= 0 and len(out) < _REACH:
        text = stream.text(at)
        if not text.strip() and not out:
            at -= 1
            continue
        if not text.strip() or text[0] in " \t":
            break
        out.append((len(out) + 1, text))
        at -= 1
    return out


def settle(blocks: list[Block], stream: Stream) -> None:
    """Weigh down what was evidently handled: the run went on after it as before."""
    progress: list[int] | None = None
    for block in blocks:
        if block.weight < 40 or not block.causes or not _may_be_handled(block):
            continue
        if progress is None:
            progress = _progress(stream)
        after = len(progress) - bisect_left(progress, block.end)
        before = bisect_left(progress, block.first)
        spoken = block.kind is FailureKind.MESSAGE
        if after > _GOES_ON and (before or spoken):
            block.heading, block.weight = block.heading or "handled", 12
        elif after >= _GOES_ON and not spoken:
            block.heading, block.weight = block.heading or "handled", min(block.weight, 36)


def _may_be_handled(block: Block) -> bool:
    """Say whether a run can go on after this: logged, partly unwound, or only words."""
    if block.kind is FailureKind.MESSAGE:
        return block.weight <= _SPOKEN
    return block.heading in ("logged", "task") or _is_partial(block)


def _is_partial(block: Block) -> bool:
    """Uncaught exceptions' stacks begin at the program's or the thread's entry point."""
    frames = block.causes[-1].frames
    if not frames or block.dialect in ("ipython", "rich", "pytest", "torchrun"):
        return False
    first = frames[0]
    if first.function is None or _OUTER.match(first.function):
        return False
    return not is_library_path(first.file)


def _progress(stream: Stream) -> list[int]:
    """Return the indices of the lines that show a run going on."""
    return [
        index
        for index in range(len(stream))
        if _PROGRESS.search(text := stream.text(index)[:300]) or split_record(text)[0] == "INFO"
    ]
