"""Text retrieval: terms of code and prose, documents as term counts, rVSM and BM25.

Terms are identifiers whole and in parts, without stop words, stemmed. Queries and documents are
both prepared here, as in Zhou et al. (ICSE 2012) and Saha et al. (ASE 2013). The stemmer is
Porter's ("An algorithm for suffix stripping", Program 14(3), 1980), in the form of Snowball. Stop
words are English function words and Python's keywords. Terms are numbered by one vocabulary for the
whole process, so that a file's document can be kept and used in every version and corpus that holds
the file. Documents are made once for each content of a file.

BLUiR searches four fields of a source file: class, method and variable names, and comments (Saha,
Lease, Khurshid, Perry: "Improving bug localization using structured information retrieval", ASE
2013). Python's docstrings count as comments, parameters and attributes as variables.

BM25 is what rank-bm25's ``BM25Okapi`` defines (Robertson et al., "Okapi at TREC-3", 1994), over
corpora of every size. One formula, three ways to it that give the same scores: rank-bm25 for few
documents, a sparse SciPy matrix for many, postings where SciPy is not installed. rVSM is the
cosine of TF-IDF vectors times a score of the length (Zhou et al., ICSE 2012).
"""

from __future__ import annotations

import ast
import keyword
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from dl_bug_lsp.workspace import Workspace

LONGEST_WORD = 80
"""Characters; what is longer is data (base64, a hash), not a word."""
_WORD = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Case tells words apart in ASCII only; elsewhere digits and underscores do.
_FOREIGN_PART = re.compile(r"[^\W\d_]+")
_MOST_REMEMBERED = 1 << 18
_PORTER = snowballstemmer.stemmer("porter")
_STEMMING = threading.Lock()


def words_of(text: str) -> list[str]:
    """Return the identifiers and words of a text in order, with repetitions, as written."""
    return _WORD.findall(text)


def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of one identifier or word: its parts, then the whole where it has several.

    ``readBatch`` gives ``read``, ``batch``, ``readbatch``; ``running`` gives ``run``; a stop word
    gives nothing.
    """
    return _EXPANSIONS[word]


def _expanded(word: str) -> tuple[str, ...]:
    if len(word) > LONGEST_WORD:
        return ()
    pattern = _PART if word.isascii() else _FOREIGN_PART
    parts = [part.lower() for part in pattern.findall(word)]
    whole = word.lower().strip("_")
    terms = [stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS]
    if len(parts) > 1 and whole not in STOP_WORDS:
        terms.append(whole)
    return tuple(terms)


class _Expansions(dict[str, tuple[str, ...]]):
    """The terms of each word met: repositories repeat their words a thousand times."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = _expanded(word)
        if len(self) < _MOST_REMEMBERED:
            self[word] = terms
        return terms


_EXPANSIONS = _Expansions()


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions."""
    return [term for word in words_of(text) for term in _EXPANSIONS[word]]


def count_terms(words: Iterable[str]) -> dict[str, int]:
    """Return how often each term stands in a document of these words, in alphabetical order."""
    counts: dict[str, int] = {}
    for word, count in Counter(words).items():
        for term in _EXPANSIONS[word]:
            counts[term] = counts.get(term, 0) + count
    return dict(sorted(counts.items()))


@lru_cache(maxsize=_MOST_REMEMBERED)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words with other letters than a to z stay."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    with _STEMMING:  # The stemmer keeps the word that it works on.
        return str(_PORTER.stemWord(word))


_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing don down during each few for from further
had has have having he her here hers him his how i if in into is it its itself just let like me
more most my myself no nor not now of off on once only or other our ours out over own please same
she should so some such than that the their theirs them then there these they this those through
to too under until up us very was we were what when where which while who whom why will with would
you your yours yourself
"""
_PYTHON = {word.lower() for word in (*keyword.kwlist, "self", "cls", "print")}

STOP_WORDS = frozenset(_ENGLISH.split()) | _PYTHON
"""Lower-case words that are no terms."""


Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_NUMBERS: dict[str, int] = {}
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Document:
    """Term numbers and how often each stands; ``length`` is the number of terms, repeats too."""

    numbers: Ints
    counts: Ints
    length: int

    def tokens(self) -> list[int]:
        """Return the term numbers with their repetitions, as rank-bm25 wants a document."""
        tokens: list[int] = np.repeat(self.numbers, self.counts).tolist()
        return tokens


