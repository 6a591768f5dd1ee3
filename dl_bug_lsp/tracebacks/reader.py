"""The reader of failures: asks every dialect in turn, joins chains, chooses the primary failure.

Texts without a traceback: an exception that prose quotes, or the words of the last line. The
stacks of CUDA's asynchronous errors may blame the wrong line.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.logs.prefixes import split_record
from dl_bug_lsp.logs.values import Log, Process, Span
from dl_bug_lsp.tracebacks.blocks import read_blocks
from dl_bug_lsp.tracebacks.primary import MEDIUM, choose_root, mark, weigh, without_copies
from dl_bug_lsp.tracebacks.stream import Block, Stream, without_doubles
from dl_bug_lsp.tracebacks.values import Cause, Failure, FailureKind, Reading, Relation

_MAX_FAILURES = 500


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
            for one in (block, *block.others):
                if one.causes:
                    failure = _failure(one, stream)
                    items.append((failure, weigh(one, failure)))
    if log.lines and not any(failure.cause and failure.cause.type for failure, _ in items):
        stream = Stream(log.lines)
        last = read_quoted(stream) or read_status(stream)
        if last is not None and items:
            # More than the stacks beside it, which are cut off before their exceptions.
            last.weight = MEDIUM
        elif last is None and not items:
            last = read_span(stream) or read_last_words(stream)
        if last is not None:
            items.append((_failure(last, stream), last.weight))
    items.sort(key=lambda item: (item[0].span.first_line, item[0].span.last_line))
    items = without_copies(items, first_rank)
    if len(items) > _MAX_FAILURES:
        problems.append(f"{len(items) - _MAX_FAILURES} failures in the middle were left out.")
        items = [*items[: _MAX_FAILURES // 2], *items[-_MAX_FAILURES // 2 :]]
    failures = mark_unreliable(mark(items, first_rank), log)
    return Reading(tuple(failures), tuple(problems))


def _failure(block: Block, stream: Stream) -> Failure:
    root = choose_root(block.causes) if block.root is None else block.root
    span = stream.span(block.first, block.end)
    last = max([span.last_line, *(cause.span.last_line for cause in block.causes)])
    return Failure(
        block.kind, tuple(block.causes), root, block.dialect, Span(span.first_line, last),
        _evidence(block, root), _process(block, stream.process),
    )  # fmt: skip


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


_WORDS = re.compile(
    r"\b(?:error|failed|fail|cannot|can't|could not|couldn't|not found|does not exist|doesn't exist"
    r"|no such|no \w+(?: \w+){0,4} (?:found|given|left)|invalid|unknown|unsupported|not supported"
    r"|unrecogni[sz]ed|missing|must (?:be|have|not)"
    r"|expected|abort(?:ed|ing)?|refus(?:ed|ing)|unable to|not available|no (?:data|files?"
    r"|images?)\b"
    r"|mismatch|out of range|not allowed|give[sn]? up|stopping|nothing to|too (?:many|few|small"
    r"|large))\b",
    re.IGNORECASE,
)
_FINE = re.compile(
    r"\b(?:no errors?|0 (?:errors?|failed|missing)|loss|accuracy|acc|epoch|saved|done|finished"
    r"|success\w*"
    r"|Tip|warning|warn|deprecated|https?://|error ?(?:rate)?[:=]? ?[\d.]|m[as]e\b|rmse)\b|%\|",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?:^|[\s(\"'`*_>#~:“,;!?])(?P<mark>`{1,3}|\*{1,3}|__?|\"|“|'|)"
    r"(?P<type>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}"
    r"(?:Error|Exception|CompilerFailed|EnforceNotMet|ArrowInvalid)) ?: ?"
    r"(?P<message>\S.{0,3000})"
)
_OTHER_NAMES = ("Exception", "CompilerFailed", "EnforceNotMet", "ArrowInvalid")
_SPACED = re.compile(
    r"\b(Runtime|Value|Type|Key|Index|Attribute|Import|Name|Assertion|Memory|Permission|Syntax|OS|IO"
    r"|Module|File|Zero|Not|Lookup) (Division|Implemented|Not ?Found)?()[Ee]rror ?:"
)
_CAME_UP = re.compile(
    r"\b(?:[Aa]n? )((?:\w{1,40}\.){0,4}[A-Z]\w{1,60}Error) "
    r"(?:came up|comes up|occur\w{0,4}|appear\w{0,3}|pops? up|popped up|says|saying"
    r"|is raised|was raised)"
    r"[^:\n]{0,40}: "
)
_HANDLED = re.compile(
    r"\b(?:except|caught|retry\w*|skipp\w+|ignor\w+|raise|warn\w*|catch\w*)\b", re.IGNORECASE
)
_RUNS_ON = re.compile(
    r"\b(?:loss|acc(?:uracy)?|epoch|step|iter(?:ation)?)\b\W{0,3}\d|\d%\|", re.IGNORECASE
)
_FIRST_LINES = 400
_SHORTEST = 4
_LONGEST = 500
_WEIGHT = 20


def read_quoted(stream: Stream) -> Block | None:
    """Return the first exception that a sentence or a heading names with its message.

    Nothing is found where lines show a run that goes on: its own words are no one's complaint.
    """
    for at in range(min(len(stream), _FIRST_LINES)):
        text = stream.text(at)[:4000]
        if "rror" not in text and not any(name in text for name in _OTHER_NAMES):
            continue
        text = _SPACED.sub(lambda m: f"{m[1]}{m[2] or ''}{m[3] or ''}Error:", text)
        text = _CAME_UP.sub(lambda m: f"{m[1]}: ", text, count=1)
        if split_record(text)[0] is not None or _HANDLED.search(text):
            continue
        found = _QUOTED.search(text)
        inner = _QUOTED.match(text, found.start("message")) if found is not None else None
        # A wrapper's quotation mark is followed at once by that of what it wraps.
        found = inner or found
        message = _closed(found["message"], found["mark"]) if found is not None else ""
        if found is None or len(message) < _SHORTEST:
            continue
        if _goes_on(stream):
            return None
        span = stream.span(at, at + 1)
        cause = Cause(found["type"], message, (), Relation.ROOT, span)
        shown = f"{found['type']}: {message}"
        return Block([cause], at, at + 1, "message", evidence=shown[:500], weight=_WEIGHT)
    return None


def _goes_on(stream: Stream) -> bool:
    """Say whether more than one line shows a run that goes on."""
    return sum(1 for line in stream.lines if _RUNS_ON.search(line.text[:300])) > 1


def _closed(message: str, mark: str) -> str:
    """Return a quoted message up to the mark that closes it."""
    if mark:
        end = message.find(mark)
        if end >= 0:
            return message[:end].strip()
    return message.strip().rstrip("`*").strip()


_STATUS = re.compile(
    r"(?:op_kernel\.cc:\d+\] (?:OP_REQUIRES failed at \S+ : )?(?=[A-Z][\w ]{4,24}: )"
    r"|(?:^|[`\"'])(?=(?:INTERNAL|INVALID_ARGUMENT|RESOURCE_EXHAUSTED|FAILED_PRECONDITION"
    r"|UNIMPLEMENTED|DEADLINE_EXCEEDED|UNAVAILABLE|OUT_OF_RANGE): )"
    r"|UserWarning: (?=CUDA initialization: )"
    r"|^(?:ERROR: )?(?=\S{1,80} \S{1,40} (?:requires|has requirement) .{1,400}, but you)"
    r"|^\s*(?=size mismatch for [\w.]+: copying a param |(?:Missing|Unexpected) key\(s\) in ))"
    r"(?P<message>[^`]{8,3000})"
)


def read_status(stream: Stream) -> Block | None:
    """Return the first status of a framework's own that stands where no exception is named.

    Nothing is found where lines show a run that goes on.
    """
    for at in range(min(len(stream), _FIRST_LINES)):
        text = stream.text(at)[:4000]
        if text.startswith(("INFO", "DEBUG")):
            continue
        found = _STATUS.search(text) if ": " in text or ", but you" in text else None
        if found is None or "cuInit" in text or "Error: " in text[: found.start()]:
            continue
        if _goes_on(stream):
            return None
        program = "tensorflow" if "op_kernel" in text else "torch" if "key(s)" in text else "xla"
        program = "torch" if "copying a param" in text else program
        program = "torch" if "CUDA init" in text else "pip" if ", but you" in text else program
        message = found["message"].strip()
        cause = Cause(program, message, (), Relation.ROOT, stream.span(at, at + 1))
        return Block(
            [cause], at, at + 1, "message", FailureKind.MESSAGE,
            evidence=message[:500], weight=MEDIUM,
        )  # fmt: skip
    return None


_CRASHED = re.compile(r"^(?:Segmentation fault|Bus error|Illegal instruction|Killed|Aborted)\b")
_SHORTEST_SPAN, _LONGEST_SPAN = 16, 3_000
_CODE = re.compile(
    r"^[\w.\[\]'\"]{1,80} ?=[^=]|^(?:import|from|def|class|pip|python3?|git|docker)\b"
    r"|[{};]$|\w\([^()]*\)$"
)


def read_span(stream: Stream) -> Block | None:
    """Return the first code span of a sentence whose words are those of a failure."""
    for at in range(min(len(stream), _FIRST_LINES)):
        text = stream.text(at)[:4000]
        if "`" not in text:
            continue
        # What stands between two spans is no span.
        for words in (part.strip() for part in text.split("`")[1::2]):
            if not _SHORTEST_SPAN <= len(words) <= _LONGEST_SPAN:
                continue
            if " " not in words or _FINE.search(words):
                continue
            if not _WORDS.search(words) and not _CRASHED.search(words):
                continue
            if _CODE.search(words) or split_record(text)[0] is not None:
                continue
            cause = Cause("program", words, (), Relation.ROOT, stream.span(at, at + 1))
            return Block(
                [cause], at, at + 1, "message", FailureKind.MESSAGE,
                evidence=words[:500], weight=_WEIGHT,
            )  # fmt: skip
    return None


_PERSONAL = re.compile(
    r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Yy]ou|[Yy]our|would|which|please|should I|thanks?)\b"
)
"""Words of a person who tells of a failure, not of the program that failed."""


def read_last_words(stream: Stream) -> Block | None:
    """Return the last line as a failure in words, if its words are those of one."""
    at = len(stream) - 1
    while at >= 0 and not stream.text(at).strip():
        at -= 1
    if at < 0:
        return None
    level, rest = split_record(stream.text(at))
    if _PERSONAL.search(rest):
        return None
    quiet = level in ("INFO", "DEBUG", "WARNING", "TRACE", "SUCCESS")
    if quiet or not 8 <= len(rest) <= _LONGEST or not _WORDS.search(rest) or _FINE.search(rest):
        return None
    cause = Cause("program", rest.strip(), (), Relation.ROOT, stream.span(at, at + 1))
    return Block(
        [cause], at, at + 1, "message", FailureKind.MESSAGE, evidence=rest.strip(), weight=_WEIGHT
    )


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
