"""The functions of the best files, and lines in them: what file rankings lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.retrieval.corpus import Corpus, Ints, document_of
from dl_bug_lsp.retrieval.scoring import bm25_scores, inverse_frequencies
from dl_bug_lsp.techniques.scores import Files, RankedFunction, RankedLines, Subject, normal
from dl_bug_lsp.workspace.contents import Place

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
