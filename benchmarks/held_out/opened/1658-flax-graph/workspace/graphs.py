from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Graph(NamedTuple):
    x: jax.Array
    senders: jax.Array
    receivers: jax.Array
    labels: jax.Array
    train_mask: jax.Array


def stochastic_block_graph(sizes=(60, 60, 60), p_in=0.12, p_out=0.01, n_features=16, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    n = labels.size
    prob = np.where(labels[:, None] == labels[None], p_in, p_out)
    upper = np.triu(rng.random((n, n)) < prob, 1)
    adj = upper | upper.T | np.eye(n, dtype=bool)
    senders, receivers = np.nonzero(adj)
    centres = rng.normal(0, 0.6, (len(sizes), n_features))
    x = centres[labels] + rng.normal(0, 1.0, (n, n_features))
    return Graph(
        jnp.asarray(x, jnp.float32),
        jnp.asarray(senders),
        jnp.asarray(receivers),
        jnp.asarray(labels),
        jnp.asarray(rng.random(n) < 0.3),
    )
