"""The reader of failures: asks every dialect in turn, joins chains, chooses the primary failure.

A stream is cut into blocks: dialects are asked line by line, and chained and nested stacks are
joined. What the line above a traceback says about it: a thread, a task, a hook, a log record. Where
nothing certain was read, the message that the text most likely names is the failure. The stacks of
CUDA's asynchronous errors may blame the wrong line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import repeat

from dl_bug_lsp.cancellation import checkpoint, stepwise
from dl_bug_lsp.logs.log import Log, Process, Span
from dl_bug_lsp.logs.prefixes import split_record
from dl_bug_lsp.tracebacks.complaint_tables import Weight
from dl_bug_lsp.tracebacks.dialects import DIALECTS, dialect_named
from dl_bug_lsp.tracebacks.failures import Cause, Failure, FailureKind, Reading, Relation
from dl_bug_lsp.tracebacks.mentions import read_mention
from dl_bug_lsp.tracebacks.primary import MEDIUM, choose_root, mark, weigh, without_copies
from dl_bug_lsp.tracebacks.stream import Block, Stream, without_doubles
from dl_bug_lsp.tracebacks.traceback_lines import (
    CHAINED,
    is_library_path,
    joined_stacks,
    parse_exception,
)

# ---------------------------------------------------------------------- blocks
_CHAIN_REACH = 8
_ANOMALY_REACH = 40
_NOTEBOOK_REACH = 400


def read_blocks(stream: Stream) -> list[Block]:
    """Return the blocks of a stream in order; a chain of exceptions is one block."""
    blocks: list[Block] = []
    anomaly: Block | None = None
    pending: Relation | None = None
    pending_at = index = 0
    for _ in stepwise(repeat(None)):
        if index >= len(stream):
            break
        text = stream.text(index)
        chained = CHAINED.match(text) if "above exception" in text else None
        if chained:
            pending = Relation.DURING_HANDLING if chained["during"] else Relation.DIRECT_CAUSE
            pending_at = index
            index += 1
            continue
        block = _read_at(stream, index, text)
        if block is None:
            index += 1
            continue
        index = max(block.end if block.resume is None else block.resume, index + 1)
        if dialect_named(block.dialect).is_warning:
            anomaly = block
            continue
        if anomaly is not None and block.kind is FailureKind.EXCEPTION:
            _add_forward_stack(anomaly, block)
            anomaly = None
        _add(blocks, block, (pending, pending_at), stream)
        pending = None
    settle(blocks, stream)
    return blocks


def _add(
    blocks: list[Block], block: Block, link: tuple[Relation | None, int], stream: Stream
) -> None:
    """Join a block to the former one where it belongs to it, else append it."""
    former = blocks[-1] if blocks else None
    if former is not None and _is_chained(former, block, *link):
        _join(former, block, link[0] or Relation.DIRECT_CAUSE)
        if former.heading == "warned" and _ended_the_run(former, stream):
            # Only the last stack of a chain shows whether somebody caught it.
            former.heading, former.weight = "", max(former.weight, block.weight)
    elif former is not None and (_runs_notebook(former, block) or _tells_of(former, block)):
        _wrap(former, block)
    elif former is not None and _reports(former, block):
        _summarise(former, block)
    elif block.causes:
        introduce(block, stream)
        if former is not None and _announces(former, block):
            blocks.pop()
        blocks.append(block)


def _read_at(stream: Stream, index: int, text: str) -> Block | None:
    for dialect in DIALECTS:
        if dialect.trigger.search(text):
            block = dialect.read(stream, index)
            if block is not None:
                return block
    return None


def _is_chained(former: Block, block: Block, pending: Relation | None, at: int) -> bool:
    if pending is None or not former.causes or not block.causes:
        return False
    return block.first - at <= _CHAIN_REACH and at - former.end <= _CHAIN_REACH


def _join(former: Block, later: Block, relation: Relation) -> None:
    """Append a chained block; one that re-raises the same words in the parent process wraps it."""
    last, first = former.causes[-1], later.causes[0]
    cut = not first.type or (first.class_name == last.class_name and not first.message)
    if cut and last.type and relation is Relation.DIRECT_CAUSE and later.problems:
        # The later one is cut off before its exception: what it shows is how the former was met.
        former.causes[-1] = replace(last, frames=joined_stacks(first.frames, last.frames))
        former.end = later.end
        former.problems.extend(later.problems)
        return
    same = (last.class_name, last.message) == (first.class_name, first.message)
    if (
        relation is Relation.DIRECT_CAUSE
        and same
        and last.message
        and not _shares_entry(former, later)
    ):
        relation = Relation.WRAPPED
    if last.relation is Relation.WRAPPED and _TOLD_BELOW.match(last.message):
        former.causes[-1:-1] = [replace(first, relation=relation), *later.causes[1:]]
        former.end = later.end
        return
    inside = former.open_end
    if inside < len(former.causes) and _shares_entry(former, later):
        former.causes[inside:inside] = [replace(first, relation=relation), *later.causes[1:]]
    else:
        former.causes.extend([replace(first, relation=relation), *later.causes[1:]])
    former.end = later.end
    former.rank = former.rank if former.rank is not None else later.rank
    former.problems.extend(later.problems)


def _shares_entry(former: Block, later: Block) -> bool:
    """Say whether a chained stack begins in the worker's function that the former began in."""
    ours, theirs = former.causes[0].frames, later.causes[0].frames
    if not ours or not theirs:
        return False
    return (ours[0].file, ours[0].function) == (theirs[0].file, theirs[0].function)


