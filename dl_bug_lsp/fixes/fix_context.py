"""The values of fixes, and the context that each kind of fix reads.

A fix is a set of edits of whole or partial lines with the reason for users. The context holds the
failure's facts, the raise site and the words of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import FactKind, MessageFacts, extract_facts
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation
from dl_bug_lsp.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: the 1-based ``line`` of ``file``, which reads ``before``, becomes ``after``.

    An ``after`` with line breaks adds lines; line ends themselves are not part of either text.
    """

    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that is certain: what to do in words (an imperative), why it is right, the edits."""

    title: str
    reason: str
    edits: tuple[Edit, ...]


MOST_FILES = 1_500
MOST_CHARACTERS = 8_000_000
TEXTS = (
    *(".py", ".pyw", ".yaml", ".yml", ".toml", ".json", ".jsonl", ".cfg", ".ini", ".sh", ".txt"),
    *(".csv", ".tsv", ".md", ".rst", ".sbatch", ".env", ".conf", ".ipynb"),
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_HYPHENED = re.compile(r"[A-Za-z_]\w*(?:-\w+)+")

At = tuple[str, int]


class FixContext:
    """One failure in its workspace; everything is read when it is first asked for."""

    def __init__(self, failure: FailureReport, workspace: Workspace) -> None:
        self.failure = failure
        self.workspace = workspace

    @cached_property
    def facts(self) -> MessageFacts:
        """The typed facts of the message."""
        exception = self.failure.exception
        if exception is None:
            return MessageFacts(None, ())
        frames = tuple(Frame(f.file, f.line, f.function) for f in self.failure.frames)
        message = exception.message
        return extract_facts(Cause(exception.type, message, frames, Relation.ROOT, Span(1, 1)))

    def named(self, kind: FactKind, role: Role | None = None) -> list[str]:
        """Return the names of a kind in the message, each once."""
        names = (str(fact.value) for fact in self.facts.of(kind, role))
        return list(dict.fromkeys(names))

    @cached_property
    def site(self) -> At | None:
        """The innermost frame of the workspace, a plain Python file's; None without any."""
        for frame in reversed(self.failure.frames):
            if frame.workspace_file is not None and frame.workspace_line:
                is_python = frame.workspace_file.endswith(".py")
                return (frame.workspace_file, frame.workspace_line) if is_python else None
        return None

    def line(self, at: At) -> str:
        """Return a 1-based line of a file, empty outside of it."""
        lines = self.workspace.lines(at[0])
        return lines[at[1] - 1] if 1 <= at[1] <= len(lines) else ""

    @cached_property
    def texts(self) -> tuple[str, ...] | None:
        """The files that may write a word, None where there are too many to be sure of."""
        files = tuple(f for f in self.workspace.files() if f.lower().endswith(TEXTS))
        return files if len(files) <= MOST_FILES else None

    @cached_property
    def words(self) -> dict[str, list[At]] | None:
        """Every word of the workspace's texts with its places, None where they are too many."""
        if self.texts is None:
            return None
        places_by_word: dict[str, list[At]] = {}
        size = 0
        for file in self.texts:
            text = self.workspace.text(file) or ""
            size += len(text)
            if size > MOST_CHARACTERS:
                return None
            for number, line in enumerate(text.split("\n"), 1):
                for word in _words_of(line):
                    places_by_word.setdefault(word, []).append((file, number))
        return places_by_word

    def replaced(
        self, at: At, old: str, new: str, before: str = "", after: str = ""
    ) -> Edit | None:
        """Return the edit that writes a word anew where its line holds it once, else None.

        ``before`` and ``after`` are expressions that must stand around it.
        """
        line = self.line(at)
        pattern = rf"{before}(?<![\w]){re.escape(old)}(?![\w]){after}"
        matches = list(re.finditer(pattern, line)) if len(line) < 5_000 else []
        everywhere = re.findall(rf"(?<!\w){re.escape(old)}(?!\w)", line)
        if len(matches) != 1 or len(everywhere) != 1:
            return None
        start = matches[0].start() + matches[0][0].index(old)
        return Edit(*at, line, line[:start] + new + line[start + len(old) :])


def _words_of(line: str) -> Iterator[str]:
    if len(line) > 20_000:
        return
    for match in _WORD.finditer(line):
        yield match[0]
    if "-" in line:
        for match in _HYPHENED.finditer(line):
            yield match[0]


def is_slip(word: str, other: str) -> bool:
    """Whether one word is likely the other mistyped.

    One letter off (two in a long word), or other case or separators; never where digits differ.
    """
    if word == other or min(len(word), len(other)) < 4:
        return False
    if re.sub(r"\D", "", word) != re.sub(r"\D", "", other):
        return False
    if re.sub(r"[_.\s-]", "", word).lower() == re.sub(r"[_.\s-]", "", other).lower():
        return True
    limit = 2 if min(len(word), len(other)) >= 9 else 1
    return distance(word, other, limit) <= limit


def distance(word: str, other: str, limit: int) -> int:
    """Return the optimal string alignment distance (Damerau 1964, restricted), or limit + 1."""
    if abs(len(word) - len(other)) > limit or max(len(word), len(other)) > 100:
        return limit + 1
    older: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(word, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and word[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        older, last = last, row
    return last[-1]


def only_slip(word: str, others: set[str]) -> str | None:
    """Return the one word of which another is a slip, None where there is none or several."""
    near = sorted(other for other in others if is_slip(word, other))
    return near[0] if len(near) == 1 else None
