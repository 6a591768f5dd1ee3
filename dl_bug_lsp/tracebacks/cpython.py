"""What CPython prints: tracebacks (3.8 to 3.14), those nested in messages, groups, stacks.

Exception groups (PEP 654) have a traceback for the group and one for each exception in it.
faulthandler prints stacks when the interpreter dies, most recent call first. Stacks that are no
failures: logging's stack_info, and anomaly mode's forward stacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from dl_bug_lsp.logs.log import LogLine
from dl_bug_lsp.logs.prefixes import starts_record
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Frame, Relation
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Stream, cut_off
from dl_bug_lsp.tracebacks.traceback_lines import (
    CHAINED,
    FRAME,
    REPEATED,
    extract,
    is_caret_line,
    joined_stacks,
    message_end,
    names_exception,
    parse_exception,
    parse_frame,
    parse_pasted,
    read_source,
    split_footer,
    without_marks,
)

_CALLS = r"Traceback \(most recent calls? (?:last|WITHOUT [\w ]{1,40})\):\s*$"
HEADER = re.compile(rf"(?P<kind>(?:Original |Remote )?){_CALLS}")
TRIGGER = re.compile(rf'{_CALLS}|^\s{{0,12}}>?\s*File ".+?", line \d')
_MARGIN = re.compile(r"^[\s>#*|]*")
_BEFORE_FRAME = re.compile(
    r'^(?P<margin>[\s>|│#*]{0,60}?)(?P<pad>(?:  )?)File "[^"]{1,4096}", line \d'
)
_NAMED = re.compile(r"(?:Error|Exception|Interrupt|Exit|Failed|Failure)$")
_SPAWNED = re.compile(r"^-- Process (?P<rank>\d+) terminated with the following error:\s*$")
_RULE = re.compile(r"^-{10,}$")
_QUOTE = re.compile(r"^(?:\"\"\"|''')\s*$")
_MAX_SOURCE = 60
_BAR = re.compile(r"^[^|\n]{0,120}\d{1,3}%\|.*/s\b|^[^|\n]{0,120}\d{1,3}%\|.*s/it\b")
_NAME_END = re.compile(r"^[\w>]{1,40}$")
_MAX_FLUSH = 4
_MAX_RECORDS = 4
_MAX_DEPTH = 8

View = Callable[[int], "str | None"]


def read_cpython(stream: Stream, index: int) -> Block | None:
    """Read the traceback (or the headless frames) that begins at ``index``."""
    return _read(stream, index, 0)


CPYTHON = Dialect("cpython", TRIGGER, read_cpython)


def _view(stream: Stream, margin: str) -> View:
    bare = margin.rstrip()

    def view(index: int) -> str | None:
        if not 0 <= index < len(stream):
            return None
        text = stream.text(index)
        if not margin:
            return text
        if text.startswith(margin):
            return text[len(margin) :]
        if text.strip() in ("", bare.strip()):
            return ""
        return None

    return view


def _read(stream: Stream, index: int, depth: int) -> Block | None:
    text = stream.text(index)
    header = HEADER.search(text)
    start = index
    if header:
        start = index + 1
        margin = _margin(stream, text[: header.start()], start)
    else:
        frame = FRAME.match(text)
        if not frame:
            return None
        margin = frame["indent"][2:] if not frame["mark"] else ""
    view = _view(stream, margin)
    if header:
        start = _first_frame(view, start)
    frames, end = read_stack(view, start)
    if not frames and not header:
        return None
    return _finish(stream, view, index, frames, end, depth)


def _margin(stream: Stream, before: str, start: int) -> str:
    """Return what stands before all lines of a stack: the first frame tells, else the header.

    Reports put a tag, a list's mark or a quote before the header, and indent all that follows.
    """
    own = before if _MARGIN.fullmatch(before) else None
    for at in range(start, min(start + 3, len(stream))):
        text = stream.text(at)
        if match := _BEFORE_FRAME.match(text):
            margin = match["margin"]
            if match["pad"] or margin.isspace() or margin == own:
                return margin
            break
        if text.strip(" \t>|│"):
            break
    return own or ""


def _first_frame(view: View, start: int) -> int:
    """Return where a stack begins whose first frame was lost or overtaken by other lines."""
    for at in range(start, start + _MAX_RECORDS):
        text = view(at)
        if text is None or parse_exception(text):
            break
        if FRAME.match(text):
            return at if (view(start) or "").strip() else start
    return start


def read_stack(view: View, index: int) -> tuple[list[Frame], int]:
    """Read frames with their sources from ``index`` on; return them and where they end."""
    frames: list[Frame] = []
    opening = view(index)
    spaced = opening is not None and not opening.strip()
    while True:
        text = view(index)
        if text is None:
            break
        if not text.strip():
            ahead = index + 1
            while view(ahead) is not None and not (view(ahead) or "").strip() and ahead < index + 3:
                ahead += 1
            following = view(ahead) or ""
            if FRAME.match(following) or (spaced and parse_exception(following)):
                index = ahead
                continue
            break
        frame = parse_frame(text)
        if frame is None:
            if REPEATED.match(text):
                index += 1
                continue
            if frames and (ahead := _behind_records(view, index)):
                index = ahead
                continue
            break
        indent = len(text) - len(text.lstrip("> "))
        begin = end = _before_source(view, index + 1, indent)
        if begin == index + 2 and _NAME_END.match(view(index + 1) or ""):
            frame = replace(frame, function=f"{frame.function or ''}{view(index + 1)}".strip())
        while end - begin < _MAX_SOURCE and _is_source(view(end), indent):
            end += 1
        below = [view(at) or "" for at in range(begin, end)]
        if end == begin:
            end = _flush_source(view, end, indent)
            shown = (view(begin) or "").strip() if end > begin else ""
            source, expression = shown or None, None
        else:
            source, expression = read_source(below)
        frames.append(replace(frame, source=source, expression=expression))
        index = end
    return frames, index


def _is_source(text: str | None, indent: int) -> bool:
    if text is None or not text.strip() or REPEATED.match(text) or FRAME.match(text):
        return False
    if text[0].isspace() and is_caret_line(text):
        return True
    return len(text) - len(text.lstrip()) > min(indent, 2)


def _is_between(text: str) -> bool:
    """Say whether a line is a record or a progress bar that was printed into a stack."""
    return starts_record(text) or bool(_BAR.match(text[:400]))


def _before_source(view: View, index: int, indent: int) -> int:
    """Return where a frame's source begins: behind records, or the rest of its function's name."""
    at = index + bool(_NAME_END.match(view(index) or ""))
    while at - index < _MAX_RECORDS and (text := view(at)) and _is_between(text):
        at += 1
    text = view(at) or ""
    return at if at > index and text[:1].isspace() and _is_source(text, indent) else index


def _behind_records(view: View, index: int) -> int:
    """Return where a stack goes on behind records that other threads printed into it, else 0."""
    at = index
    while at - index < _MAX_RECORDS and (text := view(at)) and _is_between(text):
        at += 1
    if at == index:
        return 0
    text = view(at) or ""
    parsed = parse_exception(text)
    goes_on = FRAME.match(text) or (parsed and _NAMED.search(parsed[0]))
    if not goes_on and text.strip() and _flush_source(view, at, 0) > at:
        goes_on = FRAME.match(view(at + 1) or "")
    return at if goes_on else 0


def _flush_source(view: View, index: int, indent: int) -> int:
    """Return the end of a source that lost its indentation, as chats and web pages strip it.

    It is believed only where the next frame or the exception follows; carets no longer say what
    they underline.
    """
    text = view(index)
    if not text or len(text) - len(text.lstrip()) > indent or FRAME.match(text):
        return index
    if parse_exception(text.strip()) or _is_between(text):
        return index
    end = index + 1
    while end - index < _MAX_FLUSH and is_caret_line(view(end) or ""):
        end += 1
    below = view(end) or ""
    if _is_between(below):
        return end if _behind_records(view, end) else index
    return end if FRAME.match(below) or parse_exception(below.strip()) else index


def _finish(
    stream: Stream, view: View, first: int, frames: list[Frame], index: int, depth: int
) -> Block | None:
    """Read the exception below a stack, what its message embeds, and what it wraps."""
    head, parsed = view(index), None
    if head is None and frames:
        # Less deep than the stack: the header's margin, or none.
        raw = stream.text(index)
        view = _view(stream, raw[: len(raw) - len(raw.lstrip())])
        head = view(index)
    if head is not None:
        parsed = parse_pasted(head, trusted=bool(frames))
    if parsed is not None and frames and _is_plain_word(head or "", *parsed):
        parsed = None
    if parsed is None:
        if not frames:
            return None
        headed = not FRAME.match(stream.text(first))
        return cut_off(stream, (first, index), "cpython", frames, headed=headed)
    type_, message = parsed
    nested = _nested(stream, view, index, type_, message, depth)
    end = nested.first if nested else message_end(view, index, message)
    lines = without_marks(
        head or "", [message, *((view(at) or "") for at in range(index + 1, end))]
    )
    if nested:
        lines = [text for text in lines if not _SPAWNED.match(text)]
    lines, notes = split_footer(lines)
    embedded = extract(lines)
    stack = joined_stacks(tuple(frames), embedded.frames)
    last = nested.end if nested else end
    cause = Cause(
        embedded.type or type_, embedded.message, stack, Relation.ROOT,
        stream.span(first, last), tuple(notes),
    )  # fmt: skip
    evidence = (head or "").strip()
    if nested is None:
        return Block([cause], first, end, "cpython", evidence=evidence)
    causes = [*nested.causes, replace(cause, relation=Relation.WRAPPED)]
    return Block(
        causes, first, nested.end, "cpython", evidence=nested.evidence or evidence,
        rank=nested.rank, problems=nested.problems,
    )  # fmt: skip


def _is_plain_word(head: str, type_: str, message: str) -> bool:
    """Say whether what stands alone below a stack is no class: the rest of a frame, a greeting.

    Python prints the module of all classes but its own, whose names end as exceptions' names do.
    """
    is_alone = not message and not head.rstrip().endswith(":")
    return is_alone and bool(_PLAIN_WORD.match(type_)) and not names_exception(type_)


_PLAIN_WORD = re.compile(r"[A-Z][a-z]*$")


def _nested(
    stream: Stream, view: View, index: int, type_: str, message: str, depth: int
) -> Block | None:
    """Read the traceback of another process or worker that stands in an exception's message."""
    if depth >= _MAX_DEPTH:
        return None
    at = index + 1
    rank: int | None = None
    while at < index + 4 and (text := view(at)) is not None:
        if spawned := _SPAWNED.match(text):
            rank = int(spawned["rank"])
        elif text.strip() and not _QUOTE.match(text) and not _RULE.match(text):
            break
        at += 1
    text = view(at) or ""
    header = HEADER.search(text)
    quoted = message.rstrip().endswith("trace:")
    adjacent = at == index + 1 or rank is not None or "RemoteTraceback" in type_ or quoted
    is_announced = header and (header["kind"] or not message or rank is not None or quoted)
    if (is_announced and adjacent) or (
        at == index + 1 and FRAME.match(text) and type_.rpartition(".")[2].startswith("Ray")
    ):
        block = _read(stream, at, depth + 1)
    else:
        return None
    if block is not None:
        block.rank = rank
    return block


