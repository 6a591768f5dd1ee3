"""Time and level tokens that logging frameworks and log collectors put before a line."""

from __future__ import annotations

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,:]\d{1,9})?(?: ?[AP]M)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
TIME = (
    rf"(?:{_DAY},? )?\d{{4}}[-/.]\d\d[-/.]\d\d(?:[T _-]+{_CLOCK}{_ZONE})?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}[T ,]+{_CLOCK}{_ZONE}"
    rf"|(?:{_DAY} )?{_MONTH} +\d{{1,2}},?(?: \d{{4}})? {_CLOCK}{_ZONE}(?: \d{{4}})?"
    rf"|\d{{1,2}}[/ -]{_MONTH}[/ -]\d{{4}}[: ]{_CLOCK}{_ZONE}"
    rf"|\d{{8}}[ T-]{_CLOCK}"
    rf"|\d\d/\d\d {_CLOCK}|(?<=\[)\d{{4}} {_CLOCK}"
    rf"|{_CLOCK}{_ZONE}"
    r"|1[5-9]\d{8}(?:\.\d+|\d{3})?"
)
"""A point in time as ISO 8601, syslog, ctime, loggers and collectors print it.

Month and day alone are detectron2's and tensorpack's.
"""

LEVEL = (
    r"(?:TRACE|DEBUG|INFO|SUCCESS|NOTICE|WARNING|WARN|ERROR|ERR|CRITICAL|FATAL|EXCEPTION"
    r"|debug|info|warning|warn|error|critical|fatal|stdout|stderr)"
)
"""The level names of logging, loguru, absl, logrus and docker's stream names."""

_TIME_TOKEN = re.compile(rf"(?P<time>{TIME})|(?P<level>\b{LEVEL}\b)")
_GLOG = re.compile(
    r"^\[?(?P<level>[DIWEF])\d{4} [\d:.]{8,32}(?:\s+\d+)? (?P<where>[\w./<>+-]{1,128}:\d+)\] "
)
_RECORD = re.compile(
    rf"^[\[({{<]?(?:{TIME})[\])}}>]?[\s,|:-]*"
    rf"(?:[\[(|<]?\s*(?P<level>{LEVEL})\s*[\])|>:]?[\s|:-]*)?"
)
_LEVEL_FIRST = re.compile(
    r"^[\[(<]?(?P<level>(?-i:TRACE|DEBUG|INFO|SUCCESS|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL))"
    r"[\])>]?(?:[:|](?P<logger>[\w.]{1,128}):| *[:|-]+ *| +(?=\d\d))"
)
_LEVEL_LATER = re.compile(
    r"(?:^|[\s\[|(-])(?P<level>TRACE|DEBUG|INFO|SUCCESS|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)"
    r"[\])|:\s-]"
)
_NAMES = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL"}
_FOLD = {"WARN": "WARNING", "ERR": "ERROR", "EXCEPTION": "ERROR"}


def split_record(text: str) -> tuple[str | None, str]:
    """Return a line's level in capitals (None without one) and the text after its prefix."""
    match = _GLOG.match(text)
    if match:
        return _NAMES[match["level"]], text[match.end() :]
    match = _RECORD.match(text)
    if match and match.end() > 0:
        rest, level = text[match.end() :], match["level"]
        if level is None:
            later = _LEVEL_LATER.search(rest[:120])
            level = later["level"] if later else None
            if later:
                rest = rest[later.end() :].lstrip(" |:-")
        return _folded(level), rest
    match = _LEVEL_FIRST.match(text)
    if match:
        return _folded(match["level"]), text[match.end() :]
    return None, text


def _folded(level: str | None) -> str | None:
    if level is None:
        return None
    return _FOLD.get(level.upper(), level.upper())


def starts_record(text: str) -> bool:
    """Say whether a line begins with a time or a level, as a new record of a log does."""
    return bool(text) and bool(_GLOG.match(text) or _RECORD.match(text) or _LEVEL_FIRST.match(text))


def pattern_of_prefix(prefix: str) -> str:
    """Return a pattern for prefixes that differ from ``prefix`` only in times and levels."""
    out: list[str] = []
    at = 0
    for token in _TIME_TOKEN.finditer(prefix):
        out.append(re.escape(prefix[at : token.start()]))
        at = token.end()
        if token["time"] is not None:
            out.append(f"(?:{TIME})")
            continue
        padding = len(prefix) - at - len(prefix[at:].lstrip(" "))
        out.append(LEVEL)
        if padding and prefix[at:].strip():
            out.append(" *")
            at += padding
    out.append(re.escape(prefix[at:].rstrip()))
    trailing = re.escape(prefix[len(prefix.rstrip()) :])
    return "".join(out) + (f"(?:{trailing}|$)" if trailing else "")
