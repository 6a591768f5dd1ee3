"""The prefix of a line: the process that wrote it, its time and its level.

Time and level as logging frameworks and log collectors write them. Process prefixes are those of
known launchers and those that repeat in the log itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.logs.log import LogLine, Process

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
    rf"|\d\d[/-]\d\d {_CLOCK}|(?<=\[)\d{{4}} {_CLOCK}"
    rf"|{_CLOCK}{_ZONE}"
    r"|1[5-9]\d{8}(?:\.\d+|\d{3})?"
)
"""A point in time as ISO 8601, syslog, ctime, loggers and collectors print it.

Month and day alone are detectron2's, tensorpack's and vLLM's.
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
    r"[\])>]?(?:[:|](?P<logger>[\w.]{1,128}):| *[:|-]+ *"
    rf"| +(?=\d\d)(?:(?:{TIME}) \[[\w./-]{{1,128}}:\d{{1,6}}\] ?)?)"
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


# torchrun `[default1]:`, torch's excepthook `[rank1]:`, accelerate and lightning `[rank: 1]`,
# mpirun --tag-output `[1,0]<stderr>:`, deepspeed/pdsh, ray `(trial pid=3, ip=…)`, `[worker-3]`.
_LAUNCHER = re.compile(
    r"\[(?P<kind>default|rank:? ?|worker[-_ ]?|proc(?:ess)?[-_ ]?|gpu[-_ :]?"
    r"|node[-_ ]?)(?P<rank>\d{1,5})\](?P<colon>:)? ?"
    r"|\[\d{1,4},(?P<mpi>\d{1,5})\](?:<(?:stdout|stderr|stddiag)>)?:"
    r"|\((?P<ray>[\w.:<>\[\], =-]{0,80}\bpid=\d{1,10}(?:, ip=[\w.:-]{1,64})?)\) ?"
    r"|(?P<cri>\d{4}-\d\d-\d\dT[\d:.]{8,24}(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP]) "
)
_RAY_REPEATED = re.compile(r" ?\[repeated \d{1,9}x across cluster\].{0,200}$")
_RAY_IP = re.compile(r"ip=([\w.:-]+)")
_RANK_IN_NAME = re.compile(r"\brank=(\d{1,5})\b")
_COUNTED = (
    re.compile(r"^ ?(?P<rank>\d{1,5}): ?"),
    re.compile(r"^\[(?P<rank>\d{1,4})\]:? "),
    re.compile(rf"^(?:\[(?:{TIME})\]|\((?:{TIME})\)|(?:{TIME}))(?: |$)"),
)
_RANK_IN_WORDS = re.compile(
    r"\b(?:rank|worker|proc|process|default|task|gpu)[ _=:#-]{0,2}(\d{1,5})\b", re.IGNORECASE
)
_HEADER = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "[^"\n]{1,4096}", line \d')
_KINDS_BEFORE = re.compile(r"(?:Original|Exception Group|Remote) $")
_MARGIN = re.compile(r"^[\s|+>#*│┃:.-]*$")
_MAX_LEARNED = 64
_MAX_PREFIX = 200


def attribute(lines: list[LogLine]) -> list[LogLine]:
    """Return ``lines`` without the prefixes of processes and collectors, each with its process."""
    lines = [_launcher(line) for line in stepwise(lines)]
    learned = _learn(lines)
    if learned is not None:
        lines = [_strip_learned(line, learned) for line in stepwise(lines)]
        lines = [_launcher(line) for line in stepwise(lines)]
    return _strip_counted(lines)


def _launcher(line: LogLine) -> LogLine:
    text, process = line.text, line.process
    for _ in range(4):
        if not text or text[0] not in "[(0123456789":
            break
        match = _LAUNCHER.match(text)
        if not match or (
            match["rank"] is not None and match["colon"] is None and not _bracket_ok(match)
        ):
            break
        text = text[match.end() :]
        if match["ray"] is not None and "[repeated" in text:
            text = _RAY_REPEATED.sub("", text)
        process = _merged(process, match)
    if text is line.text:
        return line
    return replace(line, text=text, process=process)


