"""Reads a bug report in one pass over its lines, and tells bug reports from logs.

A text is a report if it has a title, then sentences or the headings of a template. Reading never
raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StackLine:
    """A frame as the report prints it; ``line`` is 1-based, 0 where none is told."""

    file: str
    line: int
    function: str
    source: str


@dataclass(frozen=True, slots=True)
class CodeLink:
    """A file that a link or a quoted permalink names; lines are 1-based, 0 for the whole file."""

    path: str
    first_line: int
    last_line: int


@dataclass(slots=True)
class BugReport:
    """A report's texts as lists of lines (stripped), in order; empty where it has none.

    ``prose`` is what its author wrote, ``code`` the code samples, ``trace`` what tracebacks print
    of frames, ``messages`` the lines that name an exception, ``logs`` other output, ``environment``
    listings of versions and machines, ``headings`` the headings of the issue template.
    """

    title: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    frames: list[StackLine] = field(default_factory=list)
    links: list[CodeLink] = field(default_factory=list)


# ---------------------------------------------------------------------- markup
FRAME = re.compile(r'File "([^"\n]{1,500})", line (\d{1,7})(?:, in (\S{1,200}))?')
IPYTHON_FRAME = re.compile(
    r"^\s*([~\w./<>\\:+-]{1,400}\.py|<ipython[^>\n]{0,100}>) in (\w{1,200})\("
)
ARROW = re.compile(r"^\s*(?:-+>\s*|> ?(?=\d{5}))(\d{1,7})\s?(.*)$")
PATH_ALONE = re.compile(r"^\s*((?:[\w.+-]+/)+[\w.-]+\.py)\s*$")
LINES_OF_PATH = re.compile(r"^\s*Lines? (\d{1,7})(?: to (\d{1,7}))?\s*$")
EXCEPTION = re.compile(
    r"^\s*(?:E\s+)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))"
    r"(?:\s*:\s(.*))?\s*$"
)
_NUMBERED = re.compile(r"^\s*\d+(?:\s{2,}\S|\s*$)")
_KEYED = re.compile(r"^\s*[*-]?\s*[A-Za-z][\w .()/,+-]{0,60}:\s*.{0,80}$")
_VERSION = re.compile(
    r"^\s*[*-]?\s*(?:[\w.-]+(?:==|>=|~=)[\w.+-]+|[\w.-]+:?\s+v?\d+(?:\.\d+)+\S*(?:\s+\S+){0,3}"
    r"|\[(?:pip|conda)\d?\].*)\s*$"
)
_OUTPUT = re.compile(
    r"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d?:\d\d:\d\d|\[\d{4} \d\d:\d\d"
    r"|(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL)\b|Epoch \d+|[^|\n]{0,120}\d+%\|)"
)
_CODE = re.compile(
    r"^\s*(?:import\s+[\w.]+|from\s+[\w.]+\s+import\b|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+.*:"
    r"|@\w[\w.]*|(?:async\s+)?(?:if|for|while|with|try|else|elif|except|return|raise|yield|assert)\b"
    r"|[\w.\[\]'\", ]{1,80}?\s?(?:=|\+=)\s?\S|[\w.]+\(.*\)?\s*,?\s*$|[)\]}]+,?\s*$"
    r"|#\s|>>>|\.\.\.\s|In \[\d+\]|\"\"\"|%\w+|!\w+ |pip3? install|python3? -?\S+)"
)
_SENTENCE_KEYWORD = re.compile(
    r"^\s*(?:if|for|while|with|try|return|raise|else|assert|yield|import)\b"
)
_CODE_MARK = re.compile(r"[()=\[\]:]\s*$|[()=\[\]]")
_FOUR_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}")
_ENVIRONMENT = re.compile(
    r"environment|version|system info|setup|configuration|installed|\bos\b", re.IGNORECASE
)
_LONGEST = 400


def is_environment_heading(text: str) -> bool:
    """Whether what follows a heading lists versions and machines."""
    return len(text) < 60 and _ENVIRONMENT.search(text) is not None


def is_environment(line: str, below_heading: bool) -> bool:
    """Whether a line tells a version; below a heading for them, also any key and value."""
    if len(line) > _LONGEST:
        return False
    if _VERSION.match(line):
        return True
    return below_heading and (_KEYED.match(line) is not None or len(line) < 40)


def is_output(line: str) -> bool:
    """Whether a line is what a program printed."""
    return _OUTPUT.match(line[:_LONGEST]) is not None


def is_code(line: str) -> bool:
    """Whether a line outside any fence is code: shaped like a statement, and not a sentence."""
    line = line[:_LONGEST]
    if not _CODE.match(line):
        return False
    if _SENTENCE_KEYWORD.match(line) and not _CODE_MARK.search(line) and _FOUR_WORDS.search(line):
        return False
    return not (_FOUR_WORDS.search(line) and not re.search(r"[=(#]", line))


def is_trace(line: str, fenced: bool) -> bool:
    """Whether a line right below a frame belongs to what the traceback shows of the source."""
    return fenced or line.startswith("    ") or _NUMBERED.match(line) is not None


_TAGGED_LINK = re.compile(r"<denchmark-link:([^<>\n]{0,2000})>([^<\n]{0,2000})")
_CLOSING = "</denchmark-link>"
_MARKDOWN_LINK = re.compile(r"!?\[([^\]\[\n]{0,300})\]\((https?://[^)\s]{1,2000})[^)\n]{0,200}\)")
_URL = re.compile(r"https?://[^\s<>()\[\]\"'`]{1,2000}")
_BLOB = re.compile(
    r"(?:github|gitlab)[\w.-]*/[\w.-]+/[\w.-]+/(?:-/)?(?:blob|tree|blame|edit)/[^/\s]+/"
    r"([^\s#?]+)(?:#L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7}))?)?"
)
_HTML = re.compile(
    r"</?(?:details|summary|p|br|b|i|em|strong|pre|code|kbd|img|a|hr|div|span)\b[^<>\n]{0,500}>"
)
HEADING = re.compile(
    r"^\s*(?:<denchmark-h:\w+>(?P<tagged>.{0,300}?)</denchmark-h>|#{1,6}\s+(?P<marked>.{1,300}))\s*$"
)
FENCE = re.compile(r"^\s*(?:```|~~~)")
OPENING_TAG = "<denchmark-code>"
CLOSING_TAG = "</denchmark-code>"
_TITLE_TAGS = re.compile(
    r"^\s*(?:#{1,6}\s+|title:\s+|(?:\[[^\]\n]{1,30}\]|\([^)\n]{1,20}\)\s*:|"
    r"bugs?(?:\s+report)?\s*[:-]|issue\s*:)\s*)+",
    re.IGNORECASE,
)


def without_links(text: str) -> tuple[str, list[CodeLink]]:
    """Return a text with the words of its links in their place, and the files that they name."""
    links = [
        CodeLink(m[1], int(m[2] or 0), int(m[3] or m[2] or 0))
        for url in _URL.finditer(text)
        for m in [_BLOB.search(url.group())]
        if m
    ]
    text = _without_comments(text)
    text = _TAGGED_LINK.sub(_words_of_link, text)
    text = text.replace(_CLOSING, " ")
    text = _MARKDOWN_LINK.sub(lambda m: f" {m[1]} ", text)
    return _HTML.sub(" ", _URL.sub(" ", text)), links


def _without_comments(text: str) -> str:
    """Drop HTML comments: the hints of issue templates; what never closes stays."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        parts.append(text[at:start])
        at = end + 3
    parts.append(text[at:])
    return " ".join(parts)


