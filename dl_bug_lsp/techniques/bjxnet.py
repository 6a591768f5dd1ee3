"""bjXnet: a gated graph network on code property graphs, read with the report's attention.

Han et al.: "bjXnet: an improved bug localization model based on code property graph and attention
mechanism", Automated Software Engineering 30, 2023. Gated graph networks: Li, Tarlow, Brockschmidt,
Zemel, ICLR 2016. Text convolution: Kim, EMNLP 2014.

    q = TextCNN(report)
    h(s) = GGNN(words of s, kind of s, what s shares with the report)  for statements s
    c(f) = sum over statements s of f of a(s) * h(s),  a = softmax(h(s) · A q + w · h(s))
    score(f) = MLP(c(f), q * (B c(f)), what f shares with the report)  for functions f
    score(file) = softmax(ln(sum over its functions of e^score(f)) + v · (what the file shares))

As in DNNLOC some hundred reports teach no vocabulary that holds elsewhere: what a statement, a
function and a file share with the report by exact terms (weighed by idf) is an input beside the
embeddings, and the source's text has TF-IDF in the place of a second text network. Classes without
their methods and a module's own statements count as functions. ``benchmarks/train_bjxnet.py``
trains the weights with PyTorch; ``bjxnet.json`` holds those trained on every project that it saw.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dl_bug_lsp.retrieval import (
    Document,
    Floats,
    Ints,
    cosines,
    inverse_frequencies,
    numbers_of_terms,
    rvsm,
    terms_of,
)
from dl_bug_lsp.techniques.code_graphs import EDGES, CodeGraphs, code_graphs
from dl_bug_lsp.techniques.scores import (
    BEST_FILES,
    MAX_TEXT,
    MOST_FUNCTIONS,
    Composition,
    Files,
    RankedFunction,
    Subject,
    normal,
)

STEPS = 2
"""Times that statements hear of their neighbours."""
WINDOW = 3
LONGEST_REPORT = 256
"""Terms of a report that the text network reads."""
NODE_FEATURES = 6
BLOCK_FEATURES = 7
FILE_FEATURES = 3


@dataclass(frozen=True)
class Joined:
    """The graphs of some files, one after the other; ``file`` is the row of each block's file."""

    names: tuple[str, ...]
    spans: Ints
    is_class: NDArray[np.bool_]
    file: Ints
    block: Ints
    kind: Ints
    edges: Ints
    term_node: Ints
    terms: Ints

    @cached_property
    def block_terms(self) -> tuple[Ints, Ints]:
        """(block, term) of the distinct terms of each block."""
        width = int(self.terms.max(initial=0)) + 1
        keys = np.unique(self.block[self.term_node] * width + self.terms)
        return keys // width, keys % width

    @cached_property
    def idf(self) -> Floats:
        """ln(blocks / blocks with the term), by the term's number."""
        frequencies = np.bincount(self.block_terms[1]).astype(np.float64)
        return inverse_frequencies(frequencies, len(self.names))

    def of_files(self, rows: Ints) -> Joined:
        """Return the graphs of some files alone, these numbered from 0 in the order of ``rows``."""
        place = np.full(int(max(self.file.max(initial=-1), rows.max(initial=-1))) + 1, -1)
        place[rows] = np.arange(len(rows))
        blocks = np.flatnonzero(place[self.file] >= 0)
        new_block = np.full(len(self.file), -1)
        new_block[blocks] = np.arange(len(blocks))
        nodes = np.flatnonzero(new_block[self.block] >= 0)
        new_node = np.full(len(self.block), -1)
        new_node[nodes] = np.arange(len(nodes))
        edges = self.edges[new_node[self.edges[:, 1]] >= 0]
        held = new_node[self.term_node] >= 0
        return Joined(
            tuple(self.names[block] for block in blocks.tolist()),
            self.spans[blocks],
            self.is_class[blocks],
            place[self.file[blocks]],
            new_block[self.block[nodes]],
            self.kind[nodes],
            np.stack([edges[:, 0], new_node[edges[:, 1]], new_node[edges[:, 2]]], axis=1),
            new_node[self.term_node[held]],
            self.terms[held],
        )


