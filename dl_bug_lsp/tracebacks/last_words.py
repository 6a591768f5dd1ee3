"""Texts without a traceback: an exception that prose quotes, or the last line's own words."""

from __future__ import annotations

import re

from dl_bug_lsp.logs.records import split_record
from dl_bug_lsp.tracebacks.stream import Block, Stream
from dl_bug_lsp.tracebacks.values import Cause, FailureKind, Relation

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
    r"(?:^|[\s(\"'`*_>#~:“])(?P<mark>`{1,3}|\*{1,3}|__?|\"|“|'|)"
    r"(?P<type>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)): ?"
    r"(?P<message>\S.{0,3000})"
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
        if "Error" not in text and "Exception" not in text:
            continue
        found = _QUOTED.search(text)
        if found is None or split_record(text)[0] is not None or _HANDLED.search(text):
            continue
        message = _closed(found["message"], found["mark"])
        if len(message) < _SHORTEST:
            continue
        if sum(1 for line in stream.lines if _RUNS_ON.search(line.text[:300])) > 1:
            return None
        span = stream.span(at, at + 1)
        cause = Cause(found["type"], message, (), Relation.ROOT, span)
        shown = f"{found['type']}: {message}"
        return Block([cause], at, at + 1, "message", evidence=shown[:500], weight=_WEIGHT)
    return None


def _closed(message: str, mark: str) -> str:
    """Return a quoted message up to the mark that closes it."""
    if mark:
        end = message.find(mark)
        if end >= 0:
            return message[:end].strip()
    return message.strip().rstrip("`*").strip()


def read_last_words(stream: Stream) -> Block | None:
    """Return the last line as a failure in words, if its words are those of one."""
    at = len(stream) - 1
    while at >= 0 and not stream.text(at).strip():
        at -= 1
    if at < 0:
        return None
    level, rest = split_record(stream.text(at))
    quiet = level in ("INFO", "DEBUG", "WARNING", "TRACE", "SUCCESS")
    if quiet or not 8 <= len(rest) <= _LONGEST or not _WORDS.search(rest) or _FINE.search(rest):
        return None
    cause = Cause("program", rest.strip(), (), Relation.ROOT, stream.span(at, at + 1))
    return Block(
        [cause], at, at + 1, "message", FailureKind.MESSAGE, evidence=rest.strip(), weight=_WEIGHT
    )
