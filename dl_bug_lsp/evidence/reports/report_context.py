"""One report and one state of the workspace: what the sources of evidence ask, made once.

Every file is first compared by its words and the names that it defines; only the best of many
files are parsed. Files are also found by the ends of their paths, so that a path from another
machine finds its file.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.reports.documents import (
    Matches,
    Outline,
    Query,
    SourceFile,
    Terms,
    joined,
    numbers_of,
    source_file,
    source_of,
)
from dl_bug_lsp.retrieval import Floats, Ints, code_of, words_of
from dl_bug_lsp.spectrum.failing_runs import is_test_file
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
    """Features are arrays with one number for each of ``files``, rows in their order."""

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
        """Return a feature that says nothing."""
        return np.zeros(len(self.files))

    def note(self, feature: str, row: int, why: str) -> None:
        """Keep half a sentence for people on a feature's strongest reason at a file."""
        self.notes.setdefault((feature, row), why)

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
        numbers = {part: numbers_of(self.text(part)) for part in PARTS}
        numbers["lead"] = numbers_of(self.prose[:_LEAD])
        numbers["all"] = numbers_of(self.everything)
        return numbers

    @cached_property
    def query(self) -> Query:
        """The terms of the whole report."""
        return Query(self._numbers["all"])

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """The queries by name: each part of the report, ``main`` (title and prose), ``all``."""
        counts = {part: self.query.weights(numbers) for part, numbers in self._numbers.items()}
        weights_by_part = {part: np.sqrt(count) for part, count in counts.items()}
        weights_by_part["title"] = counts["title"]
        weights_by_part["main"] = 2 * counts["title"] + weights_by_part["prose"]
        weights_by_part["lead"] = np.minimum(weights_by_part["title"], 1.0) + np.sqrt(
            counts["lead"]
        )
        weights_by_part = {
            part: np.minimum(weights, _MOST_REPEATS) for part, weights in weights_by_part.items()
        }
        weights_by_part["all"] = np.log1p(counts["all"])
        weights_by_part["counts"] = counts["all"]
        weights_by_part["main_counts"] = np.minimum(
            2 * counts["title"] + np.sqrt(counts["prose"]), 6.0
        )
        return weights_by_part

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
        definitions: dict[str, dict[int, str]] = {}
        for row, source in enumerate(self.sources):
            for name in wanted & source.names.keys():
                definitions.setdefault(name, {})[row] = source.names[name]
        return definitions

    @cached_property
    def used(self) -> dict[str, dict[int, int]]:
        """The identifiers of the report that look like code: row to how often they stand there."""
        wanted = {n for names in self.identifiers.values() for n, strong in names.items() if strong}
        uses: dict[str, dict[int, int]] = {}
        for row, source in enumerate(self.sources):
            for name in wanted & source.uses.keys():
                uses.setdefault(name, {})[row] = source.uses[name]
        return uses


def named_in(lines: Iterable[str], loose: bool) -> dict[str, bool]:
    """Return the names in lines, each with whether it looks like code there; ``loose`` adds words.

    Code shows in an underscore, an inner capital, a call, an attribute, or backticks.
    """
    counts: Counter[str] = Counter()
    for line in lines:
        for match in _IDENTIFIER.finditer(line):
            word = match[0]
            strong = looks_like_code(word, line, match.start(), match.end(), loose)
            if strong or loose:
                counts[word] += strong
    return {word: times > 0 for word, times in counts.items()}


def looks_like_code(word: str, line: str, start: int, end: int, loose: bool) -> bool:
    """Whether a word of a line is an identifier and no plain word."""
    if "_" in word or _INNER_CAPITAL.search(word) or (loose and word[0].isupper()):
        return True
    before, after = line[max(0, start - 1) : start], line[end : end + 1]
    if before in {".", "`", "@"} or after in {"(", "`"}:
        return True
    return after == "." and line[end + 1 : end + 2].isalpha()