def joined(graphs: Sequence[CodeGraphs]) -> Joined:
    """Put the graphs of files one after the other."""
    blocks = [block for graph in graphs for block in graph.blocks]
    of_blocks = np.cumsum([0, *(len(graph.blocks) for graph in graphs)])
    of_nodes = np.cumsum([0, *(len(graph.kind) for graph in graphs)])
    shift = [np.array([0, start, start]) for start in of_nodes]
    none = np.zeros(0, dtype=np.int64)
    return Joined(
        tuple(block.name for block in blocks),
        np.array([(b.line, b.end_line) for b in blocks], dtype=np.int64).reshape(-1, 2),
        np.array([block.is_class for block in blocks], dtype=bool),
        np.repeat(np.arange(len(graphs)), [len(graph.blocks) for graph in graphs]),
        np.concatenate([none, *(g.block + s for g, s in zip(graphs, of_blocks, strict=False))]),
        np.concatenate([none, *(graph.kind for graph in graphs)]),
        np.concatenate(
            [none.reshape(-1, 3), *(g.edges + s for g, s in zip(graphs, shift, strict=False))]
        ),
        np.concatenate([none, *(g.term_node + s for g, s in zip(graphs, of_nodes, strict=False))]),
        np.concatenate([none, *(graph.terms for graph in graphs)]),
    )


@dataclass(frozen=True)
class Inputs:
    """What the network is given of a report and some files: rows of nodes, blocks and files."""

    report: Ints
    graphs: Joined
    weights: Floats
    nodes: Floats
    blocks: Floats
    files: Floats


def inputs_of(subject: Subject, rows: Ints | None = None) -> Inputs:
    """Return the network's inputs for all files, or those in some ``rows`` of the subject."""
    graphs = joined([code_graphs(subject.workspace, file) for file in subject.files])
    idf = graphs.idf
    chosen = graphs if rows is None else graphs.of_files(rows)
    parts = (subject.summary, subject.text)
    shared = [_shared(chosen, idf, part) for part in parts]
    sizes = np.bincount(chosen.block, minlength=len(chosen.names))
    own = (np.log1p(sizes) / 6, chosen.is_class, np.array([not name for name in chosen.names]))
    blocks = np.concatenate([*(s[1] for s in shared), np.stack(own, axis=1)], axis=1)
    files = np.stack(
        [
            normal(rvsm(subject.corpus, subject.text)),
            normal(cosines(subject.corpus, subject.text)),
            normal(cosines(subject.corpus, subject.summary)),
        ],
        axis=1,
    )
    text = f"{subject.query.summary}\n{subject.query.description}"[:MAX_TEXT]
    return Inputs(
        np.array(numbers_of_terms(terms_of(text)[:LONGEST_REPORT]), dtype=np.int64),
        chosen,
        _of_terms(idf, chosen.terms),
        np.concatenate([s[0] for s in shared], axis=1),
        blocks,
        (files if rows is None else files[rows]),
    )


def _shared(graphs: Joined, idf: Floats, asked: Document) -> tuple[Floats, Floats]:
    """Return what nodes and blocks have of a part of the report.

    Nodes: the share of its weight, the rarest term, the cosine; blocks: the share and the cosine.
    """
    known = asked.numbers[asked.numbers < len(idf)]
    counts = asked.counts[asked.numbers < len(idf)]
    weight = np.zeros(len(idf))
    weight[known] = (1 + np.log(counts)) * idf[known]
    total, length = float(weight.sum()) or 1.0, float(np.sqrt((weight**2).sum())) or 1.0
    top = float(idf.max(initial=0.0)) or 1.0
    nodes = np.zeros((len(graphs.block), 3))
    at, terms = graphs.term_node, graphs.terms
    count = len(graphs.block)
    nodes[:, 0] = np.bincount(at, weight[terms], count) / total
    hits = np.flatnonzero(weight[terms] > 0)
    np.maximum.at(nodes[:, 1], at[hits], idf[terms[hits]] / top)
    own = np.sqrt(np.bincount(at, idf[terms] ** 2, count))
    nodes[:, 2] = _ratio(_sums(weight[terms] * idf[terms], at, count), own * length)
    at, terms = graphs.block_terms
    count = len(graphs.names)
    own = np.sqrt(np.bincount(at, idf[terms] ** 2, count))
    share = np.bincount(at, weight[terms], count) / total
    near = _ratio(_sums(weight[terms] * idf[terms], at, count), own * length)
    return nodes, np.stack([share, near], axis=1)


