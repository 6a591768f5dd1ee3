"""What the lines around a block say about it: how it is introduced, and whether the run went on."""

from __future__ import annotations

import re
from bisect import bisect_left

from dl_bug_lsp.logs.prefixes import split_record
from dl_bug_lsp.tracebacks.dialects import dialect_named
from dl_bug_lsp.tracebacks.error_line_tables import Weight
from dl_bug_lsp.tracebacks.failures import FailureKind
from dl_bug_lsp.tracebacks.primary import CUT_OFF, MEDIUM, NEGLIGIBLE
from dl_bug_lsp.tracebacks.stream import Block, Heading, Stream
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

UNRAISED, WARNED, TASK, THREAD = 10, 35, 55, 85
"""Most that a block weighs that a hook or finalizer printed; that is below a warning; that ended a
task; that ended a thread or a process."""
# ruff: noqa: E501  (one row a heading: a table is read across)
_HEADINGS: tuple[tuple[Heading, int, re.Pattern[str]], ...] = (
    (Heading.IGNORED, UNRAISED, re.compile(r"^Exception ignored (?:in|on|while)|^Error in atexit\._run_exitfuncs")),
    (Heading.HOOK, UNRAISED, re.compile(r"^Error in sys\.excepthook:|^--- Logging error ---|^Exception in threading\.excepthook")),
    (Heading.THREAD, THREAD, re.compile(r"^Exception in thread .+:\s*$|^Unhandled exception in thread")),
    (Heading.PROCESS, THREAD, re.compile(r"^Process [\w:-]+:\s*$")),
    (Heading.TASK, TASK, re.compile(r"^Task exception was never retrieved|^future: <|^Exception in callback|^handle: <|^Future exception was never")),
    (Heading.WARNED, WARNED, re.compile(r"\bWARN(?:ING)?\b|\wWarning: |[Ss]kipp(?:ed|ing)\b|[Ii]gnor(?:ed|ing)\b|[Rr]etry(?:ing)?\b|continuing|going on")),
)  # fmt: skip
_LOGGED = frozenset(("ERROR", "CRITICAL", "FATAL"))
_ENTRY_FUNCTION = re.compile(
    r"^(?:<module>|_run_module_as_main|_run_code|_bootstrap(?:_inner)?|_wrap|run)$"
)
_MODULE_START = ("<frozen runpy>", "_run_module_as_main")
_PROGRESS = re.compile(
    r"\b(?:loss|acc(?:uracy)?|epoch|step|iter(?:ation)?|lr)\b\W{0,3}\d|\b\d{1,3}%\|.*\||\d+/\d+ .*(?:ms|s)/step",
    re.IGNORECASE,
)
_LAUNCHER = re.compile(r"\belastic\b|\bworker group\b|\b[Rr]endezvous|\blauncher?\b")
"""Records of launchers, which go on also where the program does not."""
_LINES_ABOVE = 3
_LONGEST_LINE = 300
_FEW_LINES = 2
"""Lines of progress that may come from a buffer after the run has failed."""


def weigh_by_heading(block: Block, stream: Stream) -> None:
    """Set the heading of an exception, and limit its weight, by the lines above it."""
    is_exception = block.kind is FailureKind.EXCEPTION
    if not is_exception or not dialect_named(block.dialect).is_introduced:
        return
    ended = ended_the_run(block, stream)
    for distance, text in _lines_above(block, stream):
        for heading, weight, pattern in _HEADINGS:
            is_near = heading is not Heading.WARNED or (distance == 1 and not ended)
            if is_near and pattern.search(text):
                block.heading, block.weight = heading, min(block.weight, weight)
                return
        if distance == 1 and split_record(text)[0] in _LOGGED:
            block.heading = Heading.LOGGED
            return


def ended_the_run(block: Block, stream: Stream) -> bool:
    """Say whether a stack is certainly an uncaught exception's, whatever was printed before it.

    It begins where the interpreter starts a module, outside of all code that could catch it; or at
    the entry point, and nothing was printed after it.
    """
    frames = block.causes[-1].frames
    if frames and (frames[0].file, frames[0].function) == _MODULE_START:
        return True
    at_entry = bool(frames) and not _is_partial(block)
    return at_entry and not any(stream.text(at).strip() for at in range(block.end, len(stream)))


def _lines_above(block: Block, stream: Stream) -> list[tuple[int, str]]:
    """Return the header's own prefix and the lines right above it, nearest first, from 1 on."""
    out: list[tuple[int, str]] = []
    prefix = stream.text(block.first).partition("Traceback (")[0]
    if prefix.strip():
        out.append((1, prefix))
    at = block.first - 1
    while at >= 0 and len(out) < _LINES_ABOVE:
        text = stream.text(at)
        if not text.strip() and not out:
            at -= 1
            continue
        if not text.strip() or text[0] in " \t":
            break
        out.append((len(out) + 1, text))
        at -= 1
    return out


def weigh_down_handled(blocks: list[Block], stream: Stream) -> None:
    """Limit the weight of what was evidently handled: the run went on after it as before."""
    progress: list[int] | None = None
    for block in blocks:
        if block.weight < MEDIUM or not block.causes or not _may_be_handled(block):
            continue
        if progress is None:
            progress = _progress(stream)
        after = len(progress) - bisect_left(progress, block.end)
        has_progress_before = bisect_left(progress, block.first) > 0
        is_message = block.kind is FailureKind.MESSAGE
        if after > _FEW_LINES and (has_progress_before or is_message):
            block.heading, block.weight = block.heading or Heading.HANDLED, NEGLIGIBLE
        elif after >= _FEW_LINES and not is_message:
            block.heading = block.heading or Heading.HANDLED
            block.weight = min(block.weight, CUT_OFF)


def _may_be_handled(block: Block) -> bool:
    """Say whether a run can go on after this: logged, partly unwound, or only words."""
    if block.kind is FailureKind.MESSAGE:
        return block.weight <= Weight.SHELL
    return block.heading in (Heading.LOGGED, Heading.TASK) or _is_partial(block)


def _is_partial(block: Block) -> bool:
    """Say whether a stack begins below the entry point of the program or thread.

    The stack of an uncaught exception begins at that point.
    """
    frames = block.causes[-1].frames
    if not frames or not dialect_named(block.dialect).begins_at_entry:
        return False
    first = frames[0]
    if first.function is None or _ENTRY_FUNCTION.match(first.function):
        return False
    return not is_library_path(first.file)


def _progress(stream: Stream) -> list[int]:
    """Return the indices of the lines that show a run going on."""
    return [
        index
        for index in range(len(stream))
        if _PROGRESS.search(text := stream.text(index)[:_LONGEST_LINE])
        or (split_record(text)[0] == "INFO" and not _LAUNCHER.search(text))
    ]
