"""What launchers report of failed jobs: torchrun of its children, Hydra of a hidden stack.

torchrun knows of each child its rank, exit code and time. Of a failed job whose stack Hydra hides,
the words between its two sentences are read.
"""

from __future__ import annotations

import ast
import re

from dl_bug_lsp.tracebacks.cpython import read_cpython
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Relation
from dl_bug_lsp.tracebacks.stream import Block, Dialect, Heading, Stream
from dl_bug_lsp.tracebacks.traceback_lines import parse_exception

TORCHRUN_SUMMARY = re.compile(
    r"^\s*[\w./ -]{1,300} (?:FAILED|FAILURE)\s*$|^\s*Root Cause \(first observed failure\):"
)
_RULE = re.compile(r"^\s*(?P<char>[=*-])(?P=char){19,}\s*$")
_ROOT = re.compile(r"^\s*Root Cause(?: \(first observed failure\))?:")
_FIELD = re.compile(
    r"^\s{0,6}(?P<name>time|host|rank|exitcode|error_file|msg|traceback)\s*: ?(?P<value>.*)$"
)
_INDEX = re.compile(r"^\s*\[(?P<index>\d+)\]:\s*$")
_RANK = re.compile(r"^(?P<rank>\d{1,6})")
_EXIT = re.compile(r"^(?P<code>-?\d{1,4})\b(?:.*\((?P<signal>SIG\w+)\))?")
_QUOTED = re.compile(r'^"?(?P<type>[\w.]+)(?:: (?P<message>.*?))?"?$')
RECORDED, QUOTED, KILLED, EXITED = 90, 80, 60, 30
"""Weights of a child in a summary: with its traceback, with its exception's words, with a signal
that killed it, with an exit code alone."""
_MAX_LINES = 5000
_MAX_INTRODUCTION = 60


def read_summary(stream: Stream, index: int) -> Block | None:
    """Read the whole summary; its root cause leads, the other children follow as ``others``."""
    if not any(_RULE.match(stream.text(index + step)) for step in (-1, 1)):
        return None
    children: list[tuple[bool, Block]] = []
    at, root = index, False
    while at < len(stream) and at - index < (_MAX_LINES if children else _MAX_INTRODUCTION):
        text = stream.text(at)
        if _ROOT.match(text):
            root = True
        rule = _RULE.match(text)
        if rule and rule["char"] == "=" and children:
            break
        if _INDEX.match(text) or _starts_old_child(text):
            block = _child(stream, at)
            children.append((root, block))
            at = max(block.end, at + 1)
            continue
        at += 1
    if not children:
        return None
    leading = next((block for is_root, block in children if is_root), children[0][1])
    leading.others = [block for _, block in children if block is not leading]
    leading.heading = Heading.FIRST_OBSERVED
    leading.resume = max(at, *(block.end for _, block in children))
    return leading


TORCHRUN = Dialect(
    "torchrun", TORCHRUN_SUMMARY, read_summary, begins_at_entry=False,
    summarised=frozenset(("ChildFailedError",)),
)  # fmt: skip


def _starts_old_child(text: str) -> bool:
    return bool(re.match(r"^\s*rank\s*: \d+ \(local_rank", text))


def _child(stream: Stream, index: int) -> Block:
    """Read one child's fields; with `@record` they hold its traceback."""
    fields: dict[str, str] = {}
    inner: Block | None = None
    at = index if _starts_old_child(stream.text(index)) else index + 1
    while at < len(stream) and at - index < _MAX_LINES:
        text = stream.text(at)
        if _INDEX.match(text) or _RULE.match(text) or _ROOT.match(text):
            break
        field = _FIELD.match(text)
        if field:
            fields.setdefault(field["name"], field["value"].strip())
            if "Traceback (most recent call last)" in text:
                inner = read_cpython(stream.without_margin(at, at + 2000, 2), 0)
                if inner is not None:
                    fields["traceback"] = ""
                    at += max(inner.end, 1)
                    continue
        at += 1
    return _block(stream, index, at, fields, inner)


