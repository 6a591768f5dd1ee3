"""Of a very large workspace, the files that a report may mean: found unparsed, by its words."""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from collections.abc import Sequence

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.retrieval.stop_words import STOP_WORDS
from dl_bug_lsp.retrieval.terms import words_of
from dl_bug_lsp.workspace import Workspace

MOST_FILES = 1_000
"""Up to so many files are all looked at."""
SHORTLISTED = 200
"""Of more, so many."""
_MOST_WORDS = 30
_SHORTEST = 4


def files_to_rank(report: BugReport, workspace: Workspace) -> tuple[str, ...]:
    """Return the Python files to look at: all, or those that share most rare words."""
    files = workspace.python_files()
    if len(files) <= MOST_FILES:
        return files
    # Reading one notebook costs what reading fifty modules does.
    files = tuple(file for file in files if not file.endswith(".ipynb"))
    words = _words(report)
    held = {file: _held(workspace.text(file) or "", words) for file in files}
    frequency = Counter(word for found in held.values() for word in found)
    named = _named(report)

    def strength(file: str) -> float:
        rare = sum(math.log(len(files) / frequency[word]) for word in held[file])
        return rare + 20.0 * (posixpath.basename(file) in named)

    best = sorted(files, key=lambda file: (-strength(file), file))[:SHORTLISTED]
    return tuple(sorted(best))


def _held(text: str, words: list[str]) -> list[str]:
    # A search for a text is what Python does fastest; word limits do not matter here.
    return [word for word in words if word in text]


def _words(report: BugReport) -> list[str]:
    """Return the report's words, those of the title first, identifiers before plain words."""
    parts: Sequence[list[str]] = (
        [report.title],
        report.messages,
        report.trace,
        report.prose,
        report.code,
    )
    found: dict[str, int] = {}
    for order, lines in enumerate(parts):
        for word in (word for line in lines for word in words_of(line)):
            if len(word) >= _SHORTEST and word.lower() not in STOP_WORDS:
                plain = word.islower() and word.isalpha()
                found.setdefault(word, order + (4 if plain and order else 0))
    return sorted(found, key=lambda word: (found[word], word))[:_MOST_WORDS]


def _named(report: BugReport) -> set[str]:
    """Return the names of the files that frames, links and paths in the report name."""
    paths = [frame.file for frame in report.frames] + [link.path for link in report.links]
    for line in (report.title, *report.prose, *report.messages):
        paths.extend(word for word in line.split() if ".py" in word)
    return {posixpath.basename(path.strip("`'\",.:;()")) for path in paths}
