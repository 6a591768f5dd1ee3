"""Train bjXnet's network with PyTorch and write its weights as readable, rounded JSON.

    python benchmarks/train_bjxnet.py --bugs FILE --repositories DIR [--folds]

DIR holds clones as DIR/owner/name. The network of all projects goes into the package; with
``--folds``, one is trained for each project on the others, told how well it ranks that project, and
written to ``benchmarks/bjxnet/PROJECT.json``, which ``denchmark.py`` uses. Needs PyTorch, which the
package does not. Embeddings begin as a factorisation of the terms that stand together in functions
of the training projects (PPMI and SVD: Levy, Goldberg, Dagan, TACL 2015).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from denchmark_bugs import Bug, by_repository, find_repository, read_bugs
from denchmark_metrics import MEASURES, score
from git_versions import Versions
from numpy.typing import NDArray

from dl_bug_lsp import retrieval
from dl_bug_lsp.techniques import bjxnet as technique
from dl_bug_lsp.techniques.bjxnet import Inputs, inputs_of, network_from
from dl_bug_lsp.techniques.code_graphs import EDGES, KINDS
from dl_bug_lsp.techniques.scores import Query, Subject, in_order, text_score
from dl_bug_lsp.workspace import GitError

ROOT = Path(__file__).resolve().parent
WEIGHTS = ROOT.parent / "dl_bug_lsp" / "techniques" / "bjxnet.json"
FOLDS = ROOT / "bjxnet"
NEAREST, DRAWN = 30, 10
"""Files a report that are not buggy: those nearest in words, and others at random."""
LEARNT_NEAREST, LEARNT_DRAWN = 15, 5
"""So many of these are learned from; all are ranked where a project is left out."""
MOST_NODES = 20_000
TERMS = 1200
WORDS, KIND, STATES, REPORT, HIDDEN = 16, 8, 24, 24, 16
UPDATES = 860
"""Reports that a network learns from, one at a time, each several times."""
RATE, PENALTY = 3e-3, 1e-4
EMBEDDING_STEP = 0.02
DIGITS = 3


@dataclass(frozen=True)
class Sample:
    """A report, some files of its version, and which of them are buggy."""

    project: str
    name: str
    given: Inputs
    buggy: NDArray[np.bool_]


def samples_of(bugs: Sequence[Bug], repositories: Path) -> Iterator[Sample]:
    """Yield each report's sample; reports without a version at hand are left out."""
    drawn = np.random.default_rng(0)
    for _, group in by_repository(bugs):
        repository = find_repository(repositories, group[0])
        if repository is None:
            continue
        with Versions(repository) as versions:
            for bug in group:
                until = bug.opened.timestamp() if bug.opened is not None else None
                try:
                    workspace = versions.workspace(bug.version, known_until=until)
                except GitError:
                    continue
                subject = Subject(Query(bug.summary, bug.description, bug.opened), workspace)
                sample = _sample(bug, subject, drawn)
                if sample.buggy.any() and len(sample.given.graphs.kind) <= MOST_NODES:
                    yield sample


def _sample(bug: Bug, subject: Subject, drawn: np.random.Generator) -> Sample:
    buggy = np.array([file in bug.files for file in subject.files], dtype=bool)
    order = [row for row in np.argsort(-text_score(subject), kind="stable") if not buggy[row]]
    rest = order[NEAREST:]
    others = drawn.choice(rest, min(DRAWN, len(rest)), replace=False).tolist() if rest else []
    rows = np.array([*np.flatnonzero(buggy), *order[:NEAREST], *others], dtype=np.int64)
    return Sample(bug.project, bug.name, inputs_of(subject, rows), buggy[rows])