def _words_of_link(match: re.Match[str]) -> str:
    words = match[2].strip()
    return " " if not words or words.startswith(("http", "#", "@")) else f" {words} "


def plain_title(line: str) -> str:
    """Return a title without markup and tags such as ``[BUG]``."""
    bare = _TITLE_TAGS.sub("", line).strip()
    return bare or line.strip()


# ---------------------------------------------------------------------- parts of a report
MAX_TEXT = 200_000
"""Characters of a report that are read."""
MAX_LINES = 4_000
MAX_FRAMES = 200
_HEADER = "Traceback (most recent call last"
_PERMALINK = 4
"""Lines in which GitHub's rendering of a permalink tells the lines of the path."""


def read_report(text: str) -> BugReport:
    """Read a report whose first line is its title; with or without Markdown."""
    plain, links = without_links(text[:MAX_TEXT])
    lines = plain.splitlines()[:MAX_LINES]
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    report = BugReport(links=links)
    if start < len(lines):
        report.title = plain_title(lines[start])
    _Pass(report, lines[start + 1 :]).run()
    return report


class _Pass:
    """The state of one pass: in a fence or not, below which heading, in a traceback or not."""

    def __init__(self, report: BugReport, lines: list[str]) -> None:
        self.report = report
        self.lines = lines
        self.at = 0
        self.fenced = False
        self.environment = False
        self.stack = 0  # how many blank lines a traceback still bridges; 0 is outside of one

    def run(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.strip():
                self.stack = max(0, self.stack - 1) if not self.fenced else self.stack
            elif not self._heading(line):
                self._fence(line)

    def _heading(self, line: str) -> bool:
        match = None if self.fenced else HEADING.match(line)
        if match is None:
            return False
        heading = (match["tagged"] or match["marked"] or "").strip()
        self.report.headings.append(heading)
        self.environment = is_environment_heading(heading)
        self.stack = 0
        return True

    def _fence(self, line: str) -> None:
        if FENCE.match(line):
            self.fenced = not self.fenced
            self.stack = 0
            return
        if OPENING_TAG in line:
            self.fenced, self.stack = True, 0
            line = line.replace(OPENING_TAG, "")
        closes = CLOSING_TAG in line
        if closes:
            line = line.replace(CLOSING_TAG, "")
        if line.strip() and not self._traceback(line) and not self._permalink(line):
            self._text(line)
        if closes:
            self.fenced, self.stack = False, 0

    def _traceback(self, line: str) -> bool:
        if _HEADER in line:
            self.stack = 2
            return True
        if self._frame(line) or self._exception(line):
            return True
        arrow = ARROW.match(line)
        if self.stack >= 2 and (arrow or is_trace(line, self.fenced)):
            if arrow and self.report.frames:
                last = self.report.frames[-1]
                source = arrow[2].strip()
                self.report.frames[-1] = StackLine(last.file, int(arrow[1]), last.function, source)
            self.report.trace.append(line.strip())
            return True
        return False

    def _frame(self, line: str) -> bool:
        frames = self.report.frames
        match = FRAME.search(line) if 'File "' in line else None
        if match is not None:
            source = self._source_line()
            frame = StackLine(match[1].replace("\\", "/"), int(match[2]), match[3] or "", source)
            self.report.trace.extend([line.strip(), *([source] if source else [])])
        else:
            cell = IPYTHON_FRAME.match(line)
            if cell is None:
                return False
            frame = StackLine(cell[1].replace("\\", "/"), 0, cell[2], "")
            self.report.trace.append(line.strip())
        if len(frames) < MAX_FRAMES:
            frames.append(frame)
        self.stack = 3
        return True

    def _source_line(self) -> str:
        """Take the line below a frame where it is the frame's source."""
        if self.at >= len(self.lines):
            return ""
        line = self.lines[self.at]
        if not line.strip() or 'File "' in line or EXCEPTION.match(line):
            return ""
        if CLOSING_TAG in line or FENCE.match(line):
            return ""
        self.at += 1
        return line.strip()

    def _exception(self, line: str) -> bool:
        if len(line) > 2000 or not EXCEPTION.match(line):
            return False
        self.report.messages.append(line.strip())
        self.stack = 1
        return True

    def _permalink(self, line: str) -> bool:
        """Read GitHub's rendering of a permalink: a path, then ``Lines 117 to 122``."""
        path = PATH_ALONE.match(line)
        if path is None:
            return False
        below = [n for n in self.lines[self.at : self.at + 2 * _PERMALINK] if n.strip()]
        for text in below[:_PERMALINK]:
            match = LINES_OF_PATH.match(text)
            if match is not None:
                first = int(match[1])
                self.report.links.append(CodeLink(path[1], first, int(match[2] or first)))
                break
        self.report.prose.append(line.strip())
        return True

    def _text(self, line: str) -> None:
        report, stripped = self.report, line.strip()
        listing = self.environment and self.fenced
        if listing or is_environment(line, self.environment):
            report.environment.append(stripped)
        elif is_output(line):
            report.logs.append(stripped)
        elif self.fenced or is_code(line):
            report.code.append(stripped)
        else:
            report.prose.append(stripped)


_READ = 2_000
_NO_TITLE = re.compile(
    r"^\s*(?:[$>%!|=+~^/]|\d{2,}|[IWEF]\d{4}\b|In \[|Out\[|Traceback|-{3,}|\w+@)|\.py:\d+|Warning:"
    r"|\d+%\||[│─╭]|the above exception|\bpython3?\s+-?\S+\.py|: [\d.]+$|\.{3}\s*$|\w=\S+\s+\w+="
)
_WORD = re.compile(r"[A-Za-z']+")
_TEMPLATE = re.compile(
    r"bug|reproduc|expect|environment|descri|version|steps|actual|behaviou?r|context|happened|error"
    r"|observed|problem|issue|question|code|did",
    re.IGNORECASE,
)
_SPOKEN_WORDS = (
    "i we you my our it this that when is are was should would can cannot not but if there because "
    "to the a an of in with for and have has seems think following"
)
_SPOKEN = frozenset(_SPOKEN_WORDS.split())
_LONGEST_TITLE = 250


def is_report(lines: Sequence[str]) -> bool:
    """Whether a text's lines are a person's report, whatever logs and tracebacks it quotes."""
    lines = lines[:_READ]
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return False
    headings = [m for line in lines if len(line) < 300 for m in [HEADING.match(line)] if m]
    asked = sum(_TEMPLATE.search(h["tagged"] or h["marked"] or "") is not None for h in headings)
    if asked >= 2:
        return True
    rest = lines[start + 1 :]
    if not rest or rest[0].strip() or not is_title(lines[start]):
        return False
    marked = bool(headings) or any(OPENING_TAG in line or FENCE.match(line) for line in rest)
    return marked or any(map(is_sentence, rest))


def is_title(line: str) -> bool:
    """Whether a line may be a report's title: a few words, not what programs print first."""
    words = [word for word in _WORD.findall(line[: 2 * _LONGEST_TITLE]) if len(word) > 1]
    if len(words) < 2 or len(line) > _LONGEST_TITLE or 'File "' in line:
        return False
    if EXCEPTION.match(line):
        return True
    return _NO_TITLE.search(line) is None and not is_output(line)


def is_sentence(line: str) -> bool:
    """Whether a line reads as written by a person."""
    if _NO_TITLE.search(line[:_LONGEST_TITLE]) or is_output(line) or 'File "' in line:
        return False
    if is_code(line):
        return False
    words = [word.lower() for word in _WORD.findall(line[:1000])]
    spoken = sum(word in _SPOKEN for word in words)
    return len(words) >= 5 and spoken >= 2 and spoken >= len(words) / 5
