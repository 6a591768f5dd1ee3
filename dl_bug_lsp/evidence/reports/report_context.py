"""One report and one state of the workspace: what the sources of evidence ask, made once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.reports.documents import SourceFile, Terms, joined, source_file
from dl_bug_lsp.evidence.reports.imports import FilesUnderTest
from dl_bug_lsp.evidence.reports.paths import PathIndex
from dl_bug_lsp.evidence.reports.shortlist import PARSED, files_to_rank, unparsed
from dl_bug_lsp.evidence.reports.similarity import Matches, Query
from dl_bug_lsp.evidence.reports.terms import numbers_of
from dl_bug_lsp.retrieval.corpus import Floats, Ints
from dl_bug_lsp.workspace import Workspace

_MOST_REPEATS = 3.0
_LONG_HEADING = 30
_LEAD = 4
"""Lines of prose in which an author says what is the matter."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]")
_OF_PARTS = ("passages", "passage_file", "passage_matches", "defined", "used")
PARTS = ("title", "prose", "code", "trace", "messages")


class ReportContext:
    """Signals are arrays with one number for each of ``files``, rows in their order."""

    def __init__(self, report: BugReport, workspace: Workspace) -> None:
        self.report = report
        self.workspace = workspace
        self.files = files_to_rank(workspace)
        self.are_many = len(self.files) > PARSED
        read = unparsed if self.are_many else source_file
        self.sources: list[SourceFile] = [read(workspace, file) for file in self.files]
        self.notes: dict[tuple[str, int], str] = {}
        self._parsed: set[int] = set() if self.are_many else set(range(len(self.files)))

    def parse(self, rows: Sequence[int]) -> None:
        """Parse those of these files that are not yet; what parts of files tell is made again."""
        new = [row for row in rows if row not in self._parsed]
        if not new:
            return
        self._parsed.update(new)
        for row in new:
            self.sources[row] = source_file(self.workspace, self.files[row])
        for name in _OF_PARTS:
            self.__dict__.pop(name, None)

    def zeros(self) -> Floats:
        """Return a signal that says nothing."""
        return np.zeros(len(self.files))

    def note(self, signal: str, row: int, why: str) -> None:
        """Keep half a sentence for people on a signal's strongest reason at a file."""
        self.notes.setdefault((signal, row), why)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each file."""
        return {file: row for row, file in enumerate(self.files)}

    @cached_property
    def paths(self) -> PathIndex:
        """The files by the ends of their paths."""
        return PathIndex(self.files)

    @cached_property
    def imports(self) -> FilesUnderTest:
        """Which files are tests, and of which files."""
        return FilesUnderTest(self.files)

    @cached_property
    def prose(self) -> list[str]:
        """What the author wrote, with headings that are no template's."""
        return self.report.prose + [h for h in self.report.headings if len(h) > _LONG_HEADING]

    def text(self, part: str) -> list[str]:
        """Return the lines of a part of the report (one of ``PARTS``)."""
        if part == "title":
            return [self.report.title]
        lines: list[str] = self.prose if part == "prose" else getattr(self.report, part)
        return lines

    @cached_property
    def everything(self) -> list[str]:
        """All lines of the report, in the order of their kinds."""
        report = self.report
        kinds = (report.prose, report.headings, report.code, report.trace, report.messages)
        lines = [report.title, *(line for kind in kinds for line in kind)]
        return [*lines, *report.logs, *report.environment]

    @cached_property
    def _numbers(self) -> dict[str, Ints]:
        found = {part: numbers_of(self.text(part)) for part in PARTS}
        found["lead"] = numbers_of(self.prose[:_LEAD])
        found["all"] = numbers_of(self.everything)
        return found

    @cached_property
    def query(self) -> Query:
        """The terms of the whole report."""
        return Query(self._numbers["all"])

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """The queries by name: each part of the report, ``main`` (title and prose), ``all``."""
        counts = {part: self.query.weights(numbers) for part, numbers in self._numbers.items()}
        found = {part: np.sqrt(count) for part, count in counts.items()}
        found["title"] = counts["title"]
        found["main"] = 2 * counts["title"] + found["prose"]
        found["lead"] = np.minimum(found["title"], 1.0) + np.sqrt(counts["lead"])
        found = {part: np.minimum(weights, _MOST_REPEATS) for part, weights in found.items()}
        found["all"] = np.log1p(counts["all"])
        found["counts"] = counts["all"]
        found["main_counts"] = np.minimum(2 * counts["title"] + np.sqrt(counts["prose"]), 6.0)
        return found

    @cached_property
    def files_matches(self) -> Matches:
        """Where the report's terms stand in whole files."""
        return Matches(joined([source.whole for source in self.sources]), self.query)

    @cached_property
    def passages(self) -> Terms:
        """All functions of all files as documents."""
        return joined([source.passages for source in self.sources])

    @cached_property
    def passage_file(self) -> Ints:
        """The row of each function's file."""
        sizes = [source.passages.rows for source in self.sources]
        return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)

    @cached_property
    def passage_matches(self) -> Matches:
        """Where the report's terms stand in functions."""
        return Matches(self.passages, self.query)

    @cached_property
    def identifiers(self) -> dict[str, dict[str, bool]]:
        """By part: the identifiers and words that it names, and whether they look like code."""
        loose = {"title", "prose"}
        return {part: named_in(self.text(part), part in loose) for part in PARTS}

    @cached_property
    def defined(self) -> dict[str, dict[int, str]]:
        """The identifiers of the report that files define: row to kinds of definition."""
        wanted = {name for names in self.identifiers.values() for name in names}
        found: dict[str, dict[int, str]] = {}
        for row, source in enumerate(self.sources):
            for name in wanted & source.names.keys():
                found.setdefault(name, {})[row] = source.names[name]
        return found

    @cached_property
    def used(self) -> dict[str, dict[int, int]]:
        """The identifiers of the report that look like code: row to how often they stand there."""
        wanted = {n for names in self.identifiers.values() for n, strong in names.items() if strong}
        found: dict[str, dict[int, int]] = {}
        for row, source in enumerate(self.sources):
            for name in wanted & source.uses.keys():
                found.setdefault(name, {})[row] = source.uses[name]
        return found


def named_in(lines: Iterable[str], loose: bool) -> dict[str, bool]:
    """Return the names in lines, each with whether it looks like code there; ``loose`` adds words.

    Code shows in an underscore, an inner capital, a call, an attribute, or backticks.
    """
    found: Counter[str] = Counter()
    for line in lines:
        for match in _IDENTIFIER.finditer(line):
            word = match[0]
            strong = looks_like_code(word, line, match.start(), match.end(), loose)
            if strong or loose:
                found[word] += strong
    return {word: times > 0 for word, times in found.items()}


def looks_like_code(word: str, line: str, start: int, end: int, loose: bool) -> bool:
    """Whether a word of a line is an identifier and no plain word."""
    if "_" in word or _INNER_CAPITAL.search(word) or (loose and word[0].isupper()):
        return True
    before, after = line[max(0, start - 1) : start], line[end : end + 1]
    if before in {".", "`", "@"} or after in {"(", "`"}:
        return True
    return after == "." and line[end + 1 : end + 2].isalpha()