def _block(
    stream: Stream, index: int, end: int, fields: dict[str, str], inner: Block | None
) -> Block:
    ranked = _RANK.match(fields.get("rank", ""))
    rank = int(ranked["rank"]) if ranked else None
    host = fields.get("host") or None
    if inner is not None and inner.causes[0].frames:
        return Block(
            inner.causes, index, end, "torchrun", evidence=inner.evidence, weight=RECORDED,
            rank=rank, host=host,
        )  # fmt: skip
    exit_ = _EXIT.match(fields.get("exitcode", ""))
    note = fields.get("traceback", "")
    words = [f"exit code {exit_['code']}" if exit_ else "failed"]
    if exit_ and exit_["signal"]:
        words.append(exit_["signal"])
    if note.startswith("Signal"):
        words.append(note)
    type_, message = "torchrun", ", ".join(words)
    kind, weight = FailureKind.MESSAGE, EXITED
    quoted = _QUOTED.match(fields.get("msg", ""))
    if quoted and quoted["message"]:
        type_, message = quoted["type"], quoted["message"]
        kind, weight = FailureKind.EXCEPTION, QUOTED
    elif exit_ and exit_["code"] in ("-9", "-11", "-6", "-7", "-4", "-8", "-5"):
        weight = KILLED
    cause = Cause(type_, message, (), Relation.ROOT, stream.span(index, end))
    return Block(
        [cause], index, end, "torchrun", kind, evidence=message, weight=weight, rank=rank, host=host
    )


# ---------------------------------------------------------------------- Hydra
HYDRA_ERROR = re.compile(r"^Error executing job with overrides: ")
_HYDRA_END = re.compile(r"^Set the environment variable HYDRA_FULL_ERROR")
_REPR = re.compile(r"^(?P<type>[A-Z]\w*)\((?P<message>.*?),?\)$")
_OLD = re.compile(r"^Error (?:instantiating|calling) '.+?' : (?P<rest>.+)$")
_MAX_HYDRA_LINES = 60


def read_hydra_job(stream: Stream, index: int) -> Block | None:
    """Read a report without a traceback; with one, the traceback's own dialect reads it."""
    end = index + 1
    while (
        end < len(stream)
        and end - index < _MAX_HYDRA_LINES
        and not _HYDRA_END.match(stream.text(end))
    ):
        if "Traceback (most recent call last)" in stream.text(end):
            return None
        end += 1
    body = [stream.text(at) for at in range(index + 1, end)]
    while body and not body[-1].strip():
        body.pop()
    if not body or end - index >= _MAX_HYDRA_LINES:
        return None
    kind = FailureKind.EXCEPTION
    type_, message, notes = _parsed(body)
    if type_ == "hydra":
        kind = FailureKind.MESSAGE
    span = stream.span(index, min(end + 1, len(stream)))
    cause = Cause(type_, message, (), Relation.ROOT, span, notes)
    return Block([cause], index, min(end + 1, len(stream)), "hydra", kind, body[0].strip(), 95)


HYDRA = Dialect("hydra", HYDRA_ERROR, read_hydra_job)


def _parsed(body: list[str]) -> tuple[str, str, tuple[str, ...]]:
    """Return type and message; the target and the key that hydra adds become notes."""
    for number, text in enumerate(body):
        if match := _REPR.match(text.strip()):
            notes = (*body[:number], *body[number + 1 :])
            return match["type"], _unquoted(match["message"]), tuple(n.strip() for n in notes)
        if match := _OLD.match(text):
            parsed = parse_exception(match["rest"])
            message = parsed if parsed else ("InstantiationException", match["rest"])
            return message[0], message[1], tuple(n.strip() for n in body[number:])
        parsed = parse_exception(text)
        if parsed is not None and number == 0:
            return parsed[0], "\n".join([parsed[1], *body[1:]]), ()
    return "hydra", "\n".join(body), ()


def _unquoted(text: str) -> str:
    """Return what a string literal says; hostile or broken ones stay as they are."""
    if len(text) > 10_000:
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, str) else text
