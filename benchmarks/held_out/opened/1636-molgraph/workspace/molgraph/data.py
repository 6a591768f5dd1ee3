from typing import NamedTuple

import numpy as np


class Graph(NamedTuple):
    nodes: np.ndarray
    senders: np.ndarray
    receivers: np.ndarray
    label: int


class Batch(NamedTuple):
    nodes: np.ndarray
    senders: np.ndarray
    receivers: np.ndarray
    node_graph: np.ndarray
    labels: np.ndarray


def random_molecule(rng, n_types):
    """A ring (label 1) or a chain (label 0) with a few side bonds."""
    n = int(rng.integers(6, 14))
    label = int(rng.integers(0, 2))
    a = np.arange(n - 1)
    bonds = list(zip(a, a + 1))
    if label:
        bonds.append((n - 1, 0))
    for _ in range(int(rng.integers(0, 3))):
        i = int(rng.integers(0, n - 3))
        bonds.append((i, i + 2))
    left, right = np.array(bonds).T
    types = rng.integers(0, n_types - 1, n)
    if label:
        types[rng.random(n) < 0.25] = n_types - 1
    return Graph(
        np.eye(n_types, dtype=np.float32)[types],
        np.concatenate([left, right]),
        np.concatenate([right, left]),
        label,
    )


def make_dataset(size, n_types, seed):
    rng = np.random.default_rng(seed)
    return [random_molecule(rng, n_types) for _ in range(size)]


def merge(graphs, node_budget, edge_budget):
    """Disjoint union of graphs, padded to fixed sizes so that jit compiles once.

    Padding edges connect the last padding node with itself.
    """
    n_types = graphs[0].nodes.shape[1]
    nodes = np.zeros((node_budget, n_types), np.float32)
    senders = np.full(edge_budget, node_budget - 1, np.int32)
    receivers = np.full(edge_budget, node_budget - 1, np.int32)
    node_graph = np.full(node_budget, len(graphs), np.int32)
    node_at = edge_at = 0
    for k, g in enumerate(graphs):
        n, e = len(g.nodes), len(g.senders)
        nodes[node_at : node_at + n] = g.nodes
        senders[edge_at : edge_at + e] = g.senders + edge_at
        receivers[edge_at : edge_at + e] = g.receivers + edge_at
        node_graph[node_at : node_at + n] = k
        node_at += n
        edge_at += e
    labels = np.array([g.label for g in graphs], np.int32)
    return Batch(nodes, senders, receivers, node_graph, labels)


def batches(graphs, batch_size, node_budget, edge_budget, rng):
    order = rng.permutation(len(graphs))
    for start in range(0, len(order) - batch_size + 1, batch_size):
        chosen = [graphs[i] for i in order[start : start + batch_size]]
        yield merge(chosen, node_budget, edge_budget)
