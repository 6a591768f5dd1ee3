"""What a technique is given and answers, and the scores, one number a file, that it is made of.

What the formulas share, such as corpora and cosines, is computed once for each `Subject`.

The functions of the best files, and lines in them, are what rankings of files lead to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

import numpy as np

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.retrieval import (
    Corpus,
    Document,
    Floats,
    Ints,
    bm25_scores,
    cosines,
    document_of,
    fields_corpora,
    files_corpus,
    inverse_frequencies,
    rvsm,
)
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import Place
from dl_bug_lsp.workspace.stores import Commit

MAX_TEXT = 100_000
"""Characters of a report that are read."""


@dataclass(frozen=True, slots=True)
class Query:
    """A bug report; ``opened`` is aware, None where it is not known."""

    summary: str
    description: str
    opened: datetime | None = None

    @property
    def text(self) -> str:
        """The report as a user would hand it over: title, blank line, description."""
        return f"{self.summary}\n\n{self.description}"


@dataclass(frozen=True, slots=True)
class FixedReport:
    """A report of the same project whose fix was committed before the query was opened.

    ``files`` are the Python files that the fix changed, by their names at that time; both times are
    aware.
    """

    id: str
    opened: datetime | None
    fixed: datetime
    summary: str
    description: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedFunction:
    """A function, method or class by its dotted name, with its 1-based inclusive lines."""

    file: str
    name: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedLines:
    """A range of lines of a file, 1-based and inclusive."""

    file: str
    line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A technique's answer, best first at each level; ties are broken by the technique, by name.

    ``functions`` and ``lines`` are None for a technique that does not speak of them, which is not
    the same as finding none.
    """

    files: tuple[tuple[str, float], ...]
    functions: tuple[RankedFunction, ...] | None = None
    lines: tuple[RankedLines, ...] | None = None


@lru_cache(maxsize=4096)
def text_document(text: str) -> Document:
    """Return the document of a report's or a commit's text; both are asked for many times."""
    return document_of(text[:MAX_TEXT])


class Subject:
    """What is ranked: scores are arrays with one number for each of ``files``."""

    def __init__(
        self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport] = ()
    ) -> None:
        self.query = query
        self.workspace = workspace
        self.earlier = tuple(earlier)
        self.files = workspace.python_files()

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each file."""
        return {file: row for row, file in enumerate(self.files)}

    @cached_property
    def summary(self) -> Document:
        """The report's title."""
        return text_document(self.query.summary)

    @cached_property
    def description(self) -> Document:
        """The report's body."""
        return text_document(self.query.description)

    @cached_property
    def text(self) -> Document:
        """The whole report."""
        return text_document(self.query.text)

    @cached_property
    def corpus(self) -> Corpus:
        """The files' whole texts."""
        return files_corpus(self.workspace, self.files)

    @cached_property
    def fields(self) -> tuple[Corpus, ...]:
        """The files' class, method, variable names and comments."""
        return fields_corpora(self.workspace, self.files)

    @cached_property
    def reports(self) -> Corpus:
        """The earlier reports' texts."""
        return Corpus([text_document(f"{r.summary}\n\n{r.description}") for r in self.earlier])

    @cached_property
    def now(self) -> float:
        """When the report was opened, else when the newest commit was made (epoch seconds)."""
        if self.query.opened is not None:
            return self.query.opened.timestamp()
        return float(self.workspace.history().time or 0)

    @cached_property
    def frames(self) -> tuple[Place, ...]:
        """The workspace's places of every stack in the report, innermost first."""
        places: list[Place] = []
        for failure in read_failures(read_log(self.query.text[:MAX_TEXT])).failures:
            for frame in reversed(failure.frames):
                place = self.workspace.locate(frame.file, frame.line, frame.function, frame.source)
                if place is not None:
                    places.append(place)
        return tuple(places)

    def zeros(self) -> Floats:
        """Return a score of 0 for each file."""
        return np.zeros(len(self.files))


def normal(scores: Floats) -> Floats:
    """Return scores from 0 (least) to 1 (most); all 0 where they are all the same."""
    if not len(scores):
        return scores
    least, most = float(scores.min()), float(scores.max())
    return (scores - least) / (most - least) if most > least else np.zeros(len(scores))


