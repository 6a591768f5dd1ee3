"""torchrun's summary of failed children, and what it knows of each: rank, exit code, time."""

from __future__ import annotations

import re

from dl_bug_lsp.tracebacks.cpython import read_cpython
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Relation
from dl_bug_lsp.tracebacks.stream import Block, Stream

TRIGGER = re.compile(
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
    leading.heading = "first observed"
    leading.resume = max(at, *(block.end for _, block in children))
    return leading


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
            inner.causes, index, end, "torchrun", evidence=inner.evidence, weight=90,
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
    kind, weight = FailureKind.MESSAGE, 30
    quoted = _QUOTED.match(fields.get("msg", ""))
    if quoted and quoted["message"]:
        type_, message = quoted["type"], quoted["message"]
        kind, weight = FailureKind.EXCEPTION, 80
    elif exit_ and exit_["code"] in ("-9", "-11", "-6", "-7", "-4", "-8", "-5"):
        weight = 60
    cause = Cause(type_, message, (), Relation.ROOT, stream.span(index, end))
    return Block(
        [cause], index, end, "torchrun", kind, evidence=message, weight=weight, rank=rank, host=host
    )