def thinned(sample: Sample) -> Sample:
    """Return a sample with the files that are learned from: a buggy one is among few others."""
    count, wrong = len(sample.buggy), int((~sample.buggy).sum())
    first = count - wrong
    nearest = range(first, first + min(LEARNT_NEAREST, wrong))
    drawn = range(max(nearest.stop, count - LEARNT_DRAWN), count)
    rows = np.array([*range(first), *nearest, *drawn], dtype=np.int64)
    given = sample.given
    graphs = given.graphs
    kept = np.isin(graphs.file, rows)
    nodes = kept[graphs.block]
    return replace(
        sample,
        given=Inputs(
            given.report,
            graphs.of_files(rows),
            given.weights[nodes[graphs.term_node]],
            given.nodes[nodes],
            given.blocks[kept],
            given.files[rows],
        ),
        buggy=sample.buggy[rows],
    )


def vocabulary_of(samples: Sequence[Sample]) -> list[str]:
    """Return the terms that reports of several projects have, those of the most reports first."""
    projects: defaultdict[int, set[str]] = defaultdict(set)
    reports: Counter[int] = Counter()
    for sample in samples:
        for term in set(sample.given.report.tolist()):
            projects[term].add(sample.project)
            reports[term] += 1
    names = {number: name for name, number in retrieval._NUMBERS.items()}
    kept = [term for term in reports if len(projects[term]) > 1]
    kept.sort(key=lambda term: (-len(projects[term]), -reports[term], names[term]))
    return [names[term] for term in kept[:TERMS]]


