"""One report and one version of the code: what the techniques' formulas are made of, made once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.retrieval.corpus import Corpus, Document, Floats, document_of
from dl_bug_lsp.retrieval.files import fields_corpora, files_corpus
from dl_bug_lsp.techniques.values import FixedReport, Query
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import Place

MAX_TEXT = 100_000
"""Characters of a report that are read."""


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
        found: list[Place] = []
        for failure in read_failures(read_log(self.query.text[:MAX_TEXT])).failures:
            for frame in reversed(failure.frames):
                place = self.workspace.locate(frame.file, frame.line, frame.function, frame.source)
                if place is not None:
                    found.append(place)
        return tuple(found)

    def zeros(self) -> Floats:
        """Return a score of 0 for each file."""
        return np.zeros(len(self.files))


def normal(scores: Floats) -> Floats:
    """Return scores from 0 (least) to 1 (most); all 0 where they are all the same."""
    if not len(scores):
        return scores
    least, most = float(scores.min()), float(scores.max())
    return (scores - least) / (most - least) if most > least else np.zeros(len(scores))
