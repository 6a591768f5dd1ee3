"""The documents of a workspace's files, and of the fields of each.

BLUiR searches four fields of a source file: class, method and variable names, and comments (Saha,
Lease, Khurshid, Perry: "Improving bug localization using structured information retrieval", ASE
2013). Python's docstrings count as comments, parameters and attributes as variables. Documents
are made once for each content of a file.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.retrieval.corpus import Corpus, Document, document, document_of_words
from dl_bug_lsp.retrieval.terms import count_terms, terms_of, words_of
from dl_bug_lsp.workspace import Workspace

SEGMENT_TERMS = 800
"""Wong et al., ICSME 2014."""


def file_document(workspace: Workspace, file: str) -> Document:
    """Return the document of a file's whole text; empty where it cannot be read."""

    def make() -> Document:
        return document(count_terms(words_of(code_of(workspace, file))))

    return workspace.derived("retrieval.document", file, make)


def field_documents(workspace: Workspace, file: str) -> tuple[Document, ...]:
    """Return the documents of a file's fields, in the order of `fields.FIELDS`."""

    def make() -> tuple[Document, ...]:
        fields = fields_of(code_of(workspace, file), workspace.tree(file))
        return tuple(document_of_words(getattr(fields, name)) for name in FIELDS)

    return workspace.derived("retrieval.fields", file, make)


def files_corpus(workspace: Workspace, files: Sequence[str]) -> Corpus:
    """Return the corpus of some files, a row each in their order."""
    return Corpus([file_document(workspace, file) for file in files])


def fields_corpora(workspace: Workspace, files: Sequence[str]) -> tuple[Corpus, ...]:
    """Return one corpus a field, in the order of `fields.FIELDS`, a row a file in each."""
    rows = [field_documents(workspace, file) for file in files]
    return tuple(Corpus([row[index] for row in rows]) for index in range(len(FIELDS)))


def code_of(workspace: Workspace, file: str) -> str:
    """Return a file's text; of a notebook, that of its code cells."""
    cells = workspace.cells(file)
    if cells:
        return "\n".join(line for cell in cells for line in cell.lines)
    return workspace.text(file) or ""


def segment_documents(workspace: Workspace, file: str) -> tuple[Document, ...]:
    """Return the documents of a file's segments of `SEGMENT_TERMS` terms (the last may be less)."""

    def make() -> tuple[Document, ...]:
        terms = terms_of(code_of(workspace, file))
        starts = range(0, len(terms), SEGMENT_TERMS)
        parts = (Counter(terms[start : start + SEGMENT_TERMS]) for start in starts)
        return tuple(document(dict(sorted(part.items()))) for part in parts)

    return workspace.derived("retrieval.segments", file, make)


FIELDS = ("classes", "methods", "variables", "comments")
# A string that never closes runs on: it must not be looked through again from each later quote.
_STRING_OR_COMMENT = re.compile(
    r"#[^\n]*"
    r'|"""(?:[^"\\]|\\.|"(?!""))*(?:""")?'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'(?:[^'\\\n]|\\.)*'?",
    re.DOTALL,
)
_HEAD = re.compile(r"^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)", re.MULTILINE)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(slots=True)
class Fields:
    """The words of each field, with repetitions, as written."""

    classes: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


def fields_of(text: str, tree: ast.AST | None) -> Fields:
    """Return the fields of a file or of one definition in it.

    ``tree`` is None where the text cannot be parsed; then its layout gives class and method names,
    and no variables.
    """
    fields = Fields()
    for comment in comments_of(text):
        fields.comments.extend(words_of(comment))
    if tree is None:
        for kind, name in _HEAD.findall(text):
            (fields.classes if kind == "class" else fields.methods).append(name)
        return fields
    for node in ast.walk(tree):
        _take(node, fields)
        for line in _docstring(node):
            fields.comments.extend(words_of(line))
    return fields


def comments_of(text: str) -> Iterator[str]:
    """Yield the ``#`` comments of a source text; a ``#`` inside a string is none."""
    for match in _STRING_OR_COMMENT.finditer(text):
        if match.group().startswith("#"):
            yield match.group()[1:]


def _take(node: ast.AST, fields: Fields) -> None:
    if isinstance(node, ast.ClassDef):
        fields.classes.append(node.name)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        fields.methods.append(node.name)
    elif isinstance(node, ast.Name):
        fields.variables.append(node.id)
    elif isinstance(node, ast.Attribute):
        fields.variables.append(node.attr)
    elif isinstance(node, ast.arg):
        fields.variables.append(node.arg)


def _docstring(node: ast.AST) -> Iterator[str]:
    if isinstance(node, _DOCUMENTED):
        text = ast.get_docstring(node, clean=False)
        if text:
            yield text