# ---------------------------------------------------------------------- exception groups
_GROUP = re.compile(r"^\s*\+ Exception Group Traceback \(most recent call last\):")
_GROUP_MARGIN = re.compile(r"^(?P<indent> *)(?P<bar>[|+])(?P<rest>.*)$")
_MEMBER = re.compile(r"^(?:-*\+)?-{4,} (?P<number>\d+|\.\.\.) -{4,}$")
_GOES_ON = re.compile(r"^ *(?:\| |\+-+(?: (?:\d+|\.\.\.) -+)?$)")
_END = re.compile(r"^-{4,}$")
_MAX_GROUP_LINES = 20_000
_MAX_GROUP_DEPTH = 64


class _Part:
    """The lines of one exception of the tree, and its members."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.lines: list[LogLine] = []
        self.members: list[_Part] = []


def read_exception_group(stream: Stream, index: int) -> Block | None:
    """Read a whole group; each leaf gives a chain that ends in its groups."""
    root, end = _tree(stream, index)
    chains = _chains(root, stream)
    if not chains:
        return Block([], index, end, "exception_group", weight=0)
    blocks = [
        Block(chain, index, end, "exception_group", evidence=_evidence(chain)) for chain in chains
    ]
    blocks[0].others = blocks[1:]
    return blocks[0]


EXCEPTION_GROUP = Dialect("exception_group", _GROUP, read_exception_group, lists_failures=True)


def _evidence(chain: list[Cause]) -> str:
    return f"{chain[0].type}: {chain[0].message}".split("\n", 1)[0]


def _tree(stream: Stream, index: int) -> tuple[_Part, int]:
    """Cut the lines at the margins into the tree of exceptions."""
    path: list[_Part] = []
    first = _GROUP_MARGIN.match(stream.text(index))
    root = _Part(len(first["indent"]) if first else 0)
    path.append(root)
    end = index
    while end < len(stream) and end - index < _MAX_GROUP_LINES:
        line = stream.lines[end]
        match = _GROUP_MARGIN.match(line.text)
        if not match:
            if not _goes_on(stream, end):
                break
            path[-1].lines.append(line)
            end += 1
            continue
        column, rest = len(match["indent"]), match["rest"]
        opening = _MEMBER.match(rest) if match["bar"] == "+" else None
        if opening:
            inside = column + (2 if rest.startswith("-+-") else 0)
            while len(path) > 1 and path[-1].column >= inside:
                path.pop()
            member = _Part(inside)
            if len(path) < _MAX_GROUP_DEPTH:
                path[-1].members.append(member)
                path.append(member)
        elif not (match["bar"] == "+" and _END.match(rest)):
            while len(path) > 1 and path[-1].column > column:
                path.pop()
            path[-1].lines.append(replace(line, text=rest.removeprefix(" ")))
        end += 1
    return root, end


def _goes_on(stream: Stream, index: int) -> bool:
    """Say whether a line without a margin is a message's (3.11 prints those bare)."""
    return any(_GOES_ON.match(stream.text(at)) for at in range(index + 1, index + 20))