DAY = 86_400.0
NEAR_FRAMES = 10
FAR_FRAME = 0.1
IMPORTED = 0.1


def text_score(subject: Subject) -> Floats:
    """Return rVSMScore of the whole report (Zhou et al., ICSE 2012)."""
    return rvsm(subject.corpus, subject.text)


def structure_score(subject: Subject) -> Floats:
    """Return the sum of the eight BM25 scores of two report fields and four file fields.

    Saha et al., ASE 2013: sum over fields q of the report and d of the file of s(q, d).
    """
    total = subject.zeros()
    for asked in (subject.summary, subject.description):
        for field in subject.fields:
            total = total + bm25_scores(field, asked)
    return total


def structured_vsm_score(subject: Subject) -> Floats:
    """Return the sum of the eight TF-IDF cosines of the same fields (Youm et al., 2017)."""
    total = subject.zeros()
    for asked in (subject.summary, subject.description):
        for field in subject.fields:
            total = total + cosines(field, asked)
    return total


def similar_score(subject: Subject) -> Floats:
    """Return SimiScore: sum over earlier reports S that changed f of cos(q, S) / |files of S|.

    Zhou et al., ICSE 2012.
    """
    total = subject.zeros()
    nearness = cosines(subject.reports, subject.text)
    for report, near in zip(subject.earlier, nearness, strict=True):
        for file in report.files:
            row = subject.rows.get(file)
            if row is not None:
                total[row] += near / len(report.files)
    return total


def stack_score(subject: Subject) -> Floats:
    """Return BoostScore of the stack traces in the report (Wong et al., ICSME 2014).

    A file on a stack gets 1 / rank, its rank counted from the raise site among the distinct files
    of the stack; 0.1 beyond rank 10. Files that those import get 0.1.
    """
    total = subject.zeros()
    ranks: dict[str, int] = {}
    for place in subject.frames:
        ranks.setdefault(place.file, len(ranks) + 1)
    for file in ranks:
        for module in subject.workspace.elements(file).imports:
            row = subject.rows.get(subject.workspace.module_file(module, file) or "")
            if row is not None:
                total[row] = max(float(total[row]), IMPORTED)
    for file, rank in ranks.items():
        row = subject.rows.get(file)
        if row is not None:
            total[row] = 1.0 / rank if rank <= NEAR_FRAMES else FAR_FRAME
    return total


def recency(age: float, window: float) -> float:
    """Return 1 / (1 + e^(12 (1 - (k - t) / k))) for a commit of ``age`` t days, ``window`` k.

    Wang and Lo, ICPC 2014, after Google's bug prediction: 0.5 for one of just now, near 0 at the
    window's far end.
    """
    return 1.0 / (1.0 + math.exp(12.0 * min(1.0, max(0.0, age / window))))


def recent_fixes(subject: Subject, window: float) -> list[tuple[Commit, float]]:
    """Return the bug-fixing commits of the last ``window`` days, each with its recency."""
    recent: list[tuple[Commit, float]] = []
    for commit in subject.workspace.history().fixes:
        age = (subject.now - commit.time) / DAY
        if 0 <= age <= window:
            recent.append((commit, recency(age, window)))
    return recent


def history_score(subject: Subject, window: float = 15.0) -> Floats:
    """Return the sum of the recencies of the bug fixes that touched a file (AmaLgam, k = 15)."""
    total = subject.zeros()
    for commit, recent in recent_fixes(subject, window):
        for change in commit.changes:
            row = subject.rows.get(change.file)
            if row is not None:
                total[row] += recent
    return total


def commit_score(subject: Subject, window: float = 120.0) -> Floats:
    """Return the same over 120 days, each fix by the cosine of its message and the report (BLIA).

    Youm et al., Information and Software Technology 82, 2017: commits that speak of other things
    than the report count less.
    """
    total = subject.zeros()
    fixes = recent_fixes(subject, window)
    messages = Corpus([text_document(commit.message) for commit, _ in fixes])
    nearness = cosines(messages, subject.text)
    for (commit, recent), near in zip(fixes, nearness, strict=True):
        for change in commit.changes:
            row = subject.rows.get(change.file)
            if row is not None:
                total[row] += recent * near
    return total