def _sums(values: Floats, at: Ints, count: int) -> Floats:
    return np.bincount(at, values, count).astype(np.float64)


def _ratio(value: Floats, by: Floats) -> Floats:
    return np.divide(value, by, out=np.zeros(len(value)), where=by > 0)


def _of_terms(idf: Floats, terms: Ints) -> Floats:
    return idf[terms] if len(terms) else np.zeros(0)


class Network:
    """Trained weights by name (see ``benchmarks/train_bjxnet.py``) over a vocabulary of terms."""

    def __init__(self, vocabulary: Sequence[str], weights: Mapping[str, Floats]) -> None:
        self.weights = weights
        self._numbers = np.array(numbers_of_terms(vocabulary), dtype=np.int64)

    def rows_of(self, terms: Ints) -> Ints:
        """Return the embedding's row of each term, -1 for those outside the vocabulary."""
        size = 1 + max(int(terms.max(initial=-1)), int(self._numbers.max(initial=-1)))
        place = np.full(size, -1, dtype=np.int64)
        place[self._numbers] = np.arange(len(self._numbers))
        rows: Ints = place[terms]
        return rows

    def scores(self, inputs: Inputs) -> tuple[Floats, Floats]:
        """Return the scores of the files and of the blocks."""
        w = self.weights
        graphs = inputs.graphs
        report = self._report(inputs.report)
        nodes = self._nodes(inputs)
        asked = nodes @ (w["attention.report"] @ report + w["attention.node"])
        shares = _softmax(asked, graphs.block, len(graphs.names))
        content = _summed(shares[:, None] * nodes, graphs.block, len(graphs.names))
        both = (content @ w["match"].T) * report
        seen = np.concatenate([content, both, inputs.blocks], axis=1)
        hidden = np.tanh(seen @ w["hidden.weight"].T + w["hidden.bias"])
        blocks = (hidden @ w["out.weight"].T)[:, 0]
        files = _log_sums(blocks, graphs.file, len(inputs.files))
        return files + (inputs.files @ w["files.weight"].T)[:, 0], blocks

    def _report(self, terms: Ints) -> Floats:
        """Return the report's vector: the greatest answer of each convolution over its terms."""
        w = self.weights
        rows = self.rows_of(terms)
        table = w["embedding"][rows[rows >= 0]]
        lack = max(0, WINDOW - len(table))
        table = np.concatenate([table, np.zeros((lack, table.shape[1]))])
        windows = np.concatenate(
            [table[at : len(table) - WINDOW + 1 + at] for at in range(WINDOW)], axis=1
        )
        answers = np.maximum(windows @ w["convolution.weight"].T + w["convolution.bias"], 0)
        vector: Floats = answers.max(axis=0)
        return vector

    def _nodes(self, inputs: Inputs) -> Floats:
        """Return the nodes' states after `STEPS` rounds of the gated graph network."""
        w = self.weights
        graphs = inputs.graphs
        count = len(graphs.kind)
        rows = self.rows_of(graphs.terms)
        known = rows >= 0
        at, weights = graphs.term_node[known], inputs.weights[known]
        words = _summed(w["embedding"][rows[known]] * weights[:, None], at, count)
        words /= np.maximum(np.bincount(at, weights, count), 1e-6)[:, None]
        kinds = w["kind"][graphs.kind]
        first = np.concatenate([words, kinds, inputs.nodes], axis=1)
        state: Floats = np.tanh(first @ w["enter.weight"].T + w["enter.bias"])
        for _ in range(STEPS):
            heard = np.zeros_like(state)
            for number in range(len(EDGES)):
                pairs = graphs.edges[graphs.edges[:, 0] == number]
                for way, (source, target) in enumerate(((1, 2), (2, 1))):
                    to = pairs[:, target]
                    sums = _summed(state[pairs[:, source]], to, count)
                    sums /= np.maximum(np.bincount(to, minlength=count), 1)[:, None]
                    heard += sums @ w["edges"][2 * number + way]
            state = self._gated(heard, state)
        return state

    def _gated(self, heard: Floats, state: Floats) -> Floats:
        """Return the next state (Cho et al., 2014, as PyTorch's GRUCell orders its weights)."""
        w = self.weights
        came = heard @ w["gru.weight_ih"].T + w["gru.bias_ih"]
        held = state @ w["gru.weight_hh"].T + w["gru.bias_hh"]
        size = state.shape[1]
        reset = _logistic(came[:, :size] + held[:, :size])
        keep = _logistic(came[:, size : 2 * size] + held[:, size : 2 * size])
        new = np.tanh(came[:, 2 * size :] + reset * held[:, 2 * size :])
        next_state: Floats = (1 - keep) * new + keep * state
        return next_state