def _chains(root: _Part, stream: Stream) -> list[list[Cause]]:
    """Return one chain for each leaf: its own causes, then the groups that hold it."""
    out: list[list[Cause]] = []
    stack: list[tuple[_Part, tuple[Cause, ...]]] = [(root, ())]
    while stack:
        part, groups = stack.pop()
        own = _own_chain(Stream(part.lines, stream.process))
        if part.members and own:
            holders = (replace(own[-1], relation=Relation.GROUP_MEMBER), *groups)
            stack.extend((member, holders) for member in reversed(part.members))
        elif own:
            out.append([*own, *groups])
        if len(out) >= 256:
            break
    return out


def _own_chain(stream: Stream) -> list[Cause]:
    causes: list[Cause] = []
    relation, index = Relation.ROOT, 0
    while index < len(stream):
        text = stream.text(index)
        if chained := CHAINED.match(text):
            relation = Relation.DURING_HANDLING if chained["during"] else Relation.DIRECT_CAUSE
        block = read_cpython(stream, index) if 'File "' in text or "Traceback (" in text else None
        if block is None:
            index += 1
            continue
        causes.extend([replace(block.causes[0], relation=relation), *block.causes[1:]])
        index = max(block.end, index + 1)
    return causes


# ---------------------------------------------------------------------- faulthandler
_FATAL_ERROR = re.compile(
    r"^Fatal Python error: |^Timeout \(\d+:\d\d:\d\d|\(most recent call first\):\s*$"
)
_FATAL = re.compile(r"^Fatal Python error: (?P<message>.*)$|^(?P<timeout>Timeout \(.*\)!?)")
THREAD = re.compile(
    r"^(?P<current>Current )?[Tt]hread 0x[0-9a-fA-F]+(?: \[.*\])?.*\(most recent call first\):\s*$"
    r"|^Stack \(most recent call first\):"
)
_MAX_FRAMES = 1000
DIED, DUMPED = 95, 40
"""The weight of stacks that a dying interpreter prints; of those of one that may go on."""


