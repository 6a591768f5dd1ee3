"""Features of functions and classes: which one of the best files a bug report means.

The report names a function, its class or identifiers in it. After the first function of a class,
the next ones add little information.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from dl_bug_lsp.evidence.reports.blocks import (
    Block,
    FileBlocks,
    Frames,
    Rarity,
    TracedFrames,
    features_beyond_frames,
)
from dl_bug_lsp.evidence.reports.documents import Matches, Terms, joined, one_document
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval import Floats, Ints, stem, terms_of, words_of

FILES_LOOKED_INTO = 15
_MOST_FRAME_FILES = 10
_NAMES_REMEMBERED = 1 << 14
_NAMES_B = 0.5
_LESS_WITH_STACK = (
    "bm25.all",
    "bm25.best_of_file",
    "block.words",
    "block.lines",
    "block.init",
    "block.private",
    "block.test",
)
"""Features that weigh otherwise where the report has a stack: it says where to look."""


class Functions:
    """The blocks of some files with their features, an array over ``blocks`` each.

    ``files`` are rows in falling order of ``shares``, their probabilities of holding the cause.
    """

    def __init__(
        self,
        context: ReportContext,
        files: Sequence[int],
        shares: Sequence[float],
        traced: TracedFrames,
    ) -> None:
        self.context = context
        self.traced = traced
        self.blocks: list[Block] = []
        self.files: dict[int, FileBlocks] = {}
        self._share: list[float] = []
        self._place: list[int] = []
        context.parse(files)
        starts = np.cumsum([0] + [source.passages.rows for source in context.sources])
        for place, (row, share) in enumerate(zip(files, shares, strict=True)):
            own = FileBlocks(context, row, len(self.blocks), int(starts[row]))
            self.files[row] = own
            self.blocks += own.blocks
            self._share += [share] * len(own.blocks)
            self._place += [place] * len(own.blocks)
        self.frames = Frames(context, self.blocks, self.files, traced)

    @cached_property
    def features(self) -> dict[str, Floats]:
        """Return every feature by name."""
        features = {
            "file.log_share": np.log(np.maximum(np.array(self._share), 1e-6)),
            "file.place": 1 / (1 + np.array(self._place, dtype=np.float64)),
        }
        features |= self._priors() | self._retrieval() | self._names() | self._linked()
        rarity = Rarity(self.blocks)
        features |= named(self.context, self.blocks) | used(self.context, self.blocks, rarity)
        features |= self.frames.features() | features_beyond_frames(
            self.frames, self.blocks, rarity
        )
        has_stack = float(bool(self.frames.chain))
        return features | {
            f"with_stack.{name}": has_stack * features[name] for name in _LESS_WITH_STACK
        }

    def _priors(self) -> dict[str, Floats]:
        """Return what holds whatever the report says: kinds of blocks and their sizes."""
        blocks, tests = self.blocks, self.context.imports.tests
        return {
            "block.rest": np.array([float(not b.name) for b in blocks]),
            "block.class": np.array([float(b.definition.is_class) for b in blocks]),
            "block.test": np.array([float(tests[b.row]) for b in blocks]),
            "block.init": np.array([float(b.name == "__init__") for b in blocks]),
            "block.private": np.array([float(b.name.startswith("_")) for b in blocks]),
            "block.lines": np.array([_size(b) for b in blocks]),
            "block.words": np.array([math.log1p(sum(b.words.values())) / 6 for b in blocks]),
        }

    def _retrieval(self) -> dict[str, Floats]:
        """Return what the text of functions shares with parts of the report; classes have none."""
        features: dict[str, Floats] = {}
        passages: Ints = np.array([block.passage for block in self.blocks], dtype=np.int64)
        inside = passages >= 0
        matches, weights = self.context.passage_matches, self.context.weights
        for part in ("title", "lead", "main", "code", "all"):
            scores = matches.bm25(weights[part])
            top = float(scores.max(initial=0.0)) or 1.0
            padded = np.append(scores, 0.0)
            features[f"bm25.{part}"] = np.where(inside, padded[passages] / top, 0.0)
        own = features.pop("bm25.main")
        best = np.zeros(len(self.context.files))
        rows = np.array([block.row for block in self.blocks], dtype=np.int64)
        np.maximum.at(best, rows, own)
        features["bm25.best_of_file"] = np.divide(
            own, best[rows], out=np.zeros(len(own)), where=best[rows] > 0
        )
        return features

    def _names(self) -> dict[str, Floats]:
        """Return BM25 of the report against the words of each block's dotted name."""
        documents = joined([_name_document(block.definition.name) for block in self.blocks])
        scores = Matches(documents, self.context.query, _NAMES_B).bm25(self.context.weights["all"])
        return {"names.all": scores / (float(scores.max(initial=0.0)) or 1.0)}

    def _linked(self) -> dict[str, Floats]:
        """Return how much of a link's lines a function holds."""
        linked = np.zeros(len(self.blocks))
        spans = self.linked
        for index, block in enumerate(self.blocks if spans else ()):
            d = block.definition
            if block.passage < 0:
                continue
            size = d.end_line - d.first + 1
            for row, first, last in spans:
                if row == block.row and first <= d.end_line and last >= d.first:
                    common = min(last, d.end_line) - max(first, d.first) + 1
                    linked[index] = max(linked[index], common / min(size, last - first + 1))
        return {"linked": linked}

    @cached_property
    def linked(self) -> list[tuple[int, int, int]]:
        """(row, first line, last line) of the links that tell lines."""
        links: list[tuple[int, int, int]] = []
        for link in self.context.report.links:
            rows, shared = self.context.paths.find(link.path)
            if link.first_line and len(rows) == 1 and (shared > 1 or "/" not in link.path):
                links.append((rows[0], link.first_line, link.last_line))
        return links