def _logistic(values: Floats) -> Floats:
    shares: Floats = 1 / (1 + np.exp(-values))
    return shares


def _summed(values: Floats, at: Ints, count: int) -> Floats:
    """Return the sums of the rows of ``values`` by their numbers ``at``."""
    sums = np.zeros((count, values.shape[1]))
    if len(at):
        order = np.argsort(at, kind="stable")
        numbers, starts = np.unique(at[order], return_index=True)
        sums[numbers] = np.add.reduceat(values[order], starts, axis=0)
    return sums


def _softmax(values: Floats, at: Ints, count: int) -> Floats:
    """Return e^value over the sum of those of the same number."""
    tops = np.full(count, -np.inf)
    np.maximum.at(tops, at, values)
    powers = np.exp(values - tops[at])
    shares: Floats = powers / np.bincount(at, powers, count)[at]
    return shares


def _log_sums(values: Floats, at: Ints, count: int) -> Floats:
    """Return ln of the sum of e^value by number; far below all others where there is none."""
    logs = np.full(count, float(values.min(initial=0.0)) - 10.0)
    tops = np.full(count, -np.inf)
    np.maximum.at(tops, at, values)
    sums = np.bincount(at, np.exp(values - tops[at]), count)
    inside = sums > 0
    logs[inside] = tops[inside] + np.log(sums[inside])
    return logs


def network_from(data: Mapping[str, Any]) -> Network:
    """Make a network of a weights file; raises KeyError or ValueError on other data."""
    scale = float(data["embedding_scale"])
    weights = {name: np.array(values, dtype=np.float64) for name, values in data["weights"].items()}
    embedding = np.array(data["embedding"], dtype=np.float64) * scale
    return Network(data["vocabulary"], {**weights, "embedding": embedding})


@cache
def shipped() -> Network:
    """Return the network that ships with the package."""
    text = resources.files("dl_bug_lsp.techniques").joinpath("bjxnet.json").read_text("utf-8")
    return network_from(json.loads(text))


def file_scores(subject: Subject, network: Network | None = None) -> Floats:
    """Return each file's share by the network; all 0 where no code has a term of the report."""
    if not subject.files:
        return subject.zeros()
    inputs = inputs_of(subject)
    if not inputs.nodes.any():
        return subject.zeros()
    return _shares((network or shipped()).scores(inputs)[0])


def function_scores(
    subject: Subject, files: Files, network: Network | None = None
) -> tuple[RankedFunction, ...]:
    """Return the functions of the best files by the network's score, best first."""
    rows = np.array([subject.rows[file] for file, _ in files[:BEST_FILES]], dtype=np.int64)
    if not len(rows):
        return ()
    graphs = (inputs := inputs_of(subject, rows)).graphs
    scores = _shares((network or shipped()).scores(inputs)[1])
    functions = [
        RankedFunction(files[file][0], name, int(span[0]), int(span[1]), float(score))
        for file, name, span, is_class, score in zip(
            graphs.file.tolist(), graphs.names, graphs.spans, graphs.is_class, scores, strict=True
        )
        if name and not is_class
    ]
    return tuple(sorted(functions, key=lambda f: (-f.score, f.file, f.line))[:MOST_FUNCTIONS])


def _shares(scores: Floats) -> Floats:
    if not len(scores):
        return scores
    powers: Floats = np.exp(scores - scores.max())
    return powers / float(powers.sum())


def bjxnet(network: Network | None = None) -> Composition:
    """Return the technique with a network, the shipped one where none is given."""
    return Composition(
        "bjxnet",
        "Han et al., ASE Journal 2023",
        partial(file_scores, network=network),
        partial(function_scores, network=network),
    )