def read_faulthandler(stream: Stream, index: int) -> Block | None:
    """Read the message and every thread's stack; the crashing thread's frames are kept."""
    match = _FATAL.match(stream.text(index))
    message = (match["message"] or match["timeout"]).strip() if match else ""
    if not match and not THREAD.match(stream.text(index)):
        return None
    at = index + 1 if match else index
    stacks: list[tuple[bool, list[Frame]]] = []
    end = at
    while at < len(stream) and at - end < 4:
        thread = THREAD.match(stream.text(at))
        if thread is None:
            at += 1
            continue
        frames, at = read_thread_stack(stream, at + 1)
        stacks.append((thread["current"] is not None, frames))
        end = at
    crashed = [stack for current, stack in stacks if current and stack]
    frames = crashed[0] if crashed else (stacks[-1][1] if stacks else [])
    if not match and not stacks:
        return None
    cause = Cause(
        "faulthandler",
        message or "stack dump",
        tuple(frames),
        Relation.ROOT,
        stream.span(index, end),
    )
    evidence = stream.text(index).strip()
    weight = DIED if match and match["message"] else DUMPED
    return Block(
        [cause], index, end, "faulthandler", FailureKind.MESSAGE, evidence=evidence, weight=weight
    )


FAULTHANDLER = Dialect(
    "faulthandler", _FATAL_ERROR, read_faulthandler, is_traceback=False, is_dump=True
)