def embedding_of(samples: Sequence[Sample], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """Return a row a term: factors of how much more often two share a function than by chance."""
    numbers = retrieval.numbers_of_terms(vocabulary)
    place = {number: at for at, number in enumerate(numbers)}
    together = np.zeros((len(vocabulary), len(vocabulary)))
    for project in sorted({sample.project for sample in samples}):
        sample = max((s for s in samples if s.project == project), key=lambda s: len(s.given.files))
        blocks, terms = sample.given.graphs.block_terms
        at = np.array([place.get(term, -1) for term in terms.tolist()], dtype=np.int64)
        table = np.zeros((len(sample.given.graphs.names), len(vocabulary)), dtype=np.float32)
        table[blocks[at >= 0], at[at >= 0]] = 1.0
        table /= np.maximum(table.sum(axis=1, keepdims=True), 1.0)
        together += table.T @ (table > 0)
    together = together + together.T
    np.fill_diagonal(together, together.diagonal() / 2)
    total, own = together.sum() or 1.0, together.sum(axis=1)
    expected = np.outer(own, own) / total
    ratio = np.divide(together, expected, out=np.ones_like(together), where=together > 0)
    values, vectors = np.linalg.eigh(np.maximum(np.log(np.maximum(ratio, 1e-12)), 0.0))
    best = np.argsort(-values)[:WORDS]
    rows = vectors[:, best] * np.sqrt(np.maximum(values[best], 0.0))
    signs = np.sign(rows[np.argmax(np.abs(rows), axis=0), np.arange(rows.shape[1])])
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    found: NDArray[np.float32] = (rows * signs / np.maximum(lengths, 1e-6)).astype(np.float32)
    return found


class Graph:
    """A sample's arrays as tensors, its terms as rows of the embedding."""

    def __init__(self, sample: Sample, network: technique.Network) -> None:
        given, graphs = sample.given, sample.given.graphs
        report = network.rows_of(given.report)
        self.report = torch.from_numpy(report[report >= 0])
        rows = network.rows_of(graphs.terms)
        known = rows >= 0
        self.rows = torch.from_numpy(rows[known])
        self.at = torch.from_numpy(graphs.term_node[known])
        self.weights = torch.from_numpy(given.weights[known]).float().float().float().float()
        self.kind = torch.from_numpy(graphs.kind)
        self.block = torch.from_numpy(graphs.block)
        self.file = torch.from_numpy(graphs.file)
        self.nodes = torch.from_numpy(given.nodes).float()
        self.blocks = torch.from_numpy(given.blocks).float()
        self.files = torch.from_numpy(given.files).float()
        self.pairs = []
        for number in range(len(EDGES)):
            own = graphs.edges[graphs.edges[:, 0] == number]
            for source, target in ((1, 2), (2, 1)):
                to = torch.from_numpy(own[:, target].copy())
                degree = torch.bincount(to, minlength=len(graphs.kind)).clamp(min=1)
                self.pairs.append(
                    (torch.from_numpy(own[:, source].copy()), to, degree[:, None].float())
                )


class Model(torch.nn.Module):
    """The network of `bjxnet.Network`, as PyTorch learns it."""

    def __init__(self, embedding: NDArray[np.float32]) -> None:
        super().__init__()
        nn = torch.nn
        self.embedding = nn.Parameter(torch.from_numpy(embedding.copy()))
        self.convolution = nn.Linear(technique.WINDOW * WORDS, REPORT)
        self.kind = nn.Parameter(0.3 * torch.randn(len(KINDS), KIND))
        self.enter = nn.Linear(WORDS + KIND + technique.NODE_FEATURES, STATES)
        self.edges = nn.Parameter(torch.randn(2 * len(EDGES), STATES, STATES) / STATES)
        self.gru = nn.GRUCell(STATES, STATES)
        self.asked = nn.Parameter(torch.randn(STATES, REPORT) / 10)
        self.alone = nn.Parameter(torch.randn(STATES) / 10)
        self.match = nn.Parameter(torch.randn(REPORT, STATES) / 10)
        self.hidden = nn.Linear(STATES + REPORT + technique.BLOCK_FEATURES, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1, bias=False)
        self.of_files = nn.Linear(technique.FILE_FEATURES, 1, bias=False)

    def forward(self, g: Graph) -> torch.Tensor:
        """Return the files' scores, logits of a softmax."""
        count = len(g.kind)
        words = torch.zeros(count, WORDS).index_add(
            0, g.at, self.embedding.index_select(0, g.rows) * g.weights[:, None]
        )
        sums = torch.zeros(count).index_add(0, g.at, g.weights).clamp(min=1e-6)
        first = torch.cat(
            [words / sums[:, None], self.kind.index_select(0, g.kind), g.nodes], dim=1
        )
        state = torch.tanh(self.enter(first))
        for _ in range(technique.STEPS):
            heard = torch.zeros_like(state)
            for weight, (source, to, degree) in zip(self.edges, g.pairs, strict=True):
                came = (
                    torch.zeros_like(state).index_add(0, to, state.index_select(0, source)) / degree
                )
                heard = heard + came @ weight
            state = self.gru(heard, state)
        report = self._report(g.report)
        asked = state @ (self.asked @ report + self.alone)
        blocks = len(g.blocks)
        powers = torch.exp(asked - asked.max().detach())
        whole = torch.zeros(blocks).index_add(0, g.block, powers).clamp(min=1e-30)
        shares = powers / whole.index_select(0, g.block)
        content = torch.zeros(blocks, STATES).index_add(0, g.block, shares[:, None] * state)
        both = (content @ self.match.T) * report
        seen = torch.cat([content, both, g.blocks], dim=1)
        scores = self.out(torch.tanh(self.hidden(seen)))[:, 0]
        top = scores.max().detach()
        sums = torch.zeros(len(g.files)).index_add(0, g.file, torch.exp(scores - top))
        return torch.log(sums.clamp(min=1e-12)) + top + self.of_files(g.files)[:, 0]

    def _report(self, rows: torch.Tensor) -> torch.Tensor:
        table = self.embedding.index_select(0, rows)
        lack = max(0, technique.WINDOW - len(table))
        table = torch.cat([table, torch.zeros(lack, WORDS)])
        windows = table.unfold(0, technique.WINDOW, 1).transpose(1, 2).flatten(1)
        return torch.relu(self.convolution(windows)).max(dim=0).values


def train(samples: Sequence[Sample]) -> dict[str, Any]:
    """Return the weights file of a network trained on these samples."""
    torch.manual_seed(0)
    order = np.random.default_rng(0)
    vocabulary = vocabulary_of(samples)
    model = Model(embedding_of(samples, vocabulary))
    empty = technique.Network(vocabulary, {})
    samples = [thinned(sample) for sample in samples]
    graphs = [Graph(sample, empty) for sample in samples]
    wanted = [torch.from_numpy(sample.buggy) for sample in samples]
    sizes = Counter(sample.project for sample in samples)
    weights = np.array([sizes[sample.project] ** -0.5 for sample in samples])
    weights = weights / weights.mean()
    rest = [p for name, p in model.named_parameters() if name != "embedding"]
    groups = [
        {"params": rest, "lr": RATE, "weight_decay": PENALTY},
        {"params": [model.embedding], "lr": RATE * EMBEDDING_STEP, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, UPDATES)
    rounds = range(-(-UPDATES // len(samples)))
    drawn = np.concatenate([order.permutation(len(samples)) for _ in rounds])[:UPDATES]
    for at in drawn.tolist():
        shares = torch.log_softmax(model(graphs[at]), dim=0)
        right = shares[wanted[at]]
        loss = -0.5 * (torch.logsumexp(right, 0) + right.mean()) * float(weights[at])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return {"projects": sorted(sizes), **as_data(model, vocabulary)}


def as_data(model: Model, vocabulary: Sequence[str]) -> dict[str, Any]:
    """Return a model as the weights file holds it."""
    names = {
        "convolution.weight": model.convolution.weight,
        "convolution.bias": model.convolution.bias,
        "kind": model.kind,
        "enter.weight": model.enter.weight,
        "enter.bias": model.enter.bias,
        "edges": model.edges,
        "gru.weight_ih": model.gru.weight_ih,
        "gru.weight_hh": model.gru.weight_hh,
        "gru.bias_ih": model.gru.bias_ih,
        "gru.bias_hh": model.gru.bias_hh,
        "attention.report": model.asked,
        "attention.node": model.alone,
        "match": model.match,
        "hidden.weight": model.hidden.weight,
        "hidden.bias": model.hidden.bias,
        "out.weight": model.out.weight,
        "files.weight": model.of_files.weight,
    }
    embedding = model.embedding.detach().numpy()
    scale = round(float(np.abs(embedding).max()) / 99, 6)
    return {
        "vocabulary": list(vocabulary),
        "embedding_scale": scale,
        "embedding": np.round(embedding / scale).astype(int).tolist(),
        "weights": {
            name: np.round(values.detach().numpy().astype(float), DIGITS).tolist()
            for name, values in names.items()
        },
    }


def write(path: Path, data: dict[str, Any]) -> None:
    """Write a network, a row of its embedding a line, one layer a line."""
    layers = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(values, separators=(',', ':'))}"
        for name, values in data["weights"].items()
    )
    rows = ",\n".join(f"  {json.dumps(row, separators=(',', ':'))}" for row in data["embedding"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'{{"projects": {json.dumps(data["projects"])},\n'
        f'"vocabulary": {json.dumps(data["vocabulary"])},\n'
        f'"embedding_scale": {data["embedding_scale"]},\n'
        f'"embedding": [\n{rows}\n],\n"weights": {{\n{layers}\n}}}}\n',
        encoding="utf-8",
    )


def reached(data: dict[str, Any], samples: Sequence[Sample]) -> str:
    """Return how well a network ranks the candidate files of samples that it never saw."""
    network = network_from(data)
    found = []
    for sample in samples:
        scores = network.scores(sample.given)[0]
        rows = [str(row) for row in range(len(scores))]
        truth = {str(row) for row in np.flatnonzero(sample.buggy)}
        order = [row for row, _ in in_order(rows, scores)]
        found.append(score([(row,) if row in truth else () for row in order], truth))
    return " ".join(
        f"{name} {np.mean([measure(s) for s in found]):.3f}" for name, measure in MEASURES.items()
    )


def main() -> None:
    """Train all networks and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--folds", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    bugs, problems = read_bugs(options.bugs)
    for line in problems:
        print(line)
    samples = list(samples_of(bugs, options.repositories))
    projects = sorted({sample.project for sample in samples})
    print(f"{len(samples)} reports of {len(projects)} projects", flush=True)
    for project in projects if options.folds else ():
        data = train([s for s in samples if s.project != project])
        write(FOLDS / f"{project}.json", data)
        own = [s for s in samples if s.project == project]
        print(f"{project} left out, among candidates: {reached(data, own)}", flush=True)
    write(WEIGHTS, train(samples))


if __name__ == "__main__":
    main()