def _runs_notebook(former: Block, block: Block) -> bool:
    if not former.causes or not block.causes or block.first - former.end > _NOTEBOOK_REACH:
        return False
    return former.causes[-1].class_name in dialect_named(block.dialect).runners


_TOLD_BELOW = re.compile(
    r"\s*All the \d+ fits failed\.|[^\n]*fits failed with the following error:"
)
"""What scikit-learn's searches and cross validations say above what the fits raised."""
_TOLD_REACH = 6


def _tells_of(former: Block, block: Block) -> bool:
    """Say whether a traceback follows that the message above tells of."""
    if not former.causes or not block.causes or block.first - former.end > _TOLD_REACH:
        return False
    return _TOLD_BELOW.match(former.causes[-1].message) is not None


def _announces(former: Block, block: Block) -> bool:
    """Say whether the former is only the log record that a traceback hangs on."""
    spoken = former.causes[-1].type == "log" and former.kind is FailureKind.MESSAGE
    return spoken and former.end == block.first and block.kind is FailureKind.EXCEPTION


def _reports(former: Block, block: Block) -> bool:
    if not former.causes or block.first - former.end > _NOTEBOOK_REACH:
        return False
    return former.causes[-1].class_name in dialect_named(block.dialect).summarised


def _summarise(former: Block, summary: Block) -> None:
    """Put torchrun's summary into the launcher's failure; tracebacks in it stand beside it."""
    cause = former.causes[-1]
    former.causes[-1] = replace(cause, message=summary.evidence)
    former.rank, former.host, former.heading = summary.rank, summary.host, "first observed"
    former.others = [block for block in (summary, *summary.others) if block.weight > 30]
    former.end = summary.resume or summary.end


def _wrap(former: Block, inner: Block) -> None:
    """Put a notebook's own exception before the one of the program that ran the notebook."""
    wrapper = [replace(cause, relation=Relation.WRAPPED) for cause in former.causes]
    former.causes[:] = [*inner.causes, *wrapper]
    former.end, former.dialect = inner.end, inner.dialect


def _add_forward_stack(anomaly: Block, block: Block) -> None:
    """Append the forward operation's stack to the failure of its gradient."""
    cause = block.causes[-1]
    if block.first - anomaly.end > _ANOMALY_REACH or "Backward" not in cause.message + (
        anomaly.causes[0].message
    ):
        return
    frames = joined_stacks(cause.frames, anomaly.causes[0].frames)
    block.causes[-1] = replace(cause, frames=frames)
    block.first = min(block.first, anomaly.first)