def read_thread_stack(stream: Stream, index: int) -> tuple[list[Frame], int]:
    """Return the frames from ``index`` on, outermost first, and where they end."""
    frames: list[Frame] = []
    while index < len(stream) and len(frames) < _MAX_FRAMES:
        text = stream.text(index)
        frame = parse_frame(text)
        if frame is None:
            if text.strip() not in ("...", "<no Python frame>"):
                break
        else:
            frames.append(frame)
        index += 1
    frames.reverse()
    return frames, index


# ---------------------------------------------------------------------- stacks that are no failures
_STACK_INFO = re.compile(
    r"^\s*(?:Stack|Call stack) ?(?:\(most recent call last\))?:\s*$|^Call stack:\s*$"
    r"|Detected at node .*defined at \(most recent call last\):|^Object allocated at"
    r"|^Caused by op .{1,400}, defined at:\s*$|^Original stack trace for .{1,400}:\s*$"
)
_SEE_ABOVE = re.compile(r"^\S{1,200} \(see above for traceback\): ")
"""What TensorFlow 1 repeats below the stack that made an operation of its graph."""
_ANOMALY = re.compile(
    r"Traceback of forward call that (?:caused|induced) the (?:previous )?(?:error|calculation)"
)
_WARNING = "UserWarning"


def read_stack_info(stream: Stream, index: int) -> Block | None:
    """Pass over a stack that tells only where a record was logged."""
    frames, end = _stack(stream, index)
    if not frames:
        return None
    below = end
    while below < len(stream) and not stream.text(below).strip():
        below += 1
    if below < len(stream) and _SEE_ABOVE.match(stream.text(below)):
        end = below + 1
        while end < len(stream) and stream.text(end).strip():
            end += 1
    return Block([], index, end, "stack_info", weight=0)


STACK_INFO = Dialect("stack_info", _STACK_INFO, read_stack_info)


def read_anomaly(stream: Stream, index: int) -> Block | None:
    """Read the stack of the forward operation whose gradient failed; the failure follows it."""
    frames, end = _stack(stream, index)
    if not frames:
        return None
    message = stream.text(index).rpartition("Warning: ")[2].strip()
    cause = Cause(_WARNING, message, frames, Relation.ROOT, stream.span(index, end))
    return Block([cause], index, end, "anomaly", weight=0)


ANOMALY = Dialect("anomaly", _ANOMALY, read_anomaly, is_warning=True)


def _stack(stream: Stream, index: int) -> tuple[tuple[Frame, ...], int]:
    def view(number: int) -> str | None:
        return stream.text(number) if 0 <= number < len(stream) else None

    frames, end = read_stack(view, index + 1)
    return tuple(frames), end