PARSED = 60
"""So many files are parsed at most; of projects left out, the ranking is as good as with all."""
WITH_NOTEBOOKS = 1_000
"""Up to so many files notebooks are ranked, too: reading one costs what reading fifty modules does.
"""
_DEFINED = re.compile(r"^[ \t]*(class|(?:async[ \t]+)?def)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_PRIORS = ("kind.",)


def files_to_rank(workspace: Workspace) -> tuple[str, ...]:
    """Return the Python files to rank, whatever their number."""
    files = workspace.python_files()
    if len(files) <= WITH_NOTEBOOKS:
        return files
    return tuple(file for file in files if not file.endswith(".ipynb"))


def unparsed(workspace: Workspace, file: str) -> SourceFile:
    """Return what a file's bare text tells: its words, and the names after ``class`` and ``def``.

    Costs an eighth of parsing. Has no functions, no fields and no imports.
    """
    return workspace.derived_unindexed(
        "reports.unparsed", file, lambda: unparsed_source(code_of(workspace, file))
    )


def unparsed_source(text: str) -> SourceFile:
    """Make what is kept of a text that is not parsed; small, as there are thousands."""
    words = words_of(text)
    source = source_of(Outline(words, [0, len(words)]))
    names: dict[str, str] = {}
    for match in _DEFINED.finditer(text):
        kind = "c" if match[1] == "class" else "f"
        kinds = names.get(match[2], "")
        names[match[2]] = kinds if kind in kinds else kinds + kind
    whole = source.whole
    small = Terms(
        whole.row.astype(np.int32),
        whole.number.astype(np.int32),
        whole.count.astype(np.int32),
        whole.rows,
    )
    return replace(source, whole=small, names=names, uses={}, lines=text.count("\n") + 1)


def rows_to_parse(features: Mapping[str, Floats]) -> Sequence[int]:
    """Return the rows of the files for which the most evidence speaks, each feature alike."""
    total: Floats = sum(
        (
            values / top
            for name, values in features.items()
            if not name.startswith(_PRIORS) and (top := float(values.max(initial=0.0))) > 0
        ),
        np.zeros(len(next(iter(features.values())))),
    )
    rows: list[int] = np.argsort(-np.round(total, 9), kind="stable")[:PARSED].tolist()
    return rows


_TEST_AFFIX = re.compile(r"^tests?_|_tests?$")


class FilesUnderTest:
    """Rows of files, and of test files the rows that they test."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = files

    @cached_property
    def tests(self) -> list[bool]:
        """By row: whether the file holds tests."""
        return [is_test_file(file) for file in self.files]

    @cached_property
    def tested(self) -> list[dict[int, float]]:
        """By row of a test file: the rows of the files whose name it bears, shares adding to 1."""
        stems: dict[str, list[int]] = {}
        for row, file in enumerate(self.files):
            if not self.tests[row]:
                stems.setdefault(stem_of(file), []).append(row)
        return [
            self._named_after(file, stems) if self.tests[row] else {}
            for row, file in enumerate(self.files)
        ]

    def _named_after(self, file: str, stems: dict[str, list[int]]) -> dict[int, float]:
        stem = _TEST_AFFIX.sub("", stem_of(file)).strip("_")
        singular = stem[:-1] if stem.endswith("s") else stem
        rows = stems.get(stem) or stems.get(singular) or stems.get(stem + "s") or []
        folders = set(file.split("/")[:-1])
        near = {row: len(folders & set(self.files[row].split("/")[:-1])) for row in rows}
        nearest = [row for row in rows if near[row] == max(near.values())]
        return {row: 1 / len(nearest) for row in nearest}


def stem_of(file: str) -> str:
    """Return a file's name without its ending, a package's for its ``__init__.py``."""
    folder, name = posixpath.split(file)
    stem = name.rpartition(".")[0]
    return (posixpath.basename(folder) if stem == "__init__" else stem).strip("_")


class PathIndex:
    """Looks up printed paths by their longest common end with the workspace's."""

    def __init__(self, files: Sequence[str]) -> None:
        self._parts = [file.split("/") for file in files]
        self._by_name: dict[str, list[int]] = {}
        for row, parts in enumerate(self._parts):
            self._by_name.setdefault(parts[-1], []).append(row)

    def find(self, path: str) -> tuple[list[int], int]:
        """Return the rows that share most with the path's end, and how many components they share.

        A path of one component finds every file of that name.
        """
        wanted = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
        if not wanted:
            return [], 0
        best: list[int] = []
        most = 0
        for row in self._by_name.get(wanted[-1], ()):
            shared = _shared(wanted, self._parts[row])
            if shared > most:
                best, most = [], shared
            if shared == most:
                best.append(row)
        return best, most


def _shared(parts: list[str], other_parts: list[str]) -> int:
    count = 0
    for left, right in zip(reversed(parts), reversed(other_parts), strict=False):
        if left != right:
            break
        count += 1
    return count