def _bracket_ok(match: re.Match[str]) -> bool:
    """Without a colon only names of whole processes count, not `[GPU0] 45%`."""
    return not (match["kind"] or "").startswith(("gpu", "node"))


def _merged(process: Process | None, match: re.Match[str]) -> Process | None:
    if match["cri"] is not None:
        return process
    if match["ray"] is not None:
        ip = _RAY_IP.search(match["ray"])
        told = _RANK_IN_NAME.search(match["ray"])
        rank = int(told[1]) if told else process.rank if process else None
        return Process(rank, ip[1] if ip else None, match["ray"])
    rank = int(match["rank"] if match["rank"] is not None else match["mpi"])
    if process is not None and process.rank is None:
        return replace(process, rank=rank)
    return Process(rank) if process is None else replace(process, rank=rank)


def _foreign_prefix(text: str) -> str | None:
    """Return what stands before a traceback's header or frame, or None where that is a margin."""
    at = text.find(_HEADER)
    if at < 0:
        frame = _FRAME.search(text) if '  File "' in text else None
        at = frame.start() if frame else -1
    elif kind := _KINDS_BEFORE.search(text, 0, at):
        at = kind.start()
    prefix = text[:at] if 0 < at <= _MAX_PREFIX else ""
    return None if not prefix or _MARGIN.match(prefix) else prefix


def _learn(lines: list[LogLine]) -> re.Pattern[str] | None:
    """Return a pattern for the prefixes that stand before headers and frames alike, or None.

    A prefix before headers alone is the beginning of log records (or a progress bar) whose next
    lines carry none: it teaches nothing.
    """
    seen: Counter[str] = Counter()
    on_frames: set[str] = set()
    compiled: dict[str, str] = {}
    for line in stepwise(lines):
        prefix = _foreign_prefix(line.text)
        if prefix is None:
            continue
        if prefix not in compiled and len(compiled) < 4096:
            compiled[prefix] = pattern_of_prefix(prefix)
        if prefix in compiled:
            seen[compiled[prefix]] += 1
            if _HEADER not in line.text:
                on_frames.add(compiled[prefix])
    taught = [p for p, count in seen.most_common(_MAX_LEARNED) if count >= 2 and p in on_frames]
    if not taught:
        return None
    taught.sort(key=lambda pattern: (-len(pattern), pattern))
    return re.compile("|".join(f"(?:{pattern})" for pattern in taught))


def _strip_learned(line: LogLine, learned: re.Pattern[str]) -> LogLine:
    match = learned.match(line.text)
    if not match:
        return line
    return replace(line, text=line.text[match.end() :], process=_named(line.process, match[0]))


def _named(process: Process | None, prefix: str) -> Process | None:
    """Return the process that a learned prefix names, once times and levels are out of it."""
    words = re.sub(rf"(?:{TIME})", "", prefix)
    rank = _RANK_IN_WORDS.search(words) or re.match(r"^\s*\[?(\d{1,5})\]?:\s*$", words)
    number = int(rank[1]) if rank else None
    pod = re.search(r"[\w.-]*[a-z][\w.-]*-\d+(?:-[\w.]+)*", words)
    if number is None and pod is None:
        return process
    name = None if number is not None else (pod[0] if pod else None)
    if process is None:
        return Process(number, None, name)
    return replace(process, rank=process.rank if process.rank is not None else number)


def _strip_counted(lines: list[LogLine]) -> list[LogLine]:
    """Strip `0: `, `[1] ` or a time where (nearly) every line that is not blank begins with one."""
    for pattern in _COUNTED:
        filled = [line for line in lines if line.text.strip()]
        matched = sum(1 for line in stepwise(filled) if pattern.match(line.text))
        if matched < 3 or matched < 0.9 * len(filled):
            continue
        return [_strip_one(line, pattern) for line in stepwise(lines)]
    return lines


def _strip_one(line: LogLine, pattern: re.Pattern[str]) -> LogLine:
    match = pattern.match(line.text)
    if not match:
        return line
    process = line.process
    rank = match.groupdict().get("rank")
    if rank is not None and (process is None or process.rank is None):
        process = Process(int(rank)) if process is None else replace(process, rank=int(rank))
    return replace(line, text=line.text[match.end() :], process=process)
