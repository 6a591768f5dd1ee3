"""Reading a bug report: one pass over its lines, each put with its kind; never raises."""

from __future__ import annotations

from dl_bug_lsp.bug_reports import line_kinds, markup
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
        self.environment = line_kinds.is_environment_heading(heading)
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
        arrow = line_kinds.ARROW.match(line)
        if self.stack >= 2 and (arrow or line_kinds.is_trace(line, self.fenced)):
            if arrow and self.report.frames:
                last = self.report.frames[-1]
                source = arrow[2].strip()
                self.report.frames[-1] = StackLine(last.file, int(arrow[1]), last.function, source)
            self.report.trace.append(line.strip())
            return True
        return False

    def _frame(self, line: str) -> bool:
        frames = self.report.frames
        found = line_kinds.FRAME.search(line) if 'File "' in line else None
        if found is not None:
            source = self._source_line()
            frame = StackLine(found[1].replace("\\", "/"), int(found[2]), found[3] or "", source)
            self.report.trace.extend([line.strip(), *([source] if source else [])])
        else:
            cell = line_kinds.IPYTHON_FRAME.match(line)
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
        if not line.strip() or 'File "' in line or line_kinds.EXCEPTION.match(line):
            return ""
        if markup.CLOSING_TAG in line or markup.FENCE.match(line):
            return ""
        self.at += 1
        return line.strip()

    def _exception(self, line: str) -> bool:
        if len(line) > 2000 or not line_kinds.EXCEPTION.match(line):
            return False
        self.report.messages.append(line.strip())
        self.stack = 1
        return True

    def _permalink(self, line: str) -> bool:
        """Read GitHub's rendering of a permalink: a path, then ``Lines 117 to 122``."""
        path = line_kinds.PATH_ALONE.match(line)
        if path is None:
            return False
        below = [n for n in self.lines[self.at : self.at + 2 * _PERMALINK] if n.strip()]
        for text in below[:_PERMALINK]:
            told = line_kinds.LINES_OF_PATH.match(text)
            if told is not None:
                first = int(told[1])
                self.report.links.append(CodeLink(path[1], first, int(told[2] or first)))
                break
        self.report.prose.append(line.strip())
        return True

    def _text(self, line: str) -> None:
        report, stripped = self.report, line.strip()
        listing = self.environment and self.fenced
        if listing or line_kinds.is_environment(line, self.environment):
            report.environment.append(stripped)
        elif line_kinds.is_output(line):
            report.logs.append(stripped)
        elif self.fenced or line_kinds.is_code(line):
            report.code.append(stripped)
        else:
            report.prose.append(stripped)