# ruff: noqa: E501  (one row a heading: a table is read across)
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
_STARTED = ("<frozen runpy>", "_run_module_as_main")
_PROGRESS = re.compile(
    r"\b(?:loss|acc(?:uracy)?|epoch|step|iter(?:ation)?|lr)\b\W{0,3}\d|\b\d{1,3}%\|.*\||\d+/\d+ .*(?:ms|s)/step",
    re.IGNORECASE,
)
_LAUNCHER = re.compile(r"\belastic\b|\bworker group\b|\b[Rr]endezvous|\blauncher?\b")
"""Records of launchers, which go on also where the program does not."""
_REACH = 3
_GOES_ON = 2
_SPOKEN = 75


def introduce(block: Block, stream: Stream) -> None:
    """Weigh a block by the line above it."""
    if block.kind is not FailureKind.EXCEPTION or not dialect_named(block.dialect).is_introduced:
        return
    ended = _ended_the_run(block, stream)
    for above, text in _lines_above(block, stream):
        for name, weight, pattern in _HEADINGS:
            if pattern.search(text) and (name != "warned" or (above == 1 and not ended)):
                block.heading, block.weight = name, min(block.weight, weight)
                return
        if above == 1 and split_record(text)[0] in _LOGGED:
            block.heading = "logged"
            return


def _ended_the_run(block: Block, stream: Stream) -> bool:
    """Say whether a stack is certainly an uncaught exception's, whatever was printed before it.

    It begins where the interpreter starts a module, outside of all code that could catch it; or at
    the entry point, and nothing was printed after it.
    """
    frames = block.causes[-1].frames
    if frames and (frames[0].file, frames[0].function) == _STARTED:
        return True
    at_entry = bool(frames) and not _is_partial(block)
    return at_entry and not any(stream.text(at).strip() for at in range(block.end, len(stream)))


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
    if not frames or not dialect_named(block.dialect).begins_at_entry:
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
        if _PROGRESS.search(text := stream.text(index)[:300])
        or (split_record(text)[0] == "INFO" and not _LAUNCHER.search(text))
    ]


# ---------------------------------------------------------------------- failures
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
    failures = with_builder_s_words(failures, log)
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
    if not cause.type or (block.evidence and not dialect_named(block.dialect).is_traceback):
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


_BUILDER = re.compile(
    r"[Cc]ould not find any implementation for node|Engine could not be created from network"
    r"|Engine set up failed|Building engine failed|Failed to create engine from model"
)
_BUILDER_S_MEMORY = re.compile(
    r"insuf{1,2}icient memory on requested size|[Mm]emory is insufficient to use tactic"
    r"|do not have sufficient (?:workspace )?memory|OutOfMemory Error in|[Rr]equested amount of GPU memory"
    r"|increasing the workspace size|Cuda Runtime \(out of memory\)"
)
_WITHOUT_ENGINE = re.compile(
    r"NoneType|incompatible function arguments|[Ff]ailed to (?:create|build) (?:the )?TensorRT engine"
    r"|engine (?:is|was) None"
)


def with_builder_s_words(failures: list[Failure], log: Log) -> list[Failure]:
    """Note what TensorRT's builder said before an engine was missing, of memory above all.

    The builder prints why it gives up and returns None, on which the program fails later.
    """
    if not any(_wants_engine(failure) for failure in failures):
        return failures
    lines = [line.text.strip() for line in log.lines]
    built = next((text for text in lines if _BUILDER.search(text)), None)
    if built is None:
        return failures
    memory = next((text for text in lines if _BUILDER_S_MEMORY.search(text)), None)
    notes = tuple(text[:500] for text in (built, memory) if text is not None)
    out: list[Failure] = []
    for failure in failures:
        if not _wants_engine(failure) or failure.cause is None:
            out.append(failure)
            continue
        new = tuple(note for note in notes if note not in failure.cause.message)
        causes = list(failure.causes)
        causes[failure.root] = replace(failure.cause, notes=(*failure.cause.notes, *new))
        out.append(replace(failure, causes=tuple(causes)))
    return out


def _wants_engine(failure: Failure) -> bool:
    cause = failure.cause
    if cause is None:
        return False
    return cause.type == "tensorrt" or bool(_WITHOUT_ENGINE.search(cause.message[:2000]))


def _is_async(failure: Failure) -> bool:
    cause = failure.cause
    if cause is None:
        return False
    text = f"{cause.type}: {cause.message[:3000]}"
    return bool(_ASYNC.search(text)) and not _SYNCHRONOUS.search(text)
