"""The documents of a workspace's files, made once for each content of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dl_bug_lsp.retrieval.corpus import Corpus, Document, document, document_of_words
from dl_bug_lsp.retrieval.fields import FIELDS, fields_of
from dl_bug_lsp.retrieval.terms import count_terms, terms_of, words_of
from dl_bug_lsp.workspace import Workspace

SEGMENT_TERMS = 800
"""Wong et al., ICSME 2014."""


def file_document(workspace: Workspace, file: str) -> Document:
    """Return the document of a file's whole text; empty where it cannot be read."""

    def make() -> Document:
        return document(count_terms(words_of(_text(workspace, file))))

    return workspace.derived("retrieval.document", file, make)


def field_documents(workspace: Workspace, file: str) -> tuple[Document, ...]:
    """Return the documents of a file's fields, in the order of `fields.FIELDS`."""

    def make() -> tuple[Document, ...]:
        found = fields_of(_text(workspace, file), workspace.tree(file))
        return tuple(document_of_words(getattr(found, name)) for name in FIELDS)

    return workspace.derived("retrieval.fields", file, make)


def files_corpus(workspace: Workspace, files: Sequence[str]) -> Corpus:
    """Return the corpus of some files, a row each in their order."""
    return Corpus([file_document(workspace, file) for file in files])


def fields_corpora(workspace: Workspace, files: Sequence[str]) -> tuple[Corpus, ...]:
    """Return one corpus a field, in the order of `fields.FIELDS`, a row a file in each."""
    rows = [field_documents(workspace, file) for file in files]
    return tuple(Corpus([row[index] for row in rows]) for index in range(len(FIELDS)))


def _text(workspace: Workspace, file: str) -> str:
    cells = workspace.cells(file)
    if cells:
        return "\n".join(line for cell in cells for line in cell.lines)
    return workspace.text(file) or ""


def segment_documents(workspace: Workspace, file: str) -> tuple[Document, ...]:
    """Return the documents of a file's segments of `SEGMENT_TERMS` terms (the last may be less)."""

    def make() -> tuple[Document, ...]:
        terms = terms_of(_text(workspace, file))
        starts = range(0, len(terms), SEGMENT_TERMS)
        parts = (Counter(terms[start : start + SEGMENT_TERMS]) for start in starts)
        return tuple(document(dict(sorted(part.items()))) for part in parts)

    return workspace.derived("retrieval.segments", file, make)
