"""Reads a bug report in one pass over its lines, and tells bug reports from logs.

A text is a report if it has a title, then sentences or the headings of a template. Reading never
raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dl_bug_lsp.bug_reports import markup
from dl_bug_lsp.bug_reports.values import BugReport, CodeLink, StackLine

MAX_TEXT = 200_000
"""Characters of a report that are read."""
MAX_LINES = 4_000
MAX_FRAMES = 200
_HEADER = "Traceback (most recent call last"
_PERMALINK = 4
"""Lines in which GitHub's rendering of a permalink tells the lines of the path."""


def read_report(text: str) -> BugReport:
    """Read a report whose first line is its title; with or without Markdown."""
    plain, links = markup.without_links(text[:MAX_TEXT])
    lines = plain.splitlines()[:MAX_LINES]
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    report = BugReport(links=links)
    if start < len(lines):
        report.title = markup.plain_title(lines[start])
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
        found = None if self.fenced else markup.HEADING.match(line)
        if found is None:
            return False
        heading = (found["tagged"] or found["marked"] or "").strip()
        self.report.headings.append(heading)
        self.environment = markup.is_environment_heading(heading)
        self.stack = 0
        return True

    def _fence(self, line: str) -> None:
        if markup.FENCE.match(line):
            self.fenced = not self.fenced
            self.stack = 0
            return
        if markup.OPENING_TAG in line:
            self.fenced, self.stack = True, 0
            line = line.replace(markup.OPENING_TAG, "")
        closes = markup.CLOSING_TAG in line
        if closes:
            line = line.replace(markup.CLOSING_TAG, "")
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
        arrow = markup.ARROW.match(line)
        if self.stack >= 2 and (arrow or markup.is_trace(line, self.fenced)):
            if arrow and self.report.frames:
                last = self.report.frames[-1]
                source = arrow[2].strip()
                self.report.frames[-1] = StackLine(last.file, int(arrow[1]), last.function, source)
            self.report.trace.append(line.strip())
            return True
        return False

    def _frame(self, line: str) -> bool:
        frames = self.report.frames
        found = markup.FRAME.search(line) if 'File "' in line else None
        if found is not None:
            source = self._source_line()
            frame = StackLine(found[1].replace("\\", "/"), int(found[2]), found[3] or "", source)
            self.report.trace.extend([line.strip(), *([source] if source else [])])
        else:
            cell = markup.IPYTHON_FRAME.match(line)
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
        if not line.strip() or 'File "' in line or markup.EXCEPTION.match(line):
            return ""
        if markup.CLOSING_TAG in line or markup.FENCE.match(line):
            return ""
        self.at += 1
        return line.strip()

    def _exception(self, line: str) -> bool:
        if len(line) > 2000 or not markup.EXCEPTION.match(line):
            return False
        self.report.messages.append(line.strip())
        self.stack = 1
        return True

    def _permalink(self, line: str) -> bool:
        """Read GitHub's rendering of a permalink: a path, then ``Lines 117 to 122``."""
        path = markup.PATH_ALONE.match(line)
        if path is None:
            return False
        below = [n for n in self.lines[self.at : self.at + 2 * _PERMALINK] if n.strip()]
        for text in below[:_PERMALINK]:
            told = markup.LINES_OF_PATH.match(text)
            if told is not None:
                first = int(told[1])
                self.report.links.append(CodeLink(path[1], first, int(told[2] or first)))
                break
        self.report.prose.append(line.strip())
        return True

    def _text(self, line: str) -> None:
        report, stripped = self.report, line.strip()
        listing = self.environment and self.fenced
        if listing or markup.is_environment(line, self.environment):
            report.environment.append(stripped)
        elif markup.is_output(line):
            report.logs.append(stripped)
        elif self.fenced or markup.is_code(line):
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
    headings = [m for line in lines if len(line) < 300 for m in [markup.HEADING.match(line)] if m]
    asked = sum(_TEMPLATE.search(h["tagged"] or h["marked"] or "") is not None for h in headings)
    if asked >= 2:
        return True
    rest = lines[start + 1 :]
    if not rest or rest[0].strip() or not is_title(lines[start]):
        return False
    marked = bool(headings) or any(
        markup.OPENING_TAG in line or markup.FENCE.match(line) for line in rest
    )
    return marked or any(map(is_sentence, rest))


def is_title(line: str) -> bool:
    """Whether a line may be a report's title: a few words, not what programs print first."""
    words = [word for word in _WORD.findall(line[: 2 * _LONGEST_TITLE]) if len(word) > 1]
    if len(words) < 2 or len(line) > _LONGEST_TITLE or 'File "' in line:
        return False
    if markup.EXCEPTION.match(line):
        return True
    return _NO_TITLE.search(line) is None and not markup.is_output(line)


def is_sentence(line: str) -> bool:
    """Whether a line reads as written by a person."""
    if _NO_TITLE.search(line[:_LONGEST_TITLE]) or markup.is_output(line) or 'File "' in line:
        return False
    if markup.is_code(line):
        return False
    words = [word.lower() for word in _WORD.findall(line[:1000])]
    spoken = sum(word in _SPOKEN for word in words)
    return len(words) >= 5 and spoken >= 2 and spoken >= len(words) / 5