def numbers_of_terms(terms: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of terms, new ones for those never met."""
    with _LOCK:
        return tuple([_NUMBERS.setdefault(term, len(_NUMBERS)) for term in terms])


def document(counts: Mapping[str, int]) -> Document:
    """Make a document of term counts."""
    with _LOCK:
        numbers = [_NUMBERS.setdefault(term, len(_NUMBERS)) for term in counts]
    values = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return Document(np.array(numbers, dtype=np.int64), values, int(values.sum()))


def document_of(text: str) -> Document:
    """Make a document of a text."""
    return document(count_terms(words_of(text)))


def document_of_words(words: Iterable[str]) -> Document:
    """Make a document of identifiers and words, each expanded to its terms."""
    return document(count_terms(words))


class Corpus:
    """Documents to be ranked; rows keep the order in which they were given."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        self.lengths: Floats = np.array([d.length for d in self.documents], dtype=np.float64)
        sizes = [len(d.numbers) for d in self.documents]
        self.rows: Ints = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        self.numbers = _joined([d.numbers for d in self.documents])
        self.counts = _joined([d.counts for d in self.documents])

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def document_frequencies(self) -> Ints:
        """In how many documents each term stands, by its number."""
        return np.bincount(self.numbers).astype(np.int64)

    def frequencies_of(self, terms: Ints) -> Floats:
        """Return in how many documents each of these terms stands (0 for unknown ones)."""
        known = self.document_frequencies
        if not len(known):
            return np.zeros(len(terms))
        inside = terms < len(known)
        return np.where(inside, known[np.where(inside, terms, 0)], 0).astype(np.float64)

    def postings(self, terms: Ints) -> tuple[Ints, Ints, Floats]:
        """Return (row, index into ``terms``, count) of every occurrence of distinct ``terms``."""
        size = 1 + max(int(terms.max(initial=-1)), int(self.numbers.max(initial=-1)))
        place = np.full(size, -1, dtype=np.int64)
        place[terms] = np.arange(len(terms))
        columns = place[self.numbers]
        hits = columns >= 0
        return self.rows[hits], columns[hits], self.counts[hits].astype(np.float64)

    def matrix(self) -> Any:
        """Return the counts as a sparse SciPy matrix, documents by term numbers (needs SciPy)."""
        from scipy.sparse import csr_matrix

        starts = np.concatenate([[0], np.cumsum([len(d.numbers) for d in self.documents])])
        width = 1 + int(self.numbers.max(initial=-1))
        shape = (len(self.documents), max(1, width))
        return csr_matrix((self.counts.astype(np.float64), self.numbers, starts), shape=shape)


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


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


# ---------------------------------------------------------------------- scores
# ---------------------------------------------------------------------- rVSM
def logarithmic(counts: Floats) -> Floats:
    """Return the tf of Zhou et al., ICSE 2012: 1 + ln(count)."""
    return 1.0 + np.log(counts)


def inverse_frequencies(frequencies: Floats, documents: int) -> Floats:
    """Return ln(documents / frequency), 0 for terms that stand nowhere."""
    inside = frequencies > 0
    ratios = np.divide(documents, frequencies, out=np.ones(len(frequencies)), where=inside)
    return np.log(ratios)


def length_scores(lengths: Floats, steepness: float = 1.0) -> Floats:
    """Return g of rVSM: 1 / (1 + exp(-steepness * N)), N the length from 0 (least) to 1 (most).

    Zhou et al. (ICSE 2012) take steepness 1; Wong et al. (ICSME 2014) call it beta and take 50.
    """
    if not len(lengths):
        return lengths
    least, most = float(lengths.min()), float(lengths.max())
    normal = (lengths - least) / (most - least) if most > least else np.zeros(len(lengths))
    return 1.0 / (1.0 + np.exp(-steepness * normal))


def norms(corpus: Corpus) -> Floats:
    """Return the Euclidean length of each document's TF-IDF vector."""
    if not len(corpus.numbers):
        return np.zeros(len(corpus))
    idf = inverse_frequencies(corpus.document_frequencies.astype(np.float64), len(corpus))
    weights = logarithmic(corpus.counts.astype(np.float64)) * idf[corpus.numbers]
    return np.sqrt(np.bincount(corpus.rows, weights=weights * weights, minlength=len(corpus)))


def cosines(corpus: Corpus, query: Document) -> Floats:
    """Return the cosine of the query's and each document's TF-IDF vector; idf of the corpus."""
    if not len(corpus) or not len(query.numbers):
        return np.zeros(len(corpus))
    idf = inverse_frequencies(corpus.frequencies_of(query.numbers), len(corpus))
    query_weights = logarithmic(query.counts.astype(np.float64)) * idf
    rows, columns, counts = corpus.postings(query.numbers)
    parts = logarithmic(counts) * idf[columns] * query_weights[columns]
    dots = np.bincount(rows, weights=parts, minlength=len(corpus))
    lengths = norms(corpus) * float(np.sqrt((query_weights * query_weights).sum()))
    return np.divide(dots, lengths, out=np.zeros(len(corpus)), where=lengths > 0)


def rvsm(corpus: Corpus, query: Document, steepness: float = 1.0) -> Floats:
    """Return rVSMScore(q, d) = g(number of terms of d) * cos(q, d) (Zhou et al., ICSE 2012)."""
    return length_scores(corpus.lengths, steepness) * cosines(corpus, query)


# ---------------------------------------------------------------------- BM25
K1 = 1.5
B = 0.75
EPSILON = 0.25
FEW = 10_000
"""Documents times query terms up to which rank-bm25's loops in Python cost next to nothing."""


def okapi_idf(frequencies: Floats, documents: int, average: float) -> Floats:
    """Return ln((n - df + 0.5) / (df + 0.5)); where negative, EPSILON times the ``average``."""
    raw = np.log(documents - frequencies + 0.5) - np.log(frequencies + 0.5)
    return np.where(raw < 0, EPSILON * average, raw)


def _average_idf(corpus: Corpus) -> float:
    """Return the mean of all terms' idf before negative ones are replaced, as rank-bm25 does."""
    known = corpus.document_frequencies[corpus.document_frequencies > 0].astype(np.float64)
    if not len(known):
        return 0.0
    return float(np.mean(np.log(len(corpus) - known + 0.5) - np.log(known + 0.5)))


def _saturated(counts: Floats, lengths: Floats, average: float) -> Floats:
    return counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / average))