# ---------------------------------------------------------------------- techniques
FileScores = Callable[[Subject], Floats]
Files = tuple[tuple[str, float], ...]
FunctionScores = Callable[[Subject, Files], tuple[RankedFunction, ...]]


@dataclass(frozen=True, slots=True)
class Composition:
    """A technique; ``functions`` is None where its paper ranks files only."""

    name: str
    paper: str
    files: FileScores
    functions: FunctionScores | None = None

    def rank(
        self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport] = ()
    ) -> Ranked:
        """Rank the workspace's Python files, best first, ties by name; functions where it does."""
        return self.rank_subject(Subject(query, workspace, earlier))

    def rank_subject(self, subject: Subject) -> Ranked:
        """Do the same for a subject that is made already."""
        files = in_order(subject.files, self.files(subject))
        if self.functions is None:
            return Ranked(files)
        return Ranked(files, self.functions(subject, files))


def in_order(files: Sequence[str], scores: Floats) -> Files:
    """Return files with their scores by falling score, then by name."""
    pairs = zip(files, (float(score) for score in scores), strict=True)
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


# ---------------------------------------------------------------------- functions and lines
BEST_FILES = 10
"""Files whose functions are looked at, as in BLIA."""
MOST_FUNCTIONS = 2_000
BEST_LINES = 50


@dataclass(frozen=True)
class Functions:
    """Functions and methods with their documents, a row each."""

    subject: Subject
    places: tuple[Place, ...]

    @cached_property
    def corpus(self) -> Corpus:
        """The functions' texts."""
        return Corpus([document_of("\n".join(self.lines(place))) for place in self.places])

    def lines(self, place: Place) -> list[str]:
        """Return the source lines of a place."""
        line_of = self.subject.workspace.source_line
        return [line_of(place.file, at) for at in range(place.line, place.end_line + 1)]


def functions_of_best(subject: Subject, files: Files) -> Functions:
    """Return the functions and methods of the first files, in the files' order."""
    places = [
        Place(file, element.line, element.end_line, element.name)
        for file, _ in files[:BEST_FILES]
        for element in subject.workspace.elements(file).functions
        if not element.is_class
    ]
    return Functions(subject, tuple(places[:MOST_FUNCTIONS]))


def ranked(functions: Functions, scores: Iterable[float]) -> tuple[RankedFunction, ...]:
    """Return functions by falling score, then by file and line."""
    ranking = [
        RankedFunction(p.file, p.function or "", p.line, p.end_line, score)
        for p, score in zip(functions.places, scores, strict=True)
    ]
    return tuple(sorted(ranking, key=lambda f: (-f.score, f.file, f.line)))


def by_file_and_text(subject: Subject, files: Files) -> tuple[RankedFunction, ...]:
    """Rank the functions of the best files by N(score of the file) + N(BM25 of the function).

    For techniques whose papers rank files only.
    """
    functions = functions_of_best(subject, files)
    most = max((score for _, score in files), default=0.0)
    shares = {file: score / most if most > 0 else 0.0 for file, score in files}
    near = normal(bm25_scores(functions.corpus, subject.text))
    scores = [shares[p.file] + float(n) for p, n in zip(functions.places, near, strict=True)]
    return ranked(functions, scores)


def lines_of(subject: Subject, functions: Iterable[RankedFunction]) -> tuple[RankedLines, ...]:
    """Return one line of each function, in their order: the one with the report's rarest words.

    A line's weight is the sum of ln(files / df) over the report's distinct terms on it, comments
    apart; where no line has one, the definition is taken.
    """
    idf = _weights(subject)
    lines: list[RankedLines] = []
    for function in list(functions)[:BEST_LINES]:
        best, weight = function.line, 0.0
        for line in range(function.line, function.end_line + 1):
            text = subject.workspace.source_line(function.file, line)
            if text.lstrip().startswith("#"):
                continue
            here = sum(idf.get(int(term), 0.0) for term in document_of(text).numbers)
            if here > weight:
                best, weight = line, here
        lines.append(RankedLines(function.file, best, best, function.score))
    return tuple(lines)


def _weights(subject: Subject) -> dict[int, float]:
    terms: Ints = subject.text.numbers
    idf = inverse_frequencies(subject.corpus.frequencies_of(terms), len(subject.corpus))
    return dict(zip(terms.tolist(), idf.tolist(), strict=True))
