from typing import NamedTuple

import jax.numpy as jnp
import jax.ops
import numpy as np


class Graph(NamedTuple):
    x: np.ndarray
    y: np.ndarray
    senders: np.ndarray
    receivers: np.ndarray
    train_mask: np.ndarray
    val_mask: np.ndarray

    @property
    def n_nodes(self):
        return self.x.shape[0]


def normalized_edges(graph):
    """Edge list of the GCN propagation matrix, with one weight per edge."""
    n = graph.n_nodes
    senders = jnp.asarray(graph.senders)
    receivers = jnp.asarray(graph.receivers)
    degree = jax.ops.segment_sum(jnp.ones_like(receivers, jnp.float32), receivers, n)
    inv_sqrt = degree ** -0.5
    loops = jnp.arange(n, dtype=senders.dtype)
    senders = jnp.concatenate([senders, loops])
    receivers = jnp.concatenate([receivers, loops])
    weight = inv_sqrt[senders] * inv_sqrt[receivers]
    return senders, receivers, weight


def propagate(h, senders, receivers, weight):
    return jax.ops.segment_sum(h[senders] * weight[:, None], receivers, h.shape[0])