def bm25(corpus: Corpus, query: Document) -> Floats:
    """Return each document's BM25 for the query, a term as often as it stands there; numpy only."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    frequencies = corpus.frequencies_of(query.numbers)
    idf = okapi_idf(frequencies, len(corpus), _average_idf(corpus)) * query.counts
    rows, columns, counts = corpus.postings(query.numbers)
    average = float(corpus.lengths.mean())
    parts = idf[columns] * _saturated(counts, corpus.lengths[rows], average)
    return np.bincount(rows, weights=parts, minlength=len(corpus)).astype(np.float64)


def bm25_by_library(corpus: Corpus, query: Document) -> Floats:
    """Return the same from rank-bm25."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([d.tokens() for d in corpus.documents], k1=K1, b=B, epsilon=EPSILON)
    return np.asarray(index.get_scores(query.tokens()), dtype=np.float64)


def bm25_by_matrix(corpus: Corpus, query: Document) -> Floats:
    """Return the same from a sparse matrix of weights times the query's vector (needs SciPy)."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    matrix = corpus.matrix()
    known = query.numbers < matrix.shape[1]
    terms, repeats = query.numbers[known], query.counts[known]
    frequencies = corpus.frequencies_of(terms)
    vector = np.zeros(matrix.shape[1])
    vector[terms] = okapi_idf(frequencies, len(corpus), _average_idf(corpus)) * repeats
    average = float(corpus.lengths.mean())
    matrix.data = _saturated(matrix.data, corpus.lengths[corpus.rows], average)
    return np.asarray(matrix @ vector, dtype=np.float64)


def bm25_scores(corpus: Corpus, query: Document) -> Floats:
    """Return BM25 by the way that suits the corpus's size."""
    if len(corpus) * query.length <= FEW:
        return bm25_by_library(corpus, query)
    try:
        return bm25_by_matrix(corpus, query)
    except ImportError:
        return bm25(corpus, query)
