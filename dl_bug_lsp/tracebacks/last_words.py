"""The last line of a log that names no failure: what `sys.exit("…")` leaves behind."""

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
_LONGEST = 500
_WEIGHT = 20


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