def files_to_look_into(
    context: ReportContext, order: Sequence[int], traced: TracedFrames
) -> list[int]:
    """Return the rows of the files that rank first, and of those that the stack goes through."""
    best = list(order[:FILES_LOOKED_INTO])
    rows = [context.rows[file] for file in traced.files if file in context.rows]
    return best + [row for row in rows if row not in best][:_MOST_FRAME_FILES]


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _name_document(name: str) -> Terms:
    return one_document(words_of(name))


def _size(block: Block) -> float:
    d = block.definition
    return math.log1p(d.end_line - d.first) / 5 if block.name and not d.is_class else 0.0


_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RAREST = ("prose", "code")


def named(context: ReportContext, blocks: Sequence[Block]) -> dict[str, Floats]:
    """Return where the report names a block.

    ``named.code``: a code sample does, less the more blocks share the name; ``named.qualified``:
    title or prose name it together with its class; ``owner.title``: the title names its class;
    ``words.``: the share of the words of both names that the title, or the messages, have.
    """
    names = ("named.code", "named.qualified", "owner.title", "words.title", "words.messages")
    features = {name: np.zeros(len(blocks)) for name in names}
    homonyms = Counter(block.name for block in blocks)
    code = strong_names(context)["code"]
    entitled = set(_IDENTIFIER.findall(context.report.title))
    spoken = entitled.union(_IDENTIFIER.findall("\n".join(context.prose)))
    terms_of_part = {
        part: set(terms_of(" ".join(context.text(part)))) for part in ("title", "messages")
    }
    pairs = _pairs(context)
    for index, block in enumerate(blocks):
        name, owner = block.name, block.owner
        if not name:
            continue
        if name in code and (not name.startswith("__") or name in spoken):
            features["named.code"][index] = 1 / math.sqrt(homonyms[name])
        features["owner.title"][index] = float(owner in entitled)
        features["named.qualified"][index] = float((_joint(owner), name) in pairs)
        words = _words(name) | _words(owner)
        for part, terms in terms_of_part.items():
            features[f"words.{part}"][index] = len(words & terms) / len(words) if words else 0.0
    return features


def used(context: ReportContext, blocks: Sequence[Block], rarity: Rarity) -> dict[str, Floats]:
    """Return how many identifiers (by idf) of code samples a block has, and its rarest ones."""
    count = len(blocks)
    features = {name: np.zeros(count) for name in ("used.code", *(f"rarest.{p}" for p in _RAREST))}
    strong = strong_names(context)
    for part in _RAREST:
        names = strong[part]
        rare = {name: rarity.of(name) for name in sorted(names)}
        total = math.fsum(rare.values()) or 1.0
        for index, block in enumerate(blocks):
            hits = [value for name, value in rare.items() if name in block.words]
            if hits:
                features[f"rarest.{part}"][index] = max(hits)
            if hits and part == "code":
                features["used.code"][index] = math.fsum(hits) / total
    return features


def strong_names(context: ReportContext) -> dict[str, set[str]]:
    """Return, by part of the report, the names that look like code there."""
    return {
        part: {name for name, is_strong in names.items() if is_strong}
        for part, names in context.identifiers.items()
    }


def _pairs(context: ReportContext) -> set[tuple[str, str]]:
    """Return ``owner.name`` pairs of title and prose; an instance is often named like its class."""
    text = "\n".join((context.report.title, *context.prose))
    return {(_joint(owner), name) for owner, name in _DOTTED.findall(text)}


def _joint(name: str) -> str:
    return name.lower().replace("_", "")


def _words(name: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(name)}


def redundancy(blocks: Sequence[Block], scores: Floats) -> dict[str, Floats]:
    """Return ``beside.above``: ln(1 + how many blocks of the same home have a better score).

    The home of a method is its class, that of a class itself, that of other functions what they
    stand in. Who is shown a few places is served best by different ones (Carbonell and Goldstein,
    "The Use of MMR", SIGIR 1998): words and stack that speak for one speak for all of a home.
    """
    above = np.zeros(len(blocks))
    known: Counter[tuple[int, str]] = Counter()
    for index in np.argsort(-np.round(scores, 9), kind="stable").tolist():
        block = blocks[index]
        if block.name:
            name = block.definition.name
            home = (block.row, name if block.definition.is_class else name.rpartition(".")[0])
            above[index] = math.log1p(known[home])
            known[home] += 1
    return {"beside.above": above}
