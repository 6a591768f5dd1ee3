"""Hydra's report of a failed job whose stack it hides: the words between its two sentences."""

from __future__ import annotations

import ast
import re

from dl_bug_lsp.tracebacks.exception_text import parse_exception
from dl_bug_lsp.tracebacks.failures import Cause, FailureKind, Relation
from dl_bug_lsp.tracebacks.stream import Block, Stream

TRIGGER = re.compile(r"^Error executing job with overrides: ")
_END = re.compile(r"^Set the environment variable HYDRA_FULL_ERROR")
_REPR = re.compile(r"^(?P<type>[A-Z]\w*)\((?P<message>.*?),?\)$")
_OLD = re.compile(r"^Error (?:instantiating|calling) '.+?' : (?P<rest>.+)$")
_MAX_LINES = 60


def read_hydra_job(stream: Stream, index: int) -> Block | None:
    """Read a report without a traceback; with one, the traceback's own dialect reads it."""
    end = index + 1
    while end < len(stream) and end - index < _MAX_LINES and not _END.match(stream.text(end)):
        if "Traceback (most recent call last)" in stream.text(end):
            return None
        end += 1
    body = [stream.text(at) for at in range(index + 1, end)]
    while body and not body[-1].strip():
        body.pop()
    if not body or end - index >= _MAX_LINES:
        return None
    kind = FailureKind.EXCEPTION
    type_, message, notes = _parsed(body)
    if type_ == "hydra":
        kind = FailureKind.MESSAGE
    span = stream.span(index, min(end + 1, len(stream)))
    cause = Cause(type_, message, (), Relation.ROOT, span, notes)
    return Block([cause], index, min(end + 1, len(stream)), "hydra", kind, body[0].strip(), 95)


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
